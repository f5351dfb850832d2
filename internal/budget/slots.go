package budget

import (
	"context"
	"net/netip"
	"sync"

	"golang.org/x/sync/semaphore"

	"arpent/internal/clientip"
)

// Slots limit how many pieces of work run at the same time. One network, an IPv4 /24 or an IPv6 /48, which
// is the widest that one subscriber has, holds half of the slots at most, and its requests wait in a queue
// of their own, so that those of another network find a slot. It is safe for concurrent use.
type Slots struct {
	all      *semaphore.Weighted
	half     int64
	mu       sync.Mutex
	networks map[netip.Prefix]*networkSlots // those that hold a slot or wait for one
}

// networkSlots are the slots that one network may hold.
type networkSlots struct {
	free     *semaphore.Weighted
	requests int // that hold a slot or wait for one
}

// NewSlots returns n free slots. It panics if n is below 2, which cannot be halved.
func NewSlots(n int) *Slots {
	if n < 2 {
		panic("budget: fewer than two slots cannot be shared between networks")
	}
	return &Slots{all: semaphore.NewWeighted(int64(n)), half: int64(n / 2),
		networks: map[netip.Prefix]*networkSlots{}}
}

// Take takes a slot for a client. When none is free it waits for one until ctx ends, and then returns the
// error of ctx. The caller calls release once its work has ended.
func (s *Slots) Take(ctx context.Context, client netip.Addr) (release func(), err error) {
	network := clientip.Widest(client)
	own := s.joinNetwork(network)
	if err := acquireOne(ctx, own.free); err != nil {
		s.leaveNetwork(network, own)
		return nil, err
	}
	if err := acquireOne(ctx, s.all); err != nil {
		own.free.Release(1)
		s.leaveNetwork(network, own)
		return nil, err
	}
	return func() {
		s.all.Release(1)
		own.free.Release(1)
		s.leaveNetwork(network, own)
	}, nil
}

// acquireOne takes one of a semaphore. One that is free is taken even if ctx has ended, as it may have on a
// busy machine.
func acquireOne(ctx context.Context, of *semaphore.Weighted) error {
	if of.TryAcquire(1) {
		return nil
	}
	return of.Acquire(ctx, 1)
}

// joinNetwork counts a request of a network, and returns the slots of the network.
func (s *Slots) joinNetwork(network netip.Prefix) *networkSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.networks[network]
	if own == nil {
		own = &networkSlots{free: semaphore.NewWeighted(s.half)}
		s.networks[network] = own
	}
	own.requests++
	return own
}

// leaveNetwork forgets a network with its last request.
func (s *Slots) leaveNetwork(network netip.Prefix, own *networkSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.requests--; own.requests == 0 {
		delete(s.networks, network)
	}
}
