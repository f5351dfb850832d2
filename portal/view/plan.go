package view

import "arpent/web"

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

// LimitsStay says that the end of a subscription changes no limit, because
// the operator grants a plan that is no lower.
func LimitsStay(l web.Lang, granted string) string {
	return l.Pick("Vos limites ne changent pas\u00a0: l’exploitant vous accorde ",
		"Your limits do not change: the operator grants you ") + l.Plan(granted) + "."
}
