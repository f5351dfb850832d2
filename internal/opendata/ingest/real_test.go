package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
)

// The box loads whole: the counts that the service promises, each parcel file with its rows, geometry that is
// valid, and nothing to do the second time.
func TestRealData(t *testing.T) {
	t.Parallel()
	db, _, o := loadkit.Box(t)
	b := &loadkit.Fixture{T: t, DB: db}
	rows := map[string]string{}
	for line := range strings.Lines(b.Text(`SELECT source || ' ' || scope, string_agg(coalesce(vintage, '') || ':' || row_count || '/' || refused_count || ' ', '' ORDER BY id)
		FROM geo.load GROUP BY source, scope`)) {
		key, loads, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		rows[key] = loads
	}
	for key, want := range map[string]string{
		"cog-regions ":              ":18/0 ",
		"cog-departements ":         ":101/0 ",
		"cog-communes ":             "2026:37590/0 ",
		"contours-communes ":        "2025:34989/0 ",
		"contours-arrondissements ": ":45/0 ",
		"parcelles-etalab 93010":    "2025-01-01:7124/0 2022-01-01:7053/0 ",
		"parcelles-etalab 75118":    "2025-01-01:6906/0 2022-01-01:6821/0 ",
		"parcelles-etalab 36174":    "2023-06-28:4163/0 ",
	} {
		if rows[key] != want {
			t.Errorf("%s: %s; want %s", key, rows[key], want)
		}
	}
	for _, q := range []struct{ what, sql, want string }{
		{"outlines", "SELECT (SELECT count(*) FROM geo.commune_contour), (SELECT count(*) FROM geo.arrondissement_contour)", "34875|45"},
		{"départements of the mainland", "SELECT count(*), count(*) FILTER (WHERE code ~ '^97'), min(code), max(code) FROM geo.departement_contour", "96|0|01|95"},
		{"régions", "SELECT count(*) FROM geo.region_contour", "18"},
		{"communes by type", "SELECT type, count(*) FROM geo.commune GROUP BY type",
			"arrondissement-municipal|45\ncommune-actuelle|34969\ncommune-associee|471\ncommune-deleguee|2105"},
		{"communes without the outline they should have", `SELECT code FROM geo.commune k WHERE type = 'commune-actuelle'
			AND departement_code IS NOT NULL AND NOT EXISTS (SELECT FROM geo.commune_contour c WHERE c.code = k.code)`, ""},
		{"shapes that are not valid", `SELECT code FROM (SELECT code, geom FROM geo.commune_contour UNION ALL SELECT code, geom FROM geo.arrondissement_contour
			UNION ALL SELECT code, geom FROM geo.region_contour
			UNION ALL SELECT code, geom FROM geo.departement_contour UNION ALL SELECT idu, geom FROM geo.parcelle) s WHERE NOT ST_IsValid(geom)`, ""},
		{"enclaves that are kept", `SELECT code, ST_NumInteriorRings(geom) FROM (SELECT code, (ST_Dump(geom)).geom FROM geo.departement_contour) s
			WHERE ST_NumInteriorRings(geom) > 0`, "02|3\n22|1\n26|1\n42|1\n53|1\n55|2\n61|1\n62|1\n64|2\n66|1\n71|2"},
		{"the surface of France, the same from communes and régions", `SELECT round(sum(c.area_km2)) BETWEEN 637000 AND 639000 AS whole,
			(SELECT abs(sum(area_km2) / sum(c.area_km2) - 1) < 1e-5 FROM geo.region_contour) AS same FROM geo.commune_contour c`, "true|true"},
		{"parcels in service", "SELECT count(*), count(feuille) FROM geo.parcelle", "18193|0"},
		{"parcels that are gone", "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM geo.parcelle s WHERE s.idu = p.idu)) FROM geo.parcelle_passee p", "91|0"},
		{"vintages in service", "SELECT code, vintage FROM geo.parcelle_commune WHERE code IN ('93010', '75118', '36174')", "36174|2023-06-28\n75118|2025-01-01\n93010|2025-01-01"},
	} {
		t.Run(q.what, func(t *testing.T) { (&loadkit.Fixture{T: t, DB: db}).Want(q.sql, q.want) })
	}
	var begun loadCounter
	o.Progress = &begun
	again := testkit.Must(ingest.New(o).Load(t.Context(), ingest.Request{}))(t)
	for _, o := range again {
		if o.State != ingest.Unchanged {
			t.Errorf("%s %s %s is loaded a second time", o.Source, o.Scope, o.Vintage)
		}
	}
	if begun > 0 {
		t.Errorf("finding nothing to do began %d loads", begun)
	}
	b.Want("SELECT count(*) FROM geo.load", fmt.Sprint(len(again)))
}

// loadCounter counts the loads that were begun.
type loadCounter int

func (n *loadCounter) Start(string, int64) { *n++ }

func (*loadCounter) Add(int64) {}

func (*loadCounter) Done(ingest.Outcome) {}
