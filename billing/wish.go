package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// What is written in the record of an account about a plan that is not sold yet.
const (
	ActionPlanWished       = "plan_wished"
	ActionPlanWishRemoved  = "plan_wish_removed"
	ActionPlanWishNotified = "plan_wish_notified"
)

const (
	// A wish that comes in just as plans go on sale is answered this soon.
	wishEvery = 5 * time.Minute
	// maxWishes of one run; the next one goes on.
	maxWishes = 1000
)

// WishedPlan is the plan that an account wants a mail about, once it is sold; empty: none.
func (s *Service) WishedPlan(ctx context.Context, account ident.AccountID) (plan string, err error) {
	return pgdb.Value[string](ctx, s.db, nil, fmt.Sprintf("read the wish of account %d", account),
		`SELECT plan FROM account.plan_wish WHERE account_id = $1`, account)
}

const saveWish = `
INSERT INTO account.plan_wish (account_id, plan, created_at) SELECT a.id, $2, $3 FROM account.account a WHERE a.id = $1
ON CONFLICT (account_id) DO UPDATE SET plan = excluded.plan, created_at = excluded.created_at WHERE plan_wish.plan <> excluded.plan`

// WishPlan has the account notified once plans are sold. The last plan that was asked for takes the place of
// the one before; the caller knows that it exists and costs something. Asking again changes nothing.
func (s *Service) WishPlan(ctx context.Context, account ident.AccountID, plan string) error {
	return s.changeWish(ctx, account, ActionPlanWished, map[string]any{"plan": plan}, saveWish, account, plan,
		s.clock.Now())
}

const deleteWish = `DELETE FROM account.plan_wish WHERE account_id = $1`

// RemoveWish takes the wish of an account back. Where there is none, nothing changes.
func (s *Service) RemoveWish(ctx context.Context, account ident.AccountID) error {
	return s.changeWish(ctx, account, ActionPlanWishRemoved, nil, deleteWish, account)
}

// changeWish records the act if the statement changes something.
func (s *Service) changeWish(ctx context.Context, account ident.AccountID, action string,
	detail map[string]any, sql string, args ...any) error {
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap(fmt.Sprintf("change the wish of account %d", account), err)
		}
		return audit.RecordAct(ctx, tx, s.clock.Now(), account, action, detail)
	})
}

// NotifyWishes sends a mail to every account that wanted one, once plans are sold, and gives how many. The
// wish ends in the transaction that leaves the mail: each is sent once, whatever the number of instances.
func (s *Service) NotifyWishes(ctx context.Context) (int, error) {
	if !s.SellsTo(false) {
		return 0, nil
	}
	accounts, err := pgdb.Collect(ctx, s.db, pgx.RowTo[ident.AccountID],
		`SELECT account_id FROM account.plan_wish ORDER BY created_at LIMIT $1`, maxWishes)
	if err != nil {
		return 0, fmt.Errorf("find who waits for plans: %w", err)
	}
	sent := 0
	for _, account := range accounts {
		fresh, err := s.notifyWish(ctx, account)
		if err != nil {
			return sent, err
		}
		if fresh {
			sent++
		}
	}
	return sent, nil
}

const takeWish = `
DELETE FROM account.plan_wish w USING account.account a WHERE w.account_id = $1 AND a.id = w.account_id
RETURNING w.plan, coalesce(a.contact_email, a.email), a.language`

func (s *Service) notifyWish(ctx context.Context, account ident.AccountID) (fresh bool, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		var plan, email, language string
		err := tx.QueryRow(ctx, takeWish, account).Scan(&plan, &email, &language)
		if err != nil { // without a row another instance was first, or the owner took it back
			return pgdb.RowError(err, nil, fmt.Sprintf("end the wish of account %d", account))
		}
		fresh = true
		err = audit.Record(ctx, tx, s.clock.Now(), audit.Event{Account: account, Actor: audit.ActorSystem,
			Action: ActionPlanWishNotified, Detail: map[string]any{"plan": plan}})
		if err != nil {
			return err
		}
		return mail.Send(ctx, tx, mail.Job{Template: mail.PlansOnSale, To: email, Language: language,
			Account: int64(account), Values: map[string]string{"plan": Title(plan)}})
	})
	return fresh && err == nil, err
}
