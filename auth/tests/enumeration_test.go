package auth_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// The answer, the number of hashes and the number of mails are the same for an address with an account and
// one without: a client cannot find out who the customers are.
func TestAnswersAreTheSameForEveryAddress(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	w.signUp("pas.confirmee@exemple.fr")
	testkit.Must(w.SignInWithIdentity(ctx, auth.Claim{Provider: "google", Subject: "7", Email: "sans@exemple.fr", EmailVerified: true}, home))(t)
	type seen struct {
		hashes int64
		err    string
		answer bool
	}
	for name, act := range map[string]func(email string) (string, error){
		"sign-up": func(email string) (string, error) { return w.SignUp(ctx, email, goodPassword, home) },
		"sign-in": func(email string) (string, error) {
			in, err := w.SignIn(ctx, email, "not the password at all", home)
			return in.Token, err
		},
		"reset":  func(email string) (string, error) { return "", w.RequestReset(ctx, email, home) },
		"resend": func(email string) (string, error) { return "", w.ResendConfirmation(ctx, email, "", home) },
	} {
		var answers []seen
		for _, email := range []string{jeanne, "inconnue-" + name + "@exemple.fr", "pas.confirmee@exemple.fr", "sans@exemple.fr"} {
			hashes := w.hasher.Done()
			answer, err := act(email)
			answers = append(answers, seen{hashes: w.hasher.Done() - hashes, err: problemCode(t, err), answer: answer != ""})
		}
		for _, a := range answers[1:] {
			if !reflect.DeepEqual(a, answers[0]) {
				t.Errorf("%s: %+v with an account, %+v without", name, answers[0], a)
			}
		}
		t.Logf("%s: %+v", name, answers[0])
	}
	// The owner gets a mail, and it shows nowhere else.
	if !slices.ContainsFunc(w.mails(), func(m mail.Job) bool { return m.Template == mail.SignUpExists && m.To == jeanne }) {
		t.Error("the owner of the address gets no mail of the second sign-up")
	}
	if slices.ContainsFunc(w.mails(), func(m mail.Job) bool { return m.To == "inconnue-reset@exemple.fr" }) {
		t.Error("a mail to an address that has no account")
	}
}

// A slowed-down address says nothing about its having an account either: both are slowed down alike.
func TestSlowdownIsTheSameForEveryAddress(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	var known, unknown []string
	for i := range 8 {
		_, err := w.SignIn(ctx, jeanne, "wrong", originAt("198.51.100.1"))
		known = append(known, problemCode(t, err))
		_, err = w.SignIn(ctx, "personne@exemple.fr", "wrong", originAt("203.0.113.1"))
		unknown = append(unknown, problemCode(t, err))
		w.clock.Advance(time.Duration(i) * 100 * time.Millisecond)
	}
	if !slices.Equal(known, unknown) || !slices.Contains(known, auth.CodeWait) {
		t.Errorf("known %q, unknown %q", known, unknown)
	}
}

