package portal_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/mail"
)

// An upgrade says what it costs before anything is paid, and a sum that is out of date is not paid.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	p := b.Get("/account/plan/change?plan=pro").Want(http.StatusOK, "Passer à Pro", "48,20\u00a0€", "94,80\u00a0€ par mois", "25\u202f000\u00a0requêtes par jour", "Payer 48,20\u00a0€ et passer à Pro")
	at := p.Value("at")
	if s.till.asked("upgrade") {
		t.Error("a GET pays")
	}
	ahead := strconv.FormatInt(s.clock.Now().Add(2*time.Minute).Unix(), 10) // less of the month is left then, up to nothing
	for _, wrong := range []string{"", "0", "x", "1795250000", ahead} {
		b.Submit(p, "/account/plan/change", "at", wrong).Want(http.StatusUnprocessableEntity, "recalculé", "Payer 48,20")
	}
	s.till.set(func(g *till) { g.failOf["upgrade"] = billing.ErrDeclined })
	b.Submit(p, "/account/plan/change").Want(http.StatusPaymentRequired, "La banque a refusé", "Rien n’est changé")
	b.planIs(billing.Standard)
	b.Get("/account/plan").Want(http.StatusOK, "ARP-0000", "annulée", "L’offre n’a pas changé et rien n’a été débité.")
	s.till.set(func(g *till) { g.failOf["upgrade"] = nil })
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Pro est en place", "Votre offre Pro active")
	b.planIs(billing.Pro)
	if !s.till.asked("upgrade sub_1 pro " + at) {
		t.Errorf("%q", s.till.calls)
	}
	s.clock.Advance(20 * time.Minute) // Freshness
	b.stay()
	if p := b.Get("/account/plan/change?plan=standard"); !strings.HasPrefix(p.Header.Get("Location"), "/account/verify") {
		t.Errorf("somebody who signed in long ago changes the plan: %d", p.Status)
	}
}

// A change is made as its page showed it, and in no other way: what another window changed since, or a period
// that has begun since, has the page computed again. A subscription that Stripe has changed is read again.
func TestChangeIsMadeAsItWasShown(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.till.set(func(g *till) { g.yearly = map[string]int64{"standard": 19000, "pro": 79000} })
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	shown := b.Get("/account/plan/change?plan=pro").Want(http.StatusOK, "Payer 48,20")
	said := func(change func(*billing.Snapshot)) {
		t.Helper()
		s.till.set(func(g *till) { change(&g.says) })
		if _, err := s.billing.Refresh(t.Context(), b.account.ID); err != nil {
			t.Fatal(err)
		}
	}
	said(func(r *billing.Snapshot) { r.Yearly = true })
	b.Submit(shown, "/account/plan/change").Want(http.StatusUnprocessableEntity, "recalculé", "Standard à l’année est payée jusqu’au")
	said(func(r *billing.Snapshot) { r.Yearly = false; r.PeriodEnd = r.PeriodEnd.AddDate(0, 1, 0) })
	b.Submit(shown, "/account/plan/change").Want(http.StatusUnprocessableEntity, "recalculé", "Payer 48,20")
	shown = b.Get("/account/plan/change?plan=pro&interval=year")
	said(func(r *billing.Snapshot) { r.Plan = billing.Pro })
	b.Submit(shown, "/account/plan/change").Want(http.StatusUnprocessableEntity, "recalculé", "moins ce qui reste de votre mois de Pro")
	shown = b.Get("/account/plan/change?plan=standard").Want(http.StatusOK, "prend la suite")
	said(func(r *billing.Snapshot) { r.PeriodEnd = r.PeriodEnd.AddDate(0, 1, 0) })
	b.Submit(shown, "/account/plan/change").Want(http.StatusUnprocessableEntity, "recalculé", "prend la suite")
	for _, call := range []string{"upgrade", "downgrade"} {
		if s.till.asked(call) {
			t.Errorf("%q", s.till.calls)
		}
	}
	said(func(r *billing.Snapshot) { r.Plan = billing.Standard })
	s.till.set(func(g *till) {
		g.says.Yearly = true
		g.failOf["preview"] = fmt.Errorf("subscription sub_1: %w", billing.ErrChanged)
	})
	b.Get("/account/plan/change?plan=pro").Want(http.StatusConflict, "avait déjà changé chez Stripe", "Payée à l’année")
}

