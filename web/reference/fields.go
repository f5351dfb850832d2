package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/web"
)

// field is a member of an answer.
type field struct {
	Name, Path string // its path is its id on the page
	Type, Unit string
	Doc, Note  string // what it is; which values it may have
	Null       bool
	When       string // when it is there; empty: always
	Sources    []string
	Members    []field
	SameAs     string // path of the field whose members it has
	Theme      string // of a key of the report or of statistics
}

// memberCount is how many members it has, their own members included.
func (f field) memberCount() int {
	n := len(f.Members)
	for _, m := range f.Members {
		n += m.memberCount()
	}
	return n
}

// keyThemes are the themes of keys, by the member that has them and their name: "stats.population".
var keyThemes = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	add := func(member, theme string, keys []string) {
		for _, k := range keys {
			out[member+"."+k] = theme
		}
	}
	for _, theme := range topic.ReportThemes() {
		add("enrichments", theme, topic.ReportOn(theme))
	}
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		for _, theme := range topic.StatisticsThemes(level) {
			add("stats", theme, topic.StatisticsOn(level, theme))
		}
	}
	return out
})

// theme is the keys of a subject.
type theme struct {
	name   string
	fields []field
}

// frenchThemes are the names of themes that French writes in another way.
var frenchThemes = map[string]string{"addresses": "Adresses", "business": "Entreprises", "elections": "Élections",
	"employment": "Emploi", "energy": "Énergie", "health": "Santé", "heritage": "Patrimoine", "housing": "Logement",
	"imagery": "Images aériennes", "income": "Revenus", "mobility": "Mobilité", "planning": "Urbanisme",
	"prices": "Prix", "rankings": "Classements", "risks": "Risques", "safety": "Sécurité"}

func (t theme) formatTitle(l web.Lang) string {
	if name := frenchThemes[t.name]; name != "" && l != web.English {
		return name
	}
	return strings.ToUpper(t.name[:1]) + strings.ReplaceAll(t.name[1:], "-", " ")
}

// membersByTheme gives the members by theme, in the order in which the themes first appear, and those without
// one.
func (f field) membersByTheme() (themes []theme, others []field) {
	for _, m := range f.Members {
		i := slices.IndexFunc(themes, func(t theme) bool { return t.name == m.Theme })
		switch {
		case m.Theme == "":
			others = append(others, m)
			continue
		case i < 0:
			i, themes = len(themes), append(themes, theme{name: m.Theme})
		}
		themes[i].fields = append(themes[i].fields, m)
	}
	return themes, others
}

// byKey is the name of a member in place of the keys that it may have.
const byKey = "{key}"

// walker makes fields of the schemas of one answer.
type walker struct {
	registry  huma.Registry
	include   []string                   // values of include, which are names of members
	keys      []string                   // values of fields, likewise
	sources   func(path string) []string // of a field
	described map[string]string          // by schema: path of the first field that has its members
}

// memberFields returns the members of an object; path is that of the object, with a dot at the end if it
// has one.
func (w *walker) memberFields(path string, object *huma.Schema) (out []field) {
	for _, name := range w.memberNames(object) {
		out = append(out, w.newField(path, name, object.Properties[name], slices.Contains(object.Required, name)))
	}
	return out
}

