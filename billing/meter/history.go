package meter

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
)

// readTimeout bounds one reading for a page.
const readTimeout = 10 * time.Second

// historyMost is the longest history that can be read, in days.
const historyMost = 400

// History is what an account did over some days, as far as it has been written. All lists of days are as long as Days.
type History struct {
	Days        []DayUsage // every day asked for, the oldest first: a day without requests is one with zeros
	ByKey       []KeyHistory
	ByOperation []OperationHistory
}

// DayUsage is one day of it.
type DayUsage struct {
	Day      clock.Date
	Requests int64 // answered, refusals included
	Counted  int64 // against the quota
	Refused  int64 // for a limit; of the last 30 days, which is how long refusals are kept
}

// KeyHistory is one key's part of it. The key may have been revoked since.
type KeyHistory struct {
	ID       ident.KeyID
	Name     string
	Days     []int64 // counted against the quota
	Requests []int64 // answered, refusals included
}

// OperationHistory is one operation's part of it.
type OperationHistory struct {
	Operation string
	Days      []int64 // counted against the quota
	Requests  []int64 // answered, refusals included
}

//go:embed history_usage.sql
var historyUsage string

// Minutes are stored, and belong to days of Paris, which end where a minute does.
const historyRefusals = `
SELECT (minute AT TIME ZONE 'Europe/Paris')::date - DATE '1970-01-01' AS day, sum(requests)::bigint FROM account.refusal
WHERE account_id = $1 AND minute >= $2 AND minute < $3 GROUP BY 1`

// ReadHistory tells what an account did from one day to another, both included.
func ReadHistory(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date) (History, error) {
	if to < from || to-from >= historyMost {
		return History{}, fmt.Errorf("read history of account %d: %s to %s are not 1 to %d days", account, from, to, historyMost)
	}
	h := newHistory(from, to)
	err := snapshot(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
		if err := h.readUsage(ctx, tx, account); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, historyRefusals, account, from.Start(), to.End())
		if err != nil {
			return err
		}
		var (
			day     int32
			refused int64
		)
		_, err = pgx.ForEachRow(rows, []any{&day, &refused}, func() error {
			h.Days[clock.Date(day)-from].Refused = refused
			return nil
		})
		return err
	})
	if err != nil {
		return History{}, fmt.Errorf("read history of account %d: %w", account, err)
	}
	return *h, nil
}

func newHistory(from, to clock.Date) *History {
	h := &History{Days: make([]DayUsage, to-from+1)}
	for i := range h.Days {
		h.Days[i].Day = from + clock.Date(i)
	}
	return h
}

// readUsage puts each row where it belongs: rows come by key and operation, so that parts appear in that order.
func (h *History) readUsage(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
	from, to := h.Days[0].Day, h.Days[len(h.Days)-1].Day
	rows, err := tx.Query(ctx, historyUsage, account, int32(from), int32(to))
	if err != nil {
		return err
	}
	var (
		key               ident.KeyID
		name, operation   string
		day               int32
		requests, counted int64
	)
	_, err = pgx.ForEachRow(rows, []any{&key, &name, &operation, &day, &requests, &counted}, func() error {
		i := int(clock.Date(day) - from)
		h.Days[i].Requests += requests
		h.Days[i].Counted += counted
		k := h.key(key, name)
		k.Days[i] += counted
		k.Requests[i] += requests
		o := h.operation(operation)
		o.Days[i] += counted
		o.Requests[i] += requests
		return nil
	})
	return err
}

func (h *History) key(id ident.KeyID, name string) *KeyHistory {
	for i := range h.ByKey {
		if h.ByKey[i].ID == id {
			return &h.ByKey[i]
		}
	}
	n := len(h.Days)
	h.ByKey = append(h.ByKey, KeyHistory{id, name, make([]int64, n), make([]int64, n)})
	return &h.ByKey[len(h.ByKey)-1]
}

func (h *History) operation(name string) *OperationHistory {
	for i := range h.ByOperation {
		if h.ByOperation[i].Operation == name {
			return &h.ByOperation[i]
		}
	}
	n := len(h.Days)
	h.ByOperation = append(h.ByOperation, OperationHistory{name, make([]int64, n), make([]int64, n)})
	return &h.ByOperation[len(h.ByOperation)-1]
}

// snapshot reads several things as they were at one moment, so that the parts add up.
func snapshot(ctx context.Context, db *pgxpool.Pool, read func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error { return read(ctx, tx) })
}

// RefusalRow is requests that one limit refused to one key within a minute.
type RefusalRow struct {
	KeyID           ident.KeyID
	KeyName         string
	Met             string // minute, enrichments, day (the account's) or key (the key's own cap)
	Limit           int
	FirstAt, LastAt time.Time
	Requests        int64
}

const readRefusals = `
SELECT r.key_id, k.name, r.met, r."limit", r.first_at, r.last_at, r.requests
FROM account.refusal r JOIN account.api_key k ON k.id = r.key_id AND k.account_id = r.account_id
WHERE r.account_id = $1 ORDER BY r.minute DESC, r.last_at DESC, r.key_id, r.met LIMIT $2`

// ReadRefusals gives the latest refusals, the newest first.
func ReadRefusals(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, limit int) ([]RefusalRow, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, err := db.Query(ctx, readRefusals, account, limit)
	if err != nil {
		return nil, fmt.Errorf("read refusals of account %d: %w", account, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[RefusalRow])
	if err != nil {
		return nil, fmt.Errorf("read refusals of account %d: %w", account, err)
	}
	return list, nil
}

// KeyCount is how many requests of a key were answered, refusals included.
type KeyCount struct {
	Today  int64
	Last30 int64 // days, today included
}

const readKeyCounts = `
SELECT key_id, coalesce(sum(requests) FILTER (WHERE day = DATE '1970-01-01' + $2::int), 0)::bigint, sum(requests)::bigint
FROM account.usage
WHERE account_id = $1 AND day BETWEEN DATE '1970-01-01' + $2::int - 29 AND DATE '1970-01-01' + $2::int
GROUP BY key_id`

// ReadKeyCounts tells how much each key of an account is used. A key that was not used in 30 days is not in it.
func ReadKeyCounts(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, today clock.Date) (map[ident.KeyID]KeyCount, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, err := db.Query(ctx, readKeyCounts, account, int32(today))
	if err != nil {
		return nil, fmt.Errorf("read use of keys of account %d: %w", account, err)
	}
	counts := map[ident.KeyID]KeyCount{}
	var (
		key ident.KeyID
		n   KeyCount
	)
	if _, err = pgx.ForEachRow(rows, []any{&key, &n.Today, &n.Last30}, func() error { counts[key] = n; return nil }); err != nil {
		return nil, fmt.Errorf("read use of keys of account %d: %w", account, err)
	}
	return counts, nil
}
