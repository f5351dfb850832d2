package budget

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
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
	mu    sync.Mutex
	known *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

// NewPool returns a pool that gives so many turns a second, and burst of them at once.
func NewPool(c clock.Clock, perSecond float64, burst int) *Pool {
	return &Pool{clock: c, all: rate.NewLimiter(rate.Limit(perSecond), burst),
		known: newKnown[*rate.Limiter](knownNetworks)}
}

// Take takes a turn, to be given back if it serves nothing, or returns how long to wait for one, and whether
// that is because of what this network took.
func (p *Pool) Take(client netip.Addr) (giveBack func(), wait time.Duration, own bool) {
	now := p.clock.Now()
	mine, wait := Take(p.networkLimiter(client), now)
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

func (p *Pool) networkLimiter(client netip.Addr) *rate.Limiter {
	who := clientip.Widest(client)
	p.mu.Lock()
	defer p.mu.Unlock()
	own, known := p.known.Get(who)
	if !known {
		own = rate.NewLimiter(p.all.Limit()*shareOfNetwork, max(1, int(float64(p.all.Burst())*shareOfNetwork)))
		p.known.Add(who, own)
	}
	return own
}

// Shared is a Budget of all clients of which one network spends a
// quarter at most. It is safe for concurrent use.
type Shared struct {
	o     Options
	all   *Budget
	mu    sync.Mutex
	known *simplelru.LRU[netip.Prefix, *Budget]
}

// NewShared returns a full budget.
func NewShared(o Options) *Shared {
	return &Shared{o: o, all: New(o), known: newKnown[*Budget](knownNetworks)}
}

// Wait is how long it takes until there is something left for a client; 0: work may begin.
func (s *Shared) Wait(client netip.Addr) time.Duration {
	return max(s.networkBudget(client).Wait(), s.all.Wait())
}

// Spend takes what a piece of work for a client took.
func (s *Shared) Spend(client netip.Addr, took time.Duration) {
	s.networkBudget(client).Spend(took)
	s.all.Spend(took)
}

func (s *Shared) networkBudget(client netip.Addr) *Budget {
	who := clientip.Widest(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	own, known := s.known.Get(who)
	if !known {
		own = New(Options{Clock: s.o.Clock, Share: s.o.Share * shareOfNetwork,
			Reserve: time.Duration(float64(s.o.Reserve) * shareOfNetwork)})
		s.known.Add(who, own)
	}
	return own
}
