package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
)

// facts is a made-up source of rows without a shape. Its columns are those of the target's attrs.
func facts(read source.Read, columns ...source.Column) source.Source {
	pairs := make([]string, len(columns))
	for i, c := range columns {
		pairs[i] = "'" + c.Name + "', " + c.Name
		columns[i].Internal = true
	}
	return source.Source{
		Name: "facts", Title: "Facts", Producer: "Nobody", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `^facts\.[a-z.]+$`}},
		Read:  read,
		Columns: append(columns,
			source.Column{Name: "id", From: []string{"id", "nofinesset", "entite.numero"}, Required: true},
			source.Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + strings.Join(pairs, ", ") + "))"}),
		Checks: source.Checks{MaxRefused: 0.5},
		Target: source.Target{Table: "geo.enrich_radon", Key: []string{"part", "id"}, Part: true},
		Covers: []source.Coverage{{Layer: "radon"}},
	}
}

func read(names ...string) []source.Column {
	out := make([]source.Column, len(names))
	for i, name := range names {
		column, from, renamed := strings.Cut(name, "=")
		out[i] = source.Column{Name: column}
		if renamed {
			out[i].From = []string{from}
		}
	}
	return out
}

// The layouts that French producers have come up with give the rows that are meant.
func TestUnusualLayouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, content string
		read          source.Read
		columns       []source.Column
		rows          string // id and attrs
		refused       string
	}{
		{
			name: "a header that repeats a name", content: "id;CODE RISQUE;Code risque ;x\n1;11;12;a\n2;;13;\n",
			read:    source.Read{Format: source.CSV, Separator: ";"},
			columns: read("one=code risque", "two=CODE RISQUE#2", "three=CODE RISQUE#3", "x"),
			rows:    `1|{"x": "a", "one": "11", "two": "12"}` + "\n" + `2|{"two": "13"}`,
		},
		{
			name: "lines of two kinds, the first", content: "finess;etalab;93;2024-01-11\nstructureet;1;A\ngeolocalisation;1;700;6600;x\nstructureet;2;B\nstructureet;3\n",
			read:    source.Read{Format: source.CSV, Separator: ";", Record: "structureet", Header: []string{"kind", "nofinesset", "rs"}},
			columns: read("rs"), rows: `1|{"rs": "A"}` + "\n" + `2|{"rs": "B"}`, refused: "5: it has 2 cells; expected 3",
		},
		{
			name: "lines of two kinds, the second", content: "finess;etalab;93;2024-01-11\nstructureet;1;A\ngeolocalisation;1;700;6600;x\n",
			read:    source.Read{Format: source.CSV, Separator: ";", Record: "geolocalisation", Header: []string{"kind", "nofinesset", "x", "y", "s"}},
			columns: read("x", "y"), rows: `1|{"x": "700", "y": "6600"}`,
		},
		{
			name: "many lines of which few are wanted", content: "id,parameter\n1,1340\n2,1341\n3,13400\n4, 1340 \n5\n",
			read:    source.Read{Format: source.CSV, Keep: map[string]string{"PARAMETER": "1340|1449"}},
			columns: read("parameter"), rows: `1|{"parameter": "1340"}` + "\n" + `4|{"parameter": "1340"}`, refused: "6: it has 1 cells; expected 2",
		},
		{
			name: "separators at the end of the header only", content: "id;name;\n1;a;\n2;b\n",
			read: source.Read{Format: source.CSV, Separator: ";"}, columns: read("name"),
			rows: `1|{"name": "a"}` + "\n" + `2|{"name": "b"}`,
		},
		{
			name: "separators at the end of the lines only", content: "id;name\n1;a;\n2;b;c\n",
			read: source.Read{Format: source.CSV, Separator: ";"}, columns: read("name"),
			rows: `1|{"name": "a"}`, refused: "3: it has 3 cells; expected 2",
		},
		{
			name: "a separator to be found out", content: "\"id, or; number\"|id|name\n9|1|a,b;c\n",
			read: source.Read{Format: source.CSV, Separator: "sniff"}, columns: read("name"), rows: `1|{"name": "a,b;c"}`,
		},
		{
			name: "a separator to be found out in a file of one column", content: "id\n1\n",
			read: source.Read{Format: source.CSV, Separator: "sniff"}, columns: read("name"), rows: `1|{}`,
		},
		{
			name: "Windows-1252 letters in a UTF-8 file", content: "\ufeffid,name\n1,\u00c9glise\n2,\xc9glise \x9cuvre\n",
			read: source.Read{Format: source.CSV, Encoding: "mixed"}, columns: read("name"),
			rows: `1|{"name": "Église"}` + "\n" + `2|{"name": "Église œuvre"}`,
		},
		{
			name: "objects within objects within arrays",
			content: `{"version":{"pmej":[1]},"pmej":[{"x":[[]],"ege":[{"entite":{"numero":"1","nom":"A"},"adresse":[{"cog":"01001"},{"cog":"01002"}]}]},` +
				`{"ege":[]},{"ege":null},{},{"ege":[{"entite":{"numero":"2","nom":null},"adresse":[]},7]},{"ege":{"entite":{"numero":"3"},"adresse":{"cog":"2A004"}}}],"end":[[{}]]}`,
			read:    source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}},
			columns: read("nom=entite.nom", "cog=Adresse.COG"),
			rows:    `1|{"cog": "01001", "nom": "A"}` + "\n" + `2|{}` + "\n" + `3|{"cog": "2A004"}`,
			refused: "3: it is not an object of the expected form",
		},
		{
			name: "one member that holds the objects", content: `{"total":2,"results":[{"id":1},{"id":2}]}`,
			read: source.Read{Format: source.JSON, Items: []string{"results"}}, columns: read("name"), rows: "1|{}\n2|{}",
		},
		{
			name: "an array of objects that hold the objects", content: `[{"results":[{"id":1}]},8,{"results":[{"id":2}]}]`,
			read: source.Read{Format: source.JSON, Items: []string{"results"}}, columns: read("name"), rows: "1|{}\n2|{}",
			refused: "2: it is not an object of the expected form",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, facts(tc.read, tc.columns...))
			b.file("facts.x", tc.content)
			out := b.mustLoad()["facts"]
			b.want("SELECT id, attrs FROM geo.enrich_radon", tc.rows)
			var refused []string
			for _, r := range out.Refusals {
				refused = append(refused, fmt.Sprintf("%d: %s", r.Line, r.Reason))
			}
			if got := strings.Join(refused, "\n"); got != tc.refused {
				t.Errorf("refused %q; want %q", got, tc.refused)
			}
		})
	}
}

