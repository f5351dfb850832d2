package social

import (
	"context"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/google"

	"arpent/internal/clock"
)

// Google's issuer and keys are those of its discovery document. They are written here because goth writes the
// endpoints down as well: one question less for each start of the server.
const (
	googleIssuer = "https://accounts.google.com"
	googleKeys   = "https://www.googleapis.com/oauth2/v3/certs"
)

func setUpGoogle(p *provider, client *http.Client, c clock.Clock) error {
	p.pinOptions(protocol{
		goth: func(client *http.Client) goth.Provider {
			g := google.New(p.ClientID, p.ClientSecret, p.callback, "openid", "email")
			g.SetAccessType("online") // goth asks for offline access, that is a refresh token
			g.HTTPClient = client
			return g
		},
		tokenURL:     google.Endpoint.TokenURL,
		reauthPrompt: "select_account", // Google knows no prompt=login
		issuer:       googleIssuer,
		verify:       newVerifier(client, c, p.ClientID, googleIssuer, googleKeys),
		readClaim:    claimFromToken,
	}, googleIssuer)
	return nil
}

// newVerifier checks ID tokens of an issuer that signs with RS256.
func newVerifier(client *http.Client, c clock.Clock, clientID, issuer,
	keys string) func(context.Context, string) (*oidc.IDToken, error) {
	set := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), keys)
	return oidc.NewVerifier(issuer, set, &oidc.Config{ClientID: clientID, Now: c.Now,
		SupportedSigningAlgs: []string{oidc.RS256}}).Verify
}
