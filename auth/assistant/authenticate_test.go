package assistant_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/internal/fault"
)

// A call costs no query once the token was seen, and garbage never does. Not parallel: it counts allocations.
func TestAuthenticateCostsNothing(t *testing.T) {
	w := openWorld(t)
	access, refresh := w.connect(w.account("a"), w.public("x"))
	w.accepts(access)
	before := w.pool.Stat().AcquireCount()
	for _, token := range []string{access, refresh, "", "arpa_", access + "x", access[:42] + "!", strings.ToUpper(access), "arp_" + access[5:]} {
		if w.accepts(token) != (token == access) {
			t.Errorf("%q", token)
		}
	}
	testkit.Want(t, w.pool.Stat().AcquireCount()-before, 0, "queries")
	if n := testing.AllocsPerRun(100, func() { _, _ = w.Authenticate(t.Context(), access) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// An access token is good for an hour, here and where it was never seen.
func TestAccessExpires(t *testing.T) {
	w := newWorld(t)
	access, _ := w.connect(w.account("a"), w.public("x"))
	w.clock.Set(noon.Add(time.Hour - time.Second))
	if !w.accepts(access) {
		t.Error("refused too early")
	}
	w.clock.Set(noon.Add(time.Hour))
	if w.accepts(access) || w.start(t).accepts(access) {
		t.Error("accepted too late")
	}
}

// A token that was made elsewhere a moment ago is good for all who bring it
// at once: none of them finds it half learned.
func TestFreshTokenForConcurrentCallsElsewhere(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	for round := range 30 {
		other := w.start(t) // it has an index of its own, which knows nothing of what follows
		access, _ := w.connect(w.account(string(rune('a'+round))), client)
		start := make(chan struct{})
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				<-start
				if _, err := other.Authenticate(t.Context(), access); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		close(start)
		all.Wait()
	}
}

// While the keys cannot be read a token is not taken for a wrong one, now or later, and no request waits
// long: here the index is busy with another reading, which takes no heed of who waits.
func TestKeysThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	other := w.start(t)
	access, _ := w.connect(w.account("a"), w.public("x"))
	tx := testkit.Must(w.pool.Begin(t.Context()))(t)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	// The token is found by what is read before the keys of an account
	// are: the plan of the account is read then.
	testkit.Exec(t, tx, `LOCK TABLE account.account IN ACCESS EXCLUSIVE MODE`)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		_, err := other.Authenticate(ctx, access)
		cancel()
		if fault.From(err).Code != fault.Unavailable || errors.Is(err, assistant.ErrInvalidToken) || errors.Is(err, apikey.ErrInvalid) {
			t.Errorf("%v", err)
		}
	}
	_, err := other.Authenticate(t.Context(), access)
	if fault.From(err).Code != fault.Unavailable { // answered at all, although the table is still locked
		t.Errorf("%v", err)
	}
	testkit.NoError(t, tx.Rollback(t.Context()))
	if !other.accepts(access) {
		t.Error("refused once the keys can be read")
	}
}
