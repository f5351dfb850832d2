package stripegate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

var october = time.Date(2026, 10, 10, 10, 0, 0, 0, time.UTC)

// subscriber is an account on a plan at that price.
func (w *world) subscriber(email, price string, card stripesim.Card) (ident.AccountID, string) {
	w.t.Helper()
	account, customer := w.account(email)
	testkit.Must(w.Subscribe(customer, price, card))(w.t)
	testkit.Must(w.store.Refresh(w.t.Context(), account))(w.t)
	return account, customer
}

// use has an account's day of the simulation count that many requests, and the reserves looked at.
func (w *world) use(account ident.AccountID, requests int) {
	w.t.Helper()
	w.execute(`INSERT INTO account.quota_day (account_id, day, used) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, day) DO UPDATE SET used = excluded.used`, account, clock.Day(w.Now()).Time(), requests)
	w.must(w.store.UpdateReserves(w.t.Context()))
}

// left is what the instances admit of an account today beyond its quota.
func (w *world) left(account ident.AccountID) int {
	w.t.Helper()
	return w.count(`SELECT coalesce(max(reserve_left), 0) FROM account.account WHERE id = $1 AND reserve_day = $2`, account,
		clock.Day(w.Now()).Time())
}

// reserveInvoices are the sums of what a customer was invoiced besides the plan, in cents with tax.
func (w *world) reserveInvoices(customer string) (sums []string) {
	w.t.Helper()
	all := testkit.Must(w.gate.Invoices(w.t.Context(), customer, 20))(w.t)
	for _, i := range all {
		if i.TotalCents != 2280 && i.TotalCents != 9480 {
			sums = append(sums, fmt.Sprintf("%d %s", i.TotalCents, i.Status))
		}
	}
	return sums
}

// A reserve begins each day with what the days before left of the month, counts from the highest quota of a
// day, notifies its owner of each threshold once, and is invoiced once after the month, for exactly what was
// used of it.
func TestReserveOfAMonth(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
	ctx := t.Context()
	account, customer := w.subscriber("jeanne@exemple.fr", stripesim.StandardPrice, stripesim.CardOK)
	w.use(account, 2000)
	if n := w.left(account); n != 0 {
		t.Fatalf("%d requests of a reserve that was not chosen", n)
	}
	w.must(w.store.ChooseReserve(ctx, account, 500))
	if n := w.left(account); n != 500 {
		t.Errorf("%d left of 500", n)
	}
	w.use(account, 2300)
	w.use(account, 2300)
	if r, err := w.store.Reserve(ctx, account); r != (billing.ReserveState{PerMonth: 500, Used: 300, Usable: true}) || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if n := w.left(account); n != 500 {
		t.Errorf("the reserve of today began with %d", n)
	}

	w.Advance(24 * time.Hour)
	if n := w.left(account); n != 0 {
		t.Errorf("%d left of a day whose reserve is not known yet", n)
	}
	w.use(account, 1000)
	if n := w.left(account); n != 200 {
		t.Errorf("%d left on the second day, want 200", n)
	}
	w.use(account, 2201) // one too many, which an instance admitted at midnight: it is not paid
	w.Advance(24 * time.Hour)
	w.use(account, 1)
	if n := w.left(account); n != 0 {
		t.Errorf("%d left of a reserve that is used up", n)
	}
	w.execute(`UPDATE account.account SET plan = 'pro' WHERE id = $1`, account)
	w.use(account, 24000)
	w.execute(`UPDATE account.account SET plan = 'standard' WHERE id = $1`, account)
	w.use(account, 24001)
	if r, _ := w.store.Reserve(ctx, account); r.Used != 501 {
		t.Errorf("%d used: the day counts from the highest quota that held on it", r.Used)
	}
	testkit.Want(t, w.mails(account), "plan_started reserve_used reserve_used", "mails")

	w.Advance(time.Date(2026, 11, 1, 4, 59, 0, 0, time.UTC).Sub(w.Now())) // 05:59 in Paris
	w.must(w.store.InvoiceReserves(ctx))
	if got := w.reserveInvoices(customer); len(got) != 0 {
		t.Errorf("invoiced before all is counted: %q", got)
	}
	w.Advance(time.Hour)
	w.use(account, 0)
	if n := w.left(account); n != 500 {
		t.Errorf("%d left in the new month", n)
	}
	for range 3 {
		w.must(w.store.InvoiceReserves(ctx))
	}
	if got := w.reserveInvoices(customer); len(got) != 1 || got[0] != "480 paid" { // 500 × 0,8 cents, and 20 % of VAT
		t.Errorf("invoices %q", got)
	}
	testkit.Want(t, w.found(), "", "findings")
}

