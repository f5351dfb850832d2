package assistant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A client that registers gets back what was registered, in a form that every client reads: no member is null.
func TestRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.join(`{"client_name":"Le Chat","client_uri":"https://chat.example","logo_uri":null,"redirect_uris":["https://chat.example/cb","http://127.0.0.1/"],
		"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],
		"token_endpoint_auth_method":"client_secret_post","scope":"mcp offline_access","contacts":["a@chat.example"],"jwks":null,
		"software_id":"x","software_version":"1","x_unknown":{"a":[1,null]},"client_id":"mine","client_secret":"mine"}`)
	want := map[string]any{"client_name": "Le Chat", "client_uri": "https://chat.example", "scope": "mcp", "software_id": "x",
		"software_version": "1", "token_endpoint_auth_method": "client_secret_post", "client_secret_expires_at": 0.0,
		"client_id_issued_at": float64(noon.Unix())}
	for name, value := range want {
		if r.body[name] != value {
			t.Errorf("%s is %v", name, r.body[name])
		}
	}
	if strings.Contains(r.text, "null") || r.body["x_unknown"] != nil || r.member("client_id") == "mine" || len(r.member("client_secret")) != 43 ||
		!strings.Contains(r.text, `"grant_types":["authorization_code","refresh_token"]`) || !strings.Contains(r.text, `"contacts":["a@chat.example"]`) ||
		!strings.Contains(r.text, `"redirect_uris":["https://chat.example/cb","http://127.0.0.1/"]`) {
		t.Error(r.text)
	}
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Access-Control-Allow-Origin") != "*" || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v", r.header)
	}
	public := w.join(`{"redirect_uris":["https://chat.example/cb"],"token_endpoint_auth_method":"none","grant_types":[],"response_types":[],
		"client_uri":"javascript:alert(1)","logo_uri":"","tos_uri":"https://","policy_uri":"http://chat.example/policy"}`)
	for _, name := range []string{"client_uri", "logo_uri", "tos_uri"} {
		if value, there := public.body[name]; there {
			t.Errorf("%s is %q", name, value)
		}
	}
	if public.member("policy_uri") != "http://chat.example/policy" || !strings.Contains(public.text, `"grant_types":["authorization_code","refresh_token"]`) {
		t.Error(public.text)
	}
	w.join(`{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","vscode-insiders://x.y/cb","Windsurf://codeium.windsurf/cb","warp://mcp/oauth2callback","com.raycast:/oauth"],"grant_types":null}`)
	if _, there := public.body["client_secret"]; there || strings.Contains(public.text, "null") {
		t.Error(public.text)
	}
	if bare := w.join(`{"redirect_uris":["https://chat.example/cb"]}`); bare.member("token_endpoint_auth_method") != "client_secret_basic" || bare.member("client_secret") == "" {
		t.Error(bare.text)
	}
}

