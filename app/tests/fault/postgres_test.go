//go:build soak

package fault_test

import (
	"testing"
	"time"

	"arpent/app/dev/harness"
)

// Whoever restarts PostgreSQL, in good order or by a crash, takes from customers what only it knows, for as long as it is away:
// no answer is wrong, no good key is refused, and what was answered is counted, once.
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
func during(down, up time.Time) func(*harness.Outcome) bool {
	return func(o *harness.Outcome) bool { return o.Received.After(down) && o.Due.Before(up) }
}

// returned fails unless 99 of 100 requests are fine from 5 seconds after something is back.
func returned(t *testing.T, outcomes []harness.Outcome, up time.Time) {
	t.Helper()
	part, of := share(outcomes, up.Add(5*time.Second), up.Add(time.Hour))
	t.Logf("the last request that was not served was due %s after the return; of the %d due later than 5 s after it %.2f %% are fine",
		lastUnavailable(outcomes).Sub(up).Round(time.Millisecond), of, 100*part)
	if part < 0.99 {
		t.Errorf("only %.2f %% are fine 5 s after the return", 100*part)
	}
}
