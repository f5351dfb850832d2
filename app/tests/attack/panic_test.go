package attack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/fixture"
)

// A handler that panics is a 500 in the form of its path, counted, and the process goes on.
func TestPanics(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("panic@example.org", "pro")
	before := s.Metric("arpent_http_panics_total")
	for i, tc := range []struct{ method, path, form string }{
		{"GET", "/signin", "<!doctype html>"}, {"POST", "/signin", "<!doctype html>"}, {"GET", "/docs", "<!doctype html>"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603`}, {"POST", "/oauth/token", `{"error":"temporarily_unavailable"`},
		{"GET", "/api/v1/regions", `{"error":{"code":"internal_error"`}, {"GET", "/openapi.json", `{"error":{"code":"internal_error"`},
	} {
		breakHandlers(s, tc.path)
		r := s.Do(tc.method, tc.path, "", "X-API-Key", key)
		if r.Status != http.StatusInternalServerError || !strings.HasPrefix(strings.ToLower(string(r.Body)), strings.ToLower(tc.form)) ||
			r.Header.Get("X-Request-Id") == "" || strings.Contains(string(r.Body), "broken for a test") {
			t.Errorf("%s %s: %d %v %.200s", tc.method, tc.path, r.Status, r.Header, r.Body)
		}
		if got := s.Metric("arpent_http_panics_total"); got != before+float64(i)+1 {
			t.Errorf("after %s: %v panics are counted", tc.path, got)
		}
	}
	if r := s.Get("/healthz"); r.Status != http.StatusOK {
		t.Errorf("after all: %d", r.Status)
	}
}

// breakHandlers has every handler of a path panic.
func breakHandlers(s *fixture.Service, path string) {
	for _, routes := range s.App.Fiber().Stack() {
		for _, r := range routes {
			if r.Path == path {
				r.Handlers = []fiber.Handler{func(*fiber.Ctx) error { panic("broken for a test") }}
			}
		}
	}
}
