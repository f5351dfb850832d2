package portal_test

import (
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/passkey"
	"arpent/auth/password"
	"arpent/auth/policy"
	"arpent/auth/social"
	"arpent/auth/webhook"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/mail"
	"arpent/portal"
	"arpent/portal/pages"
	"arpent/web"
	"arpent/web/public"
)

// noon is when tests take place unless they move the clock: 21 November 2026, 11:42:07 in Paris.
var noon = time.Date(2026, 11, 21, 10, 42, 7, 0, time.UTC)

const testPassword = "un cheval bleu galope"

var testSecret = []byte("a secret of exactly 32 bytes for")

// Passwords cost next to nothing to hash here: what they have to cost is judged in auth/password.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }

// site is the portal and the public pages, served on a port of this machine with a database of their own.
type site struct {
	t        *testing.T
	base     string
	clock    *clock.Fixed
	pool     *pgxpool.Pool
	auth     *auth.Service
	accounts *auth.Accounts
	keys     *apikey.Store
	tokens   *management.Store
	webhooks *webhook.Store
	factors  *policy.Factors
	domains  *policy.Domains
	dns      testkit.DNS
	meter    *meter.Meter
	status   web.Status // what the public pages say of the data
	portal   *portal.Portal
	app      *fiber.App
	// eventsRejected are the reasons for which calls of Stripe's webhook were rejected.
	eventsRejected []string
}

// setting changes what newSite makes.
type setting func(*portal.Options, *social.Options)

// withProvider offers a third party.
func withProvider(p social.ProviderConfig) setting {
	return func(_ *portal.Options, o *social.Options) { o.Providers = append(o.Providers, p) }
}

func newSite(t *testing.T, settings ...setting) *site {
	t.Helper()
	pool, url := testkit.DB(t)
	db := testkit.Serving(t, url, nil)
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &site{t: t, base: "http://" + listener.Addr().String(), clock: clock.At(noon), pool: pool}
	passkeys, err := passkey.New("http://localhost", "Arpent")
	testkit.NoError(t, err)
	s.auth = auth.New(auth.Options{DB: db, Clock: s.clock, Secret: testSecret, Passkeys: passkeys})
	s.accounts, s.keys = auth.NewAccounts(db, s.clock), apikey.NewStore(db, s.clock)
	s.tokens, s.factors = management.NewStore(db, s.clock), policy.NewFactors(db, s.clock, true)
	s.domains = policy.NewDomains(db, s.clock, &s.dns)
	s.webhooks = webhook.NewStore(db, s.clock, testSecret, nil)
	if s.meter, err = meter.New(meter.Options{Pool: db, Clock: s.clock, Operations: api.OperationNames()}); err != nil {
		t.Fatal(err)
	}
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: s.base, Contact: "exploitant@exemple.fr", Accounts: true,
		Status: func() web.Status { return s.status }, CSRFToken: func(session string) string {
			return pages.CSRFToken(pages.CSRFKey(testSecret), session, s.clock.Now())
		}})
	o := portal.Options{Options: pages.Options{Site: site, Auth: s.auth, Keys: s.keys, Tokens: s.tokens, Webhooks: s.webhooks, Factors: s.factors, Domains: s.domains, Billing: billing.New(billing.Options{DB: db, Clock: s.clock}), DB: db, Clock: s.clock,
		Secret: testSecret, BaseURL: s.base, Client: clientAddress}, Meter: s.meter}
	so := social.Options{BaseURL: s.base, Secret: testSecret, Clock: s.clock}
	for _, set := range settings {
		set(&o, &so)
	}
	if o.Social, err = social.New(so); err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, CaseSensitive: true, ReadBufferSize: 8 << 10})
	s.portal, s.app = portal.New(o), app
	s.portal.Register(app)
	webhook := billing.Webhook{Service: o.Billing, Rejected: func(reason string) { s.eventsRejected = append(s.eventsRejected, reason) }}
	webhook.Register(app)
	public.New(public.Options{Site: site, Plans: billing.Plans()}).Register(app)
	go func() { _ = app.Listener(listener) }()
	t.Cleanup(func() { _ = app.ShutdownWithTimeout(time.Second) })
	return s
}

