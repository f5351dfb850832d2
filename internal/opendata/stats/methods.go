package stats

import (
	"reflect"
	"strings"
)

// KeyDoc explains a key of the statistics.
type KeyDoc struct {
	Key, Doc string
	Type     string // what the value is when it is not null
	TypeName string // of an object, or of those in a list; empty for plain values
	Members  []MemberDoc
	Sources  []string // names of the sources that it is made from
	Value    reflect.Type
}

// MemberDoc explains a member of a value.
type MemberDoc struct {
	Name, Type, Doc string
	Depth           int      // 0: of the value itself
	Enum            []string // the values that it can have
	SameAs          string   // the member above whose members it shares
}

// Describe explains the keys of a level from the types that their values are made of, like the OpenAPI
// document. The members of Envelope, which all objects have, are left out.
func (c *Catalogue) Describe(level Level) (out []KeyDoc) {
	for _, b := range c.blocks[level] {
		k := KeyDoc{Key: b.key, Doc: b.doc, Type: describeType(b.value, ""), Sources: c.sourcesOfKey(level, b),
			Value: b.value}
		if t := elementOf(b.value); t.Kind() == reflect.Struct {
			k.TypeName = t.String()
			k.Members = membersOf(t, 0, map[reflect.Type]string{})
		}
		out = append(out, k)
	}
	return out
}

// membersOf lists the members of an object and, below each, those of
// the objects in it. A type is described once.
func membersOf(t reflect.Type, depth int, seen map[reflect.Type]string) (out []MemberDoc) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if f.Type != reflect.TypeFor[Envelope]() {
				out = append(out, membersOf(elementOf(f.Type), depth, seen)...)
			}
			continue
		}
		name := JsonName(f)
		if name == "" {
			continue
		}
		m := MemberDoc{Name: name, Type: describeType(f.Type, f.Tag.Get("format")), Doc: f.Tag.Get("doc"),
			Depth: depth}
		if enum := f.Tag.Get("enum"); enum != "" {
			m.Enum = strings.Split(enum, ",")
		}
		inner := elementOf(f.Type)
		if inner.Kind() != reflect.Struct {
			out = append(out, m)
			continue
		}
		if m.SameAs = seen[inner]; m.SameAs != "" {
			out = append(out, m)
			continue
		}
		seen[inner] = name
		out = append(append(out, m), membersOf(inner, depth+1, seen)...)
	}
	return out
}

// JsonName returns the name of a field in answers; empty if it is in none.
func JsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// elementOf is the type of what a pointer leads to or a list holds.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// describeType says what a value is.
func describeType(t reflect.Type, format string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return describeType(t.Elem(), format) + " or null"
	case reflect.Slice:
		return "list of " + describeType(t.Elem(), format) + "s"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Int:
		return "integer"
	}
	if format == "date" {
		return "date"
	}
	return "text"
}
