package portal_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth/social"
)

// newIssuer is an OpenID provider that says only where it is, with its sign-in page on that host.
func newIssuer(t *testing.T, host string) (issuer *httptest.Server) {
	t.Helper()
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		page := strings.Replace(issuer.URL, "127.0.0.1", host, 1)
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer.URL, "authorization_endpoint": page + "/authorize",
			"token_endpoint": issuer.URL + "/token", "jwks_uri": issuer.URL + "/jwks", "userinfo_endpoint": issuer.URL + "/me",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	}))
	t.Cleanup(issuer.Close)
	return issuer
}

// A provider may keep its sign-in page on another host than its name says, which is not known
// before asking it. Browsers do not let a form be redirected there; a page leads there instead,
// with a link for those that do not go by themselves.
func TestLeaveForAnOriginNotKnownBefore(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, "localhost")
	s := newSite(t, withProvider(social.ProviderConfig{Name: "oidc", Label: "Ma Société", ClientID: "id", ClientSecret: "secret", Issuer: issuer.URL, PKCE: true}))
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
	down := newSite(t, withProvider(social.ProviderConfig{Name: "oidc", ClientID: "id", ClientSecret: "secret", Issuer: issuer.URL}))
	back := down.browser().Post("/auth/oidc", url.Values{"intent": {"signin"}, "next": {"/account/keys"}}).Want(http.StatusOK, "ne répond pas comme il le devrait")
	if back.Value("next") != "/account/keys" {
		t.Errorf("on %s, next %q", back.Path, back.Value("next"))
	}
}

// A visitor who declines at the provider, or links another account's identity, is back where they began and
// reads that nothing was linked. No page on the way leads to one that says that it was.
func TestIdentityThatIsNotLinked(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t, "127.0.0.1")
	s := newSite(t, withProvider(social.ProviderConfig{Name: "oidc", Label: "Ma Société", ClientID: "id", ClientSecret: "secret", Issuer: issuer.URL, PKCE: true}))
	b := s.member("jeanne@exemple.fr").stay()
	form := b.Get("/account/security").Form("/auth/oidc")
	if strings.Contains(form.Get("next"), "done=") {
		t.Errorf("the form leads on to %q, whatever comes of it", form.Get("next"))
	}
	address := testkit.Must(url.Parse(b.Post("/auth/oidc", form).Location()))(t)
	back := b.Get("/auth/oidc/callback?error=access_denied&state=" + url.QueryEscape(address.Query().Get("state"))).Location()
	if !strings.HasPrefix(back, "/account/security?") {
		t.Fatalf("leads to %q", back)
	}
	b.Get(back).Want(http.StatusOK, "Vous avez refusé de vous identifier", "Rien n’a été relié")
	b.Get("/account/security?trouble=identity_taken").Want(http.StatusOK, "déjà reliée à un autre compte")
	s.browser().Get("/signin?trouble=identity_email").Want(http.StatusOK, "n’a pas donné votre adresse e-mail", "Mot de passe oublié")
}
