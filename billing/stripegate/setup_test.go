package stripegate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
)

// The operator sees whether events arrive and taxes are computed before a customer does: each setting that
// Stripe's API shows to be wrong is named with what mends it, and a right one asks for nothing. stripe-mock
// takes both requests.
func TestCheckSetup(t *testing.T) {
	t.Parallel()
	sim := stripesim.ForTest(t, stripesim.Options{})
	gate := newGate(sim)
	const url = "https://arpent.example/webhooks/stripe"
	look := func(subject string) billing.SetupCheck {
		t.Helper()
		for _, c := range gate.CheckSetup(t.Context()) {
			if c.Subject == subject {
				return c
			}
		}
		t.Fatalf("%s is not looked at", subject)
		return billing.SetupCheck{}
	}
	all := func(e stripesim.Endpoint) stripesim.Endpoint {
		if e.Events == nil {
			e.Events = stripegate.Events
		}
		e.URL = url
		return e
	}
	for name, test := range map[string]struct {
		endpoints    []stripesim.Endpoint
		seen, wayOut string // wayOut empty: nothing has to be done
	}{
		"none":            {nil, "no endpoint sends events to " + url, "make one through the API"},
		"another address": {[]stripesim.Endpoint{{URL: url + "/", Events: []string{"*"}}}, "no endpoint", "make one through the API"},
		"good":            {[]stripesim.Endpoint{all(stripesim.Endpoint{})}, "version " + stripesim.APIVersion, ""},
		"every event":     {[]stripesim.Endpoint{all(stripesim.Endpoint{Events: []string{"*"}})}, "sends all events", ""},
		"disabled":        {[]stripesim.Endpoint{all(stripesim.Endpoint{Disabled: true})}, "is disabled", "enable it"},
		"version":         {[]stripesim.Endpoint{all(stripesim.Endpoint{APIVersion: "2025-03-31.basil"})}, "2025-03-31.basil instead of " + stripesim.APIVersion, "make a new endpoint"},
		"an event":        {[]stripesim.Endpoint{all(stripesim.Endpoint{Events: stripegate.Events[1:]})}, "lacks " + stripegate.Events[0], "add the events"},
		"one of two":      {[]stripesim.Endpoint{all(stripesim.Endpoint{Disabled: true}), all(stripesim.Endpoint{})}, "sends all events", ""},
	} {
		sim.SetEndpoints(test.endpoints...)
		if c := look("stripe webhook"); !strings.Contains(c.Seen, test.seen) || !strings.Contains(c.WayOut, test.wayOut) || (c.WayOut == "") != (test.wayOut == "") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := look("stripe tax"); c.Seen != "active" || c.WayOut != "" {
		t.Errorf("active: %+v", c)
	}
	sim.SetTaxMissing("head_office")
	if c := look("stripe tax"); !strings.Contains(c.Seen, "head_office") || !strings.Contains(c.WayOut, "docs/stripe.md") {
		t.Errorf("pending: %+v", c)
	}
	for _, path := range []string{"/v1/tax", "/v1/webhook_endpoints"} {
		sim.Forbid(path)
		found := 0
		for _, c := range gate.CheckSetup(t.Context()) {
			if strings.Contains(c.WayOut, "let the restricted key read") {
				found++
			}
		}
		if found != 1 {
			t.Errorf("without the permission for %s: %+v", path, gate.CheckSetup(t.Context()))
		}
	}
	sim.Forbid("")
	sim.Fail(stripesim.Error500, 0)
	if c := look("stripe tax"); c.WayOut == "" {
		t.Errorf("without an answer: %+v", c)
	}
}

// What the doctor asks for, what the document says to set up, and what the service reads are one list.
func TestEventsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	text := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), "docs", "stripe.md")))(t)
	var listed []string
	for _, m := range regexp.MustCompile(`enabled_events\[\]=([a-z_.]+)`).FindAllSubmatch(text, -1) {
		listed = append(listed, string(m[1]))
	}
	want := slices.Clone(stripegate.Events)
	slices.Sort(listed)
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("the document lists %v, the endpoint has to send %v", listed, want)
	}
	for _, kind := range stripegate.Events {
		if !stripegate.Relevant(kind) {
			t.Errorf("%s is sent and not read", kind)
		}
	}
}