// A page that was asked for in a language leads on in it: what its form leads to, and a change that is made
// already.
func TestPlanChangeKeepsLanguage(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	asked := b.Get("/account/plan/change?plan=pro&lang=en").Want(http.StatusOK, "Switch to Pro")
	b.Submit(asked, "/account/plan/change?lang=en").Want(http.StatusOK, "Your plan")
	settings := b.Get("/account/settings?lang=en").Want(http.StatusOK, "Settings")
	b.Submit(settings, "/account/settings/language?lang=en", "language", "fr").Want(http.StatusOK, "Réglages")
	for path, text := range map[string]string{
		"/account/plan/change?plan=pro&lang=en": "Your plan",
		"/account/plan/change?plan=pro":         "Votre offre",
	} {
		b.Get(path).Want(http.StatusOK, text)
	}
}

// A charge waits for the bank as long as the page said, and no other call of a page does. A bank that is
// slower gets an answer that promises nothing that may be wrong: the payment may still be made, and a second
// try costs nothing.
func TestUpgradeWaitsForTheBank(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	asked := b.Get("/account/plan/change?plan=pro").Want(http.StatusOK, "Après votre confirmation, nous interrogeons votre banque", "la page peut attendre", "Ne la fermez pas")
	b.Get("/account/plan/change?plan=pro&lang=en").Want(http.StatusOK, "the page may wait")
	s.till.set(func(g *till) {
		g.failOf["upgrade"] = fmt.Errorf("upgrade a subscription: %w: %w", billing.ErrUnavailable, context.DeadlineExceeded)
	})
	late := b.Submit(asked, "/account/plan/change").
		Want(http.StatusServiceUnavailable, "Votre banque n’a pas répondu à temps", "peut encore aboutir", "rien n’est débité deux fois")
	if text := late.Text("main"); strings.Contains(text, "Rien n’est changé") {
		t.Errorf("the page promises what may be wrong: %s", text)
	}
	s.till.set(func(g *till) {
		if given := g.given["upgrade"]; given < 24*time.Second || given > 30*time.Second {
			t.Errorf("the bank has %s", given)
		}
		if given := g.given["preview"]; given > 5*time.Second {
			t.Errorf("a call that charges nothing has %s", given)
		}
		g.failOf["upgrade"] = nil
	})
	b.Submit(asked, "/account/plan/change").Want(http.StatusOK, "Pro est en place")
	first, second := "", ""
	s.till.set(func(g *till) {
		for _, call := range g.calls {
			if strings.HasPrefix(call, "upgrade ") {
				first, second = second, call
			}
		}
	})
	if first == "" || first != second { // the same idempotency key
		t.Errorf("asked %q, then %q", first, second)
	}
}

// A bank that wants a confirmation gets it before the plan changes.
func TestUpgradeThatTheBankAsksAbout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	asked := b.Get("/account/plan/change?plan=pro")
	s.till.set(func(g *till) { g.failOf["upgrade"] = &billing.ActionError{URL: "https://invoice.stripe.com/i/1"} })
	p := b.stay().Submit(asked, "/account/plan/change")
	if p.Status != http.StatusSeeOther || p.Header.Get("Location") != "https://invoice.stripe.com/i/1" {
		t.Errorf("%d to %q", p.Status, p.Header.Get("Location"))
	}
	b.planIs(billing.Standard)
}

