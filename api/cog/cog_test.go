package cog_test

import (
	"testing"

	"arpent/api/cog"
)

// Every code leads to what it was set for, and nothing else does.
func TestIndex(t *testing.T) {
	t.Parallel()
	x := cog.NewIndex()
	codes := []string{"01001", "2A004", "2B033", "20004", "29019", "75101", "97411", "99999", "00000", "9B999"}
	for i, code := range codes {
		if !x.Set(code, int32(i)) {
			t.Errorf("%s is no code", code)
		}
	}
	for i, code := range codes {
		if got, ok := x.Find(code); !ok || int(got) != i {
			t.Errorf("%s leads to %d, %v; want %d", code, got, ok, i)
		}
	}
	for _, text := range []string{"", "0100", "010011", "2C004", "A2004", "2A0B4", "01 01", "０1001", "01002", "2A005", "/1001", ":1001"} {
		if got, ok := x.Find(text); ok {
			t.Errorf("%q leads to %d", text, got)
		}
	}
	for _, text := range []string{"", "2C004", "0100/", "010011"} {
		if x.Set(text, 1) {
			t.Errorf("%q is a code", text)
		}
	}
}
