package tile

import (
	"net/netip"
	"testing"
	"time"
)

// What tests say of tiles holds however long a busy machine takes to make them.
func init() { makeTimeout, waitTimeout, areasTimeout = time.Hour, time.Hour, time.Hour }

// HoldSlot takes a slot for a client, as a tile of the plan does that takes long to make.
func (m *Maker) HoldSlot(t *testing.T, client netip.Addr) (release func()) {
	t.Helper()
	return m.plan.hold(t, client)
}

// HoldAreas takes a slot for a client, as a tile of areas does that takes long to make.
func (m *Maker) HoldAreas(t *testing.T, client netip.Addr) (release func()) {
	t.Helper()
	return m.areas.hold(t, client)
}

func (l limits) hold(t *testing.T, client netip.Addr) (release func()) {
	t.Helper()
	release, err := l.slots.Take(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return release
}
