package auth_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
)

// statements counts what is asked of the database.
type statements struct{ n atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n.Add(1)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// maxOwnStatements is what an address that has an account may cost more than one that has none: an entry on record, a link
// and a mail. Each takes about a millisecond; the answer leaves at the next quarter of a second either way.
const maxOwnStatements = 6

// Whatever address is typed by somebody who is not signed in, as many hashes are made or checked, which is what takes long,
// and nearly as many statements: no time that is left over tells who has an account.
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
	for _, door := range []struct {
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
		for i, email := range []string{"inconnue-" + door.name + "@exemple.fr", jeanne, "pas.confirmee@exemple.fr"} {
			hashes, before := w.hasher.Done(), asked.n.Load()
			door.enter(email)
			n := asked.n.Load() - before
			t.Logf("%s of %s: %d hashes, %d statements", door.name, email, w.hasher.Done()-hashes, n)
			if got := w.hasher.Done() - hashes; got != door.hashes {
				t.Errorf("%s of %s made or checked %d hashes, want %d", door.name, email, got, door.hashes)
			}
			if i == 0 {
				fewest, most = n, n
			}
			fewest, most = min(fewest, n), max(most, n)
		}
		if most-fewest > maxOwnStatements {
			t.Errorf("%s: %d to %d statements", door.name, fewest, most)
		}
	}
}
