package auth

import (
	"context"
	_ "embed"
	"errors"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"arpent/auth/passkey"
	"arpent/auth/webhook"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

//go:embed sql/export.sql
var exportAccount string

// Export returns everything that is kept about the account, as JSON.
func (s *Service) Export(ctx context.Context, sess Session, o Origin) (document []byte, err error) {
	ctx = pgdb.ForService(ctx) // the names of the person's organisations are in it
	err = s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) (err error) {
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionExported, nil, o); err != nil {
			return err
		}
		document, err = s.exportDocument(ctx, tx, h)
		return err
	})
	return document, err
}

func (s accountRows) exportDocument(ctx context.Context, tx pgx.Tx, h *holder) ([]byte, error) {
	var document string
	err := tx.QueryRow(ctx, exportAccount, h.id, s.clock.Now()).Scan(&document)
	return append([]byte(document), '\n'), fault.Wrap("export account", err)
}

const deleteAccount = `DELETE FROM account.account WHERE id = $1`

// What was done stays on record; who did it does not.
const blankAudit = `
UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL
WHERE account_id = $1 AND (detail <> '{}' OR address IS NOT NULL OR agent IS NOT NULL)`

// Delete ends the account of the person and all that belongs to it: its keys are rejected by every instance
// within a second. Memberships end too, and organisations without another member; the last owner of one with
// others gets a Problem with CodeLastOwner.
func (s *Service) Delete(ctx context.Context, sess Session, o Origin) error {
	return s.withFreshSession(pgdb.ForService(ctx), sess, DeletionFreshness,
		func(ctx context.Context, tx pgx.Tx, h *holder) error {
			return s.deleteHolder(ctx, tx, h, deletion{before: s.beforeDelete, after: s.afterEmailChange,
				origin: o})
		})
}

// deletion is how an account is deleted.
type deletion struct {
	before BeforeDelete     // nil: nothing has to be done first
	after  AfterEmailChange // nil: nothing follows the contact of an organisation that the person leaves
	reason string           // of the operator who does it; empty: its owner does
	origin Origin
}

// recordEvent adds an event to the record of an account: as the operator's where the operator deletes.
func (d deletion) recordEvent(ctx context.Context, tx pgx.Tx, now time.Time, e audit.Event) error {
	if d.reason != "" {
		e.Actor, e.Address, e.Agent = audit.ActorOperator, netip.Addr{}, ""
	}
	return audit.Record(ctx, tx, now, e)
}

// deleteHolder deletes the locked account with all that belongs to it, leaves the mails about it, and records
// it without the person who did it.
func (s accountRows) deleteHolder(ctx context.Context, tx pgx.Tx, h *holder, d deletion) error {
	if !h.isOrganisation {
		if err := s.endMemberships(ctx, tx, h, d); err != nil {
			return err
		}
	}
	values := map[string]string{"reason": d.reason}
	if d.before != nil {
		plan, err := d.before(ctx, tx, h.id)
		if err != nil {
			return err
		}
		values["plan"] = plan
	}
	if h.isOrganisation {
		if err := s.notifyOwners(ctx, tx, h, mail.OrganisationDeleted, values, d.origin, h); err != nil {
			return err
		}
	} else if err := s.notifyOwner(ctx, tx, h, mail.AccountDeleted, values, d.origin); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "delete account", deleteAccount, h.id); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "blank the record of an account", blankAudit, h.id); err != nil {
		return err
	}
	e := audit.Event{Account: h.id, Action: audit.ActionAccountDeleted}
	if d.reason != "" {
		e.Detail = map[string]any{detailReason: d.reason}
	}
	by := audit.ActorOf(ctx)
	by.Person, by.By = 0, ""
	return d.recordEvent(audit.With(ctx, by), tx, s.clock.Now(), e)
}

// detailReason is why an operator acted, in the detail of an event. The owner of the account reads it.
const detailReason = "reason"

// MaxReason is how long the reason of an operator's act may be, in characters.
const MaxReason = 500

