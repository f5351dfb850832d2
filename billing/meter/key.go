package meter

import (
	"context"
	"fmt"
	"time"

	"arpent/internal/ident"
)

// keyUse counts the answers given to one key since the last flush.
type keyUse struct {
	key      ident.KeyID
	lastUsed int64 // Unix seconds
	requests int64
	tallies  []tally // by operation and status class; nil before the first answer
	hour     int64   // that the tallies are of, Unix seconds of its start
	today    keyDay
	rejected *keyRejections // nil before the first rejection
}

// keyDay is what a key has used of the day that its account is in. It is the sum of four parts, as the
// account's is. All keys count what is pending; the rest is known once the key was seen with a cap.
type keyDay struct {
	capped      bool // the key was seen with a cap
	storedKnown bool // stored was read, or returned by a flush
	readAgainAt int64
	stored      int64
	flushing    int64
	pending     int64
	reserved    int64
	sharedUsed  int64 // as the shared store knew last, and what was admitted here without it
	missed      int   // batches whose total is not known, as the key had no cap when they were gathered
}

func (d *keyDay) countedToday() int64 { return d.stored + d.flushing + d.pending }

// findKeyUse finds the counters of a key. An account has a handful of keys: looking through them beats a map.
func (a *account) findKeyUse(key ident.KeyID) *keyUse {
	for _, k := range a.keys {
		if k.key == key {
			return k
		}
	}
	k := &keyUse{key: key}
	a.keys = append(a.keys, k)
	return k
}

// dayOf names the count of the key's day.
func (k *keyUse) dayOf(a *account) dayKey {
	return dayKey{Account: a.id, Date: a.day.date, Key: k.key}
}

// takeTallies gives each count to add, and forgets it.
func (k *keyUse) takeTallies(a *account, add func(usageKey, tally)) {
	for i, t := range k.tallies {
		if t.requests != 0 {
			add(usageKey{k.dayOf(a), k.hour, uint8(i / statusClasses), uint8(i % statusClasses)}, t)
			k.tallies[i] = tally{}
		}
	}
}

// readUsedByKey is readUsed for a key with a cap.
func (m *Meter) readUsedByKey(ctx context.Context, id ident.AccountID, key ident.KeyID, d *day) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	_, _, _ = m.reads.Do(fmt.Sprintf("%d %d %d", id, key, d.date), func() (any, error) {
		for range 3 { // a batch from before the key had a cap may be written while we read; there is one at most
			if m.readKey(ctx, id, key, d) {
				break
			}
		}
		return nil, nil
	})
}

// readKey reads what a key has used of a day. It reports whether there is nothing more to be read now.
func (m *Meter) readKey(ctx context.Context, id ident.AccountID, key ident.KeyID, d *day) bool {
	s := m.shardOf(id)
	s.mu.Lock()
	before := s.findOrAddAccount(id, d).findKeyUse(key).today.missed
	s.mu.Unlock()
	var used reading
	err := m.ledger.db.QueryRow(ctx, usedOfDayByKey, id, key, int32(d.date), m.ledger.instance).Scan(&used.used,
		&used.batch)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.findOrAddAccount(id, d)
	k := &a.findKeyUse(key).today
	switch {
	case a.day.date != d.date || k.storedKnown: // a flush has read it in the meantime
	case err != nil:
		k.readAgainAt = m.clock.Now().Add(time.Second).UnixMilli()
	case k.missed != before:
		return false
	default:
		k.stored, k.storedKnown = m.ledger.subtractFlushing(k.flushing, used), true
	}
	return true
}

// applyFlushed moves a delta from flushing to stored. The total also holds what other
// instances wrote. A batch that was gathered before the key had a cap brings none:
// what is being read then may be from before it.
func (d *keyDay) applyFlushed(total int64, known bool) {
	if known {
		d.stored, d.storedKnown = total, true
	} else if d.flushing != 0 {
		d.stored += d.flushing
		d.missed++
	}
	d.flushing = 0
}

const usedOfDayByKey = `
SELECT coalesce(sum(counted), 0)::bigint, coalesce((SELECT batch FROM account.meter_flush WHERE instance = $4), 0)
FROM account.usage WHERE account_id = $1 AND day = DATE '1970-01-01' + $3::int AND key_id = $2`