// memberNames are the members of an object: those that are always there,
// in the order of the answer, then the others.
func (w *walker) memberNames(object *huma.Schema) []string {
	names := slices.Clone(object.Required)
	for _, name := range slices.Concat(w.include, w.keys, slices.Sorted(maps.Keys(object.Properties))) {
		if object.Properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (w *walker) newField(path, name string, s *huma.Schema, always bool) field {
	shape := w.shapeOf(s)
	f := field{Name: name, Path: path + name, Type: shape.kind, Null: shape.null, Doc: s.Description,
		Note: shape.valueNote(s)}
	if f.Doc == "" && shape.object == nil {
		f.Doc = shape.doc
	}
	if strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer") {
		f.Unit = unitOf(name)
	}
	switch depth := strings.Count(path, "."); {
	case always, depth == 1 && slices.Contains(w.keys, name), name == byKey:
	case depth == 0 && slices.Contains(w.include, name):
		f.When = "with include=" + name
	default:
		f.When = "not always"
	}
	of := strings.TrimSuffix(path, ".")
	f.Sources, f.Theme = w.sources(f.Path), keyThemes()[of[strings.LastIndexByte(of, '.')+1:]+"."+name]
	switch first, seen := w.described[shape.ref]; {
	case shape.object == nil:
	case shape.ref != "" && seen:
		f.SameAs = first
	default:
		if shape.ref != "" {
			w.described[shape.ref] = f.Path
		}
		f.Members = w.memberFields(f.Path+".", shape.object)
	}
	return f
}

// shape is what a schema says once references, lists and alternatives are looked through.
type shape struct {
	kind   string // "string", "list of objects"
	null   bool
	object *huma.Schema // whose properties are the members; nil: there are none
	ref    string       // of the object
	doc    string
	enum   []any
}

func (w *walker) shapeOf(s *huma.Schema) shape {
	additional, _ := s.AdditionalProperties.(*huma.Schema)
	switch alternatives := append(slices.Clone(s.AnyOf), s.OneOf...); {
	case s.Ref != "":
		out := w.shapeOf(w.registry.SchemaFromRef(s.Ref))
		out.ref = s.Ref
		return out
	case len(alternatives) > 0:
		return w.mergeShapes(alternatives)
	case s.Type == huma.TypeArray:
		items := w.shapeOf(s.Items)
		head, rest, _ := strings.Cut(items.kind, " ")
		items.kind, items.null = "list of "+strings.TrimSuffix(head+"s "+rest, " "), s.Nullable
		return items
	case additional != nil:
		return shape{kind: "object by key", null: s.Nullable,
			object: &huma.Schema{Properties: map[string]*huma.Schema{byKey: additional}}}
	case s.Type == huma.TypeObject:
		return shape{kind: "object", null: s.Nullable, object: s, doc: s.Description}
	default:
		return shape{kind: s.Type, null: s.Nullable, doc: s.Description, enum: s.Enum}
	}
}

// mergeShapes joins alternatives: a member of several of them may be any of what it is in each.
func (w *walker) mergeShapes(alternatives []*huma.Schema) (out shape) {
	joined := &huma.Schema{Properties: map[string]*huma.Schema{}}
	objects := 0
	for _, a := range alternatives {
		one := w.shapeOf(a)
		if one.kind == "null" {
			out.null = true
			continue
		}
		out.null = out.null || one.null
		out.enum = append(out.enum, one.enum...)
		if !slices.Contains(strings.Split(out.kind, " or "), one.kind) {
			out.kind = strings.TrimPrefix(out.kind+" or "+one.kind, " or ")
		}
		if one.object == nil {
			continue
		}
		objects++
		out.object, out.ref = one.object, one.ref
		for _, name := range w.memberNames(one.object) {
			if at := joined.Properties[name]; at != nil {
				joined.Properties[name] = &huma.Schema{Description: at.Description, AnyOf: []*huma.Schema{at,
					one.object.Properties[name]}}
				continue
			}
			joined.Properties[name] = one.object.Properties[name]
			joined.Required = append(joined.Required, name)
		}
	}
	if objects > 1 {
		out.object, out.ref = joined, ""
	}
	return out
}

// valueNote says which values a field may have, with one of them.
func (s shape) valueNote(of *huma.Schema) string {
	var notes []string
	if values := slices.DeleteFunc(slices.Clone(s.enum),
		func(v any) bool { return v == nil }); len(values) == 1 {
		notes = append(notes, fmt.Sprint("Always ", values[0], "."))
	} else if len(values) > 1 {
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = fmt.Sprint(v)
		}
		notes = append(notes, "One of: "+strings.Join(texts, ", ")+".")
	}
	switch low, high := of.Minimum, of.Maximum; {
	case low != nil && high != nil:
		notes = append(notes, fmt.Sprintf("From %v to %v.", *low, *high))
	case low != nil && *low != 0:
		notes = append(notes, fmt.Sprintf("At least %v.", *low))
	}
	if len(of.Examples) > 0 && len(s.enum) == 0 {
		notes = append(notes, "Example: "+encodeJSON(of.Examples[0]))
	}
	return strings.Join(notes, " ")
}

func encodeJSON(v any) string {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the page escapes it
	if err := e.Encode(v); err != nil {
		panic(err) // it is a value of the document, which is JSON
	}
	return strings.TrimSpace(text.String())
}
