package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"arpent/app/base/fault"
)

// An error nobody foresaw shows nothing of its inside.
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
