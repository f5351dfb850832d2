package auth_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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
	jeanne       = "jeanne@exemple.fr"
	marc         = "marc@exemple.fr"
	goodPassword = "un cheval bleu galope"
	newPassword  = "trois poules vertes nagent"
	origin       = "https://arpent.example" // for which passkeys are made
	host         = "arpent.example"
)

// Passwords cost next to nothing to hash here: what they have to cost is judged in auth/password.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }

// world is a service on a database of its own, with a real queue of mails and a clock that the test moves.
type world struct {
	*auth.Service
	t      *testing.T
	pool   *pgxpool.Pool
	clock  *clock.Fixed
	hasher *password.Hasher
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	pool, _ := testkit.DB(t)
	return worldOn(t, pool)
}

// joinWorld makes a world in which Jeanne has signed up and confirmed her address.
func joinWorld(t *testing.T) (*world, context.Context, auth.Session) {
	t.Helper()
	w := newWorld(t)
	sess, _ := w.join(jeanne)
	return w, t.Context(), sess
}

func worldOn(t *testing.T, pool *pgxpool.Pool) *world {
	t.Helper()
	w := &world{t: t, pool: pool, clock: clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), hasher: password.NewHasher(2, 64, time.Minute)}
	w.Service = auth.New(auth.Options{DB: pool, Clock: w.clock, Secret: make([]byte, 32), Passwords: w.hasher,
		Passkeys: testkit.Must(passkey.New(origin, "Arpent"))(t)})
	return w
}

// newServingWorld makes a world whose service has the rights of a server only.
func newServingWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	pool, url := testkit.DB(t)
	w := worldOn(t, testkit.Serving(t, url, nil))
	w.pool = pool
	return w
}

// originAt is a browser at that address.
func originAt(address string) auth.Origin {
	return auth.Origin{Address: netip.MustParseAddr(address), Language: "fr",
		Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
}

var home = originAt("192.0.2.10")

// mails are the messages that wait to be sent, in the order in which they were asked for.
func (w *world) mails() []mail.Job {
	w.t.Helper()
	return testkit.Mails(w.t, w.pool)
}

// mail is the newest message, which must be of that kind.
func (w *world) mail(want mail.Template) mail.Job {
	w.t.Helper()
	all := w.mails()
	if len(all) == 0 || all[len(all)-1].Template != want {
		w.t.Fatalf("the newest of %d mails is not %s: %+v", len(all), want, all)
	}
	return all[len(all)-1]
}

// link is the secret part of the link in the newest message.
func (w *world) link(want mail.Template) string {
	w.t.Helper()
	m := w.mail(want)
	if m.Link == nil {
		w.t.Fatalf("mail %s has no link", want)
	}
	return w.token(m)
}

func (w *world) token(m mail.Job) string {
	w.t.Helper()
	return testkit.Must(w.LinkToken(w.t.Context(), m.Link.Purpose, m.Link.ID))(w.t)
}

func (w *world) signUp(email string) (browser string) {
	w.t.Helper()
	browser = testkit.Must(w.SignUp(w.t.Context(), email, goodPassword, home))(w.t)
	return browser
}

// enter signs a person up and confirms the address in the same browser, which signs in.
func (w *world) enter(email string) auth.SignedIn {
	w.t.Helper()
	browser := w.signUp(email)
	in, err := w.ConfirmEmail(w.t.Context(), w.link(mail.Confirm), browser, "", home)
	if err != nil || in == nil {
		w.t.Fatalf("confirm %s: %+v, %v", email, in, err)
	}
	return *in
}

// join is enter, and gives the session and the device.
func (w *world) join(email string) (auth.Session, string) {
	w.t.Helper()
	in := w.enter(email)
	return w.session(in.Token), in.Device
}

func (w *world) session(token string) auth.Session {
	w.t.Helper()
	return testkit.Must(w.Session(w.t.Context(), token))(w.t)
}

// signIn signs in with the good password.
func (w *world) signIn(email string, o auth.Origin) auth.SignedIn {
	w.t.Helper()
	return testkit.Must(w.SignIn(w.t.Context(), email, goodPassword, o))(w.t)
}

func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	return testkit.Count(w.t, w.pool, sql, args...)
}

// recorded is how many times something was done to the account.
func (w *world) recorded(sess auth.Session, action string) int {
	w.t.Helper()
	return w.count(`SELECT count(*) FROM account.audit WHERE account_id = $1 AND action = $2`, sess.Account, action)
}

// by is the context of what a person does.
func (w *world) by(sess auth.Session) context.Context {
	return audit.With(w.t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: sess.Account, By: sess.Email})
}

// problemCode is the code of a Problem, "missing" for a 404, "" for no error.
func problemCode(t *testing.T, err error) string {
	t.Helper()
	var p *auth.Problem
	switch {
	case err == nil:
		return ""
	case errors.As(err, &p):
		return p.Code
	case fault.From(err).Code == fault.NotFound:
		return "missing"
	}
	t.Errorf("neither a problem nor a 404: %v", err)
	return err.Error()
}

func (w *world) want(err error, expected string) {
	w.t.Helper()
	if got := problemCode(w.t, err); got != expected {
		w.t.Errorf("got %q (%v), want %q", got, err, expected)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	testkit.NoError(w.t, err)
}
