package stripesim_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// A receiver that checks signatures as Stripe says accepts these, with the hour that it has itself.
func TestEventsAreSigned(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	f.Advance(40 * day) // the receiver's clock does not follow
	f.customer()
	f.quiet()
	f.inbox.mu.Lock()
	defer f.inbox.mu.Unlock()
	if len(f.inbox.calls) != 1 {
		t.Fatalf("%d calls, want one", len(f.inbox.calls))
	}
	c := f.inbox.calls[0]
	if want := stripesim.Sign(c.Body, stripesim.DefaultWebhookSecret, noon); c.Signature != want {
		t.Errorf("signature %q, want %q", c.Signature, want)
	}
	var o map[string]any
	testkit.NoError(t, json.Unmarshal(c.Body, &o))
	f.is(o, map[string]any{"type": "customer.created", "api_version": "2023-10-16", "livemode": false, "object": "event",
		"created": unixSeconds(noon.Add(40 * day)), "data.object.email": "a@example.org", "data.object.metadata.arpent_account": "7"})
}

// An event that was not taken comes again, later and later.
func TestRefusedEventsComeAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	f.inbox.answer(http.StatusServiceUnavailable)
	f.customer()
	f.quiet()
	f.inbox.ids()
	for _, pause := range []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute} {
		if pause == 10*time.Minute {
			f.inbox.answer(http.StatusOK)
		}
		f.Advance(pause - time.Second)
		f.quiet()
		if got := f.inbox.ids(); len(got) != 0 {
			t.Errorf("before %s: %v", pause, got)
		}
		f.Advance(time.Second)
		f.quiet()
		if got := f.inbox.ids(); len(got) != 1 {
			t.Errorf("after %s: %v", pause, got)
		}
	}
	f.Advance(10 * day)
	f.quiet()
	if got := f.inbox.ids(); len(got) != 0 {
		t.Error("an event that was taken came again")
	}
}
