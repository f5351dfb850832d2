package app_test

import (
	"net/http"
	"testing"
	"time"

	"arpent/app/config"
	"arpent/app/stripesim"
)

// selling starts an instance that sells plans, against a simulation of Stripe.
func selling(t testing.TB, change func(*config.Config)) (*site, *stripesim.Simulator) {
	t.Helper()
	sim := stripesim.ForTest(t, stripesim.Options{})
	s := portal(t, func(c *config.Config) {
		c.StripeKey, c.StripeWebhookSecret = stripesim.DefaultKey, stripesim.DefaultWebhookSecret
		c.StripePriceStandard, c.StripePricePro, c.StripeURL = stripesim.StandardPrice, stripesim.ProPrice, sim.URL()
		if change != nil {
			change(c)
		}
	})
	sim.SetWebhook(s.base+"/webhooks/stripe", stripesim.DefaultWebhookSecret)
	return s, sim
}

// A customer subscribes, takes the larger plan, cancels, and is back on the free one when what is paid for is over: at
// each step the API's own headers say which plan is in force, within five seconds.
func TestBillingWalk(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]browserOptions{"French": {language: "fr"}, "English without scripts": {language: "en", noScript: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, sim := selling(t, nil)
			b := newBrowser(t, s.base, o)
			signUpInBrowser(b, s, "jeanne@exemple.fr")
			b.open("/account/keys/new")
			b.fill("/account/keys/new", "name", "ingest")
			b.send("/account/keys/new")
			key := shownKey(b)
			s.onPlan(key, "free", "10", "100")

			b.open("/account/plan")
			b.press(`form[action="/account/plan/subscribe"]:has([value="standard"]) button`)
			b.press("#pay")
			s.onPlan(key, "standard", "60", "2000")
			b.open("/account/plan/change?plan=pro")
			b.send("/account/plan/change")
			s.onPlan(key, "pro", "300", "25000")
			b.open("/account/plan/cancel")
			b.send("/account/plan/cancel")
			s.onPlan(key, "pro", "300", "25000") // to the end of what is paid for
			sim.Advance(32 * 24 * time.Hour)
			s.onPlan(key, "free", "10", "100")
			b.open("/account/keys")
			b.must("ingest") // no key is deleted for it
		})
	}
}

// onPlan waits, five seconds at most, until the API's headers tell of a plan and its limits.
func (s *site) onPlan(key, plan, perMinute, perDay string) {
	s.t.Helper()
	var last http.Header
	start := time.Now()
	for time.Since(start) < 5*time.Second {
		last = s.service.get("/api/v1", "X-API-Key", key).header
		if last.Get("X-Plan") == plan && last.Get("X-RateLimit-Limit") == perMinute && last.Get("X-Quota-Limit") == perDay {
			s.t.Logf("%s in force after %s", plan, time.Since(start).Round(time.Millisecond))
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("after 5 s the headers say plan %s, %s a minute, %s a day; want %s", last.Get("X-Plan"), last.Get("X-RateLimit-Limit"), last.Get("X-Quota-Limit"), plan)
}
