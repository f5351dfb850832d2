package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"

	"arpent/api/recorded"
	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

func init() {
	// A list of ours is never null: it is empty, or its member is absent.
	huma.DefaultArrayNullable = false
}

// Document is the OpenAPI 3.1 description of the operations table, as JSON.
func Document(serviceName, baseURL string) []byte {
	body, err := json.MarshalIndent(Describe(serviceName, baseURL), "", "  ")
	if err != nil {
		panic(err) // the document is made of our own table
	}
	return append(body, '\n')
}

// asYAML is a JSON document as YAML.
func asYAML(document []byte) []byte {
	var out bytes.Buffer
	if err := yaml.Convert(&out, bytes.NewReader(document)); err != nil {
		panic(err) // it is JSON
	}
	return out.Bytes()
}

// Describe is the description that documents and pages are made from.
func Describe(serviceName, baseURL string) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: serviceName, Version: "1.0.0", Description: description,
			License: &huma.License{Name: "Open licence 2.0 (data)", Identifier: "etalab-2.0"}},
		Servers: []*huma.Server{{URL: baseURL}},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"header": {Type: "apiKey", In: "header", Name: "X-API-Key"},
			"bearer": {Type: "http", Scheme: "bearer"},
			"query": {Type: "apiKey", In: "query", Name: "api_key",
				Description: "A header is safer: URLs end up in logs."},
		}},
		Security: []map[string][]string{{"header": {}}, {"bearer": {}}, {"query": {}}},
	}
	for _, tag := range Tags {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: tag[0], Description: tag[1]})
	}
	for _, op := range Operations() {
		doc.AddOperation(op.describeOperation(registry, baseURL))
	}
	documentStatistics(registry)
	for _, schema := range registry.Map() {
		schema.AdditionalProperties = nil // members are added over time; a client ignores those it does not know
	}
	return doc
}

// documentStatistics puts the keys of each level in.
func documentStatistics(registry huma.Registry) {
	for name, level := range map[string]stats.Level{"Commune": stats.Commune, "Departement": stats.Departement,
		"Region": stats.Region} {
		at := registry.Map()[name].Properties["stats"]
		schema := topic.Statistics().Schema(registry, level)
		schema.Description = at.Description
		*at = *schema
	}
}

// reportValues are the types of the values of the report, and of the items of those that are lists.
var reportValues = sync.OnceValue(func() map[reflect.Type]bool {
	types := map[reflect.Type]bool{}
	for _, k := range topic.Report().Keys() {
		t := reflect.TypeOf(k.Value)
		for t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		types[t] = true
	}
	return types
})

// schemaName names a schema after its type. Statistics and reports have types of the
// same names: those of statistics get a prefix. A type that both have is one of the report.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if topic.Statistics().Holds(t) && !reportValues()[t] {
		return "Stats" + strings.TrimPrefix(name, "Stats")
	}
	return name
}

func (o *Operation) describeOperation(registry huma.Registry, baseURL string) *huma.Operation {
	d := &huma.Operation{
		OperationID: o.Name, Method: "GET", Path: Root + o.Path, Tags: []string{o.Tag}, Summary: o.Summary,
		Description: o.Description,
		Responses:   map[string]*huma.Response{"200": o.describeSuccess(registry, baseURL)},
	}
	if o.Keyless {
		d.Security = []map[string][]string{{}, {"header": {}}, {"bearer": {}}, {"query": {}}}
	}
	if o.Tighter() {
		// client libraries pace these by themselves
		d.Extensions = map[string]any{"x-rate-limit-class": "enrichments"}
	}
	for _, p := range o.Params {
		d.Parameters = append(d.Parameters, p.Describe())
	}
	if len(o.Include) > 0 {
		d.Parameters = append(d.Parameters, o.describeInclude())
	}
	o.documentFailures(d, registry, baseURL)
	return d
}

func (o *Operation) describeSuccess(registry huma.Registry, baseURL string) *huma.Response {
	var schemas []*huma.Schema
	for _, t := range o.resultTypes() {
		schemas = append(schemas, registry.Schema(t, true, t.Name()))
	}
	schema := schemas[0]
	if len(schemas) > 1 {
		schema = &huma.Schema{OneOf: schemas}
	}
	headers := describeLimitHeaders()
	if !o.NotCached {
		headers["ETag"] = describeHeader("Validator of the answer, for If-None-Match.", huma.TypeString)
	}
	return &huma.Response{Description: "Found.", Headers: headers,
		Content: map[string]*huma.MediaType{"application/json": {Schema: schema,
			Examples: o.recordedExample(baseURL)}}}
}

// recordedExample is the recorded answer, its lists shortened.
func (o *Operation) recordedExample(baseURL string) map[string]*huma.Example {
	answer := recorded.Answer(o.Name, baseURL)
	if answer == nil {
		return nil
	}
	return map[string]*huma.Example{"recorded": {Summary: "GET " + Root + o.Example +
		", of lists the first items", Value: shortenAnswer(answer)}}
}

// failureExamples are recorded answers with these codes.
func failureExamples(baseURL string, codes ...fault.Code) map[string]*huma.Example {
	examples := map[string]*huma.Example{}
	for _, code := range codes {
		if answer := recorded.Error(string(code), baseURL); answer != nil {
			examples[string(code)] = &huma.Example{Value: shortenAnswer(answer)}
		}
	}
	return examples
}

