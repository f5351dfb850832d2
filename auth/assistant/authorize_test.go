package assistant_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
	"arpent/internal/fault"
)

// joinAt registers a client with addresses of its choice.
func (i *instance) joinAt(redirects ...string) string {
	i.t.Helper()
	return i.join(`{"client_name":"x","token_endpoint_auth_method":"none","redirect_uris":["` + strings.Join(redirects, `","`) + `"]}`).member("client_id")
}

// An answer goes to an address that the client registered, to the character: whatever is nearly one stays on
// our page. Only the port of a program on the person's own machine may be another.
func TestRedirectIsExact(t *testing.T) {
	w := newWorld(t)
	client := w.joinAt("https://assistant.example/cb", "https://assistant.example/cb?k=v", "http://localhost/callback", "http://127.0.0.1:33418/",
		"http://[::1]:8080/cb", "cursor://anysphere.cursor-mcp/oauth/callback", "com.example.app:/cb")
	for uri, want := range map[string]bool{
		"https://assistant.example/cb":                 true,
		"https://assistant.example/cb?k=v":             true,
		"http://localhost/callback":                    true,
		"http://localhost:1/callback":                  true,
		"http://localhost:54321/callback":              true,
		"http://localhost:65535/callback":              true,
		"http://127.0.0.1:33418/":                      true,
		"http://127.0.0.1:40000/":                      true,
		"http://127.0.0.1/":                            true,
		"http://[::1]:9090/cb":                         true,
		"cursor://anysphere.cursor-mcp/oauth/callback": true,
		"com.example.app:/cb":                          true,

		"": false,
		"https://assistant.example.evil.example/cb":       false,
		"https://evil-assistant.example/cb":               false,
		"https://assistant.example@evil.example/cb":       false,
		"https://user@assistant.example/cb":               false,
		"https://assistant.example/cb/":                   false,
		"https://assistant.example/cb/x":                  false,
		"https://assistant.example/cb/../cb":              false,
		"https://assistant.example/x/../cb":               false,
		"https://assistant.example/c%62":                  false,
		"https://assistant.example/%63b":                  false,
		"https://assistant.example/CB":                    false,
		"https://Assistant.example/cb":                    false,
		"HTTPS://assistant.example/cb":                    false,
		"http://assistant.example/cb":                     false,
		"https://assistant.example:443/cb":                false,
		"https://assistant.example:8443/cb":               false,
		"https://assistant.example./cb":                   false,
		"https://assistant.example/cb?":                   false,
		"https://assistant.example/cb?x=y":                false,
		"https://assistant.example/cb?k=v&x=y":            false,
		"https://assistant.example/cb?k=w":                false,
		"https://assistant.example/cb#":                   false,
		"https://assistant.example/cb#x":                  false,
		"https://assistant.example/cb;x":                  false,
		"https://assistant.example\\@evil.example/cb":     false,
		"https://assistant.example/cb\n":                  false,
		" https://assistant.example/cb":                   false,
		"//assistant.example/cb":                          false,
		"/cb":                                             false,
		"javascript:alert(1)":                             false,
		"data:text/html,x":                                false,
		"https://localhost:54321/callback":                false,
		"http://localhost:54321/callback/":                false,
		"http://localhost:54321/callback?x=y":             false,
		"http://localhost:54321/":                         false,
		"http://LOCALHOST:54321/callback":                 false,
		"http://localhost.:54321/callback":                false,
		"http://localhost.evil.example/callback":          false,
		"http://localhost:54321@evil.example/callback":    false,
		"http://localhost:/callback":                      false,
		"http://localhost:0/callback":                     false,
		"http://localhost:080/callback":                   false,
		"http://localhost:65536/callback":                 false,
		"http://localhost:x/callback":                     false,
		"http://127.0.0.1:54321/callback":                 false,
		"http://127.0.0.2:33418/":                         false,
		"http://127.1:33418/":                             false,
		"http://2130706433:33418/":                        false,
		"http://[::ffff:127.0.0.1]:8080/cb":               false,
		"http://[0:0:0:0:0:0:0:1]:8080/cb":                false,
		"cursor://anysphere.cursor-mcp/oauth/callback/":   false,
		"cursor://anysphere.cursor-mcp:80/oauth/callback": false,
		"com.example.app:/cb/x":                           false,
	} {
		r, err := w.Read(t.Context(), authorizeQuery(client, "redirect_uri", uri))
		var page *assistant.PageError
		switch {
		case want && (err != nil || r.RedirectURI != uri):
			t.Errorf("%q: %v", uri, err)
		case !want && (!errors.As(err, &page) || page.Code != assistant.CodeRedirect):
			t.Errorf("%q: %+v, %v", uri, r, err)
		}
	}
}

