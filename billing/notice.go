package billing

import "time"

// Notice is something that the owner of an account is notified of.
type Notice string

// The notices.
const (
	NoticeStarted   Notice = "started"
	NoticeChanged   Notice = "changed"
	NoticeFailed    Notice = "failed"    // the payment did; the plan stays for the time of grace
	NoticeRecovered Notice = "recovered" // after a failure that was notified
	NoticeGraceOver Notice = "grace_over"
	NoticeEnded     Notice = "ended"
	NoticeEnding    Notice = "ending"   // cancelled, with the end of the period that is paid for
	NoticeChanging  Notice = "changing" // to another plan, with the end of that period
	NoticeKept      Notice = "kept"     // neither any more
	NoticeAddress   Notice = "address"  // the address that the tax depends on is missing or unknown
)

// Notices gives the notices that are due after the state went from before to after, and after
// with marks that it was. The marks follow from after and now alone, so that the order in
// which events arrive leaves no trace in them.
func Notices(before, after State, now time.Time) (State, []Notice) {
	after, due := planNotices(before, after, now)
	notified := before.AddressNotified && before.SubscriptionID == after.SubscriptionID
	if after.AddressNotified = after.AddressNeeded; after.AddressNeeded && !notified {
		due = append(due, NoticeAddress)
	}
	return after, due
}

// planNotices gives those about the plan in force and its payment.
func planNotices(before, after State, now time.Time) (State, []Notice) {
	plan, _ := paidPlan(after, now)
	had, has := before.hasPlanInUse(), plan != Free
	failed := before.PastDueNotified && before.SubscriptionID == after.SubscriptionID
	// whether the owner knows of a failed payment and of the end of the time of grace, once the notices are sent
	switch after.Status {
	case PastDue:
		end, ok := after.GraceEnd()
		after.PastDueNotified, after.GraceOverNotified = true, ok && !now.Before(end)
	case Unpaid: // it comes after a failure, whether that was seen or not
		after.PastDueNotified, after.GraceOverNotified = true, true
	default:
		after.PastDueNotified, after.GraceOverNotified = false, false
	}
	switch {
	case has && after.Status == PastDue:
		if failed {
			return after, nil
		}
		return after, []Notice{NoticeFailed}
	case has && failed:
		return after, []Notice{NoticeRecovered}
	case has && !had:
		return after, []Notice{NoticeStarted}
	case has && before.Offer() != after.Offer():
		return after, []Notice{NoticeChanged}
	case !has && had && after.Status == PastDue && !after.Disputed:
		return after, []Notice{NoticeGraceOver}
	case !has && had:
		return after, []Notice{NoticeEnded}
	case has && before.SubscriptionID == after.SubscriptionID &&
		before.offerAfterPeriod() != after.offerAfterPeriod():
		switch after.offerAfterPeriod().Plan {
		case "":
			return after, []Notice{NoticeKept}
		case Free:
			return after, []Notice{NoticeEnding}
		}
		return after, []Notice{NoticeChanging}
	}
	return after, nil
}

// offerAfterPeriod is the offer that the subscription goes to with the end of the period that is paid for:
// Free once it is cancelled, the zero value where it goes on.
func (s State) offerAfterPeriod() Offer {
	if s.CancelAtPeriodEnd {
		return Offer{Plan: Free}
	}
	return s.ChangesTo()
}

// hasPlanInUse reports whether the owner has been counting on a plan: it was paid
// for, and no notice said that it has ended.
func (s State) hasPlanInUse() bool {
	if s.Disputed || planRank(s.Plan) <= 0 {
		return false
	}
	switch s.Status {
	case Active, Trialing:
		return true
	case PastDue:
		return !s.GraceOverNotified
	}
	return false
}
