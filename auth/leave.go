package auth

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
)

//go:embed export.sql
var exportAccount string

// Export gives everything that is kept about the account, as JSON.
func (s *Service) Export(ctx context.Context, sess Session, o Origin) ([]byte, error) {
	if err := s.fresh(sess, Freshness); err != nil {
		return nil, err
	}
	var document string
	err := s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.record(ctx, tx, h.id, audit.ActionExported, nil, o); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, exportAccount, h.id, s.clock.Now()).Scan(&document); err != nil {
			return fmt.Errorf("export account: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return append([]byte(document), '\n'), nil
}

const deleteAccount = `DELETE FROM account.account WHERE id = $1`

// What was done stays on record; of whom it tells does not.
const blankAudit = `
UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
WHERE account_id = $1 AND (detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL)`

// Delete ends the account and all that belongs to it: its keys are refused on every instance within a second.
func (s *Service) Delete(ctx context.Context, sess Session, o Origin) error {
	if err := s.fresh(sess, DeletionFreshness); err != nil {
		return err
	}
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.warn(ctx, tx, h, mail.AccountDeleted, nil, o); err != nil {
			return err
		}
		if s.beforeDelete != nil {
			if err := s.beforeDelete(ctx, tx, h.id); err != nil {
				return err
			}
		}
		if err := execute(ctx, tx, "delete account", deleteAccount, h.id); err != nil {
			return err
		}
		if err := s.record(ctx, tx, h.id, audit.ActionAccountDeleted, nil, Origin{}); err != nil {
			return err
		}
		return execute(ctx, tx, "blank the record of an account", blankAudit, h.id)
	})
}