// What could lead a code astray, or cannot work here, is refused in the same words each time, and nothing is kept of it.
func TestRegisterRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	redirects := func(uri string) string {
		text, err := json.Marshal(uri)
		if err != nil {
			t.Fatal(err)
		}
		return `{"redirect_uris":["https://fine.example/cb",` + string(text) + `]}`
	}
	for body, code := range map[string]string{
		"": "invalid_client_metadata", "x": "invalid_client_metadata", "null": "invalid_client_metadata", "[]": "invalid_client_metadata", `"x"`: "invalid_client_metadata",
		`{}`: "invalid_redirect_uri", `{"redirect_uris":null}`: "invalid_redirect_uri", `{"redirect_uris":[]}`: "invalid_redirect_uri",
		`{"redirect_uris":"https://x.example/"}`: "invalid_redirect_uri", `{"redirect_uris":[1]}`: "invalid_redirect_uri", `{"redirect_uris":[null]}`: "invalid_redirect_uri",
		`{"redirect_uris":["https://x.example/"` + strings.Repeat(`,"https://x.example/"`, 20) + `]}`: "invalid_redirect_uri",
		`{"redirect_uris":["https://x.example/"],"client_name":7}`:                                    "invalid_client_metadata",
		`{"redirect_uris":["https://x.example/"],"token_endpoint_auth_method":"private_key_jwt"}`:     "invalid_client_metadata",
		`{"redirect_uris":["https://x.example/"],"token_endpoint_auth_method":[]}`:                    "invalid_client_metadata",
		`{"redirect_uris":["https://x.example/"],"grant_types":["client_credentials"]}`:               "invalid_client_metadata",
		`{"redirect_uris":["https://x.example/"],"grant_types":"authorization_code"}`:                 "invalid_client_metadata",
		`{"redirect_uris":["https://x.example/"],"response_types":["token"]}`:                         "invalid_client_metadata",
		redirects(""): "invalid_redirect_uri", redirects("/cb"): "invalid_redirect_uri", redirects("x.example/cb"): "invalid_redirect_uri",
		redirects("//x.example/cb"): "invalid_redirect_uri", redirects("https:/x.example/cb"): "invalid_redirect_uri", redirects("https:x.example"): "invalid_redirect_uri",
		redirects("https://"): "invalid_redirect_uri", redirects("https:///cb"): "invalid_redirect_uri", redirects("https://:443/cb"): "invalid_redirect_uri",
		redirects("https://x.example/cb#"): "invalid_redirect_uri", redirects("https://x.example/cb#a"): "invalid_redirect_uri",
		redirects("https://a@x.example/cb"): "invalid_redirect_uri", redirects("https://a:b@x.example/cb"): "invalid_redirect_uri", redirects("https://@x.example/cb"): "invalid_redirect_uri",
		redirects("https://x.example:0/"): "invalid_redirect_uri", redirects("https://x.example:99999/"): "invalid_redirect_uri", redirects("https://x.example:a/"): "invalid_redirect_uri",
		redirects("https://*.example/cb"): "invalid_redirect_uri", redirects("https://x.ex%61mple/cb"): "invalid_redirect_uri", redirects("https://exämple.example/"): "invalid_redirect_uri",
		redirects("https://x.example\\@evil.example/"): "invalid_redirect_uri", redirects("https://x.example/a b"): "invalid_redirect_uri", redirects("https://x.example/\n"): "invalid_redirect_uri",
		redirects("http://x.example/cb"): "invalid_redirect_uri", redirects("http://localhost.evil.example/"): "invalid_redirect_uri", redirects("http://127.0.0.1.evil.example/"): "invalid_redirect_uri",
		redirects("http://10.0.0.1/"): "invalid_redirect_uri", redirects("http://[::2]/"): "invalid_redirect_uri", redirects("http://localhost@evil.example/"): "invalid_redirect_uri",
		redirects("javascript:alert(1)"): "invalid_redirect_uri", redirects("JavaScript://x/%0aalert(1)"): "invalid_redirect_uri", redirects(" javascript:alert(1)"): "invalid_redirect_uri",
		redirects("java\tscript:alert(1)"): "invalid_redirect_uri", redirects("data:text/html,x"): "invalid_redirect_uri", redirects("data://x/y"): "invalid_redirect_uri",
		redirects("vbscript://x/y"): "invalid_redirect_uri", redirects("file:///etc/passwd"): "invalid_redirect_uri", redirects("blob:https://x.example/y"): "invalid_redirect_uri",
		redirects("about:blank"): "invalid_redirect_uri", redirects("view-source://x.example/"): "invalid_redirect_uri", redirects("filesystem:https://x.example/"): "invalid_redirect_uri",
		redirects("intent://x/#Intent;end"): "invalid_redirect_uri", redirects("ws://x.example/"): "invalid_redirect_uri", redirects("mailto:a@x.example"): "invalid_redirect_uri",
		redirects("urn:ietf:wg:oauth:2.0:oob"): "invalid_redirect_uri", redirects("cursor:"): "invalid_redirect_uri", redirects("cursor://"): "invalid_redirect_uri", redirects("cursor:x"): "invalid_redirect_uri",
		redirects("ms-word:/ofe|u|x"): "invalid_redirect_uri", redirects("ms-word://x/y"): "invalid_redirect_uri", redirects("jscript://x/y"): "invalid_redirect_uri",
		redirects("steam://run/1"): "invalid_redirect_uri", redirects("app://callback"): "invalid_redirect_uri", redirects("VBScript://x/y"): "invalid_redirect_uri",
		redirects("https://x.example/" + strings.Repeat("x", 2000)): "invalid_redirect_uri",
	} {
		r := w.send(http.MethodPost, "/oauth/register", body, "Content-Type", "application/json")
		if r.status != http.StatusBadRequest || r.code() != code || r.member("error_description") == "" {
			t.Errorf("%.100q: %d %s", body, r.status, r.text)
		}
	}
	big := w.send(http.MethodPost, "/oauth/register", `{"x":"`+strings.Repeat("x", 16<<10)+`"}`, "Content-Type", "application/json")
	if big.status != http.StatusRequestEntityTooLarge || big.code() == "" {
		t.Errorf("16 kB: %d %s", big.status, big.text)
	}
	packed := w.send(http.MethodPost, "/oauth/register", `{"redirect_uris":["https://x.example/"]}`, "Content-Type", "application/json", "Content-Encoding", "gzip")
	if packed.status != http.StatusCreated { // the body is read as it is: nothing is unpacked
		t.Errorf("said to be packed: %d %s", packed.status, packed.text)
	}
	if n := w.count(`SELECT count(*) FROM account.assistant_client`); n != 1 {
		t.Errorf("%d clients are kept", n)
	}
}

