package stripegate_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
)

const day = 24 * time.Hour

// A customer who cancels in place of a change to come asks for one thing, which is done or not: what Stripe
// answers after it takes nothing away. The subscription ends with its period, is resumed without the change,
// and its owner gets one mail for each.
func TestCancellationInPlaceOfAChange(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	ctx := t.Context()
	account, customer := w.account("jeanne@exemple.fr")
	sub := testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	seen := w.deliver(0)
	is := func(cancelled bool, next string) {
		t.Helper()
		seen = w.deliver(seen)
		if r := w.row(account); r.Plan != billing.Pro || r.CancelAtPeriodEnd != cancelled || r.NextPlan != next {
			t.Fatal(formatRow(r))
		}
	}
	cancel := func() {
		t.Helper()
		w.FailAfter(2, stripesim.Down)
		w.must(w.gate.CancelAtPeriodEnd(ctx, sub, true))
		w.Fail(stripesim.Works, 0)
		w.must(w.gate.CancelAtPeriodEnd(ctx, sub, true))
		is(true, "")
	}
	w.must(w.gate.Downgrade(ctx, sub, monthly(billing.Standard)))
	is(false, billing.Standard)
	cancel()
	w.must(w.gate.CancelAtPeriodEnd(ctx, sub, false))
	is(false, "")
	w.must(w.gate.Downgrade(ctx, sub, monthly(billing.Standard)))
	is(false, billing.Standard)
	cancel()
	if got := w.mails(account); got != "plan_started plan_changing plan_ending plan_kept plan_changing plan_ending" {
		t.Errorf("mails: %s", got)
	}
	if next, err := w.gate.Upcoming(ctx, sub); err != nil || next != nil {
		t.Errorf("a next bill %+v, %v", next, err)
	}
	w.Advance(32 * day)
	w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Free || r.Status != billing.Canceled {
		t.Fatalf("ended: %s", formatRow(r))
	}
	if bills, err := w.gate.Invoices(ctx, customer, 10); err != nil || len(bills) != 1 {
		t.Errorf("bills: %+v, %v", bills, err)
	}
}

