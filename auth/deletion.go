package auth

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/jobs"
	"arpent/internal/mail"
)

//go:embed export.sql
var exportAccount string

// Export returns everything that is kept about the account, as JSON.
func (s *Service) Export(ctx context.Context, sess Session, o Origin) ([]byte, error) {
	var document string
	err := s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionExported, nil, o); err != nil {
			return err
		}
		return fault.Wrap("export account", tx.QueryRow(ctx, exportAccount, h.id, s.clock.Now()).Scan(&document))
	})
	if err != nil {
		return nil, err
	}
	return append([]byte(document), '\n'), nil
}

const deleteAccount = `DELETE FROM account.account WHERE id = $1`

// What was done stays on record; who did it does not.
const blankAudit = `
UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
WHERE account_id = $1 AND (detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL)`

// Delete ends the account and all that belongs to it: its keys are
// rejected by every instance within a second.
func (s *Service) Delete(ctx context.Context, sess Session, o Origin) error {
	return s.withFreshSession(ctx, sess, DeletionFreshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		var plan string
		if s.beforeDelete != nil {
			var err error
			if plan, err = s.beforeDelete(ctx, tx, h.id); err != nil {
				return err
			}
		}
		if err := s.notifyOwner(ctx, tx, h, mail.AccountDeleted, map[string]string{"plan": plan}, o); err != nil {
			return err
		}
		if err := execStatement(ctx, tx, "delete account", deleteAccount, h.id); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionAccountDeleted, nil, Origin{}); err != nil {
			return err
		}
		return execStatement(ctx, tx, "blank the record of an account", blankAudit, h.id)
	})
}

// How long data that is no longer needed is kept. The page on privacy names these times.
const (
	KeepLinks      = 7 * 24 * time.Hour // so that a page can say that a link is too old
	KeepTries      = 25 * time.Hour     // longer than any window of the throttle
	KeepNotices    = 2 * 24 * time.Hour // longer than the day that they are about
	KeepPersonal   = 365 * 24 * time.Hour
	KeepRejections = 30 * 24 * time.Hour
	KeepHours      = 2 * 24 * time.Hour // of the requests by hour: longer than the last 24
	KeepRequests   = 24 * time.Hour     // of the list of the last ones

	cleanEvery = time.Hour

	KeepUnconfirmed = 7 * 24 * time.Hour // accounts whose address is not confirmed
)

// removeUnconfirmed removes unconfirmed accounts, with all that belongs to them; a
// condition and blankRemoved follow. What an operator granted, a key that lives and a
// subscription keep an account: none of them comes without a confirmed address but by hand, and a
// subscription has to be ended first. $1 is the time.
const removeUnconfirmed = `
WITH removed AS (
    DELETE FROM account.account a WHERE a.email_confirmed_at IS NULL AND a.granted_plan = 'free'
    AND a.per_minute IS NULL AND a.enrichments_per_minute IS NULL AND a.per_day IS NULL
    AND NOT EXISTS (SELECT FROM account.api_key k WHERE k.account_id = a.id AND k.revoked_at IS NULL)
    AND NOT EXISTS (SELECT FROM account.subscription s WHERE s.account_id = a.id)`

// blankRemoved does as the deletion of an account by its owner does: that something was done stays on record.
const blankRemoved = `
    RETURNING a.id), blanked AS (
    UPDATE account.audit t SET detail = '{}', address = NULL, agent = NULL FROM removed
    WHERE t.account_id = removed.id AND (t.detail <> '{}' OR t.address IS NOT NULL OR t.agent IS NOT NULL))
INSERT INTO account.audit (account_id, at, actor, action) SELECT id, $1::timestamptz, 'system', 'account_deleted' FROM removed`

// A link that was sent again on the last day is good for a day more.
const removeOldUnconfirmed = removeUnconfirmed + ` AND a.created_at <= $2 AND NOT EXISTS (
        SELECT FROM account.link l WHERE l.account_id = a.id AND l.used_at IS NULL AND l.expires_at > $1)` + blankRemoved

// These alone act on all accounts: they look at the age of rows and at nothing else.
var cleanupStatements = []struct {
	what, sql string
	keep      time.Duration
}{
	{"sessions", `DELETE FROM account.session WHERE expires_at <= $1`, 0},
	{"sessions after their last day", `DELETE FROM account.session WHERE created_at <= $1`, SessionMaxLife},
	{"links", `DELETE FROM account.link WHERE expires_at <= $1`, KeepLinks},
	{"tries", `DELETE FROM account.throttle WHERE last_at <= $1 AND (blocked_until IS NULL OR blocked_until <= $1)`, KeepTries},
	{"quota notices", `DELETE FROM account.quota_notice WHERE sent_at <= $1`, KeepNotices},
	{"refusals", `DELETE FROM account.refusal WHERE minute <= $1`, KeepRejections},
	{"requests by hour", `DELETE FROM account.usage_hour WHERE hour <= $1`, KeepHours},
	{"recent requests", `DELETE FROM account.recent_request WHERE at <= $1`, KeepRequests},
	{"the audit record", `
		UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
		WHERE at <= $1 AND (address IS NOT NULL OR agent IS NOT NULL OR detail <> '{}')`, KeepPersonal},
}

// Jobs returns the periodic jobs of accounts.
func (s *Service) Jobs() []jobs.Job { return []jobs.Job{jobs.Every(cleanEvery, "clean", s.Clean)} }

// Clean removes what is over. It is run now and then, by any instance.
func (s *Service) Clean(ctx context.Context) error {
	now := s.clock.Now()
	if err := execStatement(ctx, s.db, "clean unconfirmed accounts", removeOldUnconfirmed, now, now.Add(-KeepUnconfirmed)); err != nil {
		return err
	}
	for _, c := range cleanupStatements {
		if err := execStatement(ctx, s.db, "clean "+c.what, c.sql, now.Add(-c.keep)); err != nil {
			return err
		}
	}
	return nil
}
