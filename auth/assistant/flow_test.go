package assistant_test

import (
	"net/http"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// A person connects an assistant, which then works as a key of the account:
// the whole way, with a client of each kind.
func TestConnect(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	for _, method := range []string{"none", "client_secret_post", "client_secret_basic", ""} {
		metadata := `{"client_name":"Claude","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"` + method + `"}`
		if method == "" {
			metadata = `{"client_name":"Claude","redirect_uris":["` + callback + `"]}`
		}
		registered := w.join(metadata)
		client, secret := registered.member("client_id"), registered.member("client_secret")
		pairs := map[string]string{"grant_type": "authorization_code", "code": w.agree(a, authorizeQuery(client)), "redirect_uri": callback,
			"code_verifier": verifier, "resource": base + "/mcp"}
		var headers []string
		switch registered.member("token_endpoint_auth_method") {
		case "client_secret_basic":
			headers = []string{"Authorization", basicAuth(client, secret)}
		case "client_secret_post":
			pairs["client_secret"] = secret
			fallthrough
		default:
			pairs["client_id"] = client
		}
		r := w.form("/oauth/token", pairs, headers...)
		if r.status != 200 || r.header.Get("Cache-Control") != "no-store" || r.member("token_type") != "Bearer" ||
			r.member("scope") != "mcp" || r.body["expires_in"] != 3600.0 || r.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Fatalf("%q: %d %s %v", method, r.status, r.text, r.header)
		}
		e, err := w.Authenticate(t.Context(), r.member("access_token"))
		if err != nil || e.Account != a || e.Plan != "standard" {
			t.Errorf("%q: %+v, %v", method, e, err)
		}
	}
	w.checkRecords(t)
}

// checkRecords looks at what four connections of one client leave behind.
func (w *world) checkRecords(t *testing.T) {
	t.Helper()
	var names, agents string
	err := w.pool.QueryRow(t.Context(), `SELECT string_agg(name || '/' || kind, ',' ORDER BY id) FROM account.api_key`).Scan(&names)
	if want := "MCP · Claude/assistant,MCP · Claude (2)/assistant,MCP · Claude (3)/assistant,MCP · Claude (4)/assistant"; err != nil || names != want {
		t.Errorf("keys %q, %v", names, err)
	}
	err = w.pool.QueryRow(t.Context(), `SELECT string_agg(DISTINCT action || ' ' || host(address) || ' ' || (agent LIKE '%Firefox%'), ',') FROM account.audit`).Scan(&agents)
	if err != nil || agents != audit.ActionKeyCreated+" 192.0.2.10 true" {
		t.Errorf("record %q, %v", agents, err)
	}
	if m := w.mails(); len(m) != 4 || m[0].Template != mail.AssistantAdded || m[0].To != "a@exemple.fr" ||
		m[1].Values["name"] != "MCP · Claude (2)" || m[0].Values["device"] != "Firefox, Linux" || m[0].Values["address"] != "192.0.2.10" {
		t.Errorf("mails %+v", m)
	}
}

// What is stored gives no access: neither codes nor tokens nor secrets are in the database.
func TestSecretsAreHashed(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	registered := w.join(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_post"}`)
	client, secret := registered.member("client_id"), registered.member("client_secret")
	code := w.agree(a, authorizeQuery(client))
	r := w.exchange(client, code, "client_secret", secret)
	w.want(r, http.StatusOK, "")
	for name, kept := range map[string]string{"code": code, "access": r.member("access_token"), "refresh": r.member("refresh_token"), "secret": secret} {
		if len(kept) != 43 || !strings.HasPrefix(kept, "arp") {
			t.Errorf("%s is %q", name, kept)
		}
		for _, table := range []string{"assistant_client", "assistant_grant", "assistant_code", "assistant_token", "api_key"} {
			if n := w.count(`SELECT count(*) FROM account.`+table+` x WHERE x::text LIKE '%' || $1 || '%'`, kept[5:37]); n != 0 {
				t.Errorf("%s is in %s", name, table)
			}
		}
	}
}

// A connection survives a restart and works on every instance, and one that is revoked works on none.
func TestInstances(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	client := w.public("x")
	second := w.start(t) // started before the key was made: it has to read it
	access, refresh := w.connect(a, client)
	third := w.start(t)
	for name, i := range map[string]*instance{"first": w.instance, "second": second, "restarted": third} {
		if !i.accepts(access) {
			t.Errorf("the %s instance refuses the token", name)
		}
	}
	// A client registered on one is known to the others, and a token is renewed by any.
	r := third.refresh(client, refresh)
	w.want(r, http.StatusOK, "")
	if !second.accepts(r.member("access_token")) || !w.accepts(r.member("access_token")) {
		t.Error("a renewed token is refused elsewhere")
	}
	keys, err := apikey.NewStore(w.pool, w.clock).List(t.Context(), a)
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	testkit.Must(apikey.NewStore(w.pool, w.clock).Revoke(t.Context(), a, keys[0].ID))(t)
	for name, i := range map[string]*instance{"first": w.instance, "second": second, "restarted": third} {
		if err := i.index.Refresh(t.Context(), a); err != nil { // as the notification does
			t.Fatal(err)
		}
		if i.accepts(access) || i.accepts(r.member("access_token")) {
			t.Errorf("the %s instance accepts the token of a revoked key", name)
		}
	}
	w.want(w.refresh(client, r.member("refresh_token")), http.StatusBadRequest, "invalid_grant")
}

// When the address of the service changes, tokens and codes made for the old one are worth nothing.
func TestAudience(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	a := w.account("a")
	access, refresh := w.connect(a, client)
	code := w.agree(a, authorizeQuery(client))
	moved := w.start(t, func(o *assistant.Options) { o.BaseURL = "https://autre.exemple.fr" })
	if moved.accepts(access) {
		t.Error("accepted")
	}
	moved.want(moved.refresh(client, refresh), http.StatusBadRequest, "invalid_grant")
	moved.want(moved.exchange(client, code), http.StatusBadRequest, "invalid_grant")
	if !w.accepts(access) {
		t.Error("the attempt ended the connection")
	}
}
