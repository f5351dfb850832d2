package stripesim_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

func unixSeconds(t time.Time) int { return int(t.Unix()) }

// A paid month follows the other, on the anchor's day or the month's last.
func TestRenewal(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	_, id := f.subscribed(stripesim.CardOK)
	february, march := time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	f.is(f.subscription(id), map[string]any{"status": "active", "current_period_end": unixSeconds(february), "latest_invoice.total": 2280,
		"latest_invoice.tax": 380, "latest_invoice.charge.paid": true, "items.data.0.price.id": stripesim.StandardPrice})
	f.Advance(february.Sub(noon))
	f.is(f.subscription(id), map[string]any{"status": "active", "current_period_start": unixSeconds(february), "current_period_end": unixSeconds(march),
		"latest_invoice.status": "draft"})
	f.Advance(time.Hour)
	f.is(f.subscription(id), map[string]any{"latest_invoice.status": "paid", "latest_invoice.billing_reason": "subscription_cycle"})
	f.Advance(365 * day)
	if n := len(f.must("GET", "/v1/invoices", "subscription", id, "limit", "100")["data"].([]any)); n != 14 {
		t.Errorf("%d invoices after 13 months, want 14", n)
	}
}

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

// A customer who changes the card gets out of it.
func TestRecovery(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer, id := f.subscribed(stripesim.CardFailsNext)
	f.Advance(29 * day)
	testkit.NoError(t, f.SetCard(customer, stripesim.CardOK))
	f.is(f.subscription(id), map[string]any{"status": "past_due"})
	if ok, err := f.PayOpen(customer); !ok || err != nil {
		t.Fatal(ok, err)
	}
	f.is(f.subscription(id), map[string]any{"status": "active", "latest_invoice.status": "paid"})
	if got := f.types("customer.subscription."); len(got) < 5 || slices.Contains(got, "customer.subscription.deleted") {
		t.Errorf("events %v", got)
	}
}

// What is cancelled lives until the period that was paid for ends, and not longer.
func TestCancelAtPeriodEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	_, id := f.subscribed(stripesim.CardOK)
	f.must("POST", "/v1/subscriptions/"+id, "cancel_at_period_end", "true")
	f.is(f.subscription(id), map[string]any{"status": "active", "cancel_at_period_end": true})
	if status, o := f.ask("GET", "/v1/invoices/upcoming", "subscription", id); status != 404 || fieldAt(o, "error.code") != "invoice_upcoming_none" {
		t.Errorf("the next invoice of a cancelled subscription: %d %v", status, o)
	}
	f.must("POST", "/v1/subscriptions/"+id, "cancel_at_period_end", "false")
	f.is(f.subscription(id), map[string]any{"cancel_at_period_end": false, "canceled_at": nil})
	f.must("POST", "/v1/subscriptions/"+id, "cancel_at_period_end", "true")
	f.Advance(28*day - time.Second)
	f.is(f.subscription(id), map[string]any{"status": "active"})
	f.Advance(time.Second)
	f.is(f.subscription(id), map[string]any{"status": "canceled"})
	if status, _ := f.ask("DELETE", "/v1/subscriptions/"+id); status != 404 {
		t.Errorf("cancelling it once more: %d, want 404", status)
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

// A downgrade by a schedule happens at the period's end, costs the
// new price from then on and goes on by itself.
func TestScheduledDowngrade(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	customer := f.customer()
	id, err := f.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK)
	testkit.NoError(t, err)
	end := noon.Add(28 * day)
	method := f.subscription(id)["default_payment_method"].(string)
	schedule := f.must("POST", "/v1/subscription_schedules", "from_subscription", id)["id"].(string)
	f.must("POST", "/v1/subscription_schedules/"+schedule, "end_behavior", "release",
		"phases[0][items][0][price]", stripesim.ProPrice, "phases[0][start_date]", strconv.Itoa(unixSeconds(noon)), "phases[0][end_date]", strconv.Itoa(unixSeconds(end)),
		"phases[1][items][0][price]", stripesim.StandardPrice, "phases[1][iterations]", "1",
		"phases[0][default_payment_method]", method, "phases[1][default_payment_method]", method)
	if status, _ := f.ask("POST", "/v1/subscriptions/"+id, "cancel_at_period_end", "true"); status != 400 {
		t.Errorf("cancelling during a schedule: %d, want 400 as at Stripe", status)
	}
	f.is(f.must("GET", "/v1/invoices/upcoming", "customer", customer), map[string]any{"subtotal": 1900})
	f.is(f.must("GET", "/v1/subscriptions/"+id, "expand[]", "schedule"), map[string]any{"items.data.0.price.id": stripesim.ProPrice,
		"schedule.phases.1.items.0.price": stripesim.StandardPrice, "schedule.phases.1.start_date": unixSeconds(end)})
	f.Advance(28*day + time.Hour)
	f.is(f.subscription(id), map[string]any{"items.data.0.price.id": stripesim.StandardPrice, "latest_invoice.subtotal": 1900, "schedule": schedule})
	f.Advance(31 * day)
	f.is(f.subscription(id), map[string]any{"items.data.0.price.id": stripesim.StandardPrice, "schedule": nil, "status": "active"})
}

// A phase takes away what it leaves out: here the card, so that the next month cannot be paid.
func TestPhaseTakesAwayTheCard(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	_, id := f.subscribed(stripesim.CardOK)
	schedule := f.must("POST", "/v1/subscription_schedules", "from_subscription", id)["id"].(string)
	f.must("POST", "/v1/subscription_schedules/"+schedule, "end_behavior", "release", "phases[0][items][0][price]", stripesim.StandardPrice,
		"phases[0][start_date]", strconv.Itoa(unixSeconds(noon)), "phases[0][end_date]", strconv.Itoa(unixSeconds(noon.Add(28*day))))
	f.Advance(28*day + 2*time.Hour)
	f.is(f.subscription(id), map[string]any{"status": "past_due", "default_payment_method": nil})
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
