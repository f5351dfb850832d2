package auth_test

import (
	"errors"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// Who is signed out everywhere is out, also with what was already under way: a thief's
// request that waits for a provider or for a hash does not put a new password or identity in
// place after the owner has ended all sessions.
func TestEndedSessionActsNoMore(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	owner, _ := w.join(jeanne)
	thief := w.session(w.signIn(jeanne, home).Token)
	enrolment := testkit.Must(w.BeginTOTP(ctx, thief))(t)
	testkit.Must(w.EndOtherSessions(ctx, owner, home))(t)
	for name, act := range map[string]func() error{
		"password": func() error { return w.ChangePassword(ctx, thief, goodPassword, newPassword, home) },
		"email":    func() error { return w.RequestEmailChange(ctx, thief, "autre@exemple.fr", home) },
		"link":     func() error { return w.LinkIdentity(ctx, thief, newClaim("google", "1", jeanne, true), home) },
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

// An attacker who plants a session in a browser before its user signs in does not share the user's session
// afterwards: each sign-in has an id of its own, and only its hash is kept.
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
	testkit.WantCount(t, w.pool, 0, "the cookie is kept in clear", `SELECT count(*) FROM account.session s WHERE position($1 IN s::text) > 0`, a.Token)
}

// A session lives thirty days after its last use, is written rarely, and dies by itself.
func TestSessionSlides(t *testing.T) {
	w, ctx, _ := joinWorld(t)
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
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, in.Token)),
		auth.ErrNoSession, "a session not used for thirty days")
}

// People see where they are signed in, and end any of it.
func TestSessionsAreListedAndEnded(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	phone := home
	phone.Agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	w.clock.Advance(time.Hour)
	other := w.signIn(jeanne, phone)
	w.clock.Advance(time.Hour)
	sess := w.session(w.signIn(jeanne, home).Token)
	all := testkit.Must(w.Sessions(ctx, sess))(t)
	if len(all) != 3 || !all[0].Current || all[0].ID != sess.ID || all[1].Current || all[1].Device != "Safari, iPhone" ||
		all[1].Address != "192.0.2.10" || all[1].Method != "password" || all[0].Device != "Firefox, Linux" {
		t.Errorf("sessions %+v", all)
	}
	w.must(w.EndSession(ctx, sess, all[1].ID, home))
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, other.Token)), auth.ErrNoSession, "the ended session")
	w.want(w.EndSession(ctx, sess, all[1].ID, home), "missing")
	if n, err := w.EndOtherSessions(ctx, sess, home); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	if m := w.mail(mail.SessionsEnded); m.Values["count"] != "1" {
		t.Errorf("mail %+v", m)
	}
	w.must(w.SignOut(ctx, sess, home))
	w.must(w.SignOut(ctx, sess, home))
	testkit.WantCount(t, w.pool, 0, "sessions left", `SELECT count(*) FROM account.session`)
}

// A cookie that was copied is worth nothing ninety days after the sign-in, whatever it is used for meanwhile,
// and nor is one of a session whose row an older version of the service moved on beyond that.
func TestSessionHasALastDay(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	in := w.signIn(jeanne, home)
	start := w.clock.Now()
	last := start.Add(90 * 24 * time.Hour)
	for range 8 {
		w.clock.Advance(11 * 24 * time.Hour)
		if s := w.session(in.Token); s.ExpiresAt.After(last) || !s.CreatedAt.Equal(start) {
			t.Fatalf("goes on to %v", s.ExpiresAt)
		}
	}
	testkit.Exec(t, w.pool, `UPDATE account.session SET expires_at = $1`, last.Add(time.Hour))
	w.clock.Set(last.Add(-time.Second))
	sess := w.session(in.Token)
	w.clock.Set(last)
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, in.Token)), auth.ErrNoSession, "on its last day")
	testkit.WantError(t, testkit.ErrorOf(w.Address(ctx, in.Token)), auth.ErrNoSession, "its address")
	if all, err := w.Sessions(ctx, sess); err != nil || len(all) != 0 {
		t.Errorf("listed: %+v, %v", all, err)
	}
	w.must(w.Clean(ctx))
	testkit.WantCount(t, w.pool, 0, "rows are left", `SELECT count(*) FROM account.session`)
}

