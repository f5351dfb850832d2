package operation_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// Every operation, every tool and every page, asked for by several people and programs at once while keys
// come and go and the data are read anew: the race detector sees all that the instance shares. Nothing
// fails, and each counted call is counted once.
func TestConcurrentCallsOfEverything(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, func(c *config.Config) {
		c.OIDC = config.Provider{ClientID: "x", ClientSecret: "y", Issuer: "http://127.0.0.1:9", PKCE: true}
	})
	key := s.Account("together@example.org", "pro")
	s.Limit(key, 1_000_000)
	s.UntilIndexed(key)
	before := s.Get("/api/v1/communes/93010", "X-API-Key", key).Used(t)
	const clients = 2
	rounds := testkit.Rounds(1, 20)
	readers := []*testkit.Browser{s.SignUp("jeanne@example.org"), s.SignUp("paul@example.org")}
	var clientsAndReaders sync.WaitGroup
	for range clients {
		clientsAndReaders.Go(func() {
			for range rounds {
				callEverything(s.Service, key)
			}
		})
	}
	for _, browser := range readers {
		browser.AsksOnce = nil // no provider is there
		clientsAndReaders.Go(func() { readEveryPage(s, browser) })
	}
	clientsAndReaders.Go(func() { // what an update and a change of an account do to an instance
		for range 10 {
			s.Exec("SELECT pg_notify('arpent_geo', '')")
			s.Exec("UPDATE account.account SET updated_at = now() WHERE email = 'together@example.org'")
		}
	})
	clientsAndReaders.Wait()
	want := before + 1 + clients*rounds*(len(api.Operations())+len(api.Tools()))
	testkit.Want(t, s.Get("/api/v1/communes/93010", "X-API-Key", key).Used(t), want, "calls are counted")
}

// callEverything makes one call of each operation and one of each tool.
func callEverything(s *fixture.Service, key string) {
	s.T.Helper()
	for _, op := range api.Operations() {
		if r := s.Get("/api/v1"+fixture.OfTerritory.Replace(op.Example), "X-API-Key", key); r.Status >= http.StatusInternalServerError {
			s.T.Errorf("%s: %d %s", op.Name, r.Status, r.Body)
		}
	}
	for _, tool := range api.Tools() {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool.Name, "arguments": json.RawMessage(tool.Example)}})
		if err != nil {
			s.T.Error(err)
		}
		r := s.Do(http.MethodPost, "/mcp", fixture.OfTerritory.Replace(string(body)), "X-API-Key", key, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
		if r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"structuredContent"`) {
			s.T.Errorf("%s: %d %s", tool.Name, r.Status, r.Body)
		}
	}
}

var parameter = regexp.MustCompile(`:[a-z]+`)

// readEveryPage opens the pages one after the other, and makes a key and revokes it between them.
func readEveryPage(s *fixture.Site, b *testkit.Browser) {
	s.T.Helper()
	for _, route := range s.App.Fiber().GetRoutes(true) {
		if route.Method != http.MethodGet || strings.HasPrefix(route.Path, "/api") || strings.Contains(route.Path, "*") {
			continue
		}
		// Not there, not loaded here and no provider at the address are answers; a fault of ours is not.
		if p := b.Get(parameter.ReplaceAllString(route.Path, "1")); p.Status == http.StatusInternalServerError {
			s.T.Errorf("%s: %d", route.Path, p.Status)
		}
	}
	b.Submit(b.Get("/account/keys/new"), "/account/keys/new", "name", "together")
}
