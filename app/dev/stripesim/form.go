package stripesim

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is a request's parameters, under the names that Stripe gives them: items[0][price].
type form url.Values

func (f form) get(name string) string { return url.Values(f).Get(name) }

func (f form) has(name string) bool { return url.Values(f).Has(name) }

// matchesFilter reports whether a value passes a filter of a list: one that is not given passes everything.
func (f form) matchesFilter(name, value string) bool { return !f.has(name) || f.get(name) == value }

// timeParam is an instant in seconds; the mock has refused what is no number.
func (f form) timeParam(name string) time.Time {
	n, _ := strconv.ParseInt(f.get(name), 10, 64)
	return time.Unix(n, 0)
}

// hasNested is whether any parameter has this first name, as in items[0][price].
func (f form) hasNested(name string) bool {
	for key := range f {
		if key == name || strings.HasPrefix(key, name+"[") {
			return true
		}
	}
	return false
}

// mapParam are the values of a map, such as metadata.
func (f form) mapParam(name string) map[string]string {
	pairs := map[string]string{}
	for key, values := range f {
		if inner, ok := strings.CutPrefix(key, name+"["); ok && strings.HasSuffix(inner, "]") && len(values) > 0 {
			pairs[strings.TrimSuffix(inner, "]")] = values[0]
		}
	}
	return pairs
}

// listParam is the values of expand[] or expand[0].
func (f form) listParam(name string) (values []string) {
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(key, name+"[") {
			values = append(values, f[key]...)
		}
	}
	return values
}

// mergeMetadata is metadata after an update: an empty value takes the pair away.
// What events say of before does not change.
func mergeMetadata(old, update map[string]string) map[string]string {
	out := maps.Clone(old)
	maps.Copy(out, update)
	maps.DeleteFunc(out, func(_, v string) bool { return v == "" })
	return out
}