// Signing up and then signing in shows nothing about the address: before it is confirmed the right
// password is answered like a wrong one, and a new link is written to its owner.
func TestUnconfirmedSignInIsAWrongOne(t *testing.T) {
	w, ctx, _ := joinWorld(t)
	w.signUp("paul@exemple.fr")
	testkit.Must(w.SignUp(ctx, jeanne, "the password of somebody else", home))(t)
	before := len(w.mails())
	for address, password := range map[string]string{"paul@exemple.fr": goodPassword, jeanne: "the password of somebody else"} {
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

// statements counts what is asked of the database.
type statements struct{ n atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n.Add(1)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// maxOwnStatements is what an address that has an account may cost more than one that has
// none: an entry on record, a link and a mail. Each takes about a millisecond; the answer
// leaves at the next quarter of a second either way.
const maxOwnStatements = 6

// Whatever address is typed by somebody who is not signed in, as many hashes are made or checked, which is
// what takes long, and nearly as many statements: no time that is left over shows who has an account.
func TestSameWorkForEveryAddress(t *testing.T) {
	t.Parallel()
	_, url := testkit.DB(t)
	config := testkit.Must(pgxpool.ParseConfig(url))(t)
	var asked statements
	config.ConnConfig.Tracer = &asked
	pool := testkit.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	w, ctx := worldOn(t, pool), t.Context()
	w.join(jeanne)
	w.signUp("pas.confirmee@exemple.fr")
	for _, entry := range []struct {
		name   string
		hashes int64
		enter  func(email string)
	}{
		{"sign-up", 1, func(email string) { _, _ = w.SignUp(ctx, email, goodPassword, home) }},
		{"sign-in", 1, func(email string) { _, _ = w.SignIn(ctx, email, "not the password at all", home) }},
		{"reset", 0, func(email string) { w.must(w.RequestReset(ctx, email, home)) }},
		{"resend", 0, func(email string) { w.must(w.ResendConfirmation(ctx, email, "", home)) }},
	} {
		var fewest, most int64
		for i, email := range []string{"inconnue-" + entry.name + "@exemple.fr", jeanne, "pas.confirmee@exemple.fr"} {
			hashes, before := w.hasher.Done(), asked.n.Load()
			entry.enter(email)
			n := asked.n.Load() - before
			t.Logf("%s of %s: %d hashes, %d statements", entry.name, email, w.hasher.Done()-hashes, n)
			if got := w.hasher.Done() - hashes; got != entry.hashes {
				t.Errorf("%s of %s made or checked %d hashes, want %d", entry.name, email, got, entry.hashes)
			}
			if i == 0 {
				fewest, most = n, n
			}
			fewest, most = min(fewest, n), max(most, n)
		}
		if most-fewest > maxOwnStatements {
			t.Errorf("%s: %d to %d statements", entry.name, fewest, most)
		}
	}
}

// A new sign-up on an unconfirmed address is the one that counts: the password, the identity and
// the links of the one before are gone, and its browser waits in vain.
func TestSignUpAgainStartsOver(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	first := testkit.Must(w.SignUp(ctx, jeanne, goodPassword, home))(t)
	old := w.link(mail.Confirm)
	w.must(w.RequestReset(ctx, jeanne, home))
	reset := w.link(mail.Reset)
	w.clock.Advance(2 * time.Minute)
	second := testkit.Must(w.SignUp(ctx, jeanne, newPassword, home))(t)
	link := w.link(mail.Confirm)
	if state, err := w.LookConfirm(ctx, old, first); err != nil || state != (auth.LinkState{}) {
		t.Errorf("the link of the first sign-up: %+v, %v", state, err)
	}
	if state, err := w.Look(ctx, auth.PurposeReset, reset); err != nil || !state.Valid { // its holder reads the mail
		t.Errorf("the link to a new password: %+v, %v", state, err)
	}
	if state, err := w.LookConfirm(ctx, link, first); err != nil || !state.NewPassword {
		t.Errorf("the first browser passes for the second: %+v, %v", state, err)
	}
	in, err := w.ConfirmEmail(ctx, link, second, "", home)
	if err != nil || in == nil {
		t.Fatalf("the second browser: %+v, %v", in, err)
	}
	for browser, want := range map[string]bool{first: false, second: true} {
		if got, err := w.Followed(ctx, browser); err != nil || got != want {
			t.Errorf("followed: %v, %v", got, err)
		}
	}
	w.want(testkit.ErrorOf(w.SignIn(ctx, jeanne, goodPassword, home)), auth.CodeSignIn)
	if _, err := w.SignIn(ctx, jeanne, newPassword, home); err != nil {
		t.Error(err)
	}
}

// A provider that does not vouch for the address is a sign-up as any other: its identity goes with the
// next one, and the password with the identity.
func TestIdentityOfASignUpGoesWithIt(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp(jeanne)
	w.clock.Advance(2 * time.Minute)
	squatter := newClaim("github", "squatter", jeanne, false)
	if _, err := w.SignInWithIdentity(ctx, squatter, home); !errors.Is(err, auth.ErrMailSent) {
		t.Fatal(err)
	}
	if n := w.count(`SELECT count(*) FROM account.account WHERE password_hash IS NULL`) + w.count(`SELECT count(*) FROM account.identity`); n != 2 {
		t.Errorf("the password stayed, or the identity is not there: %d", n)
	}
	w.clock.Advance(2 * time.Minute)
	browser := w.signUp(jeanne)
	testkit.WantCount(t, w.pool, 0, "the identity of the sign-up before is still there",
		`SELECT count(*) FROM account.identity`)
	testkit.Must(w.ConfirmEmail(ctx, w.link(mail.Confirm), browser, "", home))(t)
	if in, err := w.SignInWithIdentity(ctx, squatter, home); !errors.Is(err, auth.ErrMailSent) || in.Token != "" {
		t.Errorf("the identity opens the account: %+v, %v", in, err)
	}
}

// Asking for another link of a sign-up does not change where its owner is sent.
func TestResendDoesNotMoveTheWay(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	browser := w.signUp(jeanne)
	other := home
	other.Next = "/oauth/authorize?client_id=other"
	for _, tc := range []struct{ browser, want string }{{"", ""}, {"another", ""}, {browser, other.Next}} {
		w.clock.Advance(2 * time.Minute)
		w.must(w.ResendConfirmation(ctx, jeanne, tc.browser, other))
		if state, err := w.LookConfirm(ctx, w.link(mail.Confirm), browser); err != nil || state.Next != tc.want {
			t.Errorf("asked for in %q: leads on to %q, %v", tc.browser, state.Next, err)
		}
	}
	if state, err := w.LookConfirm(ctx, w.link(mail.Confirm), "another"); err != nil || state.Next != "" {
		t.Errorf("in another browser it leads on to %q, %v", state.Next, err)
	}
}

// An address is not held for ever by who does not prove it: a week after the last sign-up the
// account is gone with all that belongs to it, and what is on record of it names no person. What an
// operator or a payment stands behind stays.
func TestUnconfirmedAccountsGo(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.signUp("seule@exemple.fr")
	w.signUp("encore@exemple.fr")
	if _, err := w.SignInWithIdentity(ctx, newClaim("github", "1", "identite@exemple.fr", false), home); !errors.Is(err, auth.ErrMailSent) {
		t.Fatal(err)
	}
	w.join(jeanne)
	for email, sql := range map[string]string{
		"accordee@exemple.fr": `UPDATE account.account SET granted_plan = 'pro', plan = 'pro' WHERE email = $1`,
		"limite@exemple.fr":   `UPDATE account.account SET per_day = 5 WHERE email = $1`,
		"cle@exemple.fr": `INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
			SELECT id, 'a', sha256('a'), 'p', 'l', now() FROM account.account WHERE email = $1`,
		"paie@exemple.fr": `INSERT INTO account.subscription (account_id, customer_id, updated_at) SELECT id, 'c', now() FROM account.account WHERE email = $1`,
	} {
		w.signUp(email)
		testkit.Exec(t, w.pool, sql, email)
	}
	left := func(want int) {
		t.Helper()
		w.must(w.Clean(ctx))
		testkit.WantCount(t, w.pool, want, "accounts", `SELECT count(*) FROM account.account`)
	}
	w.clock.Advance(6 * 24 * time.Hour)
	left(8)
	w.signUp("encore@exemple.fr")
	w.clock.Advance(24 * time.Hour)
	left(6) // seule, identite
	if n := w.count(`SELECT count(*) FROM account.identity`) + w.count(`SELECT count(*) FROM account.link l WHERE email IN ('seule@exemple.fr', 'identite@exemple.fr')`); n != 0 {
		t.Errorf("%d rows left over", n)
	}
	gone := w.count(`SELECT count(*) FROM account.audit WHERE action = $1 AND actor = 'system'`, audit.ActionAccountDeleted)
	personal := w.count(`SELECT count(*) FROM account.audit t WHERE address IS NOT NULL AND NOT EXISTS (SELECT FROM account.account a WHERE a.id = t.account_id)`)
	if gone != 2 || personal != 0 {
		t.Errorf("%d deletions on record, %d rows with personal data", gone, personal)
	}
	w.clock.Advance(6*24*time.Hour - time.Hour)
	w.must(w.ResendConfirmation(ctx, "encore@exemple.fr", "", home))
	link := w.link(mail.Confirm)
	w.clock.Advance(2 * time.Hour)
	left(6) // the link sent on the last day is good
	if _, err := w.ConfirmEmail(ctx, link, "", newPassword, home); err != nil {
		t.Error(err)
	}
	w.clock.Advance(30 * 24 * time.Hour)
	left(6)
}

// An unconfirmed sign-up does not keep an address from an account that proves it by moving there.
func TestEmailChangeOverAnUnconfirmedAccount(t *testing.T) {
	w, ctx, sess := joinWorld(t)
	const wanted = "nouvelle@exemple.fr"
	w.signUp(wanted)
	squat := w.link(mail.Confirm)
	w.must(w.RequestEmailChange(ctx, sess, wanted, home))
	link := w.link(mail.EmailChange)
	w.must(w.ConfirmEmailChange(ctx, sess, link, home))
	if n := w.count(`SELECT count(*) FROM account.account WHERE email = $1 AND id = $2`, wanted, sess.Account) + w.count(`SELECT count(*) FROM account.account`); n != 2 {
		t.Errorf("the address did not move alone: %d", n)
	}
	w.want(testkit.ErrorOf(w.ConfirmEmail(ctx, squat, "", newPassword, home)), auth.CodeLinkInvalid)
	// An account that was confirmed before the link was followed keeps it.
	sess = w.session(w.signIn(wanted, home).Token)
	browser := w.signUp("troisieme@exemple.fr")
	confirm := w.link(mail.Confirm)
	w.clock.Advance(2 * time.Minute)
	w.must(w.RequestEmailChange(ctx, sess, "troisieme@exemple.fr", home))
	link = w.link(mail.EmailChange)
	testkit.Must(w.ConfirmEmail(ctx, confirm, browser, "", home))(t)
	w.want(w.ConfirmEmailChange(ctx, sess, link, home), auth.CodeLinkInvalid)
}
