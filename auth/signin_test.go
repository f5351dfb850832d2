package auth_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/auth"
)

// Whoever plants a session in somebody's browser before they sign in does not share theirs afterwards: each sign-in has
// an id of its own, and only its hash is kept.
func TestEachSignInHasASessionOfItsOwn(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	first, _ := w.join(jeanne)
	a, b := w.signIn(jeanne, home), w.signIn(jeanne, home)
	if a.Token == b.Token || a.Token == "" || w.session(a.Token).ID == w.session(b.Token).ID {
		t.Errorf("two sign-ins, %q and %q", a.Token, b.Token)
	}
	if w.session(a.Token).ID == first.ID {
		t.Error("an old session was taken over")
	}
	for _, bad := range []string{"", "x", a.Token + "x", a.Token[:42], a.Token[:42] + "\x00"} {
		if _, err := w.Session(ctx, bad); !errors.Is(err, auth.ErrNoSession) {
			t.Errorf("session %q: %v", bad, err)
		}
	}
	if n := w.count(`SELECT count(*) FROM account.session s WHERE position($1 IN s::text) > 0`, a.Token); n != 0 {
		t.Error("the cookie is kept in clear")
	}
}

// A session lives thirty days after its last use, is written rarely, and dies by itself.
func TestSessionSlides(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	in := w.signIn(jeanne, home)
	start := w.clock.Now()
	w.clock.Advance(59 * time.Second)
	if s := w.session(in.Token); !s.LastUsedAt.Equal(start) || !s.ExpiresAt.Equal(start.Add(30*24*time.Hour)) {
		t.Errorf("written within a minute: %+v", s)
	}
	w.clock.Advance(time.Second)
	if s := w.session(in.Token); !s.LastUsedAt.Equal(w.clock.Now()) || !s.ExpiresAt.Equal(start.Add(30*24*time.Hour)) {
		t.Errorf("after a minute: %+v", s)
	}
	for range 3 {
		w.clock.Advance(29 * 24 * time.Hour)
		if s := w.session(in.Token); !s.ExpiresAt.Equal(w.clock.Now().Add(30 * 24 * time.Hour)) {
			t.Errorf("not moved on: %+v", s)
		}
	}
	w.clock.Advance(30 * 24 * time.Hour)
	if _, err := w.Session(ctx, in.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("a session that nobody used for thirty days: %v", err)
	}
}

// Guessing is slowed down to four tries an hour, and what slows it down ends by itself: an owner with a new browser
// waits a quarter of an hour at most, one with a browser that we know does not wait at all.
func TestGuessingIsSlowedDown(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, device := w.join(jeanne)
	tried := 0
	var longest time.Duration
	for end := w.clock.Now().Add(3 * time.Hour); w.clock.Now().Before(end); {
		// Another network each time: this is about the account.
		_, err := w.SignIn(ctx, jeanne, "wrong", from(fmt.Sprintf("10.%d.%d.1", tried/250, tried%250)))
		var p *auth.Problem
		if !errors.As(err, &p) {
			t.Fatal(err)
		}
		if p.Code == auth.CodeSignIn {
			tried++
			continue
		}
		longest = max(longest, p.Wait)
		w.clock.Advance(p.Wait)
	}
	if longest != 15*time.Minute {
		t.Errorf("the longest pause is %v", longest)
	}
	if tried < 15 || tried > 30 {
		t.Errorf("%d guesses in three hours", tried)
	}
	_, err := w.SignIn(ctx, jeanne, "wrong", from("203.0.113.77"))
	w.want(err, auth.CodeSignIn)
	owner := home
	_, err = w.SignIn(ctx, jeanne, goodPassword, owner)
	w.want(err, auth.CodeWait)
	owner.Device = device
	if in, err := w.SignIn(ctx, jeanne, goodPassword, owner); err != nil || in.Device != device {
		t.Errorf("the owner's own browser: %v", err)
	}
	// That did not help whoever guesses, and trying did not prolong the owner's wait.
	_, err = w.SignIn(ctx, jeanne, goodPassword, home)
	w.want(err, auth.CodeWait)
	for range 99 {
		w.clock.Advance(9 * time.Second)
		_, _ = w.SignIn(ctx, jeanne, "wrong", from("203.0.113.77"))
	}
	w.clock.Advance(9 * time.Second)
	if _, err := w.SignIn(ctx, jeanne, goodPassword, home); err != nil {
		t.Errorf("after a quarter of an hour: %v", err)
	}
	// Success starts anew.
	for range 4 {
		_, err := w.SignIn(ctx, jeanne, "wrong", home)
		w.want(err, auth.CodeSignIn)
	}
}

