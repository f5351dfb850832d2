package operation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"go.yaml.in/yaml/v3"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// An operator sees every request in the log and in the metrics, whatever it was for, and neither holds what
// an address, a header or a form says: a token, a code or a key.
func TestEveryRequestIsCountedAndLogged(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	const hidden = "hidden0123456789"
	for _, path := range []string{"/", "/confirm/" + hidden, "/reset/" + hidden + "?x=" + hidden, "/verify/" + hidden, "/oauth/authorize?client_id=" + hidden + "&state=" + hidden,
		"/auth/google/callback?code=" + hidden, "/" + hidden, "/api/" + hidden + "?api_key=" + hidden, "/api/v1/communes/93010?api_key=" + hidden,
		"/mcp?api_key=" + hidden, "/.well-known/oauth-protected-resource/mcp", "/openapi.json", "/healthz", "/readyz", "/account", "/assets/" + hidden} {
		s.Get(path)
	}
	s.Do("PROPFIND", "/"+hidden, "")
	s.Do(http.MethodPost, "/signin?password="+hidden, "")
	refused := []http.Header{tooLong(s.Service).Header, s.Do(http.MethodPost, "/signin?password="+hidden, strings.Repeat("x", 40<<10)).Header,
		s.Do(http.MethodPost, "/api/v1/"+hidden, "x", "Content-Encoding", "gzip").Header}
	want := []string{"GET /", "GET /confirm/:token", "GET /reset/:token", "GET /verify/:token", "GET /oauth/authorize", "GET /auth/:provider/callback", "GET none", "GET /mcp",
		"GET /.well-known/oauth-protected-resource/mcp", "GET /openapi.json", "GET /account", "GET /assets/:name", "PATCH none", "POST /signin", "POST none"}
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
	for _, h := range refused {
		if id := h.Get("X-Request-Id"); !strings.Contains(s.Log.String(), `"request_id":"`+id+`","route":"none"`) {
			t.Errorf("what was refused before a route was looked for is not logged: %v", h)
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

// The metrics are named as Prometheus wants them: base units, a suffix
// that says the unit or that it only ever grows.
func TestMetricNames(t *testing.T) {
	t.Parallel()
	redis, metrics := testkit.Redis(t), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	stripe := stripesim.ForTest(t, stripesim.Options{})
	s := fixture.Portal(t, func(c *config.Config) {
		c.RedisURL, c.MetricsAddr = config.Secret(redis), metrics
		c.StripeKey, c.StripeWebhookSecret, c.StripeURL = stripesim.DefaultKey, stripesim.DefaultWebhookSecret, stripe.URL()
		c.StripePrices = stripesim.PriceLists()
	})
	s.Get("/")
	s.Do(http.MethodPost, "/webhooks/stripe", "{}")
	profilesAreForOperators(s, metrics)
	families := testkit.Must(s.Metrics.Gather())(t)
	problems := testkit.Must(promlint.NewWithMetricFamilies(families).Lint())(t)
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
	watchedMetricsAreExposed(t, families)
}

// What wakes an operator is what has happened: each metric that an alert looks at has the value of its state.
func TestMetricsHaveTheirStates(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory,
		`INSERT INTO geo.load (source, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		SELECT name, 'p', 't', 'l', vintage, '[]', 'c', 1, 0, '[]', now(), now(), true
		FROM (VALUES ('ban', '2015-01-01'), ('bal', to_char(now(), 'YYYY-MM-DD')), ('postcodes', '2015-01-01')) s(name, vintage)`,
		`INSERT INTO geo.source_check (source, checked_at, problem) VALUES ('bal', '2026-01-02T03:04:05Z', 'the producer does not answer'), ('postcodes', now(), NULL)`,
		`INSERT INTO job.river_job (kind, args, max_attempts, state, scheduled_at, finalized_at) SELECT 'mail', '{}', 1, state::job.river_job_state, now() + interval '1 day', ended
		FROM (VALUES ('scheduled', NULL), ('scheduled', NULL), ('cancelled', now())) m(state, ended)`)
	redis := testkit.NewRedis(t)
	s.Run(func(c *config.Config) { c.RedisURL = config.Secret(redis.URL) })
	has := func(name string, want int) {
		t.Helper()
		testkit.Eventually(t, testkit.Timeout, fmt.Sprintf("%s is %d", name, want), func() bool { return s.Metric(name) == float64(want) })
	}
	has("arpent_mail_waiting", 2)
	has("arpent_mail_dead", 1)
	has("arpent_sources_kept", 1)
	has("arpent_sources_late", 2)
	if s.Metric("arpent_communes") == 0 {
		t.Error("no communes are served")
	}
	has("arpent_redis_up", 1)
	redis.Kill()
	has("arpent_redis_up", 0)
	key := s.Account("counts@example.org", "pro")
	has("arpent_meter_flush_failing", 0)
	before := s.Metric("arpent_meter_last_flush_timestamp_seconds")
	restore := s.CutDatabase()
	s.Get("/api/v1/regions", "X-API-Key", key)
	has("arpent_meter_flush_failing", 1)
	restore()
	has("arpent_meter_flush_failing", 0)
	if before == 0 || s.Metric("arpent_meter_last_flush_timestamp_seconds") < before {
		t.Errorf("counts were written at %v, and then at %v", before, s.Metric("arpent_meter_last_flush_timestamp_seconds"))
	}
}

// profilesAreForOperators checks that what a profile gives away is on
// the address of the metrics, and nowhere else.
func profilesAreForOperators(s *fixture.Site, metrics string) {
	s.T.Helper()
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile", "/metrics"} {
		if got := s.Get(path).Status; got != http.StatusNotFound {
			s.T.Errorf("the public address answers %s with %d", path, got)
		}
	}
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine", "/metrics"} {
		res := testkit.Must(http.Get("http://" + metrics + path))(s.T)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			s.T.Errorf("the address of the metrics answers %s with %d", path, res.StatusCode)
		}
	}
}

var watchedMetric = regexp.MustCompile(`\b(?:arpent|process|go)_[a-z0-9_]+\b`)

// watchedMetricsAreExposed checks that alerts and the dashboard name metrics that are exposed: an alert on a
// metric that was renamed is never raised.
func watchedMetricsAreExposed(t *testing.T, families []*dto.MetricFamily) {
	t.Helper()
	exposed := map[string]bool{}
	for _, f := range families {
		exposed[f.GetName()] = true
		if f.GetType() == dto.MetricType_HISTOGRAM {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				exposed[f.GetName()+suffix] = true
			}
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	read := func(name string, into any) {
		t.Helper()
		text := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), "deploy", name)))(t)
		if err := yaml.Unmarshal(text, into); err != nil { // of which JSON is a part
			t.Fatal(err)
		}
	}
	read("prometheus/alerts.yml", &rules)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	read("grafana/arpent.json", &dashboard)
	found := 0
	look := func(where, expr string) {
		for _, name := range watchedMetric.FindAllString(expr, -1) {
			found++
			if !exposed[name] {
				t.Errorf("%s looks at %s, which no server exposes", where, name)
			}
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			look(r.Alert, r.Expr)
		}
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			look(p.Title, target.Expr)
		}
	}
	if len(rules.Groups) == 0 || found < 40 {
		t.Errorf("only %d metrics are looked at", found)
	}
}