// What does not have the declared layout is refused whole, and says what is missing.
func TestUnusualLayoutsThatAreBroken(t *testing.T) {
	t.Parallel()
	items := source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}}
	for _, tc := range []struct {
		name, content, says string
		read                source.Read
	}{
		{"no such member", `{"a":[{"pmej":[]}]}`, `there is no "pmej"`, items},
		{"cut within the records", `{"pmej":[{"ege":[{"id":1},{"id":2`, "cut off", items},
		{"cut between the records", `{"pmej":[{"ege":[{"id":1}]},`, "cut off", items},
		{"cut after the records", `{"pmej":[{"ege":[{"id":1}]}]`, "cut off", items},
		{"cut in what is passed over", `{"a":[[1,2],`, "cut off", items},
		{"cut in what follows", `{"pmej":[{"ege":[{"id":1}]}],"b":[{`, "cut off", items},
		{"something after the end", `{"pmej":[{"ege":[{"id":1}]}]}{}`, "something after its end", items},
		{"only lines of other kinds", "x;1\ny;2\n", "no row", source.Read{Format: source.CSV, Separator: ";", Record: "z", Header: []string{"k", "id"}}},
		{"no column to choose lines by", "id,b\n1,2\n", "it has no column c", source.Read{Format: source.CSV, Keep: map[string]string{"c": "x"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, facts(tc.read))
			b.file("facts.x", tc.content)
			_, err := b.load(ingest.Request{})
			contains(t, err, "facts.x", tc.says)
			b.want("SELECT id FROM geo.enrich_radon", "")
			b.want(coverage, "")
		})
	}
}

