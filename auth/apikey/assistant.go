package apikey

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// MaxAssistants is how many assistants may be connected to an account at once. Some connect anew for every
// conversation: it is an end to what a broken one can do rather than a limit that people meet.
const MaxAssistants = 100

// ErrTooManyAssistants is returned when MaxAssistants is reached. It says what to do.
var ErrTooManyAssistants = fault.New(fault.InvalidParameter,
	"The account has 100 connected assistants already: revoke one of their keys first.", nil)

const countAssistants = `
SELECT a.email_confirmed_at IS NOT NULL, (SELECT count(*) FROM account.api_key k
    WHERE k.account_id = a.id AND k.kind = 'assistant' AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2))
FROM account.account a WHERE a.id = $1`

// MayConnect reports why no assistant can be connected to the account,
// if so: ErrUnconfirmed, ErrTooManyAssistants.
func MayConnect(ctx context.Context, db pgdb.DB, account ident.AccountID, now time.Time) error {
	var (
		confirmed bool
		live      int
	)
	err := db.QueryRow(ctx, countAssistants, account, now).Scan(&confirmed, &live)
	switch {
	case err != nil:
		return pgdb.RowError(err, fault.Missing("There is no such account."), "count assistants")
	case !confirmed:
		return ErrUnconfirmed
	case live >= MaxAssistants:
		return ErrTooManyAssistants
	}
	return nil
}

// Client is the assistant that a key is for.
type Client struct{ ID, Name string }

const insertAssistant = `
INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at, created_by, personal)
VALUES ($1, $2, 'assistant', $3, $4, $5, $6, nullif($7::bigint, 0), true)
RETURNING ` + keyColumns

// CreateAssistant makes the key of an assistant's connection, as part of tx. Its secret is thrown away: the
// key is reached by its hash, which is returned, through the tokens that are kept with it. It is named after
// the assistant, with a number when a live key has that name already. It is personal: it ends with the
// membership of the person who authorized it. It is recorded as connected by the actor of the context, and
// its owner gets a mail. ErrUnconfirmed, ErrTooManyAssistants, or a fault.NotFound without the account.
func CreateAssistant(ctx context.Context, tx pgx.Tx, account ident.AccountID, client Client,
	now time.Time) (key Key, hash [32]byte, err error) {
	if _, err := member.LockAccount(ctx, tx, account); err != nil {
		return Key{}, hash, err
	}
	if err := MayConnect(ctx, tx, account, now); err != nil {
		return Key{}, hash, err
	}
	shown := strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(client.Name, ""))
	// One name more than an account can have assistants, so that one is free.
	names := numberedNames(AssistantPrefix+strings.TrimSpace(shown), MaxAssistants+1, "", " (%d)")
	name, err := findFreeName(ctx, tx, account, names, now)
	if err != nil {
		return Key{}, hash, err
	}
	secret, hash := New()
	key, err = queryKey(ctx, tx, insertAssistant, account, name, hash[:], secret[:prefixLength],
		secret[len(secret)-4:], now, audit.ActorOf(ctx).Person)
	if err != nil {
		return Key{}, hash, err
	}
	if err := recordKey(ctx, tx, account, audit.ActionKeyCreated, key, now,
		map[string]string{"client": client.ID}); err != nil {
		return Key{}, hash, err
	}
	values := audit.ActorOf(ctx).MailValues(now)
	values["name"] = key.Name
	return key, hash, NotifyOwner(ctx, tx, account, mail.AssistantAdded, values)
}

const revokeAssistant = `
UPDATE account.api_key SET revoked_at = $3
WHERE id = $2 AND account_id = $1 AND kind = 'assistant' AND revoked_at IS NULL
RETURNING ` + keyColumns

// RevokeAssistant ends an assistant's key for ever, as part of tx: the service does, for a reason
// that the record names. The owner gets the letter, if there is one. A key that is not the account's,
// or is revoked already, is a fault.NotFound.
func RevokeAssistant(ctx context.Context, tx pgx.Tx, account ident.AccountID, id ident.KeyID, reason string,
	letter mail.Template, now time.Time) (Key, error) {
	key, err := queryKey(ctx, tx, revokeAssistant, account, id, now)
	if err != nil {
		return Key{}, err
	}
	by := audit.Actor{Kind: audit.ActorSystem}
	err = recordKey(audit.With(ctx, by), tx, account, audit.ActionKeyRevoked, key, now,
		map[string]string{"reason": reason})
	if err != nil || letter == "" {
		return key, err
	}
	values := by.MailValues(now)
	values["name"] = key.Name
	return key, NotifyOwner(ctx, tx, account, letter, values)
}
