package report_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// grid writes a grid by hand: values row by row from the north-west, as text, with -9999 for none.
func (b *fixture) grid(path, srs string, west, south, cell float64, rows ...string) {
	b.T.Helper()
	text := fmt.Sprintf("ncols %d\nnrows %d\nxllcorner %.10g\nyllcorner %.10g\ncellsize %.10g\nNODATA_value -9999\n%s\n",
		len(strings.Fields(rows[0])), len(rows), west, south, cell, strings.Join(rows, "\n"))
	if strings.HasSuffix(path, ".asc") {
		b.Write(path, text)
		return
	}
	b.Write(path+".txt", text)
	b.gdal("gdal_translate", "-q", "-of", "GTiff", "-a_srs", srs, b.path(path+".txt"), b.path(path))
}

// altitudeTile is a tile of IGN's elevation model of the département.
const altitudeTile = "RGEALTI_2-0_5M_ASC_LAMB93-IGN69_D093_2023-08-10/RGEALTI_MNT_LAMB93.tif"

// A customer gets the mean height of the cells of the parcel; cells
// without a value do not count as sea level.
func TestElevationIsTheMeanOfTheCells(t *testing.T) {
	b := newFixture(t)
	// Centres at 2.48025 and 2.48075, 48.90075 and 48.90025 lie in the
	// parcel: 10, 20, 31 and one without a value.
	b.grid(altitudeTile, "EPSG:4326", 2.4795, 48.8995, 0.0005,
		"900 900 900 900",
		"900 10 20 900",
		"900 31 -9999 900",
		"900 900 900 900")
	if o := b.LoadSource("altitudes-ign"); o.Rows != 1 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	b.wants("geography", `{"elevationM":20.3,"elevationResolutionM":55.6,"coastDistanceM":null,"mountainDistanceM":null,"massif":null}`)
}

// A parcel between the centres has the value of the cell that it lies in.
func TestElevationUnderASmallParcel(t *testing.T) {
	b := newFixture(t)
	b.grid(altitudeTile, "EPSG:4326", 2.48, 48.895, 0.01, "7.25")
	b.LoadSource("altitudes-ign")
	b.wants("geography", `{"elevationM":7.3,"elevationResolutionM":1112,"coastDistanceM":null,"mountainDistanceM":null,"massif":null}`)
	b.Exec(`DELETE FROM geo.enrich_raster`)
	b.wants("geography", `null`)
}

// IGN's grids are many, name no projection, and lie next to others that hold no heights.
func TestAltitudes(t *testing.T) {
	b := newFixture(t)
	x, y := b.Lambert93(2.4805, 48.9005)
	x, y = math.Floor(x/25)*25-50, math.Floor(y/25)*25-100
	const folder = "RGEALTI_2-0_25M_ASC_LAMB93-IGN69_D093_2023-08-10/"
	b.grid(folder+"RGEALTI_FXX_0660_6870_MNT_LAMB93_IGN69.asc", "", x, y, 25, "40 41 42 43", "44 45 46 47", "48 49 50 51", "52 53 54 55", "56 57 58 59", "60 61 62 63")
	b.grid(folder+"RGEALTI_FXX_0665_6870_MNT_LAMB93_IGN69.asc", "", x+100, y, 25, "-99999 99", "99 99", "99 99", "99 99", "99 99", "99 99")
	b.grid(folder+"RGEALTI_FXX_0660_6870_SRC_LAMB93_IGN69.asc", "", x, y, 25, "1 1", "1 1")
	o := b.LoadSource("altitudes-ign")
	if o.Rows != 2 || o.Refused != 0 || o.Scope != "93" || o.Vintage != "2023-08-10" || len(o.Files) != 2 {
		t.Errorf("loaded %+v", o)
	}
	within(t, b.number("geography", "elevationM"), b.plainMean("elevation"), 0.05)
	b.wants("soilPh", `null`)
}

