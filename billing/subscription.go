package billing

import "time"

// Grace is how long an account whose payment failed keeps what it had paid for.
const Grace = 7 * 24 * time.Hour

// The states of a subscription, as Stripe names them.
const (
	Active            = "active"
	Trialing          = "trialing"
	PastDue           = "past_due"
	Unpaid            = "unpaid"
	Canceled          = "canceled"
	Incomplete        = "incomplete"
	IncompleteExpired = "incomplete_expired"
	Paused            = "paused"
)

// Snapshot is what one reading of Stripe says of a customer. The zero
// value but for CustomerID: nothing was bought.
type Snapshot struct {
	SubscriptionID, CustomerID string
	Plan                       string // Standard or Pro
	Status                     string
	PeriodEnd                  time.Time // of what is paid for
	CancelAtPeriodEnd          bool
	Yearly                     bool      // it is paid by the year
	NextPlan                   string    // takes effect at PeriodEnd; empty: the same
	NextYearly                 bool      // how NextPlan is paid
	UnpaidSince                time.Time // of the oldest invoice that is due; zero: none
	// a charge is claimed back through the bank, or the last was given back whole
	Disputed     bool
	PriceUnknown bool // its price is not configured: the last plan that was known stays
	// Stripe Tax cannot place the address, so that an invoice is not collected
	AddressNeeded bool
	Deleted       bool // the customer was deleted at Stripe, and all that it had
}

// Offer is what was bought.
func (s Snapshot) Offer() Offer { return Offer{s.Plan, s.Yearly} }

// ChangesTo is the offer that follows at PeriodEnd; the zero value: the same.
func (s Snapshot) ChangesTo() Offer {
	if next := (Offer{s.NextPlan, s.NextYearly}); s.NextPlan != "" && next != s.Offer() {
		return next
	}
	return Offer{}
}

// Reading is a snapshot and the time at which it was requested: Stripe's state is at least that recent.
type Reading struct {
	Snapshot
	At time.Time
}

// State is what is known of an account's subscription.
type State struct {
	Snapshot
	ReadAt            time.Time
	PastDueSince      *time.Time
	PastDueNotified   bool // the mail of this failure was sent
	GraceOverNotified bool // the mail that the plan has ended was sent
	AddressNotified   bool // the mail that asks for the address was sent
}

// Observe applies a reading of Stripe to a state. It gives false, and the state as it was, when something
// newer is known already.
func Observe(s State, r Reading) (State, bool) {
	if r.At.Before(s.ReadAt) {
		return s, false
	}
	same := s.SubscriptionID == r.SubscriptionID
	was := s.PastDueSince
	if r.PriceUnknown && same {
		r.Plan, r.NextPlan, r.NextYearly = s.Plan, "", false
	}
	s.Snapshot, s.ReadAt, s.PastDueSince = r.Snapshot, r.At, nil
	if r.Status != PastDue {
		return s, true
	}
	since := r.UnpaidSince
	switch {
	case !since.IsZero():
	case same && was != nil:
		since = *was
	default:
		since = r.At // Stripe does not say
	}
	s.PastDueSince = &since
	return s, true
}

// InForce is the plan whose limits hold, and until when as far as is known; nil: until something changes.
// What the operator granted is the least that an account has.
func InForce(s State, granted string, now time.Time) (plan string, until *time.Time) {
	if planRank(granted) < 0 {
		granted = Free
	}
	bought, until := paidPlan(s, now)
	if planRank(bought) <= planRank(granted) {
		return granted, nil
	}
	return bought, until
}

// paidPlan is the plan that the subscription alone gives.
func paidPlan(s State, now time.Time) (string, *time.Time) {
	if s.Disputed || planRank(s.Plan) < 0 {
		return Free, nil
	}
	switch s.Status {
	case Active, Trialing:
		if s.CancelAtPeriodEnd || s.ChangesTo() != (Offer{}) {
			return s.Plan, new(s.PeriodEnd)
		}
		return s.Plan, nil
	case PastDue:
		if end, ok := s.GraceEnd(); ok && now.Before(end) {
			return s.Plan, &end
		}
	}
	return Free, nil
}

// GraceEnd is when a plan whose payment failed ends; false: no payment has failed.
func (s State) GraceEnd() (time.Time, bool) {
	if s.PastDueSince == nil {
		return time.Time{}, false
	}
	return s.PastDueSince.Add(Grace), true
}

// Live reports whether Stripe may still ask for money for the subscription.
func (s Snapshot) Live() bool {
	switch s.Status {
	case Active, Trialing, PastDue, Unpaid, Paused:
		return true
	}
	return false
}

// Ended reports whether nothing more comes of the subscription, or there is none: another may be bought.
func (s Snapshot) Ended() bool {
	return s.Status == "" || s.Status == Canceled || s.Status == IncompleteExpired
}