// Who changes the address of an account reads that invoices still go where they went.
func TestInvoicesStayWithTheirAddress(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("autre@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro})
	b.Get("/account/settings?done=email-changed").Want(http.StatusOK, "Votre adresse est changée. Les factures restent envoyées")
	if text := other.Get("/account/settings?done=email-changed").Text(".done"); text != "Votre adresse est changée." {
		t.Errorf("without invoices: %q", text)
	}
}

// A downgrade and a cancellation say from when, keep what is paid until then, and can be taken back.
func TestDowngradeAndCancel(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro})
	s.use(b, b.key("ingest"), "get_parcel", noon, 3000)
	p := b.Get("/account/plan/change?plan=standard").Want(http.StatusOK, "Pro est payée jusqu’au 21\u00a0décembre\u00a02026", "Standard aurait refusé au moins 33\u00a0% de vos requêtes",
		"1\u202f000 au-delà du quota, sur 1\u00a0jour", "19\u00a0€ HT par mois")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Le changement est noté", "puis Standard prend la suite", "Garder Pro", "à partir du 21\u00a0décembre\u00a02026")
	b.planIs(billing.Pro)
	s.last("jeanne@exemple.fr", mail.PlanChanging)
	b.Post("/account/plan/resume", nil).Want(http.StatusOK, "continue comme avant", "active")

	b.Get("/account/plan/cancel").Want(http.StatusOK, "Pro est payée jusqu’au 21\u00a0décembre\u00a02026", "au moins 96\u00a0%", "non commercial", "Garder Pro")
	if s.till.asked("cancel") {
		t.Error("a GET cancels")
	}
	b.Post("/account/plan/cancel", url.Values{"when": {"now"}}).Want(http.StatusUnprocessableEntity, "a changé entre-temps")
	b.Post("/account/plan/cancel", url.Values{"when": {"end"}}).Want(http.StatusOK, "résilié", "Plus rien ne sera débité", "Pro reste en place jusqu’au 21\u00a0décembre\u00a02026", "Annulez d’abord la résiliation")
	b.planIs(billing.Pro)
	if until := s.last("jeanne@exemple.fr", mail.PlanEnding).Values["until"]; until != periodEnd.Format(time.RFC3339) {
		t.Errorf("the mail says that it ends %s", until)
	}
	b.Post("/account/plan/resume", nil).Want(http.StatusOK, "Payée jusqu’au 21\u00a0décembre\u00a02026")
	s.last("jeanne@exemple.fr", mail.PlanKept)
	b.Get("/account/security").Want(http.StatusOK, "Changement d’offre demandé Standard Firefox, Linux 127.0.0.1", "Résiliation demandée Pro Firefox, Linux 127.0.0.1",
		"Offre gardée Pro Firefox, Linux 127.0.0.1", "payée jusqu’au 21\u00a0décembre\u00a02026")
}

// A cancellation that Stripe took and our tables refused is in force at Stripe: the page
// says that it is recorded there and will show, neither that it is done nor that it
// failed, and the event that follows brings it.
func TestCancelThatIsNotWritten(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Pro})
	exec := func(sql string) {
		t.Helper()
		s.exec(sql)
	}
	exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by the test'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON account.subscription FOR EACH ROW EXECUTE FUNCTION refuse()`)
	p := b.Post("/account/plan/cancel", url.Values{"when": {"end"}}).Want(http.StatusOK, "Stripe a enregistré la demande", "Inutile de la répéter")
	if text := p.Text("main"); !s.till.asked("cancel") || strings.Contains(text, "résilié") || strings.Contains(text, "confirmée") {
		t.Errorf("asked %q; the page says %s", s.till.calls, text)
	}
	exec(`DROP TRIGGER refuse ON account.subscription`)
	if _, err := s.billing.Refresh(t.Context(), b.account.ID); err != nil { // as an event does
		t.Fatal(err)
	}
	b.Get("/account/plan").Want(http.StatusOK, "Pro reste en place jusqu’au 21\u00a0décembre\u00a02026")
}

// Stripe away or silent: the page shows it within five seconds, shows the rest, and nothing is lost.
func TestStripeAway(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	change := b.Get("/account/plan/change?plan=pro")
	for _, silent := range []bool{false, true} {
		s.till.set(func(g *till) { g.hang, g.fail = silent, billing.ErrUnavailable })
		asks := []func() *testkit.Page{
			func() *testkit.Page { return b.Get("/account/plan") },
			func() *testkit.Page { return b.Get("/account/plan/change?plan=pro") },
			func() *testkit.Page {
				return b.Submit(change, "/account/plan/change")
			},
			func() *testkit.Page { return b.Post("/account/plan/cancel", url.Values{"when": {"end"}}) },
			func() *testkit.Page { return b.Post("/account/plan/portal", nil) },
			func() *testkit.Page { return b.Post("/account/plan/billing", url.Values{"email": {"a@exemple.fr"}}) },
		}
		if silent { // each takes its time
			asks = asks[:2]
		}
		for _, ask := range asks {
			p := ask()
			p.Want(p.Status, "Stripe ne répond pas", "Votre offre Standard active")
			if p.Status != http.StatusOK && p.Status != http.StatusServiceUnavailable {
				t.Errorf("%s answers %d", p.Path, p.Status)
			}
		}
	}
	s.till.set(func(g *till) { g.hang, g.fail = false, billing.ErrUnavailable })
	if p := b.Post("/account/plan/billing", url.Values{"email": {"a@exemple.fr"}, "vat": {"FR40303265045"}, "company": {""}, "order": {""}}); p.Value("email") != "a@exemple.fr" || p.Value("vat") != "FR40303265045" {
		t.Errorf("what was typed became %q and %q", p.Value("email"), p.Value("vat"))
	}
	b.planIs(billing.Standard)
	s.till.set(func(g *till) {
		if g.allowed <= 0 || g.allowed > 5*time.Second {
			t.Errorf("a page waits for Stripe for %s", g.allowed)
		}
	})
}

