// Package billing knows the three plans and what each allows. It promises that a plan is data: nothing else in the
// program knows a price or a limit.
package billing

// Names of the plans, as stored with an account and sent in X-Plan.
const (
	Free     = "free"
	Standard = "standard"
	Pro      = "pro"
)

// Plan is what somebody can subscribe to.
type Plan struct {
	Name                 string
	PriceEuros           int // excluding VAT, a month
	PerDay               int // requests in a day of Europe/Paris
	PerMinute            int // requests in any 60 seconds
	EnrichmentsPerMinute int // of which enrichments
	Commercial           bool
}

var plans = [...]Plan{
	{Name: Free, PriceEuros: 0, PerDay: 100, PerMinute: 10, EnrichmentsPerMinute: 5, Commercial: false},
	{Name: Standard, PriceEuros: 19, PerDay: 2_000, PerMinute: 60, EnrichmentsPerMinute: 20, Commercial: true},
	{Name: Pro, PriceEuros: 79, PerDay: 25_000, PerMinute: 300, EnrichmentsPerMinute: 100, Commercial: true},
}

// Plans lists the plans, the cheapest first. The caller owns the slice.
func Plans() []Plan { return append([]Plan(nil), plans[:]...) }

// Find gives the plan of that name.
func Find(name string) (Plan, bool) {
	for i := range plans {
		if plans[i].Name == name {
			return plans[i], true
		}
	}
	return Plan{}, false
}

// Limits is what an account may do, over all its keys.
type Limits struct {
	PerMinute            int
	EnrichmentsPerMinute int
	PerDay               int
}

// Own is what the operator granted to one account. Nil leaves the plan's limit.
type Own struct {
	PerMinute            *int
	EnrichmentsPerMinute *int
	PerDay               *int
}

// Entitlement is what an account on a plan may do. The operator's own limits win over the plan's; a plan that is not
// known allows what the free one does, so that a row from a newer version never opens or shuts the door.
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
