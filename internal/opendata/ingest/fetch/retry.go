package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	maxAttempts = 5
	firstPause  = time.Second // each further one is twice as long
)

// temporary marks an error after which another attempt may succeed.
type temporary struct {
	error
	madeProgress bool // the attempt brought part of a file, so that it does not count
	exhausted    bool // no more attempts are to be made
}

func (t *temporary) Unwrap() error { return t.error }

// Temporary marks an error after which another attempt may succeed.
func Temporary(err error) error { return &temporary{error: err} }

// IsTemporary reports whether another attempt may succeed after an error.
func IsTemporary(err error) bool {
	var again *temporary
	return errors.As(err, &again)
}

// retryTemporary makes attempts until one succeeds or fails for good.
// It returns the error of the last of five.
func (c *Client) retryTemporary(ctx context.Context, attempt func() error) error {
	for try := 0; ; try++ {
		err := attempt()
		var again *temporary
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.As(err, &again) || again.exhausted:
			return err
		case again.madeProgress:
			try = -1 // five more, of which this was none
		case try == maxAttempts-1:
			again.exhausted = true
			return fmt.Errorf("after %d attempts: %w", maxAttempts, err)
		}
		pause := firstPause << max(try, 0)
		pause = pause/2 + rand.N(pause) // several clients do not come back all at once
		if err := c.o.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// StatusError is an answer other than 200 and 206.
type StatusError struct {
	Address string // asked
	Final   string // that answered, after redirects
	Status  int
	Mirror  string // that was asked in place of the producer; empty: none
}

func (e *StatusError) Error() string {
	where := e.Address
	if e.Final != e.Address {
		where += ", redirected to " + e.Final + ","
	}
	text := fmt.Sprintf("%s answers %d %s", where, e.Status, http.StatusText(e.Status))
	if e.Mirror != "" {
		text += fmt.Sprintf(" (so says the mirror %s of ARPENT_MIRROR; the producer was not asked)", e.Mirror)
	}
	return text
}

// IsGone reports whether an error is the answer that something is not, or no longer, there.
func IsGone(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}

// checkStatus is the error of an answer other than 200 and 206. Those of the server and 429 are temporary.
func checkStatus(resp *http.Response, address string) error {
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusPartialContent {
		return nil
	}
	mirror, _ := resp.Request.Context().Value(mirrorKey{}).(string)
	err := &StatusError{address, resp.Request.URL.String(), resp.StatusCode, mirror}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return &temporary{error: err}
	}
	return err
}

// connectionError is why a host gave no answer. What is wrong with its certificate or its name stays so.
func connectionError(host string, err error) error {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of %s is not valid: %w", host, certificate.Err)
	case strings.Contains(err.Error(), "tls: "): // the alerts of the other side have no type of their own
		return fmt.Errorf("no secure connection to %s: %w", host, err)
	case errors.As(err, &name) && name.IsNotFound:
		return err
	default:
		return &temporary{error: err}
	}
}