// A source that may have nothing to say of a place says just that: its area is covered, and nothing is there.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, facts(source.Read{Format: source.CSV, Optional: true}))
	b.file("facts.x", "id\n1\n")
	b.mustLoad()
	b.file("facts.x", "id\n")
	if out := b.mustLoad()["facts"]; out.State != ingest.Loaded || out.Rows != 0 {
		t.Errorf("an empty file is %s with %d rows; expected loaded with none", out.State, out.Rows)
	}
	b.want("SELECT id FROM geo.enrich_radon", "")
	b.want(coverage, "radon||facts||true")
	b.file("facts.x", "name\nnobody\n")
	_, err := b.load(ingest.Request{})
	contains(t, err, "no row that can be loaded", "it has no id")
}

// A table that a broken transfer cut off must not take the place of the whole one, as half a country: its last line gives
// it away. A short line elsewhere costs that line.
func TestTablesThatAreCutOff(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		content string
		cut     bool
		rows    string
	}{
		"whole":                              {"id;a;b\n1;x;y\n2;x;y\n", false, "1\n2"},
		"without an end of its last line":    {"id;a;b\n1;x;y\n2;x;y", false, "1\n2"},
		"cut within a line":                  {"id;a;b\n1;x;y\n2;x", true, ""},
		"cut within a line, in gzip":         {zipped("id;a;b\n1;x;y\n2;x"), true, ""},
		"a short line at the end":            {"id;a;b\n1;x;y\n2;x\n", false, "1"},
		"a short line in between":            {"id;a;b\n1;x\n2;x;y", false, "2"},
		"a short line in between, in gzip":   {zipped("id;a;b\n1;x\n2;x;y"), false, "2"},
		"two short lines, the last cut":      {"id;a;b\n0;x;y\n1;x\n2;x", true, ""},
		"a short line, then one without end": {"id;a;b\n1;x\n2;x\n3;x;y\n4;x;y", false, "3\n4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, facts(source.Read{Format: source.CSV, Separator: ";"}))
			b.file("facts.csv", tc.content)
			_, err := b.load(ingest.Request{})
			if tc.cut {
				contains(t, err, "facts.csv", "cut off: its last line is not whole")
			} else if err != nil {
				t.Error(err)
			}
			b.want("SELECT id FROM geo.enrich_radon", tc.rows)
		})
	}
}

// Nor is the end of a table seen when its last line is one of those that are passed over.
func TestTablesThatAreCutOffWherePassedOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, facts(source.Read{Format: source.CSV, Separator: ";", Keep: map[string]string{"kind": "COM"}}))
	b.file("facts.csv", "id;kind;a\n1;COM;x\n2;DEP\n3;COM;x\n")
	b.mustLoad()
	b.want("SELECT id FROM geo.enrich_radon", "1\n3")
	for _, cut := range []string{"id;kind;a\n1;COM;x\n2;DEP", "id;kind;a\n1;COM;x\n2;D", "id;kind;a\n1;COM;x\n2;", "id;kind;a\n1;COM;x\n2"} {
		b.file("facts.csv", cut)
		_, err := b.load(ingest.Request{})
		contains(t, err, "line 3: the file is cut off")
		b.want("SELECT id FROM geo.enrich_radon", "1\n3")
	}
}

// The first real shapes or facts end the demonstration: a customer is never told made-up things of a real parcel.
func TestRealDataEndsTheDemonstration(t *testing.T) {
	t.Parallel()
	b := newBench(t, facts(source.Read{Format: source.CSV}))
	b.exec(`INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('demonstration', '1', '{}'), ('other', '1', '{}')`)
	b.exec(`INSERT INTO geo.enrich_catnat (part, id, attrs) VALUES ('demonstration', '1', '{}')`)
	b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused,
		started_at, loaded_at, active, demonstration)
		SELECT s, '', 'x', 'x', 'x', '[]', 'x', 1, 0, '[]', now(), now(), true, true FROM unnest(ARRAY['demonstration-radon', 'demonstration-rga']) s`)
	b.exec(`INSERT INTO geo.coverage (layer, area, load_id) SELECT substr(source, 15), '', id FROM geo.load`)
	b.file("facts.x", "id\n1\n")
	b.mustLoad()
	b.want(coverage, "radon||facts||true")
	b.want("SELECT part FROM geo.enrich_radon", "facts\nother")
	b.want("SELECT part FROM geo.enrich_catnat", "")
	b.want("SELECT source FROM geo.load", "facts")
}
