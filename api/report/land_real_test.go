package report_test

import (
	"encoding/json"
	"testing"

	"arpent/api/topic/land"
)

// A real delivery of IGN is told polygon by polygon, as another program measures it.
func TestRealVegetation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.realOutline("12174", "12")
	b.borrow("enrich/bdtopo/BDTOPO_3_12174.zip", "")
	loaded(t, b.loadSource("bdtopo-vegetation"), 664, 1) // one has no area
	b.coverageIs("vegetation", "12174")
	// The whole commune as one parcel: all natures of the file, however many polygons.
	b.exec(`INSERT INTO geo.parcelle (idu, geom) SELECT '121740000A0001', geom FROM geo.commune_contour WHERE code = '12174'`)
	var kinds []struct{ Nature string }
	if err := json.Unmarshal([]byte(b.valueOf("121740000A0001", "zonesVegetation")), &kinds); err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 8 {
		t.Errorf("the kinds are %v", kinds)
	}
	part := extent{2.55, 44.34, 2.555, 44.345}
	b.parcel("121740000A0002", part.wkt())
	metres := boxArea(part.west, part.south, part.east, part.north)
	var shares []land.Vegetation
	if err := json.Unmarshal([]byte(b.valueOf("121740000A0002", "zonesVegetation")), &shares); err != nil {
		t.Fatal(err)
	}
	if len(shares) != 3 || shares[0].Nature != "Haie" || shares[1].Nature != "Bois" || shares[2].Nature != "Forêt fermée de feuillus" {
		t.Fatalf("the shares are %v", shares)
	}
	for i, want := range []float64{2.95, 1.22, 0.03} {
		within(t, shares[i].SharePct, want, 0.051)
		within(t, float64(shares[i].AreaM2), want/100*metres, 0.0001*metres)
	}
}

// A town's real files land where they belong, one of them in a projection that it does not name.
func TestRealMontpellier(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.borrow("enrich/montpellier/aoc.geojson", "")
	b.borrow("enrich/montpellier/sites_classes.geojson", "")
	loaded(t, b.loadSource("aoc-montpellier"), 8, 0)
	out := b.loadSource("espaces-sc-montpellier")
	loaded(t, out, 21, 0)
	b.coverageIs("aoc", "34172")
	b.coverageIs("protected_area_sc", "34172")
	b.parcel("341720000A0001", extent{3.925, 43.612, 3.935, 43.618}.wkt())
	b.wantsOf("341720000A0001", "aoc", `[{"appellation":null,"denomination":null,"sharePct":90.8}]`)
	b.parcel("341720000A0002", extent{3.87, 43.635, 3.895, 43.645}.wkt())
	b.wantsOf("341720000A0002", "protectedAreas", `[
		{"type":"SC","label":"Site classé","code":null,"name":null,"strength":5,"url":null,"sharePct":18.5},
		{"type":"SI","label":"Site inscrit","code":null,"name":null,"strength":8,"url":null,"sharePct":32.8}]`)
}
