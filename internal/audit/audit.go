// Package audit keeps the record of who did what. It promises that a row, once written, is never changed: the
// database refuses it, but for blanking what identifies a person once
// the account is gone or the row is a year old.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/ident"
)

// Who acts. The database knows these three.
const (
	ActorAccount  = "account"  // the owner of the account
	ActorOperator = "operator" // the operator of the service
	ActorSystem   = "system"   // the service by itself
)

// The actions that are recorded.
const (
	ActionSignedUp               = "signed_up"
	ActionConfirmed              = "confirmed"
	ActionSignedIn               = "signed_in"
	ActionSignInFailed           = "sign_in_failed"
	ActionSignedOut              = "signed_out"
	ActionReauthenticated        = "reauthenticated"
	ActionVerifyLinkAsked        = "verify_link_asked"
	ActionSessionEnded           = "session_ended"
	ActionSessionsEnded          = "sessions_ended"
	ActionPasswordChanged        = "password_changed"
	ActionPasswordReset          = "password_reset"
	ActionPasswordResetAsked     = "password_reset_asked"
	ActionEmailChangeAsked       = "email_change_asked"
	ActionEmailChanged           = "email_changed"
	ActionTOTPEnabled            = "totp_enabled"
	ActionTOTPDisabled           = "totp_disabled"
	ActionTOTPRequired           = "totp_required"
	ActionTOTPNotRequired        = "totp_not_required"
	ActionRecoveryCodeUsed       = "recovery_code_used"
	ActionRecoveryCodesMade      = "recovery_codes_made"
	ActionIdentityLinked         = "identity_linked"
	ActionIdentityUnlinked       = "identity_unlinked"
	ActionPasskeyAdded           = "passkey_added"
	ActionPasskeyRenamed         = "passkey_renamed"
	ActionPasskeyRemoved         = "passkey_removed"
	ActionPasskeyCloned          = "passkey_cloned" // refused: its counter did not rise
	ActionKeyCreated             = "key_created"
	ActionKeyRenamed             = "key_renamed"
	ActionKeyRotated             = "key_rotated"
	ActionKeyPaused              = "key_paused"
	ActionKeyResumed             = "key_resumed"
	ActionKeyRevoked             = "key_revoked"
	ActionKeyRestricted          = "key_restricted"
	ActionTokenCreated           = "management_token_created"
	ActionTokenRevoked           = "management_token_revoked"
	ActionWebhookAdded           = "webhook_added"
	ActionWebhookChanged         = "webhook_changed"
	ActionWebhookSecret          = "webhook_secret_replaced"
	ActionWebhookSent            = "webhook_sent_by_hand"
	ActionWebhookOff             = "webhook_switched_off" // by the service: it failed
	ActionWebhookOn              = "webhook_switched_on"
	ActionWebhookDeleted         = "webhook_deleted"
	ActionLanguageChanged        = "language_changed"
	ActionNotificationsChanged   = "notifications_changed"
	ActionNoticeAddressAdded     = "notice_address_added"
	ActionNoticeAddressConfirmed = "notice_address_confirmed" // by the reader of the address
	ActionNoticeAddressRemoved   = "notice_address_removed"
	ActionNoticeAddressStopped   = "notice_address_stopped" // by the reader of the address
	ActionExported               = "exported"

	// Of the further addresses for mails about payments.
	ActionBillingRecipientAdded     = "billing_recipient_added"
	ActionBillingRecipientConfirmed = "billing_recipient_confirmed" // by the reader of the address
	ActionBillingRecipientRemoved   = "billing_recipient_removed"
	ActionBillingRecipientStopped   = "billing_recipient_stopped" // by the reader of the address

	ActionLimitsChanged  = "limits_changed"
	ActionMailRetried    = "mail_retried"
	ActionAccountDeleted = "account_deleted"

	// Of an organisation and its members. The detail names the member by address.
	ActionOrganisationCreated = "organisation_created"
	ActionBecameOrganisation  = "became_organisation" // the account of a person did
	ActionOrganisationRenamed = "organisation_renamed"
	ActionContactChanged      = "contact_changed"
	ActionMemberInvited       = "member_invited"
	ActionInvitationResent    = "invitation_resent"
	ActionInvitationWithdrawn = "invitation_withdrawn"
	ActionMemberJoined        = "member_joined"
	ActionMemberRoleChanged   = "member_role_changed"
	ActionMemberRemoved       = "member_removed"
	ActionMemberLeft          = "member_left"
	// Its members need a second factor from a date on, or not any more.
	ActionMemberFactorRequired = "member_factor_required"
	ActionMemberFactorReleased = "member_factor_released"
	ActionDomainAdded          = "domain_added"
	ActionDomainProven         = "domain_proven"
	ActionDomainLost           = "domain_lost" // its record was not there for days
	ActionDomainRemoved        = "domain_removed"
	ActionJoiningChanged       = "joining_changed" // who can join by an address of a domain
	ActionJoinRequested        = "join_requested"
	ActionJoinDeclined         = "join_declined"

	// Of a lost second factor: an operator mailed a link, it was followed, a code was used after all.
	ActionTOTPRecoveryStarted   = "totp_recovery_started"
	ActionTOTPRecoveryProved    = "totp_recovery_proved"
	ActionTOTPRecoveryCancelled = "totp_recovery_cancelled"
)

