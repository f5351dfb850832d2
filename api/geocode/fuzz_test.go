package geocode_test

import (
	"path/filepath"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/app/base/snapshot"
	"arpent/app/dev/testkit"
)

// A file whose checksums are right and whose content is not is refused, or a search in it ends: with an answer, or with a panic that costs
// one request. Neither takes memory without a limit.
func FuzzContent(f *testing.F) {
	path := filepath.Join(f.TempDir(), "addresses.index")
	if err := snapshot.Write(path, layout.Format, "test", func(w *snapshot.Writer) error { return build.Build(f.Context(), w, village()) }); err != nil {
		f.Fatal(err)
	}
	sections := testkit.ReadSnapshot(f, path)
	f.Add([]byte{})
	for section := range byte(30) {
		f.Add([]byte{section, 1, 4, 0, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{section, 2, 0, 0, 1, 0, 0, 0, section, 3, 8, 0, 0, 0, 0, 0})
		f.Add([]byte{section, 4, 4, 0, 0, 0xff, 0xff, 0})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		dir := sections.WriteChanged(t, "addresses.index", layout.Format, edits)
		s := geocode.New(nil, dir, nil)
		testkit.Allocates(t, "opening", 32<<20, func() {
			if err := s.Open(); err != nil {
				t.Error(err)
			}
		})
		x := s.Index()
		if x == nil {
			return
		}
		x.Counts()
		for _, q := range []string{"12 bis rue de l'église 14100 grandville", "12 b rue de leglise", "paris 18e", "gare 75018", "evry", "14", "saint martin rue", "ru de leglis grandvile", "calvados", "75018 14100"} {
			ask := geocode.Request{Query: q, Limit: 20, Near: &geocode.Point{Lat: 48, Lon: 2}}
			testkit.Allocates(t, q, 32<<20, testkit.Recovered(func() { x.Search(ask) }))
		}
	})
}