// withoutPassword takes the password of an account away, as if it had been made at a provider.
func (w *world) withoutPassword(sess auth.Session) {
	w.t.Helper()
	testkit.Exec(w.t, w.pool, `UPDATE account.account SET password_hash = NULL WHERE id = $1`, sess.Account)
}

// An account without a password exports its data and is deleted by a mailed link: the link proves who is
// there once, in its time and in the session that asked for it.
func TestReauthenticateByLink(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	first, _ := w.join(jeanne)
	other := w.session(w.signIn(jeanne, home).Token)
	in := w.signIn(jeanne, home)
	paul, _ := w.join("paul@exemple.fr")
	w.withoutPassword(first)
	w.clock.Advance(time.Hour)
	sess := func() auth.Session { return w.session(in.Token) }
	w.want(testkit.ErrorOf(w.Export(ctx, sess(), home)), auth.CodeVerifyFirst)
	w.want(w.Delete(ctx, sess(), home), auth.CodeVerifyFirst)
	w.must(w.RequestVerifyLink(ctx, sess(), auth.Origin{Address: home.Address, Agent: home.Agent, Language: "fr", Next: "/account/export"}))
	if m := w.mail(mail.Verify); m.To != jeanne || m.Values["address"] != "192.0.2.10" {
		t.Errorf("the mail: %+v", m)
	}
	link := w.link(mail.Verify)
	state, err := w.LookVerifyLink(ctx, sess(), link)
	if err != nil || !state.Valid || state.Elsewhere || state.Next != "/account/export" || state.Email != jeanne {
		t.Errorf("look: %+v, %v", state, err)
	}
	if state, err := w.LookVerifyLink(ctx, other, link); err != nil || !state.Elsewhere {
		t.Errorf("in another session: %+v, %v", state, err)
	}
	if state, err := w.LookVerifyLink(ctx, paul, link); err != nil || state != (auth.LinkState{}) {
		t.Errorf("another account sees %+v, %v", state, err)
	}
	w.want(w.ReauthenticateByLink(ctx, other, link, "", home), auth.CodeOtherSession)
	w.want(w.ReauthenticateByLink(ctx, paul, link, "", home), auth.CodeLinkInvalid)
	w.want(w.ReauthenticateByLink(ctx, sess(), "nonsense", "", home), auth.CodeLinkInvalid)
	w.want(w.ResetPassword(ctx, link, newPassword, home), auth.CodeLinkInvalid)
	for _, s := range []auth.Session{other, paul, sess()} {
		if s.Recent(w.clock.Now(), auth.Freshness) {
			t.Fatal("fresh by a link that was refused")
		}
	}
	if won := runConcurrently(4, func() bool { return w.ReauthenticateByLink(ctx, sess(), link, "", home) == nil }); won != 1 {
		t.Errorf("%d of 4 proofs by one link won", won)
	}
	testkit.Must(w.Export(ctx, sess(), home))(t)
	if w.recorded(first, audit.ActionVerifyLinkAsked) != 1 || w.recorded(first, audit.ActionReauthenticated) != 1 {
		t.Error("the proof is not on record")
	}
	w.clock.Advance(time.Hour)
	w.want(w.ReauthenticateByLink(ctx, sess(), link, "", home), auth.CodeLinkInvalid)
	w.must(w.RequestVerifyLink(ctx, sess(), home))
	late := w.link(mail.Verify)
	w.clock.Advance(auth.VerifyLinkLife)
	w.want(w.ReauthenticateByLink(ctx, sess(), late, "", home), auth.CodeLinkInvalid)
	w.must(w.RequestVerifyLink(ctx, sess(), home))
	link = w.link(mail.Verify)
	w.must(w.ReauthenticateByLink(ctx, sess(), link, "", home))
	w.must(w.Delete(ctx, sess(), home))
}

