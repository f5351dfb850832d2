package auth_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/passkey"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// add adds a passkey to an account.
func (w *world) add(sess auth.Session, k *testkit.Passkey) int64 {
	w.t.Helper()
	r := testkit.Must(w.BeginPasskey(w.t.Context(), sess))(w.t)
	return testkit.Must(w.AddPasskey(w.t.Context(), sess, r.Sealed, k.Create(r.Options), home))(w.t)
}

func (w *world) newPasskey() *testkit.Passkey { return testkit.NewPasskey(w.t, origin, host) }

// signInByPasskey signs in by a passkey alone.
func (w *world) signInByPasskey(k *testkit.Passkey) (auth.SignedIn, error) {
	w.t.Helper()
	r := testkit.Must(w.BeginPasskeySignIn(w.t.Context(), "browser"))(w.t)
	return w.SignInWithPasskey(w.t.Context(), "browser", r.Sealed, k.Sign(r.Options), home)
}

// countMails counts the mails of a template.
func (w *world) countMails(template mail.Template) (n int) {
	w.t.Helper()
	for _, m := range w.mails() {
		if m.Template == template {
			n++
		}
	}
	return n
}

// A passkey signs its owner in without password and code, and its use is on record; it stops once it is
// removed.
func TestPasskeySignsIn(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.enrol(sess)
	k := w.newPasskey()
	id := w.add(sess, k)
	if w.countMails(mail.PasskeyAdded) != 1 || w.recorded(sess, audit.ActionPasskeyAdded) != 1 {
		t.Error("a new passkey is not notified and recorded")
	}
	in := testkit.Must(w.signInByPasskey(k))(t)
	signed := w.session(in.Token)
	if signed.Account != sess.Account || signed.Method != auth.MethodPasskey || !signed.ProvedTOTP {
		t.Errorf("session %+v", signed)
	}
	all := testkit.Must(w.Passkeys(ctx, sess))(t)
	if len(all) != 1 || all[0].ID != id || all[0].Name != "Firefox, Linux" || all[0].LastUsedAt == nil || all[0].Synced {
		t.Errorf("passkeys %+v", all)
	}
	w.must(w.RenamePasskey(ctx, sess, id, "  Téléphone ", home))
	w.want(w.RenamePasskey(ctx, sess, id, "\u202e", home), auth.CodeNameInvalid)
	document := testkit.Must(w.Export(ctx, signed, home))(t)
	var e struct {
		Passkeys []map[string]any `json:"passkeys"`
	}
	w.must(json.Unmarshal(document, &e))
	if len(e.Passkeys) != 1 || e.Passkeys[0]["name"] != "Téléphone" || strings.Contains(string(document), "public_key") {
		t.Errorf("export %v", e.Passkeys)
	}
	w.must(w.RemovePasskey(ctx, signed, id, home))
	if _, err := w.signInByPasskey(k); w.countMails(mail.PasskeyRemoved) != 1 {
		t.Error("the removal is not notified")
	} else {
		w.want(err, auth.CodePasskeyWrong)
	}
	w.want(w.RemovePasskey(ctx, signed, id, home), "missing")
}