// CheckReason returns the text as it is stored, without blanks around it, or a fault.InvalidParameter where
// it cannot be the reason of an operator's act.
func CheckReason(text string) (reason string, err error) {
	reason = strings.TrimSpace(text)
	n := utf8.RuneCountInString(reason)
	if n == 0 || n > MaxReason || strings.ContainsRune(reason, 0) {
		return "", fault.Invalid("a reason of 1 to %d characters is needed", MaxReason)
	}
	return reason, nil
}

// Export returns everything that is kept about an account, as JSON, as the operator's act. reason is kept in
// the record, which the owner reads. A fault.NotFound when there is no such account.
func (s *Accounts) Export(
	ctx context.Context, id ident.AccountID, reason string) (document []byte, err error) {
	if reason, err = CheckReason(reason); err != nil {
		return nil, err
	}
	err = s.withLockedAccount(ctx, id, func(ctx context.Context, tx pgx.Tx, h *holder) (err error) {
		detail := map[string]any{detailReason: reason}
		if err := s.recordAction(ctx, tx, h.id, audit.ActionExported, detail); err != nil {
			return err
		}
		document, err = s.exportDocument(ctx, tx, h)
		return err
	})
	return document, err
}

// Delete ends an account and all that belongs to it, as the operator's act and as the owner's own deletion
// does. before and after are those of Options. The owner gets a mail with the reason, which stays in the
// record of the account for a year. A fault.NotFound when there is no such account.
func (s *Accounts) Delete(ctx context.Context, id ident.AccountID, reason string, before BeforeDelete,
	after AfterEmailChange) error {
	reason, err := CheckReason(reason)
	if err != nil {
		return err
	}
	return s.withLockedAccount(ctx, id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		return s.deleteHolder(ctx, tx, h, deletion{before: before, after: after, reason: reason})
	})
}

// How long data that is no longer needed is kept. The page on privacy names these times.
const (
	KeepLinks      = 7 * 24 * time.Hour  // so that a page can say that a link is too old
	KeepTokens     = 30 * 24 * time.Hour // after they expire, so that a list can say so
	KeepTries      = 25 * time.Hour      // longer than any window of the throttle
	KeepNotices    = 2 * 24 * time.Hour  // longer than the day that they are about
	KeepPersonal   = 365 * 24 * time.Hour
	KeepJoining    = 30 * 24 * time.Hour // requests to join that have no answer
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
    AND NOT EXISTS (SELECT FROM account.subscription s WHERE s.account_id = a.id)
    AND NOT EXISTS (SELECT FROM account.member m WHERE m.person_id = a.id)`

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
	{"notice addresses without an answer", `DELETE FROM account.notice_address WHERE confirmed_at IS NULL AND asked_at <= $1`, KeepLinks},
	{"billing recipients without an answer", `DELETE FROM account.billing_recipient WHERE confirmed_at IS NULL AND asked_at <= $1`, KeepLinks},
	{"invitations without an answer", `DELETE FROM account.invitation WHERE expires_at <= $1`, KeepLinks},
	{"requests to join without an answer", `
		DELETE FROM account.join_request WHERE declined_at IS NULL AND created_at <= $1`, KeepJoining},
	{"challenges of passkeys", `DELETE FROM account.passkey_challenge WHERE used_at <= $1`, passkey.Life},
	{"expired management tokens", `DELETE FROM account.management_token WHERE expires_at <= $1`, KeepTokens},
	{"deliveries of events", `DELETE FROM account.webhook_delivery WHERE created_at <= $1`, webhook.KeepDeliveries},
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

// Clean removes what is over, second factors that were lost included. It is run now and then, by any
// instance. What fails does not keep the rest from being removed.
func (s *Service) Clean(ctx context.Context) error {
	now := s.clock.Now()
	err := errors.Join(s.finishFactorRecoveries(ctx), execStatement(ctx, s.db, "clean unconfirmed accounts",
		removeOldUnconfirmed, now, now.Add(-KeepUnconfirmed)))
	for _, c := range cleanupStatements {
		err = errors.Join(err, execStatement(ctx, s.db, "clean "+c.what, c.sql, now.Add(-c.keep)))
	}
	return err
}
