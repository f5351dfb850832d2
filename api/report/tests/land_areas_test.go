package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"arpent/api/report"
	"arpent/api/topic"
	"arpent/api/topic/land"
)

// forest is a parcel of 490 ha with three thousand vertices, as ragged as a wood's edge and the same on both sides of its
// meridian.
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

// A forest of thousands of vertices, over hundreds of pieces of each layer, is answered as exactly as a courtyard.
func TestForestOfManyCorners(t *testing.T) {
	t.Parallel()
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
	r, err := b.store.Report(t.Context(), report.Parcel{IDU: square[:10] + "9999", Arrondissement: "93010", Commune: "93010", Departement: "93"})
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range topic.Report().Keys() {
		if _, asked := layers[k.Name]; asked && len(half.FindAll(r.Values[i], 2)) != 1 {
			t.Errorf("%s is %s", k.Name, r.Values[i])
		}
	}
}

// allProtections are the sources of the kinds that an empty list speaks of, and the files that they read.
var allProtections = map[string]string{
	"espaces-pn": "N_ENP_PN_S_000", "espaces-rnn": "N_ENP_RNN_S_000", "espaces-rnr": "N_ENP_RNR_S_000", "espaces-rnc": "N_ENP_RNC_S_000",
	"espaces-apb": "N_ENP_APB_S_000", "espaces-rb": "N_ENP_RB_S_000", "espaces-sic": "sic2312", "espaces-zps": "zps2312",
	"espaces-scl": "N_ENP_SCL_S_000", "espaces-scen": "N_ENP_SCEN_S_000", "espaces-pnr": "N_ENP_PNR_S_000",
	"espaces-ramsar": "N_ENP_RAMSAR_S_000", "espaces-znieff1": "znieff1_2023", "espaces-znieff2": "znieff2_2023",
}

func (b *fixture) protect(sourceName, file, collection string) {
	b.T.Helper()
	b.Archive("inpn/"+file+".zip", map[string]string{file + ".shp": collection})
	b.LoadSource(sourceName)
}

// The strongest protection comes first, whatever it covers; then the larger share.
func TestProtectedAreas(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.wants("protectedAreas", "null")
	corner, half := extent{2.480, 48.900, 2.4803, 48.901}, extent{2.480, 48.900, 2.481, 48.9005}
	b.protect("espaces-znieff1", "znieff1_2023", features(plot.Feature(`"id_mnhn":"110001","nom":"Bois","url":"no address"`)))
	b.protect("espaces-zps", "zps2312", features(half.Feature(`"sitecode":"FR1112013","sitename":"Parc","url":"https://example.org/FR1112013"`)))
	b.protect("espaces-sic", "sic2312", features(plot.Feature(`"sitecode":"FR1100001","sitename":"Mare"`)))
	b.protect("espaces-pn", "N_ENP_PN_S_000", features(
		corner.Feature(`"id_mnhn":"FR33","nom_site":"Parc","code_r_enp":"CPN"`), plot.Feature(`"id_mnhn":"FR34","nom_site":"Parc","code_r_enp":"AAPN"`)))
	b.wants("protectedAreas", fmt.Sprintf(`[
		{"type":"PN","label":"Parc national, cœur","code":"FR33","name":"Parc","strength":1,"url":null,"sharePct":%g},
		{"type":"SIC","label":"Natura 2000, directive Habitats","code":"FR1100001","name":"Mare","strength":6,"url":null,"sharePct":100},
		{"type":"ZPS","label":"Natura 2000, directive Oiseaux","code":"FR1112013","name":"Parc","strength":6,"url":"https://example.org/FR1112013","sharePct":%g},
		{"type":"PN_ADHESION","label":"Parc national, aire d'adhésion","code":"FR34","name":"Parc","strength":8,"url":null,"sharePct":100},
		{"type":"ZNIEFF1","label":"ZNIEFF de type 1","code":"110001","name":"Bois","strength":10,"url":null,"sharePct":100}]`,
		corner.On(plot), half.On(plot)))
	b.CoverageIs("protected_area_sic", "")
	b.CoverageIs("protected_area_pn", "2A", "34", "75", "91", "93")
}

// An area that is loaded from the layer and from the former Shapefile counts once.
func TestServedProtectedAreaTwice(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	half := extent{2.480, 48.900, 2.481, 48.9005}.Feature(`"id_mnhn":"110001","nom_site":"Bois"`)
	b.protect("espaces-znieff1", "znieff1_2023", features(half))
	b.Load("espaces-znieff1-wfs", "patrinat_znieff1.geojson", features(half))
	b.wants("protectedAreas", `[{"type":"ZNIEFF1","label":"ZNIEFF de type 1","code":"110001","name":"Bois","strength":10,"url":null,"sharePct":50}]`)
}

