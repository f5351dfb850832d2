package stripegate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/ident"
)

const month = 2280 // cents of a month of Standard, with tax

// checkout opens the page on which an account pays, and gives its id.
func (w *world) checkout(account ident.AccountID, customer, plan string) string {
	w.t.Helper()
	page := testkit.Must(w.gate.Checkout(w.t.Context(), billing.CheckoutRequest{Account: account, Customer: billing.Customer{ID: customer, Reference: w.reference(customer)}, Offer: monthly(plan), Language: "fr", Attempt: "1"}))(w.t)
	return page[strings.LastIndex(page, "/")+1:]
}

// secondCheckout opens another page while the first one is open, as two windows can at the same instant.
func (w *world) secondCheckout(customer string) string {
	w.t.Helper()
	form := url.Values{"mode": {"subscription"}, "customer": {customer}, "line_items[0][price]": {stripesim.ProPrice}, "line_items[0][quantity]": {"1"},
		"success_url": {"https://arpent.example/"}, "metadata[arpent_reference]": {w.reference(customer)},
		"subscription_data[metadata][arpent_reference]": {w.reference(customer)}}
	req := testkit.Must(http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.URL()+"/v1/checkout/sessions", strings.NewReader(form.Encode())))(w.t)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(stripesim.DefaultKey, "")
	res := testkit.Must(http.DefaultClient.Do(req))(w.t)
	defer res.Body.Close()
	var made struct{ ID string }
	w.must(json.NewDecoder(res.Body).Decode(&made))
	return made.ID
}

// remove deletes the account; closing does what is done about it right after.
func (w *world) remove(account ident.AccountID) {
	w.t.Helper()
	w.must(pgx.BeginFunc(w.t.Context(), w.pool, func(tx pgx.Tx) error {
		if _, err := w.store.BeforeDelete(w.t.Context(), tx, account); err != nil {
			return err
		}
		_, err := tx.Exec(w.t.Context(), `DELETE FROM account.account WHERE id = $1`, account)
		return err
	}))
}

func (w *world) closing() error { return w.store.ClosePending(w.t.Context()) }

// reconcile is the night's work.
func (w *world) reconcile() {
	w.t.Helper()
	r := testkit.Must(w.store.Reconcile(w.t.Context(), 0, w.Now().Add(time.Hour), false))(w.t)
	if len(r.Failed) > 0 {
		w.t.Errorf("%+v", r.Failed)
	}
}

// over checks that a customer has paid so much and can pay no more: whatever is
// still open is tried, and two months go by.
func (w *world) over(name, customer string, kept int64, sessions ...string) {
	w.t.Helper()
	for _, id := range sessions {
		_, _ = w.Pay(id, stripesim.Buyer{})
	}
	_, _ = w.PayOpen(customer)
	w.Advance(62 * day)
	if got := w.Kept(customer); got != kept {
		w.t.Errorf("%s: %d cents are kept, want %d", name, got, kept)
	}
	if s, err := w.read(customer); err != nil || s.Live() {
		w.t.Errorf("%s: %+v, %v", name, s, err)
	}
}

// A customer who opens the page of payment, deletes the account and pays, in any order, does not pay for a
// plan that no longer exists: whether Stripe's events come at once, after all else, or never, and whether
// Stripe answers when the account is deleted or not. Only a month whose plan was in force before the deletion
// is kept, as the page of the deletion says.
func TestPaymentAfterDeletion(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	for _, order := range []string{"open delete pay", "open pay delete", "delete open pay"} {
		for _, events := range []string{"early", "late", "lost"} {
			for _, down := range []bool{false, true} {
				name := fmt.Sprintf("%s, events %s, stripe down at the deletion: %t", order, events, down)
				account, customer := w.account(strings.NewReplacer(" ", "", ",", "", ":", "").Replace(name) + "@exemple.fr")
				seen, session := len(w.Events()), ""
				for _, step := range strings.Fields(order) {
					switch step {
					case "open":
						session = w.checkout(account, customer, billing.Standard)
					case "pay":
						_, err := w.Pay(session, stripesim.Buyer{})
						if refused := order == "open delete pay" && !down; refused != (err != nil) {
							t.Errorf("%s: the payment: %v", name, err)
						}
					case "delete":
						w.remove(account)
						if down {
							w.Fail(stripesim.Down, 0)
						}
						if err := w.closing(); down != (err != nil) {
							t.Errorf("%s: closing: %v", name, err)
						}
						w.Fail(stripesim.Works, 0)
					}
					if events == "early" {
						seen = w.deliver(seen)
					}
					w.Advance(6 * time.Minute)
				}
				if events == "late" {
					w.deliver(seen)
				}
				w.reconcile()
				kept := int64(0)
				if order == "open pay delete" && events == "early" {
					kept = month
				}
				w.over(name, customer, kept, session)
			}
		}
	}
	testkit.WantCount(t, w.pool, 0, "events name deleted accounts", `SELECT count(*) FROM account.stripe_event WHERE account_id IS NULL AND payload <> '{}'`)
}

