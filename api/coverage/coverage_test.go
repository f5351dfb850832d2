package coverage_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/coverage"
	"arpent/api/parcel"
	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

const places = `
INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'), ('57', 'Moselle', '44'), ('971', 'Guadeloupe', '01');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
	('commune-actuelle', '75056', 'Paris', '75', '11', '75056', '{}'),
	('arrondissement-municipal', '75101', 'Paris 1er', '75', '11', '75056', '{}'),
	('arrondissement-municipal', '75102', 'Paris 2e', '75', '11', '75056', '{}'),
	('commune-actuelle', '93010', 'Bondy', '93', '11', '93010', '{93999}'),
	('commune-actuelle', '93001', 'Aubervilliers', '93', '11', '93001', '{}'),
	('commune-actuelle', '57463', 'Metz', '57', '44', '57463', '{}'),
	('commune-actuelle', '97101', 'Les Abymes', '971', '01', '97101', '{}'),
	('commune-actuelle', '98818', 'Nouméa', NULL, NULL, '98818', '{}')`

const load = `
WITH l AS (
	INSERT INTO geo.load (source, scope, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
	VALUES ($1, $2, 'p', 't', 'l', nullif($3, ''), '[]', '', 1, 0, '[]', now(), now(), $5) RETURNING id)
INSERT INTO geo.coverage (layer, area, load_id) SELECT $4, unnest(CASE WHEN $2 = 'many' THEN ARRAY['75101', '93010'] ELSE ARRAY[$2] END), id FROM l`

// parcels are of a whole commune, of a part of one, and of an arrondissement of an edition that is not known.
func parcels() []parcel.Edition {
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	return []parcel.Edition{{Code: "75102", Complete: true}, {Code: "93001", Day: day(2024)},
		{Code: "93010", Day: day(2025), Complete: true}}
}

var keys = []report.Key{
	{Name: "either", Group: "Risks", Layers: []string{"a", "b"}},
	{Name: "needs", Group: "Risks", Layers: []string{"a"}, Complete: []string{"b"}},
	{Name: "sold", Group: "Sales", Layers: []string{"dvf"}, Gap: report.Gap{State: state.NotApplicable, Departements: []string{"57"}}},
}

func countCoverage(t *testing.T, pool *pgxpool.Pool) *coverage.Served {
	t.Helper()
	s := coverage.New(pool, clock.Real{}, coverage.Catalogue{Parcels: parcels,
		Addresses: []string{"adresse", "adresse_locale"}, Report: keys})
	if s.Current() != nil {
		t.Error("something is served before it was counted")
	}
	testkit.NoError(t, s.Count(t.Context()))
	return s.Current()
}

// What the page promises of a commune holds for its reports: of areas of every kind, of what is loaded
// in part, of loads that are no longer active.
func TestCount(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, places)
	testkit.Exec(t, pool, load, "first", "many", "2020", "a", true)
	testkit.Exec(t, pool, load, "second", "93", "2024-03", "a", true)
	testkit.Exec(t, pool, load, "old", "", "2010", "a", false)
	testkit.Exec(t, pool, load, "third", "93001", "2023", "b", true)
	testkit.Exec(t, pool, load, "sales", "", "", "dvf", true)
	testkit.Exec(t, pool, load, "addresses", "75056", "2026-01-01", "adresse", true)
	testkit.Exec(t, pool, load, "local", "57463", "", "adresse_locale", true) // what a commune publishes itself is searched too
	now := countCoverage(t, pool)
	testkit.Want(t, now.Communes, 6-1, "communes: one of no département is none of these")
	for _, c := range []struct {
		departement, part, name string
		want                    coverage.Share
	}{
		{"93", coverage.Report, "either", coverage.Share{Communes: 2, Of: 2, Oldest: "2020", Newest: "2024-03"}},
		{"75", coverage.Report, "either", coverage.Share{Partly: 1, Of: 1, Oldest: "2020", Newest: "2020"}},
		{"971", coverage.Report, "either", coverage.Share{Of: 1}},
		{"93", coverage.Report, "needs", coverage.Share{Communes: 1, Of: 2, Oldest: "2020", Newest: "2024-03"}},
		{"75", coverage.Report, "needs", coverage.Share{Of: 1}},
		{"57", coverage.Report, "sold", coverage.Share{}},
		{"971", coverage.Report, "sold", coverage.Share{Communes: 1, Of: 1}},
		{"57", coverage.Data, coverage.Addresses, coverage.Share{Communes: 1, Of: 1}},
		{"75", coverage.Data, coverage.Addresses, coverage.Share{Communes: 1, Of: 1, Oldest: "2026-01-01", Newest: "2026-01-01"}},
		{"93", coverage.Data, coverage.Parcels, coverage.Share{Communes: 1, Partly: 1, Of: 2, Oldest: "2024-01-01", Newest: "2025-01-01"}},
		{"75", coverage.Data, coverage.Parcels, coverage.Share{Partly: 1, Of: 1}},
		{"", coverage.Report, "sold", coverage.Share{Communes: 4, Of: 4}},
		{"", coverage.Data, coverage.Parcels, coverage.Share{Communes: 1, Partly: 2, Of: 5, Oldest: "2024-01-01", Newest: "2025-01-01"}},
	} {
		k := now.Key(c.part, c.name)
		got := k.Share
		if c.departement != "" {
			got = now.Find(c.departement).Of(k)
		}
		if got != c.want {
			t.Errorf("%s of %q: %+v, want %+v", c.name, c.departement, got, c.want)
		}
	}
	if now.Map != nil {
		t.Error("there is a map of no outlines")
	}
}

