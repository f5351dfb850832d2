package stripegate_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
	"arpent/internal/mail"
)

// yearlyStart is a day that every month and year has.
var yearlyStart = time.Date(2027, 3, 15, 12, 0, 0, 0, time.UTC)

// bought is the subscription of an account that has just paid for an offer on the page of payment.
func (w *world) bought(email string, offer billing.Offer) (billing.Row, string) {
	w.t.Helper()
	account, customer := w.account(email)
	page := testkit.Must(w.store.Subscribe(w.t.Context(), account, offer, "fr"))(w.t)
	testkit.Must(w.Pay(page[strings.LastIndex(page, "/")+1:], stripesim.Buyer{Name: "Jeanne", Line1: "1 rue", PostalCode: "93140", City: "Bondy"}))(w.t)
	w.deliver(0)
	return w.row(account), customer
}

// expectOffer checks what an account has bought, until when, and what follows.
func (w *world) expectOffer(step string, r billing.Row, offer, next billing.Offer, until time.Time) {
	w.t.Helper()
	if r.Plan != offer.Plan || r.Offer() != offer || r.ChangesTo() != next || !r.PeriodEnd.Equal(until) || r.Status != billing.Active {
		w.t.Fatalf("%s: %s, of %v, then %v; want %v until %s, then %v", step, formatRow(r), r.Offer(), r.ChangesTo(), offer, until, next)
	}
}

// paid is the sum of the newest invoice, which has to be paid.
func (w *world) paid(customer string) int64 {
	w.t.Helper()
	bills := testkit.Must(w.gate.Invoices(w.t.Context(), customer, 10))(w.t)
	if len(bills) == 0 || bills[0].Status != "paid" {
		w.t.Fatalf("bills: %+v", bills)
	}
	return bills[0].TotalCents
}

func newYearlyWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, stripesim.Options{Clock: clock.At(yearlyStart)})
}

// A customer who pays for a year has it for a year, pays the same again when it is over and nothing in
// between, and reads in the mail that the plan is renewed each year.
func TestYearIsPaidOnce(t *testing.T) {
	w := newYearlyWorld(t)
	r, customer := w.bought("jeanne@exemple.fr", yearly(billing.Standard))
	start := w.Now()
	w.expectOffer("bought", r, yearly(billing.Standard), billing.Offer{}, start.AddDate(1, 0, 0))
	if got := w.paid(customer); got != 22800 { // ten months of 19 euros, and 20 % of tax
		t.Errorf("the year costs %d cents", got)
	}
	next := testkit.Must(w.gate.Upcoming(t.Context(), r.SubscriptionID))(t)
	if next == nil || next.TotalCents != 22800 || !next.At.Equal(start.AddDate(1, 0, 0)) {
		t.Errorf("next bill %+v", next)
	}
	m := testkit.Mails(t, w.pool)[0]
	if m.Template != mail.PlanStarted || m.Values["yearly"] == "" || m.Values["plan_interval"] != "year" {
		t.Errorf("mail %+v", m)
	}
	seen := len(w.Events())
	w.Advance(start.AddDate(0, 11, 0).Sub(w.Now()))
	if w.deliver(seen); w.Kept(customer) != 22800 {
		t.Errorf("after eleven months %d cents are paid", w.Kept(customer))
	}
	seen = len(w.Events())
	w.Advance(start.AddDate(1, 0, 1).Sub(w.Now()))
	w.deliver(seen)
	w.expectOffer("renewed", w.row(r.Account), yearly(billing.Standard), billing.Offer{}, start.AddDate(2, 0, 0))
	if w.Kept(customer) != 2*22800 {
		t.Errorf("after a year %d cents are paid", w.Kept(customer))
	}
}

// A year of Standard is exchanged for one of Pro at once: the rest of the year is charged as it was
// previewed, and the year ends when it did.
func TestYearlyUpgrade(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	r, customer := w.bought("jeanne@exemple.fr", yearly(billing.Standard))
	end := r.PeriodEnd
	w.Advance(end.Sub(w.Now()) / 2)
	preview := testkit.Must(w.gate.Preview(ctx, r.SubscriptionID, yearly(billing.Pro)))(t)
	if preview.DueNowCents < 35900 || preview.DueNowCents > 36100 || preview.NextCents != 94800 || !preview.NextAt.Equal(end) {
		t.Errorf("preview %+v: half of 600 euros and their tax, then 790 and tax", preview)
	}
	r = testkit.Must(w.store.ChangePlan(ctx, r, yearly(billing.Pro), preview.At))(t)
	w.expectOffer("upgraded", r, yearly(billing.Pro), billing.Offer{}, end)
	if got := w.paid(customer); got != preview.DueNowCents {
		t.Errorf("paid %d, previewed %d", got, preview.DueNowCents)
	}
}

