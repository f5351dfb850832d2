package meter

import "time"

// State is the meter's health, for the operator.
type State struct {
	SharedUp     bool      // limits are shared with other instances; false without Redis too
	Accounts     int       // in memory
	LastFlush    time.Time // that succeeded; before the first one, when the meter was made
	Unwritten    int       // answers counted in memory alone: a crash would lose them
	FlushFailing bool      // the last flush failed
}

// State returns how the meter is doing. It waits for no database.
func (m *Meter) State() State {
	st := State{
		SharedUp:     m.shared != nil && m.shared.Up(),
		LastFlush:    time.Unix(0, m.lastFlush.Load()),
		FlushFailing: m.flushFailing.Load(),
		Unwritten:    int(m.unwritten.Load()),
	}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		st.Accounts += len(s.accounts)
		for _, a := range s.dirty {
			for _, k := range a.keys {
				st.Unwritten += int(k.requests)
			}
		}
		s.mu.Unlock()
	}
	return st
}
