package assistant_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

var wellKnown = map[string][]string{
	"resource": {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"},
	"server": {"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration", "/mcp/.well-known/oauth-authorization-server"},
}

// A client finds everything from the address of the tools alone, in whichever place it looks, and whatever
// host or proxy a request claims to have come through.
func TestWellKnown(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{
		"resource": `{"authorization_servers":["https://carte.exemple.fr"],"bearer_methods_supported":["header"],"resource":"https://carte.exemple.fr/mcp",
			"resource_documentation":"https://carte.exemple.fr/connect","resource_name":"Carte","scopes_supported":["mcp"]}`,
		"server": `{"issuer":"https://carte.exemple.fr","authorization_endpoint":"https://carte.exemple.fr/oauth/authorize",
			"token_endpoint":"https://carte.exemple.fr/oauth/token","registration_endpoint":"https://carte.exemple.fr/oauth/register",
			"revocation_endpoint":"https://carte.exemple.fr/oauth/revoke","scopes_supported":["mcp"],"response_types_supported":["code"],
			"response_modes_supported":["query"],"grant_types_supported":["authorization_code","refresh_token"],"code_challenge_methods_supported":["S256"],
			"token_endpoint_auth_methods_supported":["none","client_secret_post","client_secret_basic"],
			"revocation_endpoint_auth_methods_supported":["none","client_secret_post","client_secret_basic"],
			"authorization_response_iss_parameter_supported":true,"service_documentation":"https://carte.exemple.fr/connect"}`,
	}
	for name, paths := range wellKnown {
		first := ""
		for _, path := range paths {
			r := w.send(http.MethodGet, path, "", "Host", "evil.example", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http")
			if first == "" {
				first = r.text
			}
			var expected map[string]any
			testkit.NoError(t, json.Unmarshal([]byte(want[name]), &expected))
			if r.status != http.StatusOK || r.text != first || !reflect.DeepEqual(r.body, expected) || r.header.Get("Content-Type") != "application/json" ||
				!strings.Contains(r.header.Get("Cache-Control"), "max-age=") || r.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %d %s %v", path, r.status, r.text, r.header)
			}
			if head := w.send(http.MethodHead, path, ""); head.status != http.StatusOK || head.text != "" {
				t.Errorf("HEAD %s: %d %q", path, head.status, head.text)
			}
		}
	}
	on := w.start(t, func(o *assistant.Options) { o.ClientDocuments = true; o.BaseURL = base + "/" })
	r := on.send(http.MethodGet, wellKnown["server"][0], "")
	if r.body["client_id_metadata_document_supported"] != true || r.body["issuer"] != base {
		t.Error(r.text)
	}
}

// Programs in a browser reach all of it, from any site, without cookies.
func TestCrossOrigin(t *testing.T) {
	w := newWorld(t)
	methods := map[string]string{"/oauth/token": "POST", "/oauth/register": "POST", "/oauth/revoke": "POST"}
	for _, path := range append(wellKnown["resource"], wellKnown["server"]...) {
		methods[path] = "GET"
	}
	for path, method := range methods {
		r := w.send(http.MethodOptions, path, "", "Origin", "https://tool.example", "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "content-type, Mcp-Param-Foo, x-evil, mcp-param-b\rad")
		allowed := strings.ToLower(r.header.Get("Access-Control-Allow-Headers"))
		if r.status != http.StatusNoContent || r.header.Get("Access-Control-Allow-Origin") != "*" || r.header.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(r.header.Get("Access-Control-Allow-Methods"), method) || strings.Contains(allowed, "evil") || strings.Contains(allowed, "bad") {
			t.Errorf("OPTIONS %s: %d %v", path, r.status, r.header)
		}
		for _, name := range []string{"authorization", "content-type", "accept", "x-api-key", "mcp-protocol-version", "mcp-session-id", "mcp-method",
			"mcp-name", "last-event-id", "mcp-param-foo"} {
			if !strings.Contains(allowed, name) {
				t.Errorf("OPTIONS %s: %s is not allowed", path, name)
			}
		}
		wrong := w.send(http.MethodPut, path, "x")
		if wrong.status != http.StatusMethodNotAllowed || !strings.Contains(wrong.header.Get("Allow"), method) || wrong.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("PUT %s: %d %v", path, wrong.status, wrong.header)
		}
		if method == "POST" {
			failed := w.send(http.MethodPost, path, "x")
			exposed := failed.header.Get("Access-Control-Expose-Headers")
			if failed.status != http.StatusBadRequest || failed.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(exposed, "Retry-After") ||
				!strings.Contains(exposed, "WWW-Authenticate") || failed.header.Get("Cache-Control") != "no-store" {
				t.Errorf("POST %s: %d %v", path, failed.status, failed.header)
			}
		}
	}
}

// A client that is unknown gets the one error that has it register
// again; one that knows no secret gets nothing.
func TestClientAuthentication(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	keeps := w.join(`{"redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"client_secret_basic"}`)
	id, secret := keeps.member("client_id"), keeps.member("client_secret")
	public := w.public("x")
	good := func() map[string]string {
		return map[string]string{"grant_type": "authorization_code", "code": w.agree(a, authorizeQuery(id)), "redirect_uri": callback, "code_verifier": verifier}
	}
	for name, tc := range map[string]struct {
		pairs  map[string]string
		header string
		status int
		code   string
	}{
		"basic":               {nil, basicAuth(id, secret), 200, ""},
		"scheme in capitals":  {nil, "BASIC" + basicAuth(id, secret)[5:], 200, ""},
		"both the same":       {map[string]string{"client_id": id}, basicAuth(id, secret), 200, ""},
		"in the form":         {map[string]string{"client_id": id, "client_secret": secret}, "", 200, ""},
		"no secret":           {map[string]string{"client_id": id}, "", 401, "invalid_client"},
		"another secret":      {map[string]string{"client_id": id, "client_secret": drawSecret("arps_")}, "", 401, "invalid_client"},
		"basic, wrong":        {nil, basicAuth(id, "x"), 401, "invalid_client"},
		"basic, unknown":      {nil, basicAuth(drawSecret("arpi_"), secret), 401, "invalid_client"},
		"basic, garbage":      {nil, "Basic !", 401, "invalid_client"},
		"basic, no colon":     {nil, "Basic eA==", 401, "invalid_client"},
		"two ways":            {map[string]string{"client_secret": secret}, basicAuth(id, secret), 400, "invalid_request"},
		"two clients":         {map[string]string{"client_id": public}, basicAuth(id, secret), 400, "invalid_request"},
		"no client":           {nil, "", 401, "invalid_client"},
		"unknown":             {map[string]string{"client_id": "x"}, "", 401, "invalid_client"},
		"unknown document":    {map[string]string{"client_id": "https://client.example/x"}, "", 401, "invalid_client"},
		"a token as a client": {map[string]string{"client_id": drawSecret("arpa_")}, "", 401, "invalid_client"},
		"another client":      {map[string]string{"client_id": public}, "", 400, "invalid_grant"},
	} {
		pairs, headers := good(), []string{}
		maps.Copy(pairs, tc.pairs)
		if tc.header != "" {
			headers = []string{"Authorization", tc.header}
		}
		r := w.form("/oauth/token", pairs, headers...)
		challenged := r.header.Get("WWW-Authenticate") != ""
		if r.status != tc.status || r.code() != tc.code || challenged != (tc.header != "" && tc.status == 401) {
			t.Errorf("%s: %d %s %v", name, r.status, r.text, r.header)
		}
	}
}

// A client whose identifier no database takes is unknown, like any other: it is no fault of ours.
func TestClientIdentifierOfAnyBytes(t *testing.T) {
	w := newWorld(t)
	const form = "application/x-www-form-urlencoded"
	grant := "grant_type=refresh_token&refresh_token=x"
	for _, id := range []string{"%00", "%FF", "https://x.example/a%00b", "https://x.example/a%FFb", "https://x.example/%C3%A9", drawSecret("arpi_") + "%00"} {
		for _, path := range []string{"/oauth/token", "/oauth/revoke"} {
			w.want(w.send(http.MethodPost, path, grant+"&token=x&client_id="+id, "Content-Type", form), 401, "invalid_client")
			header := "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":x"))
			w.want(w.send(http.MethodPost, path, grant+"&token=x", "Content-Type", form, "Authorization", header), 401, "invalid_client")
		}
	}
	client := w.public("x")
	for _, bad := range []string{"a=%00", "refresh_token=%ff", "a%00=b", "scope=%C3"} {
		w.want(w.send(http.MethodPost, "/oauth/token", "grant_type=refresh_token&client_id="+client+"&"+bad, "Content-Type", form), 400, "invalid_request")
	}
	w.want(w.send(http.MethodPost, "/oauth/token", grant+"&state=%00%ff&client_id="+client, "Content-Type", form), 400, "invalid_grant")
}

// A form is read in one way only: what could be read in two is refused.
func TestForm(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	const form = "application/x-www-form-urlencoded"
	body := "grant_type=refresh_token&refresh_token=x&client_id=" + client
	for name, tc := range map[string]struct {
		path, body, kind string
		status           int
		code             string
	}{
		"as it should be":   {"/oauth/token", body, form, 400, "invalid_grant"},
		"with a charset":    {"/oauth/token", body, form + "; charset=UTF-8", 400, "invalid_grant"},
		"JSON":              {"/oauth/token", `{"grant_type":"refresh_token"}`, "application/json", 400, "invalid_request"},
		"no type":           {"/oauth/token", body, "", 400, "invalid_request"},
		"in the address":    {"/oauth/token?" + body, "", form, 400, "invalid_request"},
		"twice":             {"/oauth/token", body + "&refresh_token=y", form, 400, "invalid_request"},
		"client twice":      {"/oauth/token", body + "&client_id=y", form, 400, "invalid_request"},
		"not encoded":       {"/oauth/token", body + "&a=%zz", form, 400, "invalid_request"},
		"too many":          {"/oauth/token", strings.Repeat("&a=b", 10) + strings.Repeat("b=c&", 100) + body, form, 400, "invalid_request"},
		"too long":          {"/oauth/token", body + "&a=" + strings.Repeat("x", 17_000), form, 413, "invalid_request"},
		"packed":            {"/oauth/revoke", "token=x&client_id=" + client, form, 200, ""},
		"revoke, no type":   {"/oauth/revoke", "token=x&client_id=" + client, "", 400, "invalid_request"},
		"revoke, no client": {"/oauth/revoke", "token=x", form, 401, "invalid_client"},
	} {
		r := w.send(http.MethodPost, tc.path, tc.body, "Content-Type", tc.kind)
		if r.status != tc.status || r.code() != tc.code {
			t.Errorf("%s: %d %s", name, r.status, r.text)
		}
	}
}

// A form that is taken says what the standard library reads in it,
// and nothing in it harms a database or a log.
func FuzzForm(f *testing.F) {
	for _, text := range []string{"grant_type=authorization_code&code=a&client_id=b", "a=1&a=2", "a;b=1", "%zz=1", "state=%ff&client_id=%00", "a=%00", "&&=&a", "a+b=c+d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := assistant.ReadForm(text)
		if err != nil {
			return
		}
		for name := range form {
			value := form.Get(name)
			if want, err := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B")); err != nil || want.Get(name) != value {
				t.Errorf("%q: %s is %q, expected %q (%v)", text, name, value, want.Get(name), err)
			}
			if (!utf8.ValidString(value) || strings.Contains(value, "\x00")) && name != "state" && name != "client_id" {
				t.Errorf("%q: %s is %q", text, name, value)
			}
		}
	})
}

// No header and no form make reading a client's credentials fail otherwise
// than with an error, and none are read twice.
func FuzzCredentials(f *testing.F) {
	f.Add("Basic YTpi", "grant_type=x")
	f.Add("basic YSUzQTpi", "client_id=a%3A")
	f.Add("Bearer x", "client_id=a&client_secret=b")
	f.Add("Basic YTpi", "client_id=c&client_secret=d")
	f.Add("Basic \xff", "")
	f.Fuzz(func(t *testing.T, header, text string) {
		form, err := assistant.ReadForm(text)
		if err != nil {
			return
		}
		id, _, err := assistant.ReadCredentials(header, form)
		if err == nil && (id == "" || form.Get("client_id") != "" && form.Get("client_id") != id) {
			t.Errorf("%q, %q: client %q", header, text, id)
		}
	})
}
