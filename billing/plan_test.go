package billing_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/billing"
)

// A customer gets the limits of the plan that is paid for, or what the operator granted above it.
func TestEntitlement(t *testing.T) {
	t.Parallel()
	n := func(v int) *int { return &v }
	for name, c := range map[string]struct {
		plan string
		own  billing.Own
		want billing.Limits
	}{
		"free":              {plan: billing.Free, want: billing.Limits{PerMinute: 10, EnrichmentsPerMinute: 5, PerDay: 100}},
		"standard":          {plan: billing.Standard, want: billing.Limits{PerMinute: 60, EnrichmentsPerMinute: 20, PerDay: 2_000}},
		"pro":               {plan: billing.Pro, want: billing.Limits{PerMinute: 300, EnrichmentsPerMinute: 100, PerDay: 25_000}},
		"unknown is free":   {plan: "platinum", want: billing.Limits{PerMinute: 10, EnrichmentsPerMinute: 5, PerDay: 100}},
		"one limit granted": {plan: billing.Pro, own: billing.Own{PerDay: n(90_000)}, want: billing.Limits{PerMinute: 300, EnrichmentsPerMinute: 100, PerDay: 90_000}},
		"all granted, one lower": {
			plan: billing.Free,
			own:  billing.Own{PerMinute: n(1_000), EnrichmentsPerMinute: n(1), PerDay: n(5)},
			want: billing.Limits{PerMinute: 1_000, EnrichmentsPerMinute: 1, PerDay: 5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := billing.Entitlement(c.plan, c.own); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// The gate asks for the limits at every request: that must cost the collector nothing.
func TestEntitlementAllocatesNothing(t *testing.T) {
	per := 7
	if n := testing.AllocsPerRun(1_000, func() { billing.Entitlement(billing.Pro, billing.Own{PerDay: &per}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The published plans cannot be changed by a caller that lists them.
func TestPlansAreCopied(t *testing.T) {
	t.Parallel()
	billing.Plans()[0].PerDay = 1_000_000
	if p := billing.Plans()[0]; p.PerDay != 100 || p.Commercial || p.PriceEuros != 0 {
		t.Errorf("the free plan is now %+v", p)
	}
}

// The database takes the plans of the table and no other: a plan that is added there and not here
// would be refused when somebody pays for it.
func TestTheDatabaseKnowsThePlans(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	rows := testkit.Must(pool.Query(t.Context(), `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace = 'account'::regnamespace AND contype = 'c' AND pg_get_constraintdef(oid) ~ 'plan = ANY'`))(t)
	quoted, seen := regexp.MustCompile(`'(\w+)'`), 0
	var table, check string
	if _, err := pgx.ForEachRow(rows, []any{&table, &check}, func() error {
		var known, want []string
		for _, m := range quoted.FindAllStringSubmatch(check, -1) {
			known = append(known, m[1])
		}
		for _, p := range billing.Plans() {
			if p.PriceEuros > 0 || table == "account.account" {
				want = append(want, p.Name)
			}
		}
		if seen++; !slices.Equal(known, want) {
			t.Errorf("%s takes %q, the plans are %q: %s", table, known, want, check)
		}
		return nil
	}); err != nil || seen != 5 {
		t.Errorf("%d checks, %v", seen, err)
	}
}
