// Package billing knows the plans and what each allows, and keeps the subscriptions to them. It promises that
// a plan is data: nothing else in the program knows a price, a limit, or how a plan is called.
package billing

import "slices"

// Names of the plans, as stored with an account and sent in X-Plan.
const (
	Free     = "free"
	Standard = "standard"
	Pro      = "pro"
)

// Plan is what somebody can subscribe to.
type Plan struct {
	Name                 string
	Title                string // in every language
	PriceEuros           int    // excluding VAT, a month
	PerDay               int    // requests in a day of Europe/Paris
	PerMinute            int    // requests in any 60 seconds
	EnrichmentsPerMinute int    // of which enrichments
	Commercial           bool
}

// plans is the table: a plan that is added here is sold by the pages, has a setting for its price at Stripe
// (config.PriceSetting), and is known to the simulator. What remains is a migration that lets the database
// store its name, and the setting in docs/settings.md, docker-compose.yml and .env.example; tests fail
// without them.
var plans = []Plan{
	{Name: Free, Title: "Free", PriceEuros: 0, PerDay: 100, PerMinute: 10, EnrichmentsPerMinute: 5,
		Commercial: false},
	{Name: Standard, Title: "Standard", PriceEuros: 19, PerDay: 2_000, PerMinute: 60, EnrichmentsPerMinute: 20,
		Commercial: true},
	{Name: Pro, Title: "Pro", PriceEuros: 79, PerDay: 25_000, PerMinute: 300, EnrichmentsPerMinute: 100,
		Commercial: true},
}

// Plans lists the plans, the cheapest first. The caller owns the slice.
func Plans() []Plan { return slices.Clone(plans) }

// Paid lists those that are paid for, the cheapest first.
func Paid() []Plan {
	return slices.DeleteFunc(Plans(), func(p Plan) bool { return p.PriceEuros == 0 })
}

// PaidNames are their names.
func PaidNames() (names []string) {
	for _, p := range Paid() {
		names = append(names, p.Name)
	}
	return names
}

// Find gives the plan of that name.
func Find(name string) (Plan, bool) {
	if i := planRank(name); i >= 0 {
		return plans[i], true
	}
	return Plan{}, false
}

// Title returns the title of the plan of that name; empty: there is no such plan.
func Title(name string) string {
	p, _ := Find(name)
	return p.Title
}

// Offer is a plan as it is sold: for a month at a time, or for a year. The zero value is no offer.
type Offer struct {
	Plan   string
	Yearly bool
}

// String names the offer in requests to Stripe.
func (o Offer) String() string {
	if o.Yearly {
		return o.Plan + "-yearly"
	}
	return o.Plan
}

// ChangesAtOnce reports whether a change from the offer to another is paid for and in force at once: one to a
// higher plan, or from months to years. Months never follow before what was paid for a year is used.
func (o Offer) ChangesAtOnce(to Offer) bool {
	if o.Yearly && !to.Yearly {
		return false
	}
	return Above(to.Plan, o.Plan) || to.Plan == o.Plan && to.Yearly != o.Yearly
}

// Limits is what an account may do, over all its keys.
type Limits struct {
	PerMinute            int
	EnrichmentsPerMinute int
	PerDay               int
	HasReserve           bool
	// what is left of the month's reserve as today begins, beyond PerDay; see ReserveState
	Reserve int
}

// AdmittedPerDay is how many requests are admitted today.
func (l Limits) AdmittedPerDay() int { return l.PerDay + l.Reserve }

// Own is what the operator granted to one account. Nil leaves the plan's limit.
type Own struct {
	PerMinute            *int
	EnrichmentsPerMinute *int
	PerDay               *int
}

// Entitlement is what an account on a plan may do. The operator's own limits win
// over the plan's; a plan that is not known allows what the free one does, so that a
// row from a newer version neither lifts the limits nor blocks the account.
func Entitlement(plan string, own Own) Limits {
	p, ok := Find(plan)
	if !ok {
		p = plans[0]
	}
	l := Limits{PerMinute: p.PerMinute, EnrichmentsPerMinute: p.EnrichmentsPerMinute, PerDay: p.PerDay}
	if own.PerMinute != nil {
		l.PerMinute = *own.PerMinute
	}
	if own.EnrichmentsPerMinute != nil {
		l.EnrichmentsPerMinute = *own.EnrichmentsPerMinute
	}
	if own.PerDay != nil {
		l.PerDay = *own.PerDay
	}
	return l
}

// planRank returns the index of a plan in the table, the cheapest first; -1: no such plan.
func planRank(name string) int {
	return slices.IndexFunc(plans, func(p Plan) bool { return p.Name == name })
}

// Highest reports whether no plan stands above one.
func Highest(plan string) bool { return planRank(plan) == len(plans)-1 }

// Above reports whether a plan stands above another, so that going there is paid at once.
func Above(plan, other string) bool { return planRank(plan) > planRank(other) }
