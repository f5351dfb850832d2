package view

// PlanState is the state of a subscription.
type PlanState int

// The states.
const (
	PlanNone       PlanState = iota // no subscription
	PlanActive                      // paid, renewed at Until
	PlanEnding                      // paid, ends at Until
	PlanChanging                    // paid, becomes Next at Until
	PlanGrace                       // unpaid, in force until Until
	PlanOver                        // unpaid, with the limits of the free plan
	PlanIncomplete                  // the first payment was not completed
	PlanDisputed                    // a payment is disputed or was refunded
)
