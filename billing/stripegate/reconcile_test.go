package stripegate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/ident"
)

// disorder is what a hand, or a lost event, may do to what is known of one account.
var disorder = []struct{ name, sql string }{
	{"plan in force", `UPDATE account.account SET plan = 'free' WHERE id = $1`},
	{"plan in force", `UPDATE account.account SET plan = 'standard' WHERE id = $1`},
	{"status", `UPDATE account.subscription SET status = 'canceled' WHERE account_id = $1`},
	{"plan", `UPDATE account.subscription SET plan = 'standard' WHERE account_id = $1`},
	{"subscription", `UPDATE account.subscription SET subscription_id = NULL, plan = NULL, status = NULL WHERE account_id = $1`},
	{"period end", `UPDATE account.subscription SET period_end = period_end - interval '1 month' WHERE account_id = $1`},
	{"cancel at period end", `UPDATE account.subscription SET cancel_at_period_end = true WHERE account_id = $1`},
	{"next plan", `UPDATE account.subscription SET next_plan = 'standard' WHERE account_id = $1`},
	{"past due since", `UPDATE account.subscription SET past_due_since = now() WHERE account_id = $1`},
	{"disputed", `UPDATE account.subscription SET disputed = true WHERE account_id = $1`},
	{"read at", `UPDATE account.subscription SET read_at = now() + interval '10 years', status = 'unpaid' WHERE account_id = $1`},
}

// A hundred accounts that a hand put out of step are in step after one comparison,
// which names each of them and what was wrong; a trial run names the same and changes
// nothing; and those that were right are left alone.
func TestReconcile(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	ctx, later := t.Context(), time.Now().Add(time.Hour)
	var accounts []ident.AccountID
	for n := range 110 {
		account, customer := w.account(fmt.Sprintf("a%d@exemple.fr", n))
		testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
		if changed, err := w.store.Refresh(ctx, account); err != nil || !changed {
			t.Fatalf("%t, %v", changed, err)
		}
		accounts = append(accounts, account)
	}
	wrong := map[ident.AccountID]string{}
	for n, account := range accounts[:99] {
		d := disorder[n%len(disorder)]
		w.execute(d.sql, account)
		wrong[account] = d.name
	}
	var free ident.AccountID // somebody who never paid
	w.must(w.pool.QueryRow(ctx, `INSERT INTO account.account (email, plan, created_at, updated_at) VALUES ('x@exemple.fr', 'pro', now(), now()) RETURNING id`).Scan(&free))
	wrong[free] = "plan in force"

	dry := testkit.Must(w.store.Reconcile(ctx, 0, later, true))(t)
	report := testkit.Must(w.store.Reconcile(ctx, 0, later, false))(t)
	for name, r := range map[string]billing.Report{"trial": dry, "repair": report} {
		if r.Compared != 111 || len(r.Repaired) != 100 || len(r.Failed) != 0 || r.Last != 0 {
			t.Errorf("%s: %d compared, %d repaired, %+v failed, last %d", name, r.Compared, len(r.Repaired), r.Failed, r.Last)
		}
		for _, d := range r.Repaired {
			named := false
			for _, c := range d.Changes {
				named = named || c.What == wrong[d.Account]
			}
			if !named || d.Email == "" {
				t.Errorf("%s: %+v, want %s", name, d, wrong[d.Account])
			}
		}
	}
	for _, account := range accounts {
		r := w.row(account)
		truth := testkit.Must(w.read(r.CustomerID))(t)
		r.PeriodEnd = r.PeriodEnd.UTC()
		if r.Snapshot != truth || r.Plan != billing.Pro || r.PastDueSince != nil {
			t.Errorf("%s: %s", wrong[account], formatRow(r))
		}
	}
	if w.row(free).Plan != billing.Free {
		t.Error("somebody who never paid has a plan")
	}
	if again, err := w.store.Reconcile(ctx, 0, later, false); err != nil || len(again.Repaired) != 0 || again.Compared != 110 {
		t.Errorf("again: %+v, %v", again, err)
	}
	testkit.WantCount(t, w.pool, 1, "one that was right has records",
		`SELECT count(*) FROM account.audit WHERE account_id = $1`, accounts[105])
}

// While Stripe is away a comparison stops at once and takes no customer's plan; one customer that Stripe does
// not know is named and keeps what it has, since a wrong key would make all of them unknown; and work
// that was cut short goes on where it stopped.
func TestReconcileLosesNothing(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	ctx := t.Context()
	var accounts []ident.AccountID
	for n := range 3 {
		account, customer := w.account(fmt.Sprintf("a%d@exemple.fr", n))
		testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
		testkit.Must(w.store.Refresh(ctx, account))(t)
		accounts = append(accounts, account)
	}
	w.Fail(stripesim.Down, 0)
	if r, err := w.store.Reconcile(ctx, 0, time.Now().Add(time.Hour), false); !errors.Is(err, billing.ErrUnavailable) || r.Compared != 0 {
		t.Errorf("away: %+v, %v", r, err)
	}
	w.Fail(stripesim.Works, 0)
	w.execute(`UPDATE account.subscription SET customer_id = 'cus_gone' WHERE account_id = $1`, accounts[1])
	w.execute(`UPDATE account.account SET plan = 'free' WHERE id = $1`, accounts[2])
	r := testkit.Must(w.store.Reconcile(ctx, accounts[0], time.Now().Add(time.Hour), false))(t)
	if r.Compared != 2 || len(r.Failed) != 1 || r.Failed[0].Account != accounts[1] || len(r.Repaired) != 1 || r.Repaired[0].Account != accounts[2] {
		t.Errorf("%+v", r)
	}
	if w.row(accounts[1]).Plan != billing.Pro {
		t.Error("an unknown customer has lost its plan")
	}
	if r, err := w.store.Reconcile(ctx, 0, w.Now().Add(-time.Second), false); err != nil || r.Compared != 0 {
		t.Errorf("without time: %+v, %v", r, err)
	}
}

// A period that ends without an event is asked for; one whose event came is not.
func TestOverdue(t *testing.T) {
	w := newWorld(t, stripesim.Options{NoMock: true})
	account, customer := w.account("jeanne@exemple.fr")
	testkit.Must(w.Subscribe(customer, stripesim.ProPrice, stripesim.CardOK))(t)
	w.deliver(0)
	if all, err := w.store.Overdue(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	w.Advance(32 * day)
	if all, err := w.store.Overdue(t.Context()); err != nil || len(all) != 1 || all[0] != account {
		t.Errorf("%v, %v", all, err)
	}
	if changed, err := w.store.Refresh(t.Context(), account); err != nil || !changed {
		t.Errorf("%t, %v", changed, err)
	}
	if all, err := w.store.Overdue(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