// Who pays by the month goes over to years at once: the year begins, less what is left of the month, and the
// owner gets a mail that says so.
func TestMonthBecomesYear(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	r, customer := w.bought("jeanne@exemple.fr", monthly(billing.Standard))
	w.Advance(r.PeriodEnd.Sub(w.Now()) / 2)
	preview := testkit.Must(w.gate.Preview(ctx, r.SubscriptionID, yearly(billing.Standard)))(t)
	if preview.DueNowCents != 22800-1140 || preview.NextCents != 22800 || !preview.NextAt.Equal(w.Now().AddDate(1, 0, 0)) {
		t.Errorf("preview %+v: 190 euros less half of 19, and tax", preview)
	}
	for range 2 { // the form was sent twice
		r = testkit.Must(w.store.ChangePlan(ctx, r, yearly(billing.Standard), preview.At))(t)
	}
	w.expectOffer("by the year", r, yearly(billing.Standard), billing.Offer{}, w.Now().AddDate(1, 0, 0))
	if got := w.paid(customer); got != preview.DueNowCents || w.Kept(customer) != 2280+preview.DueNowCents {
		t.Errorf("paid %d of %d, previewed %d", got, w.Kept(customer), preview.DueNowCents)
	}
	all := testkit.Mails(t, w.pool)
	if m := all[len(all)-1]; m.Template != mail.PlanChanged || m.Values["was"] != "" || m.Values["plan_interval"] != "year" {
		t.Errorf("mail %+v", m)
	}
	// A card that is declined changes nothing.
	other, customer := w.bought("paul@exemple.fr", monthly(billing.Standard))
	w.must(w.SetCard(customer, stripesim.CardDeclined))
	if _, err := w.store.ChangePlan(ctx, other, yearly(billing.Pro), w.Now()); err == nil {
		t.Error("a declined card bought a year")
	}
	w.expectOffer("declined", w.row(other.Account), monthly(billing.Standard), billing.Offer{}, other.PeriodEnd)
}

// A discount is taken off what a year costs and off what is left of the month, and the sum that is charged is
// the one that was shown.
func TestYearWithDiscount(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	r, customer := w.bought("jeanne@exemple.fr", monthly(billing.Standard))
	w.must(w.ApplyCoupon(r.SubscriptionID, 50))
	w.Advance(r.PeriodEnd.Sub(w.Now()) / 2)
	preview := testkit.Must(w.gate.Preview(ctx, r.SubscriptionID, yearly(billing.Standard)))(t)
	if preview.DueNowCents != 11400-570 || preview.NextCents != 11400 {
		t.Errorf("preview %+v: half of 190 euros less a quarter of 19, and tax", preview)
	}
	testkit.Must(w.store.ChangePlan(ctx, r, yearly(billing.Standard), preview.At))(t)
	if got := w.paid(customer); got != preview.DueNowCents {
		t.Errorf("paid %d, previewed %d", got, preview.DueNowCents)
	}
}

// A year that begins on 29 February is renewed on 28 February, as Stripe bills it.
func TestYearFromLeapDay(t *testing.T) {
	w := newWorld(t, stripesim.Options{Clock: clock.At(time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC))})
	r, _ := w.bought("jeanne@exemple.fr", monthly(billing.Standard))
	preview := testkit.Must(w.gate.Preview(t.Context(), r.SubscriptionID, yearly(billing.Standard)))(t)
	if want := time.Date(2029, 2, 28, 12, 0, 0, 0, time.UTC); !preview.NextAt.Equal(want) {
		t.Errorf("next bill on %s, want %s", preview.NextAt, want)
	}
	r = testkit.Must(w.store.ChangePlan(t.Context(), r, yearly(billing.Standard), preview.At))(t)
	if !r.PeriodEnd.Equal(preview.NextAt) {
		t.Errorf("the year ends on %s, the page said %s", r.PeriodEnd, preview.NextAt)
	}
}

