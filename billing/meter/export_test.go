package meter

import (
	"context"
	"time"

	"arpent/billing/meter/shared"
)

// FlushUnacknowledged writes the counts and then forgets that it did, as when the connection breaks
// between the commit and its acknowledgement.
func FlushUnacknowledged(ctx context.Context, m *Meter) error {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	m.ledger.unwritten = m.collectBatch()
	_, err := m.ledger.writeCounts(ctx, m.ledger.unwritten)
	return err
}

// The tests that need the count of an account wait for it as long as
// it takes: a busy machine changes no answer.
func init() { readTimeout = time.Hour }

// Connect has m reach the store, however often it takes. It is called
// before Load, which then reads what holds.
func Connect(ctx context.Context, m *Meter) {
	for m.shared != nil && !m.shared.Up() && ctx.Err() == nil {
		m.shared.Connect(ctx)
	}
}

// Timing sets how long the shared store is waited for. It is called before Load.
func Timing(m *Meter, t shared.Timing) {
	if m.shared != nil {
		m.shared.Timing = t
	}
}

// Release gives back the memory of sleeping accounts, as Run does once a minute.
func Release(m *Meter) { m.releaseShards() }

// Instances is how many share the limits, as far as m knows.
func Instances(m *Meter) int { return m.shared.Instances() }

// Reconciled reports whether PostgreSQL has what was admitted without the store.
func Reconciled(m *Meter) bool { return time.Since(m.shared.Changed()) >= reconcileDelay }

// Stalled reports whether m holds its accounts to their share.
func Stalled(m *Meter) bool { return m.shared.Stalled() }
