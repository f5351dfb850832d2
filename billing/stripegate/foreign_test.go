package stripegate_test

import (
	"strings"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/ident"
)

// found are the kinds of the findings for the operator, in their order.
func (w *world) found() string {
	w.t.Helper()
	all := testkit.Must(w.store.Findings(w.t.Context()))(w.t)
	var kinds []string
	for _, f := range all {
		kinds = append(kinds, string(f.Kind))
	}
	return strings.Join(kinds, " ")
}

// withAccountNumber inserts an account with a number that another database gave as well.
func (w *world) withAccountNumber(id ident.AccountID, email string) {
	w.t.Helper()
	w.execute(`INSERT INTO account.account (id, email, email_confirmed_at, language, created_at, updated_at) OVERRIDING SYSTEM VALUE
		VALUES ($1, $2, now(), 'fr', now(), now())`, id, email)
}

// Two databases on one Stripe account, or one that was restored to an earlier state, give the same
// number to two people. Each gets a customer of its own: by the number alone the second would get the
// customer, the card and the plan of the first.
func TestSameNumberIsNotSameCustomer(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	const number = 4711
	w.withAccountNumber(number, "first@exemple.fr")
	first := testkit.Must(w.store.EnsureCustomer(t.Context(), w.row(number), "fr"))(t)
	testkit.Must(w.Subscribe(first, stripesim.ProPrice, stripesim.CardOK))(t)
	w.execute(`DELETE FROM account.account WHERE id = $1`, number) // the state before the first came
	w.withAccountNumber(number, "second@exemple.fr")
	second := testkit.Must(w.store.EnsureCustomer(t.Context(), w.row(number), "fr"))(t)
	if second == first {
		t.Fatalf("the second person is customer %s of the first", first)
	}
	if _, err := w.store.Refresh(t.Context(), number); err != nil || w.row(number).Plan != billing.Free {
		t.Errorf("%s, %v", formatRow(w.row(number)), err)
	}
	// The night reports the subscription that is paid for and known to no account any more.
	testkit.Must(w.store.Reconcile(t.Context(), 0, w.Now().Add(time.Hour), false))(t)
	testkit.Want(t, w.found(), string(billing.UnknownSubscription), "found")
	if kept := w.Kept(first); kept == 0 {
		t.Error("money was given back for a subscription that is not known")
	}
}

