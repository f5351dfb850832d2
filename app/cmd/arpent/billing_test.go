package main // a command has nothing else to import it by

import (
	"strings"
	"testing"

	"arpent/app"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/clock"
	"arpent/internal/config"
)

// An operator sees what an account pays for, grants what it does not, and repairs by hand what a night would
// repair; a trial run changes nothing, and without Stripe the command says what is missing.
func TestBillingCommands(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "development")
	t.Setenv("ARPENT_STATE", t.TempDir())
	if _, err := runArpent(t, "", "billing", "reconcile"); err == nil || !strings.Contains(err.Error(), "ARPENT_STRIPE_") {
		t.Errorf("without Stripe: %v", err)
	}
	for name, value := range map[string]string{"KEY": stripesim.DefaultKey, "WEBHOOK_SECRET": stripesim.DefaultWebhookSecret, "URL": sim.URL()} {
		t.Setenv("ARPENT_STRIPE_"+name, value)
	}
	for plan, price := range stripesim.Prices() {
		t.Setenv(config.PriceSetting(plan), price)
	}
	mustRun(t, "account", "create", "--email", "me@exemple.fr", "--confirmed")
	if out := mustRun(t, "account", "plan", "--email", "me@exemple.fr", "--plan", "standard"); !strings.Contains(out, "standard plan") {
		t.Errorf("account plan: %q", out)
	}
	if out := mustRun(t, "billing", "show", "--account", "me@exemple.fr"); !strings.Contains(out, "never begun to pay") {
		t.Errorf("billing show: %q", out)
	}
	a := testkit.Must(auth.NewAccounts(pool, clock.Real{}).ByEmail(t.Context(), "me@exemple.fr"))(t)
	service := app.NewBilling(config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL()}, pool, clock.Real{})
	row := testkit.Must(service.Customer(t.Context(), a.ID))(t)
	customer, err := service.EnsureCustomer(t.Context(), row, "fr")
	testkit.NoError(t, err)
	_, err = sim.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK)
	testkit.NoError(t, err)
	if out := mustRun(t, "billing", "reconcile", "--dry-run"); !strings.Contains(out, "1 compared, 1 to repair, 0 not compared") || !strings.Contains(out, "plan in force") {
		t.Errorf("a trial: %q", out)
	}
	var shown map[string]any
	decodeJSON(t, mustRun(t, "billing", "show", "--account", "me@exemple.fr", "--json"), &shown)
	if shown["plan"] != "standard" || shown["status"] != nil {
		t.Errorf("after a trial: %v", shown)
	}
	var report struct {
		Compared         int
		Repaired, Failed []map[string]any
	}
	decodeJSON(t, mustRun(t, "billing", "reconcile", "--json"), &report)
	if report.Compared != 1 || len(report.Repaired) != 1 || report.Failed == nil || len(report.Failed) != 0 {
		t.Errorf("reconcile: %+v", report)
	}
	decodeJSON(t, mustRun(t, "billing", "show", "--account", "me@exemple.fr", "--json"), &shown)
	if shown["plan"] != "pro" || shown["status"] != "active" || shown["granted"] != "standard" || shown["customer"] != customer {
		t.Errorf("repaired: %v", shown)
	}
	if out := mustRun(t, "account", "plan", "--email", "me@exemple.fr", "--plan", "free"); !strings.Contains(out, "pro plan") {
		t.Errorf("what is paid for was taken away: %q", out)
	}
	if mails := testkit.Count(t, pool, `SELECT count(*) FROM job.river_job WHERE args->>'template' = 'plan_started'`); mails != 1 {
		t.Errorf("%d mails", mails)
	}
}