// plainMean looks at each cell of a layer on its own.
func (b *fixture) plainMean(layer string) float64 {
	b.T.Helper()
	var mean float64
	err := b.DB.QueryRow(b.T.Context(), `SELECT avg(v) FROM geo.enrich_raster t CROSS JOIN LATERAL unnest(t.cells) WITH ORDINALITY AS u(v, n)
		JOIN geo.parcelle p ON p.idu = $2 AND ST_Contains(ST_Transform(p.geom, t.srid), ST_SetSRID(ST_MakePoint(
			t.west + ((n - 1) % t.width + 0.5) * t.cell_x, t.north - ((n - 1) / t.width + 0.5) * t.cell_y), t.srid))
		WHERE t.layer = $1`, layer, square).Scan(&mean)
	testkit.NoError(b.T, err)
	return mean
}

// Whatever the form of a parcel and the place of the tiles, the cells are those whose centres lie in it.
func TestGridCellsOfAnyShape(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.enrich_raster (part, id, layer, srid, west, north, cell_x, cell_y, cell_m, width, height, cells, geom)
		SELECT 'x', i || ' ' || j, 'elevation', 2154, w, n, 10, 10, 10, 7, 7,
			ARRAY(SELECT CASE WHEN k % 11 = 3 THEN NULL ELSE (i * 1000 + j * 100 + k)::real END FROM generate_series(1, 49) k),
			ST_Transform(ST_MakeEnvelope(w, n - 70, w + 70, n, 2154), 4326)
		FROM (SELECT i, j, 661800 + i * 70.0 AS w, 6866900 - j * 70.0 AS n FROM generate_series(0, 5) i, generate_series(0, 5) j) g`)
	var shapes, wrong int
	err := b.DB.QueryRow(t.Context(), `WITH shape AS (
		SELECT seed, ST_Transform(ST_MakeValid(ST_MakePolygon(ST_MakeLine(p || p[1]))), 4326) AS shape FROM (
			SELECT seed, ARRAY(SELECT ST_SetSRID(ST_MakePoint(
					662010 + (40 + 150 * abs(sin(seed * 7.3 + k * k * 1.7))) * cos(2 * pi() * k / 23),
					6866690 + (40 + 150 * abs(sin(seed * 7.3 + k * k * 1.7))) * sin(2 * pi() * k / 23)), 2154) FROM generate_series(1, 23) k) AS p
			FROM generate_series(1, 60) seed) s
	), found AS (
		SELECT seed, (SELECT array_agg(value ORDER BY value) FROM geo.grid_cells('elevation', shape)) AS got,
			(SELECT array_agg(v ORDER BY v) FROM geo.enrich_raster t CROSS JOIN LATERAL unnest(t.cells) WITH ORDINALITY AS u(v, n)
				WHERE v IS NOT NULL AND ST_Contains(ST_Transform(shape, 2154), ST_SetSRID(ST_MakePoint(
				t.west + ((n - 1) % 7 + 0.5) * 10, t.north - ((n - 1) / 7 + 0.5) * 10), 2154))) AS want
		FROM shape)
	SELECT count(*) FILTER (WHERE cardinality(want) > 100), count(*) FILTER (WHERE got IS DISTINCT FROM want) FROM found`).Scan(&shapes, &wrong)
	testkit.NoError(t, err)
	if shapes < 30 || wrong > 0 {
		t.Errorf("%d of %d shapes have other cells", wrong, shapes)
	}
}

// SoilGrids comes in a projection without a code, and holds ten times the pH.
func TestSoilPh(t *testing.T) {
	b := newFixture(t)
	x, y := b.goode(2.4805, 48.9005)
	rows := []string{"64 64 64", "64 62 64", "64 64 -9999"}
	b.grid("soil/phh2o_0-5cm_mean.tif", "+proj=igh +lon_0=0 +datum=WGS84 +units=m", x-375, y-375, 250, rows...)
	b.outline("93010", extent{2.48 - 0.00001, 48.90 - 0.00001, 2.481 + 0.00001, 48.901 + 0.00001})
	b.LoadSource("soil-ph-0-5")
	b.wants("soilPh", `{"ph0to5":6.2,"ph5to15":null,"source":"SoilGrids","resolutionM":250}`)
	b.grid("soil/phh2o_5-15cm_mean.tif", "EPSG:4326", 2.479, 48.899, 0.002, "655 65 0", "66 66 66")
	b.LoadSource("soil-ph-5-15")
	b.wants("soilPh", `{"ph0to5":6.2,"ph5to15":6.6,"source":"SoilGrids","resolutionM":250}`)
	b.Exec(`UPDATE geo.enrich_raster SET cells = array_fill(NULL::real, ARRAY[width * height])`)
	b.wants("soilPh", `null`) // a town
}

func (b *fixture) goode(lon, lat float64) (x, y float64) {
	b.T.Helper()
	err := b.DB.QueryRow(b.T.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), 54052) p`, lon, lat).Scan(&x, &y)
	testkit.NoError(b.T, err)
	return x, y
}

