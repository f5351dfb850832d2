package accountapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"

	"arpent/api"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/billing/meter"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/portal/accountapi"
	"arpent/web/guide"
)

var noon = time.Date(2026, 11, 21, 10, 42, 7, 0, time.UTC)

// world is an organisation, Alpha, and another one, with the account API and the API over both.
type world struct {
	t          *testing.T
	pool       *pgxpool.Pool
	clock      *clock.Fixed
	tokens     *management.Store
	base       string
	org, other ident.AccountID
	jeanne     ident.AccountID
}

// Alpha: two members, keys of both, one revoked, and requests of some days.
const seed = `
INSERT INTO account.account (id, email, email_confirmed_at, created_at, updated_at) OVERRIDING SYSTEM VALUE
VALUES (1, 'jeanne@exemple.fr', now(), now(), now()), (2, 'marc@exemple.fr', now(), now(), now());
INSERT INTO account.account (id, kind, name, email, contact_email, email_confirmed_at, plan, created_at, updated_at) OVERRIDING SYSTEM VALUE
VALUES (3, 'organisation', 'Alpha', '3@organisation.invalid', 'jeanne@exemple.fr', now(), 'standard', now(), now()),
    (4, 'organisation', 'Beta', '4@organisation.invalid', 'jeanne@exemple.fr', now(), 'free', now(), now());
INSERT INTO account.member (account_id, person_id, role, created_at)
VALUES (3, 1, 'owner', '2026-10-01 08:00+00'), (3, 2, 'developer', '2026-10-05 09:30+00'), (4, 1, 'owner', '2026-10-01 08:00+00');
INSERT INTO account.api_key (id, account_id, name, secret_hash, prefix, last4, created_at, last_used_at, expires_at, revoked_at, per_day, networks,
    request_count, created_by, kind) OVERRIDING SYSTEM VALUE
VALUES (11, 3, 'import nocturne', sha256('1'), 'arp_AbCd', 'wXyZ', '2026-10-02 08:00+00', '2026-11-21 02:14+00', '2027-01-01 00:00+01', NULL, 5000,
        '{203.0.113.0/24}', 41872, 1, 'integration'),
    (12, 3, 'site web', sha256('2'), 'arp_EfGh', 'aBcD', '2026-10-06 08:00+00', NULL, NULL, NULL, NULL, NULL, 0, 2, 'integration'),
    (13, 3, 'ancienne', sha256('3'), 'arp_IjKl', 'eFgH', '2026-10-01 08:00+00', NULL, NULL, '2026-10-02 08:00+00', NULL, NULL, 10, 1, 'integration'),
    (14, 3, 'Console', sha256('4'), '', '', '2026-10-01 08:00+00', NULL, NULL, '2026-10-01 08:00+00', NULL, NULL, 3, NULL, 'console'),
    (15, 4, 'secrète', sha256('5'), 'arp_MnOp', 'iJkL', '2026-10-01 08:00+00', NULL, NULL, NULL, NULL, NULL, 0, 1, 'integration');
INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
VALUES (3, 11, 'get_commune', 2, '2026-11-20', 1840, 1840), (3, 11, 'get_parcel', 4, '2026-11-20', 12, 12), (3, 14, 'get_commune', 2, '2026-11-20', 3, 3),
    (3, 11, 'get_commune', 2, '2026-11-21', 310, 310), (3, 11, 'get_commune', 2, '2026-10-22', 7, 7), (4, 15, 'get_region', 2, '2026-11-20', 99, 99);
INSERT INTO account.quota_day (account_id, day, used)
VALUES (3, '2026-10-31', 1000), (3, '2026-11-01', 200), (3, '2026-11-20', 1855), (3, '2026-11-21', 310), (4, '2026-11-20', 99);`

