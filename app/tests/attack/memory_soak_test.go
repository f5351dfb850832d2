//go:build soak

package attack_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/harness"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// These tests attack the program as a process of its own and watch its memory. They run alone, on request:
//
//	go test -tags soak -run 'TestSoak' -count 1 -timeout 30m -v ./app/tests/attack

// memoryGuard is the resident memory, in MiB, at which a server under attack is killed, so
// that it does not take the machine with it.
const memoryGuard = 4096

// attacked is a server process under attack.
type attacked struct {
	*fixture.Site
	server *harness.Server
	killed atomic.Bool
}

// attackedServer starts the program with all that it can offer: accounts, assistants, payments.
func attackedServer(t *testing.T) *attacked {
	t.Helper()
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	a := &attacked{Site: &fixture.Site{Service: fixture.New(t, fixture.Territory), Mails: testkit.NewSMTP(t)}}
	binary := testkit.Must(harness.Build(t.Context(), t.TempDir()))(t)
	// Output goes to a file: a pipe would cost this process time that the attack needs.
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	testkit.NoError(t, err)
	t.Cleanup(func() { log.Close() })
	p := harness.Program{Path: binary, Log: log, Env: []string{"ARPENT_MODE=development", "ARPENT_LOG_LEVEL=warn",
		"ARPENT_DATABASE_URL=" + a.URL, "ARPENT_STATE_DIR=" + t.TempDir(), "ARPENT_DATA=" + t.TempDir(),
		"ARPENT_SMTP_URL=" + a.Mails.URL(), "ARPENT_STRIPE_URL=" + sim.URL(), "ARPENT_STRIPE_KEY=" + stripesim.DefaultKey,
		"ARPENT_STRIPE_WEBHOOK_SECRET=" + stripesim.DefaultWebhookSecret}}
	for plan, price := range stripesim.Prices() {
		p.Env = append(p.Env, config.PriceSetting(plan)+"="+price)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if a.server, err = p.Serve(ctx); err != nil {
		text, _ := os.ReadFile(log.Name()) // it says more than the error
		t.Fatalf("%v\n%s", err, text)
	}
	t.Cleanup(a.server.Kill)
	a.Base = a.server.Base
	go a.guard(t.Context())
	return a
}

// guard kills the server before it takes the machine with it.
func (a *attacked) guard(ctx context.Context) {
	for ctx.Err() == nil {
		now, _, err := a.server.Memory()
		if err != nil {
			return // it has ended
		}
		if now > memoryGuard {
			a.killed.Store(true)
			a.server.Kill()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// memory is what a server holds while something happens to it, in MiB.
type memory struct{ before, highest, after float64 }

func (m memory) grown() float64 { return m.highest - m.before }

func (m memory) String() string {
	return fmt.Sprintf("before %.1f MiB, highest %.1f MiB, after %.1f MiB", m.before, m.highest, m.after)
}

// during measures; it fails the test when the server had to be killed.
func (a *attacked) during(t *testing.T, attack func()) (m memory) {
	t.Helper()
	testkit.NoError(t, a.server.ForgetPeak())
	m.before, _ = a.memory(t)
	attack()
	if a.killed.Load() {
		t.Fatalf("the server passed %d MiB and was killed; before: %.1f MiB", memoryGuard, m.before)
	}
	m.after, m.highest = a.memory(t)
	return m
}

func (a *attacked) memory(t *testing.T) (now, highest float64) {
	t.Helper()
	now, highest, err := a.server.Memory()
	testkit.NoError(t, err)
	return now, highest
}
