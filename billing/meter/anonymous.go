package meter

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"arpent/billing/meter/shared"
	"arpent/internal/clientip"
	"arpent/internal/clock"
)

const (
	// AnonymousPerMinute is how many requests without a valid key one address may make.
	AnonymousPerMinute = 30

	anonymousShards   = 16
	addressesPerShard = 4096 // networks remembered in each: 65 536 in all, about 30 MiB when all of them hammer
	overflowBuckets   = 256  // windows in each that the others share
	addressesToScan   = 8    // looked at when a place is wanted
)

// AnonymousLimiter limits requests without a valid key by client address. An IPv6 network of 64 bits
// counts as one address, and wider networks have a few times as many requests: see clientip.Buckets. Those
// are counted by each instance alone. Memory is bounded, and an address that is remembered is only
// forgotten once its minute has passed: flooding the table with addresses does not reset a count.
// Addresses that find no place share a few windows.
type AnonymousLimiter struct {
	clock  clock.Clock
	start  time.Time
	seed   maphash.Seed
	shared *shared.Store // nil: counted here alone
	shards [anonymousShards]anonymousShard
}

type anonymousShard struct {
	mu       sync.Mutex
	windows  map[netip.Prefix]*anonymousWindow
	overflow [overflowBuckets]anonymousWindow
}

type anonymousWindow struct {
	shared.Window
	rejectUntil int64 // the shared store rejects until then
}

// NewAnonymousLimiter makes the limiter.
func NewAnonymousLimiter(c clock.Clock) *AnonymousLimiter {
	s := &AnonymousLimiter{clock: c, start: c.Now(), seed: maphash.MakeSeed()}
	for i := range s.shards {
		s.shards[i].windows = map[netip.Prefix]*anonymousWindow{}
	}
	return s
}

// NewAnonymousLimiter makes a limiter that shares its counts with other instances where
// m does. Addresses that find no place of their own are counted here alone, and so are
// all while the shared store is slow or lost.
func (m *Meter) NewAnonymousLimiter() *AnonymousLimiter {
	s := NewAnonymousLimiter(m.clock)
	s.shared = m.shared
	return s
}

// Admit decides on a request from an address. It never holds a request back: Wait
// is 0. The decision does not go back to Done.
func (s *AnonymousLimiter) Admit(address netip.Addr) Decision {
	now := s.clock.Now().Sub(s.start).Microseconds()
	var array [3]clientip.Bucket
	buckets := clientip.AppendBuckets(array[:0], address)
	v, own := s.admitInNetwork(buckets[0], now)
	for i := 1; v.Admitted() && i < len(buckets); i++ {
		if wider, _ := s.admitInNetwork(buckets[i], now); !wider.Admitted() {
			s.withdrawAdmission(buckets[:i], now)
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
		s.withdrawAdmission(buckets, now)
		shard, _ := s.findShard(buckets[0])
		shard.mu.Lock()
		if w := shard.windows[buckets[0].Network]; w != nil {
			w.rejectUntil = now + ans.Wait.Microseconds()
		}
		shard.mu.Unlock()
	}
	return v
}

func (s *AnonymousLimiter) findShard(b clientip.Bucket) (shard *anonymousShard, hash uint64) {
	hash = maphash.Comparable(s.seed, b.Network)
	return &s.shards[hash%anonymousShards], hash / anonymousShards
}

// admitInNetwork counts a request in one of the networks that it comes from, with what is known here, and
// reports whether the network is counted on its own.
func (s *AnonymousLimiter) admitInNetwork(b clientip.Bucket, now int64) (v Decision, own bool) {
	shard, hash := s.findShard(b)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	w, own := shard.findWindow(b.Network, hash, now)
	perMinute := AnonymousPerMinute * b.Times
	if wait := w.rejectUntil - now; wait > 0 && wait <= shared.Span.Microseconds() {
		v.applyWindow(shared.Decision{Wait: shared.Micros(wait), Reset: shared.Micros(wait), Met: perMinute})
	} else {
		v.applyWindow(w.Decide(now, shared.Limit{PerMinute: perMinute}, 1))
	}
	return v, own
}

// withdrawAdmission takes back an admission in the networks that counted it: a wider
// one, or the shared store, rejected the request.
func (s *AnonymousLimiter) withdrawAdmission(buckets []clientip.Bucket, at int64) {
	for _, b := range buckets {
		shard, _ := s.findShard(b)
		shard.mu.Lock()
		if w := shard.windows[b.Network]; w != nil {
			w.Withdraw(at, 1)
		}
		shard.mu.Unlock()
	}
}

func (s *anonymousShard) findWindow(who netip.Prefix, hash uint64, now int64) (w *anonymousWindow, own bool) {
	if w := s.windows[who]; w != nil {
		return w, true
	}
	if len(s.windows) >= addressesPerShard && !s.evictIdle(now) {
		return &s.overflow[hash%overflowBuckets], false
	}
	w = &anonymousWindow{}
	s.windows[who] = w
	return w, true
}

// evictIdle looks at a few addresses, in the random order of a map, and forgets those that are silent for a
// minute. It looks at few, so that a flood of new addresses does not make every request wait.
func (s *anonymousShard) evictIdle(now int64) bool {
	looked, freed := 0, false
	for a, w := range s.windows {
		if w.Count(now, 0) == 0 && w.rejectUntil <= now {
			delete(s.windows, a)
			freed = true
		}
		if looked++; looked == addressesToScan {
			break
		}
	}
	return freed
}