// Until it is known who asks, the browser stays here; after that, what is
// wrong goes back to the client with its state.
func TestReadRejections(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	for query, code := range map[string]string{
		"":                                    assistant.CodeRequest,
		"%zz":                                 assistant.CodeRequest,
		"a=%":                                 assistant.CodeRequest,
		authorizeQuery(client) + "&a=%00":     assistant.CodeRequest,
		authorizeQuery(client) + "&a=b&a=%ff": assistant.CodeRequest,
		authorizeQuery(client) + "&a%00=b":    assistant.CodeRequest,
		authorizeQuery("\x00"):                assistant.CodeUnknownClient,
		authorizeQuery("arpi_\xff"):           assistant.CodeUnknownClient,
		authorizeQuery("https://x.example/a\x00b"): assistant.CodeUnknownClient,
		authorizeQuery("https://x.example/a\xffb"): assistant.CodeUnknownClient,
		"x=1;y=2":  assistant.CodeRequest,
		"state=xy": assistant.CodeRequest,
		authorizeQuery(client) + "&client_id=" + client:                                  assistant.CodeRequest,
		authorizeQuery(client) + "&redirect_uri=https://evil.example/":                   assistant.CodeRequest,
		authorizeQuery(client, "state", strings.Repeat("x", 20_000)):                     assistant.CodeRequest,
		strings.Repeat("a=b&", 100) + authorizeQuery(client):                             assistant.CodeRequest,
		authorizeQuery("unknown"):                                                        assistant.CodeUnknownClient,
		authorizeQuery(drawSecret("arpi_")):                                              assistant.CodeUnknownClient,
		authorizeQuery("https://client.example/x.json"):                                  assistant.CodeUnknownClient, // documents are off
		authorizeQuery(client, "redirect_uri", "https://evil.example/", "state", "' "):   assistant.CodeRedirect,
		authorizeQuery("unknown", "redirect_uri", "https://evil.example/", "scope", "x"): assistant.CodeUnknownClient,
	} {
		_, err := w.Read(t.Context(), query)
		var page *assistant.PageError
		if !errors.As(err, &page) || page.Code != code || page.Detail == "" {
			t.Errorf("%.80q: %v", query, err)
		}
	}
	const state = "a+b c&d=é%20\"'/?#"
	for name, tc := range map[string]struct {
		query, code string
	}{
		"no response type":   {authorizeQuery(client, "response_type", ""), "invalid_request"},
		"implicit":           {authorizeQuery(client, "response_type", "token"), "unsupported_response_type"},
		"hybrid":             {authorizeQuery(client, "response_type", "code token"), "unsupported_response_type"},
		"no challenge":       {authorizeQuery(client, "code_challenge", ""), "invalid_request"},
		"no method":          {authorizeQuery(client, "code_challenge_method", ""), "invalid_request"},
		"plain":              {authorizeQuery(client, "code_challenge_method", "plain"), "invalid_request"},
		"method in capitals": {authorizeQuery(client, "code_challenge_method", "s256"), "invalid_request"},
		"short challenge":    {authorizeQuery(client, "code_challenge", "abc"), "invalid_request"},
		"padded challenge":   {authorizeQuery(client, "code_challenge", pkceChallenge(verifier)[:42]+"="), "invalid_request"},
		"another resource":   {authorizeQuery(client, "resource", "https://autre.exemple/mcp"), "invalid_target"},
		"part of the tools":  {authorizeQuery(client, "resource", base+"/mcp/x"), "invalid_target"},
		"its own origin":     {authorizeQuery(client, "resource", base+".evil.example/mcp"), "invalid_target"},
		"other scope":        {authorizeQuery(client, "scope", "openid profile"), "invalid_scope"},
		"scope twice":        {authorizeQuery(client, "scope", "mcp") + "&scope=mcp", "invalid_request"},
		"challenge twice":    {authorizeQuery(client) + "&code_challenge=x", "invalid_request"},
		"resource twice":     {authorizeQuery(client) + "&resource=https://x.example/&resource=" + url.QueryEscape(base+"/mcp"), "invalid_target"},
		"request object":     {authorizeQuery(client, "request", "x"), "request_not_supported"},
		"request address":    {authorizeQuery(client, "request_uri", "https://x.example/"), "request_uri_not_supported"},
		"fragment":           {authorizeQuery(client, "response_mode", "fragment"), "invalid_request"},
	} {
		query := strings.Replace(tc.query, "state=xyz", "state="+url.QueryEscape(state), 1)
		_, err := w.Read(t.Context(), query)
		var back *assistant.RedirectError
		if !errors.As(err, &back) || back.Code != tc.code {
			t.Errorf("%s: %v", name, err)
			continue
		}
		u, err := url.Parse(back.Location)
		if err != nil || !strings.HasPrefix(back.Location, callback+"?") || u.Query().Get("error") != tc.code ||
			u.Query().Get("state") != state || u.Query().Get("iss") != base || u.Query().Get("error_description") == "" || u.Fragment != "" {
			t.Errorf("%s: %s (%v)", name, back.Location, err)
		}
	}
}