// A payment that an event reports is given back by that event, not by the night's comparison.
func TestLatePaymentIsGivenBackByItsEvent(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, customer := w.account("jeanne@exemple.fr")
	session := w.checkout(account, customer, billing.Standard)
	w.remove(account)
	seen := len(w.Events())
	testkit.Must(w.Pay(session, stripesim.Buyer{}))(t)
	events := w.Events()[seen:]
	w.Fail(stripesim.Down, 0)
	for _, e := range events {
		if e.Type == "checkout.session.completed" {
			if _, err := w.store.Receive(t.Context(), e.Body, w.sign(e.Body)); err == nil {
				t.Error("an event is taken while Stripe cannot be asked")
			}
			w.Fail(stripesim.Works, 0)
			testkit.Want(t, w.receive(e), billing.Applied, "the event")
			testkit.Want(t, w.receive(e), billing.Repeated, "again")
		}
	}
	w.over("event", customer, 0, session)
}

// Whatever is under way at a deletion ends with it: nothing more is
// charged, what is charged afterwards goes back.
func TestDeletionEndsWhatIsUnderWay(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	subscribe := func(customer string, card stripesim.Card) string {
		t.Helper()
		id := testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, card))(t)
		w.deliver(len(w.Events()) - 1)
		return id
	}
	var pages []string // that were open at the deletion
	for name, c := range map[string]struct {
		before func(account ident.AccountID, customer string) // with all events delivered
		after  func(customer string)                          // once the account is gone, before Stripe can be asked
		kept   int64
	}{
		"two pages": {before: func(account ident.AccountID, customer string) {
			pages = []string{w.checkout(account, customer, billing.Standard), w.secondCheckout(customer)}
		}, after: func(string) {}},
		"two pages, one paid": {before: func(account ident.AccountID, customer string) {
			pages = []string{w.checkout(account, customer, billing.Standard), w.secondCheckout(customer)}
		}, after: func(string) {
			testkit.Must(w.Pay(pages[1], stripesim.Buyer{}))(t)
		}},
		"past due": {before: func(_ ident.AccountID, customer string) {
			subscribe(customer, stripesim.CardFailsNext)
			w.Advance(33 * day)
		}, after: func(customer string) { w.must(w.SetCard(customer, stripesim.CardOK)) }, kept: month},
		"past due, and paid": {before: func(_ ident.AccountID, customer string) {
			subscribe(customer, stripesim.CardFailsNext)
			w.Advance(33 * day)
		}, after: func(customer string) {
			w.must(w.SetCard(customer, stripesim.CardOK))
			testkit.Must(w.PayOpen(customer))(t)
		}, kept: month},
		"renewed meanwhile": {before: func(_ ident.AccountID, customer string) { subscribe(customer, stripesim.CardOK) },
			after: func(string) { w.Advance(33 * day) }, kept: month},
		"upgraded from Stripe's portal": {before: func(_ ident.AccountID, customer string) { subscribe(customer, stripesim.CardOK) },
			after: func(customer string) {
				s := testkit.Must(w.read(customer))(t)
				w.must(w.Change(s.SubscriptionID, stripesim.ProPrice))
			}, kept: month},
		"an upgrade that the bank asks about": {before: func(_ ident.AccountID, customer string) {
			id := subscribe(customer, stripesim.CardOK)
			w.must(w.SetCard(customer, stripesim.CardAsks))
			if err := w.gate.Upgrade(t.Context(), id, monthly(billing.Pro), w.Now(), "1"); err == nil {
				t.Error("the bank did not ask")
			}
		}, after: func(string) {}, kept: month},
		"a smaller plan to come": {before: func(_ ident.AccountID, customer string) {
			id := testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
			w.must(w.gate.Downgrade(t.Context(), id, monthly(billing.Standard)))
		}, after: func(string) {}, kept: 9480},
		"ended long ago": {before: func(_ ident.AccountID, customer string) {
			w.must(w.CancelNow(subscribe(customer, stripesim.CardOK)))
			w.Advance(40 * day)
		}, after: func(string) {}, kept: month},
		"disputed": {before: func(_ ident.AccountID, customer string) {
			subscribe(customer, stripesim.CardOK)
			w.must(w.Dispute(customer))
		}, after: func(string) {}, kept: month}, // the bank has it
	} {
		account, customer := w.account(strings.ReplaceAll(name, " ", "") + "@exemple.fr")
		seen := len(w.Events())
		pages = nil
		c.before(account, customer)
		w.deliver(seen)
		w.Advance(time.Hour)
		w.remove(account)
		w.Advance(time.Minute)
		c.after(customer)
		w.must(w.closing())
		w.over(name, customer, c.kept, pages...)
	}
}