// What is over is removed; what somebody still needs is not, however old.
func TestClean(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.account("a"), w.account("b")
	connected, gone, idle := w.public("connected"), w.public("gone"), w.public("idle")
	code := w.agree(a, asking(connected))
	first := w.exchange(connected, code)
	w.connect(b, gone)
	if _, err := w.pool.Exec(t.Context(), `UPDATE account.api_key SET revoked_at = $1 WHERE account_id = $2`, noon, b); err != nil {
		t.Fatal(err)
	}
	w.agree(a, asking(connected)) // never exchanged
	clean := func(after time.Duration, want string) {
		t.Helper()
		w.clock.Set(noon.Add(after))
		if err := w.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d clients, %d grants, %d live, %d codes, %d tokens", w.count(`SELECT count(*) FROM account.assistant_client`),
			w.count(`SELECT count(*) FROM account.assistant_grant`), w.count(`SELECT count(*) FROM account.assistant_grant WHERE ended_at IS NULL`),
			w.count(`SELECT count(*) FROM account.assistant_code`), w.count(`SELECT count(*) FROM account.assistant_token`))
		if got != want {
			t.Errorf("after %v: %s, want %s", after, got, want)
		}
	}
	clean(time.Minute, "3 clients, 2 grants, 1 live, 3 codes, 2 tokens")
	w.want(w.refresh(idle, "x"), http.StatusBadRequest, "invalid_grant") // known still
	clean(2*time.Hour, "3 clients, 2 grants, 1 live, 3 codes, 1 tokens")
	clean(25*time.Hour, "3 clients, 2 grants, 1 live, 0 codes, 1 tokens")
	clean(4*24*time.Hour, "2 clients, 2 grants, 1 live, 0 codes, 1 tokens")
	w.want(w.refresh(idle, "x"), http.StatusUnauthorized, "invalid_client")
	r := w.refresh(connected, first.member("refresh_token"))
	w.want(r, http.StatusOK, "")
	clean(70*24*time.Hour, "2 clients, 2 grants, 0 live, 0 codes, 0 tokens")
	w.want(w.refresh(connected, r.member("refresh_token")), http.StatusBadRequest, "invalid_grant") // and not invalid_client
}

// A deleted account leaves nothing of its connections, and the client stays for others.
func TestDeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	access, token := w.connect(a, client)
	w.agree(a, asking(client))
	if _, err := w.pool.Exec(t.Context(), `DELETE FROM account.account WHERE id = $1`, a); err != nil {
		t.Fatal(err)
	}
	if err := w.index.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT (SELECT count(*) FROM account.assistant_grant) + (SELECT count(*) FROM account.assistant_code) + (SELECT count(*) FROM account.assistant_token)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if w.accepts(access) {
		t.Error("accepted")
	}
	w.want(w.refresh(client, token), http.StatusBadRequest, "invalid_grant")
}

// No registration makes the server fail, or is answered with a null.
func FuzzRegister(f *testing.F) {
	w := newWorld(f)
	f.Add(`{"redirect_uris":["https://x.example/"],"client_name":"\u0000\ud800","contacts":[null],"grant_types":[]}`)
	f.Add(`{"redirect_uris":["a:/b","http://[::1]:1/x?y"],"client_uri":"https://\u0000","token_endpoint_auth_method":"none"}`)
	f.Fuzz(func(t *testing.T, body string) {
		i := *w.instance
		i.t = t
		r := i.send(http.MethodPost, "/oauth/register", body)
		if r.status != http.StatusCreated && r.status != http.StatusBadRequest && r.status != http.StatusRequestEntityTooLarge || r.body == nil {
			t.Errorf("%q: %d %s", body, r.status, r.text)
		}
		for name, value := range r.body {
			if value == nil {
				t.Errorf("%q: %s is null", body, name)
			}
		}
	})
}
