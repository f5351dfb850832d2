package fetch

import "net/http"

// NewTransport is the transport of a Client in front of another.
func NewTransport(next http.RoundTripper, o Options) http.RoundTripper {
	return &transport{next: next, client: &Client{o: o}, hosts: map[string]*host{}}
}
