package testkit_test

import (
	"net/url"
	"testing"

	"arpent/app/dev/testkit"
)

// Tests of third-party sign-in rest on this provider: it must lead back with a code, report a rejection, and
// come back on its port after having been away.
func TestOIDCLeadsBackWithACodeOrAnError(t *testing.T) {
	t.Parallel()
	const back = "http://127.0.0.1:1/back"
	users := map[string]testkit.OIDCUser{"ada": {Email: "ada@example.org"}}
	p := testkit.NewOIDC(t, testkit.OIDCOptions{RedirectURIs: []string{back}, Users: users})
	ask := func() string {
		return p.Issuer() + "/auth?" + url.Values{"client_id": {p.ClientID}, "response_type": {"code"}, "redirect_uri": {back},
			"scope": {"openid email"}, "state": {"s"}}.Encode()
	}
	if u := p.Visit(ask(), "ada"); u.Query().Get("code") == "" || u.Query().Get("state") != "s" {
		t.Errorf("signed in, led back to %s", u)
	}
	if u := p.Visit(ask(), ""); u.Query().Get("error") != "access_denied" {
		t.Errorf("cancelled, led back to %s", u)
	}
	before := p.Issuer()
	p.Kill()
	p.Start()
	if u := p.Visit(ask(), "ada"); p.Issuer() != before || u.Query().Get("code") == "" {
		t.Errorf("started again at %s after %s, led back to %s", p.Issuer(), before, u)
	}
}
