package enrich_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"arpent/api/enrich"
)

// read decodes a value of the test's parcel.
func read[T any](b *bench, idu, key string) T {
	b.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(b.valueOf(idu, key)), &v); err != nil {
		b.t.Fatal(err)
	}
	return v
}

// share is the share of the square that a rectangle inside it covers, in percent, by plain arithmetic.
func share(west, south, east, north float64) float64 {
	return 100 * boxArea(west, south, east, north) / boxArea(2.480, 48.900, 2.481, 48.901)
}

// The class under most of the house is told, and the worst under any of it; a sliver of a neighbour's is not.
func TestRisksClay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.value("rga"); got != "null" {
		t.Errorf("not loaded, rga is %s", got)
	}
	b.shapeZip("rga/AleaRG_2025_93_L93.zip", map[string]string{"AleaRG_2025_93_L93": strings.Join([]string{
		box(2.4800, 48.890, 2.4806, 48.910, `"gid":1,"insee_dep":"93","niveau":2,"surf_m2":1.5`),
		box(2.4806, 48.890, 2.4809, 48.910, `"gid":2,"insee_dep":"93","niveau":3,"surf_m2":1.5`),
		box(2.4809, 48.890, 2.4809001, 48.910, `"gid":3,"insee_dep":"93","niveau":1,"surf_m2":1.5`),
		box(2.30, 48.8, 2.31, 48.9, `"gid":4,"insee_dep":"93","niveau":1,"surf_m2":1.5`)}, ",")})
	out := b.loadSource("rga")
	if out.Err != nil || out.Scope != "93" || out.Vintage != "2025" {
		t.Fatalf("loaded %+v", out)
	}
	got := read[enrich.Rga](b, square, "rga")
	if got.Level != 2 || got.Label != "moyen" || got.MaxLevel != 3 {
		t.Errorf("rga is %+v", got)
	}
	within(t, got.SharePct, share(2.4800, 48.900, 2.4806, 48.901), 0.1)
	for _, idu := range []string{"930100000A0002", "341720000A0001"} { // no clay; not loaded
		b.parcel(idu, "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
		if got := b.valueOf(idu, "rga"); got != "null" {
			t.Errorf("%s has rga %s", idu, got)
		}
	}
}

// The map of before 2025 is read as well, for all of France.
func TestRisksClayBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.shapeZip("ExpoArgile_Fxx_L93.zip", map[string]string{"ExpoArgile_Fxx_L93": box(2.4, 48.8, 2.5, 49, `"DPT":"93","NIVEAU":3.0,"ALEA":"Fort"`)})
	counted(t, b.loadSource("rga"), 1, 0)
	b.wants("rga", `{"level":3,"label":"fort","sharePct":100,"maxLevel":3}`)
	b.parcel("974110000A0001", "POLYGON((55.45 -20.9, 55.451 -20.9, 55.451 -20.899, 55.45 -20.9))")
	if covered := b.covered("rga"); strings.Contains(covered, "974") || !strings.Contains(covered, "2A") {
		t.Errorf("it speaks for %s", covered)
	}
}

// covered lists the areas that a layer is loaded for.
func (b *bench) covered(layer string) string {
	b.t.Helper()
	var areas string
	if err := b.db.QueryRow(b.t.Context(), "SELECT coalesce(string_agg(area, ' ' ORDER BY area), '') FROM geo.coverage WHERE layer = $1", layer).Scan(&areas); err != nil {
		b.t.Fatal(err)
	}
	return areas
}

// A city's own copy, whose shapes a spreadsheet cut and which lacks the lowest class, never answers for the city.
func TestRisksClayOfBordeaux(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const polygon = `"{""type"":""Polygon"",""coordinates"":[[[2.4,48.8],[2.5,48.8],[2.5,49],[2.4,48.8]]]}"`
	counted(t, b.load("rga-bordeaux", "rga/ri_alearga_s_bordeaux_metropole.csv", "Geo Point,Geo Shape,gid,alea\n"+
		`"48.9, 2.45",`+polygon+",1,MOYEN\n"+`"48.9, 2.45",`+polygon+",2,FORT\n"+`"48.9, 2.45","{""type"":""Polygon"",""coordinates"":[[[2.4,48.8],[2.5",3,FORT`+"\n"), 2, 1)
	if got := b.value("rga"); got != "null" {
		t.Errorf("rga is %s", got)
	}
}

