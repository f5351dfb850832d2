package auth_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// enrol turns the second factor on, and gives its secret and the recovery codes.
func (w *world) enrol(sess auth.Session) (secret string, recovery []string) {
	w.t.Helper()
	e := testkit.Must(w.BeginTOTP(w.t.Context(), sess))(w.t)
	recovery = testkit.Must(w.EnableTOTP(w.t.Context(), sess, e.Sealed, w.totp(e.Secret), home))(w.t)
	w.clock.Advance(time.Minute) // past the step that enrolling used
	return e.Secret, recovery
}

func (w *world) totp(secret string) string {
	w.t.Helper()
	return testkit.Must(totp.GenerateCode(secret, w.clock.Now()))(w.t)
}

// nextTOTP is a code of a step after the one that was used last.
func (w *world) nextTOTP(secret string) string {
	w.t.Helper()
	w.clock.Advance(time.Minute)
	return w.totp(secret)
}

// Turning the second factor on ends the other sessions: one that was opened with the password alone would
// count as one with a second factor, which an organisation requires.
func TestSecondFactorEndsOtherSessions(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	thief := w.signIn(jeanne, home).Token
	w.enrol(sess)
	testkit.WantError(t, testkit.ErrorOf(w.Session(ctx, thief)),
		auth.ErrNoSession, "a session without the second factor")
	if all, err := w.Sessions(ctx, sess); err != nil || len(all) != 1 || all[0].ID != sess.ID {
		t.Errorf("sessions %+v, %v", all, err)
	}
}

// A second factor is asked for once it is on, a code is good once, and
// the secret is not readable in the database.
func TestTOTP(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	e := testkit.Must(w.BeginTOTP(ctx, sess))(t)
	uri, err := url.Parse(e.URI)
	if err != nil || uri.Scheme != "otpauth" || uri.Host != "totp" || uri.Path != "/Arpent:"+jeanne ||
		uri.Query().Get("secret") != e.Secret || uri.Query().Get("issuer") != "Arpent" {
		t.Errorf("uri %s, %v", e.URI, err)
	}
	w.want(testkit.ErrorOf(w.EnableTOTP(ctx, sess, e.Sealed, "000000", home)), auth.CodeCodeWrong)
	if w.session(w.signIn(jeanne, home).Token).HasTOTP {
		t.Error("on before it was shown to work")
	}
	recovery, err := w.EnableTOTP(ctx, sess, e.Sealed, w.totp(e.Secret), home)
	if err != nil || len(recovery) != 10 {
		t.Fatalf("enable: %q, %v", recovery, err)
	}
	w.mail(mail.TwoFactorOn)
	w.want(testkit.ErrorOf(w.EnableTOTP(ctx, sess, e.Sealed, w.totp(e.Secret), home)), auth.CodeTOTPOn)

	in := w.signIn(jeanne, home)
	if in.Token != "" || in.Pending == "" || in.Device != "" {
		t.Fatalf("signed in without the second factor: %+v", in)
	}
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, in.Pending, w.totp(e.Secret), home)), auth.CodeCodeWrong)
	w.clock.Advance(30 * time.Second)
	good := w.totp(e.Secret)
	done, err := w.FinishSignIn(ctx, in.Pending, good[:3]+" "+good[3:], home)
	if err != nil || !w.session(done.Token).HasTOTP || done.Device == "" {
		t.Fatalf("finish: %+v, %v", done, err)
	}
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, in.Pending, good, home)), auth.CodePendingOver)
	_, err = w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, good, home)
	w.want(err, auth.CodeCodeWrong)
	testkit.WantCount(t, w.pool, 0, "the secret is kept in clear", `SELECT count(*) FROM account.account a WHERE position($1 IN a::text) > 0`, e.Secret)
}

// One code shown on one phone signs in one browser, though two send it at the same moment.
func TestSimultaneousUsesOfOneTOTPCode(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	pending := []string{w.signIn(jeanne, home).Pending, w.signIn(jeanne, home).Pending}
	code := w.totp(secret)
	i := make(chan string, 4)
	for range 2 {
		i <- pending[0]
		i <- pending[1]
	}
	if won := runConcurrently(4, func() bool {
		_, err := w.FinishSignIn(ctx, <-i, code, home)
		return err == nil
	}); won != 1 {
		t.Errorf("%d of 4 won with one code", won)
	}
}