// A projection that the database does not know is left for degrees; the value stays that of the cell.
func TestGridOfAnUnknownProjection(t *testing.T) {
	b := newFixture(t)
	b.grid(altitudeTile, "+proj=laea +lat_0=48.9005 +lon_0=2.4805 +ellps=GRS80 +units=m", -300, -300, 200, "1 2 3", "4 5 6", "7 8 9")
	b.LoadSource("altitudes-ign")
	within(t, b.number("geography", "elevationM"), 5, 0)
}

// A sea is as far as it is on the globe, not on a map: the nearest piece in degrees is not the nearest one.
func TestCoastAndMountains(t *testing.T) {
	b := newFixture(t)
	b.Write("limite_terre_mer_france_metropolitaine.geojson", `{"type":"FeatureCollection","features":[`+strings.Join([]string{
		waterLine(``, `[[-5.1,48.0,0],[-5.1,48.2,0]]`), waterLine(``, `[[2.0,51.2,0],[2.9,51.2,0]]`), waterLine(``, `[[3.0,42.3,0],[3.2,42.3,0]]`),
		waterLine(``, `[[7.6,43.7,0],[7.7,43.7,0]]`), waterLine(``, `[[2.52,48.90,0],[2.52,48.901,0],[2.52,48.95,0]]`),
		waterLine(``, `[[2.48,48.930,0],[2.481,48.930,0]]`)}, ",")+`]}`)
	if o := b.LoadSource("coast"); o.Rows != 6 {
		t.Errorf("loaded %+v", o)
	}
	coast := rounded(apart(2.481, 48.9005, 2.52, 48.9005))
	b.wants("geography", fmt.Sprintf(`{"elevationM":null,"elevationResolutionM":null,"coastDistanceM":%d,"mountainDistanceM":null,"massif":null}`, coast))
	b.Exec(`DELETE FROM geo.coverage WHERE layer = 'coast'`)
	b.Write("massifs.geojson", `{"type":"FeatureCollection","features":[`+waterBox(`"massif":"Jura"`, 6.0, 46.5, 6.6, 47.2)+`,`+
		waterBox(`"nom_massif":"Collines"`, 2.47, 48.86, 2.49, 48.88)+`]}`)
	b.LoadSource("massifs")
	b.wants("geography", "null") // two hills are not all the mountains
	b.cover("mountain", "93")
	b.wants("geography", fmt.Sprintf(`{"elevationM":null,"elevationResolutionM":null,"coastDistanceM":null,"mountainDistanceM":%d,"massif":null}`,
		rounded(apart(2.4805, 48.88, 2.4805, 48.90))))
	b.Exec(`UPDATE geo.enrich_mountain SET geom = ST_Translate(geom, 0, 0.02)`)
	b.wants("geography", `{"elevationM":null,"elevationResolutionM":null,"coastDistanceM":null,"mountainDistanceM":0,"massif":"Collines"}`)
}

