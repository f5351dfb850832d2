package billing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

type desk struct {
	*billing.Service
	t     *testing.T
	pool  *pgxpool.Pool
	url   string
	clock *clock.Fixed
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Parallel()
	pool, url := testkit.DB(t)
	d := &desk{t: t, pool: pool, url: url, clock: clock.At(first.Add(2000 * time.Hour))}
	d.Service = billing.New(billing.Options{DB: pool, Clock: d.clock})
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	testkit.NoError(d.t, err)
}

// account is somebody who is a customer named after the account.
func (d *desk) account() (ident.AccountID, string) {
	d.t.Helper()
	var id ident.AccountID
	d.must(d.pool.QueryRow(d.t.Context(), `INSERT INTO account.account (email, created_at, updated_at)
		VALUES (gen_random_uuid() || '@exemple.fr', now(), now()) RETURNING id`).Scan(&id))
	customer := fmt.Sprintf("cus_%d", id)
	d.must(d.SaveCustomer(d.t.Context(), id, customer))
	return id, customer
}

// withCustomer gives a reading to a customer, whose subscriptions bear their own names.
func withCustomer(customer string, r billing.Reading) billing.Reading {
	r.CustomerID = customer
	if r.SubscriptionID != "" {
		r.SubscriptionID += "_" + customer
	}
	return r
}

func (d *desk) row(account ident.AccountID) billing.Row {
	d.t.Helper()
	return testkit.Must(d.Customer(d.t.Context(), account))(d.t)
}

// formatRow is a row as a test compares it.
func formatRow(r billing.Row) string {
	since := "-"
	if r.PastDueSince != nil {
		since = r.PastDueSince.UTC().Format(time.RFC3339)
	}
	return fmt.Sprint(r.Plan, " ", r.SubscriptionID, " ", r.Snapshot.Plan, " ", r.Status, " ", r.PeriodEnd.UTC(), r.CancelAtPeriodEnd, r.NextPlan, " since ", since,
		r.PastDueNotified, r.GraceOverNotified, r.Disputed)
}

func newEvent(id string, r billing.Reading) *billing.Event {
	return &billing.Event{ID: id, Type: "customer.subscription.updated", Created: r.At, Payload: []byte(`{"id": "` + id + `"}`)}
}

// mailed expects a mail as the last, with the plan that the operator
// granted where it makes that no limit changes.
func (d *desk) mailed(template, granted string) {
	d.t.Helper()
	var got, plan string
	d.must(d.pool.QueryRow(d.t.Context(), `SELECT args->>'template', coalesce(args->'values'->>'granted', '') FROM job.river_job
		WHERE kind = 'mail' ORDER BY id DESC LIMIT 1`).Scan(&got, &plan))
	if got != template || plan != granted {
		d.t.Errorf("mailed %s, granted %q; want %s, %q", got, plan, template, granted)
	}
}

