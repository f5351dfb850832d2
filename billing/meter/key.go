package meter

import "arpent/internal/ident"

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

// keyDay is what a key has used of the day that its account is in. All keys count what is pending; the rest
// is known once the key was seen with a cap.
type keyDay struct {
	capped bool // the key was seen with a cap
	dayCount
}

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
