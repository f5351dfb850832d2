package pgdb

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"arpent/internal/ident"
)

// Role is one of those that the migration makes (migrations/rights).
type Role string

// The roles. Who migrates and administers has none: it owns the schema.
const (
	Serve Role = "arpent_serve" // reads geo, writes account, works through the jobs
	Load  Role = "arpent_load"  // writes geo, reads nothing of account
	Read  Role = "arpent_read"  // reads geo
)

// Take has connections made with cfg take the role before their first statement. The user has to be a member.
func (r Role) Take(cfg *pgx.ConnConfig) {
	if r != "" {
		cfg.RuntimeParams["role"] = string(r)
	}
}

type actingKey struct{}

// ForAccount has what is done with the context on a pool of role Serve see the rows of one
// account alone, and write no others: row-level security is a second wall behind the
// statements, all of which name the account too.
func ForAccount(ctx context.Context, account ident.AccountID) context.Context {
	return context.WithValue(ctx, actingKey{}, account)
}

// ForService takes ForAccount back, for what concerns more than one account.
func ForService(ctx context.Context) context.Context { return ForAccount(ctx, 0) }

const setActing = `SELECT set_config('arpent.account', $1, false)`

// actFor gives a connection the account of the context before it is used.
// It asks the database only when that changes.
func actFor(ctx context.Context, conn *pgx.Conn) (ok bool, err error) {
	want, _ := ctx.Value(actingKey{}).(ident.AccountID)
	state := conn.PgConn().CustomData()
	have, _ := state["account"].(ident.AccountID)
	if want == have {
		return true, nil
	}
	value := ""
	if want != 0 {
		value = strconv.FormatInt(int64(want), 10)
	}
	if _, err := conn.Exec(ctx, setActing, value); err != nil {
		return false, fmt.Errorf("act for an account: %w", err)
	}
	state["account"] = want
	return true, nil
}