// A customer goes through all that can be done about a plan. Each request is one that stripe-mock takes, so
// that Stripe will; and what Stripe says after each is what counts.
func TestLifeOfASubscription(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	ctx := t.Context()
	w.must(w.gate.CheckPrices(ctx))
	account, customer := w.account("jeanne@exemple.fr")
	again, err := w.gate.CreateCustomer(ctx, billing.CustomerRequest{Account: account, Reference: w.row(account).Reference, Email: "autre@exemple.fr",
		Language: "en", Attempt: "0"})
	if err != nil || again != customer {
		t.Fatalf("a second customer %s, %v", again, err)
	}
	if s, err := w.read(customer); err != nil || s != (billing.Snapshot{CustomerID: customer}) {
		t.Fatalf("before: %+v, %v", s, err)
	}
	request := billing.CheckoutRequest{Account: account, Customer: w.row(account).AtStripe(), Offer: monthly(billing.Standard), Language: "fr", Attempt: "1"}
	page := testkit.Must(w.gate.Checkout(ctx, request))(t)
	if again, err := w.gate.Checkout(ctx, request); err != nil || again != page {
		t.Errorf("a second page %s, %v", again, err)
	}
	session := lastPart(t, page)
	if who, err := w.gate.SessionCustomer(ctx, session); err != nil || who != customer {
		t.Errorf("the session is of %s, %v", who, err)
	}
	if _, err := w.Pay(session, stripesim.Buyer{Card: stripesim.CardDeclined}); err == nil {
		t.Error("a declined card pays")
	}
	back := testkit.Must(w.Pay(session, stripesim.Buyer{Name: "Jeanne", VAT: "FR83404833048"}))(t)
	if back != "https://arpent.example/account/plan/done?session="+session {
		t.Errorf("the browser is sent to %s", back)
	}
	seen := w.deliver(0)
	if r := w.row(account); r.Plan != billing.Standard || r.Status != billing.Active || r.PeriodEnd.Before(w.Now().Add(27*day)) {
		t.Fatalf("paid: %s", formatRow(r))
	}
	sub := w.row(account).SubscriptionID

	w.Advance(10 * day)
	preview := testkit.Must(w.gate.Preview(ctx, sub, monthly(billing.Pro)))(t)
	if preview.Currency != "eur" || preview.DueNowCents < 4000 || preview.DueNowCents > 7200 || preview.NextCents < 7900 || preview.NextCents > 9480 || !preview.At.Equal(w.Now()) {
		t.Errorf("preview: %+v", preview)
	}
	w.must(w.gate.Upgrade(ctx, sub, monthly(billing.Pro), preview.At, "1"))
	w.must(w.gate.Upgrade(ctx, sub, monthly(billing.Pro), preview.At, "1")) // the form was sent twice
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro {
		t.Fatalf("upgraded: %s", formatRow(r))
	}
	bills := testkit.Must(w.gate.Invoices(ctx, customer, 10))(t)
	if len(bills) != 2 || bills[0].TotalCents != preview.DueNowCents || bills[0].Status != "paid" || bills[0].Number == "" || bills[0].PDF == "" {
		t.Errorf("bills: %+v, previewed %d", bills, preview.DueNowCents)
	}
	if next, err := w.gate.Upcoming(ctx, sub); err != nil || next == nil || next.TotalCents != preview.NextCents {
		t.Errorf("next bill: %+v, %v, previewed %d", next, err, preview.NextCents)
	}

	w.must(w.gate.Downgrade(ctx, sub, monthly(billing.Standard)))
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro || r.NextPlan != billing.Standard {
		t.Fatalf("to be downgraded: %s", formatRow(r))
	}
	w.must(w.gate.CancelAtPeriodEnd(ctx, sub, true))
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Pro || r.NextPlan != "" || !r.CancelAtPeriodEnd {
		t.Fatalf("to be ended: %s", formatRow(r))
	}
	w.must(w.gate.Downgrade(ctx, sub, monthly(billing.Standard))) // instead
	seen = w.deliver(seen)
	if r := w.row(account); r.CancelAtPeriodEnd || r.NextPlan != billing.Standard {
		t.Fatalf("to be downgraded instead: %s", formatRow(r))
	}
	w.must(w.gate.Downgrade(ctx, sub, monthly(billing.Standard)))
	w.Advance(25 * day)
	seen = w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Standard || r.NextPlan != "" {
		t.Fatalf("downgraded: %s", formatRow(r))
	}
	w.must(w.gate.CancelAtPeriodEnd(ctx, sub, true))
	w.must(w.gate.CancelAtPeriodEnd(ctx, sub, false))
	w.must(w.gate.CancelAtPeriodEnd(ctx, sub, true))
	w.Advance(32 * day)
	w.deliver(seen)
	if r := w.row(account); r.Plan != billing.Free || r.Status != billing.Canceled {
		t.Fatalf("ended: %s", formatRow(r))
	}
	if next, err := w.gate.Upcoming(ctx, sub); err != nil || next != nil {
		t.Errorf("a next bill %+v, %v", next, err)
	}
	w.must(w.gate.CancelNow(ctx, sub))
	if got, want := w.mails(account), "plan_started plan_changed plan_changing plan_ending plan_changing plan_changed plan_ended"; got != want {
		t.Errorf("mails %s, want %s", got, want)
	}
	asked := map[string]bool{}
	for _, r := range w.Requests() {
		if r.Status >= 400 && r.Status != 404 {
			t.Errorf("%s %s %v: %d", r.Method, r.Path, r.Form, r.Status)
		}
		asked[r.Method+" "+r.Path] = true
	}
	t.Logf("%d different requests", len(asked))
}

func lastPart(t *testing.T, address string) string {
	t.Helper()
	u := testkit.Must(url.Parse(address))(t)
	return path.Base(u.Path)
}

// The customer's own data reach Stripe, and a VAT number that cannot be
// one is refused before anything is changed.
func TestBilling(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	ctx := t.Context()
	_, customer := w.account("jeanne@exemple.fr")
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: "compta@exemple.fr", VAT: "fr 83 404 833 048"}, "fr"))
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: "compta@exemple.fr", VAT: "FR83404833048"}, "fr"))
	b, err := w.gate.Billing(ctx, customer)
	if err != nil || b != (billing.Billing{Email: "compta@exemple.fr", VAT: "FR83404833048", VATStatus: "pending"}) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, vat := range []string{"X", "12345", "FR<b>", "FR" + strings.Repeat("1", 40), "é1234567"} {
		if err := w.gate.SetBilling(ctx, customer, billing.Billing{Email: "autre@exemple.fr", VAT: vat}, "fr"); !errors.Is(err, billing.ErrVAT) {
			t.Errorf("%q: %v", vat, err)
		}
	}
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: "compta@exemple.fr", VAT: ""}, "fr"))
	if b, err := w.gate.Billing(ctx, customer); err != nil || b.VAT != "" || b.Email != "compta@exemple.fr" {
		t.Errorf("%+v, %v", b, err)
	}
	if page, err := w.gate.PortalURL(ctx, customer, "en"); err != nil || !strings.HasPrefix(page, w.URL()) {
		t.Errorf("%s, %v", page, err)
	}
}

