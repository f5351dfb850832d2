package passkey_test

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/passkey"
	"arpent/auth/password"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/mail"
)

const (
	jeanne = "jeanne@exemple.fr"
	marc   = "marc@exemple.fr"
	secret = "un cheval bleu galope"
	origin = "https://arpent.example"
	host   = "arpent.example"
)

// Passwords cost next to nothing to hash here: what they have to cost is judged in auth/password.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }

var home = auth.Origin{Address: netip.MustParseAddr("192.0.2.10"), Language: "fr",
	Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}

// world is a service with passkeys, on a database of its own and a clock that the test moves.
type world struct {
	*auth.Service
	t     *testing.T
	pool  *pgxpool.Pool
	clock *clock.Fixed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	pool, _ := testkit.DB(t)
	w := &world{t: t, pool: pool, clock: clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	party := testkit.Must(passkey.New(origin, "Arpent"))(t)
	w.Service = auth.New(auth.Options{DB: pool, Clock: w.clock, Secret: make([]byte, 32), Passkeys: party,
		Passwords: password.NewHasher(2, 64, time.Minute)})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	testkit.NoError(w.t, err)
}

// want compares an error with the code of a Problem; missing: a 404, empty: none.
func (w *world) want(err error, expected string) {
	w.t.Helper()
	got := ""
	if p, ok := errors.AsType[*auth.Problem](err); ok {
		got = p.Code
	} else if err != nil && fault.From(err).Code == fault.NotFound {
		got = "missing"
	} else if err != nil {
		got = err.Error()
	}
	if got != expected {
		w.t.Errorf("got %q (%v), want %q", got, err, expected)
	}
}

// join signs up, confirms the address, and gives the session.
func (w *world) join(email string) auth.Session {
	w.t.Helper()
	browser := testkit.Must(w.SignUp(w.t.Context(), email, secret, home))(w.t)
	mails := testkit.Mails(w.t, w.pool)
	token := testkit.Must(w.LinkToken(w.t.Context(), "confirm", mails[len(mails)-1].Link.ID))(w.t)
	in := testkit.Must(w.ConfirmEmail(w.t.Context(), token, browser, "", home))(w.t)
	return w.session(in.Token)
}

func (w *world) session(token string) auth.Session {
	w.t.Helper()
	return testkit.Must(w.Session(w.t.Context(), token))(w.t)
}

// add adds a passkey to an account.
func (w *world) add(sess auth.Session, k *testkit.Passkey) int64 {
	w.t.Helper()
	r := testkit.Must(w.BeginPasskey(w.t.Context(), sess))(w.t)
	return testkit.Must(w.AddPasskey(w.t.Context(), sess, r.Sealed, k.Create(r.Options), home))(w.t)
}

func (w *world) newPasskey() *testkit.Passkey { return testkit.NewPasskey(w.t, origin, host) }

// signIn signs in by a passkey alone.
func (w *world) signIn(k *testkit.Passkey) (auth.SignedIn, error) {
	w.t.Helper()
	r := testkit.Must(w.BeginPasskeySignIn(w.t.Context(), "browser"))(w.t)
	return w.SignInWithPasskey(w.t.Context(), "browser", r.Sealed, k.Sign(r.Options), home)
}

func (w *world) enrol(sess auth.Session) (seed string) {
	w.t.Helper()
	e := testkit.Must(w.BeginTOTP(w.t.Context(), sess))(w.t)
	code := testkit.Must(totp.GenerateCode(e.Secret, w.clock.Now()))(w.t)
	testkit.Must(w.EnableTOTP(w.t.Context(), sess, e.Sealed, code, home))(w.t)
	w.clock.Advance(time.Minute)
	return e.Secret
}

func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	return int(testkit.Count(w.t, w.pool, sql, args...))
}