// A phone may be half a minute off, and no more.
func TestTOTPSkew(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	now := w.clock.Now()
	for _, tc := range []struct {
		off  time.Duration
		want string
	}{{-60 * time.Second, auth.CodeCodeWrong}, {60 * time.Second, auth.CodeCodeWrong}, {-30 * time.Second, ""}, {30 * time.Second, ""}} {
		c := testkit.Must(totp.GenerateCode(secret, now.Add(tc.off)))(t)
		w.want(testkit.ErrorOf(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, c, home)), tc.want)
	}
}

// Codes cannot be guessed: failures slow down, on the account, whatever the
// network. The owner's browser is counted apart.
func TestCodesAreSlowedDown(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, device := w.join(jeanne)
	secret, recovery := w.enrol(sess)
	pending := w.signIn(jeanne, home).Pending
	for range 5 {
		w.want(testkit.ErrorOf(w.FinishSignIn(ctx, pending, "123456", home)), auth.CodeCodeWrong)
	}
	_, err := w.FinishSignIn(ctx, pending, w.totp(secret), originAt("203.0.113.4"))
	w.want(err, auth.CodeWait)
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, pending, recovery[0], home)), auth.CodeWait)
	own := home
	own.Device = device
	if _, err := w.FinishSignIn(ctx, pending, w.totp(secret), own); err != nil {
		t.Errorf("the owner's browser: %v", err)
	}
	if w.recorded(sess, audit.ActionSignInFailed) != 5 {
		t.Error("the wrong codes are not on record")
	}
}

// A try that cannot be taken back, as the database does not answer, counts: no request waits for it.
func TestTakingATryBackEndsUnderSimultaneousLock(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	pending := w.signIn(jeanne, home).Pending
	held := testkit.Must(w.pool.Begin(ctx))(t)
	defer held.Rollback(context.WithoutCancel(ctx))
	testkit.Must(held.Exec(ctx, `SELECT FROM account.account FOR UPDATE`))(t)
	asking, leave := context.WithCancel(ctx)
	ended := make(chan error, 1)
	tries := w.count(`SELECT count(*) FROM account.throttle`)
	go func() { _, err := w.FinishSignIn(asking, pending, w.totp(secret), home); ended <- err }()
	testkit.Eventually(t, testkit.Timeout, "the try is counted", func() bool { return w.count(`SELECT count(*) FROM account.throttle`) > tries })
	testkit.Must(held.Exec(ctx, `SELECT FROM account.throttle FOR UPDATE`))(t)
	leave()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("signed in while the account was locked")
		}
	case <-time.After(testkit.Timeout):
		t.Error("the caller that left still waits")
	}
}

// With one first factor one recovery code can be tried with success, as one code of the authenticator can.
func TestPendingSignInSucceedsOnce(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	_, recovery := w.enrol(sess)
	pending := w.signIn(jeanne, home).Pending
	testkit.Must(w.FinishSignIn(ctx, pending, recovery[0], home))(t)
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, pending, recovery[1], home)), auth.CodePendingOver)
}

// A sign-in that waits for its second factor does not outlive ten minutes, a new password, or an honest look.
func TestPendingSignInEnds(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	for _, bad := range []string{"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"} {
		w.want(testkit.ErrorOf(w.FinishSignIn(ctx, bad, w.totp(secret), home)), auth.CodePendingOver)
	}
	old := w.signIn(jeanne, home).Pending
	w.clock.Advance(10 * time.Minute)
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, old, w.totp(secret), home)), auth.CodePendingOver)

	before := w.signIn(jeanne, home).Pending
	w.must(w.RequestReset(ctx, jeanne, home))
	w.must(w.ResetPassword(ctx, w.link(mail.Reset), newPassword, home))
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, before, w.totp(secret), home)), auth.CodePendingOver)
	in, err := w.SignIn(ctx, jeanne, newPassword, home)
	if err != nil || in.Pending == "" {
		t.Errorf("a reset by mail takes the second factor off a confirmed account: %+v, %v", in, err)
	}
}

