package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"arpent/internal/clientip"
	"arpent/internal/clock"
	"arpent/internal/disk"
)

// Options of a Client. Each has a default.
type Options struct {
	// the operator's e-mail address or site, for producers who have something to say; may be empty
	Contact string
	// base address of a mirror that is asked in place of all hosts, see MirrorPath; may be empty
	Mirror string
	Record string        // folder that becomes such a mirror: all that is read is kept there; may be empty
	Stall  time.Duration // how long a server may send nothing; default 60 s
	Clock  clock.Clock   // default the machine's
	// Sleep waits between attempts, and between requests to one host. Default: until the time has passed or
	// ctx is done. Where it is replaced, it moves the Clock on.
	Sleep func(ctx context.Context, d time.Duration) error
	// bytes that may be written to the disk of a folder; default: as the system says
	Free func(dir string) (int64, error)
	// sends what is due; default: to public addresses alone, or to the mirror
	Next http.RoundTripper
}

// Client asks producers' servers: at most two requests at a time a host, spaced as the host wants it, and
// again after a while where it is busy. It keeps no cookies.
type Client struct {
	HTTP   *http.Client // does all this
	o      Options
	mirror *url.URL // nil: the hosts themselves are asked
}

const (
	connectTimeout = 10 * time.Second
	stallTimeout   = 60 * time.Second
	maxRedirects   = 10
	catalogueLimit = 64 << 20 // of the answers of catalogues, which are read whole
)

// NewClient makes a Client. The one error is that of a mirror without a proper address.
func NewClient(o Options) (*Client, error) {
	o.Stall, o.Clock = cmp.Or(o.Stall, stallTimeout), cmp.Or[clock.Clock](o.Clock, clock.Real{})
	if o.Sleep == nil {
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			if !clock.Sleep(ctx, d) {
				return context.Cause(ctx)
			}
			return nil
		}
	}
	if o.Free == nil {
		o.Free = func(dir string) (int64, error) {
			free, _, err := disk.Space(dir)
			return free, err
		}
	}
	c := &Client{o: o}
	var http1 http.Protocols
	http1.SetHTTP1(true) // a connection for each download: one that is dead holds up no other
	direct := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: o.Stall,
		IdleConnTimeout:       time.Minute,
		Protocols:             &http1,
		DisableCompression:    true, // lengths and checksums are those of what is sent
	}
	if o.Mirror == "" {
		direct.DialContext = dialPublic(direct)
	}
	next := o.Next
	if next == nil {
		next = direct
	}
	var rounds http.RoundTripper = &transport{next: next, client: c, hosts: map[string]*host{}}
	if o.Mirror != "" {
		base, err := url.Parse(strings.TrimRight(o.Mirror, "/"))
		if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
			return nil, fmt.Errorf("the mirror %q is not an http(s) address", o.Mirror)
		}
		c.mirror, rounds = base, mirrored{base, rounds}
	}
	c.HTTP = &http.Client{Transport: rounds, CheckRedirect: c.checkRedirect}
	return c, nil
}

// checkRedirect refuses redirects without end, and those that leave TLS: any machine on the way can answer
// without it. The mirror, which the operator named, may redirect to itself.
func (c *Client) checkRedirect(to *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("it is redirected more than %d times", maxRedirects)
	}
	withinMirror := c.mirror != nil && to.URL.Host == c.mirror.Host
	if via[len(via)-1].URL.Scheme == "https" && to.URL.Scheme != "https" && !withinMirror {
		return fmt.Errorf("it is redirected from https to %s://%s, which anyone on the way can answer",
			to.URL.Scheme, to.URL.Host)
	}
	return nil
}

var errPrivate = errors.New("the address is not one of the public Internet")

// dialPublic connects to servers of the public Internet alone: a catalogue that was tampered
// with, or a redirect, must not have this machine ask its neighbours. A proxy of the
// operator's may be anywhere, and asks for us.
func dialPublic(t *http.Transport) func(ctx context.Context, network, address string) (net.Conn, error) {
	public := &net.Dialer{Timeout: connectTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err == nil && !clientip.IsPublic(to.Addr()) {
			err = errPrivate
		}
		return err
	}}
	direct := t.DialContext
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		for _, scheme := range []string{"http", "https"} {
			proxy, err := t.Proxy(&http.Request{URL: &url.URL{Scheme: scheme, Host: "producer.example"}})
			if err == nil && proxy != nil {
				return direct(ctx, network, address)
			}
		}
		return public.DialContext(ctx, network, address)
	}
}

