package social

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/github"

	"arpent/auth"
	"arpent/internal/clock"
)

// The addresses are constants: those of goth are variables that anything in the program could change.
const (
	githubAuthorize = "https://github.com/login/oauth/authorize"
	githubToken     = "https://github.com/login/oauth/access_token"
	githubUser      = "https://api.github.com/user"
	githubEmails    = "https://api.github.com/user/emails"
)

// setUpGitHub: GitHub gives no ID token; who it is comes from its
// API, asked with the token that the code gave.
func setUpGitHub(p *provider, _ *http.Client, _ clock.Clock) error {
	p.pinOptions(protocol{
		goth: func(client *http.Client) goth.Provider {
			// Without a scope goth asks for the profile only; with user:email it would
			// fail without a verified address.
			g := github.NewCustomisedURL(p.ClientID, p.ClientSecret, p.callback, githubAuthorize, githubToken,
				githubUser, githubEmails)
			g.HTTPClient = client
			return g
		},
		tokenURL:     githubToken,
		reauthPrompt: "select_account", // GitHub knows no prompt=login
		extraParams:  map[string]string{"scope": "user:email"},
		readClaim:    readGitHub,
	}, parseOrigin(githubAuthorize))
	return nil
}

func readGitHub(ctx context.Context, r reply) (auth.Claim, error) {
	user, err := r.goth.FetchUser(r.session)
	if err != nil {
		return auth.Claim{}, fmt.Errorf("read the profile: %w", err)
	}
	if user.UserID == "" || user.UserID == "0" { // goth's reading of a profile without an id
		return auth.Claim{}, errors.New("the profile has no id")
	}
	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}
	if err := getJSON(ctx, r.client, githubEmails+"?per_page=100", r.accessToken, &emails); err != nil {
		return auth.Claim{}, fmt.Errorf("read the addresses: %w", err)
	}
	claim := auth.Claim{Subject: user.UserID}
	for _, e := range emails {
		if e.Primary {
			claim.Email, claim.EmailVerified = e.Email, e.Verified
		}
	}
	return claim, nil
}
