package stripesim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
)

// A receiver that checks signatures as Stripe tells it to takes these, with the hour that it has itself.
func TestEventsAreSigned(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true, WebhookSecret: "whsec_test"})
	f.Advance(40 * day) // the receiver's clock does not follow
	f.customer()
	f.quiet()
	f.inbox.mu.Lock()
	defer f.inbox.mu.Unlock()
	if len(f.inbox.calls) != 1 {
		t.Fatalf("%d calls, want one", len(f.inbox.calls))
	}
	c := f.inbox.calls[0]
	if want := stripesim.Sign(c.Body, "whsec_test", noon); c.Signature != want {
		t.Errorf("signature %q, want %q", c.Signature, want)
	}
	var o map[string]any
	if err := json.Unmarshal(c.Body, &o); err != nil {
		t.Fatal(err)
	}
	f.is(o, map[string]any{"type": "customer.created", "api_version": "2023-10-16", "livemode": false, "object": "event",
		"created": unix(noon.Add(40 * day)), "data.object.email": "a@example.org", "data.object.metadata.arpent_account": "7"})
}

// Each way in which deliveries go wrong can be made to happen, and every event is still known afterwards.
func TestDeliveriesGoWrongOnDemand(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	f.Hold()
	for range 4 {
		f.customer()
	}
	f.quiet()
	if got := f.inbox.ids(); len(got) != 0 {
		t.Fatalf("delivered while held: %v", got)
	}
	var happened []string
	for _, e := range f.Events() {
		happened = append(happened, e.ID)
	}
	if n := f.Release(stripesim.Reverse, 0); n != 4 {
		t.Errorf("%d released, want 4", n)
	}
	f.quiet()
	got := f.inbox.ids()
	if slices.Reverse(got); !slices.Equal(got, happened) {
		t.Errorf("reversed %v, happened %v", got, happened)
	}

	f.Repeat()
	f.Repeat(happened[1])
	f.quiet()
	if got := f.inbox.ids(); !slices.Equal(got, append(slices.Clone(happened), happened[1])) {
		t.Errorf("repeated %v", got)
	}

	f.Times(3)
	f.customer()
	f.quiet()
	if got := f.inbox.ids(); len(got) != 3 || got[0] != got[2] {
		t.Errorf("three times: %v", got)
	}
	f.Times(1)

	f.Drop(1)
	f.customer()
	f.customer()
	f.quiet()
	if got, all := f.inbox.ids(), f.Events(); len(got) != 1 || got[0] != all[len(all)-1].ID {
		t.Errorf("with the first dropped: %v", got)
	}

	f.Delay(time.Hour)
	f.customer()
	f.quiet()
	if got := f.inbox.ids(); len(got) != 0 {
		t.Errorf("delivered before its time: %v", got)
	}
	f.Advance(time.Hour)
	f.quiet()
	if got := f.inbox.ids(); len(got) != 1 {
		t.Errorf("after the delay: %v", got)
	}
}

// The same seed gives the same order, so that a failure can be shown again.
func TestRandomOrderHasASeed(t *testing.T) {
	t.Parallel()
	order := func(seed uint64) (got []string) {
		f := newFixture(t, stripesim.Options{NoMock: true})
		f.Hold()
		for range 12 {
			f.customer()
		}
		f.Release(stripesim.Random, seed)
		f.quiet()
		for _, id := range f.inbox.ids() {
			got = append(got, id[len(id)-6:]) // before that it names the run
		}
		return got
	}
	one, again, other := order(1), order(1), order(2)
	if !slices.Equal(one, again) || slices.Equal(one, other) || slices.IsSorted(one) {
		t.Errorf("seed 1: %v, again %v; seed 2: %v", one, again, other)
	}
}

