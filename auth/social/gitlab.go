package social

import (
	"net/http"
	"strings"

	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/gitlab"

	"arpent/internal/clock"
)

// setUpGitLab serves gitlab.com and servers of one's own: the paths are
// the same on each, so nothing is discovered.
func setUpGitLab(p *provider, client *http.Client, c clock.Clock) error {
	issuer := "https://gitlab.com"
	if p.Issuer != "" {
		issuer = strings.TrimRight(p.Issuer, "/")
	}
	if err := checkAddress(issuer, false); err != nil {
		return err
	}
	authorize, token := issuer+"/oauth/authorize", issuer+"/oauth/token"
	p.pinOptions(protocol{
		goth: func(client *http.Client) goth.Provider {
			// The profile is never fetched: the ID token has the address, and only there is email_verified.
			g := gitlab.NewCustomisedURL(p.ClientID, p.ClientSecret, p.callback, authorize, token, issuer+
				"/oauth/userinfo",
				"openid", "email")
			g.HTTPClient = client
			return g
		},
		tokenURL:     token,
		reauthPrompt: "login",
		issuer:       issuer,
		verify:       newVerifier(client, c, p.ClientID, issuer, issuer+"/oauth/discovery/keys"),
		readClaim:    claimFromToken,
	}, parseOrigin(issuer))
	return nil
}
