package stripesim_test

import (
	"strconv"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

func unixSeconds(t time.Time) int { return int(t.Unix()) }

// A payment that fails makes the subscription past due at once, is tried again on days
// 3, 8 and 15, and ends as the dashboard says.
func TestFailedRenewal(t *testing.T) {
	t.Parallel()
	for after, want := range map[stripesim.AfterRetries]string{stripesim.Cancel: "canceled", stripesim.MarkUnpaid: "unpaid", stripesim.LeavePastDue: "past_due"} {
		t.Run(string(after), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, stripesim.Options{AfterRetries: after, NoMock: true})
			_, id := f.subscribed(stripesim.CardFailsNext)
			f.Advance(28*day + time.Hour)
			f.is(f.subscription(id), map[string]any{"status": "past_due", "latest_invoice.status": "open", "latest_invoice.attempt_count": 1,
				"latest_invoice.charge.status": "failed"})
			for n, pause := range []time.Duration{3 * day, 5 * day} {
				f.Advance(pause)
				f.is(f.subscription(id), map[string]any{"status": "past_due", "latest_invoice.attempt_count": n + 2})
			}
			f.Advance(7*day - time.Second)
			f.is(f.subscription(id), map[string]any{"status": "past_due", "latest_invoice.attempt_count": 3})
			f.Advance(time.Second)
			f.is(f.subscription(id), map[string]any{"status": want, "latest_invoice.attempt_count": 4})
		})
	}
}

// An upgrade costs what its preview said, and is nothing when the card is declined.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer, id := f.subscribed(stripesim.CardOK)
	f.Advance(14 * day) // half of the 28 days
	item := fieldAt(f.subscription(id), "items.data.0.id").(string)
	when := strconv.Itoa(unixSeconds(noon.Add(14 * day)))
	preview := f.must("GET", "/v1/invoices/upcoming", "subscription", id, "subscription_items[0][id]", item,
		"subscription_items[0][price]", stripesim.ProPrice, "subscription_proration_behavior", "always_invoice", "subscription_proration_date", when)
	f.is(preview, map[string]any{"subtotal": 3950 - 950, "total": 3600, "id": nil})
	testkit.NoError(t, f.SetCard(customer, stripesim.CardDeclined))
	upgrade := []string{"items[0][id]", item, "items[0][price]", stripesim.ProPrice, "proration_behavior", "always_invoice", "proration_date", when, "payment_behavior"}
	if err := f.Change(id, stripesim.ProPrice); err == nil {
		t.Error("a change in the customer portal with a card that is declined")
	}
	f.is(f.subscription(id), map[string]any{"items.data.0.price.id": stripesim.StandardPrice, "latest_invoice.billing_reason": "subscription_create"})
	f.must("POST", "/v1/subscriptions/"+id, append(upgrade, "pending_if_incomplete")...)
	pending := f.subscription(id)
	f.is(pending, map[string]any{"items.data.0.price.id": stripesim.StandardPrice, "status": "active", "latest_invoice.status": "open",
		"pending_update.subscription_items.0.price.id": stripesim.ProPrice})
	f.must("POST", "/v1/invoices/"+fieldAt(pending, "latest_invoice.id").(string)+"/void")
	f.is(f.subscription(id), map[string]any{"pending_update": nil, "items.data.0.price.id": stripesim.StandardPrice})
	testkit.NoError(t, f.SetCard(customer, stripesim.CardOK))
	f.must("POST", "/v1/subscriptions/"+id, append(upgrade, "pending_if_incomplete")...)
	f.is(f.subscription(id), map[string]any{"items.data.0.price.id": stripesim.ProPrice, "latest_invoice.total": 3600, "latest_invoice.status": "paid",
		"pending_update": nil})
}

// A bank that wants the customer to confirm holds an upgrade back until that is done on the invoice's page.
func TestUpgradeThatTheBankAsksAbout(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer, id := f.subscribed(stripesim.CardOK)
	testkit.NoError(t, f.SetCard(customer, stripesim.CardAsks))
	item := fieldAt(f.subscription(id), "items.data.0.id").(string)
	o := f.must("POST", "/v1/subscriptions/"+id, "items[0][id]", item, "items[0][price]", stripesim.ProPrice, "proration_behavior", "always_invoice",
		"payment_behavior", "pending_if_incomplete", "expand[]", "latest_invoice.payment_intent")
	f.is(o, map[string]any{"latest_invoice.payment_intent.status": "requires_action", "items.data.0.price.id": stripesim.StandardPrice})
	if status, _, text := f.browse("POST", fieldAt(o, "latest_invoice.hosted_invoice_url").(string)); status != 303 {
		t.Fatalf("the confirmation: %d %s", status, text)
	}
	f.is(f.subscription(id), map[string]any{"items.data.0.price.id": stripesim.ProPrice, "pending_update": nil, "status": "active"})
}

// What was never paid for ends after 23 hours.
func TestIncompleteExpires(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	_, id := f.subscribed(stripesim.CardDeclined)
	f.is(f.subscription(id), map[string]any{"status": "incomplete"})
	f.Advance(23*time.Hour - time.Second)
	f.is(f.subscription(id), map[string]any{"status": "incomplete"})
	f.Advance(time.Second)
	f.is(f.subscription(id), map[string]any{"status": "incomplete_expired", "latest_invoice.status": "void"})
}

// Money that went back is seen on the charge that a reading of the subscription shows.
func TestRefundAndDispute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer, id := f.subscribed(stripesim.CardOK)
	testkit.NoError(t, f.Dispute(customer))
	o := f.subscription(id)
	f.is(o, map[string]any{"latest_invoice.charge.disputed": true, "latest_invoice.charge.refunded": false})
	charge := fieldAt(o, "latest_invoice.charge.id").(string)
	f.is(f.must("GET", "/v1/disputes", "charge", charge), map[string]any{"data.0.status": "needs_response"})
	if status, o := f.ask("POST", "/v1/refunds", "charge", charge); status != 400 || fieldAt(o, "error.code") != "charge_disputed" {
		t.Errorf("giving back what the bank claims: %d %v", status, o)
	}
	f.Advance(28*day + time.Hour)
	charge = fieldAt(f.subscription(id), "latest_invoice.charge.id").(string)
	f.must("POST", "/v1/refunds", "charge", charge, "reason", "duplicate")
	f.is(f.subscription(id), map[string]any{"latest_invoice.charge.refunded": true})
	if status, o := f.ask("POST", "/v1/refunds", "charge", charge); status != 400 || fieldAt(o, "error.code") != "charge_already_refunded" {
		t.Errorf("giving it back twice: %d %v", status, o)
	}
}