// The device cookie exempts nobody else: not on another account, not when made up, and it has its own count.
func TestDeviceCookieIsBound(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	_, foreign := w.join("paul@exemple.fr")
	for range 5 {
		_, err := w.SignIn(ctx, jeanne, "wrong", home)
		w.want(err, auth.CodeSignIn)
	}
	for _, device := range []string{"", foreign, foreign + "x", "AAAA"} {
		o := home
		o.Device = device
		_, err := w.SignIn(ctx, jeanne, goodPassword, o)
		w.want(err, auth.CodeWait)
	}
	w.clock.Advance(time.Hour)
	own := w.signIn(jeanne, home).Device
	o := home
	o.Device = own
	for range 5 {
		_, err := w.SignIn(ctx, jeanne, "wrong", o)
		w.want(err, auth.CodeSignIn)
	}
	_, err := w.SignIn(ctx, jeanne, goodPassword, o)
	w.want(err, auth.CodeWait)
	if _, err := w.SignIn(ctx, jeanne, goodPassword, home); err != nil {
		t.Errorf("failures of one device count against others: %v", err)
	}
}

// Guesses sent all at once cannot slip through before the first of them is counted.
func TestGuessesAtOnceAreCounted(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	var judged atomic.Int64
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, err := w.SignIn(ctx, jeanne, "wrong", home)
			if code(t, err) == auth.CodeSignIn {
				judged.Add(1)
			}
		})
	}
	wg.Wait()
	if n := judged.Load(); n != 5 {
		t.Errorf("%d of 40 guesses at once were judged, want 5", n)
	}
}

// One network that tries a common password on many accounts is slowed down; its neighbour is not. IPv6 counts by /64.
func TestNetworkIsSlowedDown(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	judged := 0
	for i := range 30 {
		_, err := w.SignIn(ctx, fmt.Sprintf("user%d@exemple.fr", i), "wrong", from(fmt.Sprintf("2001:db8:1:2::%d", i+1)))
		if code(t, err) == auth.CodeSignIn {
			judged++
		}
	}
	if judged != 20 {
		t.Errorf("%d of 30 judged, want 20", judged)
	}
	_, err := w.SignIn(ctx, "other@exemple.fr", "wrong", from("2001:db8:1:3::1"))
	w.want(err, auth.CodeSignIn)
	w.clock.Advance(31 * time.Minute)
	_, err = w.SignIn(ctx, "other@exemple.fr", "wrong", from("2001:db8:1:2::1"))
	w.want(err, auth.CodeSignIn)
}

// A mail tells of a sign-in on a browser that was not seen before, and not of the others.
func TestNewDeviceIsTold(t *testing.T) {
	w := newWorld(t)
	_, device := w.join(jeanne)
	o := home
	o.Device = device
	w.signIn(jeanne, o)
	if n := len(w.mails()); n != 1 {
		t.Errorf("%d mails, want that of the sign-up only", n)
	}
	in := w.signIn(jeanne, from("2001:db8::7"))
	if in.Device == "" || in.Device == device {
		t.Errorf("device %q", in.Device)
	}
	m := w.mail(mail.NewSignIn)
	if m.To != jeanne || m.Values["device"] != "Firefox, Linux" || m.Values["address"] != "2001:db8::7" || m.Values["at"] != "2026-03-01T12:00:00Z" {
		t.Errorf("mail %+v", m)
	}
}

