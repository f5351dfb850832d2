package meter

import (
	"context"
	_ "embed"
	"math"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
)

// refusedMost bounds the rows of a key that wait for a flush. It takes the database to be away for the better part of
// an hour to reach it; what comes then is added to the row that its limit has already.
const refusedMost = 200

// met names the limits that can be met, as they are stored.
type met uint8

const (
	metMinute met = iota
	metEnrichments
	metDay
	metKey
	metKinds
)

var metNames = [metKinds]string{"minute", "enrichments", "day", "key"}

// refusedKey gathers the refusals of a key, so that a client that hammers costs an addition for each, and a row for
// each minute. A crash loses what was gathered since the last flush.
type refusedKey struct {
	now  [metKinds]refused // of the minute that each limit was met in last
	past []refused
}

// refused is requests that met one limit in one minute. Times are Unix seconds.
type refused struct {
	met         met
	limit       int
	first, last int64
	requests    int64
}

func (r *refused) minute() int64 { return r.first - r.first%60 }

// refuse notes a refusal. One that overtook another at the turn of a minute counts in the later one.
func (k *keyUse) refuse(v *Verdict) {
	if k.refused == nil {
		k.refused = &refusedKey{}
	}
	which := metMinute
	switch {
	case v.Refusal == Day:
		which = metDay
	case v.Refusal == KeyDay:
		which = metKey
	case v.class == Enrichments && v.Met == v.Limit:
		which = metEnrichments
	}
	r := &k.refused.now[which]
	if r.requests > 0 && r.limit == v.Met && v.seen < r.minute()+60 {
		r.requests++
		r.last = max(r.last, v.seen)
		return
	}
	k.refused.file(r)
	*r = refused{met: which, limit: v.Met, first: v.seen, last: v.seen, requests: 1}
}

// file puts away what was gathered in a minute that is over.
func (k *refusedKey) file(r *refused) {
	if r.requests == 0 {
		return
	}
	if len(k.past) < refusedMost {
		k.past = append(k.past, *r)
		return
	}
	for i := len(k.past) - 1; i >= 0; i-- {
		if p := &k.past[i]; p.met == r.met && p.limit == r.limit {
			p.requests += r.requests
			p.last = max(p.last, r.last)
			return
		}
	}
}

// refusalKey is a row of account.refusal.
type refusalKey struct {
	account ident.AccountID
	key     ident.KeyID
	met     met
	limit   int
	minute  int64
}

// takeRefusals moves the refusals of a key into the batch.
func (b *batch) takeRefusals(a *account, k *keyUse) {
	if k.refused == nil {
		return
	}
	for i := range k.refused.now {
		b.addRefusal(a, k, &k.refused.now[i])
		k.refused.now[i] = refused{}
	}
	for i := range k.refused.past {
		b.addRefusal(a, k, &k.refused.past[i])
	}
	k.refused.past = nil
}

func (b *batch) addRefusal(a *account, k *keyUse, r *refused) {
	if r.requests == 0 {
		return
	}
	row := refusalKey{a.id, k.key, r.met, min(r.limit, math.MaxInt32), r.minute()}
	sum, ok := b.refusals[row]
	if !ok {
		b.refusals[row] = *r
		return
	}
	sum.first, sum.last = min(sum.first, r.first), max(sum.last, r.last)
	sum.requests += r.requests
	b.refusals[row] = sum
}

//go:embed refusal_add.sql
var refusalAdd string

func addRefusals(ctx context.Context, tx pgx.Tx, b *batch) error {
	if len(b.refusals) == 0 {
		return nil
	}
	var (
		accounts, keys, minutes, firsts, lasts, requests []int64
		names                                            []string
		limits                                           []int32
	)
	for k, r := range b.refusals {
		accounts, keys, minutes = append(accounts, int64(k.account)), append(keys, int64(k.key)), append(minutes, k.minute)
		firsts, lasts, requests = append(firsts, r.first), append(lasts, r.last), append(requests, r.requests)
		names, limits = append(names, metNames[k.met]), append(limits, int32(k.limit))
	}
	_, err := tx.Exec(ctx, refusalAdd, accounts, keys, names, limits, minutes, firsts, lasts, requests)
	return err
}
