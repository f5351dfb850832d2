package contract_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"arpent/app/dev/testkit"
)

// inspected is what the inspector prints.
type inspected struct {
	Result struct {
		Tools             []struct{ Name string }
		IsError           bool
		StructuredContent json.RawMessage
	}
	SchemaFindings []json.RawMessage
}

// inspect runs the inspector once.
func (j *judges) inspect(t *testing.T, args ...string) (out inspected, fault string) {
	t.Helper()
	c := &child{}
	args = append([]string{"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli",
		"--server-url", j.Base + "/mcp", "--transport", "http", "--format", "json"}, args...)
	code := j.run(t, c, args...)
	if code != 0 {
		return out, fmt.Sprintf("exit %d: %s", code, c.tail())
	}
	if err := json.Unmarshal(c.stdout.Bytes(), &out); err != nil {
		return out, fmt.Sprintf("%v: %s", err, c.tail())
	}
	return out, ""
}

// inspector lists the tools and calls each of them, in both eras of the protocol, with a key. A warning
// about a schema counts as much as an error.
func (j *judges) inspector(t *testing.T) {
	_, calls := j.calls(t)
	for _, era := range []string{"legacy", "modern"} {
		with := func(more ...string) []string {
			return append([]string{"--header", "X-API-Key: " + j.key, "--protocol-era", era}, more...)
		}
		out, fault := j.inspect(t, with("--method", "tools/list", "--strict")...)
		switch {
		case fault != "":
		case len(out.Result.Tools) != len(calls):
			fault = fmt.Sprintf("%d tools, want %d", len(out.Result.Tools), len(calls))
		case len(out.SchemaFindings) > 0:
			fault = fmt.Sprintf("schemas: %s", out.SchemaFindings)
		}
		j.found(t, "tools/list --strict, "+era, "", fault)
		for _, tool := range []string{"get_commune", "get_parcel"} {
			arguments := testkit.Must(json.Marshal(calls[tool]))(t)
			out, fault := j.inspect(t, with("--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(arguments))...)
			if fault == "" && (out.Result.IsError || len(out.Result.StructuredContent) == 0) {
				fault = fmt.Sprintf("%+v", out.Result)
			}
			j.found(t, "tools/call "+tool+", "+era, "", fault)
		}
	}
}

// inspectorSignsIn lets the inspector sign in by itself.
func (j *judges) inspectorSignsIn(t *testing.T) {
	_, calls := j.calls(t)
	callback := fmt.Sprintf("http://127.0.0.1:%d/oauth/callback", testkit.FreePort(t))
	out, fault := j.inspect(t, "--callback-url", callback, "--method", "tools/list", "--strict")
	if fault == "" && len(out.Result.Tools) != len(calls) {
		fault = fmt.Sprintf("%d tools, want %d", len(out.Result.Tools), len(calls))
	}
	j.found(t, "tools/list --strict after signing in", "", fault)
}
