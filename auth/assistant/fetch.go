package assistant

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"arpent/internal/clientip"
)

const (
	maxDocument        = 10 << 10
	maxDocumentHeaders = 16 << 10
	documentKept       = 5 * time.Minute // when its server says nothing
)

// fetcher reads documents whose address an anonymous client chose. It connects to the public
// Internet only, whatever name the address bears and whatever that name leads to at that moment: the
// address is checked when it is about to be used.
type fetcher struct {
	client   *http.Client
	port     string // the only one; tests have another
	isPublic func(netip.Addr) bool
}

func newFetcher() *fetcher {
	f := &fetcher{port: "443", isPublic: clientip.IsPublic}
	dialer := &net.Dialer{Timeout: documentTimeout, KeepAlive: -1, Control: f.checkDestination}
	f.client = &http.Client{
		Timeout: documentTimeout,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect to where we must not
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    documentTimeout,
			ResponseHeaderTimeout:  documentTimeout,
			MaxResponseHeaderBytes: maxDocumentHeaders,
			DisableKeepAlives:      true,
			DisableCompression:     true, // a few bytes would become as many as their sender likes
		},
		// A redirection is an answer like any other, and not the one that is wanted.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return f
}

var errPrivate = errors.New("the address is not one of the public Internet")

// checkDestination rejects a connection before its first packet, whichever of a name's addresses it goes to.
func (f *fetcher) checkDestination(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(network, "tcp") || strconv.Itoa(int(to.Port())) != f.port || !f.isPublic(to.Addr()) {
		return errPrivate
	}
	return nil
}

func (f *fetcher) fetchBody(ctx context.Context, url string) (body []byte, keep time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "arpent")
	res, err := f.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	if err := checkResponse(res); err != nil {
		return nil, 0, err
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err == nil {
		err = ctx.Err() // a server that saw us leave may have ended its answer at the last moment
	}
	switch {
	case err != nil:
		return nil, 0, err
	case len(body) > maxDocument:
		return nil, 0, errDocument("it is longer than 10 kB")
	}
	return body, cacheLifetime(res.Header), nil
}

func checkResponse(res *http.Response) error {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch encoding := res.Header.Get("Content-Encoding"); {
	case res.StatusCode != http.StatusOK:
		return errDocument("its server answers " + strconv.Itoa(res.StatusCode) + " instead of 200")
	case err != nil || kind != "application/json" && !(strings.HasPrefix(kind, "application/") &&
		strings.HasSuffix(kind, "+json")):
		return errDocument("it is not served as application/json")
	case encoding != "" && encoding != "identity":
		return errDocument("it is compressed, which was not asked for")
	case res.ContentLength > maxDocument:
		return errDocument("it is longer than 10 kB")
	}
	return nil
}

// cacheLifetime is what Cache-Control says, without the bounds.
func cacheLifetime(h http.Header) time.Duration {
	keep := documentKept
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch strings.ToLower(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return 0
			}
			keep = time.Duration(seconds) * time.Second
		}
	}
	return keep
}
