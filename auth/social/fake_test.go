package social_test

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/internal/clock"
)

const (
	clientID     = "client-1"
	clientSecret = "a secret: 100 %&+"
	issuer       = "https://id.example"
	code         = "code-1"
	accessToken  = "access-token-1"
)

var (
	noon       = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	secret     = []byte("0123456789abcdef0123456789abcdef")
	signingKey = sync.OnceValue(newKey)
	otherKey   = sync.OnceValue(newKey)
)

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

// internet answers by host, in memory. A host that it does not know is down.
type internet struct {
	mu       sync.Mutex
	hosts    map[string]http.Handler
	requests []*http.Request
	forms    []url.Values // of the POSTs
}

// put has the host answered by the handler from now on. Without one it is down.
func (i *internet) put(host string, h http.Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if h == nil {
		delete(i.hosts, host)
		return
	}
	i.hosts[host] = h
}

func (i *internet) RoundTrip(req *http.Request) (*http.Response, error) {
	i.mu.Lock()
	h, ok := i.hosts[req.URL.Host]
	i.requests = append(i.requests, req)
	i.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("%s: no such host", req.URL.Host)
	}
	if req.Method == http.MethodPost {
		if err := req.ParseForm(); err != nil {
			return nil, err
		}
		i.mu.Lock()
		i.forms = append(i.forms, req.PostForm)
		i.mu.Unlock()
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Result(), req.Context().Err()
}

func (i *internet) asked(path string) (n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.requests {
		if r.URL.Path == path {
			n++
		}
	}
	return n
}

// stage is a Social before fake providers, with a clock that stands still.
type stage struct {
	t      *testing.T
	net    *internet
	clock  *clock.Fixed
	social *social.Social
	// what the providers answer; a test changes it before finish
	claims   map[string]any // of the ID token; nil values are left out
	userInfo map[string]any
	document map[string]any // of discovery, over the usual one
	sign     func(claims map[string]any) string
	token    func(answer map[string]any) // changes the token answer
	broken   bool                        // the token endpoint refuses
	github   map[string]any              // path to body
}

func newStage(t *testing.T, providers ...social.ProviderConfig) *stage {
	t.Helper()
	s := &stage{t: t, clock: clock.At(noon), net: &internet{hosts: map[string]http.Handler{}}}
	s.sign = func(c map[string]any) string { return rs256(signingKey(), c) }
	for _, host := range []string{"id.example", "oauth2.googleapis.com", "www.googleapis.com", "gitlab.com",
		"login.microsoftonline.com", "github.com", "api.github.com"} {
		s.net.hosts[host] = http.HandlerFunc(s.serve)
	}
	if len(providers) == 0 {
		providers = []social.ProviderConfig{providerConfig("oidc")}
	}
	made := testkit.Must(social.New(social.Options{
		BaseURL: "https://arpent.example", Secret: secret, Clock: s.clock, Providers: providers, HTTP: &http.Client{Transport: s.net},
	}))(t)
	s.social = made
	return s
}

func providerConfig(name string) social.ProviderConfig {
	c := social.ProviderConfig{Name: name, ClientID: clientID, ClientSecret: clientSecret, PKCE: true}
	if name == "oidc" {
		c.Issuer = issuer
	}
	return c
}

// serve answers as any of the providers: their paths differ.
func (s *stage) serve(w http.ResponseWriter, req *http.Request) {
	path := req.URL.Path
	switch {
	case path == "/.well-known/openid-configuration":
		doc := map[string]any{"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
			"jwks_uri": issuer + "/keys", "userinfo_endpoint": issuer + "/userinfo", "id_token_signing_alg_values_supported": []string{"none", "HS256", "RS256"}}
		maps.Copy(doc, s.document)
		writeJSON(w, doc)
	case strings.HasSuffix(path, "/token") || path == "/login/oauth/access_token":
		s.serveToken(w)
	case strings.HasSuffix(path, "/keys") || path == "/oauth2/v3/certs":
		pub := signingKey().PublicKey
		exponent := big.NewInt(int64(pub.E)).Bytes()
		key := map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": b64(pub.N.Bytes()), "e": b64(exponent)}
		writeJSON(w, map[string]any{"keys": []any{key}})
	case path == "/userinfo":
		writeJSON(w, s.userInfo)
	case s.github[path] != nil:
		writeJSON(w, s.github[path])
	default:
		http.NotFound(w, req)
	}
}

func (s *stage) serveToken(w http.ResponseWriter) {
	if s.broken {
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]any{"error": "invalid_grant"})
		return
	}
	answer := map[string]any{"access_token": accessToken, "token_type": "Bearer", "expires_in": 3600}
	if s.claims != nil {
		said := map[string]any{}
		for k, v := range s.claims {
			if v != nil {
				said[k] = v
			}
		}
		answer["id_token"] = s.sign(said)
	}
	if s.token != nil {
		s.token(answer)
	}
	writeJSON(w, answer)
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func encodePart(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b64(b)
}

func rs256(key *rsa.PrivateKey, claims map[string]any) string {
	signed := encodePart(map[string]any{"alg": "RS256", "kid": "k1"}) + "." + encodePart(claims)
	sum := sha256.Sum256([]byte(signed))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return signed + "." + b64(sig)
}

func hs256(key []byte, claims map[string]any) string {
	signed := encodePart(map[string]any{"alg": "HS256", "kid": "k1"}) + "." + encodePart(claims)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	return signed + "." + b64(mac.Sum(nil))
}

func unsignedToken(claims map[string]any) string {
	return encodePart(map[string]any{"alg": "none"}) + "." + encodePart(claims) + "."
}

// flow is one that has begun.
type flow struct {
	name, cookie string
	sent         url.Values // what the provider was asked
	address      *url.URL
}

var issuers = map[string]string{
	"oidc": issuer, "google": "https://accounts.google.com", "gitlab": "https://gitlab.com", "microsoft": tenantIssuer(tenantA),
}

// begin starts a flow and has the providers answer it well: a test spoils the answer afterwards.
func (s *stage) begin(name string, f social.Flow) flow {
	s.t.Helper()
	var address, cookie string
	var err error
	for end := time.Now().Add(testkit.Timeout); ; { // on a busy machine the answer of the provider may be late
		address, cookie, err = s.social.Begin(context.Background(), name, f)
		if !errors.Is(err, context.DeadlineExceeded) || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		s.t.Fatalf("begin: %v", err)
	}
	u := testkit.Must(url.Parse(address))(s.t)
	q := u.Query()
	s.claims = map[string]any{
		"iss": issuers[name],
		"aud": clientID, "sub": "ada", "nonce": q.Get("nonce"), "iat": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
		"email": "ada@example.org", "email_verified": true,
	}
	if name == "github" {
		s.claims = nil
	}
	return flow{name: name, cookie: cookie, sent: q, address: u}
}

func (f flow) answer() url.Values {
	return url.Values{"state": {f.sent.Get("state")}, "code": {code}}
}

func (s *stage) finish(f flow, query url.Values) (auth.Claim, social.Flow, error) {
	return s.social.Finish(context.Background(), f.name, f.cookie, query)
}

// refuses checks that a flow ends with that error and with no claim at all.
func (s *stage) refuses(f flow, query url.Values, want error, says string) {
	s.t.Helper()
	claim, _, err := s.finish(f, query)
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		s.t.Errorf("finish: %v; expected %v with %q", err, want, says)
	}
	if claim != (auth.Claim{}) {
		s.t.Errorf("refused, and yet a claim: %+v", claim)
	}
}
