package portal_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"arpent/auth/social"
)

// A provider may keep its sign-in page on another host than its name says, which nobody knows before asking it. Browsers
// do not let a form be redirected there; a page leads there instead, with a link for those that do not go by themselves.
func TestLeaveForAnOriginNotKnownBefore(t *testing.T) {
	t.Parallel()
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere := strings.Replace(issuer.URL, "127.0.0.1", "localhost", 1)
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer.URL, "authorization_endpoint": elsewhere + "/authorize",
			"token_endpoint": issuer.URL + "/token", "jwks_uri": issuer.URL + "/jwks", "userinfo_endpoint": issuer.URL + "/me",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	}))
	t.Cleanup(issuer.Close)
	s := newSite(t, with(social.ProviderConfig{Name: "oidc", Label: "Ma Société", ClientID: "id", ClientSecret: "secret", Issuer: issuer.URL, PKCE: true}))
	b := s.browser()
	page := b.Post("/auth/oidc", url.Values{"intent": {"signin"}}).Want(http.StatusOK, "Vous continuez chez Ma Société")
	address, ok := strings.CutPrefix(page.Header.Get("Refresh"), "0; url=")
	if u, err := url.Parse(address); !ok || err != nil || u.Hostname() != "localhost" || u.Path != "/authorize" || u.Query().Get("state") == "" {
		t.Errorf("leads to %q", page.Header.Get("Refresh"))
	}
	if b.Cookie("arpent-flow") == "" {
		t.Error("the browser does not remember that it left")
	}
	issuer.Close()
	down := newSite(t, with(social.ProviderConfig{Name: "oidc", ClientID: "id", ClientSecret: "secret", Issuer: issuer.URL}))
	back := down.browser().Post("/auth/oidc", url.Values{"intent": {"signin"}, "next": {"/account/keys"}}).Want(http.StatusOK, "ne répond pas comme il le devrait")
	if back.Value("next") != "/account/keys" {
		t.Errorf("on %s, next %q", back.Path, back.Value("next"))
	}
}
