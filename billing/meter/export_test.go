package meter

import (
	"context"
	"time"
)

// FlushUnacknowledged writes the counts and then forgets that it did, as when the connection breaks between the
// commit and its acknowledgement.
func FlushUnacknowledged(ctx context.Context, m *Meter) error {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	m.ledger.unwritten = m.collect()
	_, err := m.ledger.write(ctx, m.ledger.unwritten)
	return err
}

// Timing sets after how long an exchange with the shared store stalls, and is lost, and how long a request waits for one.
// It is called before Load.
func Timing(m *Meter, slowAfter, giveUp, timeout time.Duration) {
	if m.shared == nil {
		return
	}
	m.shared.slowAfter, m.shared.giveUp, m.shared.timeout = slowAfter, giveUp, timeout
}

// AdmitSource is the script that decides in the shared store.
var AdmitSource = admitSource

// Rest gives back the memory of sleeping accounts, as Run does once a minute.
func Rest(m *Meter) { m.rest() }

// Cell is what the export makes of a text.
var Cell = cell

// Instances is how many share the limits, as far as m knows.
func Instances(m *Meter) int { return m.shared.sharers() }

// Stalled reports whether m holds its accounts to their share.
func Stalled(m *Meter) bool { return m.shared.stalled() }