// A change is made from the offer that Stripe has, not from the one that was read last: a year that was
// bought meanwhile is not given up for months, and a date before the period is no fault of the program.
func TestChangeFromWhatStripeHas(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	stale, customer := w.bought("jeanne@exemple.fr", monthly(billing.Standard))
	w.Advance(10 * day)
	w.must(w.Change(stale.SubscriptionID, stripesim.StandardYearlyPrice)) // its event has not arrived
	kept := w.Kept(customer)
	testkit.WantError(t, testkit.ErrorOf(w.gate.Preview(ctx, stale.SubscriptionID, monthly(billing.Pro))), billing.ErrChanged, "preview")
	testkit.WantError(t, testkit.ErrorOf(w.store.ChangePlan(ctx, stale, monthly(billing.Pro), w.Now())), billing.ErrChanged, "change")
	testkit.WantError(t, testkit.ErrorOf(w.store.ChangePlan(ctx, stale, yearly(billing.Pro), w.Now().AddDate(0, 0, -1))), billing.ErrChanged, "before the period")
	if w.Kept(customer) != kept {
		t.Errorf("%d cents are paid, %d before", w.Kept(customer), kept)
	}
}

// Stripe gives all items of a subscription one interval: with an item that the operator added, a change of
// the interval is not asked for.
func TestOtherItemKeepsInterval(t *testing.T) {
	t.Parallel()
	item := func(id, interval string) *stripe.SubscriptionItem {
		return &stripe.SubscriptionItem{ID: id, Price: &stripe.Price{Recurring: &stripe.PriceRecurring{
			Interval: stripe.PriceRecurringInterval(interval)}}}
	}
	plan := item("si_plan", "month")
	s := &stripe.Subscription{ID: "sub_1", Items: &stripe.SubscriptionItemList{Data: []*stripe.SubscriptionItem{plan}}}
	if err := stripegate.CheckInterval(s, plan, yearly(billing.Standard)); err != nil {
		t.Errorf("the plan alone: %v", err)
	}
	s.Items.Data = append(s.Items.Data, item("si_other", "month"))
	if err := stripegate.CheckInterval(s, plan, monthly(billing.Pro)); err != nil {
		t.Errorf("the same interval: %v", err)
	}
	testkit.WantError(t, stripegate.CheckInterval(s, plan, yearly(billing.Standard)), billing.ErrOtherItems, "another interval")
}

// Months follow a year when it is over and not before; the customer can take that back, and pays by the month
// afterwards. From months of a higher plan to years of a lower one it is the same.
func TestYearBecomesMonths(t *testing.T) {
	for name, c := range map[string]struct{ from, to billing.Offer }{
		"the same plan":                      {yearly(billing.Standard), monthly(billing.Standard)},
		"a higher plan":                      {yearly(billing.Standard), monthly(billing.Pro)},
		"a lower plan from months to a year": {monthly(billing.Pro), yearly(billing.Standard)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newYearlyWorld(t)
			ctx := t.Context()
			r, customer := w.bought("jeanne@exemple.fr", c.from)
			end, kept := r.PeriodEnd, w.Kept(customer)
			w.Advance(20 * day)
			change := func() {
				t.Helper()
				r = testkit.Must(w.store.ChangePlan(ctx, r, c.to, time.Time{}))(t)
				w.expectOffer("noted", r, c.from, c.to, end)
			}
			change()
			r = testkit.Must(w.store.Resume(ctx, r))(t)
			w.expectOffer("taken back", r, c.from, billing.Offer{}, end)
			r = w.row(r.Account)
			change()
			if w.Kept(customer) != kept {
				t.Errorf("%d cents are paid before the end of the period, %d at its beginning", w.Kept(customer), kept)
			}
			seen := len(w.Events())
			w.Advance(end.Add(2 * time.Hour).Sub(w.Now()))
			w.deliver(seen)
			until := end.AddDate(0, 1, 0)
			if c.to.Yearly {
				until = end.AddDate(1, 0, 0)
			}
			w.expectOffer("changed", w.row(r.Account), c.to, billing.Offer{}, until)
			price := map[billing.Offer]int64{monthly(billing.Standard): 2280, monthly(billing.Pro): 9480, yearly(billing.Standard): 22800}[c.to]
			if w.Kept(customer) != kept+price {
				t.Errorf("%d cents are paid, want %d and %d", w.Kept(customer), kept, price)
			}
			if got := w.mails(r.Account); got != "plan_started plan_changing plan_kept plan_changing plan_changed" {
				t.Errorf("mails: %s", got)
			}
		})
	}
}

