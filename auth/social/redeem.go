package social

import (
	"context"
	"fmt"

	"arpent/auth"
)

// params is what goth may see of the answer. Handed the query itself it would
// take redirect_uri and code_verifier from it.
type params struct{ code string }

func (p params) Get(name string) string {
	if name == "code" {
		return p.code
	}
	return ""
}

// identifyUser redeems the code and reads who it stands for.
func (p *provider) identifyUser(ctx context.Context, d protocol, t ticket, code string,
	s *Social) (auth.Claim, error) {
	w := &codeTransport{ctx: ctx, next: s.transport, url: d.tokenURL, basic: d.basic, id: p.ClientID,
		secret:   p.ClientSecret,
		verifier: t.Verifier}
	client := plainClient(w)
	g := d.goth(client)
	session, err := g.UnmarshalSession("{}")
	if err != nil {
		return auth.Claim{}, err
	}
	if _, err := session.Authorize(g, params{code}); err != nil {
		if w.failed != nil {
			err = w.failed // oauth2 tries again and would report that second attempt, which the transport rejects
		}
		return auth.Claim{}, fmt.Errorf("redeem the code: %w", err)
	}
	r := reply{goth: g, session: session, client: client, accessToken: w.answer.AccessToken}
	if d.verify != nil {
		if r.token, err = d.verify(ctx, w.answer.IDToken); err != nil {
			return auth.Claim{}, fmt.Errorf("verify the ID token: %w", err)
		}
		if r.claims, err = p.checkToken(r.token, t, r.accessToken, s.clock.Now()); err != nil {
			return auth.Claim{}, fmt.Errorf("verify the ID token: %w", err)
		}
	}
	claim, err := d.readClaim(ctx, r)
	if err != nil {
		return auth.Claim{}, err
	}
	claim.Provider = p.Name
	claim.EmailVerified = claim.EmailVerified && claim.Email != ""
	return claim, nil
}

// providerError is an ErrProvider whose text is for the log. The cause is cut: libraries put whole answers
// into their errors, and what a provider sends is neither to fill the log nor to be distinguished by callers.
func (p *provider) providerError(what string, cause error) error {
	return fmt.Errorf("%w: %s sign-in with %s: %s", ErrProvider, what, p.Name, excerptText(cause.Error()))
}
