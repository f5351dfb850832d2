package stripegate_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/ident"
)

// A page of payment takes cards and wallets: with a debit the plan would be in force for
// days before it is known whether it is paid.
func TestPageTakesCardsAlone(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, _ := w.account("debit@exemple.fr")
	page := testkit.Must(w.store.Subscribe(t.Context(), account, monthly(billing.Pro), "fr"))(t)
	if _, err := w.Pay(lastPart(t, page), stripesim.Buyer{Card: stripesim.Debit}); err == nil {
		t.Error("the page takes a SEPA debit")
	}
	testkit.Must(w.Pay(lastPart(t, page), stripesim.Buyer{}))(t)
}

// An upgrade of a subscription that is paid by debit asks for another payment method, and charges nothing: it
// would be answered with "nothing has changed", and be debited days later.
func TestUpgradeByDebitIsRefused(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("debit@exemple.fr")
	sub := testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.Debit))(t)
	w.must(w.ClearDebit(customer, true))
	w.deliver(0)
	before := w.Kept(customer)
	testkit.WantError(t, testkit.ErrorOf(w.store.ChangePlan(t.Context(), w.row(account), monthly(billing.Pro), w.Now())), billing.ErrDelayed, "by debit")
	w.must(w.ClearDebit(customer, true))
	if w.Kept(customer) != before {
		t.Errorf("charged %d cents", w.Kept(customer)-before)
	}
	w.must(w.SetCard(customer, stripesim.CardOK))
	if _, err := w.store.ChangePlan(t.Context(), w.row(account), monthly(billing.Pro), w.Now()); err != nil {
		t.Errorf("by card: %v", err)
	}
	if s, err := w.read(customer); err != nil || s.Plan != billing.Pro {
		t.Errorf("%+v, %v, of %s", s, err, sub)
	}
}

// A debit that fails nine days after the invoice leaves seven days of
// grace, counted from when the failure is known.
func TestGraceCountsFromTheFailure(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("late@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.Debit))(t)
	w.must(w.ClearDebit(customer, true))
	seen := w.deliver(0)
	w.Advance(31*day + 2*time.Hour)
	seen = w.deliver(seen)
	w.Advance(9 * day)
	w.must(w.ClearDebit(customer, false))
	w.execute(`UPDATE account.subscription SET read_at = read_at - interval '1 hour'`)
	seen = w.deliver(seen)
	r := w.row(account)
	if r.Status != billing.PastDue || r.PastDueSince == nil || r.PastDueSince.Before(r.ReadAt.Add(-time.Minute)) {
		t.Errorf("%s, read at %s", formatRow(r), r.ReadAt)
	}
	since := *r.PastDueSince
	w.Advance(3 * day)
	w.deliver(seen)
	if r := w.row(account); r.PastDueSince == nil || !r.PastDueSince.Equal(since) {
		t.Errorf("the grace begins anew: %s", formatRow(r))
	}
}

// A card that is declined after the invoice was issued: the grace counts from the charge.
func TestGraceOfACard(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("card@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardFailsNext))(t)
	seen := w.deliver(0)
	w.Advance(32 * day)
	w.deliver(seen)
	r := w.row(account)
	if end, ok := r.GraceEnd(); !ok || r.Plan != billing.Standard || end.Sub(r.PeriodEnd.AddDate(0, -1, 0)) > billing.Grace+2*time.Hour {
		t.Errorf("%s, grace until %s", formatRow(r), end)
	}
}

// Stripe repeats a stored error for the same key for a day. The person who presses the button
// again gets the page, once the fault is over.
func TestStoredErrorIsNotRepeated(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account := func() (id ident.AccountID) {
		w.must(w.pool.QueryRow(t.Context(), `INSERT INTO account.account (email, email_confirmed_at, language, created_at, updated_at)
			VALUES ('retry@exemple.fr', now(), 'fr', now(), now()) RETURNING id`).Scan(&id))
		return id
	}()
	w.Fail(stripesim.Error500, 1) // of the customer
	if _, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr"); !errors.Is(err, billing.ErrUnavailable) {
		t.Fatalf("%v", err)
	}
	_, err := w.store.EnsureCustomer(t.Context(), w.row(account), "fr")
	if err != nil {
		t.Fatalf("a customer after an error: %v", err)
	}
	w.FailAfter(2, stripesim.Error500) // the reading of the customer comes before, with two requests
	if _, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr"); err == nil {
		t.Fatal("no error")
	}
	w.FailAfter(3, stripesim.Error500) // the list of pages is answered, the page itself is not
	if _, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr"); err == nil {
		t.Fatal("no error")
	}
	w.Fail(stripesim.Works, 0)
	page, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr")
	if err != nil {
		t.Fatalf("a page after an error: %v", err)
	}
	testkit.Must(w.Pay(lastPart(t, page), stripesim.Buyer{}))(t)
	w.deliver(0)
	row := w.row(account)
	at := w.Now()
	w.FailAfter(1, stripesim.Error500) // the subscription is read, its change fails
	if _, err := w.store.ChangePlan(t.Context(), row, monthly(billing.Pro), at); !errors.Is(err, billing.ErrUnavailable) {
		t.Fatalf("an upgrade: %v", err)
	}
	w.Fail(stripesim.Works, 0)
	after, err := w.store.ChangePlan(t.Context(), row, monthly(billing.Pro), at)
	if err != nil || after.Plan != billing.Pro {
		t.Fatalf("an upgrade after an error: %s, %v", formatRow(after), err)
	}
	kept := w.Kept(row.CustomerID)
	if _, err := w.store.ChangePlan(t.Context(), row, monthly(billing.Pro), at); err != nil || w.Kept(row.CustomerID) != kept {
		t.Errorf("the form again: %v, %d cents more", err, w.Kept(row.CustomerID)-kept)
	}
}

