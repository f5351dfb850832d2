package stats

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Schema describes the statistics of a level: an open object, for keys are added as sources are.
func (c *Catalogue) Schema(r huma.Registry, level Level) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
	seen := map[reflect.Type]bool{}
	for _, b := range c.blocks[level] {
		s.Properties[b.key] = &huma.Schema{Description: b.doc, AnyOf: []*huma.Schema{r.Schema(b.value, true,
			b.value.Name()), {Type: "null"}}}
		allowNulls(r, b.value, seen)
		if b.isNumber() {
			s.Properties[b.yearKey()] = &huma.Schema{Type: huma.TypeInteger, Nullable: true, Examples: []any{2023},
				Description: "Year of " + b.key + "; null where that is. The others may be of other years."}
		}
	}
	s.Properties["sources"] = &huma.Schema{Type: huma.TypeObject,
		AdditionalProperties: r.Schema(reflect.TypeFor[Origin](), true, ""),
		Description:          "Where the values are from that are plain numbers or lists, by key."}
	s.Required = append(s.Required, "sources")
	return s
}

// allowNulls puts right what the registry leaves out of the schema of a type and of all types inside: a
// pointer to an object may be null, and so may one to a text that is one of a few. Lists are never null
// unless their field says nullable. It changes nothing that it changed before.
func allowNulls(r huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	if t = elementOf(t); t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	object := r.SchemaFromRef(r.Schema(t, true, t.Name()).Ref)
	for _, f := range reflect.VisibleFields(t) {
		name := JsonName(f)
		if name == "" || f.Anonymous {
			continue
		}
		if f.Type.Kind() == reflect.Pointer && slices.Contains(object.Required, name) {
			s := object.Properties[name]
			switch {
			case s.Ref != "":
				s.AnyOf = []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}
				s.Ref = ""
			case s.Nullable && s.Enum != nil && !slices.Contains(s.Enum, nil):
				s.Enum = append(s.Enum, nil)
			}
		}
		allowNulls(r, f.Type, seen)
	}
}
