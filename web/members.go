package web

import (
	"reflect"
	"strings"
)

// Member is a member of a JSON document, as a page documents it.
type Member struct{ Name, Doc string }

// Members are those of a document, each followed by those of the objects that it
// lists. Their texts are the doc tags of the type.
func Members(t reflect.Type) []Member { return listMembers(t, "") }

func listMembers(t reflect.Type, above string) (out []Member) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" { // its members are those of the object that it is in
			out = append(out, listMembers(f.Type, above)...)
			continue
		}
		out = append(out, Member{above + name, f.Tag.Get("doc")})
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			out = append(out, listMembers(f.Type.Elem(), above+name+"[].")...)
		}
	}
	return out
}
