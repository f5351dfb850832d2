package meter_test

import (
	"context"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing/meter"
	"arpent/internal/clock"
)

// A restart gives nothing back: a crash loses at most what was
// counted since the last flush, less than a second.
func TestCrash(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	first := b.meter(c)
	for range 7 {
		sendRequest(first, a, k, ampleLimits(10), 200)
	}
	b.flush(first)
	sendRequest(first, a, k, ampleLimits(10), 200) // lost with the process

	for name, load := range map[string]bool{"preloaded": true, "at first sight": false} {
		second := b.meter(c)
		if load {
			testkit.NoError(t, second.Load(t.Context()))
		}
		if v := second.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(10), Cost: 1}); v.QuotaUsed != 8 {
			t.Errorf("%s: %d used", name, v.QuotaUsed)
		}
	}
}

// Two instances on one database count together: each reads with its flushes what the other has added.
func TestTwoInstances(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m1, m2 := b.meter(c), b.meter(c)
	for range 4 {
		sendRequest(m1, a, k, ampleLimits(10), 200)
		sendRequest(m2, a, k, ampleLimits(10), 200)
	}
	b.flush(m1)
	b.flush(m2)
	wantUsed(t, 9, "second instance", m2, a, k, ampleLimits(10), 200)
	b.flush(m2)
	sendRequest(m1, a, k, ampleLimits(10), 304) // nothing to add, and yet it reads
	b.flush(m1)
	wantUsed(t, 10, "first instance", m1, a, k, ampleLimits(10), 200)
	b.flush(m1)
	testkit.Want(t, b.stored(a, clock.Day(noon)), 10, "stored")
}

// A batch whose acknowledgement is lost after the commit is not counted twice.
func TestLostAcknowledgement(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	for range 3 {
		sendRequest(m, a, k, ampleLimits(100), 200)
	}
	testkit.NoError(t, meter.FlushUnacknowledged(t.Context(), m))
	sendRequest(m, a, k, ampleLimits(100), 200)
	b.flush(m)
	testkit.Want(t, b.stored(a, clock.Day(noon)), 4, "stored")
	wantUsed(t, 5, "after the flush", m, a, k, ampleLimits(100), 200)
}

// The mark of an instance that may still write stays, else its last
// batch could count twice; those of long ago go.
func TestMarksOfFormerInstances(t *testing.T) {
	b := newFixture(t)
	testkit.Exec(t, b.pool, `INSERT INTO account.meter_flush (instance, batch, at)
		VALUES ('old', 1, now() - interval '8 days'), ('other', 1, now() - interval '6 days')`)
	b.instance("", clock.At(noon))
	testkit.Eventually(t, testkit.Timeout, "the old mark to go", func() bool {
		return testkit.Count(t, b.pool, `SELECT count(*) FROM account.meter_flush WHERE instance = 'old'`) == 0
	})
	if testkit.Count(t, b.pool, `SELECT count(*) FROM account.meter_flush WHERE instance = 'other'`) != 1 {
		t.Error("the mark of another instance is gone")
	}
}

// While PostgreSQL is away requests go on being admitted and counted, and
// nothing is lost or doubled once it is back.
func TestDatabaseAway(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	sendRequest(m, a, k, ampleLimits(10), 200)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		sendRequest(m, a, k, ampleLimits(10), 200)
		if err := m.Flush(gone); err == nil {
			t.Fatal("a flush without a database succeeds")
		}
	}
	if _, used := sendRequest(m, a, k, ampleLimits(10), 200); used != 5 {
		t.Errorf("%d used while away, want 5", used)
	}
	c.Advance(time.Hour)
	meter.Release(m) // of an account that sleeps, but for what is not written
	b.flush(m)
	if got, usage := b.stored(a, clock.Day(noon)), testkit.Count(t, b.pool, `SELECT sum(requests)::int FROM account.usage`); got != 5 || usage != 5 {
		t.Errorf("%d stored, %d in the usage, want 5 and 5", got, usage)
	}
}

// The operator sees that counts wait to be written, how many, and since when.
func TestState(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	check := func(what string, want meter.State) {
		t.Helper()
		got := m.State()
		if !got.LastFlush.Equal(want.LastFlush) {
			t.Errorf("%s: flushed at %v, want %v", what, got.LastFlush, want.LastFlush)
		}
		if got.LastFlush = want.LastFlush; got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	check("at first", meter.State{LastFlush: noon})
	sendRequest(m, a, k, ampleLimits(10), 200)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	c.Advance(time.Second)
	_ = m.Flush(gone)
	sendRequest(m, a, k, ampleLimits(10), 304)
	check("while away", meter.State{Accounts: 1, LastFlush: noon, Unwritten: 2, FlushFailing: true})
	b.flush(m)
	check("once back", meter.State{Accounts: 1, LastFlush: noon.Add(time.Second)})
}

// An account that appears while PostgreSQL is away is served, and its count follows once it is back.
func TestFirstSightWithoutDatabase(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	before := b.meter(c)
	for range 5 {
		sendRequest(before, a, k, ampleLimits(10), 200)
	}
	b.flush(before)

	rename := func(from, to string) {
		t.Helper()
		testkit.Exec(t, b.pool, `ALTER TABLE account.`+from+` RENAME TO `+to)
	}
	m := b.meter(c)
	rename("quota_day", "hidden")
	if v, used := sendRequest(m, a, k, ampleLimits(10), 200); v.Rejection != meter.None || used != 1 {
		t.Errorf("while away: %+v", v)
	}
	rename("hidden", "quota_day")
	c.Advance(time.Second)
	if err := meter.FlushUnacknowledged(t.Context(), m); err != nil { // what is read next is in the database and on its way there
		t.Fatal(err)
	}
	if u := m.Usage(t.Context(), a, ampleLimits(10)); u.DayUsed != 6 || !u.DayKnown {
		t.Errorf("shown once back: %+v, want 6", u)
	}
	wantUsed(t, 7, "once back", m, a, k, ampleLimits(10), 200)
	b.flush(m)
	wantUsed(t, 8, "after a flush", m, a, k, ampleLimits(10), 200)
}

// Deleting one account does not keep the counts of the others from being written.
func TestDeletedAccount(t *testing.T) {
	b, a, k := newAccount(t)
	other, otherKey := b.account("b")
	m := b.meter(clock.At(noon))
	sendRequest(m, a, k, ampleLimits(10), 200)
	sendRequest(m, other, otherKey, ampleLimits(10), 200)
	testkit.Exec(t, b.pool, `DELETE FROM account.account WHERE id = $1`, a)
	b.flush(m)
	if got := b.stored(other, clock.Day(noon)); got != 1 {
		t.Errorf("the other account: %d stored, want 1", got)
	}
}
