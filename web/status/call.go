package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Call is one call of an operation.
type Call struct {
	Operation string
	Path      string // with its query; empty: there is nothing to call it with, and it is not measured
	Message   string // JSON to be sent with POST; empty: a GET
}

const (
	// callTimeout is after what time an operation counts as failed.
	callTimeout = 15 * time.Second
	// maxAnswer is how much of an answer is read.
	maxAnswer = 4 << 20
)

// The reasons of failures, in addition to "status 503".
const (
	reasonTimeout     = "timeout"
	reasonUnreachable = "unreachable"
	reasonMalformed   = "malformed"
)

// client opens a connection for each call, as a new customer does, and
// follows no redirect: no operation sends one.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true, Proxy: nil},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// makeCall makes a call, and returns why it failed; empty: it did not.
func makeCall(ctx context.Context, base, secret string, c Call) (reason string) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	method, body := http.MethodGet, io.Reader(nil)
	if c.Message != "" {
		method, body = http.MethodPost, strings.NewReader(c.Message)
	}
	request, err := http.NewRequestWithContext(ctx, method, base+c.Path, body)
	if err != nil {
		return reasonMalformed
	}
	request.Header.Set("X-API-Key", secret)
	request.Header.Set("User-Agent", "arpent-status")
	if c.Message != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	answer, err := client.Do(request)
	if err != nil {
		return failureReason(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Sprintf("status %d", answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return failureReason(err)
	}
	return checkAnswer(text, c.Message != "")
}

func failureReason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return reasonTimeout
	}
	return reasonUnreachable
}

// checkAnswer returns reasonMalformed for an answer that is no JSON object or in which a tool reports an
// error, else "".
func checkAnswer(text []byte, tool bool) string {
	var object struct {
		Result *struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if json.Unmarshal(text, &object) != nil || tool && (object.Result == nil || object.Result.IsError) {
		return reasonMalformed
	}
	return ""
}
