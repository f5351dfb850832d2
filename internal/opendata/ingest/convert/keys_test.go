package convert_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/convert"
)

// Keys are only taken for unique where they are, however many hashes are kept: of two parcels with one
// reference one is served.
func TestUniqueKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys    string // "-": the row has none
		maxKeys int
		want    bool
	}{
		{"a b c", 0, true},
		{"a b b", 9, false},
		{"a c b", 9, true},
		{"a c b", 3, true},
		{"a c b", 2, false}, // not known: the database looks
		{"c a b c", 9, false},
		{"a b c a", 2, false},
		{"a - b", 9, false},
	} {
		w := convert.NewKeyWatch(1, tc.maxKeys)
		for _, key := range strings.Fields(tc.keys) {
			row := []any{0, key}
			if key == "-" {
				row[1] = nil
			}
			w.AddRow(row)
		}
		if got := w.HasUniqueKeys(); got != tc.want {
			t.Errorf("%s, %d kept: %v", tc.keys, tc.maxKeys, got)
		}
	}
	if w := convert.NewKeyWatch(-1, 9); w.HasUniqueKeys() {
		t.Error("keys that the database computes are taken for unique")
	}
}