// Whoever signs up and then signs in learns nothing about the address: before it is confirmed the right password is
// answered like a wrong one, and a new link is written to its owner.
func TestUnconfirmedSignInIsAWrongOne(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	w.signUp("paul@exemple.fr")
	_, err := w.SignUp(ctx, jeanne, "the password of a stranger", home)
	w.must(err)
	before := len(w.mails())
	for address, password := range map[string]string{"paul@exemple.fr": goodPassword, jeanne: "the password of a stranger"} {
		in, err := w.SignIn(ctx, address, password, home)
		w.want(err, auth.CodeSignIn)
		if in.Token != "" || in.Pending != "" || in.Device != "" {
			t.Errorf("%s: %+v", address, in)
		}
	}
	if n := len(w.mails()) - before; n != 1 {
		t.Errorf("%d mails, want a new link for the one that is not confirmed", n)
	}
}

// When too many sign in at once the rest is told so, nobody's try is lost, and whoever leaves the line is let go.
func TestTooManyAtOnce(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	line := auth.NewHasher(1, 0, time.Minute)
	w.HashWith(line)
	w.must(line.Acquire(ctx))
	for range 10 { // more than the free tries: none of them counts
		_, err := w.SignIn(ctx, jeanne, goodPassword, home)
		w.want(err, auth.CodeBusy)
	}
	_, err := w.SignUp(ctx, "paul@exemple.fr", goodPassword, home)
	w.want(err, auth.CodeBusy)
	line.Release()
	w.signIn(jeanne, home)
}

// The line before the hashes is as long as it is said to be, and waiting ends with the request.
func TestHashingLine(t *testing.T) {
	t.Parallel()
	h := auth.NewHasher(1, 3, time.Minute)
	if err := h.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 3)
	for range 3 {
		go func() { gone <- h.Acquire(ctx) }()
	}
	for deadline := time.Now().Add(10 * time.Second); h.Waiting() < 3; {
		if time.Now().After(deadline) {
			t.Fatal("they do not wait")
		}
	}
	if got := code(t, h.Acquire(t.Context())); got != auth.CodeBusy {
		t.Errorf("the fourth in line: %q", got)
	}
	cancel()
	for range 3 {
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("whoever left: %v", err)
		}
	}
	h.Release()
	if err := h.Acquire(t.Context()); err != nil || h.Waiting() != 0 {
		t.Errorf("after all left: %v, %d waiting", err, h.Waiting())
	}
}

// The processors are never all busy with passwords, and the hash that is checked for nobody costs what others do.
func TestHashingCost(t *testing.T) {
	t.Parallel()
	if n := auth.Passwords().Slots(); n < 1 || n > 1 && n >= gomaxprocs() {
		t.Errorf("%d hashes at a time on %d processors", n, gomaxprocs())
	}
	if !sameCost(auth.NobodysHash) {
		t.Errorf("the hash for nobody has other parameters: %s", auth.NobodysHash)
	}
}

// Failed and successful sign-ins are on record with where they came from.
func TestSignInsAreRecorded(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, _ := w.join(jeanne)
	_, err := w.SignIn(ctx, jeanne, "wrong", from("198.51.100.9"))
	w.want(err, auth.CodeSignIn)
	w.signIn(jeanne, home)
	entries, err := audit.List(ctx, w.pool, sess.Account, 0, 2)
	w.must(err)
	if len(entries) != 2 || entries[0].Action != audit.ActionSignedIn || entries[1].Action != audit.ActionSignInFailed ||
		entries[1].Address.String() != "198.51.100.9" || entries[1].Actor != audit.ActorAccount || entries[1].Agent == "" {
		t.Errorf("record %+v", entries)
	}
}
