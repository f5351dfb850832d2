package meter

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"arpent/app/base/clientip"
	"arpent/app/base/clock"
	"arpent/billing/meter/shared"
	"arpent/billing/meter/window"
)

const (
	// AnonymousPerMinute is how many requests without a valid key one address may make.
	AnonymousPerMinute = 30

	anonymousShards   = 16
	addressesPerShard = 4096 // networks remembered in each: 65 536 in all, about 30 MiB when all of them hammer
	overflowBuckets   = 256  // windows in each that the others share
	addressesToScan   = 8    // looked at when a place is wanted
)

// AnonymousLimiter limits requests without a valid key by client address. An IPv6 network of 64 bits counts as one address,
// and wider networks have a few times as many requests: see clientip.Buckets. Those are counted by each instance alone. Memory is bounded, and an address that is remembered is only forgotten once its minute
// has passed: flooding the table with addresses gives nobody a fresh count. Addresses that find no place share a
// few windows.
type AnonymousLimiter struct {
	clock  clock.Clock
	start  time.Time
	seed   maphash.Seed
	shared *shared.Store // nil: counted here alone
	shards [anonymousShards]anonymousShard
}

type anonymousShard struct {
	mu       sync.Mutex
	known    map[netip.Prefix]*anonymousWindow
	overflow [overflowBuckets]anonymousWindow
}

type anonymousWindow struct {
	window.Window
	shutUntil int64 // the shared store rejects until then
}

// NewAnonymousLimiter makes the limiter.
func NewAnonymousLimiter(c clock.Clock) *AnonymousLimiter {
	s := &AnonymousLimiter{clock: c, start: c.Now(), seed: maphash.MakeSeed()}
	for i := range s.shards {
		s.shards[i].known = map[netip.Prefix]*anonymousWindow{}
	}
	return s
}

// NewAnonymousLimiter makes a limiter that shares its counts with other instances where m does. Addresses that find no place
// of their own are counted here alone, and so are all while the shared store is slow or lost.
func (m *Meter) NewAnonymousLimiter() *AnonymousLimiter {
	s := NewAnonymousLimiter(m.clock)
	s.shared = m.shared
	return s
}

// Admit decides on a request from an address. It never holds a request back: Wait is 0. The decision does not go back to
// Done.
func (s *AnonymousLimiter) Admit(address netip.Addr) Decision {
	now := s.clock.Now().Sub(s.start).Microseconds()
	var array [3]clientip.Bucket
	buckets := clientip.AppendBuckets(array[:0], address)
	v, shard, own := s.admitIn(buckets[0], now)
	for i := 1; v.Admitted() && i < len(buckets); i++ {
		if wider, _, _ := s.admitIn(buckets[i], now); !wider.Admitted() {
			v = wider
		}
	}
	v.Limit = AnonymousPerMinute
	who := buckets[0].Network.Addr()
	if !v.Admitted() || !own || s.shared == nil || !who.IsValid() {
		return v
	}
	c, err := s.shared.Decide(shared.Request{Address: who, PerMinute: AnonymousPerMinute})
	if err != nil {
		return v
	}
	ans := &c.Answer
	v.Remaining, v.ResetAfter = ans.Remaining, ans.Reset
	if !ans.Admitted() {
		v.Rejection, v.RetryAfter, v.Met = Minute, ans.Wait, ans.Met
		shard.rejected(buckets[0].Network, now, ans.Wait)
	}
	return v
}

// admitIn counts a request in one of the networks that it comes from.
func (s *AnonymousLimiter) admitIn(b clientip.Bucket, now int64) (v Decision, shard *anonymousShard, own bool) {
	hash := maphash.Comparable(s.seed, b.Network)
	shard = &s.shards[hash%anonymousShards]
	v, own = shard.admit(b, hash/anonymousShards, now)
	return v, shard, own
}

// admit decides with what is known here, and reports whether the network is counted on its own.
func (s *anonymousShard) admit(b clientip.Bucket, hash uint64, now int64) (v Decision, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, own := s.window(b.Network, hash, now)
	perMinute := AnonymousPerMinute * b.Times
	if wait := w.shutUntil - now; wait > 0 && wait <= window.Span.Microseconds() {
		v.take(window.Decision{Wait: window.Micros(wait), Reset: window.Micros(wait), Met: perMinute})
	} else {
		v.take(w.Decide(now, window.Limit{PerMinute: perMinute}, 1))
	}
	return v, own
}

// rejected takes back an admission that the shared store rejected, and remembers until when it rejects.
func (s *anonymousShard) rejected(who netip.Prefix, at int64, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.known[who]; w != nil {
		w.Withdraw(at, 1)
		w.shutUntil = at + wait.Microseconds()
	}
}

func (s *anonymousShard) window(who netip.Prefix, hash uint64, now int64) (w *anonymousWindow, own bool) {
	if w := s.known[who]; w != nil {
		return w, true
	}
	if len(s.known) >= addressesPerShard && !s.evict(now) {
		return &s.overflow[hash%overflowBuckets], false
	}
	w = &anonymousWindow{}
	s.known[who] = w
	return w, true
}

// evict looks at a few addresses, in the random order of a map, and forgets those that are silent for a minute.
// It looks at few, so that a flood of new addresses does not make everybody wait.
func (s *anonymousShard) evict(now int64) bool {
	looked, freed := 0, false
	for a, w := range s.known {
		if w.Count(now, 0) == 0 && w.shutUntil <= now {
			delete(s.known, a)
			freed = true
		}
		if looked++; looked == addressesToScan {
			break
		}
	}
	return freed
}
