package accountapi

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"arpent/api"
	"arpent/auth/management"
	"arpent/internal/fault"
)

const documentIntroduction = `What a program reads of an account: its usage, its API keys and its members.

Requests carry a management token, which an owner or administrator makes in the account, as ` + "`Authorization: Bearer arpm_…`" + `.
An API key is refused here, and a management token everywhere else. Nothing here counts against the quota.
Answers are not to be stored, and pages of other origins cannot read them.`

// Document is the OpenAPI 3.1 description of the operations, as JSON.
func Document(serviceName, baseURL string) []byte {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	doc := &huma.OpenAPI{OpenAPI: "3.1.0",
		Info: &huma.Info{Title: serviceName + " account", Version: "1.0.0",
			Description: documentIntroduction},
		Servers: []*huma.Server{{URL: baseURL}},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"token": {Type: "http", Scheme: "bearer", Description: "A management token."}}},
		Security: []map[string][]string{{"token": {}}}}
	for _, op := range operations {
		doc.AddOperation(op.describeOperation(registry))
	}
	for _, schema := range registry.Map() {
		schema.AdditionalProperties = nil // members are added over time; a client ignores those it does not know
	}
	body, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(err) // the document is made of our own table
	}
	return append(body, '\n')
}

func (o operation) describeOperation(registry huma.Registry) *huma.Operation {
	d := &huma.Operation{OperationID: o.name, Method: "GET", Path: Root + o.path, Summary: o.summary,
		Description: o.description + " Needs the scope `" + string(o.scope) + "`.",
		Responses:   map[string]*huma.Response{}}
	for i := range o.params {
		d.Parameters = append(d.Parameters, o.params[i].Describe())
	}
	add := func(status int, about string, of reflect.Type) *huma.Response {
		r := &huma.Response{Description: about, Headers: map[string]*huma.Param{
			"X-Request-Id": describeHeader("Identifier of this request; quote it when writing to us.",
				huma.TypeString)},
			Content: map[string]*huma.MediaType{"application/json": {Schema: registry.Schema(of, true,
				of.Name())}}}
		d.Responses[strconv.Itoa(status)] = r
		return r
	}
	limited := func(r *huma.Response) *huma.Response {
		r.Headers["X-RateLimit-Limit"] = describeHeader("Requests of the token in any 60 seconds: "+
			strconv.Itoa(management.PerMinute)+", of which "+strconv.Itoa(management.Burst)+" at once.",
			huma.TypeInteger)
		r.Headers["RateLimit-Policy"] = describeHeader("The limit, as in draft-ietf-httpapi-ratelimit-headers.",
			huma.TypeString)
		r.Headers["RateLimit"] = describeHeader("What is left of it, likewise.", huma.TypeString)
		return r
	}
	limited(add(200, "Found.", reflect.TypeOf(o.result)))
	failure := reflect.TypeFor[api.Error]()
	if len(o.params) > 0 {
		limited(add(fault.InvalidParameter.Status(), "`invalid_parameter`: the period cannot be read.",
			failure))
	}
	add(fault.InvalidToken.Status(), "`missing_token` or `invalid_token`. An API key is no management "+
		"token.", failure)
	limited(add(fault.MissingScope.Status(), "`missing_scope`: the token may not read this.", failure))
	limited(add(fault.RateLimited.Status(), "`rate_limited`.", failure)).Headers["Retry-After"] =
		describeHeader("Seconds to wait before trying again.", huma.TypeInteger)
	add(fault.Internal.Status(), "`internal_error`, with a request id.", failure)
	add(fault.Unavailable.Status(), "`unavailable`: the account cannot be read at the moment. Retrying is "+
		"safe.", failure).
		Headers["Retry-After"] = describeHeader("Seconds to wait before trying again.", huma.TypeInteger)
	return d
}

func describeHeader(about, kind string) *huma.Param {
	return &huma.Param{Description: about, Schema: &huma.Schema{Type: kind}}
}
