package assistant_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

const (
	base     = "https://carte.exemple.fr"
	callback = "https://assistant.example/callback"
	verifier = "a-verifier-of-forty-three-characters-at-least"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// world is a server on a database of its own, with a clock that the test moves.
type world struct {
	*instance
	pool  *pgxpool.Pool
	url   string
	clock *clock.Fixed
}

// instance is one process of the service.
type instance struct {
	*assistant.Server
	t     testing.TB
	app   *fiber.App
	index *apikey.Index
}

func newWorld(t *testing.T, options ...func(*assistant.Options)) *world {
	t.Helper()
	t.Parallel()
	return openWorld(t, options...)
}

// openWorld is newWorld for a test that does not run in parallel, or has several.
func openWorld(t testing.TB, options ...func(*assistant.Options)) *world {
	t.Helper()
	pool, url := testkit.DB(t)
	w := &world{pool: pool, url: url, clock: clock.At(noon)}
	w.instance = w.start(t, options...)
	return w
}

// start starts one more process on the same database. It knows of changes by what it reads only.
func (w *world) start(t testing.TB, options ...func(*assistant.Options)) *instance {
	t.Helper()
	index := apikey.NewIndex(w.pool, w.clock)
	testkit.NoError(t, index.Load(t.Context()))
	o := assistant.Options{DB: w.pool, Clock: w.clock, Index: index, BaseURL: base, ServiceName: "Carte"}
	for _, set := range options {
		set(&o)
	}
	i := &instance{Server: assistant.New(o), t: t, index: index, app: fiber.New(fiber.Config{DisableStartupMessage: true})}
	i.Server.Register(i.app)
	return i
}

func (w *world) account(name string) (id ident.AccountID) {
	w.t.Helper()
	err := w.pool.QueryRow(w.t.Context(), `
		INSERT INTO account.account (email, email_confirmed_at, plan, created_at, updated_at)
		VALUES ($1 || '@exemple.fr', $2, 'standard', $2, $2) RETURNING id`, name, noon).Scan(&id)
	testkit.NoError(w.t, err)
	return id
}

func (w *world) mails() []mail.Job { return testkit.Mails(w.t, w.pool) }

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	return testkit.Count(w.t, w.pool, sql, args...)
}

// reply is an answer of the server.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (r reply) code() string { s, _ := r.body["error"].(string); return s }

func (r reply) member(name string) string { s, _ := r.body[name].(string); return s }

// send makes one request. headers are pairs.
func (i *instance) send(method, path, body string, headers ...string) reply {
	i.t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	for n := 0; n+1 < len(headers); n += 2 {
		req.Header.Set(headers[n], headers[n+1])
	}
	res, err := i.app.Test(req, -1)
	if err != nil {
		i.t.Error(err)
		return reply{}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		i.t.Error(err)
	}
	r := reply{status: res.StatusCode, header: res.Header, text: string(text)}
	_ = json.Unmarshal(text, &r.body) // not all answers are JSON
	return r
}

// form posts pairs as a form.
func (i *instance) form(path string, pairs map[string]string, headers ...string) reply {
	i.t.Helper()
	values := url.Values{}
	for name, value := range pairs {
		values.Set(name, value)
	}
	return i.send(http.MethodPost, path, values.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// join registers a client.
func (i *instance) join(metadata string) reply {
	i.t.Helper()
	r := i.send(http.MethodPost, "/oauth/register", metadata, "Content-Type", "application/json")
	if r.status != http.StatusCreated {
		i.t.Fatalf("register: %d %s", r.status, r.text)
	}
	return r
}

// public registers a client without a secret, and gives its identifier.
func (i *instance) public(name string) string {
	i.t.Helper()
	return i.join(`{"client_name":"` + name + `","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`).member("client_id")
}

func pkceChallenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorizeQuery is the query of an authorization request; change sets other values,
// and an empty one leaves the parameter out.
func authorizeQuery(client string, change ...string) string {
	values := url.Values{"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"xyz"},
		"code_challenge": {pkceChallenge(verifier)}, "code_challenge_method": {"S256"}}
	for i := 0; i+1 < len(change); i += 2 {
		if values.Del(change[i]); change[i+1] != "" {
			values.Set(change[i], change[i+1])
		}
	}
	return values.Encode()
}

var browser = auth.Origin{Address: netip.MustParseAddr("192.0.2.10"),
	Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}

// agree has the account's owner agree, and gives the code.
func (i *instance) agree(account ident.AccountID, query string) string {
	i.t.Helper()
	return i.agreeAs(0, account, query)
}

// agreeAs is agree by a person for an account that may be that of an organisation; 0: by the account itself.
func (i *instance) agreeAs(person, account ident.AccountID, query string) string {
	i.t.Helper()
	r := testkit.Must(i.Read(i.t.Context(), query))(i.t)
	r.Origin, r.Person = browser, person
	location := testkit.Must(i.Approve(i.t.Context(), account, r))(i.t)
	u, err := url.Parse(location)
	if err != nil || u.Query().Get("code") == "" {
		i.t.Fatalf("no code in %s (%v)", location, err)
	}
	return u.Query().Get("code")
}

// exchange sends a code.
func (i *instance) exchange(client, code string, change ...string) reply {
	i.t.Helper()
	pairs := map[string]string{"grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": callback, "code_verifier": verifier}
	for n := 0; n+1 < len(change); n += 2 {
		if pairs[change[n]] = change[n+1]; change[n+1] == "" {
			delete(pairs, change[n])
		}
	}
	return i.token(pairs)
}

// token asks for a token.
func (i *instance) token(pairs map[string]string) reply {
	i.t.Helper()
	return testkit.RetryBusy(true, func() reply { return i.form("/oauth/token", pairs) },
		func(r reply) (int, http.Header) { return r.status, r.header })
}

func (i *instance) refresh(client, token string, change ...string) reply {
	i.t.Helper()
	pairs := map[string]string{"grant_type": "refresh_token", "client_id": client, "refresh_token": token}
	for n := 0; n+1 < len(change); n += 2 {
		pairs[change[n]] = change[n+1]
	}
	return i.token(pairs)
}

// connect connects a client to an account.
func (i *instance) connect(account ident.AccountID, client string) (access, refresh string) {
	i.t.Helper()
	r := i.exchange(client, i.agree(account, authorizeQuery(client)))
	if r.status != http.StatusOK {
		i.t.Fatalf("exchange: %d %s", r.status, r.text)
	}
	return r.member("access_token"), r.member("refresh_token")
}

// accepts reports whether an access token is good, and fails the test when that cannot be found out.
func (i *instance) accepts(token string) bool {
	i.t.Helper()
	_, err := i.Authenticate(i.t.Context(), token)
	if err != nil && err != error(assistant.ErrInvalidToken) {
		i.t.Fatalf("authenticate: %v", err)
	}
	return err == nil
}

func (i *instance) want(r reply, status int, code string) {
	i.t.Helper()
	if r.status != status || r.code() != code {
		i.t.Errorf("answered %d %s, want %d %s", r.status, r.text, status, code)
	}
}

func basicAuth(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

// runConcurrently runs n calls at the same time and gives what each answered.
func runConcurrently(n int, call func() reply) []reply {
	out, start := make([]reply, n), make(chan struct{})
	var wait sync.WaitGroup
	for i := range out {
		wait.Go(func() { <-start; out[i] = call() })
	}
	close(start)
	wait.Wait()
	return out
}