func newWorld(t *testing.T) *world {
	t.Helper()
	pool, url := testkit.DB(t)
	db := testkit.Serving(t, url, nil)
	w := &world{t: t, pool: pool, clock: clock.At(noon), org: 3, other: 4, jeanne: 1}
	w.tokens = management.NewStore(db, w.clock)
	w.exec(seed)
	m := testkit.Must(meter.New(meter.Options{Pool: db, Clock: w.clock, Operations: api.OperationNames()}))(t)
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	w.base = "http://" + listener.Addr().String()
	index := apikey.NewIndex(db, w.clock)
	testkit.NoError(t, index.Load(t.Context()))
	server := api.New(api.Options{BaseURL: w.base, ServiceName: "Arpent", TagKey: bytes.Repeat([]byte{1}, 32), Clock: w.clock, Keys: index, Meter: m,
		Anonymous: m.NewAnonymousLimiter(), Log: api.NewAccessLog(io.Discard, 0), Metrics: api.NewMetrics(prometheus.NewRegistry())})
	app := fiber.New(fiber.Config{DisableStartupMessage: true, CaseSensitive: true})
	server.Register(app)
	accountapi.New(accountapi.Options{API: server, Tokens: w.tokens, Keys: apikey.NewStore(db, w.clock), Accounts: auth.NewAccounts(db, w.clock),
		Meter: m, DB: db, Clock: w.clock, BaseURL: w.base, ServiceName: "Arpent"}).Register(app)
	go func() { _ = app.Listener(listener) }()
	t.Cleanup(func() { _ = app.ShutdownWithTimeout(time.Second) })
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

// token makes a token of an account, as Jeanne.
func (w *world) token(account ident.AccountID, name string, scopes ...management.Scope) (secret string) {
	w.t.Helper()
	_, secret, err := w.tokens.Create(audit.With(w.t.Context(), audit.Actor{Kind: audit.ActorAccount, Person: w.jeanne}), account,
		management.NewToken{Name: name, Scopes: scopes, Days: 30})
	testkit.NoError(w.t, err)
	return secret
}

// answer is what a request was answered with.
type answer struct {
	http.Header
	Status int
	Body   []byte
}

func (a answer) code() string { return gjson.GetBytes(a.Body, "error.code").Str }

func (w *world) request(method, path string, headers ...string) answer {
	w.t.Helper()
	r := testkit.Must(http.NewRequestWithContext(w.t.Context(), method, w.base+path, nil))(w.t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res := testkit.Must(http.DefaultClient.Do(r))(w.t)
	defer res.Body.Close()
	body := testkit.Must(io.ReadAll(res.Body))(w.t)
	return answer{res.Header, res.StatusCode, body}
}

func (w *world) get(path, secret string) answer {
	w.t.Helper()
	return w.request("GET", path, "Authorization", "Bearer "+secret)
}

// What the documentation shows as answers is what an organisation gets, of its own rows alone; nothing is
// stored on the way, and no page of another origin can read it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.token(w.org, "tableau de bord", management.Scopes...)
	for i, path := range []string{"/account/v1/usage?from=2026-11-20&to=2026-11-21", "/account/v1/keys", "/account/v1/organisation"} {
		a := w.request("GET", path, "Authorization", "bearer  "+secret, "Origin", "https://page.example")
		if a.Status != 200 || a.Get("Cache-Control") != "no-store" || a.Get("Access-Control-Allow-Origin") != "" ||
			!strings.HasPrefix(a.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %v %s", path, a.Status, a.Header, a.Body)
		}
		if a.Get("X-RateLimit-Limit") != "60" || a.Get("RateLimit-Policy") != `"token";q=30;w=60` || !strings.HasPrefix(a.Get("RateLimit"), `"token";r=2`) {
			t.Errorf("%s: %v", path, a.Header)
		}
		var shown bytes.Buffer
		testkit.NoError(t, json.Indent(&shown, a.Body, "", "  "))
		testkit.Golden(t, "../../../web/guide/samples/"+guide.AccountAnswers[i], append(shown.Bytes(), '\n'))
		for _, foreign := range []string{"secrète", "get_region", "Beta", "arp_MnOp"} {
			if bytes.Contains(a.Body, []byte(foreign)) {
				t.Errorf("%s: %q of another organisation", path, foreign)
			}
		}
	}
	// Who the members are is read by tokens with that scope alone.
	keys := w.get("/account/v1/keys", w.token(w.org, "clés", management.ReadKeys, management.ReadUsage))
	if v := gjson.ParseBytes(keys.Body); v.Get("keys.#").Int() != 2 || v.Get("keys.#.createdBy").Raw != "[null,null]" || bytes.Contains(keys.Body, []byte("@")) {
		t.Errorf("without organisation:read: %s", keys.Body)
	}
	own := w.get("/account/v1/organisation", w.token(w.jeanne, "own", management.Scopes...))
	if v := gjson.ParseBytes(own.Body); v.Get("name").Type != gjson.Null || v.Get("members.#").Int() != 1 || v.Get("members.0.email").Str != "jeanne@exemple.fr" ||
		v.Get("members.0.since").Type != gjson.Null || v.Get("quota.month").Type != gjson.Number || v.Get("quota.month").Int() != 0 {
		t.Errorf("a person alone: %s", own.Body)
	}
	other := w.get("/account/v1/usage", w.token(w.other, "other", management.ReadUsage))
	if v := gjson.ParseBytes(other.Body); v.Get("from").Str != "2026-10-23" || v.Get("to").Str != "2026-11-21" || v.Get("rows.#.requests").Raw != "[99]" {
		t.Errorf("30 days of the other one: %s", other.Body)
	}
}

// A request that is not allowed gets the error that says what to do, in the form of the API, and costs the
// quota nothing: an API key and a management token are never taken for each other.
func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret, key := w.token(w.org, "usage alone", management.ReadUsage), "arp_EHSw0mZK0VnXHW5dQdJSOKHKLpD0TrTp2fYIds"
	before := testkit.Count(t, w.pool, `SELECT coalesce(sum(used), 0)::bigint FROM account.quota_day`)
	for _, tc := range []struct {
		method, path    string
		headers         []string
		status          int
		code, mentioned string
	}{
		{"GET", "/account/v1/usage", nil, 401, "missing_token", "Authorization: Bearer"},
		{"GET", "/account/v1/usage?api_key=" + secret, nil, 401, "missing_token", "Authorization: Bearer"},
		{"GET", "/account/v1/usage", []string{"Authorization", "Basic eDp5"}, 401, "missing_token", ""},
		{"GET", "/account/v1/usage", []string{"Authorization", "Bearer " + key}, 401, "invalid_token", "API key"},
		{"GET", "/account/v1/usage", []string{"X-API-Key", key}, 401, "invalid_token", "API key"},
		{"GET", "/account/v1/usage", []string{"Authorization", "Bearer x"}, 401, "invalid_token", "no management token"},
		{"GET", "/api/v1/communes/93010", []string{"Authorization", "Bearer " + secret}, 401, "invalid_api_key", "management token"},
		{"GET", "/api/v1/communes/93010", []string{"X-API-Key", secret}, 401, "invalid_api_key", "management token"},
		{"GET", "/api/v1/communes/93010?api_key=" + secret, nil, 401, "invalid_api_key", "management token"},
		{"GET", "/account/v1/keys", []string{"Authorization", "Bearer " + secret}, 403, "missing_scope", "keys:read"},
		{"GET", "/account/v1/organisation", []string{"Authorization", "Bearer " + secret}, 403, "missing_scope", "organisation:read"},
		{"GET", "/account/v1/usage?from=2026-11-32", []string{"Authorization", "Bearer " + secret}, 400, "invalid_parameter", "2026-11-32"},
		{"GET", "/account/v1/usage?to=yesterday", []string{"Authorization", "Bearer " + secret}, 400, "invalid_parameter", "yesterday"},
		{"GET", "/account/v1/usage?from=2026-11-21&to=2026-11-20", []string{"Authorization", "Bearer " + secret}, 400, "invalid_parameter", "400 days"},
		{"GET", "/account/v1/usage?from=2025-01-01&to=2026-11-20", []string{"Authorization", "Bearer " + secret}, 400, "invalid_parameter", "400 days"},
		{"GET", "/account/v1/invoices", []string{"Authorization", "Bearer " + secret}, 404, "not_found", "openapi.json"},
		{"POST", "/account/v1/usage", []string{"Authorization", "Bearer " + secret}, 405, "method_not_allowed", "GET"},
		{"DELETE", "/account/v1/keys", nil, 405, "method_not_allowed", "GET"},
	} {
		a := w.request(tc.method, tc.path, tc.headers...)
		if a.Status != tc.status || a.code() != tc.code || !strings.Contains(gjson.GetBytes(a.Body, "error.message").Str, tc.mentioned) ||
			!strings.HasSuffix(gjson.GetBytes(a.Body, "error.documentation").Str, "/docs/errors#"+tc.code) || a.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, a.Status, a.Body)
		}
		if bytes.Contains(a.Body, []byte(secret)) || bytes.Contains(a.Body, []byte(key)) {
			t.Errorf("%s %s repeats a secret", tc.method, tc.path)
		}
	}
	if a := w.request("HEAD", "/account/v1/usage", "Authorization", "Bearer "+secret); a.Status != 200 || len(a.Body) != 0 {
		t.Errorf("HEAD: %d", a.Status)
	}
	if after := testkit.Count(t, w.pool, `SELECT coalesce(sum(used), 0)::bigint FROM account.quota_day`); after != before {
		t.Errorf("%d requests counted", after-before)
	}
	w.clock.Advance(time.Hour)
	for range management.Burst {
		w.get("/account/v1/usage", secret)
	}
	a := w.get("/account/v1/usage", secret)
	if a.Status != 429 || a.code() != "rate_limited" || a.Get("Retry-After") != "2" || !strings.HasPrefix(a.Get("RateLimit"), `"token";r=0`) {
		t.Errorf("one too many: %d %v %s", a.Status, a.Header, a.Body)
	}
	if a := w.get("/account/v1/usage", w.token(w.org, "another", management.ReadUsage)); a.Status != 200 {
		t.Errorf("another token of the organisation: %d", a.Status)
	}
}

