package pages

import (
	"time"

	"arpent/billing"
	"arpent/portal/view"
	"arpent/web"
)

// ReadPlan reads the subscription of the account that is signed in. Where plans are not sold there is none.
func (s *Server) ReadPlan(v *Visitor) error {
	if !s.Billing.Sells() {
		return nil
	}
	row, err := s.Billing.Customer(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	v.Bought = row
	v.Frame.Unpaid = nil
	switch state, until := s.PlanState(row); state {
	case view.PlanGrace, view.PlanOver:
		rest, kept := row.Without()
		v.Frame.Unpaid = &web.Unpaid{Plan: row.Snapshot.Plan, Until: until, Over: state == view.PlanOver,
			Rest: rest, Kept: kept}
	}
	return nil
}

// PlanState returns the state of a subscription, and until when it lasts.
func (s *Server) PlanState(row billing.Row) (state view.PlanState, until time.Time) {
	grace, late := row.GraceEnd()
	switch {
	case row.Ended():
		return view.PlanNone, row.PeriodEnd
	case row.Status == billing.Incomplete:
		return view.PlanIncomplete, row.PeriodEnd
	case row.Disputed:
		return view.PlanDisputed, row.PeriodEnd
	case row.Status == billing.PastDue && late && s.Now().Before(grace):
		return view.PlanGrace, grace
	case row.Status != billing.Active && row.Status != billing.Trialing:
		return view.PlanOver, row.PeriodEnd
	case row.CancelAtPeriodEnd:
		return view.PlanEnding, row.PeriodEnd
	case row.ChangesTo() != billing.Offer{}:
		return view.PlanChanging, row.PeriodEnd
	}
	return view.PlanActive, row.PeriodEnd
}
