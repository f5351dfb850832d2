// Package usage reads what accounts did, as far as the meter has
// written it: for pages, exports and the operator.
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

const (
	readTimeout    = 10 * time.Second // for one page
	maxHistoryDays = 400
)

// History is what an account did over some days. All lists of days are as long as Days.
type History struct {
	Days        []Day // every day asked for, the oldest first: a day without requests is one with zeros
	ByKey       []Series
	ByOperation []Series
}

// Day is one day of it.
type Day struct {
	Day      clock.Date
	Requests int64 // answered, rejected ones included
	Counted  int64 // against the quota
	Refused  int64 // for a limit; of the last 30 days, which is how long that is kept
}

// Series is the part of one key, which may have been revoked since, or of one operation.
type Series struct {
	ID       ident.KeyID // 0: an operation, or the console, which is no key
	Name     string
	Days     []int64 // counted against the quota
	Requests []int64 // answered, rejected ones included
}

//go:embed history_usage.sql
var historyUsage string

// Minutes are stored, and belong to days of Paris, which end where a minute does.
const historyRejections = `
SELECT (minute AT TIME ZONE 'Europe/Paris')::date - DATE '1970-01-01' AS day, sum(requests)::bigint FROM account.refusal
WHERE account_id = $1 AND minute >= $2 AND minute < $3 GROUP BY 1`

// ReadHistory reads what an account did from one day to another, both included.
func ReadHistory(ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date) (History, error) {
	var h History
	err := readDays(ctx, db, from, to, func(ctx context.Context, tx pgx.Tx) error {
		h.Days = make([]Day, to-from+1)
		for i := range h.Days {
			h.Days[i].Day = from + clock.Date(i)
		}
		if err := h.readUsage(ctx, tx, account, from, to); err != nil {
			return err
		}
		var (
			day     clock.Date
			refused int64
		)
		return forEachRow(ctx, tx, []any{&day, &refused}, func() { h.Days[day-from].Refused = refused },
			historyRejections, account, from.Start(), to.End())
	})
	if err != nil {
		return History{}, fmt.Errorf("read history of account %d: %w", account, err)
	}
	return h, nil
}

// readUsage puts each row where it belongs: rows come by key and
// operation, so that parts appear in that order.
func (h *History) readUsage(ctx context.Context, tx pgx.Tx, account ident.AccountID, from, to clock.Date) error {
	var (
		key               ident.KeyID
		name, operation   string
		day               clock.Date
		requests, counted int64
	)
	return forEachRow(ctx, tx, []any{&key, &name, &operation, &day, &requests, &counted}, func() {
		i := day - from
		h.Days[i].Requests += requests
		h.Days[i].Counted += counted
		for _, s := range []*Series{findOrAddSeries(&h.ByKey, key, name, len(h.Days)), findOrAddSeries(&h.ByOperation, 0, operation, len(h.Days))} {
			s.Days[i] += counted
			s.Requests[i] += requests
		}
	}, historyUsage, account, int32(from), int32(to))
}

// findOrAddSeries finds the series of a key or an operation, or adds it.
func findOrAddSeries(list *[]Series, id ident.KeyID, name string, days int) *Series {
	for i := range *list {
		if s := &(*list)[i]; s.ID == id && (id != 0 || s.Name == name) {
			return s
		}
	}
	*list = append(*list, Series{id, name, make([]int64, days), make([]int64, days)})
	return &(*list)[len(*list)-1]
}

// readDays reads some days in one repeatable-read snapshot, so that the parts add up.
func readDays(ctx context.Context, db *pgxpool.Pool, from, to clock.Date, read func(ctx context.Context, tx pgx.Tx) error) error {
	if to < from || to-from >= maxHistoryDays {
		return fmt.Errorf("%s to %s are not 1 to %d days", from, to, maxHistoryDays)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error { return read(ctx, tx) })
}

// forEachRow calls each for every row, with its columns in into.
func forEachRow(ctx context.Context, db pgdb.DB, into []any, each func(), sql string, args ...any) error {
	rows, _ := db.Query(ctx, sql, args...) // the rows have its error too
	_, err := pgx.ForEachRow(rows, into, func() error { each(); return nil })
	return err
}