// A dispute suspends the plan whichever payment it is about, also once another is paid. One that is lost
// counts until a later payment stands; one that is won counts no more.
func TestDisputeOfAnyCharge(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"won", "lost"} {
		t.Run(end, func(t *testing.T) {
			w := newWorld(t, stripesim.Options{})
			account, customer := w.account("dispute@exemple.fr")
			testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
			w.Advance(32 * day)
			seen := w.deliver(0)
			w.must(w.DisputeFirst(customer)) // of the month before
			seen = w.deliver(seen)
			if r := w.row(account); !r.Disputed || r.Plan != billing.Free {
				t.Fatalf("disputed: %s", formatRow(r))
			}
			w.must(w.CloseDisputes(customer, end))
			seen = w.deliver(seen)
			if r := w.row(account); r.Disputed != (end == "lost") {
				t.Errorf("%s: %s", end, formatRow(r))
			}
			w.Advance(31 * day)
			w.deliver(seen)
			if r := w.row(account); r.Disputed || r.Plan != billing.Pro {
				t.Errorf("%s, after another payment: %s", end, formatRow(r))
			}
		})
	}
}

// A downgrade, and a cancellation in its place, keep the card, the coupon, the tax and the metadata of the
// subscription: Stripe takes away what a phase leaves out.
func TestDowngradeKeepsCardAndCoupon(t *testing.T) {
	t.Parallel()
	for _, cancelled := range []bool{false, true} {
		w := openWorld(t, stripesim.Options{})
		account, customer := w.account("coupon@exemple.fr")
		sub := testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
		w.must(w.ApplyCoupon(sub, 50))
		seen := w.deliver(0)
		w.must(w.gate.Downgrade(t.Context(), sub, monthly(billing.Standard)))
		if cancelled { // and resumed
			w.must(w.gate.CancelAtPeriodEnd(t.Context(), sub, true))
			w.must(w.gate.CancelAtPeriodEnd(t.Context(), sub, false))
		}
		w.Advance(32 * day)
		w.deliver(seen)
		plan, cents := billing.Standard, int64(950*120/100)
		if cancelled {
			plan, cents = billing.Pro, 3950*120/100
		}
		if r := w.row(account); r.Plan != plan || r.Status != billing.Active {
			t.Errorf("cancelled %t: %s", cancelled, formatRow(r))
		}
		bills, err := w.gate.Invoices(t.Context(), customer, 1)
		if err != nil || len(bills) != 1 || bills[0].Status != "paid" || bills[0].TotalCents != cents {
			t.Errorf("cancelled %t: bills %+v, %v; want %d cents", cancelled, bills, err, cents)
		}
	}
}

