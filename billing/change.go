package billing

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"arpent/internal/audit"
)

// ChangePlan moves a subscription to another offer: to a higher plan or from months to years at once, for the
// sum that was previewed at that time, else with the end of the period that is paid for. Sent twice, a change
// is paid once. It gives what is known of the subscription afterwards, and the errors of Upgrade and
// Downgrade.
func (s *Service) ChangePlan(ctx context.Context, row Row, to Offer, previewed time.Time) (Row, error) {
	if selling, err := s.Selling(ctx); err != nil || !selling {
		return row, errors.Join(err, ErrNotSelling)
	}
	if !row.Offer().ChangesAtOnce(to) {
		return s.recordAndRefresh(ctx, row, ActionPlanChangeAsked, to, s.Downgrade(ctx, row.SubscriptionID, to))
	}
	err := s.withAttempt(ctx, row.Account, requestUpgrade, func(attempt string) error {
		return s.Upgrade(ctx, row.SubscriptionID, to, previewed, strconv.FormatInt(previewed.Unix(), 10)+"-"+
			attempt)
	})
	return s.recordAndRefresh(ctx, row, ActionPlanChangeAsked, to, err)
}

// Cancel ends a subscription at once, or else with the period that is paid
// for. It gives what is known of it afterwards.
func (s *Service) Cancel(ctx context.Context, row Row, atOnce bool) (Row, error) {
	var err error
	if atOnce {
		err = s.CancelNow(ctx, row.SubscriptionID)
	} else {
		err = s.CancelAtPeriodEnd(ctx, row.SubscriptionID, true)
	}
	return s.recordAndRefresh(ctx, row, ActionPlanCancelAsked, row.Offer(), err)
}

// Resume takes back a cancellation, or a change that has not come yet. It gives
// what is known of the subscription afterwards.
func (s *Service) Resume(ctx context.Context, row Row) (Row, error) {
	err := s.CancelAtPeriodEnd(ctx, row.SubscriptionID, false)
	return s.recordAndRefresh(ctx, row, ActionPlanResumeAsked, row.Offer(), err)
}

// recordAndRefresh records who asked Stripe for something that it did, and takes in, on the path of an event,
// what it says since. Where that cannot be read, the change is on its way nevertheless: the previous row
// is returned, and the event that follows brings the new one.
func (s *Service) recordAndRefresh(
	ctx context.Context, row Row, action string, offer Offer, err error) (Row, error) {
	if err != nil {
		return row, err
	}
	detail := map[string]any{"plan": offer.Plan}
	if offer.Yearly {
		detail["yearly"] = true
	}
	if err = audit.RecordAct(ctx, s.db, s.clock.Now(), row.Account, action, detail); err != nil {
		slog.ErrorContext(ctx, "change of a subscription not recorded", "account", int64(row.Account), "action",
			action, "error", err)
	}
	after := row
	if _, err = s.Refresh(ctx, row.Account); err == nil {
		after, err = s.Customer(ctx, row.Account)
	}
	if err != nil {
		slog.WarnContext(ctx, "subscription not read after a change", "account", int64(row.Account), "error", err)
		return row, nil
	}
	return after, nil
}
