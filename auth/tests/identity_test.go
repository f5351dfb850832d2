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

func newClaim(provider, subject, email string, verified bool) auth.Claim {
	return auth.Claim{Provider: provider, Subject: subject, Email: email, EmailVerified: verified}
}

// A provider that vouches for the address makes a confirmed account, and
// finds it again whatever the address becomes.
func TestFirstSignInWithAnIdentity(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in, err := w.SignInWithIdentity(ctx, newClaim("google", "g-1", "Jeanne@Exemple.fr", true), home)
	w.must(err)
	sess := w.session(in.Token)
	if !sess.Confirmed || sess.HasPassword || sess.Email != jeanne || sess.Method != "google" || len(w.mails()) != 0 {
		t.Errorf("session %+v, mails %+v", sess, w.mails())
	}
	o := home
	o.Device = in.Device
	again, err := w.SignInWithIdentity(ctx, newClaim("google", "g-1", "nouvelle@exemple.fr", false), o)
	w.must(err)
	if again.Account != in.Account || again.Token == in.Token {
		t.Errorf("again: %+v", again)
	}
	ids, err := w.Identities(ctx, sess)
	if err != nil || len(ids) != 1 || ids[0].Email != "nouvelle@exemple.fr" || ids[0].LastUsedAt == nil || ids[0].Subject != "g-1" {
		t.Errorf("identities %+v, %v", ids, err)
	}
	// No password fits an account that has none.
	for _, password := range []string{"", goodPassword} {
		w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, password, home)), auth.CodeSignIn)
	}
	w.want(w.Reauthenticate(ctx, sess, "", "", home), auth.CodePasswordWrong)
	_, err = w.SignInWithIdentity(ctx, newClaim("google", "g-2", "", true), home)
	w.want(err, auth.CodeIdentityEmail)
	if _, err = w.SignInWithIdentity(ctx, newClaim("google", "", jeanne, true), home); err == nil {
		t.Error("an empty subject signs in")
	}
}

// An identity joins an account only when both sides know that the address is theirs: anything less would hand
// the account to any visitor who types its address into a form.
func TestJoiningRules(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	confirmed, _ := w.join(jeanne)
	w.signUp("pas.confirmee@exemple.fr")

	in, err := w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home)
	if err != nil || in.Account != confirmed.Account || w.session(in.Token).Method != "google" {
		t.Errorf("verified and confirmed: %+v, %v", in, err)
	}
	if all := w.mails(); all[len(all)-2].Template != mail.IdentityLinked || all[len(all)-2].Values["provider"] != "google" {
		t.Errorf("the owner gets no mail: %+v", all)
	}
	// The same address at a second provider joins too: it was verified there as well.
	if in, err = w.SignInWithIdentity(ctx, newClaim("github", "1", jeanne, true), home); err != nil || in.Account != confirmed.Account {
		t.Errorf("a second provider: %+v, %v", in, err)
	}

	in, err = w.SignInWithIdentity(ctx, newClaim("google", "2", "pas.confirmee@exemple.fr", true), home)
	if err != nil || !w.session(in.Token).Confirmed || w.session(in.Token).HasPassword {
		t.Errorf("verified, not confirmed: %+v, %v", in, err)
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, "pas.confirmee@exemple.fr", goodPassword, home)), auth.CodeSignIn) // the author of that password is not known

	in, err = w.SignInWithIdentity(ctx, newClaim("gitlab", "evil", jeanne, false), home)
	if !errors.Is(err, auth.ErrMailSent) || in != (auth.SignedIn{Browser: in.Browser}) {
		t.Errorf("not verified, confirmed: %+v, %v", in, err)
	}
	if m := w.mail(mail.LinkFirst); m.To != jeanne || m.Link != nil || m.Values["provider"] != "gitlab" {
		t.Errorf("mail %+v", m)
	}
	testkit.WantCount(t, w.pool, 3, "identities", `SELECT count(*) FROM account.identity`)
}

