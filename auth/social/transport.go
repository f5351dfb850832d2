package social

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	callTimeout = 4 * time.Second // one answer of a provider
	maxAnswer   = 1 << 20         // of one answer; a large key set has some 20 kB
	maxExcerpt  = 300             // characters of a foreign text in the log
)

// boundedTransport bounds what a provider can cost: each answer is read whole within callTimeout and
// maxAnswer. The libraries above have no limit of their own, and go-oidc fetches keys without a context.
type boundedTransport struct{ next http.RoundTripper }

// plainClient follows no redirect: the endpoints are known, and a redirect would carry secrets elsewhere.
func plainClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), callTimeout)
	defer cancel()
	res, err := c.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", req.URL.Host, err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer of %s is larger than %d bytes", req.URL.Host, maxAnswer)
	}
	return withBody(res, body), nil
}

func withBody(res *http.Response, body []byte) *http.Response {
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	return res
}

// tokenAnswer is what the token endpoint says. Decoding it here, strictly,
// spares goth an id_token that is no string.
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	IDToken     string `json:"id_token"`
	Error       string `json:"error"`
}

// codeTransport carries the requests that goth makes for one flow. goth gives them no context, has no way to
// hand over a PKCE verifier for most providers, and forgets the ID token of some: so the request for the
// token is rebuilt here, and its answer read here first.
type codeTransport struct {
	ctx                       context.Context
	next                      http.RoundTripper
	url, id, secret, verifier string
	basic                     bool // client_secret_basic, else client_secret_post

	tokenRequested bool
	answer         tokenAnswer
	failed         error
}

var errRepeatedTokenRequest = errors.New("a second token request was blocked")

func (w *codeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost {
		return w.next.RoundTrip(req.WithContext(w.ctx))
	}
	if w.tokenRequested || req.URL.String() != w.url {
		// oauth2 guesses how the client authenticates by trying both ways. A code seen twice makes a provider
		// revoke what it gave for it (RFC 6749, section 4.1.2), so it gets one try, in the way that we know.
		return nil, errRepeatedTokenRequest
	}
	w.tokenRequested = true
	res, err := w.redeemCode(req)
	if err != nil {
		w.failed = err
	}
	return res, err
}

func (w *codeTransport) redeemCode(req *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(sent))
	if err != nil {
		return nil, err
	}
	form.Del("client_id")
	form.Del("client_secret")
	if w.verifier != "" {
		form.Set("code_verifier", w.verifier)
	}
	if !w.basic {
		form.Set("client_id", w.id)
		form.Set("client_secret", w.secret)
	}
	out, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	out.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	out.Header.Set("Accept", "application/json") // GitHub answers a form otherwise
	if w.basic {
		out.SetBasicAuth(url.QueryEscape(w.id), url.QueryEscape(w.secret))
	}
	res, err := w.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body) // bounded by boundedTransport
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(body, &w.answer)
	switch {
	case w.answer.Error != "":
		return nil, fmt.Errorf("the token endpoint answers error %q", excerptText(w.answer.Error))
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the token endpoint answers %d", res.StatusCode)
	case err != nil:
		return nil, errors.New("the token endpoint does not answer the JSON that it should")
	case w.answer.AccessToken == "":
		return nil, errors.New("the token endpoint gives no token")
	}
	res.Header.Set("Content-Type", "application/json")
	return withBody(res, body), nil
}

// excerptText makes a foreign text fit for a log line.
func excerptText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > maxExcerpt {
		return string(r[:maxExcerpt]) + "…"
	}
	return s
}