// A contract that the operator made for a customer in the dashboard is neither counted, nor ended, nor given
// back. It is reported once, and not any more once it has ended.
func TestContractOfTheDashboardStays(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	w.SetPrice(stripesim.Price{ID: "price_support", Name: "Support", Cents: 50000, Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
	for _, price := range []string{"price_support", stripesim.ProPrice} { // at a price of ours as well
		account, customer := w.account("support-" + price + "@exemple.fr")
		seen := len(w.Events())
		contract := testkit.Must(w.SubscribeByHand(customer, price, stripesim.CardOK))(t)
		seen = w.deliver(seen)
		if r := w.row(account); r.Plan != billing.Free || r.SubscriptionID != "" {
			t.Errorf("%s: counted: %s", price, formatRow(r))
		}
		testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
		seen = w.deliver(seen)
		testkit.Must(w.store.Reconcile(t.Context(), 0, w.Now().Add(time.Hour), false))(t)
		if r := w.row(account); r.Plan != billing.Standard {
			t.Errorf("%s: %s", price, formatRow(r))
		}
		if kept := w.Kept(customer); kept < 5000 {
			t.Errorf("%s: the contract was given back: %d cents are left", price, kept)
		}
		testkit.Want(t, w.found(), string(billing.ForeignSubscription), price, ": found")
		w.must(w.CancelNow(contract))
		w.deliver(seen)
		testkit.Want(t, w.found(), "", price, ": found after its end")
	}
}

// The deletion of an account ends what was bought here, takes the card from the customer, and leaves
// a contract of the dashboard with its card.
func TestDeletionTakesTheCard(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	for _, contract := range []bool{false, true} {
		account, customer := w.account("leaves@exemple.fr")
		reference := w.row(account).Reference
		testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
		if contract {
			testkit.Must(w.SubscribeByHand(customer, stripesim.ProPrice, stripesim.CardOK))(t)
		}
		w.execute(`DELETE FROM account.account WHERE id = $1`, account)
		testkit.Must(w.gate.CloseCustomer(t.Context(), billing.ClosedCustomer{ID: customer, Reference: reference, DeletedAt: w.Now()}))(t)
		if left := w.Cards(customer) > 0; left != contract {
			t.Errorf("with a contract %t: %d cards are left", contract, w.Cards(customer))
		}
	}
}

// A price that was replaced in the dashboard leaves the payer the plan, is reported, and all events are
// taken. Once it is in the list of the settings it is the plan's.
func TestUnknownPriceKeepsThePlan(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("price@exemple.fr")
	sub := testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	seen := w.deliver(0)
	w.SetPrice(stripesim.Price{ID: "price_pro_2027", Name: "Arpent Pro", Cents: 8900, Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
	w.must(w.Change(sub, "price_pro_2027"))
	w.Advance(40 * day)
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro || r.Status != billing.Active {
		t.Errorf("%s", formatRow(r))
	}
	testkit.Want(t, w.found(), string(billing.UnknownPrice), "found")
	testkit.WantError(t, w.gate.Downgrade(t.Context(), sub, monthly(billing.Standard)), billing.ErrUnknownPrice, "a downgrade")
	w.gate = stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, WebhookSecret: stripesim.DefaultWebhookSecret, Backend: w.URL(), Clock: w.Simulator,
		Prices: map[string][]string{billing.Standard: {stripesim.StandardPrice}, billing.Pro: {stripesim.ProPrice, "price_pro_2027"}}})
	w.store = billing.New(billing.Options{DB: w.pool, Clock: w.Simulator, Gateway: w.gate})
	w.must(w.CancelAtPeriodEnd(sub, true))
	w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro || w.found() != "" {
		t.Errorf("in the list: %s, found %q", formatRow(r), w.found())
	}
}

// A customer who was deleted in the dashboard subscribes anew, as a new customer.
func TestDeletedCustomerSubscribesAnew(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	for _, event := range []bool{true, false} {
		account, customer := w.account("deleted@exemple.fr")
		testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
		seen := w.deliver(0)
		w.must(w.DeleteCustomer(customer))
		if event {
			w.deliver(seen)
			if r := w.row(account); r.Plan != billing.Free || r.CustomerID != "" {
				t.Errorf("deleted: %s", formatRow(r))
			}
		}
		page, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr")
		if err != nil {
			t.Fatalf("event %t: %v", event, err)
		}
		seen = len(w.Events())
		testkit.Must(w.Pay(lastPart(t, page), stripesim.Buyer{}))(t)
		w.deliver(seen)
		if r := w.row(account); r.Plan != billing.Standard || r.CustomerID == customer {
			t.Errorf("event %t: anew: %s", event, formatRow(r))
		}
		w.execute(`DELETE FROM account.account WHERE id = $1`, account)
	}
}

// An account whose customer the key does not know keeps its plan, and the operator is
// notified: the key may be another account's.
func TestUnknownCustomerIsReported(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("other@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	w.deliver(0)
	w.execute(`UPDATE account.subscription SET customer_id = 'cus_elsewhere' WHERE account_id = $1`, account)
	testkit.Must(w.store.Reconcile(t.Context(), 0, w.Now().Add(time.Hour), false))(t)
	if r := w.row(account); r.Plan != billing.Pro {
		t.Errorf("%s", formatRow(r))
	}
	testkit.Want(t, w.found(), "unknown_customer unknown_subscription", "found")
}
