package meter

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"arpent/app/base/clientip"
	"arpent/app/base/clock"
)

const (
	// AnonymousPerMinute is how many requests without a valid key one address may make.
	AnonymousPerMinute = 30

	anonymousShards   = 16
	addressesPerShard = 4096 // addresses remembered in each: 65 536 in all, about 30 MiB when all of them hammer
	overflowBuckets   = 256  // windows in each that the others share
	addressesToScan   = 8    // looked at when a place is wanted
)

// AnonymousLimiter limits requests without a valid key by client address. An IPv6 network of 64 bits counts as one address:
// anybody has a whole one. Memory is bounded, and an address that is remembered is only forgotten once its minute
// has passed: flooding the table with addresses gives nobody a fresh count. Addresses that find no place share a
// few windows.
type AnonymousLimiter struct {
	clock  clock.Clock
	start  time.Time
	seed   maphash.Seed
	shared *shared // nil: counted here alone
	shards [anonymousShards]anonymousShard
}

type anonymousShard struct {
	mu       sync.Mutex
	known    map[netip.Addr]*anonymousWindow
	overflow [overflowBuckets]anonymousWindow
}

type anonymousWindow struct {
	Window
	shutUntil int64 // the shared store rejects until then
}

// NewAnonymousLimiter makes the limiter.
func NewAnonymousLimiter(c clock.Clock) *AnonymousLimiter {
	s := &AnonymousLimiter{clock: c, start: c.Now(), seed: maphash.MakeSeed()}
	for i := range s.shards {
		s.shards[i].known = map[netip.Addr]*anonymousWindow{}
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

// Admit decides on a request from an address. It never holds a request back: Wait is 0 when it is admitted, and
// otherwise how long the caller is to stay away.
func (s *AnonymousLimiter) Admit(address netip.Addr) Passage {
	now := s.clock.Now().Sub(s.start).Microseconds()
	who := clientip.Network(address).Addr()
	hash := maphash.Comparable(s.seed, who)
	shard := &s.shards[hash%anonymousShards]
	p, own := shard.admit(who, hash/anonymousShards, now)
	if !p.Admitted || !own || s.shared == nil || !who.IsValid() {
		return p
	}
	c, err := s.shared.decideAnonymous(who)
	if err != nil {
		return p
	}
	ans := &c.answer
	p.Remaining, p.Reset = ans.remaining, ans.reset
	if ans.refusal != None {
		p.Admitted, p.Wait, p.Met = false, ans.wait, ans.met
		shard.refused(who, now, ans.wait)
	}
	return p
}

// admit decides with what is known here, and reports whether the address is counted on its own.
func (s *anonymousShard) admit(who netip.Addr, hash uint64, now int64) (p Passage, own bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, own := s.window(who, hash, now)
	if wait := w.shutUntil - now; wait > 0 && wait <= span.Microseconds() {
		return Passage{Wait: micros(wait), Reset: micros(wait), Met: AnonymousPerMinute}, own
	}
	return w.decide(now, Limit{PerMinute: AnonymousPerMinute}, 1), own
}

// refused takes back an admission that the shared store refused, and remembers until when it refuses.
func (s *anonymousShard) refused(who netip.Addr, at int64, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.known[who]; w != nil {
		w.withdraw(at, 1)
		w.shutUntil = at + wait.Microseconds()
	}
}

func (s *anonymousShard) window(who netip.Addr, hash uint64, now int64) (w *anonymousWindow, own bool) {
	if w := s.known[who]; w != nil {
		return w, true
	}
	if len(s.known) >= addressesPerShard && !s.makeRoom(now) {
		return &s.overflow[hash%overflowBuckets], false
	}
	w = &anonymousWindow{}
	s.known[who] = w
	return w, true
}

// makeRoom looks at a few addresses, in the random order of a map, and forgets those that are silent for a minute.
// It looks at few, so that a flood of new addresses does not make everybody wait.
func (s *anonymousShard) makeRoom(now int64) bool {
	looked, freed := 0, false
	for a, w := range s.known {
		if w.forget(now, 0); w.count == 0 && w.shutUntil <= now {
			delete(s.known, a)
			freed = true
		}
		if looked++; looked == addressesToScan {
			break
		}
	}
	return freed
}