func shortenAnswer(answer []byte) json.RawMessage {
	return json.RawMessage(recorded.Excerpt(answer, nil))
}

func (o *Operation) documentFailures(d *huma.Operation, registry huma.Registry, baseURL string) {
	if !o.NotCached {
		d.Responses["304"] = &huma.Response{Headers: describeLimitHeaders(),
			Description: "Not modified since the answer whose ETag is in If-None-Match. Does not count against the day."}
	}
	type failure struct {
		code  fault.Code
		about string
		also  []fault.Code // with the same status
	}
	failures := []failure{
		{fault.InvalidParameter, "`invalid_parameter`: a parameter is missing, malformed or given twice.", nil},
		{fault.InvalidAPIKey, "`missing_api_key` or `invalid_api_key`.", []fault.Code{fault.MissingAPIKey}},
		{fault.NotFound, "`not_found`.", nil},
		{fault.RequestTooLarge, "`request_too_large`: the address and the headers are longer than 8 KiB.", nil},
		{fault.RateLimited, "`rate_limited` (Retry-After is set) or `quota_exceeded`.",
			[]fault.Code{fault.QuotaExceeded}},
		{fault.Internal, "`internal_error`, with a request id.", nil},
	}
	if o.Keyless {
		failures[1] = failure{fault.InvalidAPIKey, "`invalid_api_key`: a key was sent that is not accepted.", nil}
	}
	if o.Unavailable {
		failures = append(failures, failure{fault.Unavailable,
			"`unavailable`: the data cannot be read at the moment. Retrying is safe; what failed does not count against the day.", nil})
	}
	schema := registry.Schema(reflect.TypeFor[Error](), true, "Error")
	for _, f := range failures {
		headers := describeLimitHeaders()
		if f.code == fault.RateLimited || f.code == fault.Unavailable {
			headers["Retry-After"] = describeHeader("Seconds to wait before trying again.", huma.TypeInteger)
		}
		status := f.code.Status()
		if f.code == fault.RequestTooLarge {
			status = http.StatusRequestHeaderFieldsTooLarge // of a request without a body
		}
		d.Responses[strconv.Itoa(status)] = &huma.Response{Description: f.about, Headers: headers,
			Content: map[string]*huma.MediaType{"application/json": {Schema: schema, Examples: failureExamples(baseURL,
				append(f.also, f.code)...)}}}
	}
}

// Describe returns the description of the parameter for an OpenAPI document.
func (p *Param) Describe() *huma.Param {
	d := &huma.Param{Name: p.Name, In: p.In, Required: p.Required, Example: p.Example,
		Description: p.Description,
		Schema:      &huma.Schema{Type: p.Type, Pattern: p.Pattern, Default: p.Default}}
	if p.Min < p.Max {
		d.Schema.Minimum, d.Schema.Maximum = &p.Min, &p.Max
	}
	if p.MaxLength > 0 {
		d.Schema.MinLength, d.Schema.MaxLength = new(1), &p.MaxLength
	}
	if p.Values != nil {
		var values []any
		for _, v := range p.Values() {
			values = append(values, v)
		}
		d.Style, d.Explode, d.Schema.Items = "form", new(false), &huma.Schema{Type: huma.TypeString, Enum: values}
		if !p.Plain {
			d.Schema.Items = &huma.Schema{AnyOf: []*huma.Schema{d.Schema.Items, {Type: huma.TypeString,
				Pattern: p.PartsPattern()}}}
		}
	}
	return d
}

func (o *Operation) describeInclude() *huma.Param {
	var names []any
	for _, v := range o.Include {
		names = append(names, v.Name)
	}
	return &huma.Param{Name: "include", In: "query", Style: "form", Explode: new(false),
		Description: "What to add to the answer, comma-separated. An unknown value answers 400.",
		Schema:      &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: names}},
		Example:     []any{names[0]}}
}

func describeHeader(about, kind string) *huma.Param {
	return &huma.Param{Description: about, Schema: &huma.Schema{Type: kind}}
}

func describeLimitHeaders() map[string]*huma.Param {
	return map[string]*huma.Param{
		"X-RateLimit-Limit": describeHeader("Requests admitted in any 60 seconds.", huma.TypeInteger),
		"X-Quota-Limit":     describeHeader("Requests a day of Europe/Paris.", huma.TypeInteger),
		"X-Quota-Used":      describeHeader("Requests counted today.", huma.TypeInteger),
		"X-Quota-Remaining": describeHeader("Requests left today.", huma.TypeInteger),
		"X-Quota-Reset":     describeHeader("When the next quota day begins, in Unix seconds.", huma.TypeInteger),
		"X-Quota-Reserve-Remaining": describeHeader("Requests left of the month's reserve, which are used once those of today are. "+
			"Absent where the owner has chosen none.", huma.TypeInteger),
		"X-Plan": describeHeader("Plan of the account; none without one.", huma.TypeString),
		"X-Request-Id": describeHeader("Identifier of this request; quote it when writing to us.",
			huma.TypeString),
		"RateLimit-Policy": describeHeader("The limits, as in draft-ietf-httpapi-ratelimit-headers.",
			huma.TypeString),
		"RateLimit": describeHeader("What is left of them, likewise.", huma.TypeString),
	}
}
