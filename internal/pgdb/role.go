package pgdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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

// explainRights says what to do where the user may not make roles.
func explainRights(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42501" {
		return fmt.Errorf("%w; an administrator has to run once: CREATE ROLE arpent_read; CREATE ROLE arpent_serve; CREATE ROLE arpent_load; "+
			"GRANT arpent_read, arpent_serve, arpent_load TO the user of ARPENT_DATABASE_URL", err)
	}
	return err
}
