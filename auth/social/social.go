package social

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"arpent/auth"
	"arpent/auth/seal"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

// What can go wrong. A page has an answer to each.
var (
	// ErrFlow: no cookie, an old one, one of another provider or another flow. Starting again helps.
	ErrFlow = errors.New("this sign-in was not started in this browser, or too long ago")
	// ErrDenied: the person said no at the provider.
	ErrDenied = errors.New("the provider was not allowed to tell who this is")
	// ErrProvider: the provider does not answer, or what it answers cannot be
	// believed. The text of the error is for the log.
	ErrProvider = errors.New("unexpected answer of the sign-in provider")
	// ErrUnknownProvider: no provider of that name is configured.
	ErrUnknownProvider = errors.New("no such provider is configured")
)

// How long things may take.
const (
	flowLife      = 10 * time.Minute // from the button to the return
	finishTimeout = 10 * time.Second // all questions to the provider at the return; one alone has callTimeout
	maxSignInAge  = 10 * time.Minute // how old a provider's sign-in may be when it re-authenticates somebody
)

// ProviderConfig is one provider as the operator registered it.
type ProviderConfig struct {
	Name         string // google, github, microsoft, gitlab or oidc
	Label        string // what the button says; empty: the name in its usual spelling
	ClientID     string
	ClientSecret string
	Issuer       string // oidc: the issuer; gitlab: one's own server; microsoft: the tenant, "common" when empty
	PKCE         bool   // send a code challenge (S256)
}

// Options is what New needs.
type Options struct {
	BaseURL   string   // this server as browsers reach it, without a slash at the end
	Secret    []byte   // 32 bytes; the key of the cookie is derived from it
	Former    [][]byte // secrets of before: a cookie that was made with one still opens
	Clock     clock.Clock
	Providers []ProviderConfig
	HTTP      *http.Client // nil: a client of its own. Its transport is used, within the limits of transport.go
}

// Offered is one button of the sign-in page.
type Offered struct{ Name, Label string }

// Intent is what a flow is for.
type Intent string

// What a person who comes back from a provider wanted.
const (
	SignIn Intent = "sign-in"
	Link   Intent = "link"   // add the identity to the account of the session
	Verify Intent = "verify" // show again who they are, before something that matters
)

// MaxNext is how many bytes of a path a flow remembers: sealed and in base64
// it stays below the 4096 that browsers keep.
const MaxNext = 2400

// Flow is what the portal gets back unchanged when the person returns.
type Flow struct {
	Intent  Intent
	Next    string // path to go to afterwards; one longer than MaxNext is forgotten, for a cookie must hold it
	Session int64  // the session that links or verifies; 0 for a sign-in
	// Language is the one that the page with the button was asked for in; empty: none was.
	Language string
}

// Social signs people in through the providers that are configured. It is safe for concurrent use.
type Social struct {
	clock     clock.Clock
	cookies   seal.Sealer
	order     []Offered
	providers map[string]*provider
	transport http.RoundTripper
}

// provider is one configured third party.
type provider struct {
	ProviderConfig
	callback string
	targets  func() []string
	// protocol returns what a flow needs. Only a generic issuer touches the network here.
	protocol func(context.Context) (protocol, error)
}

// pinOptions makes a provider one that is always asked in the same way.
func (p *provider) pinOptions(d protocol, targets ...string) {
	p.targets = func() []string { return targets }
	p.protocol = func(context.Context) (protocol, error) { return d, nil }
}

// CallbackPath is where a provider sends people back to. It differs between providers, so that an answer of
// one cannot pass for that of another, and is to be registered with the provider behind the base URL.
func CallbackPath(provider string) string { return "/auth/" + provider + "/callback" }

// New checks the configuration and touches no network.
func New(o Options) (*Social, error) {
	if len(o.Secret) < 32 {
		return nil, errors.New("third-party sign-in: the secret is shorter than 32 bytes")
	}
	next := http.DefaultTransport
	if o.HTTP != nil && o.HTTP.Transport != nil {
		next = o.HTTP.Transport
	}
	var keys [][]byte
	for _, secret := range slices.Concat([][]byte{o.Secret}, o.Former) {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte("third-party sign-in cookie"))
		keys = append(keys, mac.Sum(nil))
	}
	s := &Social{clock: o.Clock, cookies: seal.NewSealer(keys...), providers: map[string]*provider{},
		transport: boundedTransport{next}}
	client := plainClient(s.transport)
	for _, c := range o.Providers {
		if _, twice := s.providers[c.Name]; twice {
			return nil, fmt.Errorf("sign-in provider %s is configured twice", c.Name)
		}
		if c.ClientID == "" || c.ClientSecret == "" {
			return nil, fmt.Errorf("sign-in provider %s: client id or client secret is missing", c.Name)
		}
		p := &provider{ProviderConfig: c, callback: strings.TrimRight(o.BaseURL, "/") + CallbackPath(c.Name)}
		if err := p.setUp(client, o.Clock); err != nil {
			return nil, fmt.Errorf("sign-in provider %s: %w", c.Name, err)
		}
		s.providers[c.Name] = p
		s.order = append(s.order, Offered{Name: c.Name, Label: p.Label})
	}
	return s, nil
}

