package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
)

// rpc is an answer of the assistant-tool server.
type rpc struct {
	fixture.Response
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
func post(s *fixture.Service, body string, headers ...string) rpc {
	s.T.Helper()
	a := rpc{Response: s.Do(http.MethodPost, "/mcp", body,
		append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)...)}
	if bytes.HasPrefix(a.Body, []byte("{\"jsonrpc")) {
		if err := json.Unmarshal(a.Body, &a); err != nil {
			s.T.Fatalf("%s: %v", a.Body, err)
		}
	}
	return a
}

// call calls a tool.
func call(s *fixture.Service, key, tool, arguments string, headers ...string) rpc {
	s.T.Helper()
	return post(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`,
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

// These share an instance, each with accounts of its own.
func TestMCP(t *testing.T) {
	t.Parallel()
	onOne(t, fixture.Start(t), map[string]func(*testing.T, *fixture.Service){
		"versions": testProtocolVersions, "list": testListIsMadeOnce, "pages": testToolsOnThePages, "errors": testErrorsOfToolsNameTheArgument,
		"readings": testToolsSayWhatNamesWereReadAs, "names": testToolReadsNames, "references": testToolReadsReferences,
		"requests": testAssistantRequests, "counted": testWhatCountsOfEveryOperation,
	})
}
