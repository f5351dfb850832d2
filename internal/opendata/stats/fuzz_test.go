package stats_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"arpent/app/dev/snapshotkit"
	"arpent/internal/opendata/stats"
)

// A file whose checksums are right and whose content is not is refused, or what is read of
// it ends: with a body of the length that was announced, or with a panic that costs one
// request. Neither takes memory without a limit.
func FuzzContent(f *testing.F) {
	bodies := map[string][]byte{}
	for n := range 60 { // often enough for phrases
		bodies[fmt.Sprintf("93%03d", n)] = fmt.Appendf(nil, `{"population":{"source":"what all of them have","value":%d,"density":%d.5},"states":{"population":"known"}}`, n, n*7)
	}
	path := filepath.Join(f.TempDir(), "statistics.book")
	if err := stats.WriteBodies(path, bodies); err != nil {
		f.Fatal(err)
	}
	sections := snapshotkit.Read(f, path)
	f.Add([]byte{})
	for at := range byte(64) {
		f.Add([]byte{0, 0, at, 12, 0xff, 0, 0, 0})
		f.Add([]byte{0, 5, at, 12, 0xff, 20, 0, 0})
		f.Add([]byte{1, 0, at, 1, '9', 0, 0, 0})
		f.Add([]byte{1, 4, at, 1, '9', 3, 0, 0})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		s := stats.New(nil, sections.WriteChanged(t, "statistics.book", stats.Format, edits), &stats.Catalogue{})
		const limit = 32 << 20
		snapshotkit.CheckAllocation(t, "opening", limit, func() {
			if err := s.Open(); err != nil {
				t.Error(err)
			}
		})
		x := s.Snapshot()
		if x == nil {
			return
		}
		x.Coverage(stats.Commune)
		x.Sources()
		for code, want := range bodies {
			snapshotkit.CheckAllocation(t, code, limit, snapshotkit.Recovered(func() {
				body, ok := x.Of(stats.Commune, code)
				if !ok {
					return
				}
				got := body.Append([]byte("before"))
				if len(got) != len("before")+body.Len() {
					t.Errorf("%s: %d bytes, announced %d", code, len(got)-len("before"), body.Len())
				}
				if len(edits) < 8 && !bytes.Equal(got[len("before"):], want) {
					t.Errorf("%s: %s, want %s", code, got, want)
				}
			}))
		}
	})
}
