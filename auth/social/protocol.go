package social

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/markbates/goth"

	"arpent/auth"
)

// protocol is how one provider is asked.
type protocol struct {
	// goth makes goth's provider for one flow, on that flow's client. It is cheap: a struct, no network.
	goth         func(*http.Client) goth.Provider
	tokenURL     string // where goth redeems the code
	basic        bool   // the client authenticates there by HTTP Basic, else in the form
	reauthPrompt string // prompt that makes it ask who is there
	extraParams  map[string]string

	issuer      string // of the answer's iss (RFC 9207); empty: not compared
	sendsIssuer bool   // the provider promises to send iss

	// verify checks signature, issuer, audience and expiry of an ID token. nil: the provider gives none.
	verify func(ctx context.Context, raw string) (*oidc.IDToken, error)
	// readClaim makes the claim of what was verified.
	readClaim func(context.Context, reply) (auth.Claim, error)
}

// reply is what a redeemed code gave.
type reply struct {
	goth        goth.Provider
	session     goth.Session
	client      *http.Client
	accessToken string
	token       *oidc.IDToken // nil when the provider gives none
	claims      claims
}

// claims are the claims of an ID token that are read here, in addition to those that go-oidc reads.
type claims struct {
	Email         string    `json:"email"`
	EmailVerified looseBool `json:"email_verified"`
	DomainOwner   looseBool `json:"xms_edov"` // Microsoft
	Party         string    `json:"azp"`
	SignedInAt    *int64    `json:"auth_time"`
}

// looseBool is true for true, "true", 1 and "1", the spellings in use (Microsoft writes xms_edov in each),
// and false for everything else: a claim that we do not understand proves nothing.
type looseBool bool

func (y *looseBool) UnmarshalJSON(b []byte) error {
	*y = looseBool(slices.Contains([]string{`true`, `"true"`, `1`, `"1"`}, string(b)))
	return nil
}

// checkToken checks what go-oidc leaves to its caller: the nonce, the
// authorized party, the access token's hash.
func (p *provider) checkToken(
	token *oidc.IDToken, t ticket, accessToken string, now time.Time) (claims, error) {
	var c claims
	if err := token.Claims(&c); err != nil {
		return c, fmt.Errorf("read its claims: %w", err)
	}
	switch {
	case token.Nonce == "":
		return c, errors.New("it has no nonce")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(t.Nonce)) != 1:
		return c, errors.New("its nonce is that of another flow")
	case token.Subject == "" || len(token.Subject) > 255:
		return c, errors.New("its subject is empty or longer than 255 bytes")
	case c.Party != "" && c.Party != p.ClientID:
		return c, fmt.Errorf("it was made for the client %q", excerptText(c.Party))
	case c.Party == "" && len(token.Audience) > 1:
		return c, errors.New("it has several audiences and names no authorized party")
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(accessToken); err != nil {
			return c, err
		}
	}
	// prompt=login is a wish. Where the provider says when the person signed in, an
	// old sign-in does not count as a new one.
	if t.Flow.Intent == Verify && c.SignedInAt != nil && now.Sub(time.Unix(*c.SignedInAt, 0)) > maxSignInAge {
		return c, errors.New("auth_time is too old: a new sign-in was requested")
	}
	return c, nil
}

// claimFromToken reads a claim whose address is in the ID token.
func claimFromToken(_ context.Context, r reply) (auth.Claim, error) {
	return auth.Claim{Subject: r.token.Subject, Email: r.claims.Email,
		EmailVerified: bool(r.claims.EmailVerified)}, nil
}

// getJSON asks a provider something with the access token in the header, never in the address.
func getJSON(ctx context.Context, client *http.Client, address, accessToken string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+accessToken)
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", address, res.StatusCode)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

// parseOrigin is scheme and host of an address, as a content security policy names it.
func parseOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