// What a thief, a fake site or another account makes is refused: the passkey of an owner opens nothing to
// them.
func TestPasskeyRejections(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	other, _ := w.join(marc)
	k, foreign := w.newPasskey(), w.newPasskey()
	id := w.add(sess, k)
	w.add(other, foreign)
	for name, change := range map[string]func(*testkit.Passkey){
		"another origin":     func(k *testkit.Passkey) { k.Origin = "https://arpent.example.evil.example" },
		"another port":       func(k *testkit.Passkey) { k.Origin = origin + ":8443" },
		"another host":       func(k *testkit.Passkey) { k.Host = "evil.example" },
		"owner not verified": func(k *testkit.Passkey) { k.Verified = false },
		"another account":    func(k *testkit.Passkey) { k.Handle = foreign.Handle },
		"no account":         func(k *testkit.Passkey) { k.Handle = nil },
		"turned into a copy": func(k *testkit.Passkey) { k.Backup = true },
	} {
		forged := k.Copy()
		change(forged)
		if _, err := w.signInByPasskey(forged); err == nil {
			t.Errorf("%s: signed in", name)
		} else {
			w.want(err, auth.CodePasskeyWrong)
		}
		w.clock.Advance(time.Hour) // past the pause of failures
	}
	if _, err := w.signInByPasskey(w.newPasskey()); err == nil {
		t.Error("an unknown passkey signs in")
	} else {
		w.want(err, auth.CodePasskeyWrong) // as a known one with a wrong signature
	}

	// Challenges are of one purpose, browser, session and time, and are accepted once.
	w.clock.Advance(time.Hour)
	r := testkit.Must(w.BeginPasskeySignIn(ctx, "browser"))(t)
	answer := k.Sign(r.Options)
	_, err := w.SignInWithPasskey(ctx, "another browser", r.Sealed, answer, home)
	w.want(err, auth.CodePasskeyOver)
	w.want(testkit.ErrorOf(w.SignInWithPasskey(ctx, "browser", r.Sealed, "{}", home)), auth.CodePasskeyWrong)
	in := testkit.Must(w.SignInWithPasskey(ctx, "browser", r.Sealed, answer, home))(t)
	w.want(testkit.ErrorOf(w.SignInWithPasskey(ctx, "browser", r.Sealed, answer, home)), auth.CodePasskeyOver)
	if n := w.recorded(sess, audit.ActionPasskeyCloned); n != 0 {
		t.Errorf("an answer that is sent twice is taken for a copy of the passkey %d times", n)
	}
	sess = w.session(in.Token)
	w.want(w.ReauthenticateWithPasskey(ctx, sess, r.Sealed, answer, home), auth.CodePasskeyOver)
	proof := testkit.Must(w.BeginPasskeyProof(ctx, sess))(t)
	w.want(w.ReauthenticateWithPasskey(ctx, other, proof.Sealed, k.Sign(proof.Options), home), auth.CodePasskeyOver)
	w.want(w.ReauthenticateWithPasskey(ctx, sess, proof.Sealed, foreign.Sign(proof.Options), home), auth.CodePasskeyWrong)
	late := testkit.Must(w.BeginPasskeySignIn(ctx, "browser"))(t)
	w.clock.Advance(passkey.Life)
	_, err = w.SignInWithPasskey(ctx, "browser", late.Sealed, k.Sign(late.Options), home)
	w.want(err, auth.CodePasskeyOver)

	// The rows of another account look missing.
	w.must(w.refresh(&other))
	w.want(w.RenamePasskey(ctx, other, id, "mine", home), "missing")
	w.want(w.RemovePasskey(ctx, other, id, home), "missing")
	testkit.WantCount(t, w.pool, 2, "passkeys", `SELECT count(*) FROM account.passkey`)
	w.must(w.Clean(ctx))
	testkit.WantCount(t, w.pool, 0, "challenges are kept though they are too old",
		`SELECT count(*) FROM account.passkey_challenge`)
}

// refresh proves again who is signed in, by the password.
func (w *world) refresh(sess *auth.Session) error {
	err := w.Reauthenticate(w.t.Context(), *sess, goodPassword, "", home)
	sess.AuthenticatedAt = w.clock.Now()
	return err
}

// A copy of a passkey is noticed by its counter: it is refused and its owner is written to, once a minute at
// most, while authenticators that do not count go on working.
func TestClonedPasskey(t *testing.T) {
	w, _, sess := joinWorld(t)
	k, synced := w.newPasskey(), w.newPasskey()
	synced.Counts = false
	w.add(sess, k)
	w.add(sess, synced)
	clone := k.Copy()
	for range 2 {
		testkit.Must(w.signInByPasskey(k))(t)
		testkit.Must(w.signInByPasskey(synced))(t)
	}
	for range 2 {
		in, err := w.signInByPasskey(clone)
		w.want(err, auth.CodePasskeyCloned)
		if in.Token != "" {
			t.Error("the copy is signed in")
		}
		clone.Count = 1
	}
	if w.countMails(mail.PasskeyCloned) != 1 || w.recorded(sess, audit.ActionPasskeyCloned) != 2 {
		t.Errorf("%d mails and %d records of two uses of a copy", w.countMails(mail.PasskeyCloned), w.recorded(sess, audit.ActionPasskeyCloned))
	}
	testkit.Must(w.signInByPasskey(k))(t)
}

