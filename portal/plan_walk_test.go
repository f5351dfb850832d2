package portal_test

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/portal"
)

// market is a site that sells plans through the simulator of Stripe, whose time is the site's.
type market struct {
	*site
	stripe *stripesim.Simulator
	till   *billing.Service
}

func newMarket(t *testing.T, settings ...setting) *market {
	t.Helper()
	m := &market{}
	m.site = newSite(t, append(settings, func(o *portal.Options, _ *social.Options) {
		m.stripe = stripesim.ForTest(t, stripesim.Options{Clock: o.Clock})
		o.Billing = billing.New(billing.Options{DB: o.DB, Clock: o.Clock, Gateway: stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, WebhookSecret: stripesim.DefaultWebhookSecret, PublicURL: o.BaseURL,
			Prices: stripesim.PriceLists(), ReservePrice: stripesim.ReservePrice,
			Backend: m.stripe.URL(), Clock: o.Clock})})
		o.PaymentOrigins = []string{m.stripe.URL()}
		m.till = o.Billing
	})...)
	m.stripe.SetWebhook(m.base+"/webhooks/stripe", stripesim.DefaultWebhookSecret)
	return m
}

// quiet waits until every event that may be delivered is.
func (m *market) quiet() {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), testkit.Timeout)
	defer cancel()
	testkit.NoError(m.t, m.stripe.Quiet(ctx))
	if len(m.eventsRejected) > 0 {
		m.t.Errorf("events of Stripe were refused: %q", m.eventsRejected)
	}
}

// pay chooses a plan, pays for it on Stripe's page, and gives where that leads back to.
func (m *market) pay(b *browser, plan string, with stripesim.Card) string {
	m.t.Helper()
	b.stay()
	p := b.Post("/account/plan/subscribe", url.Values{"plan": {plan}})
	to, err := url.Parse(p.Header.Get("Location"))
	if p.Status != http.StatusSeeOther || err != nil || !strings.HasPrefix(to.String(), m.stripe.URL()) {
		m.t.Fatalf("choosing %s: %d to %q\n%s", plan, p.Status, p.Header.Get("Location"), p.Text("html"))
	}
	back, err := m.stripe.Pay(path.Base(to.Path), stripesim.Buyer{Name: "Jeanne Martin", Line1: "1 rue de la Paix",
		PostalCode: "75002", City: "Paris", Card: with})
	testkit.NoError(m.t, err)
	b.CheckRedirect = nil
	return strings.TrimPrefix(back, m.base)
}

// The owner of a paid plan sets a reserve, sees what it can cost and what was used of it, and ends it. A
// text that is no number of requests stays in the field, and an account without a plan is offered none.
func TestReserveOnThePageOfThePlan(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	b := m.member("jeanne@exemple.fr")
	if p := b.Get("/account/plan"); strings.Contains(p.Text("main"), "Réserve") {
		t.Error("a reserve is offered without a plan")
	}
	b.Post("/account/plan/reserve", url.Values{"per_month": {"500"}}).Want(http.StatusConflict, "souscrivez d’abord")
	b.Get(m.pay(b, billing.Standard, stripesim.CardOK)).Want(http.StatusOK, "8\u00a0€ HT pour 1\u202f000\u00a0requêtes")
	for _, wrong := range []string{"beaucoup", "-1", "99999999999", "5000,00", "1000.0", "5.000,00"} {
		p := b.Post("/account/plan/reserve", url.Values{"per_month": {wrong}}).Want(http.StatusUnprocessableEntity, "Un nombre entier")
		if p.Value("per_month") != wrong {
			t.Errorf("the field says %q", p.Value("per_month"))
		}
	}
	b.Post("/account/plan/reserve", url.Values{"per_month": {"5 000"}}).Want(http.StatusOK, "La réserve est enregistrée",
		"Utilisé ce mois-ci\u00a0: 0 sur 5\u202f000.", "Au plus 40\u00a0€ HT par mois.")
	b.Get("/account/usage").Want(http.StatusOK, "Réserve du mois")
	b.Get("/account/security/activity").Want(http.StatusOK, "Réserve fixée", "requêtes par mois")
	b.Post("/account/plan/reserve", url.Values{"per_month": {""}}).Want(http.StatusOK, "La réserve est enregistrée", "HT pour")
	if p := b.Get("/account/plan"); strings.Contains(p.Text("main"), "Utilisé ce mois-ci") {
		t.Error("the reserve is shown after its end")
	}
}