// A link ends with what it was asked under: the session, and the address that it was sent to.
func TestVerifyLinkEndsWithItsSession(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, _ = w.join(jeanne)
	sess := w.session(w.signIn(jeanne, home).Token)
	w.must(w.RequestVerifyLink(ctx, sess, home))
	link := w.link(mail.Verify)
	w.must(w.SignOut(ctx, sess, home))
	w.want(w.ReauthenticateByLink(ctx, w.session(w.signIn(jeanne, home).Token), link, "", home), auth.CodeLinkInvalid)
	if err := w.ReauthenticateByLink(ctx, sess, link, "", home); err == nil {
		t.Error("a session that has ended is proved")
	}
	w.clock.Advance(2 * time.Minute)
	sess = w.session(w.signIn(jeanne, home).Token)
	w.must(w.RequestVerifyLink(ctx, sess, home))
	link = w.link(mail.Verify)
	testkit.Exec(t, w.pool, `UPDATE account.account SET email = 'autre@exemple.fr' WHERE email = $1`, jeanne)
	w.want(w.ReauthenticateByLink(ctx, sess, link, "", home), auth.CodeLinkInvalid)
	err := w.RequestVerifyLink(ctx, auth.Session{ID: 4711, Account: sess.Account}, home)
	if !errors.Is(err, auth.ErrNoSession) {
		t.Errorf("asked for by a session that is gone: %v", err)
	}
}

// The reader of the mail alone does not turn a second factor off: the link asks for a code, and a wrong code
// does not use it up.
func TestVerifyLinkAsksForTheCode(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, _ = w.join(jeanne)
	in := w.signIn(jeanne, home)
	secret, _ := w.enrol(w.session(in.Token))
	w.clock.Advance(time.Hour)
	w.must(w.RequestVerifyLink(ctx, w.session(in.Token), home))
	link := w.link(mail.Verify)
	w.want(w.ReauthenticateByLink(ctx, w.session(in.Token), link, "", home), auth.CodeCodeWrong)
	w.want(w.ReauthenticateByLink(ctx, w.session(in.Token), link, "000000", home), auth.CodeCodeWrong)
	w.want(w.ReauthenticateByLink(ctx, w.session(in.Token), "nonsense", w.totp(secret), home), auth.CodeLinkInvalid)
	w.want(w.DisableTOTP(ctx, w.session(in.Token), home), auth.CodeVerifyFirst)
	w.must(w.ReauthenticateByLink(ctx, w.session(in.Token), link, w.totp(secret), home))
	if !w.session(in.Token).ProvedTOTP {
		t.Error("the proof does not count as one with the second factor")
	}
	w.must(w.DisableTOTP(ctx, w.session(in.Token), home))
}

// A session that was stolen does not fill a mailbox: these mails are limited as others, and the answer says
// how long to wait.
func TestVerifyLinksAreLimited(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	before := len(w.mails())
	for range 5 {
		w.must(w.RequestVerifyLink(ctx, sess, home))
		err := w.RequestVerifyLink(ctx, sess, home)
		w.want(err, auth.CodeWait)
		if p, ok := errors.AsType[*auth.Problem](err); !ok || p.Wait <= 0 || p.Wait > 24*time.Hour {
			t.Errorf("wait: %v", err)
		}
		w.clock.Advance(2 * time.Minute)
	}
	err := w.RequestVerifyLink(ctx, sess, home)
	if p, ok := errors.AsType[*auth.Problem](err); !ok || p.Wait < 23*time.Hour {
		t.Errorf("after five in a day: %v", err)
	}
	testkit.Want(t, len(w.mails())-before, 5, "mails")
	w.clock.Advance(24 * time.Hour)
	w.must(w.RequestVerifyLink(ctx, sess, home))
	testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = NULL`)
	w.clock.Advance(time.Hour)
	w.want(w.RequestVerifyLink(ctx, sess, home), auth.CodeConfirmFirst)
}
