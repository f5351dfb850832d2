package assistant

import (
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"

	"arpent/internal/clientip"
)

// KeepWaiting lowers the limits on clients that no account has let in.
func (s *Server) KeepWaiting(limit, spared, perNetwork int) {
	s.registrationLimits = registrationBounds{limit, spared, perNetwork}
}

var (
	CheckRedirect  = checkRedirect
	AllowsRedirect = allowsRedirect
	CleanName      = cleanName
	CheckDocument  = checkDocumentURL
	KeptFor        = cacheLifetime
	NewFetcher     = newFetcher
)

const (
	MaxTokens = maxTokens
	MaxName   = maxName
)

// Near makes a fetcher reach a server of a test: on another port, whose certificate is of roots, and whose
// names resolver knows. allow stands in for the rule on addresses; nil leaves it.
func (f *fetcher) Near(port string, roots *x509.CertPool, resolver *net.Resolver, allow func(netip.Addr) bool) FetchDocument {
	f.client = clientip.NewClient(clientip.ClientOptions{Timeout: documentTimeout, Port: port, IsPublic: allow,
		Roots: roots, Resolver: resolver})
	return f.fetchBody
}

// The readers of bodies, for those who send anything at all.
var ReadForm = readForm

func ReadCredentials(header string, form url.Values) (id, secret string, err error) {
	c, err := readCredentials(header, form)
	return c.id, c.secret, err
}

func ReadRegistration(body []byte) (name string, redirects []string, echo map[string]any, err error) {
	c, echo, err := readRegistration(body)
	return c.Name, c.redirects, echo, err
}
