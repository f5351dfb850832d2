package stats

import "reflect"

// ValueTypes are the types of the values of a level, by key.
func ValueTypes(level Level) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, b := range contract[level] {
		out[b.key] = b.value
	}
	return out
}
