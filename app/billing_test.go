package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"arpent/app"
	"arpent/app/clock"
	"arpent/app/config"
	"arpent/app/ident"
	"arpent/app/stripesim"
	"arpent/app/testkit"
)

// The comparison with Stripe happens once a night in Paris, at the same hour on the nights the clock changes.
func TestNightly(t *testing.T) {
	t.Parallel()
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 27, 3, 30, 0, 0, paris)
	for range 400 {
		next := app.Nightly(at)
		y, m, d := at.AddDate(0, 0, 1).Date()
		if want := time.Date(y, m, d, 3, 30, 0, 0, paris); !next.Equal(want) {
			t.Fatalf("after %s comes %s", at, next.In(paris))
		}
		if again := app.Nightly(next.Add(-time.Second)); !again.Equal(next) {
			t.Fatalf("a second before %s comes %s", next, again)
		}
		at = next
	}
}

// The night's comparison repairs what is out of step, and the check that runs all day ends at Stripe what a deleted
// account still paid for.
func TestBillingJobs(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	c := config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL(), StripePriceStandard: stripesim.StandardPrice, StripePricePro: stripesim.ProPrice}
	execute(t, pool, addAccount, "me@exemple.fr", true, nil, true, "fr")
	var account ident.AccountID
	if err := pool.QueryRow(t.Context(), `SELECT id FROM account.account`).Scan(&account); err != nil {
		t.Fatal(err)
	}
	buy := func() (customer, subscription string) {
		t.Helper()
		customer, err := app.NewGate(c).EnsureCustomer(t.Context(), account+ident.AccountID(len(sim.Events())), "me@exemple.fr", "fr")
		if err == nil {
			subscription, err = sim.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK)
		}
		if err != nil {
			t.Fatal(err)
		}
		return customer, subscription
	}
	customer, _ := buy()
	execute(t, pool, `INSERT INTO account.subscription (account_id, customer_id, updated_at) VALUES ($1, $2, now())`, account, customer)
	orphan, left := buy()
	execute(t, pool, `INSERT INTO account.orphan_customer (customer_id, since) VALUES ($1, now())`, orphan)

	client, err := app.BillingClient(pool, c, clock.Real{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed)
	defer cancel()
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer client.StopAndCancel(context.WithoutCancel(t.Context()))
	for _, args := range []river.JobArgs{app.ReconcileJob{}, app.GraceJob{}} {
		if _, err := client.Insert(t.Context(), args, nil); err != nil {
			t.Fatal(err)
		}
		for { // a mail is a job too
			e := <-ended
			if e.Job.Kind != args.Kind() {
				continue
			}
			if e.Kind != river.EventKindJobCompleted {
				t.Fatalf("%s: %+v", args.Kind(), e.Job.Errors)
			}
			break
		}
	}
	var plan string
	if err := pool.QueryRow(t.Context(), `SELECT plan FROM account.account`).Scan(&plan); err != nil || plan != "pro" {
		t.Errorf("the plan is %s, %v", plan, err)
	}
	if s, err := app.NewGate(c).ReadSubscription(t.Context(), left); err != nil || s.Status != "canceled" {
		t.Errorf("what a deleted account paid for: %+v, %v", s, err)
	}
}
