package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// rpc is an answer of the assistant-tool server.
type rpc struct {
	response
	Result struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	Error *struct {
		Code    int
		Message string
	}
	ID json.RawMessage
}

// post sends a body to /mcp.
func (s *service) post(body string, headers ...string) rpc {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.base+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := rpc{response: response{res.StatusCode, res.Header, text}}
	if bytes.HasPrefix(text, []byte("{\"jsonrpc")) {
		if err := json.Unmarshal(text, &a); err != nil {
			s.t.Fatalf("%s: %v", text, err)
		}
	}
	return a
}

// call calls a tool.
func (s *service) call(key, tool, arguments string, headers ...string) rpc {
	s.t.Helper()
	return s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`,
		append([]string{"X-API-Key", key}, headers...)...)
}

// text is all that a result says as text.
func (a rpc) text() string {
	var texts []string
	for _, c := range a.Result.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}