// What clients really send is understood, and no more is granted than there is.
func TestReadAccepts(t *testing.T) {
	w := newWorld(t)
	client := w.public("Claude")
	for _, change := range [][]string{
		{}, {"scope", "mcp"}, {"scope", "openid mcp offline_access"}, {"state", ""}, {"prompt", "consent"}, {"response_mode", "query"},
		{"resource", base + "/mcp"}, {"resource", base + "/mcp/"}, {"resource", base}, {"resource", base + "/"},
		{"resource", "HTTPS://Carte.Exemple.FR/mcp"}, {"resource", "https://carte.exemple.fr:443/mcp"},
	} {
		r, err := w.Read(t.Context(), authorizeQuery(client, change...))
		if err != nil || r.Scope != "mcp" || r.Resource != base+"/mcp" || r.Client.Name != "Claude" || r.Client.Host != "" ||
			r.RedirectHost() != "assistant.example" {
			t.Errorf("%q: %+v, %v", change, r, err)
		}
	}
	for _, other := range []string{"ftp://carte.exemple.fr/mcp", "http://carte.exemple.fr/mcp", "https://carte.exemple.fr:8443/mcp", "https://carte.exemple.fr/mcp//",
		"https://carte.exemple.fr/MCP", "https://carte.exemple.fr/mcp?x", "https://carte.exemple.fr/mcp#", "https://x@carte.exemple.fr/mcp", "mcp", "%"} {
		if _, err := w.Read(t.Context(), authorizeQuery(client, "resource", other)); err == nil {
			t.Errorf("%q is taken for our resource", other)
		}
	}
}

