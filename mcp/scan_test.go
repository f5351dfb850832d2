package mcp

import (
	"encoding/json"
	"reflect"
	"testing"
)

// The members that are found are those that encoding/json finds, in every valid text.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{}`, ` { "a" : 1 , "b\"\\" : {"c":[1,"}"]},"d":"\\","a":null } `, `[1]`, `"x"`, `7`, `{"é":-1.5e3,"":""}`, "{\"\xff\":\"\xff\"}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			t.Skip()
		}
		got, want := map[string]json.RawMessage{}, map[string]json.RawMessage(nil)
		isObject := members(text, func(name string, value json.RawMessage) { got[name] = value })
		if err := json.Unmarshal(text, &want); (err == nil && want != nil) != isObject {
			t.Fatalf("%q: object %v, %v", text, isObject, err)
		}
		if isObject && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	})
}
