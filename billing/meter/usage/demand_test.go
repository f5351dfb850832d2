package usage_test

import (
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
)

func limitsOf(plan string) billing.Limits { return billing.Entitlement(plan, billing.Own{}) }

// A customer who compares plans sees what the quota would have refused to the request, and of the minute no
// more than is known: the sentence on the page is what people pay for.
func TestDemandUnder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		demand    usage.Demand
		now, plan string
		want      usage.Fit
	}{
		"nothing sent": {usage.Demand{Days: make([]usage.DayDemand, 30)}, billing.Free, billing.Pro, usage.Fit{}},
		"all fits": {usage.Demand{Days: []usage.DayDemand{{Counted: 100, Refused: 40}, {Counted: 3}}}, billing.Free, billing.Standard,
			usage.Fit{Sent: 143}},
		"the quota, to the request": {usage.Demand{Days: []usage.DayDemand{{Counted: 2000}, {Counted: 2001}, {Counted: 100, Refused: 2400}}},
			billing.Free, billing.Standard, usage.Fit{Sent: 6501, Refused: 501, BeyondQuota: 501, QuotaDays: 2}},
		"the minute, from where it was met": {usage.Demand{Days: []usage.DayDemand{{Counted: 50, Refused: 65}},
			Minutes: []usage.MinuteDemand{{Limit: 10, Refused: 60}, {Limit: 5, Refused: 5, Enrichments: true}}},
			billing.Free, billing.Standard, usage.Fit{Sent: 115, Refused: 10, BeyondMinute: 10}},
		"no request is refused twice": {usage.Demand{Days: []usage.DayDemand{{Counted: 10, Refused: 2490}},
			Minutes: []usage.MinuteDemand{{Limit: 10, Refused: 2490}}},
			billing.Free, billing.Standard, usage.Fit{Sent: 2500, Refused: 2440, BeyondQuota: 500, QuotaDays: 1, BeyondMinute: 2440}},
		"a lower plan: the minute is not known": {usage.Demand{Days: []usage.DayDemand{{Counted: 90}}}, billing.Pro, billing.Free,
			usage.Fit{Sent: 90, MinuteUnknown: true}},
		"a lower plan, but days of hardly anything": {usage.Demand{Days: []usage.DayDemand{{Counted: 5}, {}}}, billing.Pro, billing.Free,
			usage.Fit{Sent: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.demand.Under(limitsOf(c.now), limitsOf(c.plan)); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// The demand is the account's own, day by day of Paris, without what a key's own cap refused.
func TestReadDemand(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, `
		WITH a AS (INSERT INTO account.account (email, created_at, updated_at)
			VALUES ('a@exemple.fr', now(), now()), ('b@exemple.fr', now(), now()) RETURNING id),
		k AS (INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
			SELECT id, 'k', sha256(id::text::bytea), 'arp_x', 'last', now() FROM a RETURNING id, account_id),
		u AS (INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
			SELECT account_id, id, o, 2, d::date, 12, 10 FROM k, unnest(ARRAY['x', 'y']) o, unnest(ARRAY['2026-11-19', '2026-11-20', '2026-11-21']) d)
		INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
		SELECT account_id, id, v.met, v.n, v.at, v.at, v.at, v.r FROM k, (VALUES
			('minute', 10, '2026-11-20 23:30:00+00'::timestamptz, 7), ('day', 100, '2026-11-20 23:30:00+00', 3),
			('enrichments', 5, '2026-11-20 12:00:00+00', 2), ('key', 4, '2026-11-20 12:00:00+00', 900)) v (met, n, at, r)`)
	to := clock.Day(time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC))
	d := testkit.Must(usage.ReadDemand(t.Context(), pool, 1, to-1, to))(t)
	if len(d.Days) != 2 || d.Days[0] != (usage.DayDemand{Counted: 20, Refused: 2}) || d.Days[1] != (usage.DayDemand{Counted: 20, Refused: 10, OverDay: 3}) {
		t.Errorf("days %+v", d.Days)
	}
	if got, want := d.Rejected(), (usage.Fit{Sent: 52, Refused: 12, BeyondQuota: 3, QuotaDays: 1, BeyondMinute: 9}); got != want {
		t.Errorf("rejected %+v, want %+v", got, want)
	}
	if len(d.Minutes) != 2 {
		t.Fatalf("minutes %+v", d.Minutes)
	}
	for _, m := range d.Minutes {
		if want := (usage.MinuteDemand{Day: 1, Limit: 10, Refused: 7}); m.Enrichments && m != (usage.MinuteDemand{Day: 0, Enrichments: true, Limit: 5, Refused: 2}) ||
			!m.Enrichments && m != want {
			t.Errorf("minute %+v", m)
		}
	}
	if _, err := usage.ReadDemand(t.Context(), pool, 1, to, to-1); err == nil {
		t.Error("days out of order are read")
	}
}

// A name that somebody gave a key does not run in the spreadsheet that opens the export.
func TestFormulasAreQuoted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"=1+1": "'=1+1", "+33": "'+33", "-2": "'-2", "@x": "'@x", " =1": "' =1", "＝1": "'＝1", "\tx": "'\tx", "prod-1": "prod-1", "": ""} {
		testkit.Want(t, usage.EscapeCell(name), want, name)
	}
}
