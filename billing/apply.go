package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/event"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// What is written in the record of an account.
const (
	ActionPlanChanged         = "plan_changed"         // the limits in force have
	ActionSubscriptionChanged = "subscription_changed" // what Stripe says has
	ActionPlanGranted         = "plan_granted"         // by the operator
	ActionPlanCancelAsked     = "plan_cancel_asked"    // of Stripe, which then says that it is so
	ActionPlanChangeAsked     = "plan_change_asked"
	ActionPlanResumeAsked     = "plan_resume_asked"
)

// Apply applies a reading of Stripe, in one transaction with the event that caused it (nil: none
// did). It gives whether anything changed. An event that was stored already, and a
// reading older than the last one, change nothing.
func (s *Service) Apply(
	ctx context.Context, ev *Event, account ident.AccountID, r Reading) (changed bool, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		before, err := lockRow(ctx, tx, account)
		if err != nil {
			return err
		}
		if before.CustomerID == "" || before.CustomerID != r.CustomerID {
			return ErrOtherCustomer
		}
		after := before
		var newer bool
		after.State, newer = Observe(before.State, r)
		if ev != nil {
			outcome := outcomeApplied
			if !newer {
				outcome = outcomeOlder
			}
			if fresh, err := storeEvent(ctx, tx, *ev, account, outcome, s.clock.Now()); err != nil || !fresh {
				return err
			}
		}
		if !newer {
			return nil
		}
		changed, err = s.applyState(ctx, tx, before, &after)
		return err
	})
	return changed && err == nil, err
}

const lockAccount = `SELECT 1 FROM account.account WHERE id = $1 FOR NO KEY UPDATE`

// lockRow reads a subscription that cannot change until the transaction ends: every writer locks the account
// first. Reading is a second statement, so that it sees what the one that was waited for has written.
func lockRow(ctx context.Context, tx pgx.Tx, account ident.AccountID) (Row, error) {
	none := fault.Missing("There is no such account.")
	_, err := pgdb.Value[int](ctx, tx, none, fmt.Sprintf("lock account %d", account), lockAccount, account)
	if err != nil {
		return Row{}, err
	}
	return readRow(ctx, tx, none, whereAccount, account)
}

const setPlan = `UPDATE account.account SET plan = $2, updated_at = $3 WHERE id = $1`

