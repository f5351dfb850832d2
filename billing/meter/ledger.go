package meter

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ledger is the counts in PostgreSQL: the durable truth, which every instance adds to.
type ledger struct {
	db         *pgxpool.Pool
	operations []string
	instance   string       // names this process, so that its batches are applied once
	lastBatch  atomic.Int64 // number of the last batch
	unwritten  *batch       // not acknowledged yet
}

// reading is a count as it was stored at one moment.
type reading struct {
	used  int64
	batch int64 // the last one of this instance that was applied
}

const usedOfDay = `
SELECT coalesce((SELECT used FROM account.quota_day WHERE account_id = $1 AND day = DATE '1970-01-01' + $2::int), 0),
       coalesce((SELECT batch FROM account.meter_flush WHERE instance = $3), 0)`

const usedOfDayByKey = `
SELECT coalesce(sum(counted), 0)::bigint, coalesce((SELECT batch FROM account.meter_flush WHERE instance = $3), 0)
FROM account.usage WHERE account_id = $1 AND day = DATE '1970-01-01' + $2::int AND key_id = $4`

func (l *ledger) readUsage(ctx context.Context, of dayKey) (r reading, err error) {
	query, args := usedOfDay, []any{of.Account, int32(of.Date), l.instance}
	if of.Key != 0 {
		query, args = usedOfDayByKey, append(args, of.Key)
	}
	err = l.db.QueryRow(ctx, query, args...).Scan(&r.used, &r.batch)
	return r, err
}

// subtractFlushing takes off a reading what counts as on its way: the batch that has it may be applied
// and not acknowledged yet. It is called under the lock of the shard that flushing is from: nothing of
// another batch than the last is on its way then.
func (l *ledger) subtractFlushing(flushing int64, r reading) int64 {
	if r.batch == l.lastBatch.Load() {
		return r.used - flushing
	}
	return r.used
}

const totalsOfDay = `SELECT account_id, used FROM account.quota_day WHERE day = DATE '1970-01-01' + $1::int`

// writeCounts applies a batch, unless it is there already, and gives the totals of the accounts in it and of
// their keys with a cap. Claim, quota, usage and keys share a transaction: a batch counts whole or not at
// all. What follows the claim is sent in one piece: until it is written a crash loses it, and each answer
// that is waited for takes long on a busy machine.
func (l *ledger) writeCounts(ctx context.Context, b *batch) (totals map[dayKey]int64, err error) {
	err = pgx.BeginFunc(ctx, l.db, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, claimBatch, l.instance, b.number)
		if err != nil {
			return err
		}
		fresh := tag.RowsAffected() == 1 // else it was committed, and the acknowledgement was lost
		totals = map[dayKey]int64{}
		rest := &pgx.Batch{}
		addQuota(rest, b, fresh, totals)
		if fresh {
			l.addUsage(rest, b)
			addRejections(rest, b)
			l.addRecent(rest, b)
			n := len(b.keys)
			accounts, keys := make([]int64, n), make([]int64, n)
			lastUsed, requests := make([]int64, n), make([]int64, n)
			for i, k := range b.keys {
				accounts[i], keys[i], lastUsed[i], requests[i] = int64(k.account), int64(k.key), k.lastUsed, k.requests
			}
			rest.Queue(keysTouch, accounts, keys, lastUsed, requests)
		}
		readKeyTotals(rest, b.capped, totals)
		return tx.SendBatch(ctx, rest).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("write counts: %w", err)
	}
	return totals, nil
}

const claimBatch = `
INSERT INTO account.meter_flush AS f (instance, batch, at) VALUES ($1, $2, now())
ON CONFLICT (instance) DO UPDATE SET batch = EXCLUDED.batch, at = now() WHERE f.batch < EXCLUDED.batch`

// An account that was deleted meanwhile is left out, and does not keep the others from being written.
//
//go:embed quota_add.sql
var quotaAdd string

// addQuota adds the deltas, or zeros when they are there already, and reads the totals.
func addQuota(rest *pgx.Batch, b *batch, fresh bool, totals map[dayKey]int64) {
	accounts, days, used := make([]int64, len(b.quota)), make([]int32, len(b.quota)), make([]int64, len(b.quota))
	// In an order in which two instances that flush the same accounts wait for each other instead of
	// deadlocking.
	inOrder := func(x, y dayKey) int {
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Date, y.Date))
	}
	for i, q := range slices.SortedFunc(maps.Keys(b.quota), inOrder) {
		accounts[i], days[i] = int64(q.Account), int32(q.Date)
		if fresh {
			used[i] = b.quota[q]
		}
	}
	queueTotals(rest, totals, quotaAdd, accounts, days, used)
}

// queueTotals adds a statement that returns totals, of accounts with 0 for the key.
func queueTotals(rest *pgx.Batch, totals map[dayKey]int64, sql string, args ...any) {
	var (
		k   dayKey
		sum int64
	)
	rest.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&k.Account, &k.Date, &k.Key, &sum},
			func() error { totals[k] = sum; return nil })
		return err
	})
}

//go:embed usage_of_keys.sql
var usageOfKeys string

func readKeyTotals(rest *pgx.Batch, list []dayKey, totals map[dayKey]int64) {
	if len(list) == 0 {
		return
	}
	accounts, days, keys := make([]int64, len(list)), make([]int32, len(list)), make([]int64, len(list))
	for i, k := range list {
		accounts[i], days[i], keys[i] = int64(k.Account), int32(k.Date), int64(k.Key)
	}
	queueTotals(rest, totals, usageOfKeys, accounts, days, keys)
}

//go:embed usage_add.sql
var usageAdd string

func (l *ledger) addUsage(rest *pgx.Batch, b *batch) {
	var (
		accounts, keys, hours, requests, counted []int64
		days                                     []int32
		operations                               []string
		classes                                  []int16
	)
	for u, t := range b.usage {
		accounts, days, keys = append(accounts, int64(u.Account)), append(days, int32(u.Date)),
			append(keys, int64(u.Key))
		hours = append(hours, u.hour)
		operations, classes = append(operations, l.operations[u.operation]), append(classes, int16(u.statusClass))
		requests, counted = append(requests, t.requests), append(counted, t.counted)
	}
	rest.Queue(usageAdd, accounts, days, keys, operations, classes, requests, counted, hours)
}

const keysTouch = `
UPDATE account.api_key k
SET request_count = k.request_count + d.requests, last_used_at = greatest(k.last_used_at, to_timestamp(d.last_used))
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS d (account_id, key_id, last_used, requests)
WHERE k.id = d.key_id AND k.account_id = d.account_id`

const forgetInstances = `DELETE FROM account.meter_flush WHERE at < now() - make_interval(secs => $1)`