// The operator's gift is the least that an account has, before, while and after it pays, and is written down.
func TestGrant(t *testing.T) {
	d := newDesk(t)
	account, customer := d.account()
	step := func(want string) {
		t.Helper()
		if got := d.row(account).Plan; got != want {
			t.Errorf("on %s, want %s", got, want)
		}
	}
	grant := func(plan string) {
		t.Helper()
		if r, err := d.Grant(t.Context(), account, plan); err != nil || r.Granted != plan || r.Plan != d.row(account).Plan {
			t.Errorf("%+v, %v", r, err)
		}
	}
	apply := func(hours int, plan, status string) {
		t.Helper()
		testkit.Must(d.Apply(t.Context(), nil, account, withCustomer(customer, readingAt(hours, billing.Snapshot{SubscriptionID: "sub", Plan: plan, Status: status}))))(t)
	}
	grant(billing.Standard)
	step(billing.Standard)
	apply(1, billing.Pro, billing.Active)
	step(billing.Pro)
	grant(billing.Free)
	step(billing.Pro)
	grant(billing.Standard)
	apply(2, billing.Pro, billing.Canceled)
	step(billing.Standard)
	d.mailed("plan_ended", "")
	apply(3, billing.Standard, billing.Active)
	d.mailed("plan_started", "Standard")
	apply(4, billing.Standard, billing.Canceled)
	d.mailed("plan_ended", "Standard")
	grant(billing.Free)
	step(billing.Free)
	testkit.WantCode(t, testkit.ErrorOf(d.Grant(t.Context(), account+99, billing.Pro)), fault.NotFound)
	var granted int
	d.must(d.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.audit WHERE account_id = $1 AND action = 'plan_granted' AND actor = 'operator'`, account).Scan(&granted))
	testkit.Want(t, granted, 4, "records")
}

// One customer is one account, and a reading of another customer changes nothing.
func TestCustomersAreNotMixedUp(t *testing.T) {
	d := newDesk(t)
	a, customerA := d.account()
	b, customerB := d.account()
	d.must(d.SaveCustomer(t.Context(), a, customerA))
	for account, customer := range map[ident.AccountID]string{a: customerB, b: "cus_new"} {
		if err := d.SaveCustomer(t.Context(), account, customer); !errors.Is(err, billing.ErrOtherCustomer) {
			t.Errorf("%d as %s: %v", account, customer, err)
		}
	}
	r := readingAt(1, billing.Snapshot{SubscriptionID: "sub", Plan: billing.Pro, Status: billing.Active})
	testkit.WantError(t, testkit.ErrorOf(d.Apply(t.Context(), newEvent("evt", r), a, withCustomer(customerB, r))), billing.ErrOtherCustomer)
	if seen, err := d.Seen(t.Context(), "evt"); seen || err != nil || d.row(a).Plan != billing.Free {
		t.Errorf("seen %t, %v, %s", seen, err, formatRow(d.row(a)))
	}
	if row, err := d.ByCustomer(t.Context(), customerB); err != nil || row.Account != b {
		t.Errorf("%+v, %v", row, err)
	}
	for _, customer := range []string{"", "cus_unknown"} {
		if _, err := d.ByCustomer(t.Context(), customer); !errors.Is(err, billing.ErrNoAccount) {
			t.Errorf("%q: %v", customer, err)
		}
	}
}

// closer stands in for Stripe's side of a deletion.
type closer struct {
	billing.Gateway
	asked []billing.ClosedCustomer
	found bool
	err   error
	takes func() // nil: no time
}

func (c *closer) LiveSubscriptions(context.Context, string) ([]billing.LiveSubscription, string, error) {
	return nil, "", nil
}

func (c *closer) CloseCustomer(_ context.Context, asked billing.ClosedCustomer) (bool, error) {
	c.asked = append(c.asked, asked)
	if c.takes != nil {
		c.takes()
	}
	return c.found, c.err
}

// An account that is deleted leaves behind what has to be ended at Stripe, and for as long as a payment that
// was begun before may still come; and nothing about the person.
func TestDeletion(t *testing.T) {
	d := newDesk(t)
	account, customer := d.account()
	r := readingAt(1, billing.Snapshot{SubscriptionID: "sub", Plan: billing.Pro, Status: billing.Active})
	_, err := d.Apply(t.Context(), newEvent("evt", r), account, withCustomer(customer, r))
	d.must(err)
	till := &closer{err: errors.New("away")}
	d.must(pgx.BeginFunc(t.Context(), d.pool, func(tx pgx.Tx) error {
		if plan, err := d.BeforeDelete(t.Context(), tx, account); err != nil || plan != "" {
			t.Errorf("where nothing can be ended, the subscription to %q ends with the account (%v)", plan, err)
		}
		d.Gateway = till
		if plan, err := d.BeforeDelete(t.Context(), tx, account); err != nil || plan != "Pro" {
			t.Errorf("the subscription to %q ends with the account (%v)", plan, err)
		}
		_, err := tx.Exec(t.Context(), `DELETE FROM account.account WHERE id = $1`, account)
		return err
	}))
	var left int
	d.must(d.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.stripe_event WHERE payload <> '{}'`).Scan(&left))
	deleted := d.clock.Now()
	n, err := d.Orphans(t.Context())
	if n != 1 || err != nil || left != 0 {
		t.Errorf("%d orphans, %v, %d events with a payload", n, err, left)
	}
	closing := func(err error, asked, pending, kept int) {
		t.Helper()
		if got := d.ClosePending(t.Context()); !errors.Is(got, err) || len(till.asked) != asked {
			t.Errorf("%v after %d calls, want %v after %d", got, len(till.asked), err, asked)
		}
		var rows int
		d.must(d.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.orphan_customer`).Scan(&rows))
		if n, err := d.Orphans(t.Context()); n != pending || rows != kept || err != nil {
			t.Errorf("%d pending of %d, %v; want %d of %d", n, rows, err, pending, kept)
		}
	}
	closing(till.err, 1, 1, 1)
	till.err, till.found = nil, true
	closing(nil, 2, 0, 1)
	if c := till.asked[1]; c.ID != customer || c.SubscriptionID != "sub_"+customer || !c.DeletedAt.Equal(deleted) {
		t.Errorf("closed as %+v", c)
	}
	closing(nil, 3, 0, 1) // a page that was being opened when the account went
	d.clock.Advance(time.Minute)
	closing(nil, 4, 0, 1)
	closing(nil, 4, 0, 1)
	all := func() billing.Report {
		t.Helper()
		return testkit.Must(d.Reconcile(t.Context(), 0, d.clock.Now().Add(time.Hour), false))(t)
	}
	d.clock.Advance(31 * 24 * time.Hour)
	all()
	closing(nil, 5, 0, 1) // something was found: it is looked for again
	till.found, till.err = false, errors.New("unpayable")
	if rep := all(); len(rep.Failed) != 1 || rep.Failed[0].Customer != customer {
		t.Errorf("%+v", rep)
	}
	till.err = nil
	all()
	closing(nil, 7, 0, 0)
	testkit.WantCode(t, testkit.ErrorOf(d.Apply(t.Context(), nil, account, withCustomer(customer, r))), fault.NotFound, "a reading of a deleted account")
	d.must(d.Ignore(t.Context(), *newEvent("late", r), account)) // it was the account's when the event came
	d.must(d.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.stripe_event WHERE payload <> '{}'`).Scan(&left))
	testkit.Want(t, left, 0, "events with a payload")
}

