package geocode_test

import (
	"os"
	"path/filepath"
	"testing"

	"arpent/api/geocode"
	"arpent/api/ingest"
	"arpent/app/testkit"
)

// The real files load through their declarations, and the search built from the tables finds what is in them.
func TestRealSources(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	data := t.TempDir()
	for _, dir := range []string{"territory/cog", "territory/addresses", "stats/cog"} {
		if err := os.CopyFS(filepath.Join(data, dir), os.DirFS(filepath.Join(testkit.Data(t), dir))); err != nil {
			t.Fatal(err)
		}
	}
	out, err := ingest.New(ingest.Options{DB: pool, DataDir: data, StateDir: t.TempDir()}).Load(t.Context(),
		ingest.Request{Sources: []string{"cog", "ban", "bal", "postcodes", "bano"}})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, o := range out {
		rows[o.Source] += o.Rows
		if o.Refused > 0 {
			t.Errorf("%s: %d refused: %v", o.Source, o.Refused, o.Refusals)
		}
	}
	for source, want := range map[string]int64{"cog-communes": 37590, "cog-movements": 13605, "postcodes": 39201, "ban": 8413, "bal": 486, "bano": 170978} {
		if rows[source] != want {
			t.Errorf("%s: %d rows; want %d", source, rows[source], want)
		}
	}
	s := geocode.New(pool, t.TempDir())
	refresh(t, s)
	n := s.Index().Counts()
	t.Logf("%+v, %d bytes", n, s.Index().Bytes)
	right, all := 0, queries(t)
	for _, e := range all {
		if e.is(s.Index().Search(geocode.Ask{Query: e.query, Limit: 1})) {
			right++
		} else {
			t.Logf("%s", e.query)
		}
	}
	if 100*right < 95*len(all) {
		t.Errorf("%d of %d queries right", right, len(all))
	}
}
