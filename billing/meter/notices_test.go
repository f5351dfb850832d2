package meter_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/mail"
)

// An account is notified once a day that 80 % of its quota is used, and once that all of it is, or at the
// percentages that its owner chose: of its own limit, if it wants the mails, and whatever the number of
// instances.
func TestQuotaNoticesOfConcurrentInstances(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	c := clock.At(now)
	testkit.Exec(t, pool, testkit.AddAccount, "plan@exemple.fr", true, nil, true, "fr") // 100 a day
	testkit.Exec(t, pool, testkit.AddAccount, "own@exemple.fr", true, 1000, true, "en")
	testkit.Exec(t, pool, testkit.AddAccount, "quiet@exemple.fr", true, nil, false, "fr")
	testkit.Exec(t, pool, testkit.AddAccount, "unconfirmed@exemple.fr", false, nil, true, "fr")
	use := func(used map[string]int) {
		for _, email := range slices.Sorted(maps.Keys(used)) {
			testkit.Exec(t, pool, `INSERT INTO account.quota_day (account_id, day, used) SELECT id, $2, $3 FROM account.account WHERE email = $1
				ON CONFLICT (account_id, day) DO UPDATE SET used = excluded.used`, email, clock.Day(c.Now()).Time(), used[email])
		}
	}
	seen := 0
	m := testkit.Must(meter.New(meter.Options{Pool: pool, Clock: c}))(t)
	round := func(step string, want ...string) {
		t.Helper()
		var wg sync.WaitGroup
		for range 3 { // instances
			wg.Go(func() {
				if err := m.NotifyQuotas(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := testkit.NewMails(t, pool, &seen); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	testkit.Exec(t, pool, testkit.AddAccount, "chosen@exemple.fr", true, nil, true, "en")
	testkit.Exec(t, pool, `INSERT INTO account.notice_address (account_id, email, asked_at, confirmed_at)
		SELECT id, v.email, now(), CASE WHEN v.agreed THEN now() END FROM account.account a, (VALUES ('compta@exemple.fr', true), ('muet@exemple.fr', false)) v (email, agreed)
		WHERE a.email = 'chosen@exemple.fr'`)
	testkit.Exec(t, pool, "UPDATE account.account SET quota_percents = '{50,90}' WHERE email = 'chosen@exemple.fr'")
	use(map[string]int{"plan@exemple.fr": 79, "own@exemple.fr": 799, "quiet@exemple.fr": 100, "unconfirmed@exemple.fr": 100})
	round("below")
	use(map[string]int{"plan@exemple.fr": 80, "own@exemple.fr": 799})
	round("80 of the plan", "quota_80 plan@exemple.fr")
	use(map[string]int{"chosen@exemple.fr": 85})
	round("half, of an owner who chose that", "quota_copy compta@exemple.fr", "quota_part chosen@exemple.fr")
	use(map[string]int{"chosen@exemple.fr": 100})
	round("more than the highest that was chosen", "quota_copy compta@exemple.fr", "quota_part chosen@exemple.fr")
	all := testkit.Mails(t, pool)
	if values := all[seen-2].Values; values["percent"] != "90" || values["owner"] != "" {
		t.Errorf("%v", values)
	}
	further := all[seen-1]
	if v := further.Values; v["percent"] != "90" || v["owner"] != "chosen@exemple.fr" || further.Language != "en" || further.Link == nil ||
		further.Link.Purpose != mail.PurposeNotices || testkit.Count(t, pool, "SELECT count(*) FROM account.notice_address WHERE email = 'compta@exemple.fr' AND id = "+strconv.FormatInt(further.Link.ID, 10)) != 1 {
		t.Errorf("%+v", further)
	}
	testkit.Exec(t, pool, "DELETE FROM account.notice_address WHERE email = 'compta@exemple.fr'")
	round("once")
	use(map[string]int{"plan@exemple.fr": 100, "own@exemple.fr": 1000})
	round("all; the other past both at once", "quota_100 own@exemple.fr", "quota_100 plan@exemple.fr")
	round("once")
	testkit.Exec(t, pool, "UPDATE account.account SET per_day = 200 WHERE email = 'plan@exemple.fr'")
	use(map[string]int{"plan@exemple.fr": 190})
	round("the limit was raised: this day has had its notices")

	c.Set(time.Date(2026, 5, 4, 22, 0, 0, 0, time.UTC)) // midnight in Paris
	round("a new day")
	use(map[string]int{"plan@exemple.fr": 160})
	testkit.NoError(t, m.NotifyQuotas(t.Context()))
	left := testkit.Mails(t, pool)[seen:]
	if len(left) != 1 || !maps.Equal(left[0].Values, map[string]string{"used": "160", "limit": "200", "plan": "Free"}) || left[0].Language != "fr" {
		t.Errorf("%+v", left)
	}
}

// An account that has a webhook for it gets an event about each threshold, once, whether it wants mails or
// not.
func TestQuotaEvents(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	for _, mails := range []bool{true, false} {
		testkit.Exec(t, pool, testkit.AddAccount, fmt.Sprintf("mails-%t@exemple.fr", mails), true, 1000, mails, "fr")
	}
	testkit.Exec(t, pool, testkit.AddAccount, "neither@exemple.fr", true, 1000, false, "fr")
	testkit.Exec(t, pool, `INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		SELECT id, 'https://exemple.fr/', '{quota.threshold}', 'x', now(), now() FROM account.account WHERE email LIKE 'mails%'`)
	testkit.Exec(t, pool, `INSERT INTO account.quota_day (account_id, day, used) SELECT id, $1, 800 FROM account.account`, clock.Day(c.Now()).Time())
	m := testkit.Must(meter.New(meter.Options{Pool: pool, Clock: c}))(t)
	for range 2 {
		testkit.NoError(t, m.NotifyQuotas(t.Context()))
	}
	seen := 0
	if got := testkit.NewMails(t, pool, &seen); !slices.Equal(got, []string{"quota_80 mails-true@exemple.fr"}) {
		t.Errorf("mails %v", got)
	}
	const events = `SELECT count(*) FROM account.webhook_delivery WHERE type = 'quota.threshold'
		AND body::jsonb->'data' = '{"day": "2026-05-04", "percent": 80, "used": 800, "limit": 1000, "plan": "free"}'`
	if all, right := testkit.Count(t, pool, `SELECT count(*) FROM account.webhook_delivery`), testkit.Count(t, pool, events); all != 2 || right != 2 {
		t.Errorf("%d events, of which %d are as they should be", all, right)
	}
	testkit.WantCount(t, pool, 2, "notices", `SELECT count(*) FROM account.quota_notice`)
}
