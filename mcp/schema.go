package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"arpent/api"
)

type object = map[string]any

// inputSchema describes the arguments of a tool.
func inputSchema(t *tool) json.RawMessage {
	properties, required := object{}, []string{}
	for _, p := range t.Params {
		s := object{"type": p.Type, "description": p.Description + " Format: " + p.Expected + ". Example: " + string(mustMarshal(p.Example))}
		if p.Required { // its form says what it is
			s["description"] = "Format: " + p.Expected + ". Example: " + string(mustMarshal(p.Example))
		}
		if p.Default != nil {
			s["default"] = p.Default
		}
		if p.Pattern != "" && p.Read == nil { // what can be read is not to be refused by the client
			s["pattern"] = p.Pattern
		}
		if p.Values != nil { // the choice says its form
			s["description"] = p.Description + " Example: " + string(mustMarshal(p.Example))
			s["items"] = object{"type": "string", "enum": p.Values()}
		}
		properties[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if values := t.IncludeValues(); len(values) > 0 {
		properties["include"] = object{"type": "array", "items": object{"type": "string", "enum": values},
			"description": includeAbout(values) + " Example: [\"" + values[0] + "\"]"}
	}
	return mustMarshal(object{"type": "object", "properties": properties, "required": required})
}

func includeAbout(values []string) string {
	if !slices.Contains(values, "geometry") {
		return "What to add to the result."
	}
	return "What to add: geometry is the outline as GeoJSON (WGS84), simplified where it is over " + strconv.Itoa(maxGeometry/1000) + " kB."
}

// schemas are those of the OpenAPI document, from which the results of tools are described.
type schemas struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema object `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]object `json:"schemas"`
	} `json:"components"`
}

func readSchemas(document []byte) *schemas {
	s := &schemas{}
	if err := json.Unmarshal(document, s); err != nil {
		panic(err) // it was encoded by this program
	}
	return s
}

// outputSchema describes the result of a tool for the client that checks it: the names and types
// of the object and its items, without references, and nothing of what is inside statistics or a
// report. A model reads the values; what it has to know of them is in the description of the
// tool, and the whole list has to stay short.
func (s *schemas) outputSchema(t *tool) json.RawMessage {
	out := s.reduceSchema(s.resultSchema(t), fieldsDepth)
	if properties, ok := out["properties"].(object); ok {
		if properties["states"] != nil {
			properties["states"] = object{"type": "array"} // absences
		}
		for _, name := range []string{"areaSource", "areaYear", "outlineAreaKm2"} { // their names say what they are
			delete(properties, name)
		}
	}
	return mustMarshal(out)
}

// resultSchema is the schema of what a tool gives.
func (s *schemas) resultSchema(t *tool) object {
	root := s.Paths[api.Root+t.Operation.Path]["get"].Responses["200"].Content["application/json"].Schema
	if choice, ok := root["oneOf"].([]any); ok {
		root = choice[t.Result].(object)
	}
	return root
}

// maxDescribed is how many members an object has at most whose members are described. Those of statistics and
// of the report have more: their names are the values of the argument fields.
const maxDescribed = 16

// fieldsDepth is how many levels of objects are described: the result,
// its statistics or items, and their blocks.
const fieldsDepth = 2

// reduceSchema copies a schema with what a client checks, down to a depth.
func (s *schemas) reduceSchema(in object, depth int) object {
	in = s.resolveRef(in)
	if any, ok := in["anyOf"].([]any); ok {
		return s.choiceSchema(any, depth)
	}
	if kinds, ok := in["type"].([]any); ok {
		return s.nullableSchema(in, kinds, depth)
	}
	out := object{}
	if kind, ok := in["type"]; ok {
		out["type"] = kind
	}
	if _, ok := in["oneOf"]; ok { // the forms of an outline
		out["type"] = "object"
	}
	if depth == 0 {
		return out
	}
	if items, ok := in["items"].(object); ok {
		out["items"] = s.reduceSchema(items, depth)
	}
	if properties, ok := in["properties"].(object); ok && len(properties) <= maxDescribed {
		fields := object{}
		for name, p := range properties {
			fields[name] = s.reduceSchema(p.(object), depth-1)
		}
		out["properties"] = fields
	}
	return out
}

func (s *schemas) resolveRef(in object) object {
	for {
		ref, ok := in["$ref"].(string)
		if !ok {
			return in
		}
		in = s.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
}

func (s *schemas) choiceSchema(of []any, depth int) object {
	shapes := make([]any, 0, len(of))
	for _, one := range of {
		shapes = append(shapes, s.reduceSchema(one.(object), depth))
	}
	return object{"anyOf": shapes}
}

// nullableSchema writes a list of types as a choice, which every client understands.
func (s *schemas) nullableSchema(in object, kinds []any, depth int) object {
	shapes := make([]any, 0, len(kinds))
	for _, kind := range kinds {
		one := maps.Clone(in)
		one["type"] = kind
		if kind == "null" {
			one = object{"type": "null"}
		}
		shapes = append(shapes, s.reduceSchema(one, depth))
	}
	return object{"anyOf": shapes}
}

func mustMarshal(v any) json.RawMessage {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of texts and lists
	}
	return body
}
