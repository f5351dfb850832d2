package territory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/api/territory"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// landAreas are those of an edition of INSEE: of Paris of an older one too, none of Bobigny and another
// commune, which were split, but of their département.
const landAreas = `
INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
SELECT 'comparateur-superficie', year, 'INSEE', 'superficie', 'test', '[]', '', 0, 0, '[]', now(), now(), true FROM unnest('{2019,2021}'::text[]) year;
INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
    ('comparateur-superficie/2019', 'commune', '75056', 'area.land', '2019', 99, 'ok'),
    ('comparateur-superficie/2021', 'commune', '75056', 'area.land', '2021', 105.395, 'ok'),
    ('comparateur-superficie/2021', 'commune', '93010', 'area.land', '2021', 5.47, 'ok'),
    ('comparateur-superficie/2021', 'commune', '93008', 'area.land', '2021', NULL, 'split'),
    ('comparateur-superficie/2021', 'commune', '93099', 'area.land', '2021', NULL, 'split'),
    ('comparateur-superficie/2021', 'commune', '93001', 'area.land', '2021', 12.4, 'ok'),
    ('comparateur-superficie/2021', 'commune', '97411', 'area.land', '2021', 142.79, 'ok'),
    ('comparateur-superficie/2021', 'departement', '93', 'area.land', '2021', 230.4, 'ok')`

// A customer who divides by the area gets the figure that INSEE divides by, and can see where it is another:
// the newest land area where one is published, of a larger territory the sum of all its communes, where one
// was split that of its département, which density is of, else the area of the outline, which stands next to
// it in any case.
func TestAreaIsTheLandAreaThatIsPublished(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	testkit.Exec(t, pool, landAreas)
	s := testkit.Must(territory.Load(t.Context(), pool))(t)
	plain := territory.Include{}
	for code, want := range map[string]string{
		"75056": "105.4 INSEE, superficie 2021 105.4", "93010": "5.47 INSEE, superficie 2021 100.12", "97411": "142.79 INSEE, superficie 2021 142.79",
		"93008": "7 none 0 7", "93099": "0 none 0 0", "75": "105.4 INSEE, superficie 2021 105.4", "93": "230.4 INSEE, superficie 2021 236.2", "04": "142.79 INSEE, superficie 2021 0",
	} {
		r, err := s.Commune(code, plain)
		switch {
		case code == "04":
			r, err = s.Region(code, plain)
		case len(code) == 2:
			r, err = s.Departement(code, plain)
		}
		testkit.NoError(t, err)
		var of struct {
			AreaKm2 float64
			territory.Area
		}
		testkit.NoError(t, json.Unmarshal(r.Body, &of))
		source, year, outline := "none", 0, 0.0
		if of.AreaSource != nil {
			source, year = *of.AreaSource, *of.AreaYear
		}
		if of.OutlineAreaKm2 != nil {
			outline = *of.OutlineAreaKm2
		}
		testkit.Want(t, fmt.Sprint(of.AreaKm2, " ", source, " ", year, " ", outline), want, code)
	}
}

// An outline comes with its source, its year and how far it was generalised, and a point that is as near to
// another commune says so: a shop at a border would else be placed in the wrong commune without a warning.
func TestOutlinesSayHowPreciseTheyAre(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	for files, want := range map[string]struct{ origin, note string }{
		`[{"name":"admin/communes-10m/communes-93.geojson.gz"},{"name":"communes-5m-2026.geojson"}]`: {`"precisionM":10}`, ""},
		`[{"name":"outlines/communes.topo.json.gz"}]`: {`"precisionM":20}`,
			"The point is 11 m from the border of Bobigny (93008) as it is drawn. Outlines are generalised by about 20 m: it may lie there."},
	} {
		_, err := pool.Exec(t.Context(), "UPDATE geo.load SET files = $1", files)
		testkit.NoError(t, err)
		_, err = pool.Exec(t.Context(), "UPDATE geo.commune_contour SET edition = 'api-geo-2025, api-geo-2018'")
		testkit.NoError(t, err)
		s := testkit.Must(territory.Load(t.Context(), pool))(t)
		answer, err := s.Commune("93010", territory.Include{Members: geom.Members{Geometry: true}})
		if got := gjson.GetBytes(answer.Body, "outline").Raw; err != nil ||
			got != `{"source":"test, test","edition":"2018, 2025",`+want.origin {
			t.Errorf("%s: outline %s, %v", files, got, err)
		}
		if plain, err := s.Commune("93010", territory.Include{}); err != nil ||
			gjson.GetBytes(plain.Body, "outline").Exists() {
			t.Errorf("without an outline: %s, %v", plain.Body, err)
		}
		at, err := s.CommuneAt(2, 3.9999, territory.Include{})
		if got := gjson.GetBytes(at.Body, "note").Str; err != nil || got != want.note {
			t.Errorf("%s: note %q, %v", files, got, err)
		}
		if far, err := s.CommuneAt(2, 3.99, territory.Include{}); err != nil ||
			gjson.GetBytes(far.Body, "note").Exists() {
			t.Errorf("far from a border: %s, %v", far.Body, err)
		}
	}
}
