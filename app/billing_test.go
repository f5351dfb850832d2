package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/app"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// The night's comparison repairs what is out of step.
func TestBillingJobs(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	c := config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL(), StripePrices: stripesim.PriceLists()}
	service := app.NewBilling(c, pool, clock.Real{})
	testkit.Exec(t, pool, testkit.AddAccount, "me@exemple.fr", true, nil, true, "fr")
	var account ident.AccountID
	testkit.NoError(t, pool.QueryRow(t.Context(), `SELECT id FROM account.account`).Scan(&account))
	row, err := service.Customer(t.Context(), account)
	testkit.NoError(t, err)
	var customer string
	testkit.Eventually(t, testkit.Timeout, "a customer is made", func() bool { // a busy machine may pass its deadline
		customer, err = service.EnsureCustomer(t.Context(), row, "fr")
		return err == nil
	})
	_, err = sim.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK)
	testkit.NoError(t, err)
	client := testkit.Must(app.BillingClient(pool, service, clock.Real{}))(t)
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed)
	defer cancel()
	testkit.NoError(t, client.Start(t.Context()))
	defer client.StopAndCancel(context.WithoutCancel(t.Context()))
	for _, args := range []river.JobArgs{billing.ReconcileJob{}, jobs.Named("billing_grace")} {
		testkit.Must(client.Insert(t.Context(), args, nil))(t)
		awaitJob(t, ended, args.Kind(), river.EventKindJobCompleted)
	}
	var plan string
	if err := pool.QueryRow(t.Context(), `SELECT plan FROM account.account`).Scan(&plan); err != nil || plan != "pro" {
		t.Errorf("the plan is %s, %v", plan, err)
	}
}

// Events are removed after their time also where plans are not sold any more.
func TestEventsAreRemovedWherePlansAreNotSold(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, `INSERT INTO account.stripe_event (id, type, created_at, received_at, outcome, payload)
		SELECT 'evt_' || days, 'invoice.paid', at, at, 'applied', '{}' FROM (VALUES (399), (401)) d (days), LATERAL (SELECT now() - days * interval '1 day' AS at) a`)
	workers, scheduled := jobs.Workers(billing.New(billing.Options{DB: pool, Clock: clock.Real{}}).Jobs()...)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: pgdb.JobSchema, Workers: workers, PeriodicJobs: scheduled,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond})
	testkit.NoError(t, err)
	testkit.NoError(t, client.Start(t.Context()))
	defer client.StopAndCancel(context.WithoutCancel(t.Context()))
	testkit.Eventually(t, testkit.Timeout, "the old event is gone, and the other kept", func() bool {
		return testkit.Count(t, pool, `SELECT count(*) FROM account.stripe_event`) == 1
	})
}

// The deletion of an account closes the page on which it could be paid for at once, and is not held up by
// Stripe's absence: the check that runs all day closes it then.
func TestDeletionClosesTheCheckoutPage(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	c := config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL(), StripePrices: stripesim.PriceLists()}
	service := app.NewBilling(c, pool, clock.Real{})
	client := testkit.Must(app.BillingClient(pool, service, clock.Real{}))(t)
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed)
	defer cancel()
	testkit.NoError(t, client.Start(t.Context()))
	defer client.StopAndCancel(context.WithoutCancel(t.Context()))
	for email, down := range map[string]bool{"up@exemple.fr": false, "down@exemple.fr": true} {
		testkit.Exec(t, pool, testkit.AddAccount, email, true, nil, true, "fr")
		var account ident.AccountID
		testkit.NoError(t, pool.QueryRow(t.Context(), `SELECT id FROM account.account WHERE email = $1`, email).Scan(&account))
		page, err := service.Subscribe(t.Context(), account, billing.Offer{Plan: billing.Pro}, "fr")
		testkit.NoError(t, err)
		if down {
			sim.Fail(stripesim.Down, 0)
		}
		testkit.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if _, err := service.BeforeDelete(t.Context(), tx, account); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), `DELETE FROM account.account WHERE id = $1`, account)
			return err
		}))
		closing := river.EventKindJobCompleted
		if down {
			closing = river.EventKindJobFailed
		}
		awaitJob(t, ended, "billing_close", closing)
		if sim.Fail(stripesim.Works, 0); down {
			testkit.Must(client.Insert(t.Context(), jobs.Named("billing_grace"), nil))(t)
			awaitJob(t, ended, "billing_grace", river.EventKindJobCompleted)
		}
		if _, err := sim.Pay(page[strings.LastIndex(page, "/")+1:], stripesim.Buyer{}); err == nil {
			t.Errorf("%s can still be paid for", email)
		}
	}
}

// awaitJob waits until a job of a kind ends in a way. One that failed is tried again, as in a server: on a
// busy machine a call may take longer than it has.
func awaitJob(t *testing.T, ended <-chan *river.Event, kind string, end river.EventKind) {
	t.Helper()
	timeout := time.After(testkit.Timeout)
	for {
		select {
		case e := <-ended:
			if e.Job.Kind == kind && e.Kind == end {
				return
			}
			t.Logf("%s: %s %v", e.Job.Kind, e.Kind, e.Job.Errors)
		case <-timeout:
			t.Fatalf("%s: not %s within %s", kind, end, testkit.Timeout)
		}
	}
}
