package budget_test

import (
	"testing"
	"time"

	"arpent/internal/budget"
	"arpent/internal/clock"
)

// Unauthenticated work never takes more than its share of the time, however much is asked for.
func TestBudgetHoldsItsShare(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	b := budget.New(budget.Options{Clock: now, Share: 0.25, Reserve: 2 * time.Second})
	var spent time.Duration
	const asked = 20 * time.Millisecond
	for range 60_000 { // a minute, a piece of work wanted every millisecond
		if b.Wait() == 0 {
			b.Spend(asked)
			spent += asked
		}
		now.Advance(time.Millisecond)
	}
	if most := 17*time.Second + asked; spent > most || spent < 16*time.Second {
		t.Errorf("%s spent in a minute, of at most %s", spent, most)
	}
}

// Who is refused knows when to come back.
func TestBudgetSaysWhenThereIsSomethingLeft(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	b := budget.New(budget.Options{Clock: now, Share: 0.5, Reserve: time.Second})
	if b.Wait() != 0 {
		t.Error("a full budget is spent")
	}
	b.Spend(3 * time.Second)
	wait := b.Wait()
	if wait < 4*time.Second || wait > 4*time.Second+10*time.Millisecond {
		t.Errorf("wait %s", wait)
	}
	now.Advance(wait)
	if b.Wait() != 0 {
		t.Error("nothing is left when it was to be")
	}
}
