package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"arpent/web/public"
)

// The pages explain the tools that are served, with their parameters, and no others; and the line that they give to try
// without an assistant works.
func TestToolsOnThePagesAreThoseServed(t *testing.T) {
	t.Parallel()
	s := start(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/mcp", strings.NewReader(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", s.account("tools@exemple.fr", "free"))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]json.RawMessage }
			}
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", res.StatusCode, err)
	}
	var served []string
	for _, tool := range answer.Result.Tools {
		served = append(served, tool.Name)
		takes := slices.Sorted(maps.Keys(tool.InputSchema.Properties))
		if said := slices.Sorted(slices.Values(public.ToolTakes(tool.Name))); fmt.Sprint(takes) != fmt.Sprint(said) {
			t.Errorf("%s takes %v, the documentation says %v", tool.Name, takes, said)
		}
	}
	slices.Sort(served)
	if said := slices.Sorted(slices.Values(public.Tools())); !slices.Equal(served, said) {
		t.Errorf("served: %v\nexplained: %v", served, said)
	}
}