// The answer keeps what the address holds already, and the state comes back as it was sent, byte by byte.
func TestAnswer(t *testing.T) {
	w := newWorld(t)
	a := w.account("a")
	for uri, before := range map[string]string{
		callback: callback + "?code=", callback + "?k=v": callback + "?k=v&code=", callback + "?": callback + "?code=",
		"cursor://x/cb": "cursor://x/cb?code=", "com.example.app:/cb": "com.example.app:/cb?code=",
	} {
		client := w.joinAt(uri)
		for _, state := range []string{"xyz", "a+b c;d", "é%2F\"&=", "\xff\x00\r\nLocation: x", ""} {
			r := testkit.Must(w.Read(t.Context(), "state="+url.QueryEscape(state)+"&"+authorizeQuery(client, "redirect_uri", uri, "state", "")))(t)
			location, err := w.Approve(t.Context(), a, r)
			if err != nil || !strings.HasPrefix(location, before) || strings.ContainsAny(location, "\r\n\x00 ") {
				t.Errorf("%s: %s, %v", uri, location, err)
			}
			for _, l := range []string{location, w.Deny(r)} {
				u, err := url.Parse(l)
				if err != nil || u.Query().Get("state") != state || !u.Query().Has("state") || u.Query().Get("iss") != base {
					t.Errorf("%q comes back in %s (%v)", state, l, err)
				}
			}
			if denied := w.Deny(r); !strings.Contains(denied, "error=access_denied") || strings.Contains(denied, "code=") {
				t.Error(denied)
			}
		}
	}
	r, err := w.Read(t.Context(), authorizeQuery(w.public("y"), "state", ""))
	if err != nil || strings.Contains(w.Deny(r), "state") {
		t.Errorf("a state that was never sent: %s, %v", w.Deny(r), err)
	}
}

// When accounts cannot be read, the answer asks to try again later, not to remove and add the assistant.
func TestReadWithoutDatabase(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	access, _ := w.connect(w.account("a"), client)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.WantCode(t, testkit.ErrorOf(w.Read(gone, authorizeQuery(client))), fault.Unavailable)
	w.pool.Close()
	testkit.WantCode(t, testkit.ErrorOf(w.Read(t.Context(), authorizeQuery(client))), fault.Unavailable)
	testkit.WantCode(t, testkit.ErrorOf(w.Authenticate(t.Context(), drawSecret("arpa_"))), fault.Unavailable)
	if !w.accepts(access) {
		t.Error("a token that is known is refused")
	}
	for _, r := range []reply{
		w.form("/oauth/token", map[string]string{"grant_type": "refresh_token", "client_id": client, "refresh_token": drawSecret("arpr_")}),
		w.form("/oauth/token", map[string]string{"grant_type": "authorization_code", "client_id": client, "code": drawSecret("arpc_"),
			"redirect_uri": callback, "code_verifier": verifier}),
		w.form("/oauth/revoke", map[string]string{"client_id": client, "token": access}),
		w.send("POST", "/oauth/register", `{"redirect_uris":["`+callback+`"]}`)} {
		if r.status != 503 || r.code() != "temporarily_unavailable" || r.header.Get("Retry-After") == "" {
			t.Errorf("%d %s", r.status, r.text)
		}
	}
}

// No query makes reading it fail in another way than those that are meant,
// nor leads the browser to where no client is.
func FuzzRead(f *testing.F) {
	w := openWorld(f)
	client := w.joinAt("https://assistant.example/cb", "http://localhost/callback")
	f.Add(authorizeQuery(client, "redirect_uri", "http://localhost:1/callback"))
	f.Add(authorizeQuery(client) + "&state=%00;%ff&resource=//x")
	f.Fuzz(func(t *testing.T, query string) {
		for _, q := range []string{query, "client_id=" + client + "&redirect_uri=http://localhost:77/callback&" + query} {
			r, err := w.Read(t.Context(), q)
			var (
				page *assistant.PageError
				back *assistant.RedirectError
			)
			switch {
			case err == nil && r.Scope != "mcp":
				t.Errorf("%q: %+v", q, r)
			case errors.As(err, &back):
				if !strings.HasPrefix(back.Location, "http://localhost:") && !strings.HasPrefix(back.Location, "https://assistant.example/cb?") ||
					strings.ContainsAny(back.Location, "\r\n \x00") {
					t.Errorf("%q leads to %q", q, back.Location)
				}
			case err != nil && !errors.As(err, &page):
				t.Errorf("%q: %v", q, err)
			}
		}
	})
}