// Invoices are made out to whom the customer says; an error is shown next to the field, and the input kept.
func TestBillingDetails(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	s.till.set(func(g *till) { g.vat = "FR40303265045" })
	testkit.Want(t, b.Get("/account/plan").Value("vat"), "FR40303265045", "the VAT number")
	if p := b.Get("/account/plan"); p.Value("company") != "Jeanne SARL" || p.Value("order") != "BC-1" {
		t.Errorf("the name is %q, the purchase order %q", p.Value("company"), p.Value("order"))
	}
	b.Post("/account/plan/billing", url.Values{"email": {"compta@exemple.fr"}, "vat": {"fr 40 303-265.045"}, "company": {" Dupont  & fils "}, "order": {"BC 42"}}).
		Want(http.StatusOK, "enregistrées")
	if !s.till.asked("billing cus_jeanne@exemple.fr compta@exemple.fr FR40303265045 Dupont & fils BC 42 fr") {
		t.Errorf("%q", s.till.calls)
	}
	long := strings.Repeat("é", 141)
	p := b.Post("/account/plan/billing", url.Values{"email": {"personne"}, "vat": {"12345"}, "company": {long}, "order": {"a\x00b"}}).Want(http.StatusUnprocessableEntity)
	for name, kept := range map[string]string{"email": "personne", "vat": "12345", "company": long, "order": "a"} {
		if p.Error(name) == "" || !strings.HasPrefix(p.Value(name), kept) {
			t.Errorf("%s: error %q; kept %q", name, p.Error(name), p.Value(name))
		}
	}
	if s.till.asked("billing cus_jeanne@exemple.fr personne") {
		t.Error("wrong details were sent to Stripe")
	}
	b.Post("/account/plan/billing", url.Values{"email": {"compta@exemple.fr"}, "company": {strings.Repeat("é", 140)}, "order": {""}}).Want(http.StatusOK, "enregistrées")
	if !s.till.asked("billing cus_jeanne@exemple.fr compta@exemple.fr  " + strings.Repeat("é", 140) + "  fr") {
		t.Errorf("%q", s.till.calls)
	}
	b.Post("/account/plan/billing", url.Values{"email": {"vieille@exemple.fr"}, "vat": {""}}).Want(http.StatusOK, "enregistrées")
	if !s.till.asked("billing cus_jeanne@exemple.fr vieille@exemple.fr  Jeanne SARL BC-1 fr") {
		t.Errorf("a page without the fields erased them: %q", s.till.calls)
	}
	s.till.set(func(g *till) { g.failOf["billing"] = billing.ErrBillFieldsFull })
	p = b.Post("/account/plan/billing", url.Values{"email": {"compta@exemple.fr"}, "company": {""}, "order": {"BC 43"}}).Want(http.StatusUnprocessableEntity)
	if p.Error("order") == "" || p.Value("order") != "BC 43" {
		t.Errorf("error %q; kept %q", p.Error("order"), p.Value("order"))
	}
	s.till.set(func(g *till) { g.failOf["billing"] = billing.ErrVAT })
	p = b.Post("/account/plan/billing", url.Values{"email": {"compta@exemple.fr"}, "vat": {"FR00000000000"}}).Want(http.StatusUnprocessableEntity)
	if p.Error("vat") == "" || p.Value("vat") != "FR00000000000" || p.Value("company") != "Jeanne SARL" {
		t.Error("Stripe's error is not next to the field")
	}
}

