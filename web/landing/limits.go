package landing

import (
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"arpent/app/base/clientip"
	"arpent/app/base/clock"
	"arpent/billing"
)

// limits bound what reports for visitors without a key can cost. One client gets at once what the free plan gives in a minute or
// two, and over a day what it gives in a day: whoever wants more has an account for nothing. All clients together get one a
// second, and never more than two at a time: however many addresses a hostile client has, this is what it can make this page
// cost, and the callers of the API have the rest. What is cheap, an address or a drawing, all clients together get twenty a second.
type limits struct {
	clock   clock.Clock
	mu      sync.Mutex
	clients *lru.Cache[netip.Prefix, *rate.Limiter]
	all     *rate.Limiter
	lookUps *rate.Limiter
	running chan struct{}
	every   time.Duration // after which a client gets one more
	burst   int
}

const (
	knownClients = 8192 // remembered, the latest; all of them are held to the limits of all
	allPerSecond = 1
	allBurst     = 20
	atATime      = 2
	lookUpsRate  = 20 // a second
	busyRetry    = 5 * time.Second
)

func newLimits(c clock.Clock) *limits {
	free, _ := billing.Find(billing.Free)
	clients, err := lru.New[netip.Prefix, *rate.Limiter](knownClients)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &limits{clock: c, clients: clients, all: rate.NewLimiter(allPerSecond, allBurst), running: make(chan struct{}, atATime),
		lookUps: rate.NewLimiter(lookUpsRate, 2*lookUpsRate),
		every:   24 * time.Hour / time.Duration(free.PerDay), burst: 2 * free.PerMinute}
}

// take admits one more report, to be released when it is made. It never waits.
func (l *limits) take(client netip.Addr) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.running <- struct{}{}:
	default:
		return nil, &Limited{Wait: busyRetry}
	}
	now := l.clock.Now()
	own := l.client(client).ReserveN(now, 1)
	if wait := own.DelayFrom(now); wait > 0 {
		own.CancelAt(now)
		<-l.running
		return nil, &Limited{Own: true, Wait: wait}
	}
	all := l.all.ReserveN(now, 1)
	if wait := all.DelayFrom(now); wait > 0 {
		all.CancelAt(now)
		own.CancelAt(now)
		<-l.running
		return nil, &Limited{Wait: wait}
	}
	return func() { <-l.running }, nil
}

func (l *limits) client(address netip.Addr) *rate.Limiter {
	who := clientip.Network(address)
	own, known := l.clients.Get(who)
	if !known {
		own = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.clients.Add(who, own)
	}
	return own
}

// lookUp admits one more search of an address, or drawing of a sheet.
func (l *limits) lookUp() error {
	now := l.clock.Now()
	all := l.lookUps.ReserveN(now, 1)
	if wait := all.DelayFrom(now); wait > 0 {
		all.CancelAt(now)
		return &Limited{Wait: wait}
	}
	return nil
}
