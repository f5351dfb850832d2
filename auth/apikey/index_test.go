package apikey_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/pgdb"
)

// startIndex makes an index that follows the database, as each instance has one.
func startIndex(t testing.TB, pool *pgxpool.Pool, url string, c clock.Clock) *apikey.Index {
	t.Helper()
	x := apikey.NewIndex(pool, c)
	testkit.NoError(t, x.Load(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	listener := pgdb.NewListener(url, apikey.Channel)
	all.Go(func() { listener.Run(ctx) })
	all.Go(func() { x.Run(ctx, listener) })
	t.Cleanup(func() { stop(); all.Wait() })
	return x
}

func isAccepted(x *apikey.Index, secret string) bool {
	_, err := x.Find(secret)
	return err == nil
}

// waitForNotifications waits until the index hears changes: a key made in the database must reach it.
func waitForNotifications(t testing.TB, s *apikey.Store, pool *pgxpool.Pool, all ...*apikey.Index) {
	t.Helper()
	a := newAccount(t, pool, "listening", true)
	_, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	for _, x := range all {
		testkit.Eventually(t, testkit.Timeout, "listening", func() bool { return isAccepted(x, secret) })
	}
}

// A key works on every instance, and once revoked is refused by every instance: by notification, since nothing
// is read again otherwise. How fast that is, within a second as promised, is for make soak.
func TestChangesArriveWithinASecond(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	s := apikey.NewStore(pool, clock.Real{})
	one, two := startIndex(t, pool, url, clock.Real{}), startIndex(t, pool, url, clock.Real{})
	waitForNotifications(t, s, pool, one, two)
	a := newAccount(t, pool, "a", true)
	key, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "prod"})
	testkit.NoError(t, err)
	_, other, err := s.Create(t.Context(), a, apikey.NewKey{Name: "test"})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "created", func() bool { return isAccepted(one, secret) && isAccepted(two, secret) && isAccepted(two, other) })
	e, err := one.Find(secret)
	if err != nil || e.ID != key.ID || e.Account != a || e.Plan != "standard" || e.PerDay != nil {
		t.Errorf("found %+v, %v", e, err)
	}
	testkit.Exec(t, pool, `UPDATE account.account SET plan = 'pro', per_day = 7 WHERE id = $1`, a)
	testkit.Eventually(t, testkit.Timeout, "plan changed", func() bool {
		e, err := two.Find(secret)
		return err == nil && e.Plan == "pro" && e.PerDay != nil && *e.PerDay == 7
	})
	testkit.Must(s.Revoke(t.Context(), a, key.ID))(t)
	testkit.Eventually(t, testkit.Timeout, "revoked", func() bool { return !isAccepted(one, secret) && !isAccepted(two, secret) })
	if !isAccepted(one, other) {
		t.Error("the account's other key is gone too")
	}
	testkit.Exec(t, pool, `DELETE FROM account.account WHERE id = $1`, a)
	testkit.Eventually(t, testkit.Timeout, "account deleted", func() bool { return !isAccepted(one, other) && !isAccepted(two, other) })
}

// A key is good until it expires and not an instant longer, without anything being read.
func TestExpiry(t *testing.T) {
	pool, c, s, a := newStore(t)
	end := noon.Add(time.Hour)
	_, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "x", ExpiresAt: &end})
	testkit.NoError(t, err)
	x := apikey.NewIndex(pool, c)
	testkit.NoError(t, x.Load(t.Context()))
	c.Set(end.Add(-time.Microsecond))
	if !isAccepted(x, secret) {
		t.Error("refused before its end")
	}
	c.Set(end)
	if isAccepted(x, secret) {
		t.Error("accepted at its end")
	}
}

// When the connection breaks, what happened meanwhile is learnt as soon as there is another one.
func TestConnectionBroken(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	s := apikey.NewStore(pool, clock.Real{})
	x := startIndex(t, pool, url, clock.Real{})
	waitForNotifications(t, s, pool, x)
	a := newAccount(t, pool, "a", true)
	key, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "prod"})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "created", func() bool { return isAccepted(x, secret) })
	// The listener ends in the transaction in which the key is revoked, so that the
	// index gets no notification of it.
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'arpent listener'`)
		if err == nil {
			_, err = tx.Exec(t.Context(), `UPDATE account.api_key SET revoked_at = now() WHERE id = $1`, key.ID)
		}
		return err
	})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "revoked", func() bool { return !isAccepted(x, secret) })
}

// A change that cannot be read when the database notifies of it is read a moment later, and not a minute.
func TestReadingFails(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	s := apikey.NewStore(pool, clock.Real{})
	x := startIndex(t, pool, url, clock.Real{})
	a := newAccount(t, pool, "a", true)
	_, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "prod"})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "created", func() bool { return isAccepted(x, secret) })
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `LOCK TABLE account.api_key IN ACCESS EXCLUSIVE MODE; ALTER TABLE account.api_key DISABLE TRIGGER USER;
			UPDATE account.api_key SET revoked_at = now(); ALTER TABLE account.api_key ENABLE TRIGGER USER`) // sends no notification
		if err != nil {
			return err
		}
		if _, err := pool.Exec(t.Context(), `SELECT pg_notify($1, $2)`, apikey.Channel, strconv.FormatInt(int64(a), 10)); err != nil {
			return err
		}
		testkit.Eventually(t, testkit.Timeout, "reading", func() bool {
			return testkit.Count(t, pool, `SELECT count(*) FROM (SELECT pg_cancel_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM account.api_key k JOIN%') c`) > 0
		})
		return nil
	})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "revoked", func() bool { return !isAccepted(x, secret) })
}