// A year of a plan at a price that no setting names is reported, and the account keeps its plan; that it is
// paid by the year is read from the price.
func TestUnknownYearlyPrice(t *testing.T) {
	w := newYearlyWorld(t)
	r, _ := w.bought("jeanne@exemple.fr", monthly(billing.Standard))
	w.SetPrice(stripesim.Price{ID: "price_old_year", Name: "Arpent, a year", Cents: 18000, Currency: "eur", Interval: "year", TaxBehavior: "exclusive", Active: true})
	seen := len(w.Events())
	w.must(w.Change(r.SubscriptionID, "price_old_year"))
	w.deliver(seen)
	r = w.row(r.Account)
	w.expectOffer("unknown price", r, yearly(billing.Standard), billing.Offer{}, w.Now().AddDate(1, 0, 0))
	testkit.Want(t, w.found(), "unknown_price", "findings")
}

// Plans are not sold at a yearly price that the pages would describe wrongly: by another interval, above
// twelve months, of another currency. A plan without a yearly price is sold by the month alone.
func TestYearlyPricesAreChecked(t *testing.T) {
	t.Parallel()
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	good := stripesim.Price{ID: stripesim.StandardYearlyPrice, Name: "a year", Cents: 19000, Currency: "eur", Interval: "year", TaxBehavior: "exclusive", Active: true}
	gate := newGate(sim)
	if prices, err := gate.YearlyPrices(t.Context()); err != nil || fmt.Sprint(prices) != "map[pro:79000 standard:19000]" {
		t.Errorf("prices %v, %v", prices, err)
	}
	if err := gate.CheckPrices(t.Context()); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *stripesim.Price){
		"is paid every 1 month instead of yearly":                                 func(p *stripesim.Price) { p.Interval = "month" },
		"is paid once instead of yearly":                                          func(p *stripesim.Price) { p.Interval = "" },
		"is 22801 cents, which is no sum up to twelve months of the plan (22800)": func(p *stripesim.Price) { p.Cents = 22801 },
		"is 0 cents, which is no sum":                                             func(p *stripesim.Price) { p.Cents = 0 },
		`is in "usd" instead of "eur"`:                                            func(p *stripesim.Price) { p.Currency = "usd" },
		"is archived":                                                             func(p *stripesim.Price) { p.Active = false },
		`has tax behaviour "inclusive" instead of "exclusive"`:                    func(p *stripesim.Price) { p.TaxBehavior = "inclusive" },
	} {
		wrong := good
		change(&wrong)
		sim.SetPrice(wrong)
		if err := gate.CheckPrices(t.Context()); err == nil || !strings.Contains(err.Error(), "the yearly price of the standard plan (price_standard_yearly) "+want) {
			t.Errorf("%s: %v", want, err)
		}
		if prices, err := gate.YearlyPrices(t.Context()); err == nil || prices != nil {
			t.Errorf("%s: sold at %v", want, prices)
		}
	}
	sim.SetPrice(good)
	alone := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: plans, YearlyPrices: map[string][]string{billing.Pro: {stripesim.ProYearlyPrice}}, Backend: sim.URL()})
	if prices, err := alone.YearlyPrices(t.Context()); err != nil || fmt.Sprint(prices) != "map[pro:79000]" {
		t.Errorf("prices %v, %v", prices, err)
	}
	if err := alone.CheckPrices(t.Context()); err != nil {
		t.Error(err)
	}
	twice := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: plans, YearlyPrices: map[string][]string{billing.Pro: {stripesim.ProYearlyPrice, stripesim.ProYearlyPrice}}, Backend: sim.URL()})
	if err := twice.CheckPrices(t.Context()); err == nil || !strings.Contains(err.Error(), "configured twice") {
		t.Errorf("the same price twice: %v", err)
	}
	both := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: plans, YearlyPrices: map[string][]string{billing.Pro: {stripesim.ProYearlyPrice, stripesim.ProPrice}}, Backend: sim.URL()})
	if err := both.CheckPrices(t.Context()); err == nil || !strings.Contains(err.Error(), "the yearly price of the pro plan ("+stripesim.ProPrice+") is paid every 1 month instead of yearly") {
		t.Errorf("a former price of another interval: %v", err)
	}
}

