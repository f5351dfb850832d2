package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/portal"
)

// Where nothing is sold the page states it, in both languages, and no form pretends otherwise.
func TestPlansAreNotSoldWithoutStripe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.Get("/account/plan").Want(http.StatusOK, "Les offres payantes ne sont pas disponibles sur ce serveur", "Votre offre Gratuite", "100 par jour", "19\u00a0€ HT par mois")
	if links := strings.Count(p.Body, "/account/plan/"); links != strings.Count(p.Body, `action="/account/plan/wish"`) || links != 2 {
		t.Error("a form or a link leads to a purchase")
	}
	b.Get("/account/plan?lang=en").Want(http.StatusOK, "Paid plans are not available on this server", "€79 per month, excl.\u00a0VAT")
	b.Post("/account/plan/subscribe", url.Values{"plan": {"pro"}}).Want(http.StatusOK, "pas disponibles")
	if p := b.Send(http.MethodPost, "/webhooks/stripe", url.Values{}); p.Status != http.StatusNotFound && p.Status != http.StatusMethodNotAllowed {
		t.Errorf("the webhook answers %d", p.Status)
	}
	b.planIs(billing.Free)
}

// While an operator rehearses with a key of Stripe's test mode, no customer gets a plan by a test card, and
// none reads that plans are on sale.
func TestRehearsalSellsToOperatorsAlone(t *testing.T) {
	t.Parallel()
	till := &till{failOf: map[string]error{}, given: map[string]time.Duration{}}
	var rehearsal *billing.Service
	s := newSite(t, func(o *portal.Options, _ *social.Options) {
		o.Operators = []string{"exploitante@exemple.fr"}
		rehearsal = billing.New(billing.Options{DB: o.DB, Clock: o.Clock, Gateway: till, IsRehearsal: true})
		o.Billing = rehearsal
	})
	customer, operator := s.member("jeanne@exemple.fr"), s.member("exploitante@exemple.fr")
	buy := url.Values{"plan": {"pro"}}
	customer.Post("/account/plan/subscribe", buy).Want(http.StatusOK, "pas disponibles", "Prévenez-moi")
	customer.Post("/account/plan/wish", buy).Want(http.StatusOK, "C’est noté")
	if sent, err := rehearsal.NotifyWishes(t.Context()); sent != 0 || err != nil {
		t.Errorf("%d are notified that plans are sold, %v", sent, err)
	}
	if till.asked("checkout") {
		t.Error("a customer is led to pay")
	}
	operator.Get("/account/plan").Want(http.StatusOK, "Répétition", "Choisir Pro")
	operator.Get("/account/plan?lang=en").Want(http.StatusOK, "Rehearsal: nothing is paid.")
	operator.stay()
	operator.Post("/account/plan/subscribe", buy).Want(http.StatusSeeOther)
	if !till.asked("checkout cus_exploitante@exemple.fr pro") {
		t.Error("the operator is not led to pay")
	}
}

// A customer who waits for a plan can have it noted, change it and take it back; only with an address that
// mails reach, and only for a plan that costs something.
func TestWishForAPlan(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	wished := func(want string) {
		t.Helper()
		plan := read[string](s, `SELECT coalesce(max(plan), '') FROM account.plan_wish WHERE account_id = $1`, b.account.ID)
		testkit.Want(t, plan, want, "wished")
	}
	b.Post("/account/plan/wish", url.Values{"plan": {"free"}}).Want(http.StatusBadRequest)
	wished("")
	b.Submit(b.Get("/account/plan").Want(http.StatusOK, "Prévenez-moi"), "/account/plan/wish", "plan", "standard").Want(http.StatusOK, "C’est noté", "e-mail demandé", "Annuler la demande")
	wished("standard")
	b.Post("/account/plan/wish", url.Values{"plan": {"pro"}}).Want(http.StatusOK, "C’est noté")
	wished("pro")
	b.Get("/account/security/activity").Want(http.StatusOK, "Avis d’ouverture d’une offre demandé", "Pro")
	b.Get("/account/plan?lang=en").Want(http.StatusOK, "Notify me", "email requested", "Cancel the request")
	b.Submit(b.Get("/account/plan"), "/account/plan/wish/remove").Want(http.StatusOK, "annulée")
	wished("")
	s.exec(`UPDATE account.account SET email_confirmed_at = NULL`)
	b.Get("/account/plan").Want(http.StatusOK, "Confirmez votre adresse e-mail pour que nous puissions").Lacks("/account/plan/wish")
	b.Post("/account/plan/wish", url.Values{"plan": {"pro"}}).Want(http.StatusUnprocessableEntity, "Confirmez")
	wished("")
}