// Whatever call to Stripe fails, and however: the month is on one invoice, which is collected once.
func TestReserveIsInvoicedOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []stripesim.Failure{stripesim.Down, stripesim.Error500, stripesim.LostReply} {
		for after := range 6 {
			t.Run(fmt.Sprint(mode, " after ", after), func(t *testing.T) {
				w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
				account, customer := w.subscriber("jeanne@exemple.fr", stripesim.StandardPrice, stripesim.CardOK)
				w.must(w.store.ChooseReserve(t.Context(), account, 1000))
				w.use(account, 2625)
				w.Advance(30 * 24 * time.Hour)
				w.FailAfter(after, mode)
				_ = w.store.InvoiceReserves(t.Context())
				w.Fail(stripesim.Works, 0)
				for range 2 {
					w.must(w.store.InvoiceReserves(t.Context()))
				}
				if got := w.reserveInvoices(customer); len(got) != 1 || got[0] != "600 paid" {
					t.Errorf("invoices %q", got)
				}
			})
		}
	}
}

// A reserve whose invoice is not paid within three days ends, and its owner is notified once. The plan stays.
func TestUnpaidReserveEnds(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
	ctx := t.Context()
	account, customer := w.subscriber("jeanne@exemple.fr", stripesim.ProPrice, stripesim.CardOK)
	w.must(w.store.ChooseReserve(ctx, account, 10_000))
	w.use(account, 30_000)
	w.Advance(22 * 24 * time.Hour) // the first of November
	w.must(w.SetCard(customer, stripesim.CardDeclined))
	w.must(w.store.InvoiceReserves(ctx))
	if got := w.reserveInvoices(customer); len(got) != 1 || got[0] != "4800 open" {
		t.Fatalf("invoices %q", got)
	}
	w.must(w.store.UpdateReserves(ctx))
	if n := w.left(account); n != 10_000 {
		t.Errorf("%d left while Stripe is trying to collect", n)
	}
	for range 3 {
		w.Advance(36 * time.Hour)
		w.must(w.store.InvoiceReserves(ctx))
		w.must(w.store.UpdateReserves(ctx))
	}
	if r, err := w.store.Reserve(ctx, account); r.PerMonth != 0 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	testkit.WantError(t, w.store.ChooseReserve(ctx, account, 100),
		billing.ErrReserveUnpaid, "a reserve while an invoice of one is not paid")
	testkit.Want(t, w.mails(account), "plan_started reserve_used reserve_ended", "mails")
	testkit.Want(t, w.row(account).Plan, billing.Pro, "plan")
}

// A payment of a reserve that is claimed back through the bank suspends the plan, like one of the plan
// itself.
func TestDisputedReserve(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
	account, customer := w.subscriber("jeanne@exemple.fr", stripesim.ProPrice, stripesim.CardOK)
	w.must(w.store.ChooseReserve(t.Context(), account, 10_000))
	w.use(account, 30_000)
	w.Advance(22 * 24 * time.Hour) // the first of November
	w.must(w.store.InvoiceReserves(t.Context()))
	if got := w.reserveInvoices(customer); len(got) != 1 || got[0] != "4800 paid" {
		t.Fatalf("invoices %q", got)
	}
	w.must(w.Dispute(customer)) // the last payment
	for _, want := range []string{billing.Free, billing.Pro} {
		testkit.Must(w.store.Refresh(t.Context(), account))(t)
		testkit.Want(t, w.row(account).Plan, want, "the plan")
		w.must(w.CloseDisputes(customer, "won"))
	}
}

