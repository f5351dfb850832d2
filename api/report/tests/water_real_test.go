package report_test

import (
	"compress/gzip"
	"io"
	"os"
	"slices"
	"testing"
)

// lot draws the real outlines of the communes of Lot and of the département.
func (b *fixture) lot() {
	b.T.Helper()
	file, err := os.Open(b.path("territory/admin/communes-10m/communes-46.geojson.gz"))
	if err != nil {
		b.T.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		b.T.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Exec(`INSERT INTO geo.commune_contour (code, geom, area_km2)
		SELECT f->'properties'->>'code', ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(f->'geometry'), 4326)), 1
		FROM jsonb_array_elements($1::jsonb->'features') f`, string(text))
	b.Exec(`INSERT INTO geo.departement_contour (code, geom, area_km2) SELECT '46', ST_Multi(ST_Union(geom)), 1 FROM geo.commune_contour`)
}

// The height of a real parcel is that of the real model, and no commune is claimed that the model cuts.
func TestElevationReal(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.real(t)
	b.lot()
	if o := b.LoadSource("elevation-grid"); o.Rows != 30 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	var cells, none int
	var mean, least, most float64
	err := b.DB.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE v IS NULL), avg(v), min(v), max(v)
		FROM geo.enrich_raster, unnest(cells) v WHERE layer = 'elevation'`).Scan(&cells, &none, &mean, &least, &most)
	if err != nil {
		t.Fatal(err)
	}
	if cells != 314*332 || none != 4018 {
		t.Errorf("%d cells, %d without a value", cells, none)
	}
	within(t, mean, 251.36, 0.01)
	within(t, least, 94.226, 0.001)
	within(t, most, 416.756, 0.001)
	places := b.areas("elevation")
	if len(places) != 15 || !slices.Contains(places, "46042") || slices.Contains(places, "46") { // Cahors; not the département
		t.Errorf("it speaks for %q", places)
	}
	// Three cells by two from column 150, row 160: 142.41, 162.34, 170.06, 130.38, 154.20 and 167.29 m.
	b.Parcel("460420000A0001", "POLYGON((1.42978633 44.45976344, 1.43330503 44.45981350, 1.43326014 44.46143354, 1.42974135 44.46138348, 1.42978633 44.45976344))")
	want := `{"elevationM":154.4,"elevationResolutionM":100,"coastDistanceM":null,"mountainDistanceM":null,"massif":null}`
	if got := b.valueOf("460420000A0001", "geography"); compact(t, got) != compact(t, want) {
		t.Errorf("geography is %s", got)
	}
}

// Each cell of the real Corine extract is a code of the nomenclature.
func TestLandCoverGridReal(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.real(t)
	b.lot()
	if o := b.LoadSource("clc-grid"); o.Rows != 30 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	var cells, broadleaved int
	err := b.DB.QueryRow(t.Context(), `SELECT count(v), count(*) FILTER (WHERE v = 311) FROM geo.enrich_raster, unnest(cells) v
		WHERE layer = 'land_cover'`).Scan(&cells, &broadleaved)
	if err != nil {
		t.Fatal(err)
	}
	if cells != 311*331 || broadleaved != 43644 {
		t.Errorf("%d cells, %d of them broad-leaved forest", cells, broadleaved)
	}
	if places := b.areas("land_cover_grid"); len(places) == 0 {
		t.Error("it speaks for no commune")
	}
}

// A parcel on the bank of the Lez has its name as it is on the plan, without the word for its kind.
func TestCoursEauReal(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.real(t)
	b.Parcel("34172000AB0001", "POLYGON((3.8960 43.6110, 3.8965 43.6110, 3.8965 43.6114, 3.8960 43.6110))")
	if o := b.LoadSource("montpellier-cours-d-eau"); o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	var objects, named int
	err := b.DB.QueryRow(t.Context(), `SELECT count(DISTINCT id), count(DISTINCT id) FILTER (WHERE attrs ? 'name') FROM geo.enrich_watercourse`).Scan(&objects, &named)
	if err != nil {
		t.Fatal(err)
	}
	if objects != 717 { // 841 less 124 arrows
		t.Errorf("%d watercourses", objects)
	}
	want := `{"name":"Le Lez","code":null,"nature":"Rivière","distanceM":0,"importance":null,"permanent":null}`
	if got := b.valueOf("34172000AB0001", "coursEau"); compact(t, got) != compact(t, want) || named < 200 {
		t.Errorf("coursEau is %s; %d have names", got, named)
	}
	var wrong []string
	err = b.DB.QueryRow(t.Context(), `SELECT coalesce(array_agg(DISTINCT n), '{}') FROM (SELECT attrs->>'name' AS n FROM geo.enrich_watercourse) s
		WHERE n ~* '^(ruisseau|foss[ée]|\?+|\(.*\))$' OR n ~ '[()]'`).Scan(&wrong)
	if err != nil {
		t.Fatal(err)
	}
	if len(wrong) > 0 {
		t.Errorf("taken for names: %q", wrong)
	}
}

// The extract of BD TOPO gives the water bodies of the one commune that it is of.
func TestPlanEauReal(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.real(t)
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('12', 'Aveyron', '76');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-actuelle', '12174', 'Olemps', '12', '76', '12174', '{}')`)
	for name, rows := range map[string]int64{"bdtopo-surfaces-en-eau": 27, "bdtopo-surfaces-en-eau-courante": 1} {
		o := b.LoadSource(name)
		if o.Refused != 0 || o.Rows != rows || o.Scope != "12174" {
			t.Errorf("loaded %+v", o)
		}
	}
	if got := b.areas("water_body"); !slices.Equal(got, []string{"12174"}) {
		t.Errorf("it speaks for %q", got)
	}
	if got := b.areas("watercourse"); len(got) > 0 {
		t.Errorf("wide rivers speak for %q", got)
	}
	b.Parcel("121740000A0001", "POLYGON((2.55 44.335, 2.5505 44.335, 2.5505 44.3355, 2.55 44.335))")
	// In Lambert-93 the file says 755.99 m² and 475.5 m, where a metre of the map is 0.9995 of one on the ground.
	want := `{"name":null,"code":"05S0000002244047897","nature":"Réservoir-bassin","distanceM":476,"areaM2":756,"permanent":false}`
	if got := b.valueOf("121740000A0001", "planEau"); compact(t, got) != compact(t, want) {
		t.Errorf("planEau is %s", got)
	}
}
