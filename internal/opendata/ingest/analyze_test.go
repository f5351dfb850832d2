package ingest_test

import (
	"testing"

	"arpent/app/dev/loadkit"
)

// A table that several sources of a run are loaded into is analyzed after the first load and after the last: the
// planner knows all its rows, and the time of a run does not grow by an analysis of all rows for each source.
func TestTableOfSeveralSourcesIsAnalyzedTwice(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t)
	for _, name := range []string{"caves", "mines", "pits"} {
		b.Catalogue = append(b.Catalogue, loadkit.Layer(name, ""))
		b.File(name+".geojson", loadkit.Collection(loadkit.Thing(name, name, loadkit.Spot(5, 45))))
	}
	b.MustLoad()
	b.Want(`SELECT s.analyze_count, c.reltuples FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
		WHERE s.relid = 'geo.enrich_cavity'::regclass`, "2|3")
}