// An address that the provider did not verify gets a mail and nothing else, in the same way whether it has an
// account: before the link is followed there is no session.
func TestUnverifiedAddress(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	var last auth.SignedIn
	for _, email := range []string{jeanne, "nouvelle@exemple.fr"} {
		for range 3 { // asking again shows nothing either
			in, err := w.SignInWithIdentity(ctx, newClaim("microsoft", "m-"+email, email, false), home)
			if !errors.Is(err, auth.ErrMailSent) || in.Browser == "" || in != (auth.SignedIn{Browser: in.Browser}) {
				t.Errorf("%s: %+v, %v", email, in, err)
			}
			last = in
			w.clock.Advance(time.Hour)
		}
	}
	in := testkit.Must(w.ConfirmEmail(ctx, w.link(mail.Confirm), last.Browser, "", home))(t)
	if in == nil || w.session(in.Token).Method != "microsoft" {
		t.Errorf("the browser that asked: %+v", in)
	}
	got, err := w.SignInWithIdentity(ctx, newClaim("microsoft", "m-nouvelle@exemple.fr", "nouvelle@exemple.fr", false), home)
	if err != nil || w.session(got.Token).Email != "nouvelle@exemple.fr" {
		t.Errorf("after confirming: %+v, %v", got, err)
	}
}

// Signing in by a provider does not bypass the second factor: no identity is linked
// and no session begins before the code.
func TestIdentityAndSecondFactor(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	secret, _ := w.enrol(sess)
	in, err := w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home)
	if err != nil || in.Pending == "" || in.Token != "" {
		t.Fatalf("sign in: %+v, %v", in, err)
	}
	if ids, err := w.Identities(ctx, sess); err != nil || len(ids) != 0 {
		t.Errorf("linked before the code: %+v, %v", ids, err)
	}
	in = testkit.Must(w.FinishSignIn(ctx, in.Pending, w.totp(secret), home))(t)
	if s := w.session(in.Token); s.Method != "google" {
		t.Errorf("session %+v", s)
	}
	if ids, err := w.Identities(ctx, sess); err != nil || len(ids) != 1 {
		t.Errorf("not linked after the code: %+v, %v", ids, err)
	}
}

// Two browsers that come back from the provider at the same moment find one account.
func TestSimultaneousSignInsOfOneIdentity(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	if won := runConcurrently(6, func() bool {
		_, err := w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home)
		if err != nil {
			t.Error(err)
		}
		return err == nil
	}); won != 6 {
		t.Errorf("%d of 6 signed in", won)
	}
	if n := w.count(`SELECT count(*) FROM account.account`) + w.count(`SELECT count(*) FROM account.identity`); n != 2 {
		t.Errorf("%d accounts and identities, want one of each", n)
	}
	// One identity with two addresses at once is still one person.
	emails := make(chan string, 6)
	for range 3 {
		emails <- "a@exemple.fr"
		emails <- "b@exemple.fr"
	}
	runConcurrently(6, func() bool {
		_, err := w.SignInWithIdentity(ctx, newClaim("github", "9", <-emails, true), home)
		if err != nil {
			t.Error(err)
		}
		return err == nil
	})
	testkit.WantCount(t, w.pool, 1, "identities", `SELECT count(*) FROM account.identity WHERE subject = '9'`)
	testkit.WantCount(t, w.pool, 1, "accounts", `SELECT count(*) FROM account.account WHERE email IN ('a@exemple.fr', 'b@exemple.fr')`)
}

