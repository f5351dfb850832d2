package conversion_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/member"
	"arpent/auth/passkey"
	"arpent/auth/password"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

const (
	jeanne = "jeanne@exemple.fr"
	marc   = "marc@exemple.fr"
	secret = "un cheval bleu galope"
	origin = "https://arpent.example"
)

// Passwords cost next to nothing to hash here: what they have to cost is judged in auth/password.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }

var home = auth.Origin{Address: netip.MustParseAddr("192.0.2.10"), Language: "fr",
	Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}

// world is a service on a database of its own with a clock that the test moves.
type world struct {
	*auth.Service
	t     *testing.T
	pool  *pgxpool.Pool
	clock *clock.Fixed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	pool, url := testkit.DB(t)
	w := &world{t: t, pool: pool, clock: clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	party := testkit.Must(passkey.New(origin, "Arpent"))(t)
	w.Service = auth.New(auth.Options{DB: testkit.Serving(t, url, nil), Clock: w.clock, Secret: make([]byte, 32), Passkeys: party,
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

// join signs a person up and returns the token of the session.
func (w *world) join(email string) (token string) {
	w.t.Helper()
	browser := testkit.Must(w.SignUp(w.t.Context(), email, secret, home))(w.t)
	in := testkit.Must(w.ConfirmEmail(w.t.Context(), w.mailed(mail.Confirm), browser, "", home))(w.t)
	return in.Token
}

// mailed is the token of the link in the newest mail.
func (w *world) mailed(template mail.Template) string {
	w.t.Helper()
	all := testkit.Mails(w.t, w.pool)
	last := all[len(all)-1]
	if last.Template != template || last.Link == nil {
		w.t.Fatalf("the newest mail is %+v", last)
	}
	return testkit.Must(w.LinkToken(w.t.Context(), last.Link.Purpose, last.Link.ID))(w.t)
}

func (w *world) session(token string) auth.Session {
	w.t.Helper()
	return testkit.Must(w.Session(w.t.Context(), token))(w.t)
}

func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	return testkit.Count(w.t, w.pool, sql, args...)
}

func (w *world) code(secret string) string {
	w.t.Helper()
	w.clock.Advance(time.Minute) // past the step that was used last
	return testkit.Must(totp.GenerateCode(secret, w.clock.Now()))(w.t)
}

// by is the context of what a person does.
func (w *world) by(sess auth.Session) context.Context {
	return audit.With(w.t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: sess.Account, By: sess.Email})
}

// wantMember checks that a session shows the organisation, of which its person is the owner.
func (w *world) wantMember(token string, org ident.AccountID) auth.Session {
	w.t.Helper()
	s := w.session(token)
	if s.Organisation != org || s.Account == org || s.Role != member.Owner || s.OrganisationName != "Cadastre & Fils" || s.Email != jeanne {
		w.t.Errorf("%+v", s)
	}
	return s
}