// A debit that is under way when the account goes is decided days later; then it is given back, also when no
// event reports it. One that fails leaves nothing to pay.
func TestDebitUnderWayAtADeletion(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	for _, works := range []bool{true, false} {
		for _, lost := range []bool{true, false} {
			name := fmt.Sprintf("works %t, lost %t", works, lost)
			account, customer := w.account(fmt.Sprintf("debit-%t-%t@exemple.fr", works, lost))
			w.remove(account)
			testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.Debit))(t)
			w.must(w.closing())
			w.Advance(13 * day)
			w.reconcile()
			seen := len(w.Events())
			w.must(w.ClearDebit(customer, works))
			if lost {
				w.reconcile()
			} else {
				w.deliver(seen)
			}
			w.over(name, customer, 0)
		}
	}
}

// A customer whose account is gone is remembered for as long as what was begun before can be paid, also when
// every night finds nothing, and then forgotten.
func TestDeletedCustomersAreRemembered(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	w.remove(account)
	w.must(w.closing())
	w.Advance(20 * day)
	w.reconcile()
	seen := len(w.Events())
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
	w.deliver(seen)
	w.over("20 days after", customer, 0)
	w.reconcile()
	var n int
	w.must(w.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.orphan_customer`).Scan(&n))
	testkit.Want(t, n, 0, "customers are remembered for ever")
}

// A duplicate that is paid by debit is ended before the money comes, and given back when it does; so is an
// invoice that is paid after its subscription has ended.
func TestPaidAfterTheEnd(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
	w.Advance(time.Second)
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.Debit))(t)
	seen := w.deliver(0)
	w.Advance(5 * day)
	w.must(w.ClearDebit(customer, true))
	w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Standard || w.Kept(customer) != month {
		t.Errorf("%s, %d cents", formatRow(r), w.Kept(customer))
	}

	account, customer = w.account("marie@exemple.fr")
	id := testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardFailsNext))(t)
	w.Advance(33 * day)
	w.must(w.CancelNow(id)) // in Stripe's dashboard: the invoice stays open
	w.must(w.SetCard(customer, stripesim.CardOK))
	w.Advance(time.Hour)
	testkit.Must(w.PayOpen(customer))(t)
	w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Free || w.Kept(customer) != month {
		t.Errorf("%s, %d cents", formatRow(r), w.Kept(customer))
	}

	_, customer = w.account("anne@exemple.fr")
	id = testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardFailsNext))(t)
	w.Advance(33 * day)
	w.must(w.gate.CancelNow(t.Context(), id)) // on our page, which says that nothing more will be charged
	w.must(w.SetCard(customer, stripesim.CardOK))
	w.over("ended at once", customer, month)
}

// A closing that is cut short anywhere, even after Stripe did what was asked, is finished by
// the next one, and gives the money back once.
func TestClosingIsCutShort(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	for _, mode := range []stripesim.Failure{stripesim.Down, stripesim.LostReply} {
		for calls := 1; ; calls++ {
			account, customer := w.account(fmt.Sprintf("%s-%d@exemple.fr", mode, calls))
			session, other := w.checkout(account, customer, billing.Standard), ""
			w.remove(account)
			testkit.Must(w.Pay(session, stripesim.Buyer{}))(t)
			other = w.checkout(account, customer, billing.Pro)
			w.Advance(time.Second)
			err := w.cutAfter(calls, mode)
			w.must(w.closing())
			w.over(fmt.Sprintf("%s at call %d", mode, calls), customer, 0, other)
			if err == nil {
				break
			}
			if calls > 30 {
				t.Fatal("a closing never ends")
			}
		}
	}
}

// cutAfter runs closing while Stripe answers so many calls and then fails.
func (w *world) cutAfter(calls int, mode stripesim.Failure) error {
	w.FailAfter(calls-1, mode)
	defer w.Fail(stripesim.Works, 0)
	return w.closing()
}