// A client without a valid token is slowed down by its address, as on the API.
func TestGuessingIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	guess, _ := apikey.Draw(management.Mark)
	for range meter.AnonymousPerMinute {
		if a := w.get("/account/v1/keys", guess); a.Status != 401 || a.code() != "invalid_token" {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	if a := w.get("/account/v1/keys", guess); a.Status != 429 || a.Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", a.Status, a.Body)
	}
	if a := w.get("/account/v1/keys", w.token(w.org, "good", management.ReadKeys)); a.Status != 200 {
		t.Errorf("a good token from the same address: %d", a.Status)
	}
}

// The programs of the documentation run as they are shown.
func TestProgramsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.token(w.org, "tableau de bord", management.Scopes...)
	for _, sample := range []guide.Sample{guide.AccountShell, guide.AccountPython} {
		file := filepath.Join(t.TempDir(), sample.File)
		testkit.NoError(t, os.WriteFile(file, []byte(sample.Code(w.base)), 0o600))
		words := strings.Fields(sample.Command)
		cmd := exec.CommandContext(t.Context(), words[0], file)
		cmd.Env = append(os.Environ(), "ARPENT_TOKEN="+secret, "PYTHONIOENCODING=utf-8")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", sample.File, err, out)
		}
		want := []string{"import nocturne 2162\nConsole 3\n", "today: 310 of ", "import nocturne expires on 2026-12-31"}
		if sample == guide.AccountShell {
			want = []string{`"operation":"get_commune"`, `"prefix":"arp_AbCd"`, `"name":"Alpha"`}
		}
		for _, text := range want {
			if !strings.Contains(string(out), text) {
				t.Errorf("%s prints\n%s, without %s", sample.File, out, text)
			}
		}
	}
}

