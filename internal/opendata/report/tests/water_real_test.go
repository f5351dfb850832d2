package report_test

import (
	"slices"
	"testing"
)

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
	// In Lambert-93 the file says 755.99 m² and 475.5 m, where a metre of
	// the map is 0.9995 of one on the ground.
	want := `{"name":null,"code":"05S0000002244047897","nature":"Réservoir-bassin","distanceM":476,"areaM2":756,"permanent":false}`
	if got := b.valueOf("121740000A0001", "planEau"); compact(t, got) != compact(t, want) {
		t.Errorf("planEau is %s", got)
	}
}