// An address that Stripe Tax cannot place leaves the invoice uncollected. The customer is asked for it by one
// mail, the operator is notified, and the invoice is collected once the address is given.
func TestAddressIsAskedFor(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("moved@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
	w.must(w.SetAddress(customer, false))
	seen := w.deliver(0)
	w.Advance(32 * day)
	seen = w.deliver(seen)
	if r := w.row(account); !r.AddressNeeded || r.Plan != billing.Standard || w.found() != string(billing.TaxFailed) {
		t.Fatalf("%s, address needed %t, found %q", formatRow(r), r.AddressNeeded, w.found())
	}
	w.must(w.SetAddress(customer, false)) // another one, as unknown
	seen = w.deliver(seen)
	w.must(w.SetAddress(customer, true))
	seen = w.deliver(seen)
	w.deliver(seen)
	if r := w.row(account); r.AddressNeeded || w.found() != "" {
		t.Errorf("given: %s, address needed %t, found %q", formatRow(r), r.AddressNeeded, w.found())
	}
	bills, err := w.gate.Invoices(t.Context(), customer, 5)
	if err != nil || len(bills) != 2 || bills[0].Status != "paid" {
		t.Errorf("bills %+v, %v", bills, err)
	}
	testkit.Want(t, w.mails(account), "plan_started address_needed", "mails")
}

// The form of bills shows and changes VAT numbers alone: an American EIN
// of the customer is no VAT number, and stays.
func TestOtherTaxIDsStay(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	_, customer := w.account("ein@exemple.fr")
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "ein@exemple.fr", VAT: "FR83404833048"}, "fr"))
	w.must(w.AddTaxID(customer, "us_ein", "12-3456789"))
	b, err := w.gate.Billing(t.Context(), customer)
	if err != nil || b.VAT != "FR83404833048" {
		t.Errorf("shown: %+v, %v", b, err)
	}
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "ein@exemple.fr", VAT: "FR40303265045"}, "fr"))
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "ein@exemple.fr", VAT: b.VAT}, "fr"))
	if got := w.TaxIDs(customer); !slices.Equal(got, []string{"eu_vat FR83404833048", "us_ein 12-3456789"}) {
		t.Errorf("tax ids %v", got)
	}
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "ein@exemple.fr", VAT: ""}, "fr"))
	if got := w.TaxIDs(customer); !slices.Equal(got, []string{"us_ein 12-3456789"}) {
		t.Errorf("tax ids without VAT %v", got)
	}
}

// A VAT number that the register of its country does not know is
// shown as that, and reported until it is mended.
func TestUnverifiedVATIsReported(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	_, customer := w.account("vat@exemple.fr")
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "vat@exemple.fr", VAT: "FR40303265045"}, "fr"))
	seen := len(w.Events())
	for status, want := range map[string]string{"unverified": string(billing.VATUnverified), "verified": ""} {
		w.must(w.VerifyTaxIDs(customer, status))
		seen = w.deliver(seen)
		if b, err := w.gate.Billing(t.Context(), customer); err != nil || b.VATStatus != status || w.found() != want {
			t.Errorf("%s: %+v, %v, found %q", status, b, err, w.found())
		}
	}
}

// A key that was revoked, or a price that was archived, stops the selling, and
// nothing else; mended, plans are sold again.
func TestSellingStopsAlone(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, _ := w.account("sell@exemple.fr")
	pro := stripesim.Price{ID: stripesim.ProPrice, Name: "Arpent Pro", Cents: 7900, Currency: "eur", Interval: "month", TaxBehavior: "exclusive"}
	for name, fault := range map[string]func(on bool){"key": w.RevokeKey, "price": func(on bool) { p := pro; p.Active = !on; w.SetPrice(p) }} {
		fault(true)
		w.must(w.store.CheckSelling(t.Context()))
		testkit.Want(t, w.found(), string(billing.SellingOff), name, ": found")
		if _, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr"); !errors.Is(err, billing.ErrNotSelling) {
			t.Errorf("%s: bought: %v", name, err)
		}
		w.Fail(stripesim.Down, 0)
		if err := w.store.CheckSelling(t.Context()); !errors.Is(err, billing.ErrUnavailable) || w.found() == "" {
			t.Errorf("%s: while Stripe is away: %v, found %q", name, err, w.found())
		}
		w.Fail(stripesim.Works, 0)
		fault(false)
		w.must(w.store.CheckSelling(t.Context()))
		if _, err := w.store.Subscribe(t.Context(), account, monthly(billing.Standard), "fr"); err != nil || w.found() != "" {
			t.Errorf("%s: mended: %v, found %q", name, err, w.found())
		}
	}
}

// Bills follow the address of the account, unless they go to another one.
func TestBillsFollowTheAddress(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	_, customer := w.account("old@exemple.fr")
	w.must(w.gate.MoveEmail(t.Context(), customer, "old@exemple.fr", "new@exemple.fr"))
	if got := w.Email(customer); got != "new@exemple.fr" {
		t.Errorf("bills go to %s", got)
	}
	w.must(w.gate.SetBilling(t.Context(), customer, billing.Billing{Email: "accounts@exemple.fr", VAT: ""}, "fr"))
	w.must(w.gate.MoveEmail(t.Context(), customer, "new@exemple.fr", "third@exemple.fr"))
	if got := w.Email(customer); got != "accounts@exemple.fr" {
		t.Errorf("bills that went elsewhere go to %s", got)
	}
}
