package mcp

import (
	"encoding/json"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/api"
	"arpent/api/fieldset"
	"arpent/internal/opendata/state"
)

// tool is a tool of the operations table with what follows from it.
type tool struct {
	api.OperationTool
	input    json.RawMessage
	output   json.RawMessage
	glossary glossary
}

// makeTools makes the tools of the table by the description of the API.
// Clients see them in the order of their names.
func makeTools(document []byte) []*tool {
	var s schemas
	if err := json.Unmarshal(document, &s); err != nil {
		panic(err) // it was encoded by this program
	}
	var tools []*tool
	for _, row := range api.Tools() {
		t := &tool{OperationTool: row}
		t.output, t.glossary = s.outputSchema(t), s.readGlossary(t)
		t.input = inputSchema(t)
		tools = append(tools, t)
	}
	return tools
}

// declareTool is the tool as clients see it.
func (t *tool) declareTool() mcpgo.Tool {
	yes, no, cost := true, false, "Costs one request."
	if t.Operation.Tighter() {
		cost = "Costs one request, under a tighter limit a minute."
	}
	return mcpgo.Tool{
		Name: t.Name, Title: t.Title, Description: t.About + " " + cost + " Example: " + t.Example,
		RawInputSchema: t.input, RawOutputSchema: t.output,
		Annotations: mcpgo.ToolAnnotation{Title: t.Title, ReadOnlyHint: &yes, DestructiveHint: &no,
			IdempotentHint: &yes, OpenWorldHint: &no},
	}
}

// listNarrowing names the arguments that make a list of the tool shorter.
func (t *tool) listNarrowing() (names []string) {
	for _, p := range t.Params {
		switch {
		case p.Name == fieldset.ParamName:
			names = append(names, "parts of keys in fields")
		case !p.Required && p.Type != "number":
			names = append(names, p.Name)
		}
	}
	return names
}

// serverInstructions describe the server as a whole to the model of a client, in under 2 kB
// with what is loaded: clients cut them there.
func serverInstructions(serviceName, baseURL, loaded string) string {
	if loaded != "" {
		loaded += "\n\n"
	}
	return serviceName + " answers questions about places in France from open data: régions, départements, communes (with statistics) and cadastral parcels (with a report on risks, sales, planning and services).\n\n" + loaded +
		"Begin with search_address for an address or ambiguous name: it gives code and coordinates. Tools take INSEE codes, not postcodes, or names. For figures on a town call get_commune, on a wider area get_departement or get_region, to rank many a list tool with sort; for land get_parcel_enrichments.\n\n" +
		"null means that there is no value, never zero or no. states lists the keys without one by reason: " +
		absenceMeanings() + " Only none says no, of its vintage; the others, that it is not known. " +
		state.Inside + " Quote the year and source of a figure. Distances are straight lines. Without fields long lists are cut and keys without a value left out; fields gives lists of 100, parts too (securite.timeline.burglary).\n\n" +
		"rankings hold the figures of France, too; prices are in communes and reports. Nothing here is about private owners, rents, ages, weather, history, cantons, places abroad or overseas collectivities.\n\n" +
		"Licence Ouverte / Etalab 2.0: reuse is free, also commercial, if " + serviceName +
		" is credited with a link to " + baseURL + ". Reports name other licences. Docs: " +
		baseURL + "/docs"
}

// absenceMeanings says in one sentence why a key can be without a value.
func absenceMeanings() string {
	var parts []string
	for _, m := range state.Meanings[1:] {
		text, _, _ := strings.Cut(m.Text, ";") // the source that would fill a key is in answers of the API alone
		parts = append(parts, string(m.State)+" ("+text+")")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " or " + parts[last] + "."
}
