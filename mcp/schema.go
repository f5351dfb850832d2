package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"arpent/api"
	"arpent/api/fieldset"
)

type object = map[string]any

// inputSchema describes the arguments of a tool: what it accepts, and no more.
func inputSchema(t *tool) json.RawMessage {
	properties, required := object{}, []string{}
	for _, p := range t.Params {
		properties[p.Name] = t.paramSchema(&p)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if values := t.IncludeValues(); len(values) > 0 {
		properties["include"] = object{"type": "array", "items": object{"type": "string", "enum": values},
			"description": includeAbout(values) + " Example: [\"" + values[0] + "\"]"}
	}
	if t.CanExplain() {
		properties[api.ExplainName] = object{"type": "boolean", "default": false,
			"description": "Say what the keys mean. Example: true"}
	}
	return mustMarshal(object{"type": "object", "properties": properties, "required": required})
}

// paramSchema describes an argument with its bounds. One that is read in several forms has the pattern of all
// of them: what the tool takes is not to be refused by the client.
func (t *tool) paramSchema(p *api.Param) object {
	example := "Example: " + string(mustMarshal(p.Example))
	s := object{"type": p.Type}
	switch {
	case p.Written != "":
		s["pattern"] = p.Written
	case p.Pattern != "" && p.Read == nil && p.Named == nil:
		s["pattern"] = p.Pattern
	}
	if p.Min < p.Max {
		s["minimum"], s["maximum"] = p.Min, p.Max
	}
	if p.MaxLength > 0 {
		s["minLength"], s["maxLength"] = 1, p.MaxLength
	}
	if p.Default != nil {
		s["default"] = p.Default
	}
	switch bounded := s["maximum"] != nil || s["maxLength"] != nil; {
	case p.Values != nil: // the choice says its form
		s["description"] = p.Description + t.keyLines(p) + " " + example
	case bounded:
		s["description"] = p.Description + " " + example
	case p.Required: // its form says what it is
		s["description"] = "Format: " + p.Expected + ". " + example
	default:
		s["description"] = p.Description + " Format: " + p.Expected + ". " + example
	}
	if p.Values == nil {
		return s
	}
	s["items"], s["minItems"] = object{"type": "string", "enum": p.Values()}, 1
	switch described := t.Name == reportTool || t.Table || !t.CanExplain(); {
	case p.Plain:
	case described: // its keys are in the description, or those of another tool
		s["items"] = object{"type": "string", "pattern": partsPattern}
	default:
		s["items"] = object{"type": "string", "pattern": p.PartsPattern()}
	}
	return s
}

// partsPattern is the form of any key, and of a part of one.
const partsPattern = `^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$`

// keyLines says in a line what each key of the report is. Those of statistics say it by their names.
func (t *tool) keyLines(p *api.Param) string {
	if p.Name != fieldset.ParamName || t.Name != reportTool {
		return ""
	}
	var lines strings.Builder
	for _, key := range p.Values() {
		lines.WriteString("\n" + key + ": " + firstClause(t.glossary[key].text))
	}
	return lines.String()
}

// reportTool has so many keys that their names alone do not say what they are.
const reportTool = "get_parcel_enrichments"

// firstClause is the begin of an explanation of a key, behind its group, without what is the same for most.
func firstClause(text string) string {
	if _, after, ok := strings.Cut(text, ": "); ok {
		text = after
	}
	if i := strings.IndexAny(text, ".;:(,"); i > 0 {
		text = text[:i]
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "The ")
	for _, detail := range []string{" that the parcel lies in", " of the parcel", " of the commune",
		" under the parcel", " on the parcel", " within "} {
		text, _, _ = strings.Cut(text, detail)
	}
	return text
}

func includeAbout(values []string) string {
	if !slices.Contains(values, "geometry") {
		return "What to add to the result."
	}
	return "What to add: geometry is the outline as GeoJSON (WGS84), simplified where it is over " +
		strconv.Itoa(maxGeometry/1000) + " kB; centre a position inside it; bbox west, south, east, north."
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

// outputSchema describes the result of a tool for the client that checks it: the names and types
// of the object and its items, without references, and nothing of what is inside statistics or a
// report. A model reads the values; what it has to know of them is in the description of the
// tool, and the whole list has to stay short.
func (s *schemas) outputSchema(t *tool) json.RawMessage {
	out := s.reduceSchema(s.resultSchema(t), fieldsDepth)
	properties, _ := out["properties"].(object)
	delete(properties, "readings") // all tools have them
	if properties["states"] != nil {
		properties["states"] = object{"type": "array"} // absences
		if properties["data"] == nil {
			properties["leftOut"] = object{"type": "array"} // keys with a value
			properties["sources"] = object{"type": "array"} // of digestSource; those of a list are by field
		}
	}
	// their names say what they are
	for _, name := range []string{"areaSource", "areaYear", "outlineAreaKm2", "arrondissementOf", "parcels", "parcel",
		"outlineAreaM2", "outline", "chefLieu", "chefLieuOf", "neighbours", "epci", "centre", "bbox"} {
		delete(properties, name)
	}
	for _, name := range []string{"unranked", "withoutFigureIn", "overseas", "tiedWithLast", "absent", "communes",
		"departements", "arrondissement"} {
		if of, ok := properties[name].(object); ok {
			properties[name] = object{"type": of["type"]}
		}
	}
	if properties["overseas"] != nil { // a list of territories
		// see appendCut
		properties["shown"], properties["truncated"] = object{"type": "integer"}, object{"type": "boolean"}
		properties["rest"] = object{"type": "string"}
		if t.Name != "list_departements" {
			delete(properties, "overseas")
		}
		if !t.Table { // communes are ranked
			delete(properties, "withoutFigureIn")
		}
	}
	if t.Table {
		properties["data"] = object{"type": "array", "items": object{"type": "array"}}
		properties["columns"] = object{"type": "array", "items": object{"type": "string"}}
		out["required"] = append(out["required"].([]any), "columns")
	}
	return mustMarshal(out)
}

// resultSchema returns the schema of the result of a tool.
func (s *schemas) resultSchema(t *tool) object {
	root := s.Paths[api.Root+t.Operation.Path]["get"].Responses["200"].Content["application/json"].Schema
	if choice, ok := root["oneOf"].([]any); ok {
		root = choice[t.Result].(object)
	}
	return root
}

// maxDescribed is how many members an object has at most whose members are described. Those of statistics and
// of the report have more: their names are the values of the argument fields.
const maxDescribed = 30

// fieldsDepth is how many levels of objects are described: the result,
// its statistics or items, and their blocks.
const fieldsDepth = 2

// reduceSchema copies a schema with what a client checks, down to a depth.
func (s *schemas) reduceSchema(in object, depth int) object {
	in = s.resolveRef(in)
	if choice, ok := in["anyOf"].([]any); ok {
		shapes := make([]any, len(choice))
		for i, one := range choice {
			shapes[i] = s.reduceSchema(one.(object), depth)
		}
		return object{"anyOf": shapes}
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
		required, _ := in["required"].([]any)
		fields := object{}
		for name, p := range properties {
			switch member := s.reduceSchema(p.(object), depth-1); {
			case member["anyOf"] != nil && slices.Contains(required, any(name)): // or null: required names it
			default:
				fields[name] = member
			}
		}
		out["properties"] = fields
		if depth == fieldsDepth {
			out["required"] = required
		}
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
