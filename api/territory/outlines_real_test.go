package territory_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"

	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// communesOfFrance are those that have an outline.
const communesOfFrance = 34875

// The outlines of the repository cover the country: one for each commune, département and région, without
// gaps and overlaps between neighbours, and each is served with its rings as RFC 7946 wants them.
func TestOutlinesOfTheBox(t *testing.T) {
	t.Parallel()
	pool, _, _ := loadkit.Box(t)
	b := &loadkit.Fixture{T: t, DB: pool}
	b.Want(`SELECT (SELECT count(*) FROM geo.commune_contour), (SELECT count(*) FROM geo.arrondissement_contour),
		(SELECT count(*) FROM geo.departement_contour), (SELECT count(*) FROM geo.region_contour)`, "34875|45|96|18")
	// Communes that overlap have together more area than their région or département, and those with gaps
	// between them less: a gap is closed in its outline. A square metre in a million is the rounding of a
	// repair.
	b.Exec(`CREATE TABLE measured AS SELECT code, ST_Area(geom) AS area, ST_PointOnSurface(geom) AS point FROM geo.commune_contour`)
	for _, of := range []string{"departement", "region"} {
		b.Want(`SELECT r.code, c.area / ST_Area(r.geom) - 1 AS differs FROM geo.`+of+`_contour r JOIN (
				SELECT k.`+of+`_code AS code, sum(area) AS area, ST_Collect(point) AS points
				FROM measured JOIN geo.commune k USING (code) WHERE k.type = 'commune-actuelle' GROUP BY 1) c USING (code)
			WHERE abs(c.area / ST_Area(r.geom) - 1) > 1e-6 OR NOT ST_Covers(r.geom, c.points)`, "")
	}
	b.Want(`SELECT k.commune_code, abs(sum(ST_Area(a.geom)) / ST_Area(c.geom) - 1) < 1e-6 AS same FROM geo.arrondissement_contour a
		JOIN geo.commune k ON k.code = a.code AND k.type = 'arrondissement-municipal' JOIN geo.commune_contour c ON c.code = k.commune_code
		GROUP BY k.commune_code, c.geom`, "13055|true\n69123|true\n75056|true")
	s := testkit.Must(territory.Load(t.Context(), pool))(t)
	checkServedRings(t, b, s, testkit.Rounds(1000, communesOfFrance))
	t.Run("addresses", func(t *testing.T) { checkAddresses(t, b, s) })
	t.Run("full outlines", func(t *testing.T) { compareFullOutlines(t, b, testkit.Rounds(4, 101)) })
	t.Run("former communes", func(t *testing.T) { checkFormerCommunes(t, b, s) })
}

// checkAddresses looks up the addresses of BANO in the data folder: 99.5 %
// and more lie in the commune that they name.
func checkAddresses(t *testing.T, b *loadkit.Fixture, s *territory.Snapshot) {
	files, err := filepath.Glob(filepath.Join(testkit.FullData(t), "territory", "addresses", "bano-2016", "*.csv.gz"))
	if err != nil || len(files) == 0 {
		t.Skipf("ARPENT_DATA has no addresses of BANO: %v", err)
	}
	current := map[string]string{}
	for line := range strings.Lines(b.Text(`SELECT unnest(former_codes || code) AS old, code FROM geo.commune
		WHERE type = 'commune-actuelle'`)) {
		old, code, _ := strings.Cut(strings.TrimSpace(line), "|")
		current[old] = code
	}
	total, found := 0, 0
	for _, file := range files {
		for line := range strings.Lines(readGzip(t, file)) {
			cells := strings.Split(strings.TrimSpace(line), ",")
			lat, wrongLat := strconv.ParseFloat(cells[len(cells)-2], 64)
			lon, wrongLon := strconv.ParseFloat(cells[len(cells)-1], 64)
			code, known := current[cells[0][:5]]
			if wrongLat != nil || wrongLon != nil || !known {
				continue
			}
			total++
			if place, err := s.PlaceAt(lat, lon); err == nil && place.CodeInsee == code {
				found++
			}
		}
	}
	t.Logf("%d of %d addresses lie in the commune that they name", found, total)
	if total < 100_000 || float64(found) < 0.995*float64(total) {
		t.Errorf("%d of %d addresses lie in the commune that they name; want 99.5 %%", found, total)
	}
}

// Shares of the area of a département, in percent: maxMoved that another commune has in the box than in the
// full outlines, or none; maxGrown by which it is larger or smaller.
const (
	maxMoved = 0.5
	maxGrown = 0.1
)

