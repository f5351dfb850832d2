package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/land"
)

// forest is a parcel of 490 ha with three thousand vertices, as ragged as a wood's edge
// and the same on both sides of its meridian.
func forest() string {
	var ring []string
	for k := range 3001 {
		radius := 0.0114
		if k%2 == 1 {
			radius *= 0.999
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(k%3000) / 3000)
		ring = append(ring, fmt.Sprintf("%.7f %.7f", 2.5+radius*1.52*cos, 48.9+radius*sin))
	}
	return "POLYGON((" + strings.Join(ring, ",") + "))"
}

// half reports whether a value is a share of one half.
var half = regexp.MustCompile(`"sharePct":50[,}]`)

// A forest of thousands of vertices, over hundreds of pieces of each
// layer, is answered as exactly as a courtyard.
func TestForestOfManyCorners(t *testing.T) {
	b := newFixture(t)
	b.Parcel(square[:10]+"9999", forest())
	layers := map[string]struct{ table, covers, attrs string }{
		"riskPlans":          {"ppr_zone", "ppr_zone", `{"form":"zone","plan":"93DDT20180003","kind":"PPRN","code":"R"}`},
		"tris":               {"tri", "tri", `{"form":"area","tri":"T","scenario":"01For"}`},
		"rga":                {"rga", "rga", `{"level":2}`},
		"qpv":                {"qpv", "qpv", `{"name":"Q"}`},
		"gpu":                {"plan_zone", "plan_zone", `{"zone":"N","territory":"93010"}`},
		"gpuPrescriptions":   {"plan_prescription", "plan_prescription", `{"type":"01","territory":"93010"}`},
		"sup":                {"easement", "easement", `{"category":"AC1"}`},
		"aerodromeServitude": {"aerodrome_easement", "aerodrome_easement", `{"kind":"T5"}`},
		"rpgBio":             {"rpg_bio", "rpg_bio", `{"stage":"AB","year":2024}`},
		"aoc":                {"aoc", "aoc", `{"appellation":"A"}`},
		"clc":                {"land_cover", "land_cover", `{"code":"311","year":2018}`},
		"bdforet":            {"forest", "forest", `{"code":"FF3","year":2014}`},
		"zonesVegetation":    {"vegetation", "vegetation", `{"nature":"Bois"}`},
		"protectedAreas":     {"protected_area", "protected_area_pn", `{"type":"PN"}`},
	}
	for _, l := range layers {
		b.Exec(`INSERT INTO geo.enrich_`+l.table+` (part, id, piece, attrs, geom)
			SELECT $1, 'west', i, $2, ST_MakeEnvelope(2.48 + i % 20 * 0.001, 48.88 + i / 20 * 0.002, 2.481 + i % 20 * 0.001, 48.882 + i / 20 * 0.002, 4326)
			FROM generate_series(0, 399) i`, "test-"+l.covers+"/93", l.attrs)
		b.cover(l.covers, "93")
	}
	r, err := b.store.Report(t.Context(), reportkit.ReadParcel(t, b.DB, square[:10]+"9999"))
	testkit.NoError(t, err)
	for i, k := range topic.Report().Keys() {
		if _, asked := layers[k.Name]; asked && len(half.FindAll(r.Values[i], 2)) != 1 {
			t.Errorf("%s is %s", k.Name, r.Values[i])
		}
	}
}

// allProtections are the kinds that an empty list speaks of, and the layers that they are read from.
var allProtections = map[string]string{
	"pn": "pn", "rnn": "rnn", "rnr": "rnr", "rnc": "rnc", "apb": "apb", "rb": "rb", "sic": "sic", "zps": "zps", "scl": "cdl", "scen": "cen",
	"pnr": "pnr", "ramsar": "ramsar", "znieff1": "znieff1", "znieff2": "znieff2",
}

func (b *fixture) protect(kind, collection string) {
	b.T.Helper()
	b.Load("espaces-"+kind+"-wfs", "patrinat_"+allProtections[kind]+".geojson", collection)
}