// setUp completes what depends on the kind of provider.
func (p *provider) setUp(client *http.Client, c clock.Clock) error {
	kinds := map[string]struct {
		label string
		setUp func(*provider, *http.Client, clock.Clock) error
	}{
		"google":    {"Google", setUpGoogle},
		"github":    {"GitHub", setUpGitHub},
		"microsoft": {"Microsoft", setUpMicrosoft},
		"gitlab":    {"GitLab", setUpGitLab},
		"oidc":      {"OpenID Connect", setUpOpenID},
	}
	kind, ok := kinds[p.Name]
	if !ok {
		return errors.New("is not one of google, github, microsoft, gitlab, oidc")
	}
	p.Label = cmp.Or(p.Label, kind.label)
	return kind.setUp(p, client, c)
}

// Offered lists the providers in the order of the configuration.
func (s *Social) Offered() []Offered { return slices.Clone(s.order) }

// Check asks each provider for its protocol, and returns its error, or nil, by name. Only a generic issuer
// has to be reached for that.
func (s *Social) Check(ctx context.Context) map[string]error {
	out := map[string]error{}
	for name, p := range s.providers {
		_, out[name] = p.protocol(ctx)
	}
	return out
}

// FormTargets lists the origins that a form which starts a flow may end up at, for the form-action of the
// content security policy: Chromium applies it to redirects too. It asks no network: the authorization
// endpoint of a generic issuer on another origin than the issuer's is known after the first flow only, so a
// page that must work at once leads there by a link.
func (s *Social) FormTargets() []string {
	var all []string
	for _, o := range s.order {
		all = append(all, s.providers[o.Name].targets()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Begin starts a flow: the address to send the browser to, and the value of the cookie that must come back
// with it. The cookie is HttpOnly, SameSite=Lax and lives ten minutes. ErrUnknownProvider, ErrProvider.
func (s *Social) Begin(ctx context.Context, name string, f Flow) (redirect, cookie string, err error) {
	p, ok := s.providers[name]
	if !ok {
		return "", "", ErrUnknownProvider
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	d, err := p.protocol(ctx)
	if err != nil {
		return "", "", p.providerError("start", err)
	}
	if len(f.Next) > MaxNext {
		f.Next = ""
	}
	ticket := newTicket(f, s.clock.Now().Add(flowLife), p.PKCE)
	address, err := p.authorizationURL(d, ticket)
	if err != nil {
		return "", "", p.providerError("start", err)
	}
	cookie, err = s.cookies.Seal(ticket, name) // for one provider: the cookie of another does not open
	return address, cookie, fault.Wrap("seal the sign-in cookie", err)
}

// authorizationURL is goth's address with what goth does not add.
func (p *provider) authorizationURL(d protocol, t ticket) (string, error) {
	session, err := d.goth(nil).BeginAuth(t.State)
	if err != nil {
		return "", err
	}
	address, err := session.GetAuthURL()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	q := u.Query()
	if d.verify != nil {
		q.Set("nonce", t.Nonce)
	}
	if t.Verifier != "" {
		q.Set("code_challenge", oauth2.S256ChallengeFromVerifier(t.Verifier))
		q.Set("code_challenge_method", "S256")
	}
	if t.Flow.Intent == Verify {
		q.Set("prompt", d.reauthPrompt)
	}
	for name, value := range d.extraParams {
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Finish ends a flow: cookie is what Begin gave, query what the provider sent the browser back with. The
// caller removes the cookie whatever the outcome. The flow is returned whenever the answer belongs to it,
// with ErrDenied and ErrProvider too, and not with ErrFlow and ErrUnknownProvider.
func (s *Social) Finish(
	ctx context.Context, name, cookie string, query url.Values) (auth.Claim, Flow, error) {
	p, ok := s.providers[name]
	if !ok {
		return auth.Claim{}, Flow{}, ErrUnknownProvider
	}
	t, ok := s.openTicket(name, cookie)
	if !ok || !matchesState(query, t.State) {
		return auth.Claim{}, Flow{}, ErrFlow
	}
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	d, err := p.protocol(ctx)
	if err != nil {
		return auth.Claim{}, t.Flow, p.providerError("finish", err)
	}
	// An attacker who runs one provider cannot pass off its answer as another's.
	issuer := query.Get("iss")
	switch code := query.Get("error"); {
	case d.issuer != "" && issuer == "" && d.sendsIssuer:
		return auth.Claim{}, t.Flow, p.providerError("finish",
			errors.New("the answer does not name its issuer, as the provider promises"))
	case d.issuer != "" && issuer != "" && issuer != d.issuer:
		return auth.Claim{}, t.Flow, p.providerError("finish",
			fmt.Errorf("the answer is of the issuer %q", excerptText(issuer)))
	case code == "access_denied":
		return auth.Claim{}, t.Flow, ErrDenied
	case code != "":
		return auth.Claim{}, t.Flow, p.providerError("finish", fmt.Errorf("it answers error %q", excerptText(code)))
	case query.Get("code") == "":
		return auth.Claim{}, t.Flow, p.providerError("finish", errors.New("it answers without a code"))
	}
	claim, err := p.identifyUser(ctx, d, t, query.Get("code"), s)
	if err != nil {
		return auth.Claim{}, t.Flow, p.providerError("finish", err)
	}
	return claim, t.Flow, nil
}
