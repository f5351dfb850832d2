package attack_test

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// Requests of every route, changed at random, are answered as HTTP has it: never with a failure of ours. What
// the account is charged is what was answered to it.
func TestHTTPMutations(t *testing.T) {
	mutations(t, 600, 1, testkit.Timeout)
}

// keys are of four accounts: what is answered to a request whose end may be
// lost is not compared with what was charged.
type keys struct{ rest, tools, brokenRest, brokenTools string }

func (k keys) of(text string, framed bool) string {
	if framed {
		return text
	}
	return strings.NewReplacer(k.rest, k.brokenRest, k.tools, k.brokenTools).Replace(text)
}

// charge is how answers came out that one account is charged for: by
// class of the status, and those against the day.
type charge struct {
	classes [6]int
	counted int
}

// noLimit is recognized in the headers of an answer: no anonymous client has it.
const noLimit = 1_000_000_000

// mutator sends requests over a connection that it opens again when it is closed.
type mutator struct {
	t       *testing.T
	address string
	limit   time.Duration // for an answer
	rnd     *rand.Rand
	open    net.Conn
	in      *bufio.Reader
	seen    map[string]map[int]int // answers by part of the service and status
	rest    charge                 // framed answers to the account of the key of the API
	broken  int                    // answers to the account whose requests have no certain end
	unread  int                    // attempts that may have had one more
	tools   string                 // their key
	calls   int                    // answers of tools
	sent    charge                 // answers of the API to their account
}

// connect opens a connection, from another address of this machine each time: a request that cannot be read
// is held against the one that it comes from.
func (m *mutator) connect() {
	m.close()
	from := &net.TCPAddr{IP: net.IPv4(127, 1, byte(m.rnd.IntN(64)), byte(1+m.rnd.IntN(254)))}
	conn, err := (&net.Dialer{LocalAddr: from}).Dial("tcp", m.address)
	if err != nil { // a system that has 127.0.0.1 alone
		conn, err = net.Dial("tcp", m.address)
	}
	testkit.NoError(m.t, err)
	m.open, m.in = conn, bufio.NewReader(conn)
}

func (m *mutator) close() {
	if m.open != nil {
		m.open.Close()
		m.open = nil
	}
}