// Choosing a plan leads to Stripe's page, the same one from two windows, and gives nothing by itself.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	p := b.Get("/account/plan").Want(http.StatusOK, "Gratuite", "Choisir Standard", "Choisir Pro", "votre offre")
	if csp := p.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self' https://checkout.stripe.com") {
		t.Errorf("the form cannot lead to Stripe: %s", csp)
	}
	if strings.Contains(p.Body, "/account/plan/billing") || strings.Contains(p.Body, "/account/plan/cancel") {
		t.Error("somebody who bought nothing is offered to change it")
	}
	b.stay()
	for range 2 {
		p = b.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}})
		if p.Status != http.StatusSeeOther || p.Header.Get("Location") != "https://checkout.stripe.com/c/pay/cs_1" {
			t.Fatalf("%d %s\n%s", p.Status, p.Header.Get("Location"), p.Text("html"))
		}
	}
	first := "checkout cus_jeanne@exemple.fr standard fr "
	var attempts []string
	for _, call := range s.till.calls {
		if strings.HasPrefix(call, first) {
			attempts = append(attempts, call)
		}
	}
	if len(attempts) != 2 || attempts[0] != attempts[1] {
		t.Errorf("a form sent twice makes two attempts: %q", attempts)
	}
	b.planIs(billing.Free)
	b.Post("/account/plan/subscribe", url.Values{"plan": {"free"}}).Want(http.StatusBadRequest)
	b.Post("/account/plan/subscribe", url.Values{"plan": {"platinum"}}).Want(http.StatusBadRequest)

	// Paid meanwhile in another window: Stripe is asked before a second page of payment is made.
	s.till.set(func(g *till) {
		g.says = billing.Snapshot{SubscriptionID: "sub_1", Plan: billing.Standard, Status: billing.Active, PeriodEnd: periodEnd}
		g.calls = nil
	})
	p = b.Post("/account/plan/subscribe", url.Values{"plan": {"pro"}})
	if p.Status != http.StatusSeeOther || p.Header.Get("Location") != "/account/plan?done=already" || s.till.asked("checkout") {
		t.Errorf("a second subscription: %d %s", p.Status, p.Header.Get("Location"))
	}
	b.planIs(billing.Standard)
	b.Get("/account/plan?done=already").Want(http.StatusOK, "déjà un abonnement")
}

