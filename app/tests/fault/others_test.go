//go:build soak

package fault_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// How somebody else's server is.
const (
	works    = "works"
	down     = "is down"         // connections end at once
	slow     = "does not answer" // connections stay, and nothing comes
	nonsense = "talks nonsense"
)

// line stands between the service and somebody else's server.
type line struct {
	address, target string

	mu   sync.Mutex
	mode string
	open []net.Conn
}

// set says how the server is from now on; connections that it had are gone.
func (l *line) set(mode string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		c.Close()
	}
	l.mode, l.open = mode, nil
}

func (l *line) enter(c net.Conn) (mode string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, c)
	return l.mode
}

func newLine(t *testing.T) *line {
	t.Helper()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	out := &line{address: l.Addr().String(), mode: works}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go out.serve(c)
		}
	}()
	return out
}

func (l *line) serve(c net.Conn) {
	defer c.Close()
	switch l.enter(c) {
	case down:
	case slow:
		_, _ = io.Copy(io.Discard, c) // until the service has enough of it
	case nonsense:
		_, _ = c.Write([]byte("\x00\xff 999 <html>{\"error\":}\r\n\r\n"))
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, c)
	default:
		to, err := net.Dial("tcp", l.target)
		if err != nil {
			return
		}
		defer to.Close()
		go func() { defer to.Close(); _, _ = io.Copy(to, c) }()
		_, _ = io.Copy(c, to)
	}
}

// others is a world whose mail server, Stripe and provider of identities are behind lines.
type others struct {
	*world
	mail, stripe, identity *line
}

func newOthers(t *testing.T) *others {
	t.Helper()
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	o := &others{mail: newLine(t), stripe: newLine(t), identity: newLine(t)}
	issuer := "http://" + o.identity.address
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer, "authorization_endpoint": issuer + "/a", "token_endpoint": issuer + "/t", "jwks_uri": issuer + "/k"})
	}))
	t.Cleanup(provider.Close)
	o.stripe.target, o.identity.target = strings.TrimPrefix(sim.URL(), "http://"), strings.TrimPrefix(provider.URL, "http://")
	env := append(selling(t, sim), "ARPENT_STRIPE_URL=http://"+o.stripe.address, "ARPENT_SMTP_URL=smtp://"+o.mail.address,
		"ARPENT_OIDC_CLIENT_ID=x", "ARPENT_OIDC_CLIENT_SECRET=y", "ARPENT_OIDC_ISSUER="+issuer)
	o.world = newWorld(t, env...)
	o.mail.target = o.Mails.Addr()
	return o
}

func (o *others) all(mode string) {
	for _, l := range []*line{o.mail, o.stripe, o.identity} {
		l.set(mode)
	}
}

// While mail server, Stripe and provider of identities are away, are slow or talk nonsense,
// every other client is served as ever; one that needs them is answered in time, nothing is half done, no
// session begins, and mails leave later, once.
func TestSoakFaultOthers(t *testing.T) {
	o := newOthers(t)
	o.start()
	mix := o.mix()
	alone := mix.Start()
	time.Sleep(15 * time.Second)
	quiet := alone()
	describe(t, "all work", quiet)
	var joined []string
	for _, mode := range []string{down, slow, nonsense} {
		t.Run(mode, func(t *testing.T) {
			before := o.usedNow()
			o.all(mode)
			end := mix.Start()
			email := strings.ReplaceAll(mode, " ", "-") + "@example.org"
			joined = append(joined, email)
			o.visit(t, email)
			time.Sleep(10 * time.Second)
			outcomes := end()
			describe(t, mode, outcomes)
			wrong(t, outcomes, never)
			o.exact(before, outcomes)
		})
	}
	o.all(works)
	back := time.Now()
	for _, email := range joined {
		o.Mails.Wait(func(m testkit.Mail) bool { return m.To == email })
	}
	t.Logf("the last mail came %s after the return", time.Since(back).Round(time.Millisecond))
	o.once(t, joined)
	if p := o.browser.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}}); p.Status != http.StatusOK || !strings.Contains(p.Text("main"), "Vous continuez chez Stripe") {
		t.Errorf("a plan, once Stripe is back: %d %s", p.Status, p.Text("main"))
	}
	if p := o.browser.Post("/auth/oidc", url.Values{"intent": {"verify"}}); p.Status >= 500 {
		t.Errorf("the provider, once it is back: %d", p.Status)
	}
}

// visit does what needs the others.
func (o *others) visit(t *testing.T, email string) {
	t.Helper()
	newcomer := testkit.NewBrowser(t, o.Base).Stay()
	for _, act := range []struct {
		what  string
		limit time.Duration
		do    func() *testkit.Page
		fits  func(*testkit.Page) bool
	}{
		{"signing up", 5 * time.Second, func() *testkit.Page {
			return newcomer.Submit(newcomer.Get("/signup"), "/signup", "email", email, "password", fixture.Password)
		}, func(p *testkit.Page) bool { return p.Status == http.StatusSeeOther }},
		{"taking a plan", 6 * time.Second, func() *testkit.Page {
			return o.browser.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}})
		}, func(p *testkit.Page) bool {
			return p.Status == http.StatusServiceUnavailable && p.Header.Get("Retry-After") != ""
		}},
		{"the page of plans", 6 * time.Second, func() *testkit.Page { return o.browser.Get("/account/plan") }, func(p *testkit.Page) bool { return p.Status == http.StatusOK }},
		{"signing in through the provider", 6 * time.Second, func() *testkit.Page {
			return testkit.NewBrowser(t, o.Base).Stay().Post("/auth/oidc", url.Values{"intent": {"signin"}})
		}, func(p *testkit.Page) bool { return p.Status < 500 && !strings.Contains(p.Body, o.identity.address) }},
	} {
		begin := time.Now()
		p := act.do()
		took := time.Since(begin)
		t.Logf("%s: %d in %s: %.100s", act.what, p.Status, took.Round(time.Millisecond), p.Text("main"))
		if !act.fits(p) || took > act.limit {
			t.Errorf("%s: %d in %s, Retry-After %q, to %q: %s", act.what, p.Status, took, p.Header.Get("Retry-After"), p.Location(), p.Text("main"))
		}
	}
	if n := testkit.Count(t, o.Pool, `SELECT count(*) FROM account.subscription WHERE subscription_id IS NOT NULL`); n > 0 {
		t.Errorf("%d plans were taken", n)
	}
}

// once fails the test when an address got more than one mail of a kind.
func (o *others) once(t *testing.T, emails []string) {
	t.Helper()
	time.Sleep(5 * time.Second) // what is sent twice comes later
	for _, email := range emails {
		n := 0
		for _, m := range o.Mails.Messages() {
			if m.To == email && strings.Contains(m.Text, "/confirm/") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s got %d mails", email, n)
		}
	}
}
