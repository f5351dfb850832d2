package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/fieldset"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// digest is the values of all keys of an answer in so few bytes that they fit in the context of a model. Keys
// without a value are left out, for the states list them; of long lists some items are given; sources are
// named once for all keys, and definitions and notes are left to calls of single keys.
type digest struct {
	namesSources bool

	keys    []digestKey
	sources []digestSource
	leftOut []string
}

type digestKey struct {
	name  string
	value []byte
	lists []cutList
	whole gjson.Result // without sources, definitions and notes
}

// cutList is a list of which some items are given.
type cutList struct {
	path, by    string
	items, from int
}

// digestSource is a source of figures, with the paths of the values that it is named at.
type digestSource struct {
	Source string   `json:"source"`
	Keys   []string `json:"keys"`
}

var (
	// keySizes are how many bytes a key may have, the most that fit for all: a long key does not take the
	// room of others.
	keySizes = []int{4000, 2500, 1600, 1000, 700, 500, 350, 250, 150, 0}
	// itemCounts are how many items of a list are given, the most that fit in the size of its key.
	itemCounts = []int{10, 5, 3, 2, 1}
)

// digestValues makes a digest of values by key in at most so many bytes. lengths is what a report says of its
// lists; namesSources is set where the values name sources, which those of a report do not.
func digestValues(values, lengths gjson.Result, namesSources bool, maxBytes int) digest {
	d := digest{namesSources: namesSources}
	values.ForEach(func(name, value gjson.Result) bool {
		if value.Type == gjson.Null || value.Raw == "[]" {
			return true
		}
		if namesSources && topic.Statistics().IsOnRequest(name.Str) {
			d.leftOut = append(d.leftOut, name.Str)
			return true
		}
		plain := d.dropContext(nil, strings.TrimPrefix(name.Str, "sources"), value)
		if string(plain) == "{}" {
			return true
		}
		d.keys = append(d.keys, digestKey{name: name.Str, whole: gjson.ParseBytes(plain)})
		return true
	})
	if len(d.sources) > 0 {
		maxBytes -= len(mustMarshal(d.sources))
	}
	for _, size := range keySizes {
		total := 0
		for i := range d.keys {
			d.keys[i].shorten(size, lengths)
			total += len(d.keys[i].name) + len(d.keys[i].value) + len(`"":,`)
		}
		if total <= maxBytes {
			return d
		}
		if size == 0 {
			d.leaveOut(total - maxBytes)
		}
	}
	return d
}

// leaveOut leaves out the longest keys until so many bytes are saved.
func (d *digest) leaveOut(excess int) {
	for excess > 0 && len(d.keys) > 1 {
		longest := 0
		for i, key := range d.keys {
			if len(key.value) > len(d.keys[longest].value) {
				longest = i
			}
		}
		excess -= len(d.keys[longest].value) + d.dropSources(d.keys[longest].name)
		d.leftOut = append(d.leftOut, d.keys[longest].name)
		d.keys = slices.Delete(d.keys, longest, longest+1)
	}
}

// dropSources removes the sources of a key, and returns how many bytes this saves.
func (d *digest) dropSources(key string) int {
	before := len(mustMarshal(d.sources))
	for i := range d.sources {
		d.sources[i].Keys = slices.DeleteFunc(d.sources[i].Keys, func(path string) bool {
			name, _, _ := strings.Cut(path, ".")
			return name == key
		})
	}
	d.sources = slices.DeleteFunc(d.sources, func(s digestSource) bool { return len(s.Keys) == 0 })
	return before - len(mustMarshal(d.sources))
}

// shorten gives the key as many items of its lists as fit in a size, at least one.
func (k *digestKey) shorten(size int, lengths gjson.Result) {
	for _, items := range itemCounts {
		k.lists = nil
		if k.value = k.trimLists(nil, k.name, k.whole, items, lengths); len(k.value) <= size {
			return
		}
	}
}

// trimLists copies a value, and of its longer lists so many items.
func (k *digestKey) trimLists(out []byte, path string, value gjson.Result, items int,
	lengths gjson.Result) []byte {
	switch {
	case value.IsObject():
		return fieldset.CopyObject(out, value, func(out []byte, name string, value gjson.Result) []byte {
			return k.trimLists(out, path+"."+name, value, items, lengths)
		})
	case value.IsArray():
		list := value.Array()
		if total := len(list); total > items {
			kept, by := chooseItems(list, items)
			there := max(total, int(lengths.Get(path+".total").Int())) // a report itself has only the nearest of many
			k.lists, list = append(k.lists, cutList{path, by, items, there}), kept
		}
		out = append(out, '[')
		for i, item := range list {
			if i > 0 {
				out = append(out, ',')
			}
			out = k.trimLists(out, path, item, items, lengths)
		}
		return append(out, ']')
	default:
		return append(out, value.Raw...)
	}
}

