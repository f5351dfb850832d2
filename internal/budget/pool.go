package budget

import (
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"arpent/internal/clientip"
	"arpent/internal/clock"
)

// shareOfNetwork is the part of what all clients have together that one network may take.
const shareOfNetwork = 0.25

// knownNetworks is how many networks a pool remembers, the latest.
const knownNetworks = 8192

// Pool is a number of turns that all clients have together. One network, of the widest kind
// that a subscriber has, gets a quarter of them at most, so that it cannot take those of
// all others. It is safe for concurrent use.
type Pool struct {
	clock clock.Clock
	all   *rate.Limiter
	known *recent[*rate.Limiter]
}

// NewPool returns a pool that gives so many turns a second, and burst of them at once.
func NewPool(c clock.Clock, perSecond float64, burst int) *Pool {
	return &Pool{clock: c, all: rate.NewLimiter(rate.Limit(perSecond), burst),
		known: newRecent[*rate.Limiter](knownNetworks)}
}

// Take takes a turn, to be given back if it serves nothing, or returns how long to wait for one, and whether
// that is because of what this network took.
func (p *Pool) Take(client netip.Addr) (giveBack func(), wait time.Duration, own bool) {
	now := p.clock.Now()
	mine, wait := Take(p.known.findOrMake(clientip.Widest(client), func() *rate.Limiter {
		return rate.NewLimiter(p.all.Limit()*shareOfNetwork, max(1, int(float64(p.all.Burst())*shareOfNetwork)))
	}), now)
	if wait > 0 {
		return mine, wait, true
	}
	total, wait := Take(p.all, now)
	if wait > 0 {
		mine()
		return mine, wait, false
	}
	return func() { total(); mine() }, 0, false
}

// Shared is a Budget of all clients of which one network spends a
// quarter at most. It is safe for concurrent use.
type Shared struct {
	o     Options
	all   *Budget
	known *recent[*Budget]
}

// NewShared returns a full budget.
func NewShared(o Options) *Shared {
	return &Shared{o: o, all: New(o), known: newRecent[*Budget](knownNetworks)}
}

// Wait is how long it takes until there is something left for a client; 0: work may begin.
func (s *Shared) Wait(client netip.Addr) time.Duration {
	return max(s.ofNetwork(client).Wait(), s.all.Wait())
}

// Spend takes what a piece of work for a client took.
func (s *Shared) Spend(client netip.Addr, took time.Duration) {
	s.ofNetwork(client).Spend(took)
	s.all.Spend(took)
}

func (s *Shared) ofNetwork(client netip.Addr) *Budget {
	return s.known.findOrMake(clientip.Widest(client), func() *Budget {
		return New(Options{Clock: s.o.Clock, Share: s.o.Share * shareOfNetwork,
			Reserve: time.Duration(float64(s.o.Reserve) * shareOfNetwork)})
	})
}