// compareFullOutlines compares the outlines of some départements with those that they were generalised from.
func compareFullOutlines(t *testing.T, b *loadkit.Fixture, some int) {
	files, err := filepath.Glob(filepath.Join(testkit.FullData(t), "territory", "admin", "communes-10m", "*.geojson.gz"))
	if err != nil || len(files) == 0 {
		t.Skipf("ARPENT_DATA has no full outlines: %v", err)
	}
	b.Exec(`CREATE TABLE full_contour (code text, geom geometry)`)
	step := len(files) / some
	for i := range some {
		b.Exec(`INSERT INTO full_contour SELECT f->'properties'->>'code', ST_MakeValid(ST_GeomFromGeoJSON(f->'geometry'))
			FROM jsonb_array_elements($1::jsonb->'features') f`, readGzip(t, files[i*step]))
	}
	rows, err := b.DB.Query(t.Context(), `SELECT k.departement_code, count(*), sum(ST_Area(ST_SymDifference(c.geom, f.geom))) / 2 / sum(ST_Area(f.geom)) * 100,
			(sum(ST_Area(c.geom)) / sum(ST_Area(f.geom)) - 1) * 100
		FROM full_contour f JOIN geo.commune_contour c USING (code) JOIN geo.commune k ON k.code = c.code AND k.type = 'commune-actuelle'
		GROUP BY 1 ORDER BY 3 DESC`)
	testkit.NoError(t, err)
	communes, departements := 0, 0
	var code string
	var n int
	var moved, grown float64
	if _, err := pgx.ForEachRow(rows, []any{&code, &n, &moved, &grown}, func() error {
		communes, departements = communes+n, departements+1
		t.Logf("%s: %d communes, %.3f %% of the area moved, %+.4f %% larger", code, n, moved, grown)
		if moved > maxMoved || math.Abs(grown) > maxGrown {
			t.Errorf("%s differs too much from the full outlines", code)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if departements != some || some == len(files) && communes != communesOfFrance {
		t.Errorf("%d communes of %d départements are compared", communes, departements)
	}
}

// checkServedRings asks for n communes, and for all that they are in, with their outlines.
func checkServedRings(t *testing.T, b *loadkit.Fixture, s *territory.Snapshot, n int) {
	t.Helper()
	rows, err := b.DB.Query(t.Context(), `(SELECT 'commune', code FROM geo.commune_contour ORDER BY md5(code) LIMIT $1) UNION ALL
		SELECT 'departement', code FROM geo.departement_contour UNION ALL SELECT 'region', code FROM geo.region_contour`, n)
	testkit.NoError(t, err)
	defer rows.Close()
	served := 0
	for rows.Next() {
		var kind, code string
		testkit.NoError(t, rows.Scan(&kind, &code))
		find := map[string]func(string, territory.Include) (reply.Reply, error){
			"commune": s.Commune, "departement": s.Departement, "region": s.Region}[kind]
		answer, err := find(code, territory.Include{Members: geom.Members{Geometry: true, Centre: true, Bbox: true}})
		if err != nil {
			t.Fatalf("%s %s: %v", kind, code, err)
		}
		var body struct {
			Geometry struct {
				Type        string
				Coordinates json.RawMessage
			}
			Centre struct{ Lat, Lon float64 }
			Bbox   [4]float64
		}
		testkit.NoError(t, json.Unmarshal(answer.Body, &body))
		polygons := make(orb.MultiPolygon, 1)
		into := any(&polygons)
		if body.Geometry.Type == "Polygon" {
			into = &polygons[0]
		}
		if err := json.Unmarshal(body.Geometry.Coordinates, into); err != nil {
			t.Fatalf("the outline of %s %s: %v", kind, code, err)
		}
		for _, p := range polygons {
			for i, ring := range p {
				if (ring.Orientation() == orb.CCW) != (i == 0) {
					t.Errorf("%s %s: ring %d runs in the wrong direction", kind, code, i)
				}
			}
		}
		box, centre := polygons.Bound(), orb.Point{body.Centre.Lon, body.Centre.Lat}
		if body.Bbox != [4]float64{box.Min[0], box.Min[1], box.Max[0], box.Max[1]} {
			t.Errorf("%s %s: bbox %v, the outline has %v", kind, code, body.Bbox, box)
		}
		if !planar.MultiPolygonContains(polygons, centre) {
			t.Errorf("%s %s: the centre %v lies outside", kind, code, centre)
		}
		served++
	}
	if err := rows.Err(); err != nil || served != n+96+18 {
		t.Errorf("%d outlines are served: %v", served, err)
	}
}

func readGzip(t *testing.T, path string) string {
	t.Helper()
	file := testkit.Must(os.Open(path))(t)
	defer file.Close()
	z := testkit.Must(gzip.NewReader(file))(t)
	content := testkit.Must(io.ReadAll(z))(t)
	return string(content)
}