// However many accounts were deleted of late, what they left at Stripe takes half the time of a comparison
// and no more: a part that compared no account would end the night's work.
func TestDeletedAccountsDoNotKeepOthersFromComparison(t *testing.T) {
	d := newDesk(t)
	d.Gateway = &closer{takes: func() { d.clock.Advance(20 * time.Second) }}
	for n := range 4 {
		testkit.Exec(t, d.pool, `INSERT INTO account.orphan_customer (customer_id, since) VALUES ($1, $2)`, fmt.Sprintf("cus_gone_%d", n), d.clock.Now())
		testkit.Exec(t, d.pool, `INSERT INTO account.account (email, plan, created_at, updated_at) VALUES ($1, 'pro', now(), now())`, fmt.Sprintf("a%d@exemple.fr", n))
	}
	rep, err := d.Reconcile(t.Context(), 0, d.clock.Now().Add(45*time.Second), false)
	if err != nil || rep.Compared != 4 {
		t.Errorf("%d of 4 accounts compared, last %d, %v", rep.Compared, rep.Last, err)
	}
}

// Of a subscription whose first payment had not been confirmed when its account went nothing was had: what is
// paid for it is given back, also where that was before.
func TestDeletionBeforeTheFirstPayment(t *testing.T) {
	d := newDesk(t)
	account, customer := d.account()
	r := readingAt(1, billing.Snapshot{SubscriptionID: "sub", Plan: billing.Pro, Status: billing.Incomplete})
	testkit.Must(d.Apply(t.Context(), newEvent("evt", r), account, withCustomer(customer, r)))(t)
	till := &closer{}
	d.Gateway = till
	d.must(pgx.BeginFunc(t.Context(), d.pool, func(tx pgx.Tx) error { _, err := d.BeforeDelete(t.Context(), tx, account); return err }))
	d.must(d.ClosePending(t.Context()))
	if len(till.asked) != 1 || till.asked[0].SubscriptionID != "" {
		t.Errorf("closed as %+v", till.asked)
	}
}

// The accountant whose address the customer added gets the mails about payments too, once they have agreed,
// and each as a copy that they can stop; other accounts and addresses without an answer get none.
func TestBillingMailsAreCopied(t *testing.T) {
	d, ctx := newDesk(t), t.Context()
	account, customer := d.account()
	other, _ := d.account()
	for _, row := range []struct {
		account ident.AccountID
		email   string
		agreed  bool
	}{{account, "compta@exemple.fr", true}, {account, "muet@exemple.fr", false}, {other, "ailleurs@exemple.fr", true}} {
		testkit.Exec(t, d.pool, `INSERT INTO account.billing_recipient (account_id, email, asked_at, confirmed_at)
			VALUES ($1, $2, now(), CASE WHEN $3 THEN now() END)`, row.account, row.email, row.agreed)
	}
	now := d.clock.Now()
	for n, status := range []string{billing.Active, billing.PastDue} {
		r := billing.Reading{At: now.Add(time.Duration(n) * time.Second), Snapshot: billing.Snapshot{SubscriptionID: "sub_1", Plan: billing.Standard,
			Status: status, PeriodEnd: now.AddDate(0, 1, 0)}}
		testkit.Must(d.Apply(ctx, nil, account, withCustomer(customer, r)))(t)
	}
	testkit.Exec(t, d.pool, `UPDATE account.account SET reserve_per_month = 100 WHERE id = $1`, account)
	testkit.Exec(t, d.pool, `INSERT INTO account.reserve_day VALUES ($1, $2, 2000)`, account, clock.Day(now).Time())
	testkit.Exec(t, d.pool, `INSERT INTO account.quota_day (account_id, day, used) VALUES ($1, $2, 2060)`, account, clock.Day(now).Time())
	d.must(d.UpdateReserves(ctx))
	var copies []string
	for _, m := range testkit.Mails(t, d.pool) {
		if m.Link == nil {
			continue
		}
		copies = append(copies, string(m.Template)+" "+m.To)
		if m.Link.Purpose != mail.PurposeBillingMails || m.Account != int64(account) || !strings.HasSuffix(m.Values["owner"], "@exemple.fr") {
			t.Errorf("%+v", m)
		}
	}
	want := []string{"plan_started compta@exemple.fr", "payment_failed compta@exemple.fr", "reserve_used compta@exemple.fr"}
	if !slices.Equal(copies, want) {
		t.Errorf("copies %q, want %q", copies, want)
	}
}
