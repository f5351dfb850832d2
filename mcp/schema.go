package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"arpent/api"
)

type object = map[string]any

// inputSchema describes the arguments of a tool.
func inputSchema(t *tool) json.RawMessage {
	properties, required := object{}, []string{}
	for _, p := range t.Params {
		s := object{"type": p.Type, "description": p.Description + " Format: " + p.Expected + ". Example: " + fmt.Sprint(p.Example)}
		if p.Pattern != "" {
			s["pattern"] = p.Pattern
		}
		properties[p.Name] = s
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if values := t.IncludeValues(); len(values) > 0 {
		properties["include"] = object{"type": "array", "items": object{"type": "string", "enum": values},
			"description": "What to add to the result. Format: a list of names. Example: [\"" + values[0] + "\"]"}
	}
	return encode(object{"type": "object", "properties": properties, "required": required})
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

// output describes the result of a tool: the fields of the object, without references, and nothing of what is inside a
// block of statistics or of a report but whether it is there. A model reads the values; the whole list has to stay short.
func (s *schemas) output(t *tool) json.RawMessage {
	root := s.Paths[api.Root+t.Operation.Path]["get"].Responses["200"].Content["application/json"].Schema
	if choice, ok := root["oneOf"].([]any); ok {
		root = choice[t.Result].(object)
	}
	out := s.shape(root, fieldsDepth)
	if required, ok := out["required"].([]any); ok {
		for _, name := range t.Always { // what every call asks for is always there
			out["required"] = append(required, name)
		}
	}
	return encode(out)
}

// fieldsDepth is how many levels of objects are described: the result, its statistics or items, and their blocks.
const fieldsDepth = 2

// shape copies a schema with what a client checks, down to a depth.
func (s *schemas) shape(in object, depth int) object {
	in = s.resolve(in)
	if any, ok := in["anyOf"].([]any); ok {
		return s.choice(any, depth)
	}
	if kinds, ok := in["type"].([]any); ok {
		return s.nullable(in, kinds, depth)
	}
	out := object{}
	if kind, ok := in["type"]; ok {
		out["type"] = kind
	}
	if values, ok := in["enum"]; ok {
		out["enum"] = values
	}
	if _, ok := in["oneOf"]; ok { // the forms of an outline
		out["type"] = "object"
	}
	if about, ok := in["description"]; ok {
		out["description"] = about
	}
	if depth == 0 {
		return out
	}
	if items, ok := in["items"].(object); ok {
		out["items"] = s.shape(items, depth)
	}
	if properties, ok := in["properties"].(object); ok {
		fields := object{}
		for name, p := range properties {
			fields[name] = s.shape(p.(object), depth-1)
		}
		out["properties"] = fields
		if required, ok := in["required"]; ok {
			out["required"] = required
		}
	}
	return out
}

func (s *schemas) resolve(in object) object {
	for {
		ref, ok := in["$ref"].(string)
		if !ok {
			return in
		}
		in = s.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
}

func (s *schemas) choice(of []any, depth int) object {
	shapes := make([]any, 0, len(of))
	for _, one := range of {
		shapes = append(shapes, s.shape(one.(object), depth))
	}
	return object{"anyOf": shapes}
}

// nullable writes a list of types as a choice, which every client understands.
func (s *schemas) nullable(in object, kinds []any, depth int) object {
	shapes := make([]any, 0, len(kinds))
	about, described := in["description"]
	for _, kind := range kinds {
		one := maps.Clone(in)
		delete(one, "description")
		one["type"] = kind
		if kind == "null" {
			one = object{"type": "null"}
		}
		shapes = append(shapes, s.shape(one, depth))
	}
	out := object{"anyOf": shapes}
	if described {
		out["description"] = about
	}
	return out
}

func encode(v any) json.RawMessage {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of texts and lists
	}
	return body
}
