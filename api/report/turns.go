package report

import (
	"context"
	"sync/atomic"
)

// turns shares the connections out. Half of them draw reports, a report each. The other half helps those reports along,
// but only while no other report waits: alone, a report is as fast as the machine allows; when many are asked for, half
// of what they could take is left to the other operations, which share the machine with them.
type turns struct {
	reports chan struct{}
	helpers chan struct{}
	waiting *atomic.Int64
}

func newTurns(conns int) turns {
	reports := max(1, conns/2)
	return turns{reports: make(chan struct{}, reports), helpers: make(chan struct{}, max(0, conns-reports)), waiting: new(atomic.Int64)}
}

// take waits for the turn of a report.
func (t turns) take(ctx context.Context) (give func(), err error) {
	give = func() { <-t.reports }
	select {
	case t.reports <- struct{}{}:
		return give, nil
	default: // only who has to wait sends the helpers away
	}
	t.waiting.Add(1)
	defer t.waiting.Add(-1)
	select {
	case t.reports <- struct{}{}:
		return give, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// help gives a turn for a helper; false when there is none to spare.
func (t turns) help() (give func(), ok bool) {
	if t.waiting.Load() > 0 {
		return nil, false
	}
	select {
	case t.helpers <- struct{}{}:
		return func() { <-t.helpers }, true
	default:
		return nil, false
	}
}

// crowded tells a helper that it had better leave.
func (t turns) crowded() bool { return t.waiting.Load() > 0 }