// applyState writes the new state of a subscription and all that
// follows from it: plan in force, record, mails.
func (s *Service) applyState(
	ctx context.Context, tx pgx.Tx, before Row, after *Row) (changed bool, err error) {
	now := s.clock.Now()
	var notices []Notice
	after.State, notices = Notices(before.State, after.State, now)
	after.Plan, _ = after.InForce(now)
	switch {
	case after.Deleted:
		if err := s.forgetCustomer(ctx, tx, before); err != nil {
			return false, err
		}
	case after.CustomerID != "":
		if err := saveState(ctx, tx, *after, now); err != nil {
			return false, err
		}
	}
	if after.Plan != before.Plan {
		if _, err := tx.Exec(ctx, setPlan, after.Account, after.Plan, now); err != nil {
			return false, fmt.Errorf("put account %d on the %s plan: %w", after.Account, after.Plan, err)
		}
	}
	if after.Ended() && !before.Ended() {
		if _, err := s.endReserve(ctx, tx, after.Account); err != nil {
			return false, err
		}
	}
	diff := diffRows(before, *after)
	if len(diff) == 0 && len(notices) == 0 {
		return false, nil
	}
	if err := s.recordChange(ctx, tx, before, *after, now); err != nil {
		return false, err
	}
	for _, n := range notices {
		if err := s.sendNotice(ctx, tx, n, before, *after); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *Service) recordChange(ctx context.Context, tx pgx.Tx, before, after Row, now time.Time) error {
	e := audit.Event{Account: after.Account, Actor: audit.ActorSystem, Action: ActionSubscriptionChanged,
		Detail: map[string]any{"status": after.Status}}
	if after.Snapshot.Plan != "" {
		e.Detail["subscription"] = after.Snapshot.Plan
	}
	if after.Yearly {
		e.Detail["yearly"] = true
	}
	until := after.PeriodEnd.UTC().Format(time.RFC3339)
	switch {
	case after.Ended():
	case after.CancelAtPeriodEnd:
		e.Detail["ends"] = until
	case after.Status == Active && after.ChangesTo() == Offer{}:
		e.Detail["paid_until"] = until
	}
	if after.NextPlan != "" {
		e.Detail["next"] = after.NextPlan
	}
	if after.NextYearly {
		e.Detail["next_yearly"] = true
	}
	if before.Plan != after.Plan {
		e.Action, e.Detail["from"], e.Detail["to"] = ActionPlanChanged, before.Plan, after.Plan
	}
	return audit.Record(ctx, tx, now, e)
}

var noticeTemplates = map[Notice]mail.Template{
	NoticeStarted: mail.PlanStarted, NoticeChanged: mail.PlanChanged, NoticeFailed: mail.PaymentFailed,
	NoticeRecovered: mail.Recovered, NoticeGraceOver: mail.GraceOver, NoticeEnded: mail.PlanEnded,
	NoticeEnding: mail.PlanEnding, NoticeChanging: mail.PlanChanging, NoticeKept: mail.PlanKept,
	NoticeAddress: mail.AddressNeeded,
}

func (s *Service) sendNotice(ctx context.Context, tx pgx.Tx, n Notice, before, after Row) error {
	j := mail.Job{Template: noticeTemplates[n], To: after.Email, Language: after.Language,
		Account: int64(after.Account),
		Values:  map[string]string{"plan": Title(after.Snapshot.Plan)}}
	if after.Plan != Free && after.Plan == after.Granted && before.Plan == after.Plan {
		j.Values["granted"] = Title(after.Granted) // the limits are those that the operator granted, and stay
	}
	switch n {
	case NoticeFailed:
		data := event.PaymentData{Plan: after.Snapshot.Plan}
		if end, ok := after.GraceEnd(); ok {
			data.Until = new(end.UTC())
			j.Values["until"] = data.Until.Format(time.RFC3339)
		}
		if err := event.Record(ctx, tx, after.Account, event.PaymentFailed, s.clock.Now(), data); err != nil {
			return err
		}
	case NoticeEnding, NoticeChanging:
		end := after
		end.Snapshot.Plan = after.offerAfterPeriod().Plan
		now, _ := InForce(end.State, end.Granted, after.PeriodEnd)
		if j.Values["granted"] != "" {
			now = after.offerAfterPeriod().Plan
		}
		j.Values["until"], j.Values["now"] = after.PeriodEnd.UTC().Format(time.RFC3339), Title(now)
	case NoticeChanged:
		j.Values["was"] = Title(before.Snapshot.Plan)
	case NoticeEnded:
		j.Values["plan"] = Title(before.Snapshot.Plan)
		fallthrough
	case NoticeGraceOver:
		j.Values["now"] = Title(after.Plan)
	}
	// a customer who pays by the month alone reads of plans
	if before.Yearly || after.Yearly || after.NextYearly {
		addIntervals(j.Values, n, before, after)
	}
	return sendBillingMail(ctx, tx, j)
}

// addIntervals adds to the values of a notice how the plans in it are paid. Of a change of that alone it
// takes the former plan away, which is the same.
func addIntervals(values map[string]string, n Notice, before, after Row) {
	interval := map[bool]string{false: "month", true: "year"}
	values["plan_interval"], values["was_interval"] = interval[after.Yearly], interval[before.Yearly]
	if after.Yearly {
		values["yearly"] = "yes"
	}
	switch n {
	case NoticeEnded:
		values["plan_interval"] = interval[before.Yearly]
	case NoticeChanging:
		if next := after.ChangesTo(); values["now"] == Title(next.Plan) {
			values["now_interval"] = interval[next.Yearly]
		}
	case NoticeChanged:
		if before.Snapshot.Plan == after.Snapshot.Plan {
			delete(values, "was")
		}
	}
}

const setGranted = `UPDATE account.account SET granted_plan = $2, updated_at = $3 WHERE id = $1`

// Grant sets what the operator gives to an account, a plan that the caller knows to exist, and the plan in
// force with it. What is paid for stays when it is better.
func (s *Service) Grant(ctx context.Context, account ident.AccountID, plan string) (after Row, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		before, err := lockRow(ctx, tx, account)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		if _, err := tx.Exec(ctx, setGranted, account, plan, now); err != nil {
			return fmt.Errorf("grant a plan to account %d: %w", account, err)
		}
		after = before
		after.Granted = plan
		if after.Plan, _ = after.InForce(now); after.Plan != before.Plan {
			if _, err := tx.Exec(ctx, setPlan, account, after.Plan, now); err != nil {
				return fmt.Errorf("put account %d on the %s plan: %w", account, after.Plan, err)
			}
		}
		if before.Granted == plan && before.Plan == after.Plan {
			return nil
		}
		return audit.Record(ctx, tx, now, audit.Event{Account: account, Actor: audit.ActorOperator,
			Action: ActionPlanGranted,
			Detail: map[string]any{"granted": plan, "from": before.Plan, "to": after.Plan}})
	})
	return after, err
}

const findGraceOver = `
SELECT account_id FROM account.subscription
WHERE past_due_since <= $1 AND NOT grace_over_told AND status = 'past_due' ORDER BY past_due_since LIMIT 1000`

// EndGracePeriods ends the plans whose time of grace is over, each once. It gives how many.
func (s *Service) EndGracePeriods(ctx context.Context) (int, error) {
	accounts, err := pgdb.Collect(ctx, s.db, pgx.RowTo[ident.AccountID], findGraceOver,
		s.clock.Now().Add(-Grace))
	if err != nil {
		return 0, fmt.Errorf("find grace that is over: %w", err)
	}
	ended := 0
	for _, account := range accounts {
		changed := false
		err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
			before, err := lockRow(ctx, tx, account)
			if err != nil {
				return err
			}
			after := before
			changed, err = s.applyState(ctx, tx, before, &after) // because time has passed
			return err
		})
		if err != nil && fault.From(err).Code == fault.NotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			return ended, err
		}
		if changed {
			ended++
		}
	}
	return ended, nil
}