// A recovery code is good once, and its use is reported.
func TestRecoveryCodesUnderSimultaneousUse(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	_, codes := w.enrol(sess)
	seen := map[string]bool{}
	for _, c := range codes {
		seen[c] = true
	}
	if len(seen) != 10 || len(codes[0]) != 14 {
		t.Errorf("codes %q", codes)
	}
	pending := []string{w.signIn(jeanne, home).Pending, w.signIn(jeanne, home).Pending}
	i := make(chan string, 2)
	i <- pending[0]
	i <- pending[1]
	if won := runConcurrently(2, func() bool {
		_, err := w.FinishSignIn(ctx, <-i, codes[3], home)
		return err == nil
	}); won != 1 {
		t.Errorf("one code signed in %d times", won)
	}
	if left, err := w.RecoveryCodesLeft(ctx, sess); err != nil || left != 9 {
		t.Errorf("%d left, %v", left, err)
	}
	found := false
	for _, m := range w.mails() {
		found = found || m.Template == mail.RecoveryCodeUsed && m.Values["left"] == "9"
	}
	if !found || w.recorded(sess, audit.ActionRecoveryCodeUsed) != 1 {
		t.Error("its use is not reported")
	}
	_, err := w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, codes[3], home)
	w.want(err, auth.CodeCodeWrong)
	// Typed as people type.
	in, err := w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, " "+codes[4][:4]+codes[4][5:]+" ", home)
	w.must(err)
	fresh := testkit.Must(w.NewRecoveryCodes(ctx, w.session(in.Token), home))(t)
	w.mail(mail.RecoveryCodesNew)
	_, err = w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, codes[5], home)
	w.want(err, auth.CodeCodeWrong)
	testkit.Must(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, fresh[0], home))(t)
}

// The enrolment belongs to who was offered it, where, and for a quarter of an hour.
func TestEnrolmentIsBound(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	other, _ := w.join("paul@exemple.fr")
	e, err := w.BeginTOTP(ctx, sess)
	w.must(err)
	for _, who := range []auth.Session{other, w.session(w.signIn(jeanne, home).Token)} {
		_, err = w.EnableTOTP(ctx, who, e.Sealed, w.totp(e.Secret), home)
		w.want(err, auth.CodeEnrolmentOver)
	}
	_, err = w.EnableTOTP(ctx, sess, "x"+e.Sealed, w.totp(e.Secret), home)
	w.want(err, auth.CodeEnrolmentOver)
	w.clock.Advance(15 * time.Minute)
	w.want(testkit.ErrorOf(w.EnableTOTP(ctx, sess, e.Sealed, w.totp(e.Secret), home)), auth.CodeEnrolmentOver)
}

