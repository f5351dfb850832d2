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

// OperationCount is how many requests of one key an operation answered, refusals included.
type OperationCount struct {
	Operation string
	Today     int64
	Total     int64 // since the key was made
}

//go:embed operations_of_kind.sql
var operationsOfKind string

// ReadOperations tells what each key of one kind asked for, the most used operation first. A key that never asked for
// anything is not in it.
func ReadOperations(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, kind string, today clock.Date) (map[ident.KeyID][]OperationCount, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, err := db.Query(ctx, operationsOfKind, account, int32(today), kind)
	if err != nil {
		return nil, fmt.Errorf("read operations of keys of account %d: %w", account, err)
	}
	counts := map[ident.KeyID][]OperationCount{}
	var (
		key ident.KeyID
		n   OperationCount
	)
	_, err = pgx.ForEachRow(rows, []any{&key, &n.Operation, &n.Today, &n.Total}, func() error {
		counts[key] = append(counts[key], n)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read operations of keys of account %d: %w", account, err)
	}
	return counts, nil
}
