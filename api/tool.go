package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"arpent/api/fieldset"
	"arpent/internal/fault"
)

// What several tools say.
const (
	nullIsUnknown  = "null is never zero: states says why."
	figuresInstead = "fields gives figures of each, sort and top the highest or lowest, in one call."
	findCode       = "search_address gives commune codes."
)

// Tool is a tool by which assistants call an operation: what a model has to know of it. Its arguments,
// their check and its result are the operation's.
type Tool struct {
	Name   string // verb_noun, stable: clients remember it
	Title  string
	About  string   // what it returns, for which question, and what to use otherwise
	Takes  []string // parameters of the operation that it takes; nil: all of them
	Needs  []string // of these, those it does not work without, where the operation does
	Always []string // include values that every call has that names no fields
	// Defaults are the values of parameters that a call leaves out, where they are not those of the
	// operation.
	Defaults map[string]string
	Result   int // which of the operation's results it gives
	// NoInclude is set where the form of the operation that it calls takes no include value.
	NoInclude bool
	Table     bool   // the items of its list are rows, for there may be many
	Example   string // arguments that work on real data, as JSON
	Invalid   string // what to do when arguments are refused
	Missing   string // what to do when nothing is found
	Page      ToolPage
}

// ToolPage is a tool as the pages explain it to people.
type ToolPage struct {
	Place                   int    // in the lists
	Gives                   string // what the documentation says that it answers
	French, English         string // what it does, in plain words
	FrenchAsks, EnglishAsks string // a question that calls it
}

// OperationTool is a tool with the operation that it runs, and the parameters of it that it takes.
type OperationTool struct {
	Tool
	Operation *Operation
	Params    []Param
}

// Tools are the tools of all operations, in the order of the pages.
func Tools() []OperationTool {
	var tools []OperationTool
	ops := Operations()
	for i := range ops {
		for _, t := range ops[i].Tools {
			tools = append(tools, OperationTool{t, &ops[i], t.acceptedParams(&ops[i])})
		}
	}
	slices.SortStableFunc(tools, func(a, b OperationTool) int { return a.Page.Place - b.Page.Place })
	return tools
}

// acceptedParams are those that the tool takes, required where it does not work without them.
func (t *Tool) acceptedParams(op *Operation) (params []Param) {
	for _, p := range op.Params {
		if t.Takes == nil || slices.Contains(t.Takes, p.Name) {
			p.Required = p.Required || slices.Contains(t.Needs, p.Name)
			if value, ok := t.Defaults[p.Name]; ok {
				p.Default = json.RawMessage(value)
			}
			params = append(params, p)
		}
	}
	return params
}

// IncludeValues are the values of include that a call may choose.
func (t *OperationTool) IncludeValues() []string {
	if t.NoInclude {
		return nil
	}
	var values []string
	for _, v := range t.Operation.Include {
		if !slices.Contains(t.Always, v.Name) {
			values = append(values, v.Name)
		}
	}
	return values
}

// ArgumentNames returns the names of the arguments that a call may give.
func (t *OperationTool) ArgumentNames() []string {
	var names []string
	for _, p := range t.Params {
		names = append(names, p.Name)
	}
	if len(t.IncludeValues()) > 0 {
		names = append(names, "include")
	}
	if t.CanExplain() {
		names = append(names, ExplainName)
	}
	return names
}

// ExplainName is the argument of tools that asks for the meaning of keys.
const ExplainName = "explain"

// CanExplain reports whether a call may ask for the meaning of the keys of its answer: whether it has keys of
// one place.
func (t *OperationTool) CanExplain() bool { return t.takes(fieldset.ParamName) && !t.takes(sortName) }

func (t *OperationTool) takes(param string) bool {
	return slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == param })
}