// The document has the form that is documented: every member has a
// text, and programs find what they look for.
func TestDocumentForm(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, places)
	testkit.Exec(t, pool, load, "first", "93", "2020", "a", true)
	now := countCoverage(t, pool)
	var d struct {
		CountedAt    time.Time
		Communes     int
		Keys         []struct{ Part, Group, Name, Newest string }
		Departements []struct {
			Code, Name               string
			Communes                 int
			Data, Report, Statistics map[string]struct{ Communes, Of int }
			Own                      []string
		}
	}
	testkit.NoError(t, json.Unmarshal(now.Whole.JSON, &d))
	if len(d.Keys) != 6 || d.Keys[0].Name != "parcels" || d.Keys[3].Part != "report" || d.Keys[3].Newest != "2020" || len(d.Departements) != 4 {
		t.Errorf("%s", now.Whole.JSON)
	}
	of := d.Departements[3]
	if of.Code != "971" && of.Code != "93" || of.Own == nil || of.Report == nil || of.Statistics == nil || len(of.Data) != 3 {
		t.Errorf("%+v", of)
	}
	if strings.Contains(string(now.Whole.JSON), "null") || len(now.Of) != 4 || now.Whole.Tag == now.Of["93"].Tag {
		t.Errorf("%s", now.Whole.JSON)
	}
}

var step = regexp.MustCompile(`[Ml]? ?(-?\d+) ?(-?\d+)`)

// Neighbours keep the same border, however little is left of it: no gap opens between them on the map.
func TestMapHasNoGaps(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, `
WITH border AS (SELECT array_agg(ST_MakePoint(2 + 0.004 * (i % 3), 46 + i * 0.01) ORDER BY i) AS line FROM generate_series(0, 200) i)
INSERT INTO geo.departement_contour (code, geom, area_km2)
SELECT '01', ST_Multi(ST_MakePolygon(ST_MakeLine(line || ARRAY[ST_MakePoint(1, 48), ST_MakePoint(1, 46), line[1]]))), 1 FROM border
UNION ALL
SELECT '02', ST_Multi(ST_MakePolygon(ST_MakeLine(line || ARRAY[ST_MakePoint(3, 48), ST_MakePoint(3, 46), line[1]]))), 1 FROM border`)
	testkit.Exec(t, pool, `UPDATE geo.departement_contour SET geom = ST_SetSRID(geom, 4326)`)
	m := countCoverage(t, pool).Map
	if m == nil || len(m.Paths) != 2 {
		t.Fatalf("%+v", m)
	}
	for _, p := range m.Paths {
		if n := len(step.FindAllString(p.D, -1)); n < 4 || n > 8 {
			t.Errorf("%s has %d vertices: %s", p.Code, n, p.D)
		}
	}
}
