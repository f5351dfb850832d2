package mcp

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// No message makes reading it fail otherwise than with an answer, and what is taken for a message is one.
func FuzzReadMessage(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_commune","arguments":{"code":"93010"},"_meta":{}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":null}}`, `{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":-1e5,"method":"initialize","params":{"protocolVersion":5}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`,
		`[{}]`, ` `, ``, `{"id":{},"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"method":"x","method":5}`, "\ufeff{}", `{"jsonrpc":"\u0032.0","id":null,"method":"a"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, code, text := readMessage(body)
		if (code == 0) != (text == "") {
			t.Fatalf("%q: code %d, %q", body, code, text)
		}
		if text != "" {
			return
		}
		var want struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(body, &want); err != nil || !utf8.Valid(body) {
			t.Fatalf("%q is taken for a message: %v", body, err)
		}
		if m.id != nil && !json.Valid(m.id) || m.params != nil && !json.Valid(m.params) || !bytes.Contains(body, m.id) {
			t.Errorf("%q: id %q, params %q", body, m.id, m.params)
		}
	})
}