func clientAddress(c *fiber.Ctx) netip.Addr {
	a, err := netip.ParseAddr(c.IP())
	if err != nil {
		return netip.Addr{}
	}
	return a
}

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	testkit.Exec(s.t, s.pool, sql, args...)
}

func (s *site) count(sql string, args ...any) (n int) {
	s.t.Helper()
	return testkit.Count(s.t, s.pool, sql, args...)
}

func (s *site) expectCount(want int, sql string, args ...any) {
	s.t.Helper()
	if n := s.count(sql, args...); n != want {
		s.t.Errorf("%d, want %d: %s", n, want, sql)
	}
}

// read is the one value that a statement returns.
func read[T any](s *site, sql string, args ...any) (v T) {
	s.t.Helper()
	testkit.NoError(s.t, s.pool.QueryRow(s.t.Context(), sql, args...).Scan(&v))
	return v
}

// account makes a confirmed account with testPassword.
func (s *site) account(email string) auth.Account {
	s.t.Helper()
	a, err := s.accounts.Create(s.t.Context(), auth.NewAccount{Email: email, Password: testPassword, Plan: billing.Free, Confirmed: true})
	testkit.NoError(s.t, err)
	return a
}

// member makes a confirmed account and signs in to it.
func (s *site) member(email string) *browser {
	s.t.Helper()
	a := s.account(email)
	b := s.signIn(email)
	b.account = a
	return b
}

// browser is a testkit.Browser with the account that is signed in there.
type browser struct {
	*testkit.Browser
	s       *site
	account auth.Account  // of member
	lang    string        // Accept-Language
	reads   time.Duration // time between the page of an authorization and its answer
}

func (s *site) browser() *browser {
	b := &browser{Browser: testkit.NewBrowser(s.t, s.base), s: s, lang: "fr", reads: time.Second}
	b.Before = func(r *http.Request) {
		r.Header.Set("Accept-Language", b.lang)
		if r.Method == http.MethodPost && r.URL.Path == "/oauth/authorize" {
			s.clock.Advance(b.reads)
		}
	}
	return b
}

// stay has the browser return redirects instead of following them.
func (b *browser) stay() *browser {
	b.Stay()
	return b
}

// signIn gives a browser that is signed in to an account with testPassword, without going through the pages.
func (s *site) signIn(email string) *browser {
	s.t.Helper()
	in, err := s.auth.SignIn(s.t.Context(), email, testPassword, auth.Origin{
		Address: netip.MustParseAddr("127.0.0.1"), Agent: testkit.UserAgent, Language: "fr"})
	testkit.NoError(s.t, err)
	b := s.browser()
	b.SetCookie(web.SessionCookie, in.Token)
	return b
}

// mailsTo are the mails to an address, the oldest first.
func (s *site) mailsTo(to string) (found []mail.Job) {
	s.t.Helper()
	for _, j := range testkit.Mails(s.t, s.pool) {
		if j.To == to {
			found = append(found, j)
		}
	}
	return found
}

// last is the newest mail to an address with that template. Its absence fails the test.
func (s *site) last(to string, template mail.Template) mail.Job {
	s.t.Helper()
	all := s.mailsTo(to)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Template == template {
			return all[i]
		}
	}
	s.t.Fatalf("no mail %s to %s among %d", template, to, len(all))
	return mail.Job{}
}

// link is the path that a mail leads to.
func (s *site) link(j mail.Job) string {
	s.t.Helper()
	if j.Link == nil {
		s.t.Fatalf("the mail %s has no link", j.Template)
	}
	token := testkit.Must(s.auth.LinkToken(s.t.Context(), j.Link.Purpose, j.Link.ID))(s.t)
	return "/" + j.Link.Purpose + "/" + token
}
