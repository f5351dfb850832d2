package portal_test

import (
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// selling starts an instance that sells plans, against a simulation of Stripe.
func selling(t testing.TB, change func(*config.Config)) (*fixture.Site, *stripesim.Simulator) {
	t.Helper()
	sim := stripesim.ForTest(t, stripesim.Options{})
	s := fixture.Portal(t, func(c *config.Config) {
		c.StripeKey, c.StripeWebhookSecret = stripesim.DefaultKey, stripesim.DefaultWebhookSecret
		c.StripePrices, c.StripeURL = stripesim.PriceLists(), sim.URL()
		if change != nil {
			change(c)
		}
	})
	sim.SetWebhook(s.Base+"/webhooks/stripe", stripesim.DefaultWebhookSecret)
	return s, sim
}

// A customer subscribes, takes the larger plan, cancels, and is back on the free one when what is paid for is
// over: at each step the API's own headers say which plan is in force, within five seconds.
func TestBillingWalk(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]browserOptions{"French": {language: "fr"}, "English without scripts": {language: "en", noScript: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, sim := selling(t, nil)
			other := another(s)
			b := newBrowser(t, s.Base, o)
			signUpInBrowser(b, s, "jeanne@exemple.fr")
			b.open("/account/keys/new")
			b.fill("/account/keys/new", "name", "ingest")
			b.send("/account/keys/new")
			key := shownKey(b)
			onPlan(s, other, key, "free", "10", "100")

			b.open("/account/plan")
			b.press(`form[action="/account/plan/subscribe"]:has([value="standard"]) button`)
			b.press("#pay")
			onPlan(s, other, key, "standard", "60", "2000")
			b.open("/account/plan/change?plan=pro")
			b.send("/account/plan/change")
			onPlan(s, other, key, "pro", "300", "25000")
			b.open("/account/plan/cancel")
			b.send("/account/plan/cancel")
			onPlan(s, other, key, "pro", "300", "25000") // to the end of what is paid for
			sim.Advance(32 * 24 * time.Hour)
			onPlan(s, other, key, "free", "10", "100")
			b.open("/account/keys")
			b.must("ingest") // no key is deleted for it
		})
	}
}