// Nothing is admitted beyond the quota of an account that does not pay, and a reserve needs a plan that is
// paid for.
func TestReserveNeedsAPaidPlan(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
	ctx := t.Context()
	free, _ := w.account("libre@exemple.fr")
	testkit.WantError(t, w.store.ChooseReserve(ctx, free, 100), billing.ErrNoReserveSold, "a free account")
	account, customer := w.subscriber("jeanne@exemple.fr", stripesim.StandardPrice, stripesim.CardOK)
	for _, n := range []int{-1, billing.MaxReserve + 1} {
		if err := w.store.ChooseReserve(ctx, account, n); !errors.Is(err, billing.ErrReserveSize) {
			t.Errorf("%d: %v", n, err)
		}
	}
	w.must(w.store.ChooseReserve(ctx, account, 100))
	w.must(w.Dispute(customer))
	testkit.Must(w.store.Refresh(ctx, account))(t)
	w.must(w.store.UpdateReserves(ctx))
	if n := w.left(account); n != 0 {
		t.Errorf("%d left while the payment is disputed", n)
	}
	w.must(w.store.ChooseReserve(ctx, account, 0))
	if r, _ := w.store.Reserve(ctx, account); r.PerMonth != 0 {
		t.Errorf("%+v after it was ended", r)
	}

	none := billing.New(billing.Options{DB: w.pool, Clock: w, Gateway: stripegate.New(stripegate.Options{
		Key: stripesim.DefaultKey, Prices: plans, Backend: w.URL(), Clock: w})})
	paying, _ := w.subscriber("marc@exemple.fr", stripesim.ProPrice, stripesim.CardOK)
	testkit.WantError(t, none.ChooseReserve(ctx, paying, 100), billing.ErrNoReserveSold, "without a price")
	w.must(w.store.ChooseReserve(ctx, paying, 100))
	w.must(none.UpdateReserves(ctx))
	if n := w.left(paying); n != 0 {
		t.Errorf("%d left once no reserve is sold any more", n)
	}
}

// What a higher quota of the same day admitted is not of the reserve, and the reserve ends with the
// subscription.
func TestReserveAfterAChangeOfPlan(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
	ctx := t.Context()
	account, customer := w.subscriber("jeanne@exemple.fr", stripesim.StandardPrice, stripesim.CardOK)
	w.use(account, 15_000) // as on Pro, until a moment ago
	w.must(w.store.ChooseReserve(ctx, account, 5000))
	w.must(w.store.UpdateReserves(ctx))
	if r, err := w.store.Reserve(ctx, account); r.Used != 0 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	w.must(w.CancelNow(w.row(account).SubscriptionID))
	testkit.Must(w.store.Refresh(ctx, account))(t)
	if r, _ := w.store.Reserve(ctx, account); r.PerMonth != 0 {
		t.Errorf("%+v after the end of the subscription", r)
	}
	w.Advance(30 * 24 * time.Hour)
	w.must(w.store.InvoiceReserves(ctx))
	if got := w.reserveInvoices(customer); len(got) != 0 {
		t.Errorf("invoices %q", got)
	}
}

// What an account used of its reserve is paid when the account is deleted, once, whatever fails meanwhile.
func TestReserveOfADeletedAccount(t *testing.T) {
	t.Parallel()
	for after := range 5 {
		t.Run(fmt.Sprint("Stripe ends after ", after), func(t *testing.T) {
			w := newWorld(t, stripesim.Options{NoMock: true, Clock: clock.At(october)})
			account, customer := w.subscriber("jeanne@exemple.fr", stripesim.StandardPrice, stripesim.CardOK)
			w.must(w.store.ChooseReserve(t.Context(), account, 1000))
			w.use(account, 2500)
			w.remove(account)
			w.FailAfter(after, stripesim.LostReply)
			_ = w.closing()
			w.Fail(stripesim.Works, 0)
			for range 3 { // the card goes once the invoice is seen to be paid
				w.must(w.closing())
			}
			if got := w.reserveInvoices(customer); len(got) != 1 || got[0] != "480 paid" {
				t.Errorf("invoices %q", got)
			}
			testkit.Want(t, w.Cards(customer), 0, "cards left")
		})
	}
}
