package enrich_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"arpent/api/enrich"
	"arpent/app/testkit"
)

// geoPackage writes a package of layers in Lambert-93 below the data folder: by name, features in degrees.
func (b *bench) geoPackage(path string, layers map[string]string) {
	b.t.Helper()
	ogr, dir := testkit.Tool(b.t, "ogr2ogr"), b.t.TempDir()
	to := filepath.Join(dir, "out.gpkg")
	for name, features := range layers {
		from := filepath.Join(dir, name+".geojson")
		if err := os.WriteFile(from, []byte(`{"type":"FeatureCollection","features":[`+features+`]}`), 0o600); err != nil {
			b.t.Fatal(err)
		}
		out, err := exec.Command(ogr, "-q", "-f", "GPKG", "-update", "-append", "-t_srs", "EPSG:2154", "-nln", name, to, from).CombinedOutput()
		if err != nil {
			b.t.Fatalf("ogr2ogr: %v: %s", err, out)
		}
	}
	content, err := os.ReadFile(to)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(path, string(content))
}

// A plan in the newer model is told like one in the older: its name, its state, both kinds of its zones.
func TestRisksPlanOfTheNewerModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.contour("93010", 2.47, 48.89, 2.70, 48.92)
	const plan = `"codeprocedure":"93DRIEE20090005"`
	b.geoPackage("ppr/pprt_93driee20090005.gpkg", map[string]string{
		"pprt_93driee20090005_zonereglementaireurba_s":    box(2.4800, 48.890, 2.4820, 48.910, plan+`,"idzonereglementaire":"1","codezonereglement":"B3","libellezonereglement":"Autorisation limitée","typereglement":"02"`),
		"pprt_93driee20090005_zonereglementairefoncier_s": box(2.4800, 48.890, 2.4805, 48.910, plan+`,"idzonereglementaire":"1","codezonereglement":"De4","libellezonereglement":"Délaissement possible","typereglement":"01"`),
		"pprt_93driee20090005_perimetre_s":                box(2.475, 48.890, 2.49, 48.910, plan+`,"idperimetre":"1","etatprocedure":"APPROUVE","dateetat":"2017-02-08"`),
		"pprt_93driee20090005_procedure":                  `{"type":"Feature","geometry":null,"properties":{` + plan + `,"libelleprocedure":"PPRT Dépôt","typeprocedure":"PPRT"}}`,
	})
	for _, source := range []string{"ppr-cnig-urbanisme", "ppr-cnig-foncier", "ppr-cnig-perimetres", "ppr-cnig-procedures"} {
		counted(t, b.loadSource(source), 1, 0)
	}
	got := read[[]enrich.RiskPlan](b, square, "riskPlans")
	if len(got) != 1 || got[0].ID != "93DRIEE20090005" || *got[0].Kind != "PPRT" || *got[0].Name != "PPRT Dépôt" ||
		*got[0].State != "opposable" || *got[0].Step != "approuvé" || *got[0].ApprovedOn != "2017-02-08" {
		t.Fatalf("riskPlans is %s", b.value("riskPlans"))
	}
	z := got[0].Zones
	if len(z) != 2 || *z[0].Code != "B3" || *z[1].Label != "Délaissement possible" {
		t.Fatalf("zones are %s", b.value("riskPlans"))
	}
	within(t, z[0].SharePct, 100, 0.05)
	within(t, z[1].SharePct, share(2.4800, 48.900, 2.4805, 48.901), 0.1)
}

// What every report shows of these keys stays as the document says, and in the same order of members.
func TestRisksKeysAreDocumented(t *testing.T) {
	t.Parallel()
	keys := enrich.Keys()
	for _, name := range []string{"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe",
		"pollutedSites", "bdcaviteNearby", "bdmvtNearby"} {
		if !slices.ContainsFunc(keys, func(k enrich.Key) bool { return k.Name == name && k.Group == enrich.Risks }) {
			t.Errorf("%s is not among the risks", name)
		}
	}
}