// What changes about an account changes at Stripe: bills follow the address, through the page and the link
// that change it, and the deletion ends the subscription and takes the card away. The customer and what it
// paid stay at Stripe, as accounting records have to.
func TestAccountChangesReachStripe(t *testing.T) {
	t.Parallel()
	s, sim := selling(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	checkout := b.Submit(b.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	_, err := sim.Pay(path.Base(checkout), stripesim.Buyer{})
	testkit.NoError(t, err)
	var customer string
	testkit.Eventually(t, testkit.Timeout, "the subscription is known to be paid", func() bool {
		err := s.Pool.QueryRow(t.Context(), `SELECT customer_id FROM account.subscription WHERE plan = 'standard' AND status = 'active'`).Scan(&customer)
		return err == nil
	})
	if got := sim.Email(customer); got != "jeanne@exemple.fr" {
		t.Fatalf("bills go to %q", got)
	}
	paid, paidBy := sim.Kept(customer), time.Now().Unix()
	b.Submit(b.Get("/account/settings/email"), "/account/settings/email", "email", "jeanne@exemple.com")
	link := s.Link("jeanne@exemple.com", "email")
	if got := sim.Email(customer); got != "jeanne@exemple.fr" {
		t.Errorf("before the link was followed bills go to %q", got)
	}
	if p := b.Submit(b.Get(link), link); p.Status != http.StatusSeeOther {
		t.Fatalf("the link: %d\n%s", p.Status, p.Text("main"))
	}
	testkit.Eventually(t, testkit.Timeout, "bills follow the address", func() bool { return sim.Email(customer) == "jeanne@exemple.com" })

	if sim.Cards(customer) == 0 {
		t.Fatal("no card was saved: the test shows nothing")
	}
	// Stripe counts in seconds, and what is paid in the second of the deletion or later is given back.
	testkit.Eventually(t, testkit.Timeout, "the second of the payment is over", func() bool { return time.Now().Unix() > paidBy })
	if p := b.Submit(b.Get("/account/delete"), "/account/delete", "email", "jeanne@exemple.com"); p.Status != http.StatusSeeOther {
		t.Fatalf("delete: %d\n%s", p.Status, p.Text("main"))
	}
	testkit.Eventually(t, testkit.Timeout, "the card is taken away", func() bool { return sim.Cards(customer) == 0 })
	if got := sim.Kept(customer); got != paid || paid == 0 || sim.Metadata(customer)["arpent_reference"] == "" {
		t.Errorf("of the customer %d cents are left of %d, and the metadata %v", got, paid, sim.Metadata(customer))
	}
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.account`); n != 0 {
		t.Errorf("%d accounts are left", n)
	}
}

// What a customer types under "Billed to" is shown there and is on the next invoice, and not on the one after
// it was emptied.
func TestBillTextsReachInvoices(t *testing.T) {
	t.Parallel()
	s, sim := selling(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	checkout := b.Submit(b.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	_, err := sim.Pay(path.Base(checkout), stripesim.Buyer{Name: "Jeanne Dupont"})
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "the subscription is known to be paid", func() bool {
		return testkit.Count(t, s.Pool, `SELECT count(*) FROM account.subscription WHERE status = 'active'`) == 1
	})
	for _, typed := range [][2]string{{"Dupont & fils", "BC 2026/42"}, {"", ""}} {
		if p := b.Get("/account/plan"); typed[0] != "" && p.Value("company") != "Jeanne Dupont" {
			t.Errorf("the name given to Stripe is shown as %q", p.Value("company"))
		}
		b.Submit(b.Get("/account/plan"), "/account/plan/billing", "company", typed[0], "order", typed[1])
		p := b.Get("/account/plan")
		if p.Value("company") != typed[0] || p.Value("order") != typed[1] {
			t.Errorf("%q became %q and %q", typed, p.Value("company"), p.Value("order"))
		}
		sim.Advance(32 * 24 * time.Hour)
		latest := b.Get("/account/plan").Find(`a[href^="`+sim.URL()+`/invoice/"]`).First().AttrOr("href", "")
		res, err := http.Get(latest)
		testkit.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", latest, res.StatusCode, err)
		}
		has := strings.Contains(string(body), "<p>Bill to: Dupont &amp; fils</p>") && strings.Contains(string(body), "<p>Bon de commande: BC 2026/42</p>")
		if has != (typed[0] != "") || strings.Contains(string(body), "Jeanne") {
			t.Errorf("after %q the invoice says\n%s", typed, body)
		}
	}
}

// another starts one more instance on the same database.
func another(s *fixture.Site) *fixture.Service {
	s.T.Helper()
	o := *s.Service
	o.Run(func(c *config.Config) { // mails are sent by whichever instance takes them up
		c.BaseURL, c.SMTPURL, c.MailFrom = s.Base, config.Secret(s.Mails.URL()), "no-reply@arpent.example"
	})
	return &o
}

// onPlan waits until the headers of both instances have a plan and its limits, as they were notified.
func onPlan(s *fixture.Site, other *fixture.Service, key, plan, perMinute, perDay string) {
	s.T.Helper()
	start, want := time.Now(), plan+" "+perMinute+" "+perDay
	for _, instance := range []*fixture.Service{s.Service, other} {
		testkit.Eventually(s.T, fixture.Noticed, "headers of "+want, func() bool {
			h := instance.Get("/api/v1", "X-API-Key", key).Header
			return h.Get("X-Plan")+" "+h.Get("X-RateLimit-Limit")+" "+h.Get("X-Quota-Limit") == want
		})
	}
	s.T.Logf("%s in force on both instances after %s", plan, time.Since(start).Round(time.Millisecond))
}

// What does not come from Stripe, or not for this server, is refused, counted, and leaves nothing behind.
func TestForeignEventsAreCounted(t *testing.T) {
	t.Parallel()
	s, _ := selling(t, nil)
	event := `{"id":"evt_1","type":"customer.subscription.updated","api_version":"2023-10-16"}`
	calls := []struct {
		signature, encoding, body string
		status                    int
		answer                    string
	}{
		{"", "", event, http.StatusBadRequest, ""},
		{"t=1,v1=00", "", event, http.StatusBadRequest, ""},
		{"nonsense", "", event, http.StatusBadRequest, ""},
		{"t=1,v1=00", "gzip", event, http.StatusUnsupportedMediaType, "rejected: encoded\n"},
		{"t=1,v1=00", "", strings.Repeat(" ", 256<<10+1), http.StatusRequestEntityTooLarge, "rejected: too_large\n"},
		{"t=1,v1=00", "", strings.Repeat(" ", 256<<10), http.StatusBadRequest, ""},
	}
	patient := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
	for _, call := range calls {
		req, err := http.NewRequest(http.MethodPost, s.Base+"/webhooks/stripe", strings.NewReader(call.body))
		testkit.NoError(t, err)
		req.Header.Set("Stripe-Signature", call.signature)
		req.Header.Set("Content-Encoding", call.encoding)
		req.Header.Set("Expect", "100-continue") // what is refused unread ends its connection: no other request uses it meanwhile
		res, err := patient.Do(req)
		testkit.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != call.status || call.answer != "" && string(text) != call.answer {
			t.Errorf("signature %q, encoding %q, %d bytes: %d %q, %v", call.signature, call.encoding, len(call.body), res.StatusCode, text, err)
		}
	}
	if n := s.Metric("arpent_stripe_refused_total"); n != float64(len(calls)) {
		t.Errorf("the metric says %g", n)
	}
	if got := s.Labels("arpent_stripe_refused_total", "reason"); !slices.Contains(got, "encoded") || !slices.Contains(got, "too_large") {
		t.Errorf("the reasons are %q", got)
	}
	if kept := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.stripe_event`); kept != 0 {
		t.Errorf("%d events were kept", kept)
	}
}
