package report_test

import (
	"fmt"
	"testing"

	"arpent/api/state"
)

// Near the edge of an extract nothing is called absent, complete or nearest that may be otherwise beyond: else a buyer reads that no
// polluted site is near where the file simply ends. The parcel is 660 m from the next commune.
func TestBeyondTheEdgeOfAnExtractNothingIsKnown(t *testing.T) {
	t.Parallel()
	const far, near = 2.500, 2.483 // some 1 390 m and 150 m from the parcel
	for _, tc := range []struct {
		layer, table, key, attrs string
		lon                      float64 // 0: nothing
		area                     string
		want                     state.State
	}{
		{"icpe", "icpe", "icpe", `{}`, 0, "93010", state.NotCovered},                      // a radius of 1 000 m
		{"icpe", "icpe", "icpe", `{}`, near, "93010", state.NotCovered},                   // a list that lacks what lies beyond
		{"icpe", "icpe", "icpe", `{}`, 0, "93", state.None},                               // the département goes on
		{"icpe", "icpe", "icpe", `{}`, 0, "", state.None},                                 // and so does France
		{"polluted_site", "polluted_site", "pollutedSites", `{}`, 0, "93010", state.None}, // a radius of 500 m
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, near, "93010", state.Value},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, far, "93010", state.NotCovered},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, 0, "93010", state.NotCovered},
		{"facility", "facility", "nearbyServices", `{"type":"B201"}`, near, "93010", state.NotCovered},
		{"mobile_mast", "mobile_mast", "nearestMobile", `{"operator":"ORANGE","generation":"4G"}`, 0, "93", state.NotCovered}, // the next département
	} {
		t.Run(fmt.Sprint(tc.key, " ", tc.area, " ", tc.lon), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
				('commune-actuelle', '93001', 'Aubervilliers', '93', '11', '93001', '{}')`)
			b.contour("93010", 2.47, 48.89, 2.49, 48.91)
			b.contour("93001", 2.49, 48.89, 2.60, 48.91)
			b.Exec(`INSERT INTO geo.departement_contour (code, geom, area_km2) VALUES
				('93', ST_Multi(ST_MakeEnvelope(2.47, 48.89, 2.60, 48.91, 4326)), 1), ('75', ST_Multi(ST_MakeEnvelope(2.60, 48.89, 2.70, 48.91, 4326)), 1)`)
			b.cover(tc.layer, tc.area)
			if tc.lon != 0 {
				b.Exec(fmt.Sprintf(`INSERT INTO geo.enrich_%s (part, id, attrs, geom)
					VALUES ('test', '1', $1::jsonb, ST_SetSRID(ST_MakePoint($2::float8, 48.9005), 4326))`, tc.table), tc.attrs, tc.lon)
			}
			if got := b.stateOf(tc.key, "93").State; got != tc.want {
				t.Errorf("%s is %s; want %s", tc.key, got, tc.want)
			}
			if got := b.value(tc.key); tc.want == state.NotCovered && got != "null" {
				t.Errorf("%s is %s in state %s", tc.key, got, tc.want)
			}
		})
	}
}
