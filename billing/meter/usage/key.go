package usage

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Rejection is requests of one key that met one limit within a minute.
type Rejection struct {
	KeyID    ident.KeyID `json:"key"` // 0: the console of the documentation
	KeyName  string      `json:"key_name"`
	Met      string      `json:"met"` // minute, enrichments, day (the account's) or key (the key's own cap)
	Limit    int         `json:"limit"`
	FirstAt  time.Time   `json:"first_at"`
	LastAt   time.Time   `json:"last_at"`
	Requests int64       `json:"requests"`
}

const readRejections = `
SELECT CASE k.kind WHEN 'console' THEN 0 ELSE r.key_id END, k.name, r.met, r."limit", r.first_at, r.last_at, r.requests
FROM account.refusal r JOIN account.api_key k ON k.id = r.key_id AND k.account_id = r.account_id
WHERE r.account_id = $1 AND r.minute >= $2 AND r.minute < $3
    AND ($4::bigint IS NULL OR $4 = CASE k.kind WHEN 'console' THEN 0 ELSE r.key_id END)
    AND ($6::bigint[] IS NULL OR r.key_id = ANY ($6))
ORDER BY r.minute DESC, r.last_at DESC, r.key_id, r.met LIMIT $5`

// ReadRejections reads the latest rejections from one day to another, both included, the newest first. A row
// is one minute of one key and one limit. The filter's keys choose; an operation and an outcome do not.
func ReadRejections(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date,
	filter Filter, limit int) ([]Rejection, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	list, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[Rejection], readRejections, account, from.Start(),
		to.End(), filter.Key, limit, filter.Visible)
	if err != nil {
		return nil, fmt.Errorf("read rejections of account %d: %w", account, err)
	}
	return list, nil
}

// KeyCount is how many requests of a key were answered, rejected ones included.
type KeyCount struct {
	Today  int64
	Last30 int64 // days, today included
}

const readKeyCounts = `
SELECT key_id, coalesce(sum(requests) FILTER (WHERE day = DATE '1970-01-01' + $2::int), 0)::bigint, sum(requests)::bigint
FROM account.usage
WHERE account_id = $1 AND day BETWEEN DATE '1970-01-01' + $2::int - 29 AND DATE '1970-01-01' + $2::int
GROUP BY key_id`

// ReadKeyCounts reads how much each key of an account is used. A key
// that was not used in 30 days is not in it.
func ReadKeyCounts(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, today clock.Date) (
	counts map[ident.KeyID]KeyCount, err error) {
	counts = map[ident.KeyID]KeyCount{}
	var (
		key ident.KeyID
		n   KeyCount
	)
	err = forEachRow(ctx, db, "read use of keys", account, []any{&key, &n.Today, &n.Last30},
		func() { counts[key] = n }, readKeyCounts, int32(today))
	return counts, err
}

// OperationCount is how many requests of one key an operation answered, rejected ones included.
type OperationCount struct {
	Operation string
	Today     int64
	Total     int64 // since the key was made
}

//go:embed operations_of_kind.sql
var operationsOfKind string

// ReadOperations reads what each key of one kind asked for, the most used operation first. A key
// that never asked for anything is not in it.
func ReadOperations(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, kind string,
	today clock.Date) (
	counts map[ident.KeyID][]OperationCount, err error) {
	counts = map[ident.KeyID][]OperationCount{}
	var (
		key ident.KeyID
		n   OperationCount
	)
	err = forEachRow(ctx, db, "read operations of keys", account, []any{&key, &n.Operation, &n.Today, &n.Total},
		func() { counts[key] = append(counts[key], n) }, operationsOfKind, int32(today), kind)
	return counts, err
}
