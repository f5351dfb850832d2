package convert_test

import (
	"encoding/json"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
)

// Well-known text gives the shape that PostGIS reads from it.
func TestWellKnownText(t *testing.T) {
	t.Parallel()
	db, _ := testkit.DB(t)
	for _, text := range []string{
		"POINT (1.5 2)", "LINESTRING(0 0,1 1, 2 0)", "POLYGON ((0 0, 4 0, 4 4, 0 0), (2 1, 3 1, 3 2, 2 1))", "MULTIPOINT (1 2, 3 4)",
		"MULTIPOINT ((1 2), (3 4))", "MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))", "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))",
	} {
		shape, err := convert.EncodeWKT(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var same bool
		sql := "SELECT ST_AsEWKB(ST_GeomFromText($1, 4326), 'NDR') = $2::bytea"
		if err := db.QueryRow(t.Context(), sql, text, shape).Scan(&same); err != nil || !same {
			t.Errorf("%s is read as something else (%v)", text, err)
		}
	}
}

// Streets are found under their names, also where a file was encoded twice; right names stay as they are.
func TestFixMojibake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Rue de la Paix":        "Rue de la Paix",
		"AllÃ©e des ChÃªnes":    "Allée des Chênes",
		"Rue d\u2019Ã\u0089vry": "Rue d\u2019Ã\u0089vry", // half of it only: left alone
		"Place de lâ€™Ã‰glise":  "Place de l’Église",
		"CÅ“ur":                 "Cœur",
		"Château d'Âne, Ãa":     "Château d'Âne, Ãa",
		"Rue Ã\u00a0 gauche":    "Rue à gauche",
		"Allée des Chênes":      "Allée des Chênes",
		"Île Ā":                 "Île Ā",
	} {
		if got := convert.FixMojibake(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A cell that holds JSON becomes what the database can take, so that no cell ends the load of its file.
func TestObjects(t *testing.T) {
	t.Parallel()
	src := source.Source{Name: "test", Read: source.Read{Format: source.CSV},
		Columns: []source.Column{{Name: "v", Kind: source.Objects}}}
	for cell, want := range map[string]string{
		`[]`: `[]`, `[{"b": [[1]], "c": {"d": 2}, "a": 9.5e-1}]`: `[{"a":0.95}]`, `[{"a": "\ud800"}]`: `[{"a":"�"}]`,
		`{}`: "", `null`: "", `[null]`: "", `[1]`: "", `[{"a": 1e999}]`: "", `[{"a": "\u0000"}]`: "", `[{"a": 1}`: "",
	} {
		row, err := convert.Convert(src, map[string]string{"v": cell})
		if err != nil {
			row = []any{json.RawMessage(nil)}
		}
		if got, _ := json.Marshal(row[0]); (err != nil) != (want == "") || err == nil && string(got) != want {
			t.Errorf("%s becomes %s (%v), want %s", cell, got, err, want)
		}
	}
}
