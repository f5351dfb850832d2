package password_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/password"
)

// The queue before the hashes is as long as it was made, waiting ends with the
// request, and a place that is left is free.
func TestConcurrentHashesQueue(t *testing.T) {
	t.Parallel()
	h := password.NewHasher(1, 3, time.Minute)
	var ends []func()
	for range 2 { // one more sign-in than hashes
		end := testkit.Must(h.Admit(t.Context()))(t)
		ends = append(ends, end)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 3)
	for range 3 {
		go func() { _, err := h.Admit(ctx); gone <- err }()
	}
	testkit.Eventually(t, testkit.Timeout, "they wait", func() bool { return h.Waiting() == 3 })
	testkit.WantError(t, testkit.ErrorOf(h.Admit(t.Context())), password.ErrBusy, "the fourth in the queue")
	cancel()
	for range 3 {
		testkit.WantError(t, <-gone, context.Canceled, "the caller that left")
	}
	ends[0]()
	if _, err := h.Admit(t.Context()); err != nil || h.Waiting() != 0 {
		t.Errorf("after all left: %v, %d waiting", err, h.Waiting())
	}
}

// No caller waits in the queue for longer than is promised.
func TestQueueIsLeftInTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a queue that never empties fails instead of hanging
	defer cancel()
	h := password.NewHasher(0, 3, time.Millisecond)
	_, hashed := h.Hash(ctx, "un cheval bleu galope")
	_, checked := h.Matches(ctx, "un cheval bleu galope", nil)
	if !errors.Is(hashed, password.ErrBusy) || !errors.Is(checked, password.ErrBusy) || h.Waiting() != 0 {
		t.Errorf("after the wait: %v, %v, %d in the queue", hashed, checked, h.Waiting())
	}
}

// A hash is of the password it was made of, of today's cost, and not of another.
func TestHash(t *testing.T) {
	t.Parallel()
	h := password.NewHasher(1, 0, time.Minute)
	hashed, err := h.Hash(t.Context(), "un cheval bleu galope")
	if err != nil || password.Outdated(hashed) {
		t.Fatalf("%q, %v", hashed, err)
	}
	for text, want := range map[string]bool{"un cheval bleu galope": true, "un cheval bleu": false} {
		if got, err := h.Matches(t.Context(), text, &hashed); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := h.Matches(t.Context(), "", nil); err != nil || got || h.Done() != 4 {
		t.Errorf("no hash: %v, %v, %d done", got, err, h.Done())
	}
}

// The processors are never all busy with passwords, and the hash that
// is checked for an unknown address costs what others do.
func TestCost(t *testing.T) {
	t.Parallel()
	if n, all := password.Shared.Hashes(), runtime.GOMAXPROCS(0); n < 1 || n > 1 && n >= all {
		t.Errorf("%d hashes at a time on %d processors", n, all)
	}
	if password.Outdated(password.DummyHash) {
		t.Errorf("the dummy hash has another cost: %s", password.DummyHash)
	}
}
