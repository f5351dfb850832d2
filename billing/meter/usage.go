package meter

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
)

// Usage is what an account did in a day, as far as it has been written.
type Usage struct {
	Day         clock.Date
	Counted     int64 // against the quota
	ByKey       []KeyUsage
	ByOperation []OperationUsage
}

// KeyUsage is one key's part of it.
type KeyUsage struct {
	ID       ident.KeyID
	Name     string
	Requests int64 // answered, refusals included
	Counted  int64
}

// OperationUsage is one operation's part of it.
type OperationUsage struct {
	Operation string
	Requests  int64
	Counted   int64
}

//go:embed usage_by_key.sql
var usageByKey string

const usageByOperation = `
SELECT operation, sum(requests)::bigint, sum(counted)::bigint FROM account.usage
WHERE account_id = $1 AND day = DATE '1970-01-01' + $2::int GROUP BY operation ORDER BY operation`

// ReadUsage tells what an account did in a day.
func ReadUsage(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, day clock.Date) (Usage, error) {
	u := Usage{Day: day}
	err := snapshot(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if u.Counted, err = counted(ctx, tx, account, day); err != nil {
			return err
		}
		keys, err := tx.Query(ctx, usageByKey, account, int32(day))
		if err != nil {
			return err
		}
		if u.ByKey, err = pgx.CollectRows(keys, pgx.RowToStructByPos[KeyUsage]); err != nil {
			return err
		}
		operations, err := tx.Query(ctx, usageByOperation, account, int32(day))
		if err != nil {
			return err
		}
		u.ByOperation, err = pgx.CollectRows(operations, pgx.RowToStructByPos[OperationUsage])
		return err
	})
	if err != nil {
		return Usage{}, fmt.Errorf("read usage of account %d: %w", account, err)
	}
	return u, nil
}
