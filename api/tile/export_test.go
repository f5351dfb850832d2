package tile

import (
	"net/netip"
	"testing"
	"time"
)

// What tests say of tiles holds however long a busy machine takes to make them.
func init() { makeTimeout, waitTimeout, areasTimeout = time.Hour, time.Hour, time.Hour }

// HoldSlot takes a slot for a client, as a tile does that takes long to make.
func (m *Maker) HoldSlot(t *testing.T, client netip.Addr) (release func()) {
	t.Helper()
	release, err := m.slots.Take(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return release
}
