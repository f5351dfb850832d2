package testkit

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/ident"
)

// AddAccount makes an account: $1 its address, $2 whether that is confirmed, $3 its own quota of a day or NULL,
// $4 whether it wants mails about its quota, $5 its language.
const AddAccount = `INSERT INTO account.account (email, email_confirmed_at, plan, per_day, quota_mails, language, created_at, updated_at)
	VALUES ($1, CASE WHEN $2 THEN now() END, 'free', $3, $4, $5, now(), now()) RETURNING id`

// Accounts makes rows of accounts in a database, without the checks of a service.
type Accounts struct {
	T     testing.TB
	Pool  *pgxpool.Pool
	Clock clock.Clock
}

// Exec executes a statement.
func (a Accounts) Exec(sql string, args ...any) {
	a.T.Helper()
	Exec(a.T, a.Pool, sql, args...)
}

// ID is the id that a statement returns.
func (a Accounts) ID(sql string, args ...any) (id ident.AccountID) {
	a.T.Helper()
	NoError(a.T, a.Pool.QueryRow(a.T.Context(), sql, args...).Scan(&id))
	return id
}

// Person makes the account of a person.
func (a Accounts) Person(email string, isConfirmed bool) ident.AccountID {
	a.T.Helper()
	return a.ID(AddAccount, email, isConfirmed, nil, true, "fr")
}

// Organisation makes an organisation without members, whose mails go to jeanne@exemple.fr.
func (a Accounts) Organisation(name string) ident.AccountID {
	a.T.Helper()
	return a.ID(`INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, created_at, updated_at)
		VALUES ('organisation', $1, $1 || '@organisation.invalid', 'jeanne@exemple.fr', $2, $2, $2) RETURNING id`, name, a.Clock.Now())
}

// Appoint makes a person a member with a role, whatever they were before.
func (a Accounts) Appoint(org, person ident.AccountID, role any) {
	a.T.Helper()
	a.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role`, org, person, role, a.Clock.Now())
}

// NewMails are the messages that were left since the first seen ones, as template and recipient, sorted.
func NewMails(t testing.TB, pool *pgxpool.Pool, seen *int) (out []string) {
	t.Helper()
	all := Mails(t, pool)
	for _, j := range all[*seen:] {
		out = append(out, string(j.Template)+" "+j.To)
	}
	*seen = len(all)
	slices.Sort(out)
	return out
}