// Read turns the arguments of a call, a JSON object or nothing, into those of its operation. They
// are the texts that a REST request would have, so that the operation alone checks them, with the
// same words; what no text stands for is rejected. So is an argument that the tool does not know: a
// model that gives one means something by it.
func (t *OperationTool) Read(given json.RawMessage) (a Arguments) {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(given, &values) // anything but an object has no arguments
	t.rejectUnknown(values, &a)
	for _, p := range t.Params {
		value, isListed := values[p.Name], p.Values != nil || p.Name == communeCodes.Name
		if isNull(value) || isListed && string(unquoteList(value)) == "[]" {
			if value, ok := t.Defaults[p.Name]; ok {
				a.Set(t.Operation, p.Name, value)
			}
			continue
		}
		if isListed {
			a.Set(t.Operation, p.Name, strings.Join(parseStringList(unquoteList(value)), ","))
			continue
		}
		isList := value[0] == '[' && p.Named != nil && p.Name != parcelIDU.Name // it may be of several places
		if text, plain := plainText(value); isList {
			a.Set(t.Operation, p.Name, string(value))
		} else if plain {
			a.Set(t.Operation, p.Name, a.normalizeValue(&p, text))
		} else {
			a.Reject(fault.Invalid("%s is %q; expected %s", p.Name, fault.Excerpt(string(value)),
				p.Expected).About(p.Name))
		}
	}
	if t.CanExplain() {
		a.readExplain(values[ExplainName])
	}
	t.rejectMissing(&a)
	names := parseStringList(unquoteList(values["include"]))
	t.rejectInclude(names, &a)
	if !a.ChoosesKeys(t.Operation) {
		names = t.addAlwaysIncluded(names)
	}
	if len(names) > 0 {
		a.Set(t.Operation, "include", strings.Join(names, ","))
	}
	return a
}

// readExplain reads whether the keys of the answer are to be explained.
func (a *Arguments) readExplain(value json.RawMessage) {
	switch strings.Trim(string(value), `"`) {
	case "true":
		a.explains = true
	case "", "null", "false":
	default:
		a.Reject(fault.Invalid("%s is %q; expected true or false", ExplainName,
			fault.Excerpt(string(value))).About(ExplainName))
	}
}

// rejectMissing rejects a call without what the tool does not work without.
func (t *OperationTool) rejectMissing(a *Arguments) {
	var (
		missing []string
		first   string
	)
	for _, p := range t.Params {
		if _, given := a.Get(t.Operation, p.Name); p.Required && !given {
			first = cmp.Or(first, p.Name)
			missing = append(missing, p.Name+" is missing; expected "+p.Expected)
		}
	}
	for _, name := range []string{latitude.Name, longitude.Name} {
		if text, _ := a.Get(t.Operation, name); missing != nil && isPointText(text) {
			missing = append(missing, fmt.Sprintf("%s is %q. %s", name, fault.Excerpt(text), splitPoint))
		}
	}
	if missing != nil {
		a.Reject(fault.Invalid("%s", strings.Join(missing, ". ")).About(first))
	}
}

// rejectInclude rejects include values that the tool does not take. Those that it always has may be named.
func (t *OperationTool) rejectInclude(names []string, a *Arguments) {
	values := t.IncludeValues()
	for name := range strings.SplitSeq(strings.Join(names, ","), ",") {
		switch name = strings.TrimSpace(name); {
		case names == nil:
		case slices.Contains(values, name) || slices.Contains(t.Always, name):
		case len(values) == 0:
			a.Reject(fault.Invalid("include is %q; %s takes no include", fault.Excerpt(name), t.Name).About("include"))
		default:
			a.Reject(fault.Invalid("include names %q; expected a list from %s", fault.Excerpt(name),
				strings.Join(values, ", ")).About("include"))
		}
	}
}

// ReadNames takes the names of territories for their codes in arguments where the operation wants codes, and
// notes it, with what else a name or a code may mean.
func (s *Server) ReadNames(op *Operation, a *Arguments) {
	in := s.handlers.readLoaded()
	a.ofTool = true
	for i := range op.Params {
		p, v := &op.Params[i], &a.values[i]
		if in.territory == nil || p.Named == nil || !v.given {
			continue
		}
		code, isRead := v.text, p.Valid(v.text)
		if !isRead {
			code, isRead = p.Named(in, v.text)
		}
		if isRead {
			others := p.explainValue(in, v.text)
			if code != v.text || others != "" {
				a.readings = append(a.readings, reading{p.Name, v.text, code, others})
			}
			v.text = code
		}
		if p.Name == parcelIDU.Name {
			v.text = s.handlers.parcels.Spelled(v.text)
			a.correctReading(p, v.text)
		}
	}
}