// Mountains speak for the mainland when all of them are there, and for an island when its own are.
func TestMountainsCover(t *testing.T) {
	b := newFixture(t)
	mainland := waterBox(`"massif":"Pyrénées"`, -1.8, 42.6, 2.4, 43.2) + "," + waterBox(`"massif":"Corse"`, 8.6, 41.5, 9.4, 42.9) + "," +
		waterBox(`"massif":"Vosges"`, 6.5, 47.7, 7.3, 48.6)
	write := func(features string) {
		b.Write("massifs.geojson", `{"type":"FeatureCollection","features":[`+features+`]}`)
		b.LoadSource("massifs")
	}
	write(mainland)
	if got := b.Covered("mountain"); !slices.Equal(got, []string{"2A", "34", "75", "91", "93"}) {
		t.Errorf("those of the mainland speak for %q", got)
	}
	write(mainland + "," + waterBox(`"massif":"Réunion"`, 55.4, -21.2, 55.6, -21.0))
	if got := b.Covered("mountain"); !slices.Contains(got, "974") {
		t.Errorf("with those of La Réunion they speak for %q", got)
	}
}

// A part of the coast would make it look farther than it is.
func TestAPartOfTheCoastSpeaksForNoPlace(t *testing.T) {
	b := newFixture(t)
	b.Write("limtm_normandie.geojson", `{"type":"FeatureCollection","features":[`+waterLine(``, `[[0.1,49.5],[0.2,49.7]]`)+`]}`)
	b.LoadSource("coast")
	b.wants("geography", `null`)
}

// The walk to the coast and to the mountains begins at the nearest piece and ends soon: none of
// them is read whole, however many there are.
func TestCoastAndMountainsAreNotReadWhole(t *testing.T) {
	b := newFixture(t)
	for _, layer := range []string{"coast", "mountain"} {
		b.Exec(`INSERT INTO geo.enrich_` + layer + ` (part, id, attrs, geom)
			SELECT 'x', i::text, '{"massif":"Alpes"}', ST_SetSRID(ST_Expand(ST_MakePoint(2.48 + 5 * cos(a), 46.5 + 4 * sin(a)), 0.002), 4326)
			FROM (SELECT i, i * pi() / 5000 AS a FROM generate_series(0, 9999) i) s`)
		b.Exec(`ANALYZE geo.enrich_` + layer)
	}
	tx, err := b.DB.Begin(t.Context())
	testkit.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(t.Context(), `SELECT geo.coast_metres(geom), geo.nearest_mountain(geom) FROM geo.parcelle`)
	testkit.NoError(t, err)
	var whole string
	err = tx.QueryRow(t.Context(), `SELECT coalesce(string_agg(relname, ' '), '') FROM pg_stat_xact_user_tables
		WHERE relname IN ('enrich_coast', 'enrich_mountain') AND (seq_scan > 0 OR idx_scan IS DISTINCT FROM 1)`).Scan(&whole)
	testkit.NoError(t, err)
	if whole != "" {
		t.Errorf("read whole: %s", whole)
	}
}

// Far from the coast the nearest of thousands of pieces is found as if all had been measured.
func TestCoastFarAway(t *testing.T) {
	b := newFixture(t)
	b.cover("coast", "")
	b.Exec(`INSERT INTO geo.enrich_coast (part, id, attrs, geom)
		SELECT 'x', i::text, '{}', ST_SetSRID(ST_MakeLine(ST_MakePoint(2.48 + (5 + 0.1 * sin(a * 41)) * cos(a), 46.5 + (3.9 + 0.1 * cos(a * 31)) * sin(a)),
			ST_MakePoint(2.48 + (5 + 0.1 * sin(b * 41)) * cos(b), 46.5 + (3.9 + 0.1 * cos(b * 31)) * sin(b))), 4326)
		FROM (SELECT i, i * pi() / 1000 AS a, (i + 1) * pi() / 1000 AS b FROM generate_series(0, 1999) i) s`)
	b.Exec(`ANALYZE geo.enrich_coast`)
	for _, p := range [][2]float64{{2.48, 46.5}, {2.6, 46.55}, {4.0, 45.0}, {-1.5, 47.5}} {
		var got, want float64
		err := b.DB.QueryRow(t.Context(), `SELECT geo.coast_metres(s), (SELECT min(geo.metres(geom, s)) FROM geo.enrich_coast)
			FROM ST_MakeEnvelope($1, $2, $1::float8 + 0.02, $2::float8 + 0.01, 4326) s`, p[0], p[1]).Scan(&got, &want)
		testkit.NoError(t, err)
		within(t, got, want, 0)
	}
}
