package status_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/web/status"
)

// testClock is a clock that a test moves.
type testClock struct{ at atomic.Int64 }

func (h *testClock) Now() time.Time          { return time.Unix(h.at.Load(), 0) }
func (h *testClock) advance(d time.Duration) { h.at.Add(int64(d / time.Second)) }
func clockAt(t *testing.T, text string) *testClock {
	t.Helper()
	when := testkit.Must(time.Parse(time.RFC3339, text))(t)
	h := &testClock{}
	h.at.Store(when.Unix())
	return h
}

func newProber(pool *pgxpool.Pool, c clock.Clock) *status.Prober {
	return status.NewProber(status.ProberOptions{Pool: pool, Clock: c, Every: 5 * time.Minute,
		Names: []string{"one", "two"},
		Calls: func() []status.Call { return []status.Call{{Operation: "one"}, {Operation: "two"}} }})
}

// findOperation is what a report says of an operation.
func findOperation(t *testing.T, p *status.Prober, name string) status.Operation {
	t.Helper()
	r := p.Report()
	i := slices.IndexFunc(r.Operations, func(o status.Operation) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the report", name)
	}
	return r.Operations[i]
}

// What was not measured is unknown: a reader must not take a service that was
// just started for one that has always answered.
func TestNothingMeasuredIsUnknown(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	p := newProber(pool, clockAt(t, "2026-11-20T12:00:00Z"))
	r := p.Report()
	if r.State() != status.Unknown || len(r.Incidents) != 0 || r.Today-r.Since != status.Retention-1 {
		t.Errorf("%+v", r)
	}
	o := findOperation(t, p, "one")
	if _, known := o.Answered(); known || len(o.Days) != 0 || o.State != status.Unknown || !o.Last.IsZero() {
		t.Errorf("%+v", o)
	}
}

// What two instances measure adds up, survives a restart, and is forgotten after 90 days.
func TestMeasurementsAreKept(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clockAt(t, "2026-11-20T12:00:00Z")
	one, two := newProber(pool, c), newProber(pool, c)
	for range 9 {
		one.Record("one", c.Now(), 10*time.Millisecond, "")
	}
	two.Record("one", c.Now(), 200*time.Millisecond, "")
	two.Record("one", c.Now(), 0, "status 503")
	for _, p := range []*status.Prober{one, two} {
		p.Save(t.Context())
	}
	again := newProber(pool, c)
	again.Refresh(t.Context())
	o := findOperation(t, again, "one")
	if len(o.Days) != 1 || o.Days[0].OK != 10 || o.Days[0].Failed != 1 || o.Days[0].Date.String() != "2026-11-20" {
		t.Fatalf("%+v", o.Days)
	}
	if d := o.Days[0]; d.Percentile(0.5) != 10*time.Millisecond || d.Percentile(0.95) < 200*time.Millisecond || d.Percentile(0.95) > 252*time.Millisecond {
		t.Errorf("median %s, 95 %% %s", d.Percentile(0.5), d.Percentile(0.95))
	}
	if share, _ := o.Answered(); share != 10.0/11 || o.State != status.Unknown {
		t.Errorf("%v, %s: this instance has called nothing yet", share, o.State)
	}
	c.advance(90 * 24 * time.Hour)
	again.Record("one", c.Now(), time.Millisecond, "")
	again.Refresh(t.Context())
	if o := findOperation(t, again, "one"); len(o.Days) != 1 || o.Days[0].OK != 1 || o.State != status.OK {
		t.Errorf("after 90 days: %+v", o)
	}
	testkit.WantCount(t, pool, 1, "rows are kept", `SELECT count(*) FROM account.probe_day`)
	testkit.WantCount(t, pool, 0, "incidents are kept", `SELECT count(*) FROM account.probe_incident`)
	c.advance(time.Hour)
	testkit.Want(t, findOperation(t, again, "one").State, status.Unknown, "an hour after the last call")
}