// The company and the purchase order that a customer gives are on the bills made from then on, and neither on
// those before nor on those after they are taken off. What the operator put on the bills stays.
func TestBillTexts(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	ctx := t.Context()
	_, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
	w.must(w.SetCustomField(customer, "Contrat", "K-7"))
	given := billing.Billing{Email: "compta@exemple.fr", Company: "Dupont & fils", PurchaseOrder: "BC 2026/42"}
	w.must(w.gate.SetBilling(ctx, customer, given, "fr"))
	w.must(w.gate.SetBilling(ctx, customer, given, "en")) // the label follows the language; there is one
	if b, err := w.gate.Billing(ctx, customer); err != nil || b != given {
		t.Errorf("shown: %+v, %v", b, err)
	}
	w.Advance(32 * day)
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: given.Email}, "fr"))
	if b, err := w.gate.Billing(ctx, customer); err != nil || b != (billing.Billing{Email: given.Email}) {
		t.Errorf("after they were taken off: %+v, %v", b, err)
	}
	w.Advance(31 * day)
	bills := testkit.Must(w.gate.Invoices(ctx, customer, 10))(t)
	var texts []string
	for _, bill := range bills { // the newest first
		texts = append(texts, w.billTexts(bill.Page))
	}
	want := []string{"Contrat: K-7", "Bill to: Dupont &amp; fils, Purchase order: BC 2026/42, Contrat: K-7", ""}
	if !slices.Equal(texts, want) {
		t.Errorf("bills have %q, want %q", texts, want)
	}
}

// A purchase order that Stripe has no place for is an error of its own, and changes nothing.
func TestPurchaseOrderNeedsAField(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	ctx := t.Context()
	_, customer := w.account("jeanne@exemple.fr")
	for _, name := range []string{"A", "B", "C"} {
		w.must(w.SetCustomField(customer, name, "v"))
	}
	given := billing.Billing{Email: "compta@exemple.fr", PurchaseOrder: "BC-1"}
	for range 2 { // a purchase order takes the place of the former one
		w.must(w.gate.SetBilling(ctx, customer, given, "fr"))
	}
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: given.Email}, "fr"))
	w.must(w.SetCustomField(customer, "D", "v"))
	refused := billing.Billing{Email: "autre@exemple.fr", Company: "Dupont", PurchaseOrder: "BC-2"}
	testkit.WantError(t, w.gate.SetBilling(ctx, customer, refused, "fr"),
		billing.ErrBillFieldsFull, "a fifth field")
	if b, err := w.gate.Billing(ctx, customer); err != nil || b != (billing.Billing{Email: given.Email}) {
		t.Errorf("%+v, %v", b, err)
	}
	w.must(w.gate.SetBilling(ctx, customer, billing.Billing{Email: "autre@exemple.fr"}, "fr"))
}

// billTexts are the texts in the header of the page of a bill.
func (w *world) billTexts(page string) string {
	w.t.Helper()
	res := testkit.Must(http.Get(page))(w.t)
	defer res.Body.Close()
	body := testkit.Must(io.ReadAll(res.Body))(w.t)
	var texts []string
	for _, m := range regexp.MustCompile(`<p>([^<]*: [^<]*)</p>`).FindAllStringSubmatch(string(body), -1) {
		texts = append(texts, m[1])
	}
	return strings.Join(texts, ", ")
}

