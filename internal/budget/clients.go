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

// ClientOptions are the parameters of NewClients.
type ClientOptions struct {
	Clock clock.Clock
	Every time.Duration // after which a client gets one more turn
	Burst int           // turns of a client that comes for the first time, and the most that it ever has
	// clients that are remembered, some 300 bytes for each of up to three networks: the latest
	Known int
}

// Clients are the turns that each client has. Wider networks have a few times as many, all of their clients
// together: see clientip.Buckets. They are safe for concurrent use.
type Clients struct {
	o     ClientOptions
	known *recent[*rate.Limiter]
}

// recent remembers a value of each network, of those that came last. It is safe for concurrent use.
type recent[V any] struct {
	mu    sync.Mutex
	known *simplelru.LRU[netip.Prefix, V]
}

func newRecent[V any](size int) *recent[V] {
	known, err := simplelru.NewLRU[netip.Prefix, V](size, nil)
	if err != nil {
		panic(err) // the number is a constant of the caller
	}
	return &recent[V]{known: known}
}

// findOrMake returns the value of a network, which it makes for a new one.
func (r *recent[V]) findOrMake(network netip.Prefix, makeValue func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, known := r.known.Get(network)
	if !known {
		v = makeValue()
		r.known.Add(network, v)
	}
	return v
}

// NewClients returns turns none of which is taken.
func NewClients(o ClientOptions) *Clients {
	return &Clients{o: o, known: newRecent[*rate.Limiter](3 * o.Known)}
}

// Take takes a turn of the client in each of its networks, to be given back if it serves
// nothing, or returns how long to wait for one.
func (c *Clients) Take(client netip.Addr) (giveBack func(), wait time.Duration) {
	var taken []func()
	giveBack = func() {
		for _, one := range taken {
			one()
		}
	}
	now := c.o.Clock.Now()
	for _, b := range clientip.Buckets(client) {
		one, wait := Take(c.known.findOrMake(b.Network, func() *rate.Limiter {
			return rate.NewLimiter(rate.Every(c.o.Every/time.Duration(b.Times)), c.o.Burst*b.Times)
		}), now)
		if wait > 0 {
			giveBack()
			return giveBack, wait
		}
		taken = append(taken, one)
	}
	return giveBack, 0
}

// Take takes one of what a limiter gives, or returns how long to wait for it. It never waits.
func Take(l *rate.Limiter, now time.Time) (giveBack func(), wait time.Duration) {
	taken := l.ReserveN(now, 1)
	giveBack = func() { taken.CancelAt(now) }
	if wait = taken.DelayFrom(now); wait > 0 {
		giveBack()
	}
	return giveBack, wait
}
