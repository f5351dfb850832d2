//go:build soak

package fault_test

import (
	"strings"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// A restart of PostgreSQL, in good order or by a crash, takes from customers what only it knows, for as long
// as it is away: no answer is wrong, no good key is refused, and what was answered is counted, once.
func TestSoakFaultPostgresRestarts(t *testing.T) {
	w := newWorld(t)
	w.start()
	mix := w.mix()
	for name, stop := range map[string]func(){"stopped": w.database.Stop, "killed": w.database.Kill} {
		t.Run(name, func(t *testing.T) {
			before := w.usedNow()
			end := mix.Start()
			time.Sleep(5 * time.Second)
			down := time.Now()
			stop()
			time.Sleep(5 * time.Second)
			w.database.Start()
			up := time.Now()
			time.Sleep(15 * time.Second)
			outcomes := end()
			describe(t, name, outcomes)
			wrong(t, outcomes, during(down, up.Add(5*time.Second)))
			returned(t, outcomes, up)
			w.exact(before, outcomes)
		})
	}
}

// during allows what was on its way while something was away.
func during(down, up time.Time) func(*outcome) bool {
	return func(o *outcome) bool { return o.Received.After(down) && o.Due.Before(up) }
}

// returned fails unless 99 of 100 requests are fine from 5 seconds after something is back.
func returned(t *testing.T, outcomes []outcome, up time.Time) {
	t.Helper()
	part, of := share(outcomes, up.Add(5*time.Second), up.Add(time.Hour))
	if last := lastUnavailable(outcomes); last.IsZero() {
		t.Log("every request was served")
	} else {
		t.Logf("the last request that was not served was due %s after the return", last.Sub(up).Round(time.Millisecond))
	}
	t.Logf("of the %d requests due later than 5 s after the return %.2f %% are fine", of, 100*part)
	if part < 0.99 {
		t.Errorf("only %.2f %% are fine 5 s after the return", 100*part)
	}
}

// A PostgreSQL that hangs and keeps its connections holds requests for as long as they may take, and no
// longer; it takes no memory for those that wait, and what waited goes on once it answers.
func TestSoakFaultPostgresHangs(t *testing.T) {
	w := newWorld(t)
	server := w.start()
	mix := w.mix()
	warm := mix.Start()
	time.Sleep(20 * time.Second)
	warm()
	before := w.usedNow()
	at := memory(t, server)
	end := mix.Start()
	time.Sleep(5 * time.Second)
	stopped := time.Now()
	w.database.Pause()
	hangs := time.Now()
	time.Sleep(20 * time.Second)
	w.database.Resume()
	back := time.Now()
	time.Sleep(15 * time.Second)
	outcomes := end()
	describe(t, "hanging for 20 s", outcomes)
	wrong(t, outcomes, during(stopped, back.Add(5*time.Second)))
	returned(t, outcomes, back)
	deadlines(t, outcomes, hangs)
	w.exact(before, outcomes)
	peak := memory(t, server)
	t.Logf("memory: %.1f MiB at its highest before, %.1f MiB since: %+.1f %%", at, peak, 100*(peak/at-1))
	if peak > 1.2*at {
		t.Errorf("the memory rose by %.0f %%", 100*(peak/at-1))
	}
}

// memory is the highest since the server was started.
func memory(t *testing.T, s *harness.Server) float64 {
	t.Helper()
	_, peak, err := s.Memory()
	testkit.NoError(t, err)
	return peak
}

// deadlines are what requests may take, with a second for the machine: a query of the API
// 2 s, a report 5 s, a page 15 s, of which the look-up of a session, where those wait
// that are sent once the database hangs, 4 s.
func deadlines(t *testing.T, outcomes []outcome, hangs time.Time) {
	t.Helper()
	for kind, d := range map[string]struct {
		most time.Duration
		of   func(*outcome) bool
	}{
		"a report":                   {6 * time.Second, func(o *outcome) bool { return strings.HasSuffix(o.Path, "/enrichments") }},
		"a page":                     {5 * time.Second, func(o *outcome) bool { return page(o.Request) && o.Sent.After(hangs) }},
		"a page that was being made": {16 * time.Second, func(o *outcome) bool { return page(o.Request) && !o.Sent.After(hangs) }},
		"a call":                     {3 * time.Second, func(o *outcome) bool { return !page(o.Request) && !strings.HasSuffix(o.Path, "/enrichments") }},
	} {
		took := times(outcomes, d.of)
		if len(took) == 0 {
			continue
		}
		longest := took[len(took)-1]
		t.Logf("%s: the longest took %s", kind, longest.Round(time.Millisecond))
		if longest > d.most {
			t.Errorf("%s took %s, more than %s", kind, longest, d.most)
		}
	}
}