// A passkey takes the place of the code after the password, also without its owner being verified, and
// proves who one is; it keeps a second factor that somebody says is lost.
func TestPasskeyAsFactorAndProof(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	w.enrol(sess)
	k := w.newPasskey()
	w.add(sess, k)
	first := testkit.Must(w.SignIn(ctx, jeanne, goodPassword, home))(t)
	if ok, err := w.AcceptsPasskeyFactor(ctx, first.Pending); !ok || err != nil {
		t.Errorf("no passkey is offered: %v", err)
	}
	w.must(auth.NewAccounts(w.pool, w.clock).StartFactorRecovery(ctx, sess.Account, "ticket 1"))
	mails := testkit.Mails(t, w.pool)
	link := testkit.Must(w.LinkToken(ctx, "recover", mails[len(mails)-1].Link.ID))(t)
	testkit.Must(w.ConfirmFactorRecovery(ctx, link, home))(t)

	k.Verified = false
	r := testkit.Must(w.BeginPasskeyFactor(ctx, first.Pending))(t)
	again := testkit.Must(w.SignIn(ctx, jeanne, goodPassword, home))(t)
	_, err := w.FinishSignInWithPasskey(ctx, again.Pending, r.Sealed, k.Sign(r.Options), home)
	w.want(err, auth.CodePasskeyOver) // the challenge is of the other one
	in := testkit.Must(w.FinishSignInWithPasskey(ctx, first.Pending, r.Sealed, k.Sign(r.Options), home))(t)
	sess = w.session(in.Token)
	if sess.Method != "password" || sess.FactorEndsAt != nil {
		t.Errorf("method %s, the second factor ends %v", sess.Method, sess.FactorEndsAt)
	}
	testkit.Must(w.BeginPasskeyFactor(ctx, first.Pending))(t) // its state is looked at once a passkey has signed
	r = testkit.Must(w.BeginPasskeyFactor(ctx, first.Pending))(t)
	_, err = w.FinishSignInWithPasskey(ctx, first.Pending, r.Sealed, k.Sign(r.Options), home)
	w.want(err, auth.CodePendingOver)

	w.clock.Advance(time.Hour)
	w.want(testkit.ErrorOf(w.BeginPasskey(ctx, sess)), auth.CodeVerifyFirst)
	proof := testkit.Must(w.BeginPasskeyProof(ctx, sess))(t)
	w.want(w.ReauthenticateWithPasskey(ctx, sess, proof.Sealed, k.Sign(proof.Options), home), auth.CodePasskeyWrong)
	k.Verified = true
	w.must(w.ReauthenticateWithPasskey(ctx, sess, proof.Sealed, k.Sign(proof.Options), home))
	if fresh := w.session(in.Token); !fresh.Recent(w.clock.Now(), time.Minute) || !fresh.ProvedTOTP {
		t.Errorf("not proved: %+v", fresh)
	}
}

// An account keeps a way to sign in, has ten passkeys at most, and a guesser is slowed down.
func TestPasskeyLimits(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	k := w.newPasskey()
	id := w.add(sess, k)
	w.must(w.LinkIdentity(ctx, sess, auth.Claim{Provider: "google", Subject: "g-1", Email: jeanne, EmailVerified: true}, home))
	testkit.Exec(t, w.pool, `UPDATE account.account SET password_hash = NULL`)
	identities := testkit.Must(w.Identities(ctx, sess))(t)
	w.must(w.Unlink(ctx, sess, identities[0].ID, home)) // the passkey is left
	w.want(w.RemovePasskey(ctx, sess, id, home), auth.CodeLastWayIn)
	w.want(w.RenamePasskey(ctx, sess, id, "Seule", home), "")

	r := testkit.Must(w.BeginPasskey(ctx, sess))(t)
	answer := w.newPasskey().Create(r.Options)
	testkit.Must(w.AddPasskey(ctx, sess, r.Sealed, answer, home))(t)
	w.want(testkit.ErrorOf(w.AddPasskey(ctx, sess, r.Sealed, answer, home)), auth.CodePasskeyOver)
	pending := testkit.Must(w.BeginPasskey(ctx, sess))(t)
	for range auth.MaxPasskeys - 2 {
		w.add(sess, w.newPasskey())
	}
	_, err := w.AddPasskey(ctx, sess, pending.Sealed, w.newPasskey().Create(pending.Options), home)
	w.want(err, auth.CodePasskeysFull)
	w.want(testkit.ErrorOf(w.BeginPasskey(ctx, sess)), auth.CodePasskeysFull)

	forged := k.Copy()
	forged.Origin = "https://evil.example"
	slowed := false
	for range 30 {
		_, err := w.signInByPasskey(forged)
		if p, ok := errors.AsType[*auth.Problem](err); ok && p.Code == auth.CodeWait {
			slowed = true
			break
		}
	}
	if !slowed {
		t.Error("thirty wrong signatures are not slowed down")
	}
}

// A server whose address has no passkeys offers none and counts none as a way in.
func TestPasskeysNeedAName(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"https://arpent.example": true, "https://arpent.example:8443": true,
		"http://localhost:8080": true, "http://127.0.0.1:8080": false, "http://[::1]:8080": false,
		"https://192.0.2.1": false, "http://arpent.example": false} {
		if party, err := passkey.New(address, "Arpent"); err != nil || (party != nil) != want {
			t.Errorf("%s: %v, %v", address, party != nil, err)
		}
	}
}
