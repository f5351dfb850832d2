package assistant_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

// A client that registers gets back what was registered, in a form
// that every client reads: no member is null.
func TestRegister(t *testing.T) {
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

// What could lead a code astray, or cannot work here, is rejected in the same
// words each time, and nothing is kept of it.
func TestRegisterRejections(t *testing.T) {
	w := newWorld(t)
	redirects := func(uri string) string {
		text := testkit.Must(json.Marshal(uri))(t)
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
	testkit.WantCount(t, w.pool, 1, "clients are kept", `SELECT count(*) FROM account.assistant_client`)
}

// No registration makes the server fail, or is answered with a null.
func FuzzRegister(f *testing.F) {
	w := openWorld(f)
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

// What is registered leads nowhere but to the addresses that are allowed, and its answer holds no null.
func FuzzRegistration(f *testing.F) {
	f.Add(`{"redirect_uris":["https://x.example/"],"client_name":"\u0000\ud800","contacts":[null],"grant_types":[]}`)
	f.Add(`{"redirect_uris":["a:/b","http://[::1]:1/x?y"],"client_uri":"https://\u0000","token_endpoint_auth_method":"none"}`)
	f.Add(`{"redirect_uris":["http://localhost:1/cb"],"token_endpoint_auth_method":"client_secret_basic","logo_uri":"javascript:x","scope":5}`)
	f.Add(`{"redirect_uris":"https://x.example"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		name, redirects, echo, err := assistant.ReadRegistration([]byte(body))
		if err != nil {
			return
		}
		if len(redirects) == 0 || name == "" || !utf8.ValidString(name) {
			t.Errorf("%q: name %q, redirects %q", body, name, redirects)
		}
		for _, to := range redirects {
			if wrong := assistant.CheckRedirect(to); wrong != "" || strings.ContainsAny(to, "\r\n \x00") {
				t.Errorf("%q leads to %q: %s", body, to, wrong)
			}
		}
		text, err := json.Marshal(echo)
		var back map[string]any
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		for name, value := range back {
			if value == nil {
				t.Errorf("%q: %s is null", body, name)
			}
		}
		if err != nil {
			t.Errorf("%q: %v", body, err)
		}
	})
}

// What a client calls itself cannot deceive the reader of the page:
// one line of visible text of bounded length.
func TestCleanName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Claude": "Claude", "  Le   Chat\n": "Le Chat", "Été": "Été", "日本語": "日本語", "<b>x</b>": "<b>x</b>",
		"": "", " \t\u00a0\u2003": "", "\u200b\u200d\ufeff": "", "\u3164\u2800": "", "a\x00b\x1b[31m": "ab[31m", "\u202egnp.exe": "gnp.exe",
		"a\u2066b\u2069c": "abc", "a\u2028b": "a b", "bad\xff": "bad", "MCP · Claude": "Claude", "MCP · MCP ·x": "x",
		"Z\u0335\u0336\u0337\u0338\u0339a": "Z\u0335\u0336a", "\u0301x": "x", "\ue000\U000f0000": "",
		strings.Repeat("é", 54): strings.Repeat("é", 54), strings.Repeat("é", 55): strings.Repeat("é", 53) + "…",
	} {
		if got := assistant.CleanName(said); got != want {
			t.Errorf("%q is cleaned to %q, want %q", said, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("MCP · \u202e\u0301 x\u00a0")
	f.Fuzz(func(t *testing.T, said string) {
		got := assistant.CleanName(said)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > assistant.MaxName || strings.TrimSpace(got) != got || strings.ContainsAny(got, "\x00\n\u202e") {
			t.Errorf("%q is cleaned to %q", said, got)
		}
	})
}

// A client without a name is called after where its answers go;
// whatever it says, its key has a name that fits.
func TestKeyNames(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	long := strings.Repeat("x", 200)
	for _, said := range []string{"", "\u200b", long, long} {
		w.connect(a, w.public(said))
	}
	var names string
	testkit.NoError(t, w.pool.QueryRow(t.Context(), `SELECT string_agg(name, '|' ORDER BY id) FROM account.api_key`).Scan(&names))
	want := "MCP · assistant.example|MCP · assistant.example (2)|MCP · " + strings.Repeat("x", 53) + "…|MCP · " + strings.Repeat("x", 50) + " (2)"
	if names != want {
		t.Errorf("%s, want %s", names, want)
	}
}