// renewals are the mails about a yearly renewal so far.
func (w *world) renewals() (found []mail.Job) {
	w.t.Helper()
	for _, j := range testkit.Mails(w.t, w.pool) {
		if j.Template == mail.PlanRenewing {
			found = append(found, j)
		}
	}
	return found
}

// remind runs the job that announces renewals in three instances at once.
func (w *world) remind() (sent int, failed error) {
	w.t.Helper()
	var wait sync.WaitGroup
	var all [3]int
	var errs [3]error
	for i := range all {
		wait.Go(func() { all[i], errs[i] = newStore(w.t, w.pool, w.Simulator).RemindRenewals(w.t.Context()) })
	}
	wait.Wait()
	return all[0] + all[1] + all[2], errors.Join(errs[:]...)
}

// A customer who pays by the year, and the reader of the mails about payments, read once a year that the
// subscription is about to renew, between three months and one month before: when, for how much, and how to
// stop it. The amount is the one that is then charged.
func TestSimultaneousRemindersOfAYearlyRenewal(t *testing.T) {
	w := newYearlyWorld(t)
	r, customer := w.bought("jeanne@exemple.fr", yearly(billing.Standard))
	w.bought("marc@exemple.fr", monthly(billing.Pro))
	w.execute(`INSERT INTO account.billing_recipient (account_id, email, asked_at, confirmed_at) VALUES ($1, 'compta@exemple.fr', now(), now()),
		($1, 'jamais@exemple.fr', now(), NULL)`, r.Account)
	start := w.Now()
	for year := 1; year <= 2; year++ {
		end := start.AddDate(year, 0, 0)
		for _, step := range []struct {
			at   time.Time
			want int
		}{{end.AddDate(0, -3, 0), 0}, {end.Add(-billing.RenewalNotice - time.Minute), 0}, {end.Add(-billing.RenewalNotice), 1},
			{end.AddDate(0, -1, 0), 0}, {end.Add(-time.Hour), 0}} {
			seen := len(w.Events())
			w.Advance(step.at.Sub(w.Now()))
			w.deliver(seen)
			if sent, err := w.remind(); sent != step.want || err != nil {
				t.Fatalf("%s before the end of year %d: %d accounts, %v", end.Sub(step.at), year, sent, err)
			}
		}
		all := w.renewals()
		if len(all) != 2*year {
			t.Fatalf("%d mails: %+v", len(all), all)
		}
		before := w.Kept(customer)
		seen := len(w.Events())
		w.Advance(end.Add(2 * time.Hour).Sub(w.Now())) // the invoice is a draft for an hour
		w.deliver(seen)
		for i, m := range all[2*(year-1):] {
			if to := []string{"jeanne@exemple.fr", "compta@exemple.fr"}[i]; m.To != to || m.Language != "fr" || m.Values["plan"] != "Standard" || m.Values["plan_interval"] != "year" ||
				m.Values["until"] != end.UTC().Format(time.RFC3339) || m.Values["cents"] != fmt.Sprint(w.Kept(customer)-before) {
				t.Errorf("year %d, to %s: %+v, charged %d", year, to, m, w.Kept(customer)-before)
			}
		}
	}
}

// A subscription that does not renew for a year is not announced; one that changes to another plan for a year
// is, with that plan. While Stripe does not say what the year costs the mail waits, but not so long that it
// would come too late.
func TestReminderFollowsTheSubscription(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	cancelled, _ := w.bought("a@exemple.fr", yearly(billing.Standard))
	lower, _ := w.bought("b@exemple.fr", yearly(billing.Pro))
	months, _ := w.bought("c@exemple.fr", yearly(billing.Pro))
	end := cancelled.PeriodEnd
	testkit.Must(w.store.Cancel(ctx, cancelled, false))(t)
	testkit.Must(w.store.ChangePlan(ctx, lower, yearly(billing.Standard), time.Time{}))(t)
	testkit.Must(w.store.ChangePlan(ctx, months, monthly(billing.Pro), time.Time{}))(t)
	w.Advance(end.Add(-50 * 24 * time.Hour).Sub(w.Now()))
	w.Fail(stripesim.Down, 0)
	if sent, err := w.store.RemindRenewals(ctx); sent != 0 || !errors.Is(err, billing.ErrUnavailable) {
		t.Fatalf("without Stripe: %d, %v", sent, err)
	}
	w.Advance(17 * 24 * time.Hour)
	if sent, err := w.store.RemindRenewals(ctx); sent != 0 || !errors.Is(err, billing.ErrUnavailable) {
		t.Fatalf("without Stripe, 33 days before: %d, %v", sent, err)
	}
	w.Advance(24 * time.Hour)
	if sent, err := w.store.RemindRenewals(ctx); sent != 1 || err != nil {
		t.Fatalf("without Stripe, 32 days before: %d, %v", sent, err)
	}
	all := w.renewals()
	if len(all) != 1 || all[0].Account != int64(lower.Account) || all[0].Values["plan"] != "Standard" || all[0].Values["cents"] != "" {
		t.Errorf("%+v", all)
	}
}

