package passkey

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// ErrMissing is the error for a passkey that the account does not have.
var ErrMissing = fault.Missing("There is no such passkey.")

const selectCredentials = `
SELECT credential_id, public_key, model, sign_count, transports, backup_eligible, backed_up, user_handle
FROM account.passkey WHERE account_id = $1 ORDER BY id`

// ReadOwner reads the passkeys of an account, in the form in which they are checked. An account without any
// has no handle yet.
func ReadOwner(ctx context.Context, db pgdb.DB, id ident.AccountID, name string) (Owner, error) {
	o := Owner{Name: name}
	all, err := pgdb.Collect(ctx, db, func(row pgx.CollectableRow) (c Credential, err error) {
		err = row.Scan(&c.ID, &c.PublicKey, &c.Model, &c.SignCount, &c.Transports, &c.BackupEligible, &c.BackedUp,
			&o.Handle)
		return c, err
	}, selectCredentials, id)
	o.Credentials = all
	return o, fault.Wrap("read the passkeys of an account", err)
}

const findAccount = `SELECT account_id FROM account.passkey WHERE credential_id = $1`

// FindAccount finds the account of a passkey; 0 when no account has it.
func FindAccount(ctx context.Context, db pgdb.DB, credential []byte) (id ident.AccountID, err error) {
	return pgdb.Value[ident.AccountID](ctx, db, nil, "find the account of a passkey", findAccount, credential)
}

// Info is a passkey as its owner sees it.
type Info struct {
	ID         int64
	Name       string
	Model      *uuid.UUID
	Synced     bool // copied to other devices of its owner
	CreatedAt  time.Time
	LastUsedAt *time.Time
}

const listPasskeys = `
SELECT id, name, model, backed_up, created_at, last_used_at FROM account.passkey WHERE account_id = $1 ORDER BY id`

// List lists the passkeys of an account.
func List(ctx context.Context, db pgdb.DB, id ident.AccountID) ([]Info, error) {
	all, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[Info], listPasskeys, id)
	return all, fault.Wrap("list passkeys", err)
}

const insertPasskey = `
INSERT INTO account.passkey (account_id, credential_id, user_handle, public_key, model, sign_count, transports,
    backup_eligible, backed_up, name, created_at)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7::text[], '{}'), $8, $9, $10, $11)
ON CONFLICT (credential_id) DO NOTHING RETURNING id`

// Insert adds a passkey to an account. One that is added already, here or to another account, is ErrRefused.
func Insert(ctx context.Context, db pgdb.DB, account ident.AccountID, handle []byte, c Credential, name string,
	at time.Time) (id int64, err error) {
	known := fmt.Errorf("%w: it is added already", ErrRefused)
	return pgdb.Value[int64](ctx, db, known, "add a passkey", insertPasskey, account, c.ID, handle, c.PublicKey,
		c.Model, c.SignCount, c.Transports, c.BackupEligible, c.BackedUp, name, at)
}

const renamePasskey = `
UPDATE account.passkey p SET name = $3 FROM account.passkey former
WHERE p.id = $2 AND p.account_id = $1 AND former.id = p.id AND former.account_id = $1 RETURNING former.name`

// Rename gives a passkey another name, and returns the former one.
func Rename(ctx context.Context, db pgdb.DB, account ident.AccountID, id int64, name string) (string, error) {
	return pgdb.Value[string](ctx, db, ErrMissing, "rename a passkey", renamePasskey, account, id, name)
}

const deletePasskey = `DELETE FROM account.passkey WHERE id = $2 AND account_id = $1 RETURNING name`

// Delete removes a passkey, and returns its name.
func Delete(ctx context.Context, db pgdb.DB, account ident.AccountID, id int64) (string, error) {
	return pgdb.Value[string](ctx, db, ErrMissing, "remove a passkey", deletePasskey, account, id)
}

const selectName = `SELECT name FROM account.passkey WHERE account_id = $1 AND credential_id = $2`

// ReadName reads the name of a passkey.
func ReadName(ctx context.Context, db pgdb.DB, account ident.AccountID, credential []byte) (string, error) {
	return pgdb.Value[string](ctx, db, ErrMissing, "read the name of a passkey", selectName, account, credential)
}

const recordUse = `
UPDATE account.passkey SET sign_count = $3, backed_up = $4, last_used_at = $5
WHERE account_id = $1 AND credential_id = $2`

// RecordUse keeps what a valid signature says.
func RecordUse(ctx context.Context, db audit.DB, account ident.AccountID, credential []byte, o Outcome,
	at time.Time) error {
	_, err := db.Exec(ctx, recordUse, account, credential, o.SignCount, o.BackedUp, at)
	return fault.Wrap("record the use of a passkey", err)
}

const spendChallenge = `
INSERT INTO account.passkey_challenge (challenge_hash, account_id, used_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

// SpendChallenge reports whether a challenge was answered for the first time.
func SpendChallenge(ctx context.Context, db audit.DB, account ident.AccountID, challenge string,
	at time.Time) (bool, error) {
	sum := sha256.Sum256([]byte(challenge))
	tag, err := db.Exec(ctx, spendChallenge, sum[:], account, at)
	return tag.RowsAffected() > 0, fault.Wrap("spend the challenge of a passkey", err)
}
