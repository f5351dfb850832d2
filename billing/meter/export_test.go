package meter

import "context"

// FlushUnacknowledged writes the counts and then forgets that it did, as when the connection breaks between the
// commit and its acknowledgement.
func FlushUnacknowledged(ctx context.Context, m *Meter) error {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	m.ledger.unwritten = m.collect()
	_, err := m.ledger.write(ctx, m.ledger.unwritten)
	return err
}

// AdmitSource is the script that decides in the shared store.
var AdmitSource = admitSource

// Rest gives back the memory of sleeping accounts, as Run does once a minute.
func Rest(m *Meter) { m.rest() }

// Cell is what the export makes of a text.
var Cell = cell
