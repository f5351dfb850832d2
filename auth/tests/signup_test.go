package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// Somebody who signs up reads one mail and is in, with an address known to be theirs.
func TestSignUpAndConfirm(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	o := home
	o.Language = "en"
	browser := testkit.Must(w.SignUp(ctx, " Jeanne@Exemple.fr ", goodPassword, o))(t)
	m := w.mail(mail.Confirm)
	if m.To != jeanne || m.Language != "en" || m.Link == nil || m.Values["address"] != "192.0.2.10" {
		t.Errorf("mail %+v", m)
	}
	link := w.link(mail.Confirm)
	state, err := w.Look(ctx, auth.PurposeConfirm, link)
	if err != nil || !state.Valid || state.Email != jeanne {
		t.Errorf("look: %+v, %v", state, err)
	}
	in, err := w.ConfirmEmail(ctx, link, browser, "", home)
	if err != nil || in == nil {
		t.Fatalf("confirm: %+v, %v", in, err)
	}
	sess := w.session(in.Token)
	if !sess.Confirmed || sess.Email != jeanne || sess.Language != "en" || sess.Plan != "free" || !sess.HasPassword || sess.HasTOTP {
		t.Errorf("session %+v", sess)
	}
	if len(w.mails()) != 1 {
		t.Errorf("the browser that signed up is no news: %+v", w.mails())
	}
	for _, action := range []string{audit.ActionSignedUp, audit.ActionConfirmed, audit.ActionSignedIn} {
		if w.recorded(sess, action) != 1 {
			t.Errorf("%s is not on record once", action)
		}
	}
}

// A visitor who confirms in another browser than the sign-up's chooses the password there: that of the
// sign-up may be another person's, and opens nothing. Until then nothing is spent.
func TestConfirmElsewhere(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp(jeanne)
	link := w.link(mail.Confirm)
	for _, browser := range []string{"", "another browser"} {
		for password, want := range map[string]string{"": auth.CodeChoosePassword, "short": auth.CodeTooShort} {
			in, err := w.ConfirmEmail(ctx, link, browser, password, home)
			w.want(err, want)
			if state, err := w.LookConfirm(ctx, link, browser); in != nil || err != nil || !state.Valid || !state.NewPassword {
				t.Errorf("browser %q: %+v, %+v, %v", browser, in, state, err)
			}
		}
	}
	in, err := w.ConfirmEmail(ctx, link, "another browser", newPassword, home)
	if err != nil || in == nil || !w.session(in.Token).Confirmed {
		t.Fatalf("%+v, %v", in, err)
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, home)), auth.CodeSignIn)
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Errorf("the password chosen: %v", err)
	}
}

// Two forms sent at once make one account, and the second is answered like the first.
func TestSimultaneousSignUpsOfOneAddress(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if browser, err := w.SignUp(ctx, jeanne, goodPassword, home); err != nil || browser == "" {
				t.Errorf("sign up: %q, %v", browser, err)
			}
		})
	}
	wg.Wait()
	testkit.WantCount(t, w.pool, 1, "accounts", `SELECT count(*) FROM account.account`)
	testkit.WantCount(t, w.pool, 1, "confirmation mails",
		`SELECT count(*) FROM job.river_job WHERE args->>'template' = 'confirm'`)
}

// A confirmation can be had again, in the browser that signed up, but it cannot be used to fill a mailbox.
func TestResendIsLimited(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	browser := w.signUp(jeanne)
	for range 14 {
		w.must(w.ResendConfirmation(ctx, jeanne, "", home))
		w.clock.Advance(30 * time.Second)
	}
	if n := len(w.mails()); n != 1+5 {
		t.Errorf("%d mails in seven minutes, want the first and five more", n)
	}
	w.clock.Advance(24 * time.Hour)
	w.must(w.ResendConfirmation(ctx, jeanne, "", home))
	testkit.Want(t, len(w.mails()), 1+5+1, "mails on the next day")
	in, err := w.ConfirmEmail(ctx, w.link(mail.Confirm), browser, "", home)
	if err != nil || in == nil {
		t.Errorf("the link sent again: %+v, %v", in, err)
	}
	w.clock.Advance(48 * time.Hour)
	w.must(w.ResendConfirmation(ctx, jeanne, "", home))
	if n := len(w.mails()); n != 7 {
		t.Errorf("a confirmed address is asked to confirm")
	}
}

