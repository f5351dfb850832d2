package auth

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
)

const setLanguage = `UPDATE account.account SET language = $2, updated_at = $3 WHERE id = $1`

// SetLanguage chooses the language of the pages and mails: fr or en.
func (s *Service) SetLanguage(ctx context.Context, sess Session, language string, o Origin) error {
	if language != "fr" && language != "en" {
		return problem("language", CodeLanguageUnknown)
	}
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.language == language {
			return nil
		}
		if err := execute(ctx, tx, "set the language", setLanguage, h.id, language, s.clock.Now()); err != nil {
			return err
		}
		return s.record(ctx, tx, h.id, audit.ActionLanguageChanged, map[string]any{"language": language}, o)
	})
}

const setQuotaMails = `
UPDATE account.account SET quota_mails = $2, updated_at = $3 WHERE id = $1 AND quota_mails <> $2`

// SetQuotaMails chooses whether mails tell of 80 % and 100 % of a day's quota.
func (s *Service) SetQuotaMails(ctx context.Context, sess Session, on bool, o Origin) error {
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		tag, err := tx.Exec(ctx, setQuotaMails, h.id, on, s.clock.Now())
		if err != nil {
			return fmt.Errorf("set the mails about quota: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		return s.record(ctx, tx, h.id, audit.ActionNotificationsChanged, map[string]any{"quota_mails": on}, o)
	})
}
