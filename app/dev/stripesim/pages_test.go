package stripesim_test

import (
	"net/http"
	"strings"
	"testing"

	"arpent/app/dev/stripesim"
)

// browse sends a request of a browser.
func (f *fixture) browse(method, address string, values ...string) (status int, location, page string) {
	f.Helper()
	res, body := f.send(nil, method, address, values...)
	if res == nil {
		f.Fatalf("%s %s: no answer", method, address)
	}
	if method == http.MethodGet && !strings.Contains(string(body), "SIMULATION") {
		f.Errorf("%s does not say that it is a simulation", address)
	}
	return res.StatusCode, res.Header.Get("Location"), string(body)
}

func (f *fixture) checkout(customer, locale string) (id, page string) {
	f.Helper()
	o := f.must("POST", "/v1/checkout/sessions", "mode", "subscription", "customer", customer, "line_items[0][price]", stripesim.StandardPrice,
		"line_items[0][quantity]", "1", "automatic_tax[enabled]", "true", "tax_id_collection[enabled]", "true", "billing_address_collection", "required",
		"customer_update[name]", "auto", "customer_update[address]", "auto", "locale", locale, "client_reference_id", "7",
		"success_url", "http://127.0.0.1:9/done?session={CHECKOUT_SESSION_ID}", "cancel_url", "http://127.0.0.1:9/plan",
		"subscription_data[metadata][arpent_account]", "7")
	return o["id"].(string), o["url"].(string)
}

// A browser pays as at Stripe: a declined card leaves the page, a good one
// leads back, and paying twice does nothing.
func TestCheckoutPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer := f.customer()
	id, page := f.checkout(customer, "fr")
	if status, _, text := f.browse("GET", page); status != 200 || !strings.Contains(text, "€19.00") {
		t.Errorf("the page: %d %s", status, text)
	}
	buyer := []string{"name", "Société <b>Un</b>", "city", "Paris", "card"}
	if status, _, text := f.browse("POST", page, append(buyer, "declined")...); status != 402 || !strings.Contains(text, "Your card was declined") || strings.Contains(text, "<b>Un") {
		t.Errorf("with a declined card: %d %s", status, text)
	}
	if status, _, text := f.browse("POST", page, "vat", "??"); status != 400 || !strings.Contains(text, "eu_vat") {
		t.Errorf("with a VAT number that is none: %d %s", status, text)
	}
	f.is(f.must("GET", "/v1/checkout/sessions/"+id), map[string]any{"status": "open", "subscription": nil})
	status, back, _ := f.browse("POST", page, append(buyer, "ok")...)
	if status != 303 || back != "http://127.0.0.1:9/done?session="+id {
		t.Errorf("paid: %d to %q", status, back)
	}
	o := f.must("GET", "/v1/checkout/sessions/"+id, "expand[]", "subscription.latest_invoice")
	f.is(o, map[string]any{"status": "complete", "payment_status": "paid", "subscription.status": "active", "url": nil,
		"subscription.latest_invoice.total": 2280, "subscription.metadata.arpent_account": "7"})
	f.is(f.must("GET", "/v1/customers/"+customer), map[string]any{"address.city": "Paris", "name": "Société <b>Un</b>"})
	if status, _, _ := f.browse("POST", page, append(buyer, "ok")...); status != 400 {
		t.Errorf("paying twice: %d", status)
	}
	if n := len(f.must("GET", "/v1/subscriptions", "customer", customer)["data"].([]any)); n != 1 {
		t.Errorf("%d subscriptions, want one", n)
	}
	want := "checkout.session.completed"
	if got := f.types("checkout"); len(got) != 1 || got[0] != want {
		t.Errorf("events %v, want %s", got, want)
	}
}

// Somebody whose payment failed takes another card in the customer portal, which pays what is owed; the front
// page moves the clock, and an invoice has a page.
func TestPortalInvoiceAndFrontPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer, id := f.subscribed(stripesim.CardFailsNext)
	page := f.must("POST", "/v1/billing_portal/sessions", "customer", customer, "return_url", "http://127.0.0.1:9/plan")["url"].(string)
	if status, back, _ := f.browse("POST", f.URL()+"/", "to", "period"); status != 303 || back != "/" {
		t.Errorf("moving the clock: %d to %q", status, back)
	}
	f.is(f.subscription(id), map[string]any{"status": "past_due"})
	for _, try := range []struct {
		card   string
		answer int
	}{{"declined", 402}, {"ok", 303}} {
		if status, _, text := f.browse("POST", page, "card", try.card); status != try.answer {
			t.Errorf("%s: %d, want %d: %s", try.card, status, try.answer, text)
		}
	}
	f.is(f.subscription(id), map[string]any{"status": "active"})
	if status, _, text := f.browse("GET", page); status != 200 || !strings.Contains(text, "Arpent Standard") || !strings.Contains(text, `href="http://127.0.0.1:9/plan"`) {
		t.Errorf("the portal: %d %s", status, text)
	}
	i := fieldAt(f.must("GET", "/v1/invoices", "customer", customer), "data.0")
	for _, field := range []string{"hosted_invoice_url", "invoice_pdf"} {
		if status, _, text := f.browse("GET", fieldAt(i, field).(string)); status != 200 || !strings.Contains(text, "€22.80") {
			t.Errorf("%s: %d %s", field, status, text)
		}
	}
	if status, _, text := f.browse("GET", f.URL()+"/"); status != 200 || !strings.Contains(text, customer) {
		t.Errorf("the front page: %d %s", status, text)
	}
	if status, _, _ := f.browse("POST", f.URL()+"/portal/bps_unknown", "card", "ok"); status != 404 {
		t.Errorf("a portal that does not exist: %d", status)
	}
}