// Linking from the settings takes any identity that no other account has; the last
// way in cannot be taken away.
func TestLinkAndUnlink(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in := testkit.Must(w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home))(t)
	sess := w.session(in.Token)
	paul, _ := w.join("paul@exemple.fr")
	w.want(w.LinkIdentity(ctx, paul, newClaim("google", "1", "x@exemple.fr", true), home), auth.CodeIdentityTaken)

	ids := testkit.Must(w.Identities(ctx, sess))(t)
	w.want(w.Unlink(ctx, sess, ids[0].ID, home), auth.CodeLastWayIn)
	w.want(w.Unlink(ctx, paul, ids[0].ID, home), "missing")
	w.must(w.LinkIdentity(ctx, sess, newClaim("github", "77", "travail@autre.example", false), home))
	if m := w.mail(mail.IdentityLinked); m.To != jeanne || m.Values["email"] != "travail@autre.example" {
		t.Errorf("mail %+v", m)
	}
	n := len(w.mails())
	w.must(w.LinkIdentity(ctx, sess, newClaim("github", "77", "travail@autre.example", false), home))
	if len(w.mails()) != n {
		t.Error("linking again sends a mail again")
	}
	w.must(w.Unlink(ctx, sess, ids[0].ID, home))
	w.mail(mail.IdentityUnlinked)
	w.want(w.Unlink(ctx, sess, ids[0].ID, home), "missing")
	if w.recorded(sess, audit.ActionIdentityLinked) != 1 || w.recorded(sess, audit.ActionIdentityUnlinked) != 1 {
		t.Error("not on record")
	}
	// A password is a way in too.
	w.must(w.ChangePassword(ctx, sess, "", newPassword, home))
	ids = testkit.Must(w.Identities(ctx, sess))(t)
	w.must(w.Unlink(ctx, sess, ids[0].ID, home))
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Error(err)
	}
}

// Two requests that each unlink one of the last two identities leave one.
func TestSimultaneousUnlinksOfIdentities(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in := testkit.Must(w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home))(t)
	sess := w.session(in.Token)
	w.must(w.LinkIdentity(ctx, sess, newClaim("github", "1", jeanne, true), home))
	ids := testkit.Must(w.Identities(ctx, sess))(t)
	which := make(chan int64, 2)
	which <- ids[0].ID
	which <- ids[1].ID
	if won := runConcurrently(2, func() bool { return w.Unlink(ctx, sess, <-which, home) == nil }); won != 1 {
		t.Errorf("%d of 2 unlinked", won)
	}
}

// Only an identity of the account itself proves again who is there.
func TestReauthenticateWithIdentity(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in, err := w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home)
	w.must(err)
	testkit.Must(w.SignInWithIdentity(ctx, newClaim("google", "2", "paul@exemple.fr", true), home))(t)
	w.clock.Advance(time.Hour)
	for _, c := range []auth.Claim{newClaim("google", "2", jeanne, true), newClaim("github", "1", jeanne, true), newClaim("google", "3", jeanne, true)} {
		_, err = w.ReauthenticateWithIdentity(ctx, w.session(in.Token), c, home)
		w.want(err, auth.CodeNotYours)
	}
	if w.session(in.Token).Recent(w.clock.Now(), auth.Freshness) {
		t.Error("fresh by somebody else's identity")
	}
	pending := testkit.Must(w.ReauthenticateWithIdentity(ctx, w.session(in.Token), newClaim("google", "1", jeanne, true), home))(t)
	if pending != "" || !w.session(in.Token).Recent(w.clock.Now(), auth.Freshness) {
		t.Errorf("not fresh after the proof: %q", pending)
	}
}

// A borrowed browser is often signed in at the provider too: with a second factor, the provider's word alone
// does not let anybody turn that factor off.
func TestReauthenticateWithIdentityAsksForTheCode(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	in := testkit.Must(w.SignInWithIdentity(ctx, newClaim("google", "1", jeanne, true), home))(t)
	secret, _ := w.enrol(w.session(in.Token))
	w.clock.Advance(time.Hour)
	pending := testkit.Must(w.ReauthenticateWithIdentity(ctx, w.session(in.Token), newClaim("google", "1", jeanne, true), home))(t)
	if w.session(in.Token).Recent(w.clock.Now(), auth.Freshness) {
		t.Fatal("fresh without a code")
	}
	w.want(w.DisableTOTP(ctx, w.session(in.Token), home), auth.CodeVerifyFirst)
	w.want(testkit.ErrorOf(w.FinishSignIn(ctx, pending, "000000", home)), auth.CodeCodeWrong)
	again := testkit.Must(w.FinishSignIn(ctx, pending, w.totp(secret), home))(t)
	w.must(w.DisableTOTP(ctx, w.session(again.Token), home))
}
