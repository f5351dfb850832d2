package report_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"arpent/app/dev/testkit"
)

// borrow puts a real file into the data folder of the test, under another name where as is not empty.
func (b *fixture) borrow(file, as string) {
	b.T.Helper()
	b.lendFile(filepath.Join(testkit.FullData(b.T), filepath.FromSlash(file)), cmp.Or(as, file))
}

// realFeature is one feature of a real collection, found by a property.
func (b *fixture) realFeature(file, property, value string) json.RawMessage {
	b.T.Helper()
	f, err := os.Open(filepath.Join(testkit.FullData(b.T), filepath.FromSlash(file)))
	testkit.NoError(b.T, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	testkit.NoError(b.T, err)
	var all struct {
		Features []struct {
			Properties map[string]any
			Geometry   json.RawMessage
		}
	}
	testkit.NoError(b.T, json.NewDecoder(z).Decode(&all))
	for _, x := range all.Features {
		if x.Properties[property] == value {
			return x.Geometry
		}
	}
	b.T.Fatalf("%s has no %s %s", file, property, value)
	return nil
}

// realParcel puts a parcel of the real plan in service.
func (b *fixture) realParcel(file, idu string) {
	b.T.Helper()
	b.Exec(`INSERT INTO geo.parcelle (idu, geom) VALUES ($1, ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON($2::text), 4326)))`,
		idu, string(b.realFeature(file, "id", idu)))
}

// realOutline puts a commune with its real outline in service.
func (b *fixture) realOutline(code, departement string) {
	b.T.Helper()
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ($1, $1, '76') ON CONFLICT DO NOTHING`, departement)
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, commune_code)
		VALUES ('commune-actuelle', $1, $1, $2, $1) ON CONFLICT DO NOTHING`, code, departement)
	b.Exec(`INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES ($1, ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON($2::text), 4326)), 1)`,
		code, string(b.realFeature("territory/admin/communes-10m/communes-"+departement+".geojson.gz", "code", code)))
}

// The figures below were computed from the same files by another program (OGR with SpatiaLite).

// A real parcel is in its real district, and those of 2015 are not taken.
func TestRealDistricts(t *testing.T) {
	b := newFixture(t)
	b.borrow("enrich/qpv/qp2024_simplified.geojson.gz", "")
	b.borrow("enrich/qpv/contours_QP_occitanie_2015.geojson", "") // taken by no source
	loaded(t, b.LoadSource("qpv"), 1584, 0)
	const bondy = "territory/parcels/93010-bondy/cadastre-93010-parcelles.2025-01-01.json.gz"
	b.realParcel(bondy, "930100000A0225")
	b.wantsOf("930100000A0225", "qpv", `{"code":"QN09314M",
		"name":"Abreuvoir - Bondy Nord - Bondy Centre - Pont-De-Bondy - La Sablière - Secteur Sud","sharePct":56.8}`)
}

// wantsOf compares the value of another parcel.
func (b *fixture) wantsOf(idu, key, want string) {
	b.T.Helper()
	if got := b.valueOf(idu, key); compact(b.T, got) != compact(b.T, want) {
		b.T.Errorf("%s of %s is\n%s\nwant\n%s", key, idu, got, want)
	}
}

// Two real plans, of the models of 2013 and 2017, load whole and are returned zone by zone.
func TestRealPlans(t *testing.T) {
	b := newFixture(t)
	for _, plan := range []struct {
		document, code, departement string
		zones, prescriptions        int64
	}{{"30014_PLU_20171013", "30014", "30", 90, 77}, {"41175_PLU_20140603", "41175", "41", 118, 23}} {
		b.realOutline(plan.code, plan.departement)
		b.borrow("enrich/gpu/"+plan.document+".zip", "")
		// The groups are loaded in the order of their scopes: this one is new.
		for source, rows := range map[string]int64{"gpu-zones": plan.zones, "gpu-prescriptions": plan.prescriptions} {
			b.LoadSource(source)
			b.rowsOf(source, plan.document[:9], rows)
		}
	}
	b.CoverageIs("plan_zone", "30014", "41175")
	b.Parcel("300140000A0001", extent{4.37, 43.995, 4.372, 43.997}.WKT())
	type zone struct {
		Zone, Type, Document, ValidOn string
		SharePct                      float64
	}
	var zones []zone
	testkit.NoError(t, json.Unmarshal([]byte(b.valueOf("300140000A0001", "gpu")), &zones))
	want := []zone{{"Uca", "U", "", "", 59}, {"Ap", "A", "", "", 28}, {"A", "A", "", "", 12.2}, {"IIAU", "AUc", "", "", 0.8}}
	if len(zones) != len(want) {
		t.Fatalf("the zones are %v", zones)
	}
	for i, w := range want {
		w.Document, w.ValidOn = "30014_PLU_20171013", "2017-10-13"
		if zones[i] != w {
			t.Errorf("zone %d is %v, want %v", i, zones[i], w)
		}
	}
	b.wantsOf("300140000A0001", "gpuPrescriptions", `[
		{"type":"99","subtype":"00","label":"Zone de franc-bord","document":"30014_PLU_20171013","regulation":null,"regulationUrl":null,"sharePct":9.1},
		{"type":"18","subtype":"00","label":"Secteur comportant des orientations d'aménagement et de programmation",
			"document":"30014_PLU_20171013","regulation":null,"regulationUrl":null,"sharePct":0.8}]`)
}

// rowsOf compares what geo.load remembers of the active load of a scope.
func (b *fixture) rowsOf(source, scope string, want int64) {
	b.T.Helper()
	var got, refused int64
	testkit.NoError(b.T, b.DB.QueryRow(b.T.Context(), `SELECT row_count, refused_count FROM geo.load WHERE source = $1 AND scope = $2 AND active`,
		source, scope).Scan(&got, &refused))
	if got != want || refused != 0 {
		b.T.Errorf("%s %s has %d rows and %d refused, want %d", source, scope, got, refused, want)
	}
}

// Real archives of easements have the names of what they protect.
func TestRealEasements(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('28', 'Eure-et-Loir', '24')`)
	b.realOutline("83044", "83")
	for _, name := range []string{"172014607_AC1_2A_20180130", "110068012_PM3_28_20161104", "213000896_INT1_83044_20160130"} {
		b.borrow("enrich/sup/"+name+".zip", "")
	}
	b.loadEasements()
	b.rowsOf("sup-assiettes", "172014607_AC1_2A", 206)
	b.rowsOf("sup-servitudes", "172014607_AC1_2A", 102) // of 104, two are written twice
	b.rowsOf("sup-generateurs", "172014607_AC1_2A", 102)
	b.rowsOf("sup-assiettes", "110068012_PM3_28", 3)
	b.rowsOf("sup-assiettes", "213000896_INT1_83044", 1)
	b.CoverageIs("easement", "28", "2A", "83044")
	b.CoverageIs("easement AC1", "2A")
	b.realParcel("territory/parcels/2A247-porto-vecchio/cadastre-2A247-parcelles.subset.json.gz", "2A2470000D1550")
	b.wantsOf("2A2470000D1550", "sup", `[{"category":"AC1","name":"Moulin de Guardienna","kind":"Périmètre de protection",
		"document":"172014607_AC1_2A_20180130","sharePct":44.2}]`)
}
