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
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

const readTimeout = 10 * time.Second // for one page

// MaxDays is how many days are read at once.
const MaxDays = 400

// History is what an account did over some days.
type History struct {
	Breakdown

	Days []Day // every day asked for, the oldest first: a day without requests is one with zeros
}

// Day is one day of it.
type Day struct {
	Day      clock.Date
	Requests int64 // answered, rejected ones included
	Counted  int64 // against the quota
	Refused  int64 // for a limit, of every operation; of the last 30 days, which is how long that is kept
}

//go:embed history_usage.sql
var historyUsage string

// Minutes are stored, and belong to days of Paris, which end where a minute does.
const historyRejections = `
SELECT CASE k.kind WHEN 'console' THEN 0 ELSE r.key_id END, (r.minute AT TIME ZONE 'Europe/Paris')::date - DATE '1970-01-01',
    sum(r.requests)::bigint
FROM account.refusal r JOIN account.api_key k ON k.id = r.key_id AND k.account_id = r.account_id
WHERE r.account_id = $1 AND r.minute >= $2 AND r.minute < $3 GROUP BY 1, 2`

// ReadHistory reads what an account did from one day to another, both included.
func ReadHistory(
	ctx context.Context, db *pgxpool.Pool, account ident.AccountID, from, to clock.Date, filter Filter,
) (History, error) {
	var h History
	err := readDays(ctx, db, from, to, func(ctx context.Context, tx pgx.Tx) error {
		h.Days = make([]Day, to-from+1)
		for i := range h.Days {
			h.Days[i].Day = from + clock.Date(i)
		}
		if err := h.readUsage(ctx, tx, account, from, to, filter); err != nil {
			return err
		}
		var (
			key     ident.KeyID
			day     clock.Date
			refused int64
		)
		return forEachRow(ctx, tx, "read history", account, []any{&key, &day, &refused}, func() {
			if filter.matchesKey(key) {
				h.Days[day-from].Refused += refused
			}
		}, historyRejections, from.Start(), to.End())
	})
	return h, err
}

func (h *History) readUsage(ctx context.Context, tx pgx.Tx, account ident.AccountID, from, to clock.Date,
	filter Filter) error {
	var (
		r   usageRow
		day clock.Date
	)
	into := []any{&r.key, &r.name, &r.operation, &r.class, &day, &r.requests, &r.counted}
	return forEachRow(ctx, tx, "read history", account, into, func() {
		r.nth = int(day - from)
		if h.addRow(&r, filter, len(h.Days), false) {
			h.Days[r.nth].Requests += r.requests
			h.Days[r.nth].Counted += r.counted
		}
	}, historyUsage, int32(from), int32(to))
}

// readDays reads some days in one repeatable-read snapshot, so that the parts add up.
func readDays(ctx context.Context, db *pgxpool.Pool, from, to clock.Date,
	read func(ctx context.Context, tx pgx.Tx) error) error {
	if to < from || to-from >= MaxDays {
		return fmt.Errorf("%s to %s are not 1 to %d days", from, to, MaxDays)
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error { return read(ctx, tx) })
}

// forEachRow calls each for every row of a statement about an account, its first argument, with the columns
// in into. doing begins the text of an error.
func forEachRow(ctx context.Context, db pgdb.DB, doing string, account ident.AccountID, into []any,
	each func(),
	sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, _ := db.Query(ctx, sql, append([]any{account}, args...)...) // the rows have its error too
	_, err := pgx.ForEachRow(rows, into, func() error { each(); return nil })
	return fault.Wrap(fmt.Sprintf("%s of account %d", doing, account), err)
}