// normalizeValue is the valid value that a text stands for, which is noted; else the text itself.
func (a *Arguments) normalizeValue(p *Param, text string) string {
	if p.Read == nil || p.Valid(text) {
		return text
	}
	means, ok := p.Read(text)
	if !ok {
		return text
	}
	a.noteReading(p, text, means)
	return means
}

func (a *Arguments) noteReading(p *Param, text, means string) {
	a.readings = append(a.readings, reading{param: p.Name, text: text, means: means})
}

// correctReading has the note on a parameter, where there is one, give another value.
func (a *Arguments) correctReading(p *Param, means string) {
	for i := range a.readings {
		if a.readings[i].param == p.Name {
			a.readings[i].means = means
		}
	}
}

// reading is a value of a parameter that was read from a text, with a sentence on others that the text may
// mean; empty: there are none.
type reading struct{ param, text, means, others string }

// Replacements are those of Readings by which an argument was read as something else.
func (a *Arguments) Replacements() (notes []string) {
	for _, r := range a.readings {
		if r.text != r.means {
			notes = append(notes, r.describeReading())
		}
	}
	return notes
}

// Readings say which arguments were read as something else than they are, or may mean something else.
func (a *Arguments) Readings() []string {
	notes := make([]string, len(a.readings))
	for i, r := range a.readings {
		notes[i] = r.describeReading()
	}
	return notes
}

// describeReading says how the value of a parameter was read, and what else it may mean.
func (r reading) describeReading() string {
	if r.text == r.means {
		return r.others
	}
	return strings.TrimSpace(fmt.Sprintf("%s %q was read as %s. %s", r.param, fault.Excerpt(r.text), r.means,
		r.others))
}

func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// plainText is the text of a JSON text or number, as it was written.
func plainText(value json.RawMessage) (text string, ok bool) {
	switch value[0] {
	case '"':
		ok = json.Unmarshal(value, &text) == nil
		return text, ok
	case '{', '[', 't', 'f':
		return "", false
	default:
		return string(value), true
	}
}

// rejectUnknown rejects arguments of names that the tool does not take. include is held against its own list.
func (t *OperationTool) rejectUnknown(values map[string]json.RawMessage, a *Arguments) {
	takes := t.ArgumentNames()
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name == "include" || isNull(values[name]) || slices.Contains(takes, name) {
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%q", fault.Excerpt(name)))
		if meant := meantArgument(name, takes); meant != "" {
			unknown[len(unknown)-1] += " (" + meant + " may be meant)"
		}
	}
	if unknown == nil {
		return
	}
	what := "no arguments"
	if len(takes) > 0 {
		what = strings.Join(takes, ", ")
	}
	a.Reject(fault.Invalid("%s has no argument %s; it takes %s", t.Name,
		strings.Join(unknown[:min(len(unknown), maxUnknown)], ", "), what))
}

// parseStringList takes a list of values, or one text with commas as in a URL.
func parseStringList(value json.RawMessage) (names []string) {
	if isNull(value) {
		return nil
	}
	list := []json.RawMessage{value}
	if value[0] == '[' {
		_ = json.Unmarshal(value, &list) // a list it is
	}
	for _, v := range list {
		text, plain := plainText(v)
		if !plain {
			text = string(v) // not a valid value: the check of the parameter rejects it
		}
		names = append(names, text)
	}
	return names
}

// unquoteList is a list that was given as a text, which models do.
func unquoteList(value json.RawMessage) json.RawMessage {
	var list []string
	if isNull(value) {
		return value
	}
	if text, plain := plainText(value); plain && json.Unmarshal([]byte(text), &list) == nil && list != nil {
		return json.RawMessage(text)
	}
	return value
}

// addAlwaysIncluded adds the include values that every call has.
func (t *OperationTool) addAlwaysIncluded(names []string) []string {
	for _, name := range t.Always {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