// A call of the webhook that is not to be believed is a 400 that is
// counted; one that cannot be handled is sent again.
func TestWebhook(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	send := func(body string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/webhooks/stripe", strings.NewReader(body))
		testkit.NoError(t, err)
		req.Header.Set("Stripe-Signature", "t=1,v1=abc")
		res := testkit.Must(http.DefaultClient.Do(req))(t)
		defer res.Body.Close()
		return res.StatusCode
	}
	if n := send(`{"id": "evt_1"}`); n != http.StatusOK || !s.till.asked(`receive {"id": "evt_1"} t=1,v1=abc`) {
		t.Errorf("%d, %q", n, s.till.calls)
	}
	s.till.set(func(g *till) { g.events = billing.ErrUnavailable })
	if n := send("{}"); n != http.StatusServiceUnavailable {
		t.Errorf("Stripe unreachable: %d", n)
	}
	s.till.set(func(g *till) { g.events = &billing.EventError{Reason: "signature", Cause: errors.New("no")} })
	if n := send("{}"); n != http.StatusBadRequest {
		t.Errorf("bad signature: %d", n)
	}
	if strings.Join(s.eventsRejected, " ") != "signature" {
		t.Errorf("counted: %q", s.eventsRejected)
	}
}

// Where plans are sold by the year the page shows what a year costs and saves, from what Stripe says it
// costs; a customer buys one, goes from months to years at once for the sum that was shown, and back at the
// year's end.
func TestYearlyPlans(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b := s.member("jeanne@exemple.fr")
	if p := b.Get("/account/plan").Want(http.StatusOK, "19\u00a0€ HT par mois"); strings.Contains(p.Body, "par an") || strings.Contains(p.Body, "à l’année") {
		t.Error("a year is offered that is not sold")
	}
	s.till.set(func(g *till) { g.yearly = map[string]int64{"standard": 19050} })
	s.clock.Advance(16 * time.Minute) // what Stripe said before is believed for a quarter of an hour
	b = s.member("paul@exemple.fr")
	p := b.Get("/account/plan").Want(http.StatusOK, "ou 190,50\u00a0€ HT par an, soit 37,50\u00a0€ de moins que douze mensualités", "Choisir Standard à l’année")
	p.Lacks("Choisir Pro à l’année")
	b.stay()
	b.Post("/account/plan/subscribe", url.Values{"plan": {"standard"}, "interval": {"year"}})
	if !s.till.asked("checkout cus_paul@exemple.fr standard-yearly fr") {
		t.Errorf("asked for %q", s.till.calls)
	}

	b = s.member("lea@exemple.fr")
	s.subscribed(b, billing.Snapshot{Plan: billing.Standard})
	b.Get("/account/plan").Want(http.StatusOK, "renouvelée de mois en mois", "Passer à Standard à l’année").
		Link("/account/plan/change?plan=standard&interval=year")
	p = b.Get("/account/plan/change?plan=standard&interval=year").Want(http.StatusOK, "Passer à Standard à l’année", "Vos limites ne changent pas",
		"moins ce qui reste de votre mois de Standard", "par an, taxes comprises", "48,20\u00a0€")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Payée à l’année", "renouvelée d’année en année", "Passer à Standard au mois")
	if !s.till.asked("upgrade sub_" + strconv.FormatInt(int64(b.account.ID), 10) + " standard-yearly") {
		t.Errorf("asked for %q", s.till.calls)
	}
	p = b.Get("/account/plan/change?plan=standard").Want(http.StatusOK, "Standard à l’année est payée jusqu’au", "Standard au mois prend la suite")
	b.Submit(p, "/account/plan/change").Want(http.StatusOK, "Standard à l’année reste en place jusqu’au", "puis Standard au mois prend la suite", "Garder Standard à l’année")
	if !s.till.asked("downgrade sub_" + strconv.FormatInt(int64(b.account.ID), 10) + " standard") {
		t.Errorf("asked for %q", s.till.calls)
	}
	s.till.set(func(g *till) { g.says.NextPlan, g.says.NextYearly = "", false })
	b.Post("/account/plan/resume", nil)
	b.Get("/account/plan/cancel").Want(http.StatusOK, "L’année payée n’est pas remboursée au prorata, sauf si la loi vous y donne droit")
	b.Get("/account/plan/change?plan=pro").Want(http.StatusOK, "Pro au mois prend la suite") // not before the year is over
}
