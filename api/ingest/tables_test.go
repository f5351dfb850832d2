package ingest_test

import (
	"testing"

	"golang.org/x/sync/errgroup"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/base/pgdb"
	"arpent/app/dev/loadkit"
)

// A new layer needs its declaration alone: the next migration makes its table, whichever instance runs it, and its files are
// loaded and stand for their place. An index that is declared later comes to the rows that are there.
func TestNewLayer(t *testing.T) {
	t.Parallel()
	hives := loadkit.Layer("hives", "")
	hives.Target, hives.Covers = source.ShapeLayer("beehive"), source.Covers("beehive")
	b := loadkit.New(t, hives)
	url := b.DB.Config().ConnString()
	migrate := func(wanted bool) {
		t.Helper()
		if pending, err := pgdb.Pending(t.Context(), url, ingest.Tables(b.Catalogue)); err != nil || pending != wanted {
			t.Fatalf("pending %v, expected %v; error %v", pending, wanted, err)
		}
		var instances errgroup.Group
		for range 2 {
			instances.Go(func() error { return pgdb.Migrate(t.Context(), url, ingest.Tables(b.Catalogue)) })
		}
		if err := instances.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	migrate(true)
	b.File("hives_33.geojson", loadkit.Collection(loadkit.Thing("1", "wood", loadkit.Spot(0, 45))))
	b.MustLoad()
	b.Want("SELECT part, id, attrs->>'kind' AS kind FROM geo.enrich_beehive", "hives/33|1|wood")
	b.Want(loadkit.Coverage, "beehive|33|hives|33|true")

	b.Catalogue[0].Target = source.ShapeLayer("beehive", "CREATE INDEX enrich_beehive_kind ON geo.enrich_beehive ((attrs->>'kind'));")
	migrate(true)
	migrate(false)
	b.Want("SELECT part, id FROM geo.enrich_beehive", "hives/33|1")
	b.Want("SELECT indexname FROM pg_indexes WHERE tablename = 'enrich_beehive'",
		"enrich_beehive_geom_idx\nenrich_beehive_kind\nenrich_beehive_pkey")
}
