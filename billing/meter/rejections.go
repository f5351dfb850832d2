package meter

import (
	_ "embed"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/ident"
)

// maxRejections bounds the rows of a key that wait for a flush. It takes the database to be away for the
// better part of an hour to reach it; what comes then is added to the row that its limit has already.
const maxRejections = 200

// limitKind names the limits that can be met, as they are stored.
type limitKind uint8

const (
	metMinute limitKind = iota
	metEnrichments
	metDay
	metKey
	metKinds
)

var limitKindNames = [metKinds]string{"minute", "enrichments", "day", "key"}

// keyRejections gathers the rejections of a key, so that a client that hammers costs an addition for each,
// and a row for each minute. A crash loses what was gathered since the last flush.
type keyRejections struct {
	now  [metKinds]rejectionCount // of the minute that each limit was met in last
	past []rejectionCount
}

// rejectionCount is requests that met one limit in one minute. Times are Unix seconds.
type rejectionCount struct {
	met         limitKind
	limit       int
	first, last int64
	requests    int64
}

func (r *rejectionCount) startMinute() int64 { return r.first - r.first%60 }

// recordRejection notes a rejection. One that overtook another at the
// turn of a minute counts in the later one.
func (k *keyUse) recordRejection(v *Decision) {
	if k.rejected == nil {
		k.rejected = &keyRejections{}
	}
	which := v.limitMet()
	r := &k.rejected.now[which]
	if r.requests > 0 && r.limit == v.Met && v.seen < r.startMinute()+60 {
		r.requests++
		r.last = max(r.last, v.seen)
		return
	}
	k.rejected.archiveMinute(r)
	*r = rejectionCount{met: which, limit: v.Met, first: v.seen, last: v.seen, requests: 1}
}

// LimitMet names the limit that a rejected request met: minute, enrichments, day (the account's) or key (the
// key's own cap). It is empty where no limit was met.
func (v *Decision) LimitMet() string {
	if v.Admitted() {
		return ""
	}
	return limitKindNames[v.limitMet()]
}

// limitMet is the limit that a rejected request met.
func (v *Decision) limitMet() limitKind {
	switch {
	case v.Rejection == Day:
		return metDay
	case v.Rejection == KeyDay:
		return metKey
	case v.MetEnrichments():
		return metEnrichments
	}
	return metMinute
}

// archiveMinute puts away what was gathered in a minute that is over.
func (k *keyRejections) archiveMinute(r *rejectionCount) {
	if r.requests == 0 {
		return
	}
	if len(k.past) < maxRejections {
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

// rejectionKey is that of a stored row.
type rejectionKey struct {
	account ident.AccountID
	key     ident.KeyID
	met     limitKind
	limit   int
	minute  int64
}

// takeRejections moves the rejections of a key into the batch.
func (b *batch) takeRejections(a *account, k *keyUse) {
	if k.rejected == nil {
		return
	}
	for _, r := range slices.Concat(k.rejected.past, k.rejected.now[:]) {
		if r.requests == 0 {
			continue
		}
		row := rejectionKey{a.id, k.key, r.met, min(r.limit, math.MaxInt32), r.startMinute()}
		if sum, ok := b.rejections[row]; ok {
			r.first, r.last = min(sum.first, r.first), max(sum.last, r.last)
			r.requests += sum.requests
		}
		b.rejections[row] = r
	}
	*k.rejected = keyRejections{}
}

//go:embed rejection_add.sql
var rejectionAdd string

func addRejections(rest *pgx.Batch, b *batch) {
	if len(b.rejections) == 0 {
		return
	}
	var (
		accounts, keys, minutes, firsts, lasts, requests []int64
		names                                            []string
		limits                                           []int32
	)
	for k, r := range b.rejections {
		accounts, keys, minutes = append(accounts, int64(k.account)), append(keys, int64(k.key)),
			append(minutes, k.minute)
		firsts, lasts, requests = append(firsts, r.first), append(lasts, r.last), append(requests, r.requests)
		names, limits = append(names, limitKindNames[k.met]), append(limits, int32(k.limit))
	}
	rest.Queue(rejectionAdd, accounts, keys, names, limits, minutes, firsts, lasts, requests)
}