// A /48 is four clients and not 65 536, and all networks together cannot make us
// write without end. Others are served meanwhile.
func TestMailsOfAnonymousClientsHaveACeiling(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	admitted := func(n int, address func(i int) string) (count int) {
		for i := range n {
			if problemCode(t, w.RequestReset(ctx, fmt.Sprintf("a%d@exemple.fr", i), originAt(address(i)))) != auth.CodeWait {
				count++
			}
		}
		return count
	}
	if n := admitted(120, func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i*256) }); n != 80 {
		t.Errorf("one /48 caused %d requests, want 80", n)
	}
	if n := admitted(600, func(i int) string { return fmt.Sprintf("10.%d.%d.1", i/256, i%256) }); n != 520 {
		t.Errorf("%d of 600 networks were served, want 520", n)
	}
	w.clock.Advance(time.Hour)
	w.must(w.RequestReset(ctx, jeanne, home))
}

// What a full /48, or the whole service, refuses is not counted against the /64 that asked: its own limit is
// whole when the wider one has room again. The wait that is named is the longest.
func TestRefusedRequestsAreNotCounted(t *testing.T) {
	const from = "2001:db8:1:ff00::1"
	for name, others := range map[string]struct {
		requests int
		address  func(i int) string
	}{
		"the /48 is full":     {80, func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i%4*256) }},
		"the service is full": {600, func(i int) string { return fmt.Sprintf("10.%d.%d.1", i/256, i%256) }},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t), t.Context()
			for i := range others.requests {
				w.must(w.RequestReset(ctx, fmt.Sprintf("a%d@exemple.fr", i), originAt(others.address(i))))
			}
			w.clock.Advance(40 * time.Minute)
			for range 30 {
				var p *auth.Problem
				if err := w.RequestReset(ctx, jeanne, originAt(from)); !errors.As(err, &p) || p.Wait != 20*time.Minute {
					t.Fatalf("%v, want a wait of 20 minutes", err)
				}
			}
			w.clock.Advance(20 * time.Minute)
			for i := range 20 {
				w.must(w.RequestReset(ctx, fmt.Sprintf("b%d@exemple.fr", i), originAt(from)))
			}
			w.want(w.RequestReset(ctx, jeanne, originAt(from)), auth.CodeWait)
		})
	}
}