// What changes how one signs in asks first who is there: a borrowed browser is not enough. With a
// second factor the password alone is not either.
func TestReauthentication(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	joined, _ := w.join(jeanne)
	secret, recovery := w.enrol(joined)
	in := testkit.Must(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, w.totp(secret), home))(t)
	stale := func() auth.Session { return w.session(in.Token) }
	w.clock.Advance(10 * time.Minute)
	acts := map[string]func() error{
		"password": func() error { return w.ChangePassword(ctx, stale(), goodPassword, newPassword, home) },
		"email":    func() error { return w.RequestEmailChange(ctx, stale(), "autre@exemple.fr", home) },
		"second":   func() error { return w.DisableTOTP(ctx, stale(), home) },
		"begin":    func() error { _, err := w.BeginTOTP(ctx, stale()); return err },
		"recovery": func() error { _, err := w.NewRecoveryCodes(ctx, stale(), home); return err },
		"export":   func() error { _, err := w.Export(ctx, stale(), home); return err },
		"unlink":   func() error { return w.Unlink(ctx, stale(), 1, home) },
		"deletion": func() error { return w.Delete(ctx, stale(), home) },
	}
	for name, act := range acts {
		testkit.Want(t, problemCode(t, act()), auth.CodeVerifyFirst, name)
	}
	w.want(w.Reauthenticate(ctx, stale(), "wrong", w.totp(secret), home), auth.CodePasswordWrong)
	w.want(w.Reauthenticate(ctx, stale(), goodPassword, "", home), auth.CodeCodeWrong)
	w.want(w.Reauthenticate(ctx, stale(), goodPassword, "000000", home), auth.CodeCodeWrong)
	if stale().Recent(w.clock.Now(), auth.Freshness) {
		t.Error("fresh after failures")
	}
	w.must(w.Reauthenticate(ctx, stale(), goodPassword, w.totp(secret), home))
	if !stale().Recent(w.clock.Now(), auth.Freshness) {
		t.Error("not fresh after the proof")
	}
	w.clock.Advance(6 * time.Minute)
	w.want(w.Delete(ctx, stale(), home), auth.CodeVerifyFirst)
	w.must(w.DisableTOTP(ctx, stale(), home))
	w.mail(mail.TwoFactorOff)
	if stale().HasTOTP {
		t.Error("still on")
	}
	w.want(w.DisableTOTP(ctx, stale(), home), auth.CodeTOTPOff)
	if left, err := w.RecoveryCodesLeft(ctx, stale()); err != nil || left != 0 {
		t.Errorf("%d of %d recovery codes left, %v", left, len(recovery), err)
	}
	gone := stale()
	w.must(w.SignOut(ctx, gone, home))
	testkit.WantError(t, w.Reauthenticate(ctx, gone, goodPassword, "", home),
		auth.ErrNoSession, "a session that has ended was made fresh")
}

// A session has proved the second factor when its last proof is younger than the factor: not the one in which
// it was turned on, nor one that was open elsewhere, until they are asked again.
func TestSessionProvesTheSecondFactor(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	token := w.signIn(jeanne, home).Token
	sess := w.session(token)
	if proved := w.session(token).ProvedTOTP; proved {
		t.Error("proved without one")
	}
	secret, recovery := w.enrol(sess)
	if s := w.session(token); !s.HasTOTP || s.ProvedTOTP {
		t.Errorf("after enrolling: %+v", s)
	}
	w.must(w.Reauthenticate(ctx, sess, goodPassword, w.totp(secret), home))
	if !w.session(token).ProvedTOTP {
		t.Error("not proved by a code")
	}
	in := testkit.Must(w.FinishSignIn(ctx, w.signIn(jeanne, home).Pending, recovery[0], home))(t)
	if !w.session(in.Token).ProvedTOTP {
		t.Error("not proved by signing in with a recovery code")
	}
	w.must(w.DisableTOTP(ctx, w.session(in.Token), home))
	if s := w.session(in.Token); s.HasTOTP || s.ProvedTOTP {
		t.Errorf("after it was turned off: %+v", s)
	}
}

// Looking whose session it is counts as no use of it, and an address that is not
// confirmed belongs to no person.
func TestAddressOfASession(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	token := w.signIn(jeanne, home).Token
	before := w.session(token)
	w.clock.Advance(2 * time.Hour)
	if email, err := w.Address(ctx, token); email != jeanne || err != nil {
		t.Errorf("%q, %v", email, err)
	}
	testkit.WantCount(t, w.pool, 0, "looking was a use", `SELECT count(*) FROM account.session WHERE last_used_at > $1`, before.LastUsedAt)
	testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = NULL`)
	w.clock.Advance(time.Minute)
	for _, token := range []string{token, "", token[1:], token[1:] + "x"} {
		if email, err := w.Address(ctx, token); !errors.Is(err, auth.ErrNoSession) {
			t.Errorf("%q: %q, %v", token, email, err)
		}
	}
	testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = now()`)
	w.clock.Advance(auth.SessionLife)
	testkit.WantError(t, testkit.ErrorOf(w.Address(ctx, token)), auth.ErrNoSession, "of one that has ended")
}
