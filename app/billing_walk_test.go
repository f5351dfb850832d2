package app_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/base/config"
	"arpent/app/dev/stripesim"
)

// selling starts an instance that sells plans, against a simulation of Stripe.
func selling(t testing.TB, change func(*config.Config)) (*site, *stripesim.Simulator) {
	t.Helper()
	sim := stripesim.ForTest(t, stripesim.Options{})
	s := portal(t, func(c *config.Config) {
		c.StripeKey, c.StripeWebhookSecret = stripesim.DefaultKey, stripesim.DefaultWebhookSecret
		c.StripePrices, c.StripeURL = stripesim.Prices(), sim.URL()
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
			other := s.another()
			b := newBrowser(t, s.base, o)
			signUpInBrowser(b, s, "jeanne@exemple.fr")
			b.open("/account/keys/new")
			b.fill("/account/keys/new", "name", "ingest")
			b.send("/account/keys/new")
			key := shownKey(b)
			s.onPlan(other, key, "free", "10", "100")

			b.open("/account/plan")
			b.press(`form[action="/account/plan/subscribe"]:has([value="standard"]) button`)
			b.press("#pay")
			s.onPlan(other, key, "standard", "60", "2000")
			b.open("/account/plan/change?plan=pro")
			b.send("/account/plan/change")
			s.onPlan(other, key, "pro", "300", "25000")
			b.open("/account/plan/cancel")
			b.send("/account/plan/cancel")
			s.onPlan(other, key, "pro", "300", "25000") // to the end of what is paid for
			sim.Advance(32 * 24 * time.Hour)
			s.onPlan(other, key, "free", "10", "100")
			b.open("/account/keys")
			b.must("ingest") // no key is deleted for it
		})
	}
}

// another starts one more instance on the same database.
func (s *site) another() *service {
	s.t.Helper()
	o := &service{t: s.t, pool: s.pool, url: s.url, log: s.service.log}
	o.run(func(c *config.Config) { // mails are sent by whichever instance takes them up
		c.BaseURL, c.SMTPURL, c.MailFrom = s.base, config.Secret(s.mails.URL()), "no-reply@arpent.example"
	})
	return o
}

// onPlan waits, for less than the minute after which an instance reads everything again, until the headers of both instances tell of a plan and its limits.
func (s *site) onPlan(other *service, key, plan, perMinute, perDay string) {
	s.t.Helper()
	start, want := time.Now(), plan+" "+perMinute+" "+perDay
	var told [2]string
	for time.Since(start) < noticed {
		for i, instance := range []*service{s.service, other} {
			h := instance.get("/api/v1", "X-API-Key", key).header
			told[i] = h.Get("X-Plan") + " " + h.Get("X-RateLimit-Limit") + " " + h.Get("X-Quota-Limit")
		}
		if told[0] == want && told[1] == want {
			s.t.Logf("%s in force on both instances after %s", plan, time.Since(start).Round(time.Millisecond))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("after %s the headers say %q; want %s", noticed, told, want)
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
		{"t=1,v1=00", "gzip", event, http.StatusUnsupportedMediaType, "refused: encoded\n"},
		{"t=1,v1=00", "", strings.Repeat(" ", 256<<10+1), http.StatusRequestEntityTooLarge, "refused: too_large\n"},
		{"t=1,v1=00", "", strings.Repeat(" ", 256<<10), http.StatusBadRequest, ""},
	}
	patient := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
	for _, call := range calls {
		req, err := http.NewRequest(http.MethodPost, s.base+"/webhooks/stripe", strings.NewReader(call.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Stripe-Signature", call.signature)
		req.Header.Set("Content-Encoding", call.encoding)
		req.Header.Set("Expect", "100-continue") // what is refused unread ends its connection: nobody writes on it meanwhile
		res, err := patient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != call.status || call.answer != "" && string(text) != call.answer {
			t.Errorf("signature %q, encoding %q, %d bytes: %d %q, %v", call.signature, call.encoding, len(call.body), res.StatusCode, text, err)
		}
	}
	if n := s.app.Metric("arpent_stripe_refused_total"); n != float64(len(calls)) {
		t.Errorf("the metric says %g", n)
	}
	if got := s.app.Labels("arpent_stripe_refused_total", "reason"); !slices.Contains(got, "encoded") || !slices.Contains(got, "too_large") {
		t.Errorf("the reasons are %q", got)
	}
	var kept int
	if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.stripe_event`).Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d events were kept, %v", kept, err)
	}
}