// An address that is not confirmed gets no invoice: it buys nothing.
func TestUnconfirmedBuysNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.exec(`UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, b.account.ID)
	b.Get("/account/plan").Want(http.StatusOK, "Confirmez d’abord").LacksForm("/account/plan/subscribe")
	b.Post("/account/plan/subscribe", url.Values{"plan": {"pro"}}).Want(http.StatusUnprocessableEntity, "Confirmez d’abord")
	if s.till.asked("checkout") || s.till.asked("customer") {
		t.Error("Stripe was asked")
	}
}

// The page after a payment believes Stripe, not its address; it asks again
// until Stripe reports it, and gives up with an error text.
func TestDoneBelievesStripeAlone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b, other := s.member("jeanne@exemple.fr").stay(), s.member("autre@exemple.fr").stay()
	gone := func(p *testkit.Page, to string) {
		t.Helper()
		if p.Status != http.StatusSeeOther || p.Header.Get("Location") != to {
			t.Errorf("%s answers %d, to %q; want %q", p.Path, p.Status, p.Header.Get("Location"), to)
		}
	}
	gone(b.Get("/account/plan/done?session=cs_1"), "/account/plan") // has never gone to pay
	b.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}})
	other.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}})
	s.till.set(func(g *till) { g.session = "cus_jeanne@exemple.fr" })
	p := b.Get("/account/plan/done?session=cs_1").Want(http.StatusOK, "Stripe confirme votre paiement", "se recharge")
	if r := p.Header.Get("Refresh"); r != "2; url=/account/plan/done?session=cs_1&n=1" {
		t.Errorf("asks again with %q", r)
	}
	b.planIs(billing.Free)
	p = b.Get("/account/plan/done?session=cs_1&n=99").Want(http.StatusOK, "plus longtemps que d’habitude")
	if p.Header.Get("Refresh") != "" {
		t.Error("the page never stops asking")
	}
	gone(b.Get("/account/plan/done?session="+url.QueryEscape("cs_1\r\nSet-Cookie: a=b")), "/account/plan")
	gone(b.Get("/account/plan/done"), "/account/plan")
	s.till.set(func(g *till) { g.fail = billing.ErrUnavailable })
	b.Get("/account/plan/done?session=cs_1&lang=en").Want(http.StatusOK, "Stripe is not responding")
	s.till.set(func(g *till) {
		g.fail = nil
		g.says = billing.Snapshot{SubscriptionID: "sub_1", Plan: billing.Standard, Status: billing.Active, PeriodEnd: periodEnd}
	})
	gone(other.Get("/account/plan/done?session=cs_1"), "/account/plan")
	other.planIs(billing.Free)
	gone(b.Get("/account/plan/done?session=cs_1"), "/account/plan?done=started")
	b.planIs(billing.Standard)
	b.Get("/account/plan?done=started").Want(http.StatusOK, "Le paiement est confirmé. Standard est en place", "Votre offre Standard active", "Payée jusqu’au 21\u00a0décembre\u00a02026")
	gone(b.Get("/account/plan/done?session=cs_1"), "/account/plan?done=started")
}

// A call to Stripe outside a request ends no process when it panics:
// the page says that Stripe does not answer.
func TestPlanPageWithoutAnswers(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	for _, what := range []string{"invoices", "upcoming", "details"} {
		s.till.set(func(g *till) { g.failOf = map[string]error{what: errBreaks} })
		b.Get("/account/plan?lang=en").Want(http.StatusOK, "Standard", "Stripe")
	}
}

// The page shows what is paid, when the next invoice comes and what the last ones were.
func TestPlanPage(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	p := b.Get("/account/plan").Want(http.StatusOK, "Standard active", "Payée jusqu’au 21\u00a0décembre\u00a02026", "Prochaine", "22,80\u00a0€", "le 21\u00a0décembre\u00a02026",
		"ARP-0003", "payée", "remboursée", "payée, dont 10,00\u00a0€ remboursés", "Passer à Pro", "Résilier", "E-mail de facturation")
	testkit.Want(t, p.Value("email"), "factures@exemple.fr", "the billing address")
	p.LacksForm("/account/plan/subscribe")
	b.Get("/account/plan?lang=en").Want(http.StatusOK, "Paid until 21\u00a0December\u00a02026", "€22.80", "Switch to Pro", "paid", "refunded", "paid, €10.00 of it refunded")
	b.Get("/account").Want(http.StatusOK, "Standard")
}

// A failed payment is said on every page of the account, until when
// the plan stays; after that, that it is gone.
func TestFailedPaymentIsSaidEverywhere(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard, Status: billing.PastDue, UnpaidSince: noon})
	for _, path := range []string{"/account", "/account/keys", "/account/usage", "/account/settings", "/account/security"} {
		b.Get(path).Want(http.StatusOK, "Le paiement de votre offre a échoué.", "Standard reste en place jusqu’au 28\u00a0novembre\u00a02026 à\u00a011:42")
		if strings.Contains(other.Get(path).Text("html"), "a échoué") {
			t.Errorf("%s: somebody else is shown it", path)
		}
	}
	if n := b.Get("/account/keys").Find(`.notice a[href="/account/plan"]`).Length(); n != 1 {
		t.Errorf("%d links to the plan next to it", n)
	}
	if text := b.Get("/account/plan").Want(http.StatusOK, "Standard reste en place jusqu’au 28\u00a0novembre\u00a02026 à\u00a011:42").Text("main"); strings.Count(text, "a échoué") != 1 {
		t.Error("the page of the plan does not say once that the payment failed")
	}
	s.till.set(func(g *till) { g.due = true })
	p := b.Get("/account/plan").Want(http.StatusOK, "Si votre banque demande de confirmer le paiement, ouvrez la facture à payer")
	if p.Form("/account/plan/portal") == nil || p.Find(`.says a[href="https://invoice.stripe.com/i/1"], table a[href="https://invoice.stripe.com/i/1"]`).Length() != 2 {
		t.Error("there is no way to pay")
	}
	b.Get("/account/plan/cancel?lang=en").Want(http.StatusOK, "ends at once", "Nothing more will be charged")
	s.clock.Advance(8 * 24 * time.Hour)
	b.Get("/account").Want(http.StatusOK, "Les limites sont celles de l’offre gratuite")
	b.Get("/account/plan").Want(http.StatusOK, "impayée", "Dès qu’un paiement réussit, Standard revient")
	b.Post("/account/plan/cancel", url.Values{"when": {"now"}}).Want(http.StatusOK, "résilié")
	if !s.till.asked("end sub_1") {
		t.Error("the subscription goes on")
	}
}

// What the operator gives is said to be given, and is not sold to an account that
// has it; the audit log has both.
func TestGrantedPlan(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	if _, err := s.billing.Grant(t.Context(), b.account.ID, billing.Standard); err != nil {
		t.Fatal(err)
	}
	b.Get("/account/plan").Want(http.StatusOK, "L’exploitant vous accorde Standard", "votre offre", "Choisir Pro")
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro, CancelAtPeriodEnd: true})
	b.Get("/account/plan").Want(http.StatusOK, "Pro résiliée")
	if p := b.Get("/account/security"); strings.Contains(p.Text("main"), "origine non connue") {
		t.Error("it is not known where the service and its operator act from")
	}
	b.Get("/account/security").Want(http.StatusOK, "Offre accordée", "de l’offre gratuite à Standard", "Offre changée", "de Standard à Pro", "se termine le 21\u00a0décembre\u00a02026")
	b.Get("/account/delete").Want(http.StatusOK, "Pro est résiliée tout de suite")
}

// Where the operator granted a plan, the end of a subscription leads to that one,
// and changes no limit where it is no lower.
func TestEndOfAPlanLeadsToTheGrantedOne(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	grant := func(plan string) {
		t.Helper()
		if _, err := s.billing.Grant(t.Context(), b.account.ID, plan); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(path string, texts ...string) {
		t.Helper()
		if p := b.Get(path).Want(http.StatusOK, texts...); strings.Contains(p.Text("main .part .says, main > .account > .notice, .text > p"), "l’offre gratuite") {
			t.Errorf("%s speaks of the free plan: %s", path, p.Text("main"))
		}
	}
	failed := billing.Snapshot{Plan: billing.Pro, Status: billing.PastDue, UnpaidSince: noon}
	grant(billing.Standard)
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro})
	shows("/account/plan/cancel", "Ensuite le compte passe à Standard")
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro, CancelAtPeriodEnd: true})
	shows("/account/plan", "Pro reste en place jusqu’au 21\u00a0décembre\u00a02026, puis le compte passe à Standard.")
	s.subscribed(b, failed)
	shows("/account/plan", "sans paiement d’ici là, le compte passe à Standard.")
	shows("/account", "puis le compte passe à Standard.")
	grant(billing.Pro)
	const same = "Vos limites ne changent pas\u00a0: l’exploitant vous accorde Pro."
	shows("/account", "Le paiement de votre offre a échoué. "+same)
	shows("/account/plan", "Le dernier paiement de Pro a échoué. "+same)
	shows("/account/plan/cancel", "Plus rien ne sera débité. "+same)
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard, CancelAtPeriodEnd: true})
	shows("/account/plan", "L’abonnement à Standard prend fin le 21\u00a0décembre\u00a02026. "+same)
}

// The sentence about the last 30 days says no more than is known, in both languages.
func TestPlansAreComparedWithTheLastThirtyDays(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	b.Get("/account/plan").Want(http.StatusOK, "Aucune requête\u00a0: rien à comparer")
	k := b.key("ingest")
	s.use(b, k, "get_parcel", noon, 2000)
	s.use(b, k, "get_parcel", noon.AddDate(0, 0, -29), 40)
	s.use(b, k, "get_parcel", noon.AddDate(0, 0, -30), 9000) // a day too old
	s.refuse(b, k, "day", 100, noon, noon, 60)
	s.refuse(b, k, "key", 50, noon, noon, 7000) // the key's own cap, whatever the plan
	b.Get("/account/plan").Want(http.StatusOK, "L’offre gratuite aurait refusé 93\u00a0% de vos requêtes", "1\u202f960 au-delà du quota, sur 1\u00a0jour",
		"Standard aurait refusé 2\u00a0% de vos requêtes", "60 au-delà du quota", "Avec Pro, aucune requête n’aurait été refusée", "estimation")
	s.refuse(b, k, "minute", 10, noon, noon, 100)
	b.Get("/account/plan?lang=en").Want(http.StatusOK, "Standard would have refused about 7% of your requests", "160 beyond the quota, on 1 day; about 50 beyond the limit per minute")
}

// Of the plan in force the page says what it refused, to the request,
// as long as the limits have been the same.
func TestPlanInForceSaysWhatItRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	s.use(b, k, "get_parcel", noon, 100)
	s.refuse(b, k, "day", 100, noon, noon, 80)
	s.refuse(b, k, "minute", 10, noon, noon, 20)
	b.Get("/account/plan").Want(http.StatusOK, "L’offre gratuite a refusé 50\u00a0% de vos requêtes", "80 au-delà du quota, sur 1\u00a0jour\u00a0; 20 au-delà de la limite par minute")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	b.Get("/account/plan?lang=en").Want(http.StatusOK, "The free plan would have refused", "With Standard, no request would have been refused")
}

// What was just done is not said where it is not so any more: the address
// may be of a page that was kept, or of a link.
func TestDoneAgreesWithThePlan(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	none := func(done string) {
		t.Helper()
		if p := b.Get("/account/plan?done=" + done).Want(http.StatusOK); p.Find(".done").Length() > 0 {
			t.Errorf("%s: %s", done, p.Text(".done"))
		}
	}
	for _, done := range []string{"started", "upgraded", "downgraded", "resumed"} {
		none(done)
	}
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro})
	none("downgraded")
	none("cancelled")
}

// The address at which a form comes back with an error leads to its page: it is loaded anew
// by a reload, or by the choice of a language.
func TestAddressOfAFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	for _, form := range []string{"billing", "subscribe", "portal", "resume", "wish"} {
		if p := b.Get("/account/plan/" + form).Want(http.StatusOK); p.Path != "/account/plan" {
			t.Errorf("%s leads to %s", form, p.Path)
		}
	}
	if p := s.browser().Get("/resend").Want(http.StatusOK); p.Path != "/signup/sent" {
		t.Errorf("/resend leads to %s", p.Path)
	}
}
