package auth_test

import (
	"errors"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/auth"
)

// Who is signed out everywhere is out, also with what was already under way: a thief's request that waits for a provider
// or for a hash does not put a new password or identity in place after the owner has ended all sessions.
func TestEndedSessionActsNoMore(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	owner, _ := w.join(jeanne)
	thief := w.session(w.signIn(jeanne, home).Token)
	enrolment, err := w.BeginTOTP(ctx, thief)
	w.must(err)
	_, err = w.EndOtherSessions(ctx, owner, home)
	w.must(err)
	for name, act := range map[string]func() error{
		"password": func() error { return w.ChangePassword(ctx, thief, goodPassword, newPassword, home) },
		"email":    func() error { return w.RequestEmailChange(ctx, thief, "autre@exemple.fr", home) },
		"link":     func() error { return w.LinkIdentity(ctx, thief, claim("google", "1", jeanne, true), home) },
		"second": func() error {
			_, err := w.EnableTOTP(ctx, thief, enrolment.Sealed, w.totp(enrolment.Secret), home)
			return err
		},
		"export":   func() error { _, err := w.Export(ctx, thief, home); return err },
		"sessions": func() error { return w.EndAllSessions(ctx, thief, home) },
		"deletion": func() error { return w.Delete(ctx, thief, home) },
	} {
		if err := act(); !errors.Is(err, auth.ErrNoSession) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.session(w.signIn(jeanne, home).Token)
}

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
	for range 2 { // until its last day is nearer: see TestSessionHasALastDay
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

// People see where they are signed in, and end any of it.
func TestSessionsAreListedAndEnded(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	phone := home
	phone.Agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	w.clock.Advance(time.Hour)
	other := w.signIn(jeanne, phone)
	w.clock.Advance(time.Hour)
	sess := w.session(w.signIn(jeanne, home).Token)
	all, err := w.Sessions(ctx, sess)
	w.must(err)
	if len(all) != 3 || !all[0].Current || all[0].ID != sess.ID || all[1].Current || all[1].Device != "Safari, iPhone" ||
		all[1].Address != "192.0.2.10" || all[1].Method != "password" || all[0].Device != "Firefox, Linux" {
		t.Errorf("sessions %+v", all)
	}
	w.must(w.EndSession(ctx, sess, all[1].ID, home))
	if _, err := w.Session(ctx, other.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("the ended session: %v", err)
	}
	w.want(w.EndSession(ctx, sess, all[1].ID, home), "missing")
	if n, err := w.EndOtherSessions(ctx, sess, home); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if m := w.mail(mail.SessionsEnded); m.Values["count"] != "1" {
		t.Errorf("mail %+v", m)
	}
	w.must(w.SignOut(ctx, sess, home))
	w.must(w.SignOut(ctx, sess, home))
	if n := w.count(`SELECT count(*) FROM account.session`); n != 0 {
		t.Errorf("%d sessions left", n)
	}
}

// An operator signs an account out everywhere at once, on record as the operator's act, and nobody else with it.
func TestOperatorEndsSessions(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	w.join("paul@exemple.fr")
	mine, theirs := w.signIn(jeanne, home), w.signIn("paul@exemple.fr", home)
	accounts := auth.NewAccounts(w.pool, w.clock)
	a, err := accounts.ByEmail(ctx, jeanne)
	w.must(err)
	for _, want := range []int{2, 0} {
		if n, err := accounts.EndSessions(ctx, a.ID); n != want || err != nil {
			t.Errorf("ended %d, %v; want %d", n, err, want)
		}
	}
	if _, err := w.Session(ctx, mine.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("the session goes on: %v", err)
	}
	if _, err := w.Session(ctx, theirs.Token); err != nil {
		t.Errorf("a session of another account: %v", err)
	}
	if n := w.count(`SELECT count(*) FROM account.audit WHERE action = 'sessions_ended' AND actor = 'operator'`); n != 1 {
		t.Errorf("%d on record", n)
	}
}

// A cookie that was copied is worth nothing ninety days after the sign-in, whatever it is used for meanwhile, and nor is one of a
// session whose row an older version of the service moved on beyond that.
func TestSessionHasALastDay(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	in := w.signIn(jeanne, home)
	start := w.clock.Now()
	last := start.Add(90 * 24 * time.Hour)
	for range 8 {
		w.clock.Advance(11 * 24 * time.Hour)
		if s := w.session(in.Token); s.ExpiresAt.After(last) || !s.CreatedAt.Equal(start) {
			t.Fatalf("goes on to %v", s.ExpiresAt)
		}
	}
	if _, err := w.pool.Exec(ctx, `UPDATE account.session SET expires_at = $1`, last.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.clock.Set(last.Add(-time.Second))
	sess := w.session(in.Token)
	w.clock.Set(last)
	if _, err := w.Session(ctx, in.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("on its last day: %v", err)
	}
	if _, err := w.Address(ctx, in.Token); !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("its address: %v", err)
	}
	if all, err := w.Sessions(ctx, sess); err != nil || len(all) != 0 {
		t.Errorf("listed: %+v, %v", all, err)
	}
	w.must(w.Clean(ctx))
	if n := w.count(`SELECT count(*) FROM account.session`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
