package stats

import (
	"path/filepath"
	"slices"
	"testing"

	"arpent/api/source"
	"arpent/app/base/snapshot"
)

// SnapshotOf renders all of the data.
func SnapshotOf(t *testing.T, d *Data) *Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "statistics")
	if err := snapshot.Write(path, format, "test", func(w *snapshot.Writer) error { return d.write(t.Context(), w) }); err != nil {
		t.Fatal(err)
	}
	f, err := snapshot.Open(path, format)
	if err != nil {
		t.Fatal(err)
	}
	s, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BreakBlock makes a key of one territory panic until the test ends.
func BreakBlock(t *testing.T, c *Catalogue, level Level, key, code string) {
	t.Helper()
	i := slices.IndexFunc(c.blocks[level], func(b Block) bool { return b.key == key })
	if i < 0 {
		t.Fatalf("%s has no key %s", level, key)
	}
	whole := c.blocks[level][i]
	c.blocks[level][i].make = func(d *Data, of *Territory) (any, *Origin) {
		if of.Code == code {
			panic("broken for a test")
		}
		return whole.make(d, of)
	}
	t.Cleanup(func() { c.blocks[level][i] = whole })
}

// FoldAll writes bodies with one dictionary.
func FoldAll(bodies [][]byte) (folded [][]byte, phrases []string) {
	p := newPhrasebook()
	for _, b := range bodies {
		folded = append(folded, slices.Clone(p.fold(b)))
	}
	return folded, p.phrases
}

// Unfold appends a body as it was.
func Unfold(dst, folded []byte, phrases []string) []byte { return unfold(dst, folded, phrases) }

// Measures are all that a source may fill, by name.
func (c *Catalogue) Measures() map[string]source.Measure { return c.measures }
