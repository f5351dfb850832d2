package portal_test

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

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

// A customer subscribes, moves up, cancels and is on Free again when what was paid is over, all through the
// pages and Stripe's events. At each step the plan in force is the one that is paid for.
func TestPlanWalk(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	b := m.member("jeanne@exemple.fr")
	m.stripe.Hold()
	back := m.pay(b, billing.Standard, stripesim.CardOK)
	b.planIs(billing.Free) // an address that says it is paid is not believed
	b.Get(back).Want(http.StatusOK, "Le paiement est confirmé", "Standard active", "22,80\u00a0€", "payée")
	b.planIs(billing.Standard)
	m.stripe.ReleaseReversed()
	m.quiet()
	b.planIs(billing.Standard)

	b.Post("/account/plan/billing", url.Values{"email": {"compta@exemple.fr"}, "vat": {"FR 40 303 265 045"}}).Want(http.StatusOK, "enregistrées")
	if p := b.Get("/account/plan"); p.Value("email") != "compta@exemple.fr" || p.Value("vat") != "FR40303265045" {
		t.Errorf("billed to %q, %q", p.Value("email"), p.Value("vat"))
	}

	p := b.Get("/account/plan/change?plan=pro").Want(http.StatusOK, "Passer à Pro", "72,00\u00a0€")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Pro est en place")
	b.planIs(billing.Pro)
	p = b.Get("/account/plan/change?plan=standard")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Le changement est noté", "puis Standard prend la suite")
	b.Post("/account/plan/resume", nil).Want(http.StatusOK, "continue comme avant", "Payée jusqu’au")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Le changement est noté")
	b.Post("/account/plan/cancel", url.Values{"when": {"end"}}).Want(http.StatusOK, "résilié", "Pro reste en place jusqu’au 21\u00a0décembre\u00a02026")
	m.quiet()
	b.planIs(billing.Pro)

	m.clock.Advance(31 * 24 * time.Hour)
	m.stripe.CatchUp()
	m.quiet()
	b.planIs(billing.Free)
	b.account.Email = "jeanne@exemple.fr"
	again := m.signIn("jeanne@exemple.fr")
	again.account = b.account
	again.Get("/account/plan").Want(http.StatusOK, "Gratuite", "Choisir Standard", "payée")
	again.Get(m.pay(again, billing.Standard, stripesim.CardOK)).Want(http.StatusOK, "Standard est en place")
	again.planIs(billing.Standard)
}

// Two windows that choose two plans lead to one subscription, paid once.
func TestTwoWindowsOneSubscription(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	b := m.member("jeanne@exemple.fr").stay()
	first := b.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}}).Header.Get("Location")
	second := b.Post("/account/plan/subscribe", url.Values{"plan": {"pro"}}).Header.Get("Location")
	buyer := stripesim.Buyer{Name: "Jeanne", Line1: "1 rue de la Paix", PostalCode: "75002", City: "Paris"}
	paid := 0
	for _, to := range []string{first, second} {
		if _, err := m.stripe.Pay(path.Base(to), buyer); err == nil {
			paid++
		}
	}
	m.quiet()
	testkit.Want(t, paid, 1, "pages took a payment")
	b.planIs(billing.Pro)
}

// A renewal that fails leaves a week and announces it; a card that works brings the
// plan back, whenever that is.
func TestFailedRenewal(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	b := m.member("jeanne@exemple.fr")
	b.Get(m.pay(b, billing.Standard, stripesim.CardFailsNext)).Want(http.StatusOK, "Standard est en place")
	m.quiet() // an event that is delivered after the clock moves is too old
	m.clock.Advance(30*24*time.Hour + 2*time.Hour)
	m.stripe.CatchUp()
	m.quiet()
	b.planIs(billing.Standard)
	account := b.account
	b = m.signIn("jeanne@exemple.fr")
	b.account = account
	b.Get("/account/keys").Want(http.StatusOK, "Le paiement de votre offre a échoué", "Standard reste en place jusqu’au")
	m.clock.Advance(8 * 24 * time.Hour)
	if _, err := m.till.EndGracePeriods(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.planIs(billing.Free)
	b.Get("/account").Want(http.StatusOK, "Les limites sont celles de l’offre gratuite")
	testkit.NoError(t, m.stripe.SetCard(b.customer(), stripesim.CardOK))
	if ok, err := m.stripe.PayOpen(b.customer()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	m.quiet()
	b.planIs(billing.Standard)
	if strings.Contains(b.Get("/account").Text("html"), "a échoué") {
		t.Error("the failure is said after it was paid")
	}
}

// customer is who the account is at Stripe.
func (b *browser) customer() string {
	b.s.t.Helper()
	return read[string](b.s, `SELECT customer_id FROM account.subscription WHERE account_id = $1`, b.account.ID)
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
