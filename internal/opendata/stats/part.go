package stats

import (
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Part is a part of the statistics of a level as the types of the values declare it, whatever is loaded.
type Part struct{ value reflect.Type } // no pointer

// Keyed is an item of a series: a list whose items are found by their member "key".
type Keyed interface {
	SeriesKeys() []string // those that items may have
}

// FindPart finds the part that a field leads to in the values of a level, as FindFigure does in one of them;
// false: no value has it.
func (c *Catalogue) FindPart(level Level, field string) (Part, bool) {
	names := strings.Split(field, ".")
	at := slices.IndexFunc(c.blocks[level], func(b Block) bool { return b.key == names[0] })
	if at < 0 {
		return Part{}, false
	}
	return partOf(c.blocks[level][at].value).findPart(names[1:])
}

// partOf is the part of a type.
func partOf(t reflect.Type) Part {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return Part{t}
}

// findPart follows names in the way of FindFigure.
func (p Part) findPart(names []string) (Part, bool) {
	if len(names) == 0 {
		return p, true
	}
	if p.value.Kind() == reflect.Slice {
		item, keys := partOf(p.value.Elem()), p.seriesKeys()
		if keys != nil {
			if !slices.Contains(keys, names[0]) {
				return Part{}, false
			}
			return item.findPart(names[1:])
		}
		for name, member := range item.listMembers() {
			if slices.Contains(itemTimes, name) && member.IsNumber() {
				return item.findPart(names)
			}
		}
		return Part{}, false
	}
	for name, member := range p.listMembers() {
		if name == names[0] {
			return member.findPart(names[1:])
		}
	}
	for _, member := range p.listMembers() {
		if member.seriesKeys() == nil {
			continue
		}
		if found, ok := member.findPart(names); ok {
			return found, true
		}
	}
	return Part{}, false
}

// HasPart reports whether a field leads to a part of the values of a level, or of items of a list in them, of
// which FindPart finds none that stands for all.
func (c *Catalogue) HasPart(level Level, field string) bool {
	names := strings.Split(field, ".")
	at := slices.IndexFunc(c.blocks[level], func(b Block) bool { return b.key == names[0] })
	return at >= 0 && partOf(c.blocks[level][at].value).hasPart(names[1:])
}

func (p Part) hasPart(names []string) bool {
	if len(names) == 0 {
		return true
	}
	if p.value.Kind() == reflect.Slice {
		item := partOf(p.value.Elem())
		return slices.Contains(p.seriesKeys(), names[0]) && item.hasPart(names[1:]) || item.hasPart(names)
	}
	for name, member := range p.listMembers() {
		if name == names[0] && member.hasPart(names[1:]) ||
			slices.Contains(member.seriesKeys(), names[0]) && member.hasPart(names) {
			return true
		}
	}
	return false
}

// IsList reports whether the part is a list.
func (p Part) IsList() bool { return p.value.Kind() == reflect.Slice }

// listMembers yields the members of an object by their names in answers.
func (p Part) listMembers() iter.Seq2[string, Part] {
	return func(yield func(string, Part) bool) {
		if p.value.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(p.value) {
			if name := JsonName(f); name != "" && !yield(name, partOf(f.Type)) {
				return
			}
		}
	}
}

// seriesKeys are the keys of the items of a series; nil: the part is none.
func (p Part) seriesKeys() []string {
	if p.value.Kind() == reflect.Slice {
		if item, ok := reflect.Zero(partOf(p.value.Elem()).value).Interface().(Keyed); ok {
			return item.SeriesKeys()
		}
	}
	return nil
}

// IsNumber reports whether the part is a number where it is known.
func (p Part) IsNumber() bool {
	zero := reflect.Zero(p.value)
	return zero.CanInt() || zero.CanFloat()
}

// Names are the names that may follow: members, and keys of series in them.
func (p Part) Names() (names []string) {
	if keys := p.seriesKeys(); keys != nil {
		return keys
	}
	if p.value.Kind() == reflect.Slice {
		p = partOf(p.value.Elem())
	}
	for name, member := range p.listMembers() {
		for _, one := range append([]string{name}, member.seriesKeys()...) {
			if !slices.Contains(names, one) {
				names = append(names, one)
			}
		}
	}
	return names
}

// Numbers are the names that lead to numbers.
func (p Part) Numbers() (names []string) {
	for _, name := range p.Names() {
		if found, ok := p.findPart([]string{name}); ok && found.IsNumber() {
			names = append(names, name)
		}
	}
	return names
}
