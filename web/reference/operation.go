package reference

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/billing/meter"
	"arpent/internal/fault"
	"arpent/web"
)

// operation is an operation as its page describes it.
type operation struct {
	api.Operation
	URL        string // of its example
	Parameters []field
	Answers    []answer // one of them is given
	Recorded   []byte
	Statuses   []status
}

// answer is a body that an operation may give.
type answer struct {
	Type      string
	Fields    []field
	Elsewhere string // operation on whose page it is described; Fields is empty then
}

// status is a status that an operation may answer with.
type status struct {
	Code    int
	About   string
	Headers []string
	Bodies  []string // of errors
}

func (s status) statusText() string { return strconv.Itoa(s.Code) + " " + http.StatusText(s.Code) }

func (o operation) pagePath() string { return Path + "/" + o.Name }

func (o operation) titleText(l web.Lang) string { return l.Pick(o.SummaryFrench, o.Summary) }

// maxRepeated is how many fields a body may have that is described on the pages of several operations.
const maxRepeated = 60

func (o Options) describeOperation(op api.Operation) operation {
	doc := o.Document.Paths[api.Root+op.Path].Get
	out := operation{Operation: op, URL: o.BaseURL + api.Root + op.Example, Recorded: recorded.Answer(op.Name,
		o.BaseURL)}
	named := map[string][]string{} // values by parameter
	for _, p := range doc.Parameters {
		out.Parameters = append(out.Parameters, describeParameter(p, op))
		if p.Schema.Items != nil {
			named[p.Name] = listValues(p.Schema.Items)
		}
	}
	schema := doc.Responses["200"].Content["application/json"].Schema
	answers := schema.OneOf
	if len(answers) == 0 {
		answers = []*huma.Schema{schema}
	}
	for _, s := range answers {
		w := &walker{registry: o.Document.Components.Schemas, include: named["include"], keys: named["fields"],
			described: map[string]string{},
			sources:   func(path string) []string { return o.Sources[op.Name+" "+path] }}
		a := answer{Type: s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]}
		prefix := ""
		if len(schema.OneOf) > 1 {
			prefix = a.Type + "."
		}
		a.Fields = w.memberFields(prefix, w.shapeOf(s).object)
		if home := describingOperation(op, a.Type); (field{Members: a.Fields}).memberCount() > maxRepeated &&
			home != "" {
			a.Fields, a.Elsewhere = nil, home
		}
		out.Answers = append(out.Answers, a)
	}
	out.Statuses = describeStatuses(op, doc, o.BaseURL)
	return out
}

// describingOperation is the first operation that gives only that type; empty: it is op, or there is none.
func describingOperation(op api.Operation, name string) string {
	for _, other := range api.Operations() {
		if len(other.Results) == 1 && reflect.TypeOf(other.Results[0]).Name() == name {
			if other.Name == op.Name {
				return ""
			}
			return other.Name
		}
	}
	return ""
}

// describeParameter describes a parameter; of those of the table also the form that it has.
func describeParameter(p *huma.Param, op api.Operation) field {
	f := field{Name: p.Name, Path: "parameter-" + p.Name, Type: p.Schema.Type + " in the " + p.In,
		When: "optional", Doc: p.Description}
	if p.Required {
		f.When = "required"
	}
	notes := []string{}
	if i := slices.IndexFunc(op.Params, func(q api.Param) bool { return q.Name == p.Name }); i >= 0 &&
		p.Schema.Items == nil {
		notes = append(notes, "Expected: "+op.Params[i].Expected+".")
	}
	if p.Schema.Default != nil {
		notes = append(notes, "Default: "+encodeJSON(p.Schema.Default)+".")
	}
	if p.Schema.Items != nil {
		f.Type = "comma-separated list in the " + p.In
		notes = append(notes, "Values: "+strings.Join(listValues(p.Schema.Items), ", ")+".")
	} else {
		notes = append(notes, "Example: "+encodeJSON(p.Example))
	}
	f.Note = strings.Join(notes, " ")
	return f
}

// listValues are the values that an item of a list may have, apart from parts of them.
func listValues(item *huma.Schema) (out []string) {
	if len(item.AnyOf) > 0 {
		item = item.AnyOf[0]
	}
	for _, v := range item.Enum {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

var errorCodePattern = regexp.MustCompile("`([a-z_]+)`")

// recordedFor is the operation whose answers to a wrong code and to an unknown one are recorded.
const recordedFor = "get_commune"

// describeStatuses are what an operation may answer with, and the bodies of the
// errors that the description of each names.
func describeStatuses(op api.Operation, doc *huma.Operation, baseURL string) (out []status) {
	for code, response := range doc.Responses {
		s := status{About: response.Description}
		s.Code, _ = strconv.Atoi(code) // codes alone are in the document
		for name := range response.Headers {
			s.Headers = append(s.Headers, name)
		}
		slices.Sort(s.Headers)
		for _, m := range errorCodePattern.FindAllStringSubmatch(response.Description, -1) {
			isOfPlace := m[1] == string(fault.InvalidParameter) || m[1] == string(fault.NotFound)
			if isOfPlace && op.Name != recordedFor {
				continue // it names a commune that was asked for
			}
			if body := recorded.Error(m[1], baseURL); body != nil {
				s.Bodies = append(s.Bodies, recorded.Excerpt(body, nil))
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b status) int { return a.Code - b.Code })
	return out
}

// answerText is the recorded answer with the first items of each list.
func (o operation) answerText(l web.Lang) string {
	return recorded.Excerpt(o.Recorded, func(left int) string {
		return "… " + l.Pick("et "+l.Number(left)+" de plus", l.Number(left)+" more")
	})
}

// hasOwnLimit reports whether the operation has a limit per minute of its own.
func (o operation) hasOwnLimit() bool { return o.Class == meter.Enrichments }

// typeText is the type of a field with its unit.
func (f field) typeText() string {
	text := f.Type
	if f.Unit != "" {
		text += " (" + f.Unit + ")"
	}
	if f.Null {
		text += " or null"
	}
	if f.When != "" {
		text += ", " + f.When
	}
	return text
}
