package budget

import (
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"arpent/app/base/clientip"
	"arpent/app/base/clock"
)

// ClientOptions are the parameters of NewClients.
type ClientOptions struct {
	Clock clock.Clock
	Every time.Duration // after which a client gets one more turn
	Burst int           // turns of a client that comes for the first time, and the most that it ever has
	Known int           // clients that are remembered, some 300 bytes each: the latest
}

// Clients are the turns that each client has, a network of 64 bits counting as one. They are safe for concurrent use.
type Clients struct {
	o     ClientOptions
	mu    sync.Mutex
	known *simplelru.LRU[netip.Prefix, *rate.Limiter]
}

// NewClients returns turns none of which is taken.
func NewClients(o ClientOptions) *Clients {
	known, err := simplelru.NewLRU[netip.Prefix, *rate.Limiter](o.Known, nil)
	if err != nil {
		panic(err) // the number is a constant of the caller
	}
	return &Clients{o: o, known: known}
}

// Take takes a turn of the client, to be given back if it serves nothing, or returns how long to wait for one.
func (c *Clients) Take(client netip.Addr) (giveBack func(), wait time.Duration) {
	who := clientip.Network(client)
	c.mu.Lock()
	own, known := c.known.Get(who)
	if !known {
		own = rate.NewLimiter(rate.Every(c.o.Every), c.o.Burst)
		c.known.Add(who, own)
	}
	c.mu.Unlock()
	return Take(own, c.o.Clock.Now())
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
