package report_test

import (
	"fmt"
	"strings"
	"testing"
)

// allProtections are the sources of the kinds that an empty list speaks of, and the files that they read.
var allProtections = map[string]string{
	"espaces-pn": "N_ENP_PN_S_000", "espaces-rnn": "N_ENP_RNN_S_000", "espaces-rnr": "N_ENP_RNR_S_000", "espaces-rnc": "N_ENP_RNC_S_000",
	"espaces-apb": "N_ENP_APB_S_000", "espaces-rb": "N_ENP_RB_S_000", "espaces-sic": "sic2312", "espaces-zps": "zps2312",
	"espaces-scl": "N_ENP_SCL_S_000", "espaces-scen": "N_ENP_SCEN_S_000", "espaces-pnr": "N_ENP_PNR_S_000",
	"espaces-ramsar": "N_ENP_RAMSAR_S_000", "espaces-znieff1": "znieff1_2023", "espaces-znieff2": "znieff2_2023",
}

func (b *bench) protect(sourceName, file, collection string) {
	b.t.Helper()
	b.archive("inpn/"+file+".zip", map[string]string{file + ".shp": collection})
	b.loadSource(sourceName)
}

// The strongest protection comes first, whatever it covers; then the larger share.
func TestProtectedAreas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.wants("protectedAreas", "null")
	corner, half := extent{2.480, 48.900, 2.4803, 48.901}, extent{2.480, 48.900, 2.481, 48.9005}
	b.protect("espaces-znieff1", "znieff1_2023", features(plot.feature(`"id_mnhn":"110001","nom":"Bois","url":"no address"`)))
	b.protect("espaces-zps", "zps2312", features(half.feature(`"sitecode":"FR1112013","sitename":"Parc","url":"https://example.org/FR1112013"`)))
	b.protect("espaces-sic", "sic2312", features(plot.feature(`"sitecode":"FR1100001","sitename":"Mare"`)))
	b.protect("espaces-pn", "N_ENP_PN_S_000", features(
		corner.feature(`"id_mnhn":"FR33","nom_site":"Parc","code_r_enp":"CPN"`), plot.feature(`"id_mnhn":"FR34","nom_site":"Parc","code_r_enp":"AAPN"`)))
	b.wants("protectedAreas", fmt.Sprintf(`[
		{"type":"PN","label":"Parc national, cœur","code":"FR33","name":"Parc","strength":1,"url":null,"sharePct":%g},
		{"type":"SIC","label":"Natura 2000, directive Habitats","code":"FR1100001","name":"Mare","strength":6,"url":null,"sharePct":100},
		{"type":"ZPS","label":"Natura 2000, directive Oiseaux","code":"FR1112013","name":"Parc","strength":6,"url":"https://example.org/FR1112013","sharePct":%g},
		{"type":"PN_ADHESION","label":"Parc national, aire d'adhésion","code":"FR34","name":"Parc","strength":8,"url":null,"sharePct":100},
		{"type":"ZNIEFF1","label":"ZNIEFF de type 1","code":"110001","name":"Bois","strength":10,"url":null,"sharePct":100}]`,
		corner.on(plot), half.on(plot)))
	b.coverageIs("protected_area_sic", "")
	b.coverageIs("protected_area_pn", "2A", "34", "75", "91", "93")
}

// That one kind of area is loaded tells nothing of the others: only where all are, none found is an answer. A customer
// who reads "none" under half the files builds in a reserve.
func TestProtectedAreasNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	away := extent{3.5, 48.5, 3.6, 48.6}.feature(`"nom":"Loin"`)
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
	b := newBench(t)
	var west, south, east, north float64
	if err := b.db.QueryRow(t.Context(), `SELECT ST_XMin(e), ST_YMin(e), ST_XMax(e), ST_YMax(e) FROM (SELECT
		ST_Transform(ST_MakeEnvelope(3.87, 43.61, 3.88, 43.62, 4326), 2154) AS e) x`).Scan(&west, &south, &east, &north); err != nil {
		t.Fatal(err)
	}
	site := extent{west, south, east, north}
	b.load("espaces-sc-montpellier", "montpellier/sites_classes.geojson", features(
		site.feature(`"TYPE":"AC2S_C","COMENT":"Site Classé"`), site.feature(`"TYPE":"AC2S_I","COMENT":"Site Inscrit"`)))
	b.parcel("341720000A0001", extent{3.8745, 43.6145, 3.8755, 43.6155}.wkt())
	got := b.valueOf("341720000A0001", "protectedAreas")
	if !strings.HasPrefix(compact(t, got), `[{"code":null,"label":"Site classé","name":null,"sharePct":100,"strength":5,"type":"SC","url":null},{"code":null,"label":"Site inscrit"`) {
		t.Errorf("protectedAreas is %s", got)
	}
	b.parcel("341720000A0002", extent{3.9, 43.6, 3.901, 43.601}.wkt())
	if got := b.valueOf("341720000A0002", "protectedAreas"); got != "null" {
		t.Errorf("beside the sites protectedAreas is %s", got)
	}
	b.coverageIs("protected_area_sc", "34172")
}
