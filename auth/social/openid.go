package social

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/markbates/goth"
	"github.com/markbates/goth/providers/openidConnect"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"arpent/auth"
	"arpent/internal/clock"
)

// discoveryLife is how long a discovery document is believed. Keys are renewed
// apart, whenever a token names an unknown one.
const discoveryLife = 24 * time.Hour

// openID is a generic issuer, discovered at its first use. A discovery
// that fails is tried again by the next flow.
type openID struct {
	p              *provider
	client         *http.Client
	clock          clock.Clock
	discoveryGroup singleflight.Group

	mu              sync.Mutex
	cachedProtocol  *protocol
	until           time.Time
	authorizeOrigin string // origin of the authorization endpoint, once known
}

func setUpOpenID(p *provider, client *http.Client, c clock.Clock) error {
	if err := checkAddress(p.Issuer, false); err != nil {
		return err
	}
	o := &openID{p: p, client: client, clock: c}
	p.protocol = o.loadProtocol
	p.targets = func() []string {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.authorizeOrigin == "" {
			return []string{parseOrigin(p.Issuer)}
		}
		return []string{parseOrigin(p.Issuer), o.authorizeOrigin}
	}
	return nil
}

// loadProtocol returns what was discovered. Flows that start together share one discovery, which outlives any
// of them; an old document serves on while its renewal fails.
func (o *openID) loadProtocol(ctx context.Context) (protocol, error) {
	o.mu.Lock()
	known, fresh := o.cachedProtocol, o.clock.Now().Before(o.until)
	o.mu.Unlock()
	if known != nil && fresh {
		return *known, nil
	}
	select {
	case <-ctx.Done():
		if known != nil {
			return *known, nil
		}
		return protocol{}, ctx.Err()
	case found := <-o.discoveryGroup.DoChan("", func() (any, error) {
		return o.discoverProtocol(context.WithoutCancel(ctx))
	}):
		if found.Err == nil {
			return *found.Val.(*protocol), nil
		}
		if known != nil {
			return *known, nil
		}
		return protocol{}, fmt.Errorf("discover the issuer: %w", found.Err)
	}
}

// document holds the fields of a discovery document that go-oidc does not read.
type document struct {
	Keys         string   `json:"jwks_uri"`
	UserInfo     string   `json:"userinfo_endpoint"`
	TokenAuth    []string `json:"token_endpoint_auth_methods_supported"`
	SaysIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
	authorizeURL string
	tokenURL     string
}

func (o *openID) discoverProtocol(ctx context.Context) (*protocol, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, o.client), o.p.Issuer)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := found.Claims(&doc); err != nil {
		return nil, err
	}
	doc.authorizeURL, doc.tokenURL = found.Endpoint().AuthURL, found.Endpoint().TokenURL
	endpoints := []string{doc.authorizeURL, doc.tokenURL, doc.Keys}
	if doc.UserInfo != "" {
		endpoints = append(endpoints, doc.UserInfo)
	}
	for _, e := range endpoints {
		if err := checkAddress(e, strings.HasPrefix(o.p.Issuer, "https:")); err != nil {
			return nil, fmt.Errorf("its document: %w", err)
		}
	}
	d, err := o.buildProtocol(found, doc)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cachedProtocol, o.until, o.authorizeOrigin = d, o.clock.Now().Add(discoveryLife),
		parseOrigin(doc.authorizeURL)
	return d, nil
}

// buildProtocol uses goth's openidConnect to build the address and to redeem the code. Its FetchUser is left
// alone: it checks no signature and no nonce, and panics on a token without exp.
func (o *openID) buildProtocol(found *oidc.Provider, doc document) (*protocol, error) {
	p := o.p
	provider := func(client *http.Client) goth.Provider {
		// The error would be that of discovery, which this constructor leaves out.
		g, _ := openidConnect.NewCustomisedURL(p.ClientID, p.ClientSecret, p.callback, doc.authorizeURL,
			doc.tokenURL, p.Issuer,
			"", "", "openid", "email")
		g.HTTPClient = client
		return g
	}
	d := &protocol{
		goth:         provider,
		tokenURL:     doc.tokenURL,
		reauthPrompt: "login",
		issuer:       p.Issuer,
		sendsIssuer:  doc.SaysIssuer,
		// Algorithms: those of the document that go-oidc knows, RS256 when it has
		// none; never "none" nor a shared secret.
		verify: found.Verifier(&oidc.Config{ClientID: p.ClientID, Now: o.clock.Now}).Verify,
		readClaim: func(ctx context.Context, r reply) (auth.Claim, error) {
			return readOpenID(ctx, r, found, doc.UserInfo != "")
		},
	}
	switch {
	case len(doc.TokenAuth) == 0 || slices.Contains(doc.TokenAuth, "client_secret_basic"): // Basic is what the specification presumes
		d.basic = true
	case !slices.Contains(doc.TokenAuth, "client_secret_post"):
		return nil, errors.New("it takes the client's secret neither by Basic nor in the form")
	}
	return d, nil
}

// readOpenID takes address and email_verified from the same place: the token, else userinfo.
func readOpenID(ctx context.Context, r reply, found *oidc.Provider, hasUserInfo bool) (auth.Claim, error) {
	if r.claims.Email != "" || !hasUserInfo {
		return claimFromToken(ctx, r)
	}
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: r.accessToken})
	info, err := found.UserInfo(oidc.ClientContext(ctx, r.client), source)
	if err != nil {
		return auth.Claim{}, fmt.Errorf("read userinfo: %w", err)
	}
	if info.Subject != r.token.Subject {
		return auth.Claim{}, errors.New("userinfo has another subject than the ID token")
	}
	return auth.Claim{Subject: r.token.Subject, Email: info.Email, EmailVerified: info.EmailVerified}, nil
}

// checkAddress rejects what a secret must not be sent to: plain http, except to this machine, where tests and
// development run.
func checkAddress(address string, secure bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q is no address of a server", excerptText(address))
	}
	if u.Scheme == "https" || u.Scheme == "http" && !secure && isLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%q is not https", excerptText(address))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
