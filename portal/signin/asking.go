package signin

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"arpent/auth/assistant"
	"arpent/portal/pages"
)

const (
	// maxRequest is the maximum length of an authorization request that the
	// addresses of our own pages can carry along.
	maxRequest = 5000
	// maxEscaped is its maximum length in those addresses, where it is escaped once more: the server accepts
	// 8 kB of address and headers, and browsers send up to two of headers.
	maxEscaped = 6000
)

// ErrLongRequest is the error for an authorization request that is
// too long to be carried along during sign-in.
var ErrLongRequest = errors.New("the authorization request is too long")

// ReadRequest reads an authorization request. Its errors are those of Assistants, and ErrLongRequest.
func (p *Pages) ReadRequest(v *pages.Visitor, query string) (assistant.Request, error) {
	if len(query) > maxRequest || len(url.QueryEscape(assistant.AuthorizePath+"?"+query)) > maxEscaped {
		return assistant.Request{}, ErrLongRequest
	}
	return p.Assistants.Read(assistant.WithBrowser(v.Ctx, v.Origin.Address), query)
}

// describeClient describes the client whose authorization request is at a path; nil: there is none.
func (p *Pages) describeClient(v *pages.Visitor, next string) *Asking {
	query, ok := strings.CutPrefix(next, assistant.AuthorizePath+"?")
	if p.Assistants == nil || !ok {
		return nil
	}
	r, err := p.ReadRequest(v, query)
	if err != nil {
		return nil // its page says why
	}
	return new(AskingOf(r))
}

// AskingOf describes the client and where it is answered, as exactly as a person can judge it.
func AskingOf(r assistant.Request) Asking {
	a := Asking{Name: r.Client.Name, Host: toASCII(r.Client.Host)}
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		a.To = r.RedirectURI
		return a
	}
	switch u.Scheme {
	case "http", "https":
		address, err := netip.ParseAddr(u.Hostname())
		isLoopback := u.Hostname() == "localhost" || err == nil && address.IsLoopback()
		a.To, a.Local = toASCII(u.Host), u.Scheme == "http" && isLoopback
	default:
		a.To, a.App = u.Scheme+":", true
		if u.Host != "" {
			a.To += "//" + toASCII(u.Host)
		}
	}
	return a
}

// nameless reports whether the name is only that of the redirect target: a
// client that registers none is called after it.
func (a Asking) nameless() bool {
	scheme, _, _ := strings.Cut(a.To, "//")
	return a.Name == a.To || a.App && a.Name == scheme
}

// toASCII writes a name of another script as xn--…: letters of two scripts may look the same.
func toASCII(host string) string {
	if plain, err := idna.Punycode.ToASCII(host); err == nil {
		return plain
	}
	return url.PathEscape(host)
}