// A price that is not what the pages promise is named before anybody pays it.
func TestCheckPrices(t *testing.T) {
	t.Parallel()
	sim := stripesim.ForTest(t, stripesim.Options{})
	good := stripesim.Price{ID: stripesim.ProPrice, Name: "Pro", Cents: 7900, Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true}
	for want, change := range map[string]func(*stripesim.Price){
		"is in \"usd\" instead of \"eur\"":                     func(p *stripesim.Price) { p.Currency = "usd" },
		"is 790 cents instead of 7900":                         func(p *stripesim.Price) { p.Cents = 790 },
		"instead of monthly":                                   func(p *stripesim.Price) { p.Interval = "year" },
		"tax behaviour \"inclusive\" instead of \"exclusive\"": func(p *stripesim.Price) { p.TaxBehavior = "inclusive" },
		"is archived":                                          func(p *stripesim.Price) { p.Active = false },
	} {
		p := good
		change(&p)
		sim.SetPrice(p)
		err := newGate(sim).CheckPrices(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pro plan ("+stripesim.ProPrice+")") || strings.Contains(err.Error(), "standard") {
			t.Errorf("want %q: %v", want, err)
		}
	}
	sim.SetPrice(good)
	if err := newGate(sim).CheckPrices(t.Context()); err != nil {
		t.Error(err)
	}
	none := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Backend: sim.URL(), Prices: map[string][]string{billing.Standard: {"price_none"}}})
	if err := none.CheckPrices(t.Context()); err == nil || !strings.Contains(err.Error(), "price_none") || !strings.Contains(err.Error(), "the pro plan has no price") {
		t.Error(err)
	}
}

// A caller that waits for Stripe gets an error long before a slow answer, and a declined card is not taken
// for that. Neither the key nor the library's own words get into an error.
func TestAbsence(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	_, customer := w.account("jeanne@exemple.fr")
	for _, mode := range []stripesim.Failure{stripesim.Down, stripesim.Error500, stripesim.TooMany, stripesim.Slow} {
		w.Fail(mode, 0)
		_, err := w.read(customer)
		if !errors.Is(err, billing.ErrUnavailable) { // who waited for the slow answer would have it
			t.Errorf("%s: %v", mode, err)
		}
		if err != nil && strings.Contains(err.Error(), stripesim.DefaultKey) {
			t.Errorf("%s: the key is in %v", mode, err)
		}
	}
	w.Fail(stripesim.LostReply, 1)
	if _, err := w.read(customer); err != nil {
		t.Errorf("one answer lost: %v", err)
	}
	w.Fail(stripesim.Works, 0)
	sub := testkit.Must(w.Subscribe(customer, stripesim.StandardPrice, stripesim.CardFailsNext))(t)
	testkit.WantError(t, w.gate.Upgrade(t.Context(), sub, monthly(billing.Pro), w.Now(), "1"), billing.ErrDeclined, "a declined upgrade")
	if s, err := w.read(customer); err != nil || s.Plan != billing.Standard || s.Status != billing.Active {
		t.Errorf("after a declined upgrade: %+v, %v", s, err)
	}
	if invoices, err := w.gate.Invoices(t.Context(), customer, 1); err != nil || len(invoices) != 1 || !invoices[0].Upgrade ||
		invoices[0].Status != "void" {
		t.Errorf("the invoice of a declined upgrade: %+v, %v", invoices, err)
	}
	testkit.WantError(t, testkit.ErrorOf(w.read("cus_unknown")),
		billing.ErrNoCustomer, "a customer that Stripe does not know")
}

// Of the pages on which a customer may pay one is open, whichever plan was asked for and in what order; a
// page that was closed is never given again. Ten tabs that ask at once for the same plan get one page.
func TestOnePaymentPageOfSimultaneousOnesIsOpen(t *testing.T) {
	w := newWorld(t, stripesim.Options{})
	account, _ := w.account("jeanne@exemple.fr")
	page := func(plan string) string {
		url, err := w.gate.Checkout(t.Context(), billing.CheckoutRequest{Account: account, Customer: w.row(account).AtStripe(), Offer: monthly(plan), Language: "fr", Attempt: "1"})
		if err != nil {
			t.Error(err)
		}
		return url
	}
	pages := make([]string, 10)
	var wg sync.WaitGroup
	for i := range pages {
		wg.Go(func() { pages[i] = page(billing.Standard) })
	}
	wg.Wait()
	slices.Sort(pages)
	if pages = slices.Compact(pages); len(pages) != 1 {
		t.Errorf("%d pages", len(pages))
	}
	second := page(billing.Pro)
	if _, err := w.Pay(lastPart(t, pages[0]), stripesim.Buyer{}); err == nil {
		t.Error("a page that was closed takes money")
	}
	third := page(billing.Standard)
	if third == pages[0] || third == second {
		t.Errorf("a closed page is given again")
	}
	testkit.Must(w.Pay(lastPart(t, third), stripesim.Buyer{}))(t)
	w.deliver(0)
	if r := w.row(account); r.Plan != billing.Standard {
		t.Errorf("%s", formatRow(r))
	}
}
