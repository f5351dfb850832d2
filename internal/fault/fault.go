// Package fault is the one error type of the program: a public code, a sentence that is safe to show, and the
// cause, which only the log sees.
package fault

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code is a public error code, the value of error.code in an answer.
type Code string

// The public codes. The first six are promised by the contract; the
// others are added for cases it leaves open.
const (
	InvalidParameter Code = "invalid_parameter"
	MissingAPIKey    Code = "missing_api_key"
	InvalidAPIKey    Code = "invalid_api_key"
	NotFound         Code = "not_found"
	RateLimited      Code = "rate_limited"
	QuotaExceeded    Code = "quota_exceeded"
	Unavailable      Code = "unavailable"
	MethodNotAllowed Code = "method_not_allowed"
	RequestTooLarge  Code = "request_too_large"
	Internal         Code = "internal_error"

	// Of the account API, for programs with a management token.
	MissingToken Code = "missing_token"
	InvalidToken Code = "invalid_token"
	MissingScope Code = "missing_scope"
)

var statuses = map[Code]int{
	InvalidParameter: http.StatusBadRequest,
	MissingAPIKey:    http.StatusUnauthorized,
	InvalidAPIKey:    http.StatusUnauthorized,
	MissingToken:     http.StatusUnauthorized,
	InvalidToken:     http.StatusUnauthorized,
	MissingScope:     http.StatusForbidden,
	NotFound:         http.StatusNotFound,
	MethodNotAllowed: http.StatusMethodNotAllowed,
	RequestTooLarge:  http.StatusRequestEntityTooLarge,
	RateLimited:      http.StatusTooManyRequests,
	QuotaExceeded:    http.StatusTooManyRequests,
	Unavailable:      http.StatusServiceUnavailable,
}

// Status is the HTTP status that goes with the code.
func (c Code) Status() int { return cmp.Or(statuses[c], http.StatusInternalServerError) }

// Error is an error that knows what may be shown of it.
type Error struct {
	Code       Code
	Message    string        // safe to show, English, one or two sentences
	Cause      error         // for the log; may be nil
	RetryAfter time.Duration // how long to wait before trying again; 0 when it does not apply
	Parameter  string        // name of the parameter that is wrong; empty: none, or the sentence alone names it
	// What helps instead, as a sentence: Path for those who call the API, Tool for
	// assistants. Empty: the message says enough.
	Path, Tool string
}

// Error is for logs: it holds the cause.
func (e *Error) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Cause)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New makes an error with a public code and sentence. cause may be nil.
func New(code Code, message string, cause error) *Error {
	return &Error{Code: code, Message: message, Cause: cause}
}

// Invalid is a 400: the sentence names the parameter and what was expected.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: InvalidParameter, Message: fmt.Sprintf(format, args...)}
}

// Missing is a 404.
func Missing(format string, args ...any) *Error {
	return &Error{Code: NotFound, Message: fmt.Sprintf(format, args...)}
}

// Instead adds what helps instead, in the words of the API and in those of assistants.
func (e *Error) Instead(path, tool string) *Error {
	e.Path, e.Tool = path, tool
	return e
}

// About names the parameter that is wrong.
func (e *Error) About(parameter string) *Error {
	e.Parameter = parameter
	return e
}

// Down is a 503: something this service depends on does not answer, and trying again is safe.
func Down(message string, cause error) *Error {
	return &Error{Code: Unavailable, Message: message, Cause: cause, RetryAfter: 2 * time.Second}
}

// Wrap adds what was being done to an error; nil stays nil.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// From finds the Error in err. One that is none becomes an Unavailable one when something did not answer, and
// else an Internal one; the sentence reveals nothing.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if isUnavailable(err) {
		return Down("A part of this service does not answer at the moment. Try again in a few seconds.", err)
	}
	return &Error{Code: Internal, Message: "Something went wrong on our side.", Cause: err}
}

// Excerpt shortens what a caller sent so that it can be repeated in a message: at most 64 characters, control
// characters replaced.
func Excerpt(s string) string {
	const most = 64
	out := make([]rune, 0, most)
	for _, r := range s {
		if len(out) == most-1 {
			out = append(out, '…')
			break
		}
		if r < 0x20 || r == 0x7f || r == 0xfffd {
			r = '?'
		}
		out = append(out, r)
	}
	return string(out)
}
