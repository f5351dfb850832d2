package mcp

import (
	"encoding/json"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/api"
	"arpent/api/state"
)

// tool is a tool of the operations table with what follows from it.
type tool struct {
	api.OperationTool
	input    json.RawMessage
	output   json.RawMessage
	glossary glossary
}

// makeTools makes the tools of the table by the description of the API. Clients see them in the order of their names.
func makeTools(document []byte) []*tool {
	schemas := readSchemas(document)
	var tools []*tool
	for _, row := range api.Tools() {
		t := &tool{OperationTool: row}
		t.input = inputSchema(t)
		t.output, t.glossary = schemas.output(t), schemas.glossary(t)
		tools = append(tools, t)
	}
	return tools
}

// declare is the tool as clients see it.
func (t *tool) declare() mcpgo.Tool {
	yes, no := true, false
	return mcpgo.Tool{
		Name: t.Name, Title: t.Title, Description: t.description(),
		RawInputSchema: t.input, RawOutputSchema: t.output,
		Annotations: mcpgo.ToolAnnotation{Title: t.Title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &yes, OpenWorldHint: &no},
	}
}

func (t *tool) description() string {
	text := t.About
	cost := "Costs one request."
	if t.Operation.Tighter() {
		cost = "Costs one request, under a tighter limit a minute."
	}
	return text + " " + cost + " Example: " + t.Example
}

// instructions describe the server as a whole to the model of a client, in under 2 kB but for what is loaded. That comes early: a client
// that cuts them loses the licence, which is in the documentation too.
func instructions(serviceName, baseURL, loaded string) string {
	if loaded != "" {
		loaded += "\n\n"
	}
	return serviceName + " answers questions about places in France from open data: régions, départements, communes (with statistics) and cadastral parcels (with a report on risks, sales, planning and services).\n\n" + loaded +
		"Where to begin: with a name or an address call search_address; it gives the commune code and coordinates. With coordinates call find_commune or get_parcel_at_point. Codes are those of INSEE, not postcodes; départements are 01 to 95, 2A, 2B, overseas 971 to 976.\n" +
		"- Figures on a town: get_commune. On a wider area: get_departement, get_region.\n" +
		"- Land: get_parcel_at_point or get_parcel, then get_parcel_enrichments for the full report.\n" +
		"- Lists of codes: list_regions, list_departements, list_communes.\n\n" +
		"What is absent: null means that there is no value, never zero or no, and states lists by reason the keys without a value: " + meanings() + " Of the others but none say that it is not known. " + state.Inside + " Where a commune lacks a figure its département may have it. Figures carry their year and source: quote them. Lists are cut to 10 (5 in statistics); for the keys that you name in fields they are as long as a program gets them, and it is said what the keys are.\n\n" +
		"Nothing here is about owners of parcels, groupings of communes (EPCI, métropoles, cantons), places abroad or overseas collectivities.\n\n" +
		"Cost: each call counts as one request of the account. Errors are texts that say what to do next.\n\n" +
		"Licence: Open licence 2.0 (Licence Ouverte / Etalab). Reuse is free, commercial reuse included, if the source is credited: naming " + serviceName + " with a link to " + baseURL + " is enough. Reports name sources under other licences. Documentation: " + baseURL + "/docs"
}

// meanings says in one sentence why a key can be without a value.
func meanings() string {
	var parts []string
	for _, m := range state.Meanings[1:] {
		text, _, _ := strings.Cut(m.Text, ";") // the source that would fill a key is in answers of the API alone
		parts = append(parts, string(m.State)+" ("+text+")")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " or " + parts[last] + "."
}
