package budget

import (
	"context"
	"net/netip"
	"sync"

	"golang.org/x/sync/semaphore"

	"arpent/internal/clientip"
)

// Groups limit how many pieces of work of one group run at the same time. It is safe for concurrent use.
type Groups[K comparable] struct {
	limit int64
	mu    sync.Mutex
	slots map[K]*groupSlots // of the groups that hold a slot or wait for one
}

type groupSlots struct {
	free  *semaphore.Weighted
	users int // that hold a slot or wait for one
}

// NewGroups returns groups of which each has n free slots.
func NewGroups[K comparable](n int) *Groups[K] {
	return &Groups[K]{limit: int64(n), slots: map[K]*groupSlots{}}
}

// Take takes a slot of a group. When none is free it waits for one until ctx ends, and then returns the error
// of ctx. The caller calls release once its work has ended.
func (g *Groups[K]) Take(ctx context.Context, group K) (release func(), err error) {
	g.mu.Lock()
	own := g.slots[group]
	if own == nil {
		own = &groupSlots{free: semaphore.NewWeighted(g.limit)}
		g.slots[group] = own
	}
	own.users++
	g.mu.Unlock()
	leave := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(g.slots, group)
		}
	}
	if err := acquireOne(ctx, own.free); err != nil {
		leave()
		return nil, err
	}
	return func() { own.free.Release(1); leave() }, nil
}

// acquireOne takes one of a semaphore. One that is free is taken even if ctx has ended, as it may have on a
// busy machine.
func acquireOne(ctx context.Context, of *semaphore.Weighted) error {
	if of.TryAcquire(1) {
		return nil
	}
	return of.Acquire(ctx, 1)
}

// Slots limit how many pieces of work run at the same time. One network, an IPv4 /24 or an IPv6 /48, which
// is the widest that one subscriber has, holds half of the slots at most, and its requests wait in a queue
// of their own, so that those of another network find a slot. It is safe for concurrent use.
type Slots struct {
	all      *semaphore.Weighted
	networks *Groups[netip.Prefix]
}

// NewSlots returns n free slots. It panics if n is below 2, which cannot be halved.
func NewSlots(n int) *Slots {
	if n < 2 {
		panic("budget: fewer than two slots cannot be shared between networks")
	}
	return &Slots{all: semaphore.NewWeighted(int64(n)), networks: NewGroups[netip.Prefix](n / 2)}
}

// Take takes a slot for a client, as Groups.Take does.
func (s *Slots) Take(ctx context.Context, client netip.Addr) (release func(), err error) {
	leave, err := s.networks.Take(ctx, clientip.Widest(client))
	if err != nil {
		return nil, err
	}
	if err := acquireOne(ctx, s.all); err != nil {
		leave()
		return nil, err
	}
	return func() { s.all.Release(1); leave() }, nil
}