// Who acts for the owner gets the one key that is named, also one that was made elsewhere
// a moment ago, and none of another account.
func TestLiveKeyOfAnAccount(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	s, x := apikey.NewStore(pool, clock.At(noon)), apikey.NewIndex(pool, clock.At(noon))
	a, other := newAccount(t, pool, "a", true), newAccount(t, pool, "b", true)
	var last apikey.Key
	for _, name := range []string{"first", "second"} {
		key, _, err := s.Create(t.Context(), a, apikey.NewKey{Name: name})
		testkit.NoError(t, err)
		if e, err := x.Of(t.Context(), a, key.ID); err != nil || e.ID != key.ID || e.Account != a {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		last = key
	}
	if e, err := x.Of(t.Context(), other, last.ID); !errors.Is(err, apikey.ErrInvalid) {
		t.Errorf("the key of another account: %+v, %v", e, err)
	}
	testkit.Must(s.Revoke(t.Context(), a, last.ID))(t)
	testkit.NoError(t, x.Refresh(t.Context(), a))
	if e, err := x.Of(t.Context(), a, last.ID); !errors.Is(err, apikey.ErrInvalid) {
		t.Errorf("a revoked key: %+v, %v", e, err)
	}
}

// Without a database the keys that are known go on working.
func TestDatabaseAway(t *testing.T) {
	pool, _, s, a := newStore(t)
	_, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	x := apikey.NewIndex(pool, clock.At(noon))
	testkit.NoError(t, x.Load(t.Context()))
	pool.Close()
	if err := x.Load(t.Context()); err == nil {
		t.Fatal("a closed pool answers")
	}
	if !isAccepted(x, secret) {
		t.Error("the key is forgotten")
	}
}

// Every key that is not accepted gets the same answer, so that a client cannot find out which keys exist.
func TestOneAnswerToInvalidKeys(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	x := apikey.NewIndex(pool, clock.At(noon))
	unknown, _ := apikey.New()
	for _, presented := range []string{"", "x", unknown, unknown[:41] + "!", strings.Repeat("a", 10_000)} {
		if e, err := x.Find(presented); e != nil || !errors.Is(err, apikey.ErrInvalid) {
			t.Errorf("%.50q: %v, %v", presented, e, err)
		}
	}
}

// Finding a key, right or wrong, costs no query and no memory.
func TestFindAllocatesNothing(t *testing.T) {
	pool, _ := testkit.DB(t)
	s := apikey.NewStore(pool, clock.At(noon))
	_, secret, err := s.Create(t.Context(), newAccount(t, pool, "a", true), apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	x := apikey.NewIndex(pool, clock.At(noon))
	testkit.NoError(t, x.Load(t.Context()))
	wrong, _ := apikey.New()
	before := pool.Stat().AcquireCount()
	n := testing.AllocsPerRun(1_000, func() {
		_, _ = x.Find(secret)
		_, _ = x.Find(wrong)
	})
	if n != 0 || pool.Stat().AcquireCount() != before {
		t.Errorf("%v allocations, %d queries", n, pool.Stat().AcquireCount()-before)
	}
}

func BenchmarkFind(b *testing.B) {
	pool, _ := testkit.DB(b)
	s := apikey.NewStore(pool, clock.Real{})
	_, secret, err := s.Create(b.Context(), newAccount(b, pool, "a", true), apikey.NewKey{Name: "x"})
	testkit.NoError(b, err)
	x := apikey.NewIndex(pool, clock.Real{})
	testkit.NoError(b, x.Load(b.Context()))
	wrong, _ := apikey.New()
	for name, presented := range map[string]string{"right": secret, "well-formed and wrong": wrong, "malformed": wrong[:41] + "!"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = x.Find(presented)
			}
		})
	}
}