// The likeliest flood comes first, as far as it reaches, and the territory itself last.
func TestRisksTri(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.value("tris"); got != "null" {
		t.Errorf("not loaded, tris is %s", got)
	}
	area := `"ID_S_INOND":"SIN_%d","ID_TRI":"FRF_TRI_IDF","TYP_INOND":"01","SCENARIO":"%s","COURS_DEAU":"La Marne","EST_REF":"T"`
	b.shapeZip("tri/tri_2020_sig_di_93.zip", map[string]string{
		"N_TRI_IDF_INONDABLE_01_01FOR_S_093": box(2.4808, 48.890, 2.4900, 48.910, fmt.Sprintf(area, 1, "01For")),
		// The two areas of the medium flood lie on each other.
		"N_TRI_IDF_INONDABLE_01_02MOY_S_093": box(2.4805, 48.890, 2.4900, 48.910, fmt.Sprintf(area, 2, "02Moy")) + "," +
			box(2.4806, 48.890, 2.4900, 48.910, fmt.Sprintf(area, 3, "02Moy")),
		"N_TRI_IDF_TRI_S_093":     box(2.30, 48.8, 2.50, 48.95, `"ID_TRI":"FRF_TRI_IDF","NOM":"TRI de la métropole"`),
		"N_TRI_IDF_COMMUNE_S_093": box(2.30, 48.8, 2.50, 48.95, `"CODE_INSEE":"93010"`),
	})
	counted(t, b.loadSource("tri-perimetres"), 1, 0)
	if got := b.value("tris"); got != "null" {
		t.Errorf("with the outlines alone, tris is %s", got)
	}
	counted(t, b.loadSource("tri-inondations"), 3, 0)
	got := read[[]enrich.Tri](b, square, "tris")
	if len(got) != 3 || *got[0].Scenario != "01For" || *got[1].Scenario != "02Moy" || got[2].Scenario != nil ||
		*got[0].Name != "TRI de la métropole" || *got[1].Watercourse != "La Marne" || *got[1].FloodType != "01" || got[2].ID != "FRF_TRI_IDF" {
		t.Fatalf("tris is %s", b.value("tris"))
	}
	within(t, got[0].SharePct, share(2.4808, 48.900, 2.481, 48.901), 0.1)
	within(t, got[1].SharePct, share(2.4805, 48.900, 2.481, 48.901), 0.1)
	within(t, got[2].SharePct, 100, 0.05)
	b.parcel("930100000A0002", "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
	if got := b.valueOf("930100000A0002", "tris"); got != "[]" {
		t.Errorf("outside, tris is %s", got)
	}
}

const pprHead = "CODE MODELE;LIBELLE MODELE;%s;LIBELLE PROCEDURE;BASSIN RISQUE;CODE INSEE COMMUNE;NOM COMMUNE;CODE RISQUE 1;LIBELLE RISQUE 1;CODE RISQUE 2;LIBELLE RISQUE 2;CODE RISQUE 2;LIBELLE RISQUE 3;PRESCRIPTION;APPROBATION;ANNULATION;ABROGATION;LIBELLE ETAT;DATE ETAT;LIBELLE SOUS-ETAT;DATE SOUS-ETAT;DATE DERNIERE MISE A JOUR"

func (b *bench) contour(code string, west, south, east, north float64) {
	b.t.Helper()
	b.exec(`INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES ($1, ST_Multi(ST_MakeEnvelope($2, $3, $4, $5, 4326)), 1)`, code, west, south, east, north)
}

// A buyer learns which plans the commune is in, and that there is none only once all kinds of plans are known.
func TestRisksPlansOfCommune(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.value("riskPlans"); got != "null" {
		t.Errorf("not loaded, riskPlans is %s", got)
	}
	counted(t, b.load("gaspar-pprt", "gaspar/pprt_gaspar.csv", lines(fmt.Sprintf(pprHead, "CODE PROCEDURE"),
		"PPRT;PPRT;75DRIEE20100001;PPRT Dépôt;;75118;PARIS;211;Effet thermique;;;;;2010-01-02;;;;Prescrit;;Prescrit;;")), 1, 0)
	if got := b.value("riskPlans"); got != "null" {
		t.Errorf("with one kind of plan, riskPlans is %s", got)
	}
	counted(t, b.load("gaspar-pprn", "gaspar/pprn_gaspar.csv", lines(fmt.Sprintf(pprHead, "CODE PROECEDURE"),
		"PPRN;PPRN;93DDT20010001;PPR Gypse;;93010;BONDY;12;Mouvement de terrain;121;Cavités;16;Séisme;01/02/1995;18/04/2001;;;Opposable;;Approuvé;;",
		"PPRN;PPRN;93ddt19850002;R111-3;;93010;BONDY;12;Mouvement de terrain;;;;;;1986-01-21;;;Caduque;;Abrogé;;")), 2, 0)
	counted(t, b.load("gaspar-pprm", "gaspar/pprm_gaspar.csv", lines(fmt.Sprintf(pprHead, "CODE PROCEDURE"),
		"PPRM;PPRM;34DDTM20100009;PPRM;;34172;MONTPELLIER;3;Miniers;;;;;;;;;Prescrit;;Prescrit;;")), 1, 0)
	b.wants("riskPlans", `[
		{"id":"93DDT20010001","kind":"PPRN","name":"PPR Gypse","risk":"Mouvement de terrain",
			"risks":[{"code":"12","label":"Mouvement de terrain"},{"code":"121","label":"Cavités"},{"code":"16","label":"Séisme"}],
			"state":"opposable","step":"approuvé","approvedOn":"2001-04-18","zones":[]},
		{"id":"93DDT19850002","kind":"PPRN","name":"R111-3","risk":"Mouvement de terrain","risks":[{"code":"12","label":"Mouvement de terrain"}],
			"state":"caduque","step":"abrogé","approvedOn":"1986-01-21","zones":[]}]`)
	b.parcel("2A2470000A0001", squareWKT)
	b.parcel("751180000A0001", squareWKT)
	if got := b.valueOf("2A2470000A0001", "riskPlans"); got != "[]" {
		t.Errorf("without a plan, riskPlans is %s", got)
	}
	if got := read[[]enrich.RiskPlan](b, "751180000A0001", "riskPlans"); len(got) != 1 || *got[0].State != "prescrit" || got[0].ApprovedOn != nil {
		t.Errorf("the arrondissement has %+v", got)
	}
}

// The zones that a parcel lies in are told for a plan that the national record lacks, too; beside the plan's map,
// where nothing else is loaded, nothing is said.
func TestRisksPlanZones(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.contour("93010", 2.47, 48.89, 2.70, 48.92)
	b.contour("91001", 2.0, 48.3, 2.1, 48.4)
	zone := `"id_zone":%d,"id_gaspar":"93DDT20180003","nom":"%s","codezone":"%s","typereg":"%s"`
	b.shapeZip("ppr/93DDT20180003.zip", map[string]string{
		"N_ZONE_REG_PPRN_20180003_S_093": strings.Join([]string{
			box(2.4800, 48.890, 2.4803, 48.910, fmt.Sprintf(zone, 1, "interdiction - effondrement", "RF", "03")),
			box(2.4803, 48.890, 2.4810, 48.9005, fmt.Sprintf(zone, 2, "prescription", "Bg2", "02")),
			box(2.4803, 48.9005, 2.4810, 48.901, fmt.Sprintf(zone, 3, "-", "-", "01")),
			box(2.4803, 48.901, 2.4810, 48.910, fmt.Sprintf(zone, 4, "prescription", "Bg2", "02"))}, ","),
		"N_PERIMETRE_PPRN_20180003_S_093": box(2.475, 48.890, 2.49, 48.910, `"id_gaspar":"93DDT20180003","libelle":"Périmètre d'exposition","type":"02","datevalid":"2019-07-16"`),
		"N_DOCUMENT_PPRN_S_093":           box(2.475, 48.890, 2.49, 48.910, `"ID_GASPAR":"93DDT20180003","NOM":"PPR des carrières","ETAT":"02","DATEAPPRO":"2019-07-17","NOMRISQUE":"Mouvement de terrain"`),
		"N_ZONE_ALEA_PPRN_20180003_S_093": box(2.475, 48.890, 2.49, 48.910, `"id_zone":1,"id_gaspar":"93DDT20180003"`),
	})
	counted(t, b.loadSource("ppr-covadis-zones"), 4, 0)
	got := read[[]enrich.RiskPlan](b, square, "riskPlans")
	if len(got) != 1 || got[0].ID != "93DDT20180003" || *got[0].Kind != "PPRN" || got[0].Name != nil || got[0].State != nil {
		t.Fatalf("with the zones alone, riskPlans is %s", b.value("riskPlans"))
	}
	counted(t, b.loadSource("ppr-covadis-documents"), 2, 0)
	got = read[[]enrich.RiskPlan](b, square, "riskPlans")
	if len(got) != 1 || *got[0].Name != "PPR des carrières" || *got[0].State != "opposable" || *got[0].Risk != "Mouvement de terrain" ||
		*got[0].ApprovedOn != "2019-07-17" || len(got[0].Zones) != 3 {
		t.Fatalf("riskPlans is %s", b.value("riskPlans"))
	}
	z := got[0].Zones
	if *z[0].Code != "Bg2" || z[1].Code != nil || *z[1].Rule != "01" || *z[2].Label != "interdiction - effondrement" {
		t.Errorf("zones are %s", b.value("riskPlans"))
	}
	within(t, z[0].SharePct, share(2.4803, 48.900, 2.4810, 48.9005), 0.1)
	within(t, z[2].SharePct, share(2.4800, 48.900, 2.4803, 48.901), 0.1)
	if covered := b.covered("ppr_zone"); !strings.HasPrefix(covered, "93010") || strings.Contains(covered, "91001") {
		t.Errorf("the plan speaks for %s", covered)
	}
	b.parcel("930100000A0002", "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))")
	if got := b.valueOf("930100000A0002", "riskPlans"); got != "null" {
		t.Errorf("beside the plan, riskPlans is %s", got)
	}
	// Inside the perimeter, in none of its zones.
	b.parcel("930100000A0003", "POLYGON((2.477 48.9, 2.478 48.9, 2.478 48.901, 2.477 48.9))")
	if got := read[[]enrich.RiskPlan](b, "930100000A0003", "riskPlans"); len(got) != 1 || len(got[0].Zones) != 0 {
		t.Errorf("inside the perimeter, riskPlans is %+v", got)
	}
}