// SignInActions are the actions on how a person signs in, and where. They belong to the person and not to an
// organisation.
var SignInActions = []string{ActionSignedUp, ActionConfirmed, ActionSignedIn, ActionSignInFailed,
	ActionSignedOut, ActionReauthenticated, ActionVerifyLinkAsked, ActionSessionEnded, ActionSessionsEnded,
	ActionPasswordChanged, ActionPasswordReset, ActionPasswordResetAsked, ActionEmailChangeAsked,
	ActionEmailChanged, ActionTOTPEnabled, ActionTOTPDisabled, ActionTOTPRequired, ActionTOTPNotRequired, ActionRecoveryCodeUsed,
	ActionRecoveryCodesMade, ActionIdentityLinked, ActionIdentityUnlinked, ActionTOTPRecoveryStarted,
	ActionTOTPRecoveryProved, ActionTOTPRecoveryCancelled, ActionPasskeyAdded, ActionPasskeyRenamed,
	ActionPasskeyRemoved, ActionPasskeyCloned}

// Event is something that was done to an account.
type Event struct {
	Account ident.AccountID
	Actor   string // ActorAccount when empty
	Action  string
	Detail  map[string]any // holds nothing secret
	Address netip.Addr     // the zero value: none, such as on a command line
	Agent   string         // the browser, as it calls itself
}

// DB is a pool or, so that the record and the change it records stand or fall together, a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// maxAgent keeps a header that anybody chooses from filling the table.
const maxAgent = 300

const insertEvent = `
INSERT INTO account.audit (account_id, at, actor, action, detail, address, agent)
VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''))`

// Record adds the event.
func Record(ctx context.Context, db DB, at time.Time, e Event) error {
	e.Actor = cmp.Or(e.Actor, ActorAccount)
	detail := []byte("{}")
	if all := detailOf(ctx, e); len(all) > 0 {
		var err error
		if detail, err = json.Marshal(all); err != nil {
			return fmt.Errorf("record %s: %w", e.Action, err)
		}
	}
	var address *netip.Addr
	if e.Address.IsValid() {
		address = new(e.Address.Unmap().WithZone(""))
	}
	_, err := db.Exec(ctx, insertEvent, e.Account, at, e.Actor, e.Action, string(detail), address,
		CleanAgent(e.Agent))
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Action, err)
	}
	return nil
}

// CleanAgent makes what a browser calls itself fit for a row: text that PostgreSQL takes, and not too long.
func CleanAgent(agent string) string {
	agent = strings.ToValidUTF8(strings.ReplaceAll(agent, "\x00", ""), "")
	if len(agent) > maxAgent {
		agent = strings.ToValidUTF8(agent[:maxAgent], "")
	}
	return agent
}

// Entry is a row of the record.
type Entry struct {
	ID      int64
	At      time.Time
	Actor   string
	Action  string
	Detail  map[string]any
	Address netip.Addr // the zero value: none
	Agent   string
	Account ident.AccountID
}

// maxList bounds one page of entries.
const maxList = 1000

// It relies on the index of account_id and id, of which it reads the rows of the account from the newest on.
const listAccount = `
SELECT id, at, actor, action, detail, address, coalesce(agent, ''), account_id
FROM account.audit WHERE account_id = $1 AND ($2 = 0 OR id < $2)
    AND ($4 = '' OR detail->>'by' = $4) AND ($5 = '' OR actor = $5) AND ($6::text[] IS NULL OR action = ANY ($6))
    AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)
ORDER BY id DESC LIMIT $3`

// Filter chooses some of the events of an account. The zero value chooses all.
type Filter struct {
	By           string    // address of the member who acted; empty: all
	Actor        string    // ActorAccount, ActorOperator or ActorSystem; empty: all
	Actions      []string  // nil: all
	From, Before time.Time // the zero value: no limit
}

// List gives what was done to one account, the newest first; before is
// the id of the last one already seen, or 0.
func List(ctx context.Context, pool *pgxpool.Pool, account ident.AccountID, before int64,
	limit int) ([]Entry, error) {
	return Search(ctx, pool, account, Filter{}, before, limit)
}

// Search is List for the events that a filter chooses.
func Search(ctx context.Context, pool *pgxpool.Pool, account ident.AccountID, f Filter, before int64,
	limit int) ([]Entry, error) {
	timeOrNull := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	return queryEntries(ctx, pool, listAccount, account, before, min(max(limit, 1), maxList), f.By, f.Actor,
		f.Actions,
		timeOrNull(f.From), timeOrNull(f.Before))
}

// maxPeople bounds the members that a filter offers.
const maxPeople = 200

const listPeople = `
SELECT DISTINCT detail->>'by' FROM account.audit
WHERE account_id = $1 AND detail->>'by' IS NOT NULL ORDER BY 1 LIMIT $2`

// People lists the addresses of the members who acted in an organisation, as far as events name them.
func People(ctx context.Context, pool *pgxpool.Pool, account ident.AccountID) ([]string, error) {
	rows, _ := pool.Query(ctx, listPeople, account, maxPeople) // the rows have its error too
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list the members in the audit record: %w", err)
	}
	return list, nil
}

const listAll = `
SELECT id, at, actor, action, detail, address, coalesce(agent, ''), account_id
FROM account.audit WHERE $1 = 0 OR id < $1 ORDER BY id DESC LIMIT $2`

// ListAll gives what was done to every account, the newest first. It is for the operator.
func ListAll(ctx context.Context, pool *pgxpool.Pool, before int64, limit int) ([]Entry, error) {
	return queryEntries(ctx, pool, listAll, before, min(max(limit, 1), maxList))
}

func queryEntries(ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) ([]Entry, error) {
	rows, _ := pool.Query(ctx, sql, args...) // the rows have its error too
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var (
			e       Entry
			address *netip.Addr
		)
		err := row.Scan(&e.ID, &e.At, &e.Actor, &e.Action, &e.Detail, &address, &e.Agent, &e.Account)
		if address != nil {
			e.Address = *address
		}
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit record: %w", err)
	}
	return entries, nil
}
