package bench_test

import (
	"testing"

	"arpent/app/dev/bench"
	"arpent/app/dev/testkit"
)

const names = `INSERT INTO geo.departement (code, name, region_code) VALUES ('2A', 'Corse-du-Sud', '94');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
SELECT 'commune-actuelle', code, code, '2A', '94', code FROM generate_series(1, 9) i CROSS JOIN LATERAL (SELECT '2A' || lpad(i::text, 3, '0') AS code) c`

// A measurement on parcels that overlap, or lie outside their commune, would measure what no cadastre has.
func TestSyntheticParcelsAreLikeReal(t *testing.T) {
	t.Parallel()
	db, _ := testkit.DB(t)
	testkit.Exec(t, db, names)
	for range 2 { // the second time all is there
		testkit.NoError(t, bench.FillSynthetic(t.Context(), db, 3000, false))
	}
	for what, c := range map[string]struct {
		query string
		want  int
	}{
		"parcels":        {`SELECT count(*) FROM geo.parcelle`, 3000},
		"communes":       {`SELECT count(*) FROM geo.parcelle_commune`, 2},
		"loads":          {`SELECT count(*) FROM geo.load`, 1},
		"invalid shapes": {`SELECT count(*) FROM geo.parcelle WHERE NOT ST_IsValid(geom) OR ST_NPoints(geom) <> 9`, 0},
		"parcels outside their commune": {`SELECT count(*) FROM geo.parcelle p JOIN geo.commune_contour c ON c.code = left(p.idu, 5)
			WHERE NOT ST_Covers(c.geom, p.geom)`, 0},
		"overlaps": {`SELECT count(*) FROM geo.parcelle p JOIN geo.parcelle o ON o.idu > p.idu AND o.geom && p.geom
			WHERE ST_Area(ST_Intersection(p.geom, o.geom)::geography) > 0.1`, 0},
		"outlines":    {`SELECT count(*) FROM geo.commune_contour`, 9},
		"of a region": {`SELECT count(*) FROM geo.region_contour`, 1},
	} {
		if n := testkit.Count(t, db, c.query); n != c.want {
			t.Errorf("%s: %d, want %d", what, n, c.want)
		}
	}
	if err := bench.FillSynthetic(t.Context(), db, 30_000, false); err == nil {
		t.Error("more parcels than there is room for are made")
	}
}