// An event that was not taken comes again, later and later, and a release tries it at once.
func TestRefusedEventsComeAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	f.inbox.answer(http.StatusServiceUnavailable)
	f.customer()
	f.quiet()
	for _, pause := range []time.Duration{5 * time.Second, time.Minute} {
		f.Advance(pause - time.Second)
		f.quiet()
		before := len(f.Deliveries())
		f.Advance(time.Second)
		f.quiet()
		if after := len(f.Deliveries()); after != before+1 {
			t.Errorf("after %s: %d attempts, before %d", pause, after, before)
		}
	}
	f.inbox.answer(http.StatusOK)
	f.Release(stripesim.AsHappened, 0)
	f.quiet()
	all := f.Deliveries()
	if last := all[len(all)-1]; last.Status != 200 || last.Attempt != 4 {
		t.Errorf("last attempt %+v", last)
	}
	f.Advance(10 * day)
	f.quiet()
	if len(f.Deliveries()) != len(all) {
		t.Error("an event that was taken came again")
	}
}

// Nothing is lost when the receiver's address is only known later, as in a test that starts the simulator first.
func TestWebhookSetLater(t *testing.T) {
	t.Parallel()
	s := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	f := &fixture{T: t, Simulator: s, inbox: newInbox(t)}
	f.customer()
	f.quiet()
	s.SetWebhook(f.inbox.server.URL, "whsec_other")
	f.quiet()
	if got := f.inbox.ids(); len(got) != 1 {
		t.Errorf("delivered %v, want the one", got)
	}
}

// A test of bad events starts from a good one.
func TestEventWithOtherFields(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	f.customer()
	e := f.Events()[0]
	var o map[string]any
	if err := json.Unmarshal(e.With(map[string]any{"api_version": "2020-01-01", "account": "acct_1"}), &o); err != nil {
		t.Fatal(err)
	}
	f.is(o, map[string]any{"api_version": "2020-01-01", "account": "acct_1", "id": e.ID, "type": "customer.created"})
	if e.Object("email") != "a@example.org" || e.Object("metadata.arpent_account") != "7" || e.Object("email.x") != nil {
		t.Error("fields of the event's object are not found")
	}
}

// The controls do by HTTP what the methods do, for scripts and for the front page.
func TestControls(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	customer, id := f.subscribed(stripesim.CardOK)
	for _, step := range []struct {
		control string
		field   string
		want    any
	}{
		{"hold", "held", true},
		{"release?order=random&seed=5", "held", false},
		{"advance?days=2&seconds=30", "now", noon.Add(2*day + 30*time.Second).Format(time.RFC3339)},
		{"advance?to=period", "subscriptions.0.latest_invoice", "later"},
		{"fail?mode=slow&seconds=1", "failure", "slow"},
		{"fail?mode=none", "failure", ""},
		{"card?customer=" + customer + "&card=declined", "subscriptions.0.status", "active"},
		{"advance?to=period", "subscriptions.0.status", "past_due"},
		{"card?customer=" + customer + "&card=ok", "subscriptions.0.status", "past_due"},
		{"pay?customer=" + customer, "subscriptions.0.status", "active"},
		{"change?subscription=" + id + "&price=price_pro", "subscriptions.0.items.data.0.price.id", "price_pro"},
		{"cancel?subscription=" + id, "subscriptions.0.status", "canceled"},
	} {
		state := f.must("POST", "/_sim/"+step.control)
		if got := at(state, step.field); got != step.want && step.want != "later" {
			t.Errorf("%s: %s is %v, want %v", step.control, step.field, got, step.want)
		}
	}
	for _, wrong := range []string{"advance?days=-1", "fail?mode=odd", "pay?customer=cus_nobody"} {
		res, err := http.Post(f.URL()+"/_sim/"+wrong, "", strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 400 {
			t.Errorf("%s: %d, want 400", wrong, res.StatusCode)
		}
	}
}

// A wait that cannot end is given up with its context.
func TestQuietEndsWithItsContext(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	defer close(block)
	s := stripesim.ForTest(t, stripesim.Options{NoMock: true, WebhookURL: "http://127.0.0.1:1/", HTTP: &http.Client{Transport: blocked{block}}})
	f := &fixture{T: t, Simulator: s}
	f.customer()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Quiet(ctx); err == nil {
		t.Error("quiet while a delivery is on its way")
	}
}

type blocked struct{ until chan struct{} }

func (b blocked) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-b.until:
	case <-r.Context().Done():
	}
	return nil, fmt.Errorf("no answer")
}
