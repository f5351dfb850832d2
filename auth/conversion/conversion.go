// Package conversion makes the account of a person an organisation. The row of the account stays: keys,
// limits, usage and subscription refer to it, and go on as they were. The person gets another row, with all
// that they sign in by.
package conversion

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Account is the account of a person that becomes an organisation.
type Account struct {
	ID        ident.AccountID
	Email     string
	CreatedAt time.Time
	Name      string // of the organisation
	// SealFactor seals the secret of the person's second factor for the account that the person gets; nil:
	// there is none.
	SealFactor func(person ident.AccountID) []byte
	// KeepPersonal is for how long the audit record keeps what identifies a person.
	KeepPersonal time.Duration
}

const (
	// A flush of the meter holds these rows, which it locks in the order of the accounts and days, while it
	// writes to keys of the person, in this account and in organisations: the two take turns.
	listAccounts = `
SELECT $1::bigint AS id UNION SELECT account_id FROM account.api_key WHERE created_by = $1 ORDER BY id`
	lockUsage = `
SELECT FROM account.quota_day WHERE account_id = $1 AND day >= $2::date - 1 ORDER BY day FOR UPDATE`

	// The address is unique: the person gets it once the organisation has another.
	insertPerson = `
INSERT INTO account.account (email, email_confirmed_at, password_hash, password_changed_at, language,
    totp_enabled_at, totp_last_step, second_factor_required_at, factor_recovery_due_at, created_at, updated_at)
SELECT gen_random_uuid() || '@person.invalid', email_confirmed_at, password_hash, password_changed_at, language,
    totp_enabled_at, totp_last_step, second_factor_required_at, factor_recovery_due_at, created_at, $2
FROM account.account WHERE id = $1 RETURNING id`

	makeOrganisation = `
UPDATE account.account SET kind = 'organisation', name = $2, contact_email = email,
    email = gen_random_uuid() || '@organisation.invalid', password_hash = NULL, password_changed_at = NULL,
    totp_sealed = NULL, totp_enabled_at = NULL, totp_last_step = NULL, second_factor_required_at = NULL,
    factor_recovery_due_at = NULL, updated_at = $3
WHERE id = $1 AND kind = 'person'`

	setPerson = `UPDATE account.account SET email = $2, totp_sealed = $3 WHERE id = $1`
)

// personalActions are the actions that the record of the person has afterwards, and that of the organisation
// has without what identifies a person.
var personalActions = append([]string{audit.ActionLanguageChanged, audit.ActionExported},
	audit.SignInActions...)

//go:embed person.sql
var movePerson string

// Convert makes the account an organisation whose only member is the person, its owner, and returns the
// account that the person gets. The caller has locked the account and the organisations of which the person
// is a member. Management tokens, the links in mails and the sessions of the person go on; the sessions
// that showed the account show the organisation.
func Convert(ctx context.Context, tx pgx.Tx, a Account, now time.Time) (person ident.AccountID, err error) {
	exec := func(what, sql string, args ...any) {
		if err == nil {
			_, err = tx.Exec(ctx, sql, args...)
			err = fault.Wrap(what, err)
		}
	}
	used, err := pgdb.Collect(ctx, tx, pgx.RowTo[ident.AccountID], listAccounts, a.ID)
	if err != nil {
		return 0, fmt.Errorf("list the accounts in which a person has keys: %w", err)
	}
	for _, id := range used {
		exec("lock the usage of an account", lockUsage, id, clock.Day(now).Time())
	}
	if err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, insertPerson, a.ID, now).Scan(&person); err != nil {
		return 0, fmt.Errorf("make the account of a person: %w", err)
	}
	var factor []byte
	if a.SealFactor != nil {
		factor = a.SealFactor(person)
	}
	exec("make an account an organisation", makeOrganisation, a.ID, a.Name, now)
	exec("set the address of a person", setPerson, person, a.Email, factor)
	exec("move what belongs to a person", movePerson, a.ID, person, personalActions,
		now.Add(-a.KeepPersonal))
	if err != nil {
		return 0, err
	}
	// As old as the account: its management tokens work for members of before alone.
	_, err = member.Insert(ctx, tx, a.ID, person, member.Owner, a.CreatedAt)
	return person, err
}