// Now is the time by the clock of the client.
func (c *Client) Now() time.Time { return c.o.Clock.Now() }

// sendRequest makes one request and returns whatever is answered.
func (c *Client) sendRequest(
	ctx context.Context, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	agent := "arpent"
	if c.o.Contact != "" {
		agent += " (+" + c.o.Contact + ")"
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept-Encoding", "identity") // the file's own compression is part of it
	maps.Copy(req.Header, header)
	return c.HTTP.Do(req)
}

// getOnce makes one request and returns an answer of status 200 or 206.
func (c *Client) getOnce(ctx context.Context, address string, header http.Header) (*http.Response, error) {
	resp, err := c.sendRequest(ctx, address, header)
	if err != nil {
		return nil, err
	}
	if err := checkStatus(resp, address); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// Get asks an address. It returns an answer of status 200 or 206, whose
// body the caller closes, and an error of type
// *StatusError for any other. A busy or broken server is asked five times; what goes
// wrong while the body is read is the caller's.
func (c *Client) Get(
	ctx context.Context, address string, header http.Header) (resp *http.Response, err error) {
	err = c.retryTemporary(ctx, func() error {
		resp, err = c.getOnce(ctx, address, header)
		return err
	})
	return resp, err
}

// Bytes reads the whole answer of a catalogue, of at most 64 MiB. Like Get it tries five times.
func (c *Client) Bytes(ctx context.Context, address string) ([]byte, error) {
	var b []byte
	err := c.retryTemporary(ctx, func() error {
		resp, err := c.getOnce(ctx, address, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if b, err = io.ReadAll(io.LimitReader(resp.Body, catalogueLimit+1)); err != nil {
			return fmt.Errorf("read %s: %w", address, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(b) > catalogueLimit {
		return nil, fmt.Errorf("read %s: it is longer than %d MiB", address, catalogueLimit>>20)
	}
	if err := c.recordAnswer(address, b); err != nil {
		return nil, fmt.Errorf("record an answer: %w", err)
	}
	return b, nil
}

// JSON reads the answer of a catalogue into v.
func (c *Client) JSON(ctx context.Context, address string, v any) error {
	b, err := c.Bytes(ctx, address)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w: %s", address, err, Describe(b))
	}
	return nil
}

// Exists asks for the first byte of a file: whether it is there, and its size (0 if not known).
func (c *Client) Exists(ctx context.Context, address string) (bytes int64, found bool, err error) {
	p, err := c.Probe(ctx, address, 1)
	return p.Bytes, p.Found, err
}

// Probe is what is known of a file from a request for its first bytes.
type Probe struct {
	Found        bool
	Final        string // the address after redirects
	Bytes        int64  // of the whole file; 0: not known
	ETag         string
	LastModified string // as the server sends it
	First        []byte // so many bytes as were asked for, less of a shorter file
}

// Probe asks for the first bytes of a file. Not by HEAD, which some servers refuse and others answer wrongly.
// A file that is not there (404, 410) is no error.
func (c *Client) Probe(ctx context.Context, address string, bytes int) (Probe, error) {
	header := http.Header{"Range": {fmt.Sprintf("bytes=0-%d", bytes-1)}}
	resp, err := c.Get(ctx, address, header)
	var status *StatusError
	switch {
	case IsGone(err):
		return Probe{}, nil
	case errors.As(err, &status) && status.Status == http.StatusRequestedRangeNotSatisfiable:
		return Probe{Found: true, Final: status.Final}, nil // an empty file
	case err != nil:
		return Probe{}, err
	}
	defer resp.Body.Close()
	p := Probe{
		Found: true, Final: resp.Request.URL.String(), Bytes: totalLength(resp),
		ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"),
	}
	if p.First, err = io.ReadAll(io.LimitReader(resp.Body, int64(bytes))); err != nil {
		return p, fmt.Errorf("read %s: %w", address, err)
	}
	return p, nil
}