// That one kind of area is loaded says nothing of the others: only where all are, none found is an answer. A customer
// who reads "none" under half the files builds in a reserve.
func TestProtectedAreasNone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	away := extent{3.5, 48.5, 3.6, 48.6}.Feature(`"nom":"Loin"`)
	for name, file := range allProtections {
		if name != "espaces-apb" {
			b.protect(name, file, features(away))
		}
	}
	b.wants("protectedAreas", "null")
	b.protect("espaces-apb", allProtections["espaces-apb"], features(away))
	b.wants("protectedAreas", "[]")
}

// A town's file in Lambert-93 that does not say so: its shapes land where they belong, and it speaks for the sites of
// the town alone.
func TestProtectedAreasOfATown(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var west, south, east, north float64
	if err := b.DB.QueryRow(t.Context(), `SELECT ST_XMin(e), ST_YMin(e), ST_XMax(e), ST_YMax(e) FROM (SELECT
		ST_Transform(ST_MakeEnvelope(3.87, 43.61, 3.88, 43.62, 4326), 2154) AS e) x`).Scan(&west, &south, &east, &north); err != nil {
		t.Fatal(err)
	}
	site := extent{west, south, east, north}
	b.Load("espaces-sc-montpellier", "montpellier/sites_classes.geojson", features(
		site.Feature(`"TYPE":"AC2S_C","COMENT":"Site Classé"`), site.Feature(`"TYPE":"AC2S_I","COMENT":"Site Inscrit"`)))
	b.Parcel("341720000A0001", extent{3.8745, 43.6145, 3.8755, 43.6155}.WKT())
	got := b.valueOf("341720000A0001", "protectedAreas")
	if !strings.HasPrefix(compact(t, got), `[{"code":null,"label":"Site classé","name":null,"sharePct":100,"strength":5,"type":"SC","url":null},{"code":null,"label":"Site inscrit"`) {
		t.Errorf("protectedAreas is %s", got)
	}
	b.Parcel("341720000A0002", extent{3.9, 43.6, 3.901, 43.601}.WKT())
	if got := b.valueOf("341720000A0002", "protectedAreas"); got != "null" {
		t.Errorf("beside the sites protectedAreas is %s", got)
	}
	b.CoverageIs("protected_area_sc", "34172")
}

// A real delivery of IGN is returned polygon by polygon, as another program measures it.
func TestRealVegetation(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.realOutline("12174", "12")
	b.borrow("enrich/bdtopo/BDTOPO_3_12174.zip", "")
	loaded(t, b.LoadSource("bdtopo-vegetation"), 664, 1) // one has no area
	b.CoverageIs("vegetation", "12174")
	// The whole commune as one parcel: all natures of the file, however many polygons.
	b.Exec(`INSERT INTO geo.parcelle (idu, geom) SELECT '121740000A0001', geom FROM geo.commune_contour WHERE code = '12174'`)
	var kinds []struct{ Nature string }
	if err := json.Unmarshal([]byte(b.valueOf("121740000A0001", "zonesVegetation")), &kinds); err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 8 {
		t.Errorf("the kinds are %v", kinds)
	}
	part := extent{2.55, 44.34, 2.555, 44.345}
	b.Parcel("121740000A0002", part.WKT())
	metres := boxArea(part.Edges())
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
	b := newFixture(t)
	b.borrow("enrich/montpellier/aoc.geojson", "")
	b.borrow("enrich/montpellier/sites_classes.geojson", "")
	loaded(t, b.LoadSource("aoc-montpellier"), 8, 0)
	out := b.LoadSource("espaces-sc-montpellier")
	loaded(t, out, 21, 0)
	b.CoverageIs("aoc", "34172")
	b.CoverageIs("protected_area_sc", "34172")
	b.Parcel("341720000A0001", extent{3.925, 43.612, 3.935, 43.618}.WKT())
	b.wantsOf("341720000A0001", "aoc", `[{"appellation":null,"denomination":null,"sharePct":90.8}]`)
	b.Parcel("341720000A0002", extent{3.87, 43.635, 3.895, 43.645}.WKT())
	b.wantsOf("341720000A0002", "protectedAreas", `[
		{"type":"SC","label":"Site classé","code":null,"name":null,"strength":5,"url":null,"sharePct":18.5},
		{"type":"SI","label":"Site inscrit","code":null,"name":null,"strength":8,"url":null,"sharePct":32.8}]`)
}
