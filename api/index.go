package api

import (
	"bytes"
	"encoding/json"

	"arpent/api/reply"
	"arpent/billing"
)

// Index is the body of GET /api/v1.
type Index struct {
	Name           string         `json:"name" doc:"Name of the service." example:"Arpent"`
	Version        string         `json:"version" doc:"Version of the interface; also in the path." enum:"v1"`
	Description    string         `json:"description" doc:"What the service is."`
	Documentation  string         `json:"documentation" doc:"Address of the documentation." format:"uri"`
	OpenAPI        string         `json:"openapi" doc:"Address of the OpenAPI 3.1 document." format:"uri"`
	Licence        string         `json:"licence" doc:"Licence of the data and how to credit it."`
	Demonstration  bool           `json:"demonstration" doc:"Always false: all data is real. Kept because the fields of v1 stay."`
	Notice         *string        `json:"notice" doc:"What a user should know before relying on the answers; null when there is nothing."`
	Authentication Authentication `json:"authentication"`
	Plans          []IndexPlan    `json:"plans" doc:"The plans, the smallest first."`
	Endpoints      []Endpoint     `json:"endpoints" doc:"All endpoints."`
	MCP            string         `json:"mcp" doc:"Address of the assistant-tool server (Model Context Protocol)." format:"uri"`
}

// Authentication says how to send a key and how to get one.
type Authentication struct {
	Header   string `json:"header" doc:"Header that takes the key." example:"X-API-Key"`
	Bearer   string `json:"bearer" doc:"The same as a bearer token." example:"Authorization: Bearer <API_KEY>"`
	Query    string `json:"query" doc:"The same in the URL; a header is safer, URLs end up in logs." example:"api_key=<API_KEY>"`
	Obtain   string `json:"obtain" doc:"How to get a key."`
	Required bool   `json:"required" doc:"True: every endpoint but this one needs a key."`
}

// IndexPlan is a plan, as the index shows it.
type IndexPlan struct {
	Name                 string `json:"name" doc:"Name of the plan." example:"standard"`
	PriceEurosPerMonth   int    `json:"priceEurosPerMonth" doc:"Euros a month, excluding VAT." example:"19"`
	PerDay               int    `json:"perDay" doc:"Requests a day of Europe/Paris." example:"2000"`
	PerMinute            int    `json:"perMinute" doc:"Requests in any 60 seconds." example:"60"`
	EnrichmentsPerMinute int    `json:"enrichmentsPerMinute" doc:"Parcel reports in any 60 seconds." example:"20"`
	Commercial           bool   `json:"commercial" doc:"Whether commercial use is allowed."`
}

// Endpoint is one operation, as the index lists it.
type Endpoint struct {
	Method  string `json:"method" doc:"HTTP method." enum:"GET"`
	Path    string `json:"path" doc:"Path with its parameters in braces." example:"/api/v1/communes/{code}"`
	Summary string `json:"summary" doc:"What it does."`
}

// getIndex is the row of the operations table.
func getIndex() Operation {
	return Operation{
		Name: "get_index", Path: "", Tag: TagService, Keyless: true, NotCached: true,
		Summary: "Describe the service", SummaryFrench: "Le service, ses offres, ses opérations",
		Description: "What the service is, its endpoints, plans and how to get a key. Needs no key.",
		DescriptionFrench: "Le point de départ\u00a0: ce que propose le service, ses points d’accès, ses offres, sa licence et la manière d’obtenir une clé. " +
			"C’est la seule opération qui répond sans clé.",
		Results: []any{Index{}}, Example: "",
		Places: []Place{
			{"L’index", "The index", ""},
		},
		Run: (*Handlers).Index,
	}
}

// Index answers get_index.
func (h *Handlers) Index(*Request) (reply.Reply, error) {
	return reply.Reply{Body: h.index}, nil
}

const (
	description = "Read-only open data on the régions, départements, communes and cadastral parcels of France."
	licence     = "Open licence 2.0 (Licence Ouverte / Etalab). Reuse is free, commercial reuse included, if the source is credited: naming this service with a link to it is enough."
)

// obtainKey describes the whole way to a key, for a person or a program that has nothing yet.
func obtainKey(baseURL string) string {
	return "Sign up at " + baseURL + "/signup, which starts on the free plan, follow the link in the mail, and create a key under Keys in the account: " +
		"it is shown once. The plans are at " + baseURL +
		"/pricing. An assistant needs no key: it is connected to " + baseURL + "/mcp, as " + baseURL +
		"/connect explains, and gets one of its own when its owner agrees."
}

// encodeIndex encodes the body of the index.
func encodeIndex(name, baseURL string, ops []Operation) []byte {
	index := Index{
		Name: name, Version: "v1", Description: description, Documentation: baseURL + "/docs",
		OpenAPI: baseURL + "/openapi.json", MCP: baseURL + "/mcp", Licence: licence,
		Authentication: Authentication{Header: "X-API-Key", Bearer: "Authorization: Bearer <API_KEY>",
			Query: "api_key=<API_KEY>", Obtain: obtainKey(baseURL), Required: true},
	}
	for _, p := range billing.Plans() {
		index.Plans = append(index.Plans, IndexPlan{Name: p.Name, PriceEurosPerMonth: p.PriceEuros,
			PerDay:    p.PerDay,
			PerMinute: p.PerMinute, EnrichmentsPerMinute: p.EnrichmentsPerMinute, Commercial: p.Commercial})
	}
	for _, op := range ops {
		index.Endpoints = append(index.Endpoints, Endpoint{"GET", Root + op.Path, op.Summary})
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // <API_KEY> is for people to read
	if err := e.Encode(index); err != nil {
		panic(err) // plain strings and numbers always encode
	}
	return bytes.TrimSpace(body.Bytes())
}
