package billing_test

import (
	"slices"
	"sync"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/audit"
	"arpent/internal/ident"
)

// waiting counts the mails to an account that plans are sold, in a language.
func (d *desk) waiting(account ident.AccountID, language, plan string) int {
	d.t.Helper()
	return testkit.Count(d.t, d.pool, `SELECT count(*) FROM job.river_job WHERE kind = 'mail' AND args->>'template' = 'plans_on_sale'
		AND (args->>'account')::bigint = $1 AND args->>'language' = $2 AND args->'values'->>'plan' = $3`, account, language, plan)
}

// actions are what is on record of an account, the oldest first.
func (d *desk) actions(account ident.AccountID) (names []string) {
	d.t.Helper()
	entries := testkit.Must(audit.List(d.t.Context(), d.pool, account, 0, 100))(d.t)
	for _, e := range entries {
		names = append([]string{e.Actor + " " + e.Action}, names...)
	}
	return names
}

// A person who asked to be notified gets one mail once plans are sold, in their language and for the plan
// that they asked about last, however many instances start; one who took it back or has gone gets none, and
// before plans are sold no mail is sent.
func TestWishesAreNotifiedOnceBySimultaneousJobs(t *testing.T) {
	d := newDesk(t)
	ctx := audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount})
	french, _ := d.account()
	english, _ := d.account()
	back, _ := d.account()
	gone, _ := d.account()
	testkit.Exec(t, d.pool, `UPDATE account.account SET language = 'en' WHERE id = $1`, english)
	for _, account := range []ident.AccountID{french, english, back, gone} {
		d.must(d.WishPlan(ctx, account, billing.Standard))
	}
	d.must(d.WishPlan(ctx, english, billing.Pro))
	d.must(d.WishPlan(ctx, english, billing.Pro)) // the form sent twice
	d.must(d.RemoveWish(ctx, back))
	d.must(d.RemoveWish(ctx, back))
	testkit.Exec(t, d.pool, `DELETE FROM account.account WHERE id = $1`, gone)
	if plan, err := d.WishedPlan(ctx, english); plan != billing.Pro || err != nil {
		t.Errorf("wished %q, %v", plan, err)
	}
	if sent, err := d.NotifyWishes(ctx); sent != 0 || err != nil || testkit.Count(t, d.pool, `SELECT count(*) FROM account.plan_wish`) != 2 {
		t.Errorf("%d notified before plans are sold, %v", sent, err)
	}

	selling := billing.New(billing.Options{DB: d.pool, Clock: d.clock, Gateway: noGateway{}})
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if _, err := selling.NotifyWishes(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	testkit.Want(t, d.waiting(french, "fr", "Standard"), 1, "mails in French")
	testkit.Want(t, d.waiting(english, "en", "Pro"), 1, "mails in English")
	testkit.WantCount(t, d.pool, 2, "mails in all", `SELECT count(*) FROM job.river_job WHERE args->>'template' = 'plans_on_sale'`)
	testkit.WantCount(t, d.pool, 0, "wishes left", `SELECT count(*) FROM account.plan_wish`)
	for account, want := range map[ident.AccountID][]string{
		english: {"account plan_wished", "account plan_wished", "system plan_wish_notified"}, back: {"account plan_wished", "account plan_wish_removed"},
	} {
		if got := d.actions(account); !slices.Equal(got, want) {
			t.Errorf("on record of account %d: %q, want %q", account, got, want)
		}
	}
}

// noGateway sells, and is asked nothing.
type noGateway struct{ billing.Gateway }
