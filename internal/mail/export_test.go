package mail

import (
	"context"
	"crypto/x509"
	"net"
)

// DialTo has every connection go to address, whatever the name of the server.
func (s *SMTP) DialTo(address string) {
	s.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// Trust believes certificates that roots sign.
func (s *SMTP) Trust(roots *x509.CertPool) { s.tls.RootCAs = roots }

// Templates are all messages there are.
func Templates() []Template {
	var out []Template
	for t := range french.letters {
		out = append(out, t)
	}
	return out
}

// SameTemplates reports whether each message is there in both languages.
func SameTemplates() bool {
	for t := range english.letters {
		if _, ok := french.letters[t]; !ok {
			return false
		}
	}
	return len(french.letters) == len(english.letters)
}
