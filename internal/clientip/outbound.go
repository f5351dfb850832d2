package clientip

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxHeaders bounds the header of an answer.
const maxHeaders = 16 << 10

// ClientOptions are the parameters of NewClient.
type ClientOptions struct {
	Timeout time.Duration // of a whole request, the name look-up and the answer included

	// The others are for tests.
	Port     string                // the only one that is connected to; empty: 443
	IsPublic func(netip.Addr) bool // the rule on addresses; nil: IsPublic
	Roots    *x509.CertPool        // the authorities of certificates; nil: those of the system
	Resolver *net.Resolver         // nil: that of the system
}

// ErrPrivate is the error for an address that is not one of the public Internet, or another port than 443.
var ErrPrivate = errors.New("the address is not one of the public Internet")

// NewClient returns an HTTP client for addresses that a client of the service chose. It connects to the
// public Internet only: the IP address to which a name resolves is checked for each connection, immediately
// before it is made. It follows no redirect.
func NewClient(o ClientOptions) *http.Client {
	port, isPublic := cmp.Or(o.Port, "443"), o.IsPublic
	if isPublic == nil {
		isPublic = IsPublic
	}
	// It rejects a connection before its first packet, whichever of a name's addresses it goes to.
	checkDestination := func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(network, "tcp") || strconv.Itoa(int(to.Port())) != port || !isPublic(to.Addr()) {
			return ErrPrivate
		}
		return nil
	}
	dialer := &net.Dialer{Timeout: o.Timeout, KeepAlive: -1, Control: checkDestination, Resolver: o.Resolver}
	return &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect to where we must not
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
			TLSHandshakeTimeout:    o.Timeout,
			ResponseHeaderTimeout:  o.Timeout,
			MaxResponseHeaderBytes: maxHeaders,
			DisableKeepAlives:      true,
			DisableCompression:     true, // a few bytes would become as many as their sender likes
		},
		// A redirection is an answer like any other, and not the one that is wanted.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
