package stripesim_test

import (
	"net/http"
	"testing"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// A service that works here must not be refused by Stripe: keys,
// versions, names of parameters and ids are checked.
func TestWhatStripeRefusesIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	known := f.customer()
	key := map[string]string{"Authorization": "Bearer " + stripesim.DefaultKey}
	for name, tc := range map[string]struct {
		header       map[string]string
		method, path string
		values       []string
		status       int
		code         any
	}{
		"no key":            {nil, "GET", "/v1/customers/" + known, nil, 401, nil},
		"another key":       {map[string]string{"Authorization": "Bearer sk_test_other"}, "GET", "/v1/customers/" + known, nil, 401, nil},
		"another version":   {map[string]string{"Authorization": "Bearer " + stripesim.DefaultKey, "Stripe-Version": "2025-01-01"}, "GET", "/v1/customers/" + known, nil, 400, nil},
		"unknown parameter": {key, "POST", "/v1/customers", []string{"emial", "a@example.org"}, 400, nil},
		"unknown customer":  {key, "GET", "/v1/customers/cus_unknown", nil, 404, "resource_missing"},
		"unknown price": {key, "POST", "/v1/checkout/sessions", []string{"mode", "subscription", "customer", known, "success_url", "http://127.0.0.1/",
			"line_items[0][price]", "price_other", "line_items[0][quantity]", "1"}, 400, "resource_missing"},
		"unknown customer's list": {key, "GET", "/v1/subscriptions", []string{"customer", "cus_unknown"}, 400, "resource_missing"},
		"tax without an address": {key, "POST", "/v1/checkout/sessions", []string{"mode", "subscription", "customer", known, "success_url", "http://127.0.0.1/",
			"line_items[0][price]", stripesim.ProPrice, "line_items[0][quantity]", "1", "automatic_tax[enabled]", "true"}, 400, nil},
		"VAT number":       {key, "POST", "/v1/customers/" + known + "/tax_ids", []string{"type", "eu_vat", "value", "12"}, 400, "tax_id_invalid"},
		"expands nonsense": {key, "GET", "/v1/subscriptions", []string{"expand[]", "data.nonsense"}, 400, nil},
	} {
		t.Run(name, func(t *testing.T) {
			status, o := f.askAs(tc.header, tc.method, tc.path, tc.values...)
			if status != tc.status || fieldAt(o, "error.code") != tc.code {
				t.Errorf("%d %v, want %d %v", status, o, tc.status, tc.code)
			}
		})
	}
}

// Two clicks make one customer, and a key that is used for something else is noticed.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	header := map[string]string{"Authorization": "Bearer " + stripesim.DefaultKey, "Idempotency-Key": "customer-7"}
	_, first := f.askAs(header, "POST", "/v1/customers", "email", "a@example.org")
	_, second := f.askAs(header, "POST", "/v1/customers", "email", "a@example.org")
	if first["id"] == nil || first["id"] != second["id"] {
		t.Errorf("customers %v and %v", first["id"], second["id"])
	}
	if status, o := f.askAs(header, "POST", "/v1/customers", "email", "b@example.org"); status != 400 || fieldAt(o, "error.type") != "idempotency_error" {
		t.Errorf("the key with another address: %d %v", status, o)
	}
	if made := f.types("customer.created"); len(made) != 1 {
		t.Errorf("%d customers, want one", len(made))
	}
}

// Lists give what Stripe gives: the newest first, in pages.
func TestListsArePaged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	var ids []string
	customer := f.customer()
	for range 5 {
		id := testkit.Must(f.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
		ids = append(ids, id)
	}
	first := f.must("GET", "/v1/subscriptions", "limit", "3")
	f.is(first, map[string]any{"has_more": true, "data.0.id": ids[4], "data.2.id": ids[2]})
	f.is(f.must("GET", "/v1/subscriptions", "limit", "3", "starting_after", ids[2]), map[string]any{"has_more": false, "data.0.id": ids[1], "data.1.id": ids[0]})
}

// The simulation moves for its own pages and for programs, not for a page
// of somebody else that a developer has open.
func TestForeignPagesMoveNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{NoMock: true})
	req := testkit.Must(http.NewRequest("POST", f.URL()+"/", nil))(t)
	req.Header.Set("Origin", "https://elsewhere.example")
	res := testkit.Must(http.DefaultClient.Do(req))(t)
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden || !f.Now().Equal(noon) {
		t.Errorf("status %d, time %s", res.StatusCode, f.Now())
	}
}