func (w *world) recorded(action string) int {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM account.audit WHERE action = $1`, action)
}

func (w *world) mailed(template mail.Template) (n int) {
	w.t.Helper()
	for _, m := range testkit.Mails(w.t, w.pool) {
		if m.Template == template {
			n++
		}
	}
	return n
}

// A passkey signs its owner in without password and code, and its use is on record; it stops once it is
// removed.
func TestPasskeySignsIn(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess := w.join(jeanne)
	w.enrol(sess)
	k := w.newPasskey()
	id := w.add(sess, k)
	if w.mailed(mail.PasskeyAdded) != 1 || w.recorded(audit.ActionPasskeyAdded) != 1 {
		t.Error("a new passkey is not notified and recorded")
	}
	in := testkit.Must(w.signIn(k))(t)
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
	if _, err := w.signIn(k); w.mailed(mail.PasskeyRemoved) != 1 {
		t.Error("the removal is not notified")
	} else {
		w.want(err, auth.CodePasskeyWrong)
	}
	w.want(w.RemovePasskey(ctx, signed, id, home), "missing")
}

// What a thief, a fake site or another account makes is refused: the passkey of an owner opens nothing to
// them.
func TestPasskeyRejections(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess, other := w.join(jeanne), w.join(marc)
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
		if _, err := w.signIn(forged); err == nil {
			t.Errorf("%s: signed in", name)
		} else {
			w.want(err, auth.CodePasskeyWrong)
		}
		w.clock.Advance(time.Hour) // past the pause of failures
	}
	if _, err := w.signIn(w.newPasskey()); err == nil {
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
	if n := w.recorded(audit.ActionPasskeyCloned); n != 0 {
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
	err := w.Reauthenticate(w.t.Context(), *sess, secret, "", home)
	sess.AuthenticatedAt = w.clock.Now()
	return err
}

// A copy of a passkey is noticed by its counter: it is refused and its owner is written to, once a minute at
// most, while authenticators that do not count go on working.
func TestClonedPasskey(t *testing.T) {
	w := newWorld(t)
	sess := w.join(jeanne)
	k, synced := w.newPasskey(), w.newPasskey()
	synced.Counts = false
	w.add(sess, k)
	w.add(sess, synced)
	clone := k.Copy()
	for range 2 {
		testkit.Must(w.signIn(k))(t)
		testkit.Must(w.signIn(synced))(t)
	}
	for range 2 {
		in, err := w.signIn(clone)
		w.want(err, auth.CodePasskeyCloned)
		if in.Token != "" {
			t.Error("the copy is signed in")
		}
		clone.Count = 1
	}
	if w.mailed(mail.PasskeyCloned) != 1 || w.recorded(audit.ActionPasskeyCloned) != 2 {
		t.Errorf("%d mails and %d records of two uses of a copy", w.mailed(mail.PasskeyCloned), w.recorded(audit.ActionPasskeyCloned))
	}
	testkit.Must(w.signIn(k))(t)
}

// A passkey takes the place of the code after the password, also without its owner being verified, and
// proves who one is; it keeps a second factor that somebody says is lost.
func TestPasskeyAsFactorAndProof(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	sess := w.join(jeanne)
	w.enrol(sess)
	k := w.newPasskey()
	w.add(sess, k)
	first := testkit.Must(w.SignIn(ctx, jeanne, secret, home))(t)
	if ok, err := w.AcceptsPasskeyFactor(ctx, first.Pending); !ok || err != nil {
		t.Errorf("no passkey is offered: %v", err)
	}
	w.must(auth.NewAccounts(w.pool, w.clock).StartFactorRecovery(ctx, sess.Account, "ticket 1"))
	mails := testkit.Mails(t, w.pool)
	link := testkit.Must(w.LinkToken(ctx, "recover", mails[len(mails)-1].Link.ID))(t)
	testkit.Must(w.ConfirmFactorRecovery(ctx, link, home))(t)

	k.Verified = false
	r := testkit.Must(w.BeginPasskeyFactor(ctx, first.Pending))(t)
	again := testkit.Must(w.SignIn(ctx, jeanne, secret, home))(t)
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
	w, ctx := newWorld(t), t.Context()
	sess := w.join(jeanne)
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
		_, err := w.signIn(forged)
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
