package landing

import (
	"context"
	"net/netip"
	"time"

	"arpent/billing"
	"arpent/internal/budget"
	"arpent/internal/clock"
)

// limits limit what reports for visitors without a key can cost. One client gets at once what the free plan
// gives in a minute or two, and over a day what it gives in a day: a client that wants more has an account
// for nothing. All clients together get one a second, and never more than two at a time: however many
// addresses a hostile client has, this is what it can make this page cost, and the callers of the API have
// the rest. One network gets a quarter of them at most, and of the reports at a time half.
type limits struct {
	clients *budget.Clients
	all     *budget.Pool
	running *budget.Slots
}

const (
	knownClients = 8192 // remembered, the latest; all of them are held to the limits of all
	allPerSecond = 1
	allBurst     = 20
	maxRunning   = 2
	busyRetry    = 5 * time.Second
)

// slotTimeout is how long a visitor waits for the reports of others. Tests alone change it.
var slotTimeout = time.Second

func newLimits(c clock.Clock) *limits {
	free, _ := billing.Find(billing.Free)
	return &limits{
		running: budget.NewSlots(maxRunning),
		clients: budget.NewClients(budget.ClientOptions{Clock: c,
			Every: 24 * time.Hour / time.Duration(free.PerDay),
			Burst: 2 * free.PerMinute, Known: knownClients}),
		all: budget.NewPool(c, allPerSecond, allBurst),
	}
}

// takeSlot admits one more report, to be released when it is made.
func (l *limits) takeSlot(ctx context.Context, client netip.Addr) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	if release, err = l.running.Take(ctx, client); err != nil {
		return nil, &Limited{Wait: busyRetry}
	}
	giveBack, wait := l.clients.Take(client)
	if wait > 0 {
		release()
		return nil, &Limited{Own: true, Wait: wait}
	}
	if _, wait, own := l.all.Take(client); wait > 0 {
		giveBack()
		release()
		return nil, &Limited{Own: own, Wait: wait}
	}
	return release, nil
}