// An incident is one, whichever instances find it; it is over once a call is answered or none has failed
// for a while, and a single failure is none.
func TestIncidents(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clockAt(t, "2026-11-20T12:00:00Z")
	one, two := newProber(pool, c), newProber(pool, c)
	one.Record("two", c.Now(), 0, "timeout")
	one.Save(t.Context())
	if r := one.Report(); len(r.Incidents) != 0 || r.State() == status.Failing {
		t.Errorf("one failure: %+v", r)
	}
	c.advance(3 * time.Minute)
	two.Record("two", c.Now(), 0, "status 503")
	two.Save(t.Context())
	two.Refresh(t.Context())
	one.Refresh(t.Context())
	for _, p := range []*status.Prober{one, two} {
		r := p.Report()
		if len(r.Incidents) != 1 || r.Incidents[0].Failures != 2 || r.Incidents[0].Reason != "status 503" ||
			r.Incidents[0].Over || r.State() != status.Failing {
			t.Errorf("%+v", r)
		}
	}
	c.advance(5 * time.Minute)
	two.Record("two", c.Now(), time.Millisecond, "")
	if r := two.Report(); len(r.Incidents) != 1 || !r.Incidents[0].Over || r.State() != status.OK {
		t.Errorf("after an answer: %+v", r)
	}
	c.advance(time.Hour)
	if r := one.Report(); len(r.Incidents) != 1 || !r.Incidents[0].Over || r.State() != status.Unknown {
		t.Errorf("an hour later: %+v", r)
	}
	one.Record("two", c.Now(), 0, "timeout")
	one.Record("two", c.Now(), 0, "timeout")
	one.Refresh(t.Context())
	if r := one.Report(); len(r.Incidents) != 2 || r.Incidents[0].Over || !r.Incidents[1].Over {
		t.Errorf("the next one: %+v", r.Incidents)
	}
}

// While the database is away what is measured is shown, and it is written once when it is back.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	c := clockAt(t, "2026-11-20T12:00:00Z")
	away := testkit.Must(pgxpool.New(t.Context(), url))(t)
	away.Close()
	lost := newProber(away, c)
	for range 3 {
		lost.Record("one", c.Now(), 0, "status 503")
		lost.Save(t.Context())
		c.advance(5 * time.Minute)
	}
	r := lost.Report()
	if !r.Behind || r.Read || len(r.Incidents) != 1 || r.Incidents[0].Failures != 3 ||
		r.State() != status.Failing {
		t.Errorf("%+v", r)
	}
	c.advance(time.Hour)
	lost.Record("one", c.Now(), 0, "status 503") // belongs to no incident
	readOnly := testkit.Must(pgxpool.ParseConfig(url))(t)
	readOnly.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	reading := testkit.Must(pgxpool.NewWithConfig(t.Context(), readOnly))(t)
	defer reading.Close()
	for _, back := range []*pgxpool.Pool{reading, pool, pool} {
		lost.UsePool(back)
		lost.Refresh(t.Context())
		if r := lost.Report(); r.Behind != (back == reading) || len(r.Incidents) != 1 || r.Incidents[0].Failures != 3 || findOperation(t, lost, "one").Days[0].Failed != 4 {
			t.Errorf("once it can be read or written: %+v", r)
		}
	}
	if !lost.Report().Read {
		t.Error("the days before are not read")
	}
}

// Calls are made through the network with the key, and what is no proper answer counts as failed, with why;
// an operation without an example that can be called is not measured.
func TestCalls(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch r.URL.Path {
		case "/good":
			_, _ = w.Write([]byte(`{"count": 1}`))
		case "/tool":
			_, _ = w.Write([]byte(`{"result": {"content": []}}`))
		case "/tool-error":
			_, _ = w.Write([]byte(`{"result": {"isError": true}}`))
		case "/text":
			_, _ = w.Write([]byte(`good`))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	calls := []status.Call{{Operation: "good", Path: "/good"}, {Operation: "tool", Path: "/tool", Message: "{}"},
		{Operation: "tool-error", Path: "/tool-error", Message: "{}"},
		{Operation: "text", Path: "/text"}, {Operation: "down", Path: "/down"}, {Operation: "nothing"}}
	var names []string
	for _, c := range calls {
		names = append(names, c.Operation)
	}
	p := status.NewProber(status.ProberOptions{Pool: pool, Clock: clock.Real{}, Secret: "secret",
		Every: 60 * time.Millisecond, Names: names, Calls: func() []status.Call { return calls }})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { p.Run(ctx, server.URL); close(ended) }()
	testkit.Eventually(t, testkit.Timeout, "two rounds", func() bool {
		o := findOperation(t, p, "down")
		return len(o.Days) == 1 && o.Days[0].Failed >= 2
	})
	stop()
	<-ended
	for name, want := range map[string]string{"good": "", "tool": "", "tool-error": "malformed", "text": "malformed", "down": "status 503"} {
		o := findOperation(t, p, name)
		if len(o.Days) != 1 || (o.Days[0].Failed > 0) != (want != "") || (o.Days[0].OK > 0) != (want == "") {
			t.Errorf("%s: %+v", name, o)
		}
		if want != "" && !slices.ContainsFunc(p.Report().Incidents,
			func(i status.Incident) bool { return i.Operation == name && strings.HasPrefix(i.Reason, want) }) {
			t.Errorf("%s: %+v", name, p.Report().Incidents)
		}
	}
	if o := findOperation(t, p, "nothing"); len(o.Days) != 0 || o.State != status.Unknown {
		t.Errorf("%+v", o)
	}
}
