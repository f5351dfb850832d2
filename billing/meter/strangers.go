package meter

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"arpent/app/clock"
)

const (
	// StrangersPerMinute is how many requests without a valid key one address may make.
	StrangersPerMinute = 30

	strangerShards  = 16
	strangersShard  = 4096 // addresses remembered in each: 65 536 in all, about 30 MiB when all of them hammer
	strangersCrowd  = 256  // windows in each that the others share
	strangersToScan = 8    // looked at when a place is wanted
)

// Strangers limits requests without a valid key by client address. An IPv6 network of 64 bits counts as one address:
// anybody has a whole one. Memory is bounded, and an address that is remembered is only forgotten once its minute
// has passed: flooding the table with addresses gives nobody a fresh count. Addresses that find no place share a
// few windows.
type Strangers struct {
	clock  clock.Clock
	start  time.Time
	seed   maphash.Seed
	shards [strangerShards]strangerShard
}

type strangerShard struct {
	mu    sync.Mutex
	known map[netip.Addr]*Window
	crowd [strangersCrowd]Window
}

// NewStrangers makes the limiter.
func NewStrangers(c clock.Clock) *Strangers {
	s := &Strangers{clock: c, start: c.Now(), seed: maphash.MakeSeed()}
	for i := range s.shards {
		s.shards[i].known = map[netip.Addr]*Window{}
	}
	return s
}

// Admit decides on a request from an address. It never holds a request: Wait is 0 when it is admitted, and otherwise
// how long the caller is to stay away.
func (s *Strangers) Admit(address netip.Addr) Passage {
	now := s.clock.Now().Sub(s.start).Microseconds()
	who := network(address)
	hash := maphash.Comparable(s.seed, who)
	shard := &s.shards[hash%strangerShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	w := shard.window(who, hash/strangerShards, now)
	return w.decide(now, Limit{PerMinute: StrangersPerMinute}, 1)
}

// network is what is counted as one stranger.
func network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, _ := a.Prefix(64) // cannot fail: an IPv6 address has 128 bits
		return p.Addr()
	}
	return a
}

func (s *strangerShard) window(who netip.Addr, hash uint64, now int64) *Window {
	if w := s.known[who]; w != nil {
		return w
	}
	if len(s.known) >= strangersShard && !s.makeRoom(now) {
		return &s.crowd[hash%strangersCrowd]
	}
	w := &Window{}
	s.known[who] = w
	return w
}

// makeRoom looks at a few addresses, in the random order of a map, and forgets those that are silent for a minute.
// It looks at few, so that a flood of new addresses does not make everybody wait.
func (s *strangerShard) makeRoom(now int64) bool {
	looked, freed := 0, false
	for a, w := range s.known {
		if w.forget(now, 0); w.count == 0 {
			delete(s.known, a)
			freed = true
		}
		if looked++; looked == strangersToScan {
			break
		}
	}
	return freed
}
