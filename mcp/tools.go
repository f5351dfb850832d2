package mcp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/api"
)

// row is a tool in the table: which operation it runs, with which of its parameters, and what a model has to know of it.
// All else comes from the operations table.
type row struct {
	Name      string
	Operation string
	Title     string
	About     string   // what it returns, for which question, and what to use otherwise
	Takes     []string // parameters of the operation that it takes; nil: all of them
	Needs     []string // of these, those it does not work without, where the operation does
	Always    []string // include values that every call has
	Result    int      // which of the operation's results it gives
	Example   string   // arguments, as JSON
	Invalid   string   // what to do when arguments are refused
	Missing   string   // what to do when nothing is found
}

// tool is a row with what follows from it.
type tool struct {
	row
	operation *api.Operation
	params    []api.Param
	always    []string
	input     json.RawMessage
	output    json.RawMessage
}

// makeTools makes the tools of the table, in its order.
func makeTools(serviceName, baseURL string) []*tool {
	operations := map[string]*api.Operation{}
	table := api.Operations()
	for i := range table {
		operations[table[i].Name] = &table[i]
	}
	schemas := readSchemas(api.Document(serviceName, baseURL))
	var tools []*tool
	for _, r := range rows {
		op := operations[r.Operation]
		if op == nil {
			panic("tool " + r.Name + ": there is no operation " + r.Operation)
		}
		t := &tool{row: r, operation: op, always: r.Always}
		for _, p := range op.Params {
			if r.Takes == nil || slices.Contains(r.Takes, p.Name) {
				p.Required = p.Required || slices.Contains(r.Needs, p.Name)
				t.params = append(t.params, p)
			}
		}
		t.input = inputSchema(t)
		t.output = schemas.output(t)
		tools = append(tools, t)
	}
	return tools
}

// declare is the tool as clients are told of it.
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
	if strings.Contains(string(t.input), `"geometry"`) {
		text += " With include=[\"geometry\"] the outline as GeoJSON (WGS84), if that is under " + strconv.Itoa(geometryMost/1000) + " kB: a long one takes up much of the context."
	}
	cost := "Costs one request of the account's daily quota."
	if t.operation.NotCached {
		cost = "Costs one request of the daily quota, under a tighter limit a minute; a failed call (unavailable) costs nothing."
	}
	return text + " " + cost + " Example: " + t.Example
}
