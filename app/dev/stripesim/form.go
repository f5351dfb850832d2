package stripesim

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// form is a request's parameters, under the names that Stripe gives them: items[0][price].
type form url.Values

func (f form) get(name string) string { return url.Values(f).Get(name) }

func (f form) has(name string) bool { return url.Values(f).Has(name) }

func (f form) yes(name string) bool { return f.get(name) == "true" }

// number is 0 for what is absent; the mock has refused what is no number.
func (f form) number(name string) int64 {
	n, _ := strconv.ParseInt(f.get(name), 10, 64)
	return n
}

// under is whether any parameter has this first name, as in items[0][price].
func (f form) under(name string) bool {
	for key := range f {
		if key == name || strings.HasPrefix(key, name+"[") {
			return true
		}
	}
	return false
}

// count is how many elements a list has.
func (f form) count(name string) int {
	n := 0
	for f.under(name + "[" + strconv.Itoa(n) + "]") {
		n++
	}
	return n
}

// element is the full name of a parameter of a list's element.
func element(list string, i int, field string) string {
	return list + "[" + strconv.Itoa(i) + "][" + field + "]"
}

// pairs are the values of a map, such as metadata.
func (f form) pairs(name string) map[string]string {
	pairs := map[string]string{}
	for key, values := range f {
		if inner, ok := strings.CutPrefix(key, name+"["); ok && strings.HasSuffix(inner, "]") && len(values) > 0 {
			pairs[strings.TrimSuffix(inner, "]")] = values[0]
		}
	}
	return pairs
}

// merge does to a map what Stripe does with metadata: an empty value takes the pair away.
func (f form) merge(into map[string]string, name string) {
	for key, value := range f.pairs(name) {
		if value == "" {
			delete(into, key)
		} else {
			into[key] = value
		}
	}
}

// list is the values of expand[] or expand[0].
func (f form) list(name string) []string {
	var values []string
	var keys []string
	for key := range f {
		if strings.HasPrefix(key, name+"[") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		values = append(values, f[key]...)
	}
	return values
}

// firstNames are the names that are given, without what is in brackets.
func (f form) firstNames() []string {
	var names []string
	for key := range f {
		name, _, _ := strings.Cut(key, "[")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
