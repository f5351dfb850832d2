package portal_test

import (
	"net/http"
	"path"
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
	s, sim := selling(t, nil)
	other := another(s)
	b := newBrowser(t, s.Base, browserOptions{language: "fr"})
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
}

// What changes about an account changes at Stripe: bills follow the address, through the page and the link
// that change it, and the deletion ends the subscription and takes the card away. The customer and what it
// paid stay at Stripe, as accounting records have to.
func TestAccountChangesReachStripe(t *testing.T) {
	t.Parallel()
	s, sim := selling(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	checkout := b.Submit(b.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	testkit.Must(sim.Pay(path.Base(checkout), stripesim.Buyer{}))(t)
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
	testkit.WantCount(t, s.Pool, 0, "accounts are left", `SELECT count(*) FROM account.account`)
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
		testkit.Eventually(s.T, testkit.Timeout, "headers of "+want, func() bool {
			h := instance.Get("/api/v1", "X-API-Key", key).Header
			return h.Get("X-Plan")+" "+h.Get("X-RateLimit-Limit")+" "+h.Get("X-Quota-Limit") == want
		})
	}
	s.T.Logf("%s in force on both instances after %s", plan, time.Since(start).Round(time.Millisecond))
}
