package auth_test

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/mail"
)

// The answer, the number of hashes and the number of mails are the same for an address with an account and
// one without: a client cannot find out who the customers are.
func TestAnswersAreTheSameForEveryAddress(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	w.signUp("pas.confirmee@exemple.fr")
	_, err := w.SignInWithIdentity(ctx, auth.Claim{Provider: "google", Subject: "7", Email: "sans@exemple.fr", EmailVerified: true}, home)
	w.must(err)
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
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
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
	w, ctx := newWorld(t), t.Context()
	w.join(jeanne)
	w.signUp("paul@exemple.fr")
	_, err := w.SignUp(ctx, jeanne, "the password of somebody else", home)
	w.must(err)
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
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	var asked statements
	config.ConnConfig.Tracer = &asked
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
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