// The owner reads of the plan and the amount that are charged: after a change of the plan they read it again,
// but not after another change of the subscription. Another contract of the same customer at Stripe has no
// part in the amount.
func TestReminderNamesTheOfferThatIsCharged(t *testing.T) {
	w := newYearlyWorld(t)
	ctx := t.Context()
	r, customer := w.bought("jeanne@exemple.fr", yearly(billing.Standard))
	lower, _ := w.bought("marc@exemple.fr", yearly(billing.Pro))
	testkit.Must(w.store.ChangePlan(ctx, lower, yearly(billing.Standard), time.Time{}))(t)
	w.SetPrice(stripesim.Price{ID: "price_support", Name: "Support", Cents: 50000, Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
	testkit.Must(w.SubscribeByHand(customer, "price_support", stripesim.CardOK))(t)
	end := r.PeriodEnd
	expect := func(step string, plans ...string) {
		t.Helper()
		before := len(w.renewals())
		testkit.Must(w.store.RemindRenewals(ctx))(t)
		var got []string
		for _, m := range w.renewals()[before:] {
			got = append(got, m.Values["plan"]+" "+m.Values["cents"])
		}
		if fmt.Sprint(got) != fmt.Sprint(plans) {
			t.Errorf("%s: mails about %v, want %v", step, got, plans)
		}
	}
	w.Advance(end.Add(-50 * 24 * time.Hour).Sub(w.Now()))
	expect("at first", "Standard 22800", "Standard 22800")
	preview := testkit.Must(w.gate.Preview(ctx, r.SubscriptionID, yearly(billing.Pro)))(t)
	r = testkit.Must(w.store.ChangePlan(ctx, w.row(r.Account), yearly(billing.Pro), preview.At))(t)
	expect("after an upgrade", "Pro 94800")
	r = testkit.Must(w.store.Cancel(ctx, r, false))(t)
	expect("cancelled")
	testkit.Must(w.store.Resume(ctx, r))(t)
	expect("resumed")
}

// The amount of the next bill that is charged is what the credit of the customer leaves, which Stripe
// computes for the subscription that is asked for.
func TestCreditOfTheNextBill(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); r.URL.Path != "/v1/invoices/upcoming" || q.Get("subscription") != "sub_1" || q.Has("customer") {
			http.Error(w, `{"error": {"message": "another request"}}`, http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"object": "invoice", "currency": "eur", "total": 22800, "amount_due": 12800, "period_end": 1800000000, "subscription": "sub_1"}`)
	}))
	t.Cleanup(api.Close)
	gate := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Backend: api.URL, Clock: clock.Real{}})
	next, err := gate.Upcoming(t.Context(), "sub_1")
	if err != nil || next == nil || next.TotalCents != 22800 || next.DueCents != 12800 {
		t.Errorf("%+v, %v", next, err)
	}
}

// Stripe is not asked about a year that goes on by the month: it costs no request an hour for two months.
func TestNoReminderOfAMonthlyRenewalAsksStripe(t *testing.T) {
	w := newYearlyWorld(t)
	r, _ := w.bought("jeanne@exemple.fr", yearly(billing.Pro))
	testkit.Must(w.store.ChangePlan(t.Context(), r, monthly(billing.Pro), time.Time{}))(t)
	w.Advance(r.PeriodEnd.Add(-50 * 24 * time.Hour).Sub(w.Now()))
	w.Fail(stripesim.Down, 0)
	if sent, err := w.store.RemindRenewals(t.Context()); sent != 0 || err != nil {
		t.Errorf("%d, %v", sent, err)
	}
}
