package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonFields are the members of an object.
type jsonFields map[string]json.RawMessage

// fieldNames lists the members, in an order of its own: that of the file is not kept.
func (f jsonFields) fieldNames() []string { return slices.Sorted(maps.Keys(f)) }

func (f jsonFields) findMember(name string) (json.RawMessage, bool) {
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

// findPath finds a member by its name or by a path of names, "adresse.commune";
// of an array on the way the first is taken.
func (f jsonFields) findPath(path string) (json.RawMessage, bool) {
	if v, ok := f.findMember(path); ok {
		return v, true
	}
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		return nil, false
	}
	v, ok := f.findMember(name)
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
	return inner.findPath(rest)
}

// Text gives a member as text: a string without its quotes, anything
// else as it is written; null is an empty text.
func (f jsonFields) Text(name string) (string, bool) {
	v, ok := f.findPath(name)
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
	if inside := v[1 : len(v)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(v, &s) // the decoder has checked it
	return s
}

func (f jsonFields) List(name string) ([]string, bool) {
	v, ok := f.findPath(name)
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

// findItems lists the objects that the members lead to; an object without them has none.
func findItems(value json.RawMessage, members []string) ([]json.RawMessage, error) {
	if len(value) > 0 && value[0] == '[' {
		var items, out []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return nil, err
		}
		for _, item := range items {
			found, err := findItems(item, members)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	}
	if len(members) == 0 {
		return []json.RawMessage{value}, nil
	}
	if string(value) == "null" {
		return nil, nil
	}
	var object jsonFields
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, errWrongForm
	}
	inner, there := object.findMember(members[0])
	if !there || string(inner) == "null" {
		return nil, nil
	}
	return findItems(inner, members[1:])
}

// keyedFields are the members of an object that has a name itself.
type keyedFields struct {
	jsonFields
	key   string
	value json.RawMessage
}

func (f keyedFields) Text(name string) (string, bool) {
	switch name {
	case "_key":
		return f.key, true
	case "_value":
		return jsonText(f.value), true
	default:
		return f.jsonFields.Text(name)
	}
}

const wgs84 = 4326

var epsgName = regexp.MustCompile(`(?i)EPSG:(?:[0-9.]*:)?([0-9]+)$`)

// namedSRID reads the crs member of older GeoJSON files; 0 stands for longitude and latitude.
func namedSRID(value []byte) (int, error) {
	var crs *struct {
		Properties struct{ Name string }
	}
	if err := json.Unmarshal(value, &crs); err != nil {
		return 0, fmt.Errorf("read its crs: %w", err)
	}
	if crs == nil || strings.HasSuffix(crs.Properties.Name, "CRS84") {
		return 0, nil
	}
	m := epsgName.FindStringSubmatch(crs.Properties.Name)
	if m == nil {
		return 0, fmt.Errorf("its crs %q is not known", crs.Properties.Name)
	}
	srid, err := strconv.Atoi(m[1])
	if srid == wgs84 {
		srid = 0
	}
	return srid, err
}

// feature is a GeoJSON feature.
type feature struct {
	Type       string                     `json:"type"`
	ID         json.RawMessage            `json:"id"`
	Geometry   json.RawMessage            `json:"geometry"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// asEncodingJSON has the other decoder accept what encoding/json accepts.
var asEncodingJSON = jsonv2.JoinOptions(jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true))