// The strongest protection comes first, whatever it covers; then the larger share.
func TestProtectedAreas(t *testing.T) {
	b := newFixture(t)
	b.wants("protectedAreas", "null")
	corner, half := extent{2.480, 48.900, 2.4803, 48.901}, extent{2.480, 48.900, 2.481, 48.9005}
	b.protect("znieff1", features(plot.Feature(`"id_mnhn":"110001","nom":"Bois","url":"no address"`)))
	b.protect("zps", features(half.Feature(`"sitecode":"FR1112013","sitename":"Parc","url":"https://example.org/FR1112013"`)))
	b.protect("sic", features(plot.Feature(`"sitecode":"FR1100001","sitename":"Mare"`)))
	b.protect("pn", features(
		corner.Feature(`"id_mnhn":"FR33","nom_site":"Parc","zone":"Cœur"`), plot.Feature(`"id_mnhn":"FR34","nom_site":"Parc","zone":"Aire d'adhésion"`)))
	b.wants("protectedAreas", fmt.Sprintf(`[
		{"type":"PN","label":"Parc national, cœur","code":"FR33","name":"Parc","strength":1,"url":null,"sharePct":%g},
		{"type":"SIC","label":"Natura 2000, directive Habitats","code":"FR1100001","name":"Mare","strength":6,"url":null,"sharePct":100},
		{"type":"ZPS","label":"Natura 2000, directive Oiseaux","code":"FR1112013","name":"Parc","strength":6,"url":"https://example.org/FR1112013","sharePct":%g},
		{"type":"PN_ADHESION","label":"Parc national, aire d'adhésion","code":"FR34","name":"Parc","strength":8,"url":null,"sharePct":100},
		{"type":"ZNIEFF1","label":"ZNIEFF de type 1","code":"110001","name":"Bois","strength":10,"url":null,"sharePct":100}]`,
		corner.On(plot), half.On(plot)))
	b.CoverageIs("protected_area_sic", "")
	b.CoverageIs("protected_area_pn", "")
}

// That one kind of area is loaded says nothing of the others: only where all are, none found is an answer. A
// customer who reads "none" under half the files builds in a reserve.
func TestProtectedAreasNone(t *testing.T) {
	b := newFixture(t)
	away := extent{3.5, 48.5, 3.6, 48.6}.Feature(`"nom":"Loin"`)
	for kind := range allProtections {
		if kind != "apb" {
			b.protect(kind, features(away))
		}
	}
	b.wants("protectedAreas", "null")
	b.protect("apb", features(away))
	b.wants("protectedAreas", "[]")
}

// A real delivery of IGN is returned polygon by polygon, as another program measures it.
func TestRealVegetation(t *testing.T) {
	b := newFixture(t)
	b.realOutline("12174", "12")
	b.borrow("enrich/bdtopo/BDTOPO_3_12174.zip", "")
	loaded(t, b.LoadSource("bdtopo-vegetation"), 664, 1) // one has no area
	b.CoverageIs("vegetation", "12174")
	// The whole commune as one parcel: all natures of the file, however many polygons.
	b.Exec(`INSERT INTO geo.parcelle (idu, geom) SELECT '121740000A0001', geom FROM geo.commune_contour WHERE code = '12174'`)
	var kinds []struct{ Nature string }
	testkit.NoError(t, json.Unmarshal([]byte(b.valueOf("121740000A0001", "zonesVegetation")), &kinds))
	if len(kinds) != 8 {
		t.Errorf("the kinds are %v", kinds)
	}
	part := extent{2.55, 44.34, 2.555, 44.345}
	b.Parcel("121740000A0002", part.WKT())
	metres := boxArea(part.Edges())
	var shares []land.Vegetation
	testkit.NoError(t, json.Unmarshal([]byte(b.valueOf("121740000A0002", "zonesVegetation")), &shares))
	if len(shares) != 3 || shares[0].Nature != "Haie" || shares[1].Nature != "Bois" || shares[2].Nature != "Forêt fermée de feuillus" {
		t.Fatalf("the shares are %v", shares)
	}
	for i, want := range []float64{2.95, 1.22, 0.03} {
		within(t, shares[i].SharePct, want, 0.051)
		within(t, float64(shares[i].AreaM2), want/100*metres, 0.0001*metres)
	}
}
