package operation_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"arpent/app/base/config"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// An operator sees every request in the log and in the metrics, whatever it was for, and neither holds what an address, a
// header or a form says: a token, a code or a key.
func TestEveryRequestIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	const hidden = "hidden0123456789"
	for _, path := range []string{"/", "/confirm/" + hidden, "/reset/" + hidden + "?x=" + hidden, "/oauth/authorize?client_id=" + hidden + "&state=" + hidden,
		"/auth/google/callback?code=" + hidden, "/" + hidden, "/api/" + hidden + "?api_key=" + hidden, "/api/v1/communes/93010?api_key=" + hidden,
		"/mcp?api_key=" + hidden, "/.well-known/oauth-protected-resource/mcp", "/openapi.json", "/healthz", "/readyz", "/account", "/assets/" + hidden} {
		s.Get(path)
	}
	s.Do("PROPFIND", "/"+hidden, "")
	s.Do(http.MethodPost, "/signin?password="+hidden, "")
	want := []string{"GET /", "GET /confirm/:token", "GET /reset/:token", "GET /oauth/authorize", "GET /auth/:provider/callback", "GET none", "GET /mcp",
		"GET /.well-known/oauth-protected-resource/mcp", "GET /openapi.json", "GET /account", "GET /assets/:name", "PATCH none", "POST /signin"}
	s.Until(func() bool { return strings.Contains(s.Log.String(), `"/signin"`) })
	s.Stop() // writes what is left
	var logged []string
	for text := range strings.Lines(s.Log.String()) {
		var l struct {
			Route, Method, Operation string
			RequestID                string `json:"request_id"`
			Status                   int
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil || len(l.RequestID) != 16 || l.Status == 0 || (l.Route == "") == (l.Operation == "") {
			t.Errorf("%v: %s", err, text)
		}
		logged = append(logged, l.Method+" "+l.Route)
	}
	counted := s.Labels("arpent_http_requests_total", "method", "route")
	for _, w := range want {
		if !slices.Contains(logged, w) {
			t.Errorf("%s is not logged:\n%s", w, s.Log.String())
		}
		if !slices.Contains(counted, w) {
			t.Errorf("%s is not counted: %q", w, counted)
		}
	}
	for _, probe := range []string{"GET /healthz", "GET /readyz"} {
		if slices.Contains(logged, probe) || !slices.Contains(counted, probe) {
			t.Errorf("%s is to be counted and not logged", probe)
		}
	}
	if strings.Contains(s.Log.String(), hidden) || strings.Contains(strings.Join(counted, " "), hidden) {
		t.Errorf("what an address holds is kept: %q\n%s", counted, s.Log.String())
	}
}

// The metrics are named as Prometheus wants them: base units, a suffix that says the unit or that it only ever grows.
func TestMetricNames(t *testing.T) {
	t.Parallel()
	redis := testkit.Redis(t)
	s := fixture.Portal(t, func(c *config.Config) { c.RedisURL = config.Secret(redis) })
	s.Get("/")
	families, err := s.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, f := range families { // the linter lets these pass
		name := f.GetName()
		if strings.HasPrefix(name, "arpent_") && strings.Contains(name, "last_") && !strings.HasSuffix(name, "_timestamp_seconds") {
			t.Errorf("%s: a point in time ends in _timestamp_seconds", name)
		}
		if f.GetType().String() == "HISTOGRAM" && strings.HasPrefix(name, "arpent_") && !strings.HasSuffix(name, "_duration_seconds") {
			t.Errorf("%s: what is measured is a duration", name)
		}
	}
}