// send writes a request and reads what is answered: one answer, or all
// until the end where its framing may be broken.
func (m *mutator) send(text string, r request, framed bool) {
	if m.open == nil || !framed {
		m.connect()
	}
	_ = m.open.SetDeadline(time.Now().Add(m.limit)) // it fails as reading does
	_, _ = io.WriteString(m.open, text)             // an answer may come before all is written, and the end
	if !framed {
		_ = m.open.(*net.TCPConn).CloseWrite()
		m.drain(text)
		m.close()
		return
	}
	res, err := http.ReadResponse(m.in, &http.Request{Method: r.method})
	if err != nil {
		m.t.Fatalf("%.2000q: no answer: %v", text, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatalf("%.2000q: %d, and its body ends: %v", text, res.StatusCode, err)
	}
	m.judge(text, fixture.Response{Status: res.StatusCode, Header: res.Header, Body: body}, r)
	if res.Close {
		m.close()
	}
}

// drain reads until the end what an attempt was answered that may be no request, or several.
// A server that closes before it has read everything resets the connection, which may cost
// the client the end of what was sent before.
func (m *mutator) drain(text string) {
	all, err := io.ReadAll(m.in)
	reset := errors.Is(err, syscall.ECONNRESET)
	if slow, is := err.(net.Error); is && slow.Timeout() {
		m.t.Errorf("%.2000q: no end within %s", text, m.limit)
	}
	if strings.Contains(text, "HEAD") || reset { // an answer without a body, or without its end
		m.unread++
	}
	in := bufio.NewReader(bytes.NewReader(all))
	for !strings.Contains(text, "HEAD") {
		if _, err := in.Peek(1); err != nil {
			return
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil && reset {
			return
		}
		if err != nil {
			m.t.Errorf("%.2000q: what is answered is no HTTP: %v: %.500q", text, err, all)
			return
		}
		body, err := io.ReadAll(res.Body)
		if err != nil && reset {
			return
		}
		if err != nil {
			m.t.Errorf("%.2000q: %d, and its body ends: %v", text, res.StatusCode, err)
		}
		m.judge(text, fixture.Response{Status: res.StatusCode, Header: res.Header, Body: body}, request{})
	}
}

func (m *mutator) judge(text string, got fixture.Response, r request) {
	part := cmp.Or(part(r.path), "unframed")
	if m.seen[part] == nil {
		m.seen[part] = map[int]int{}
	}
	m.seen[part][got.Status]++
	if got.Status >= http.StatusInternalServerError && (got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "") {
		m.t.Errorf("%.2000q: %d %.500s", text, got.Status, got.Body)
	}
	if part == "API" && r.method != http.MethodHead && got.Status >= http.StatusBadRequest && !bytes.HasPrefix(got.Body, []byte(`{"error":{"code":"`)) {
		m.t.Errorf("%.2000q: %d %.500q is no error of the API", text, got.Status, got.Body)
	}
	switch charged := got.Header.Get("X-RateLimit-Limit") == strconv.Itoa(noLimit); {
	case charged && part == "unframed":
		m.broken++
	case charged && strings.Contains(text, m.tools): // a mutation that sends their key to the API
		m.sent.add(got.Status)
	case charged:
		m.rest.add(got.Status)
	case part != "unframed" && bytes.Contains(got.Body, []byte(`"result":{"content":`)):
		m.calls++
	}
}

func (c *charge) add(status int) {
	c.classes[status/100]++
	if status != http.StatusNotModified && status < http.StatusInternalServerError {
		c.counted++
	}
}

// part is the part of the service that a path belongs to; empty: there is no path.
func part(path string) string {
	switch path, _, _ := strings.Cut(path, "?"); {
	case path == "":
		return ""
	case strings.HasPrefix(path, api.Root+"/"), path == api.Root:
		return "API"
	case strings.TrimRight(path, "/") == "/mcp":
		return "assistants"
	case strings.HasPrefix(path, "/oauth/"), strings.HasPrefix(path, "/.well-known/"):
		return "OAuth"
	case strings.HasPrefix(path, "/account"), strings.HasPrefix(path, "/admin"):
		return "account"
	default:
		return "pages"
	}
}

// mutations sends n requests, and judges the instance after them.
func mutations(t *testing.T, n int, seed uint64, limit time.Duration) {
	t.Logf("seed %d", seed)
	stripe := stripesim.ForTest(t, stripesim.Options{})
	s := fixture.Portal(t, func(c *config.Config) {
		c.TrustedProxies, c.Operators = []string{"127.0.0.0/8"}, []string{"member@exemple.fr"}
		c.StripeKey, c.StripeWebhookSecret, c.StripeURL = stripesim.DefaultKey, stripesim.DefaultWebhookSecret, stripe.URL()
		c.StripePrices = stripesim.PriceLists()
	})
	member := s.SignUp("member@exemple.fr")
	member.Submit(member.Get("/account/keys/new"), "/account/keys/new", "name", "of the member") // its number is 1
	keys := keys{s.Account("rest@example.org", "pro"), s.Account("tools@example.org", "pro"), s.Account("broken@example.org", "pro"), s.Account("broken-tools@example.org", "pro")}
	s.Limit(keys.tools, noLimit)
	session := member.Cookie("arpent-session")
	if session == "" {
		t.Fatal("the session has no cookie")
	}
	seeds := wholeRequests(s, keys, member, "arpent-session="+session)
	m := &mutator{t: t, address: strings.TrimPrefix(s.Base, "http://"), limit: limit, rnd: rand.New(rand.NewPCG(seed, 1)), seen: map[string]map[int]int{}, tools: keys.tools}
	defer m.close()
	for name, key := range map[string]string{"rest": keys.rest, "tools": keys.tools, "broken": keys.brokenRest} {
		used := s.Get(api.Root, "X-API-Key", key).Used(t)
		s.Until(func() bool { return stored(s)[name+"@example.org"].counted == used })
	}
	was := stored(s)
	panics, begin := s.Metric("arpent_http_panics_total"), time.Now()
	before, routines := heap(), 0
	for i := range n {
		if i%1000 == 0 {
			s.Log.Forget()
		}
		if i == min(n/2, 20_000) { // what fills up once is there
			before, routines = heap(), runtime.NumGoroutine()
		}
		text, r, framed := attempt(m.rnd, seeds)
		m.send(keys.of(text, framed), r, framed)
		if t.Failed() {
			t.Fatalf("mutation %d of seed %d", i, seed)
		}
	}
	m.close()
	t.Logf("%d mutations of %d requests, %.0f a second, answered %v", n, len(seeds), float64(n)/time.Since(begin).Seconds(), m.seen)
	if got := s.Metric("arpent_http_panics_total"); got != panics {
		t.Errorf("%v panics", got-panics)
	}
	m.reached(n)
	if p := member.Get("/account"); p.Status != http.StatusOK {
		t.Errorf("after all, the session gets %d: what was sent with it was not read as its own", p.Status)
	}
	t.Logf("heap %d KiB, then %d KiB; %d goroutines, then %d", before>>10, heap()>>10, routines, runtime.NumGoroutine())
	if grown := int64(heap()) - int64(before); grown > 32<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	testkit.Eventually(t, testkit.Timeout, "the goroutines have ended", func() bool { return runtime.NumGoroutine() < routines+50 })
	s.Stop() // it writes what it has counted
	m.charged(was, stored(s))
}

// reached judges whether the requests got as far as the handlers.
func (m *mutator) reached(n int) {
	m.t.Helper()
	total := map[int]int{}
	for _, statuses := range m.seen {
		for status, n := range statuses {
			total[status] += n
		}
	}
	if total[http.StatusOK]+total[http.StatusSeeOther] < n/10 || total[http.StatusBadRequest] < n/20 || total[http.StatusTooManyRequests] > n/20 {
		m.t.Errorf("hardly anything was read, or refused, or the limits answered: %v", total)
	}
}

// charged compares what was stored of the accounts with what was answered to them.
func (m *mutator) charged(was, now map[string]charge) {
	m.t.Helper()
	since := func(name string) charge {
		c := now[name+"@example.org"]
		for class, n := range was[name+"@example.org"].classes {
			c.classes[class] -= n
		}
		c.counted -= was[name+"@example.org"].counted
		return c
	}
	broken, tools := since("broken").total(), since("tools").counted
	m.t.Logf("charged %+v, %d for calls of tools, and %d where %d were answered and %d may have been", since("rest"), tools, broken, m.broken, m.unread)
	if got := since("rest"); got != m.rest {
		m.t.Errorf("charged %+v, answered %+v", got, m.rest)
	}
	if tools != m.calls+m.sent.counted {
		m.t.Errorf("charged for %d calls of tools, answered %d and %d of the API", tools, m.calls, m.sent.counted)
	}
	if broken < m.broken || broken > m.broken+m.unread {
		m.t.Errorf("charged for %d, answered %d; another %d may have been", broken, m.broken, m.unread)
	}
}

func (c charge) total() (n int) {
	for _, class := range c.classes {
		n += class
	}
	return n
}

// stored is what is written of each account.
func stored(s *fixture.Site) map[string]charge {
	s.T.Helper()
	rows, _ := s.Pool.Query(s.T.Context(), `SELECT a.email, u.status_class, sum(u.requests)::int, sum(u.counted)::int
		FROM account.usage u JOIN account.account a ON a.id = u.account_id GROUP BY 1, 2`) // the rows have its error too
	out := map[string]charge{}
	var email string
	var class, requests, counted int
	_, err := pgx.ForEachRow(rows, []any{&email, &class, &requests, &counted}, func() error {
		c := out[email]
		c.classes[class] = requests
		c.counted += counted
		out[email] = c
		return nil
	})
	testkit.NoError(s.T, err)
	return out
}