// The document describes what is answered: each operation with its scope, each member of each answer, each
// status.
func TestDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.request("GET", "/account/v1/openapi.json")
	testkit.Golden(t, "openapi.json", bytes.ReplaceAll(a.Body, []byte(w.base), []byte("https://api.example.org")))
	if a.Status != 200 {
		t.Fatalf("%d", a.Status)
	}
	secret := w.token(w.org, "all", management.Scopes...)
	paths := 0
	gjson.GetBytes(a.Body, "paths").ForEach(func(path, item gjson.Result) bool {
		paths++
		ref := item.Get("get.responses.200.content.application/json.schema.$ref").Str
		schema := gjson.GetBytes(a.Body, "components.schemas."+strings.TrimPrefix(ref, "#/components/schemas/"))
		checkMembers(t, path.Str, a.Body, schema, gjson.ParseBytes(w.get(path.Str, secret).Body))
		return true
	})
	testkit.Want(t, paths, 3, "paths")
}

// checkMembers compares the members of an answer with those that its schema requires.
func checkMembers(t *testing.T, at string, document []byte, schema, value gjson.Result) {
	t.Helper()
	var named, found []string
	schema.Get("properties").ForEach(func(name, of gjson.Result) bool {
		named = append(named, name.Str)
		next, v := of, value.Get(name.Str)
		if v.IsArray() {
			next, v = of.Get("items"), v.Get("0")
		}
		if ref := next.Get("$ref").Str; ref != "" && v.IsObject() {
			checkMembers(t, at+" "+name.Str, document, gjson.GetBytes(document, "components.schemas."+strings.TrimPrefix(ref, "#/components/schemas/")), v)
		}
		return true
	})
	value.ForEach(func(name, _ gjson.Result) bool { found = append(found, name.Str); return true })
	slices.Sort(named)
	slices.Sort(found)
	if !slices.Equal(named, found) || len(named) == 0 {
		t.Errorf("%s: described %v, answered %v", at, named, found)
	}
}