// Requests that arrive at once have the limit of their networks together, and none waits for another for
// ever.
func TestSimultaneousRequestsShareTheLimit(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	var served atomic.Int64
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			err := w.RequestReset(ctx, fmt.Sprintf("a%d@exemple.fr", i), originAt(fmt.Sprintf("2001:db8:1:%x::1", i%6*256)))
			if err == nil {
				served.Add(1)
			} else if problemCode(t, err) != auth.CodeWait {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := served.Load(); n != 80 {
		t.Errorf("%d of 120 at once were served, want 80", n)
	}
	if n := w.count(`SELECT sum(failures) FROM account.throttle WHERE failures = 80`); n != 2*80 { // of the /48 and of the service
		t.Errorf("the /48 and the service count %d, want 160", n)
	}
}

// The tries of the console that a full /24 refuses are not counted against the address that asked.
func TestRefusedConsoleTriesAreNotCounted(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	try := func(host int) (left int, ok bool) {
		left, ok, err := w.ClaimConsoleTry(ctx, originAt(fmt.Sprintf("192.0.2.%d", host)))
		w.must(err)
		return left, ok
	}
	for i := range 8 * auth.ConsoleTries {
		if left, ok := try(i % 8); !ok || left != auth.ConsoleTries-1-i/8 {
			t.Fatalf("try %d: %d left, %v", i, left, ok)
		}
	}
	w.clock.Advance(20 * time.Hour)
	for range 2 * auth.ConsoleTries {
		if _, ok := try(100); ok {
			t.Fatal("the /24 has more tries than eight clients")
		}
	}
	w.clock.Advance(4 * time.Hour)
	if left, ok := try(100); !ok || left != auth.ConsoleTries-1 {
		t.Errorf("on the next day %d are left, %v", left, ok)
	}
}

// A form says what is wrong with what was typed, each in its own words.
func TestSignUpProblems(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	for _, tc := range []struct{ email, password, want string }{
		{"no-at-sign", goodPassword, auth.CodeEmailInvalid}, {"", "", auth.CodeEmailInvalid},
		{jeanne, "short", auth.CodeTooShort}, {jeanne, strings.Repeat("a b c", 26), auth.CodeTooLong},
		{jeanne, "motdepasse2026", auth.CodeTooCommon}, {jeanne, "jeanne@exemple.fr!", auth.CodeContainsEmail},
		{jeanne, "bad\xffutf8 password", auth.CodeBadText}, {jeanne, "abcdefghijkl1", auth.CodeTooCommon}, {jeanne, "qwertyuiop[]asdf", auth.CodeTooSimple},
	} {
		_, err := w.SignUp(ctx, tc.email, tc.password, home)
		if got := problemCode(t, err); got != tc.want {
			t.Errorf("%q %q: %q, want %q", tc.email, tc.password, got, tc.want)
		}
	}
	if w.hasher.Done() != 0 || w.count(`SELECT count(*) FROM account.account`) != 0 {
		t.Error("a refused form cost a hash or made an account")
	}
}

// There is never a change without its mail, nor one without its record: mail, record and change are one.
func TestChangeAndMailAreOne(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	records := w.count(`SELECT count(*) FROM account.audit`)
	accept := testkit.RefuseMails(t, w.pool)
	_, signUp := w.SignUp(ctx, "paul@exemple.fr", goodPassword, home)
	_, signIn := w.SignIn(ctx, jeanne, goodPassword, home)
	for name, err := range map[string]error{
		"sign-up": signUp, "sign-in": signIn,
		"password": w.ChangePassword(ctx, sess, goodPassword, newPassword, home),
		"reset":    w.RequestReset(ctx, jeanne, home),
		"link":     w.LinkIdentity(ctx, sess, newClaim("google", "1", jeanne, true), home),
		"deletion": w.Delete(ctx, sess, home),
	} {
		if err == nil {
			t.Errorf("%s went on without its mail", name)
		}
	}
	if n := w.count(`SELECT count(*) FROM account.audit`); n != records {
		t.Errorf("%d records of what did not happen", n-records)
	}
	if n := w.count(`SELECT count(*) FROM account.account`) + w.count(`SELECT count(*) FROM account.session`) +
		w.count(`SELECT count(*) FROM account.identity`); n != 2 {
		t.Errorf("%d rows, want the account and its session", n)
	}
	accept()
	w.signIn(jeanne, home)
}

// Whatever an anonymous client, or another account, can have written to an
// address is written once a minute and no more.
func TestMailsToAnAddressAreLimited(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	other, _ := w.join("paul@exemple.fr")
	for template, ask := range map[mail.Template]func() error{
		mail.SignUpExists: func() error { _, err := w.SignUp(ctx, jeanne, goodPassword, home); return err },
		mail.Reset:        func() error { return w.RequestReset(ctx, jeanne, home) },
		mail.EmailTaken:   func() error { return w.RequestEmailChange(ctx, other, jeanne, home) },
		mail.LinkFirst: func() error {
			_, err := w.SignInWithIdentity(ctx, newClaim("github", "1", jeanne, false), home)
			if errors.Is(err, auth.ErrMailSent) {
				return nil
			}
			return err
		},
	} {
		for range 3 {
			w.must(ask())
			w.clock.Advance(29 * time.Second)
		}
		n := 0
		for _, m := range w.mails() {
			if m.Template == template {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d mails %s", n, template)
		}
	}
}

// After an operator has confirmed the address, the link asks for no new password and
// leaves the account's password as it is.
func TestLinkOfAnAddressThatAnOperatorConfirmed(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp(jeanne)
	accounts := auth.NewAccounts(w.pool, w.clock)
	a := testkit.Must(accounts.ByEmail(ctx, jeanne))(t)
	testkit.Must(accounts.Confirm(ctx, a.ID))(t)
	if in, err := w.ConfirmEmail(ctx, w.link(mail.Confirm), "", "", home); in != nil || err != nil {
		t.Errorf("%+v, %v", in, err)
	}
	w.signIn(jeanne, home)
}
