package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// jsonFields are the members of an object.
type jsonFields map[string]json.RawMessage

// names lists the members, in an order of its own: that of the file is not kept.
func (f jsonFields) names() []string { return slices.Sorted(maps.Keys(f)) }

func (f jsonFields) find(name string) (json.RawMessage, bool) {
	if v, ok := f[name]; ok {
		return v, true
	}
	for k, v := range f {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// reach finds a member by its name or by a path of names, "adresse.commune"; of an array on the way the first is taken.
func (f jsonFields) reach(path string) (json.RawMessage, bool) {
	if v, ok := f.find(path); ok {
		return v, true
	}
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		return nil, false
	}
	v, ok := f.find(name)
	if !ok {
		return nil, false
	}
	for bytes.HasPrefix(v, []byte("[")) {
		var items []json.RawMessage
		if json.Unmarshal(v, &items) != nil || len(items) == 0 {
			return nil, false
		}
		v = items[0]
	}
	var inner jsonFields
	if json.Unmarshal(v, &inner) != nil {
		return nil, false
	}
	return inner.reach(rest)
}

// text gives a member as text: a string without its quotes, anything else as it is written; null is an empty text.
func (f jsonFields) text(name string) (string, bool) {
	v, ok := f.reach(name)
	if !ok {
		return "", false
	}
	return jsonText(v), true
}

func jsonText(v json.RawMessage) string {
	if string(v) == "null" {
		return ""
	}
	if len(v) == 0 || v[0] != '"' {
		return string(v)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v) // not reached: the decoder has checked it
	}
	return s
}

func (f jsonFields) list(name string) ([]string, bool) {
	v, ok := f.reach(name)
	if !ok || string(v) == "null" {
		return nil, false
	}
	var items []json.RawMessage
	if json.Unmarshal(v, &items) != nil {
		return []string{jsonText(v)}, true
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = jsonText(item)
	}
	return out, true
}