// dropContext copies a value without what is the same for many: the names of its sources, which are noted
// with the path, definitions and notes.
func (d *digest) dropContext(out []byte, path string, value gjson.Result) []byte {
	switch {
	case value.IsObject():
		return fieldset.CopyObject(out, value, func(out []byte, name string, member gjson.Result) []byte {
			switch {
			case name == "definition", name == "note", name == "whyNull":
				return nil
			case name == "source" && d.namesSources && member.Type == gjson.String:
				// else parts name theirs
				if strings.Count(value.Raw, `"source":`) == 1 || !strings.Contains(member.Str, sourceSeparator) {
					d.addSources(member.Str, path)
				}
				return nil
			}
			return d.dropContext(out, strings.TrimPrefix(path+"."+name, "."), member)
		})
	case value.IsArray():
		out = append(out, '[')
		for i, item := range value.Array() {
			if i > 0 {
				out = append(out, ',')
			}
			out = d.dropContext(out, path, item)
		}
		return append(out, ']')
	default:
		return append(out, value.Raw...)
	}
}

// sourceSeparator stands between the sources of a value. What computes a value is named after them.
const (
	sourceSeparator = "; "
	methodPrefix    = "method "
)

// addSources notes the sources of a value.
func (d *digest) addSources(label, path string) {
	var names []string
	for name := range strings.SplitSeq(label, sourceSeparator) {
		if n := len(names); n > 0 && strings.HasPrefix(name, methodPrefix) {
			names[n-1] += sourceSeparator + name
			continue
		}
		names = append(names, name)
	}
	for _, name := range names {
		i := slices.IndexFunc(d.sources, func(s digestSource) bool { return s.Source == name })
		switch {
		case name == "":
		case i < 0:
			d.sources = append(d.sources, digestSource{name, []string{path}})
		case !slices.Contains(d.sources[i].Keys, path):
			d.sources[i].Keys = append(d.sources[i].Keys, path)
		}
	}
}

// appendTo appends the values as an object.
func (d *digest) appendTo(out []byte) []byte {
	out = append(out, '{')
	for i, key := range d.keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key.name...), `":`...), key.value...)
	}
	return append(out, '}')
}

// appendLengths appends the lengths of the lists of a report that are cut, with the number of items that are
// given, and the notes of the others that are given. Radii are left to calls of single keys.
func (d *digest) appendLengths(out []byte, lengths gjson.Result) []byte {
	return fieldset.CopyObject(out, lengths, func(out []byte, name string, length gjson.Result) []byte {
		note := strings.TrimSpace(strings.Replace(length.Get("note").Str, state.NotFarther, "", 1))
		for _, key := range d.keys {
			for _, list := range key.lists {
				if list.path == name {
					out = fmt.Appendf(out, `{"total":%d,"returned":%d,"truncated":true`, length.Get("total").Int(), list.items)
					if note != "" {
						out = append(append(out, `,"note":`...), mustMarshal(note)...)
					}
					return append(out, '}')
				}
			}
		}
		isGiven := slices.ContainsFunc(d.keys, func(key digestKey) bool { return key.name == name })
		switch {
		case length.Get("truncated").Bool() && !isGiven:
			return fmt.Appendf(out, `{"total":%d}`, length.Get("total").Int())
		case length.Get("truncated").Bool():
			return append(out, length.Raw...)
		case isGiven && note != "":
			return fmt.Appendf(out, `{"total":%d,"note":%s}`, length.Get("total").Int(), mustMarshal(note))
		}
		return nil
	})
}

// notes say what was cut.
func (d *digest) notes() (notes []string) {
	var lists []string
	for _, key := range d.keys {
		for _, list := range key.lists {
			lists = append(lists, fmt.Sprintf("%s (%d of %d, %s)", list.path, list.items, list.from, list.by))
		}
	}
	if len(lists) > 0 {
		notes = append(notes, "Lists are cut: "+strings.Join(lists, ", ")+".")
	}
	if len(d.leftOut) > 0 {
		notes = append(notes, "Left out: "+strings.Join(d.leftOut, ", ")+".")
	}
	if notes != nil {
		notes = append(notes, `fields=["key"] gives a key whole, fields=["key.member"] a part of it.`)
	}
	return notes
}
