package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// hammer calls the API with a key until stop is called, which returns how many calls were made and what they
// were answered, by status and plan.
func hammer(s *fixture.Service, key string) (stop func() (calls int, answers map[string]int)) {
	done, wait := make(chan struct{}), sync.WaitGroup{}
	calls, answers := 0, map[string]int{}
	wait.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			calls++
			req, _ := http.NewRequest(http.MethodGet, s.Base+"/api/v1/communes/93010", nil)
			req.Header.Set("X-API-Key", key)
			res, err := (&http.Client{Timeout: testkit.Timeout, Transport: fixture.Transport}).Do(req)
			if err != nil {
				answers[err.Error()]++
				continue
			}
			res.Body.Close()
			answers[fmt.Sprint(res.StatusCode, " ", res.Header.Get("X-Plan"))]++
		}
	})
	return func() (int, map[string]int) {
		close(done)
		wait.Wait()
		return calls, answers
	}
}

// A customer makes the account an organisation, to invite a colleague: while keys are used on two
// instances, none is answered otherwise and no request is lost from the count. The subscription, its
// invoices and the connected assistant go on, all browsers stay signed in, and the form sent twice makes
// one organisation.
func TestAccountBecomesOrganisation(t *testing.T) {
	t.Parallel()
	const page = "/account/organisations/convert"
	s, sim := selling(t, nil)
	second := another(s)
	b := s.SignUp("jeanne@exemple.fr")
	key := keyText.FindString(b.Submit(b.Get("/account/keys/new"), "/account/keys/new", "name", "ingest").Body)
	checkout := b.Submit(b.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	testkit.Must(sim.Pay(path.Base(checkout), stripesim.Buyer{}))(t)
	onPlan(s, second, key, "standard", "60", "2000")
	a := newAssistant(s, "Claude", "127.0.0.1")
	answered, err := url.Parse(fixture.Authorize(t, b, b.Get(a.request())).Location())
	if err != nil || answered.Query().Get("code") == "" {
		t.Fatalf("the consent leads to %s, %v", answered, err)
	}
	token := a.token(answered.Query().Get("code"))
	other, signedIn := s.SignIn("jeanne@exemple.fr", fixture.Password)
	signedIn.Want(http.StatusSeeOther)
	s.Exec(`UPDATE account.account SET per_minute = 100000, per_day = 100000`)
	for _, instance := range []*fixture.Service{s.Service, second} {
		testkit.Eventually(t, testkit.Timeout, "the limits of the test", func() bool {
			return instance.Get("/api/v1", "X-API-Key", key).Header.Get("X-RateLimit-Limit") == "100000"
		})
	}

	b.Get("/account/organisations/new").Link(page)
	form := b.Get(page).Want(http.StatusOK, "1\u00a0clé en service, l’offre, l’abonnement, les factures", "1\u00a0assistant reste connecté",
		"elle prend fin si vous la quittez", "l’adresse IP et le navigateur de chaque action", "la carte enregistrée, le nom et l’adresse de facturation",
		"sur l’offre gratuite et sans clé", "ne redevient pas un compte personnel")
	account := form.Value("account")
	marc := s.SignUp("marc@exemple.fr")
	if p := marc.Submit(marc.Get(page), page, "name", "Le mien", "account", account); p.Status != http.StatusNotFound {
		t.Errorf("the account of another person: %d", p.Status)
	}
	b.Submit(form, page, "name", "www.exemple.fr").Want(http.StatusUnprocessableEntity, "Un nom ne contient pas d’adresse de site.")
	stops := []func() (int, map[string]int){hammer(s.Service, key), hammer(second, key)}
	for range 2 {
		if p := b.Submit(form, page, "name", "Cadastre & Fils"); p.Status != http.StatusSeeOther || p.Location() != "/account/organisation?done=converted" {
			t.Errorf("%d to %s\n%s", p.Status, p.Location(), p.Text("main"))
		}
	}
	b.Get("/account/organisation?done=converted").Want(http.StatusOK, "Cadastre & Fils", "Ce compte est maintenant une organisation.", "jeanne@exemple.fr")
	calls := 0
	for _, stop := range stops {
		n, answers := stop()
		if len(answers) != 1 || answers["200 standard"] != n {
			t.Errorf("of %d calls: %v", n, answers)
		}
		calls += n
	}
	t.Logf("%d calls of the API meanwhile", calls)
	if calls == 0 {
		t.Error("no call was made meanwhile: the test shows nothing")
	}
	testkit.Eventually(t, testkit.Timeout, "all calls are counted", func() bool {
		return testkit.Count(t, s.Pool, `SELECT coalesce(sum(used), 0) FROM account.quota_day WHERE account_id = $1`, account) >= calls
	})
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.account WHERE kind = 'organisation'`); n != 1 {
		t.Errorf("%d organisations", n)
	}
	if status, text := a.call(token); status != http.StatusOK || !strings.Contains(text, "Bondy") {
		t.Errorf("the assistant is answered %d %s", status, text)
	}
	s.Exec(`UPDATE account.account SET per_minute = NULL, per_day = NULL WHERE kind = 'organisation'`)
	onPlan(s, second, key, "standard", "60", "2000")
	other.Get("/account").Want(http.StatusOK, "Cadastre & Fils")
	again, p := s.SignIn("jeanne@exemple.fr", fixture.Password)
	p.Want(http.StatusSeeOther)
	again.Get("/account/keys").Want(http.StatusOK, "Cadastre & Fils", "ingest", "jeanne@exemple.fr")
	activity := b.Get("/account/organisation/activity").Want(http.StatusOK, "Compte devenu une organisation", "par jeanne@exemple.fr", "Clé créée")
	if strings.Contains(activity.Text("main table"), "Connexion") {
		t.Errorf("the organisation shows sign-ins of before:\n%s", activity.Text("main table"))
	}
	for _, suffix := range []string{"", ".csv", ".json"} {
		p := b.Get("/account/organisation/activity" + suffix + "?kind=signin").Want(http.StatusOK)
		if strings.Contains(p.Body, "signed_in") ||
			strings.Contains(p.Text("main table"), "Connexion") {
			t.Errorf("the organisation shows sign-ins of before:\n%s", p.Body)
		}
	}
	b.Get("/account/security/activity").Want(http.StatusOK, "Compte devenu une organisation", "Connexion")

	seen := len(sim.Events())
	sim.Advance(32 * 24 * time.Hour)
	testkit.Eventually(t, testkit.Timeout, "the events of the renewal are applied to the organisation", func() bool {
		return len(sim.Events()) > seen && testkit.Count(t, s.Pool, `SELECT count(*) FROM account.subscription s JOIN account.account a ON a.id = s.account_id
			WHERE a.kind = 'organisation' AND s.status = 'active' AND s.period_end > now() + interval '32 days'`) == 1
	})
	if n := b.Get("/account/plan").Want(http.StatusOK, "Standard").Find(`a[href^="` + sim.URL() + `/invoice/"]`).Length(); n < 2 {
		t.Errorf("%d invoices are listed", n)
	}
	b.Submit(b.Get("/account/plan/cancel"), "/account/plan/cancel").Want(http.StatusSeeOther)
	sim.Advance(32 * 24 * time.Hour)
	onPlan(s, second, key, "free", "10", "100")

	person := testkit.Count(t, s.Pool, `SELECT id FROM account.account WHERE email = 'jeanne@exemple.fr'`)
	b.Submit(b.Get("/account"), "/account/switch", "organisation", fmt.Sprint(person)).Want(http.StatusSeeOther)
	if p := b.Get("/account/keys"); strings.Contains(p.Text("main"), "ingest") {
		t.Errorf("the personal account has the keys:\n%s", p.Text("main"))
	}
	b.Submit(b.Get("/account/settings/email"), "/account/settings/email", "email", "jeanne@ailleurs.fr").Want(http.StatusSeeOther)
	b.Submit(b.Get(page), page, "name", "Beta").Want(http.StatusUnprocessableEntity, "Un changement d’adresse est en attente.")
}
