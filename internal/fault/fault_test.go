package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/fault"
)

// An unforeseen error shows no internal detail.
func TestFromHidesUnknownErrors(t *testing.T) {
	t.Parallel()
	f := fault.From(errors.New("SELECT secret FROM account"))
	if f.Code != fault.Internal || strings.Contains(f.Message, "SELECT") {
		t.Errorf("got %s %q", f.Code, f.Message)
	}
	wrapped := fault.From(fmt.Errorf("read commune: %w", fault.Missing("no commune has code %s", "00000")))
	if wrapped.Code != fault.NotFound || wrapped.Message != "no commune has code 00000" {
		t.Errorf("got %s %q", wrapped.Code, wrapped.Message)
	}
}

// When the database is away every client is asked to come back, whatever the request: only what cannot work
// the next time either is a fault of ours.
func TestFromKnowsWhatIsAway(t *testing.T) {
	t.Parallel()
	_, refused := pgconn.Connect(t.Context(), "host="+t.TempDir())
	_, unheard := net.Dial("tcp", "127.0.0.1:1")
	for _, tc := range []struct {
		err  error
		want fault.Code
	}{
		{refused, fault.Unavailable},
		{unheard, fault.Unavailable},
		{&pgconn.PgError{Code: "57P01"}, fault.Unavailable}, // terminated by an administrator
		{&pgconn.PgError{Code: "53100"}, fault.Unavailable}, // the disk is full
		{context.DeadlineExceeded, fault.Unavailable},
		{&pgconn.PgError{Code: "42P01"}, fault.Internal}, // no such table
		{&pgconn.PgError{Code: "57014"}, fault.Internal}, // cancelled
		{context.Canceled, fault.Internal},
	} {
		f := fault.From(fmt.Errorf("read a session: %w", tc.err))
		if f.Code != tc.want || f.RetryAfter > 0 != (tc.want == fault.Unavailable) {
			t.Errorf("%v: %s, Retry-After %s", tc.err, f.Code, f.RetryAfter)
		}
	}
}

// What a caller sent is repeated at 64 characters at most and without control characters.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	if got := []rune(fault.Excerpt(strings.Repeat("é", 1000))); len(got) != 64 {
		t.Errorf("%d characters", len(got))
	}
	if got := fault.Excerpt("a\x00b\xffc\n"); got != "a?b?c?" {
		t.Errorf("got %q", got)
	}
}
