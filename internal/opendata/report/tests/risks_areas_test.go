package report_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/topic/risks"
)

// read decodes a value of the test's parcel.
func read[T any](b *fixture, idu, key string) T {
	b.T.Helper()
	var v T
	testkit.NoError(b.T, json.Unmarshal([]byte(b.valueOf(idu, key)), &v))
	return v
}

// The class under most of the house is returned, and the worst under
// any of it; a sliver of a neighbour's is not.
func TestRisksClay(t *testing.T) {
	b := newFixture(t)
	b.wants("rga", "null")
	b.Archive("rga/AleaRG_2025_93_L93.zip", map[string]string{"AleaRG_2025_93_L93.shp": features(
		extent{2.4800, 48.890, 2.4806, 48.910}.Feature(`"gid":1,"insee_dep":"93","niveau":2,"surf_m2":1.5`),
		extent{2.4806, 48.890, 2.4809, 48.910}.Feature(`"gid":2,"insee_dep":"93","niveau":3,"surf_m2":1.5`),
		extent{2.4809, 48.890, 2.4809001, 48.910}.Feature(`"gid":3,"insee_dep":"93","niveau":1,"surf_m2":1.5`),
		extent{2.30, 48.8, 2.31, 48.9}.Feature(`"gid":4,"insee_dep":"93","niveau":1,"surf_m2":1.5`))})
	out := b.LoadSource("rga")
	if out.Err != nil || out.Scope != "93" || out.Vintage != "2025" {
		t.Fatalf("loaded %+v", out)
	}
	got := read[risks.Rga](b, square, "rga")
	if got.Level != 2 || got.Label != "moyen" || got.MaxLevel != 3 {
		t.Errorf("rga is %+v", got)
	}
	within(t, got.SharePct, extent{2.4800, 48.900, 2.4806, 48.901}.On(plot), 0.1)
	for _, idu := range []string{"930100000A0002", "341720000A0001"} { // no clay; not loaded
		b.Parcel(idu, "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
		b.wantsOf(idu, "rga", "null")
	}
}

// The map of before 2025 is read as well, for all of France.
func TestRisksClayBefore(t *testing.T) {
	b := newFixture(t)
	b.Archive("ExpoArgile_Fxx_L93.zip", map[string]string{"ExpoArgile_Fxx_L93.shp": features(
		extent{2.4, 48.8, 2.5, 49}.Feature(`"DPT":"93","NIVEAU":3.0,"ALEA":"Fort"`))})
	loaded(t, b.LoadSource("rga"), 1, 0)
	b.wants("rga", `{"level":3,"label":"fort","sharePct":100,"maxLevel":3}`)
	b.CoverageIs("rga", "2A", "34", "75", "91", "93") // and not La Réunion
}

// Of two maps the newer is returned, where it has no clay any more as well.
func TestRisksClayNewest(t *testing.T) {
	b := newFixture(t)
	map93 := func(level int) string {
		return features(extent{2.479, 48.899, 2.482, 48.902}.Feature(fmt.Sprintf(`"niveau":%d`, level)), extent{2.6, 48.9, 2.7, 49}.Feature(`"niveau":1`))
	}
	b.Archive("AleaRG_2020_France_L93.zip", map[string]string{"AleaRG.shp": map93(3)})
	loaded(t, b.LoadSource("rga"), 2, 0)
	b.wants("rga", `{"level":3,"label":"fort","sharePct":100,"maxLevel":3}`)
	b.Archive("AleaRG_2025_93_L93.zip", map[string]string{"AleaRG.shp": map93(2)})
	b.LoadSource("rga")
	b.wants("rga", `{"level":2,"label":"moyen","sharePct":100,"maxLevel":2}`)
	b.Archive("AleaRG_2026_93_L93.zip", map[string]string{"AleaRG.shp": features(extent{2.6, 48.9, 2.7, 49}.Feature(`"niveau":1`))})
	b.LoadSource("rga")
	b.wants("rga", "null")
	b.Parcel("751180000A0001", squareWKT) // where the map of France alone is loaded
	b.wantsOf("751180000A0001", "rga", `{"level":3,"label":"fort","sharePct":100,"maxLevel":3}`)
}

// The likeliest flood comes first, as far as it reaches, and the territory itself last.
func TestRisksTri(t *testing.T) {
	b := newFixture(t)
	b.wants("tris", "null")
	area := `"ID_S_INOND":"SIN_%d","ID_TRI":"FRF_TRI_IDF","TYP_INOND":"01","SCENARIO":"%s","COURS_DEAU":"La Marne","EST_REF":"T"`
	b.Archive("tri/tri_2020_sig_di_93.zip", map[string]string{
		"N_TRI_IDF_INONDABLE_01_01FOR_S_093.shp": features(extent{2.4808, 48.890, 2.4900, 48.910}.Feature(fmt.Sprintf(area, 1, "01For"))),
		// The two areas of the medium flood lie on each other.
		"N_TRI_IDF_INONDABLE_01_02MOY_S_093.shp": features(extent{2.4805, 48.890, 2.4900, 48.910}.Feature(fmt.Sprintf(area, 2, "02Moy")),
			extent{2.4806, 48.890, 2.4900, 48.910}.Feature(fmt.Sprintf(area, 3, "02Moy"))),
		"N_TRI_IDF_TRI_S_093.shp":     features(extent{2.30, 48.8, 2.50, 48.95}.Feature(`"ID_TRI":"FRF_TRI_IDF","NOM":"TRI de la métropole"`)),
		"N_TRI_IDF_COMMUNE_S_093.shp": features(extent{2.30, 48.8, 2.50, 48.95}.Feature(`"CODE_INSEE":"93010"`)),
	})
	loaded(t, b.LoadSource("tri-perimetres"), 1, 0)
	b.wants("tris", "null")
	loaded(t, b.LoadSource("tri-inondations"), 3, 0)
	got := read[[]risks.Tri](b, square, "tris")
	if len(got) != 3 || *got[0].Scenario != "01For" || *got[1].Scenario != "02Moy" || got[2].Scenario != nil ||
		*got[0].Name != "TRI de la métropole" || *got[1].Watercourse != "La Marne" || *got[1].FloodType != "01" || got[2].ID != "FRF_TRI_IDF" {
		t.Fatalf("tris is %s", b.value("tris"))
	}
	within(t, got[0].SharePct, extent{2.4808, 48.900, 2.481, 48.901}.On(plot), 0.1)
	within(t, got[1].SharePct, extent{2.4805, 48.900, 2.481, 48.901}.On(plot), 0.1)
	within(t, got[2].SharePct, 100, 0.05)
	b.Parcel("930100000A0002", "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
	b.wantsOf("930100000A0002", "tris", "[]")
}

// An archive without flooded areas says nothing of what is flooded: a
// département is not dry because a file is not whole.
func TestRisksTriWithoutAreas(t *testing.T) {
	b := newFixture(t)
	b.Archive("tri_2020_sig_di_93.zip", map[string]string{
		"N_TRI_IDF_TRI_S_093.shp": features(extent{2.30, 48.8, 2.40, 48.95}.Feature(`"ID_TRI":"FRF_TRI_IDF","NOM":"TRI"`))})
	b.LoadSource("tri-perimetres")
	if out := b.TryLoad("tri-inondations"); out.Err == nil {
		t.Errorf("the areas are loaded: %+v", out)
	}
	b.wants("tris", "null")
}

// A buyer reads which plans the commune is in, and that there is none only once all kinds of plans are known.
func TestRisksPlansOfCommune(t *testing.T) {
	b := newFixture(t)
	b.wants("riskPlans", "null")
	loaded(t, b.Load("gaspar-pprt", "gaspar/pprt_gaspar.csv", lines(fmt.Sprintf(reportkit.RiskPlanHeader, "CODE PROCEDURE"),
		"PPRT;PPRT;75DRIEE20100001;PPRT Dépôt;;75118;PARIS;211;Effet thermique;;;;;2010-01-02;;;;Prescrit;;Prescrit;;")), 1, 0)
	b.wants("riskPlans", "null")
	loaded(t, b.Load("gaspar-pprn", "gaspar/pprn_gaspar.csv", lines(fmt.Sprintf(reportkit.RiskPlanHeader, "CODE PROECEDURE"),
		"PPRN;PPRN;93DDT20010001;PPR Gypse;;93010;BONDY;1;Naturel;12;Mouvement de terrain;121;Cavités;01/02/1995;18/04/2001;;;Opposable;;Approuvé;;",
		"PPRN;PPRN;93ddt19850002;R111-3;;93010;BONDY;12;Mouvement de terrain;;;;;;1986-01-21;;;Caduque;;Abrogé;;")), 2, 0)
	loaded(t, b.Load("gaspar-pprm", "gaspar/pprm_gaspar.csv", lines(fmt.Sprintf(reportkit.RiskPlanHeader, "CODE PROCEDURE"),
		"PPRM;PPRM;34DDTM20100009;PPRM;;34172;MONTPELLIER;3;Miniers;;;;;;;;;Prescrit;;Prescrit;;")), 1, 0)
	b.wants("riskPlans", `[
		{"id":"93DDT20010001","kind":"PPRN","name":"PPR Gypse","risk":"Mouvement de terrain",
			"risks":[{"code":"12","label":"Mouvement de terrain"},{"code":"121","label":"Cavités"}],
			"state":"opposable","step":"approuvé","approvedOn":"2001-04-18","zones":[]},
		{"id":"93DDT19850002","kind":"PPRN","name":"R111-3","risk":"Mouvement de terrain","risks":[{"code":"12","label":"Mouvement de terrain"}],
			"state":"caduque","step":"abrogé","approvedOn":"1986-01-21","zones":[]}]`)
	b.Parcel("2A2470000A0001", squareWKT)
	b.Parcel("751180000A0001", squareWKT)
	b.wantsOf("2A2470000A0001", "riskPlans", "[]")
	if got := read[[]risks.RiskPlan](b, "751180000A0001", "riskPlans"); len(got) != 1 || *got[0].State != "prescrit" || got[0].ApprovedOn != nil {
		t.Errorf("the arrondissement has %+v", got)
	}
}

// The zones that a parcel lies in are returned for a plan that the national record lacks, too; outside the
// plan's map, where nothing else is loaded, nothing is said.
func TestRisksPlanZones(t *testing.T) {
	b := newFixture(t)
	b.outline("93010", extent{2.47, 48.89, 2.70, 48.92})
	b.outline("91001", extent{2.0, 48.3, 2.1, 48.4})
	zone := `"id_zone":%d,"id_gaspar":"93DDT20180003","nom":"%s","codezone":"%s","typereg":"%s"`
	document := extent{2.475, 48.890, 2.49, 48.910}
	b.Archive("ppr/93DDT20180003.zip", map[string]string{
		"N_ZONE_REG_PPRN_20180003_S_093.shp": features(
			extent{2.4800, 48.890, 2.4803, 48.910}.Feature(fmt.Sprintf(zone, 1, "interdiction - effondrement", "RF", "03")),
			extent{2.4803, 48.890, 2.4810, 48.9006}.Feature(fmt.Sprintf(zone, 2, "prescription", "Bg2", "02")),
			extent{2.4803, 48.9006, 2.4810, 48.901}.Feature(fmt.Sprintf(zone, 3, "-", "-", "01")),
			extent{2.4803, 48.901, 2.4810, 48.910}.Feature(fmt.Sprintf(zone, 4, "prescription", "Bg2", "02"))),
		"N_PERIMETRE_PPRN_20180003_S_093.shp": features(document.Feature(`"id_gaspar":"93DDT20180003","libelle":"Périmètre d'exposition","type":"02","datevalid":"2019-07-16"`)),
		"N_DOCUMENT_PPRN_S_093.shp":           features(document.Feature(`"ID_GASPAR":"93DDT20180003","NOM":"PPR des carrières","ETAT":"02","DATEAPPRO":"2019-07-17","NOMRISQUE":"Mouvement de terrain"`)),
		"N_ZONE_ALEA_PPRN_20180003_S_093.shp": features(document.Feature(`"id_zone":1,"id_gaspar":"93DDT20180003"`)),
	})
	loaded(t, b.LoadSource("ppr-covadis-zones"), 4, 0)
	got := read[[]risks.RiskPlan](b, square, "riskPlans")
	if len(got) != 1 || got[0].ID != "93DDT20180003" || *got[0].Kind != "PPRN" || got[0].Name != nil || got[0].State != nil {
		t.Fatalf("with the zones alone, riskPlans is %s", b.value("riskPlans"))
	}
	loaded(t, b.LoadSource("ppr-covadis-documents"), 2, 0)
	got = read[[]risks.RiskPlan](b, square, "riskPlans")
	if len(got) != 1 || *got[0].Name != "PPR des carrières" || *got[0].State != "opposable" || *got[0].Risk != "Mouvement de terrain" ||
		*got[0].ApprovedOn != "2019-07-17" || len(got[0].Zones) != 3 {
		t.Fatalf("riskPlans is %s", b.value("riskPlans"))
	}
	z := got[0].Zones
	if *z[0].Code != "Bg2" || *z[1].Label != "interdiction - effondrement" || z[2].Code != nil || *z[2].Rule != "01" {
		t.Errorf("zones are %s", b.value("riskPlans"))
	}
	within(t, z[0].SharePct, extent{2.4803, 48.900, 2.4810, 48.9006}.On(plot), 0.1)
	within(t, z[1].SharePct, extent{2.4800, 48.900, 2.4803, 48.901}.On(plot), 0.1)
	b.CoverageIs("ppr_zone", "93010")
	b.Parcel("930100000A0002", "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
	b.wantsOf("930100000A0002", "riskPlans", "null")
	// Inside the perimeter, in none of its zones.
	b.Parcel("930100000A0003", "POLYGON((2.477 48.9, 2.478 48.9, 2.478 48.901, 2.477 48.9))")
	if got := read[[]risks.RiskPlan](b, "930100000A0003", "riskPlans"); len(got) != 1 || len(got[0].Zones) != 0 {
		t.Errorf("inside the perimeter, riskPlans is %+v", got)
	}
}
