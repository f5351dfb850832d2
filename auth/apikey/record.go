package apikey

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/event"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// keyAction is what can be done with a key, and how it is recorded.
type keyAction struct {
	name     string                      // in errors
	needs    member.Action               // that the role of a member has to allow
	action   string                      // in the audit record
	template mail.Template               // sent to the owner who did it; empty: none
	operator mail.Template               // sent to the owner where an operator did it; empty: none
	details  func(Key) map[string]string // what else the record and the mail say; nil: nothing
}

var (
	createAction = keyAction{name: "create", needs: member.CreateKey, action: audit.ActionKeyCreated,
		template: mail.KeyCreated}
	rotateAction = keyAction{name: "rotate", needs: member.RotateKey, action: audit.ActionKeyRotated,
		template: mail.KeyRotated}
	renameAction   = keyAction{name: "rename", needs: member.ChangeKey, action: audit.ActionKeyRenamed}
	pauseAction    = keyAction{name: "pause", needs: member.ChangeKey, action: audit.ActionKeyPaused}
	resumeAction   = keyAction{name: "resume", needs: member.ChangeKey, action: audit.ActionKeyResumed}
	restrictAction = keyAction{name: "restrict", needs: member.ChangeKey, action: audit.ActionKeyRestricted,
		// what the record says of a change: it sets everything at once
		details: func(k Key) map[string]string {
			details := map[string]string{"networks": FormatNetworks(k.Networks),
				"refuse_in_query": strconv.FormatBool(k.RefuseInQuery)}
			if k.PerDay != nil {
				details["per_day"] = strconv.Itoa(*k.PerDay)
			}
			return details
		}}
	setExpiryAction = keyAction{name: "set the expiry of", needs: member.ChangeKey,
		action: audit.ActionKeyRestricted, details: func(k Key) map[string]string {
			if k.ExpiresAt == nil {
				return map[string]string{"expires": "never"}
			}
			return map[string]string{"expires": k.ExpiresAt.UTC().Format(time.RFC3339)}
		}}
	revokeAction = keyAction{name: "revoke", needs: member.RevokeKey, action: audit.ActionKeyRevoked,
		template: mail.KeyRevoked, operator: mail.KeyRevokedByOperator}
)

// recordAction adds an act to the audit record in its transaction, as done by the actor of the context, and
// leaves the mail about it to the owner.
func (a keyAction) recordAction(ctx context.Context, tx pgx.Tx, account ident.AccountID, k Key,
	now time.Time) error {
	by, details := audit.ActorOf(ctx), map[string]string(nil)
	if a.details != nil {
		details = a.details(k)
	}
	if err := recordKey(ctx, tx, account, a.action, k, now, details); err != nil {
		return err
	}
	template := map[string]mail.Template{audit.ActorAccount: a.template,
		audit.ActorOperator: a.operator}[by.Kind]
	if template == "" {
		return nil
	}
	values := by.MailValues(now)
	values["name"] = k.Name
	maps.Copy(values, details)
	return NotifyOwner(ctx, tx, account, template, values)
}

// keyEvents are the acts that are events of the account.
var keyEvents = map[string]event.Type{audit.ActionKeyCreated: event.KeyCreated,
	audit.ActionKeyRotated: event.KeyCreated, audit.ActionKeyRevoked: event.KeyRevoked}

// recordKey adds an act on a key to the audit record and, if it is one, to the events of the account.
func recordKey(ctx context.Context, tx pgx.Tx, account ident.AccountID, action string, k Key, now time.Time,
	details map[string]string) error {
	detail := map[string]any{"key": k.ID, "name": k.Name}
	for name, value := range details {
		detail[name] = value
	}
	if err := audit.RecordAct(ctx, tx, now, account, action, detail); err != nil {
		return err
	}
	if t, ok := keyEvents[action]; ok {
		return recordEvent(ctx, tx, account, t, k, now)
	}
	return nil
}

// recordEvent leaves an event about a key for the endpoints of the account.
func recordEvent(ctx context.Context, tx pgx.Tx, account ident.AccountID, t event.Type, k Key,
	now time.Time) error {
	key := event.Key{ID: k.ID, Name: k.Name, Kind: string(k.Kind), Last4: k.Last4, Replaces: k.Replaces}
	if k.ExpiresAt != nil {
		key.ExpiresAt = new(k.ExpiresAt.UTC())
	}
	return event.Record(ctx, tx, account, t, now, event.KeyData{Key: key})
}

// ownerAddress leaves out an unconfirmed address: it may belong to another person, and gets no mail.
const ownerAddress = `SELECT coalesce(contact_email, email), language FROM account.account WHERE id = $1 AND email_confirmed_at IS NOT NULL`

// NotifyOwner leaves a mail to the owner of an account, for acts on it that are not recorded here too.
func NotifyOwner(ctx context.Context, tx pgx.Tx, account ident.AccountID, template mail.Template,
	values map[string]string) error {
	j := mail.Job{Template: template, Account: int64(account), Values: values}
	err := tx.QueryRow(ctx, ownerAddress, account).Scan(&j.To, &j.Language)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the address of account %d: %w", account, err)
	}
	return mail.Send(ctx, tx, j)
}
