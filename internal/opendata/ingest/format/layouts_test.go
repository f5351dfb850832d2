package format_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// The candidates of an election and the places of a list of objects each become the row
// that is meant, with what is said of them all.
func TestRecordsWithinRecords(t *testing.T) {
	t.Parallel()
	id := source.Column{Name: "id", Template: "{id|_key}/{_group|_key}", Required: true}
	repeat := func(from string, names ...string) source.Read {
		return source.Read{Format: source.CSV, Separator: ";", Repeat: &source.Repeat{Names: names, From: from}}
	}
	keyed := func(items ...string) source.Read { return source.Read{Format: source.JSON, Keyed: true, Items: items} }
	for _, tc := range []struct {
		name, content string
		read          source.Read
		columns       []source.Column
		rows, refused string
	}{
		{
			name:    "groups without names, to the end of the line, whatever its length",
			content: "id;inscrits;Nom;Voix\n1;9;A;5;B;3\n2;8;A;5\n3;7;A;5;B;;\n4;6;A;5;B;3;C\n5\n6;0\n",
			read:    repeat("nom", "Nom", "Voix"), columns: loadkit.Columns("inscrits", "nom", "voix"),
			rows: `1/1|{"nom": "A", "voix": "5", "inscrits": "9"}` + "\n" + `1/2|{"nom": "B", "voix": "3", "inscrits": "9"}` + "\n" +
				`2/1|{"nom": "A", "voix": "5", "inscrits": "8"}` + "\n" + `3/1|{"nom": "A", "voix": "5", "inscrits": "7"}` + "\n" + `3/2|{"nom": "B", "inscrits": "7"}`,
			refused: "5: it has 5 cells from \"Nom\" on, which are no groups of 2\n6: it has 1 cells; expected at least 2",
		},
		{
			name: "objects by their code", content: `{"meta":{"communes":{"9":{}}},"communes":{"01001":{"log":3,"x":{"y":"é"}},"2A004":{"log":null},"01001b":{}},"end":[{}]}`,
			read: keyed("communes"), columns: loadkit.Columns("log", "y=x.y", "raw=_value"),
			rows: `01001/01001|{"y": "é", "log": "3", "raw": "{\"log\":3,\"x\":{\"y\":\"é\"}}"}` + "\n" +
				`01001b/01001b|{"raw": "{}"}` + "\n" + `2A004/2A004|{"raw": "{\"log\":null}"}`,
		},
		{
			name: "values by their code", content: `{"a":{"1":4.50,"2":"x","3":[1, 2],"4":null,"5":true}}`,
			read: keyed("a"), columns: loadkit.Columns("v=_value"),
			rows: `1/1|{"v": "4.50"}` + "\n" + `2/2|{"v": "x"}` + "\n" + `3/3|{"v": "[1, 2]"}` + "\n" + `4/4|{}` + "\n" + `5/5|{"v": "true"}`,
		},
		{name: "arrays and objects as the JSON that they are", content: `[{"id":"1","_key":"x","l":[{"n": "é"}],"o":{"a":[]}}]`,
			read: source.Read{Format: source.JSON}, columns: loadkit.Columns("l", "o"), rows: `1/x|{"l": "[{\"n\": \"é\"}]", "o": "{\"a\":[]}"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Facts(tc.read, tc.columns...)
			s.Columns[len(s.Columns)-2] = id
			wantFacts(t, s, tc.content, tc.rows, tc.refused)
		})
	}
}

// A file in which the groups or objects are not where they should be
// is refused whole, and what was served stays.
func TestRecordsWithinRecordsThatAreBroken(t *testing.T) {
	t.Parallel()
	groups := source.Read{Format: source.CSV, Separator: ";", Repeat: &source.Repeat{Names: []string{"Nom", "Voix"}, From: "Nom"}}
	keyed := source.Read{Format: source.JSON, Keyed: true, Items: []string{"a"}}
	for _, tc := range []struct {
		name, content, says string
		read                source.Read
	}{
		{"nowhere to begin", "id;name;Voix\n1;A;2\n", `no column "Nom", where its groups begin`, groups},
		{"columns in another order", "id;Nom;Sexe;Voix\n1;A;M;2\n", `"Sexe" is where a group has "Voix"`, groups},
		{"columns after the groups", "id;Nom;Voix;url\n1;A;2;u\n", `"url" is where a group has "Nom"`, groups},
		{"a line of groups that is cut", "id;Nom;Voix\n1;A;2\n2;B;3;C", "cut off", groups},
		{"empty", "", "empty", groups},
		{"no such member", `{"b":{"1":{}}}`, `there is no "a"`, keyed},
		{"a text where the objects should be", `{"a":"x"}`, `there is "x" where "{" should be`, keyed},
		{"a list in place of the file", `[{"a":{}}]`, `there is "[" where`, keyed},
		{"cut within an object", `{"a":{"1":{"id":"1"},"2":{"id"`, "after record 1: the file is cut off", keyed},
		{"cut between objects", `{"a":{"1":{"id":"1"}`, "after record 1: the file is cut off", keyed},
		{"cut before the end", `{"a":{"1":{"id":"1"}}`, "cut off", keyed},
		{"something after the end", `{"a":{"1":{"id":"1"}}}{}`, "unexpected data after the JSON value", keyed},
		{"nothing", "", "the file is empty", keyed},
		{"a page", "<html>", "got HTML or XML", keyed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.CSV}))
			b.File("facts.x", "id\nbefore\n")
			b.MustLoad()
			b.Catalogue = []source.Source{loadkit.Facts(tc.read)}
			b.File("facts.x", tc.content)
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, "facts.x", tc.says)
			b.Want("SELECT id FROM geo.enrich_radon", "before")
		})
	}
}

// No table makes the reader of groups panic, read on for ever or make up records.
func FuzzRepeat(f *testing.F) {
	f.Add("a;Nom;Voix;Nom\n1;A;2;B\n1\n2;;;C;3", "Nom")
	f.Fuzz(func(t *testing.T, in, from string) {
		spec := source.Read{Format: source.CSV, Separator: ";", Repeat: &source.Repeat{Names: []string{"Nom", "Voix"}, From: from}}
		good, refused, err := format.ReadRecords(strings.NewReader(in), spec)
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
	})
}

// No file makes the reader of named objects panic, read on for ever or make up records.
func FuzzKeyed(f *testing.F) {
	f.Add(`{"x":[{}],"a":{"1":{"c":[]},"2":7},"y":{}}`)
	f.Add(`[[[{"a":{"b":{}}}]]] 1`)
	f.Add(`{"a":{"1":`)
	f.Fuzz(func(t *testing.T, in string) {
		good, refused, err := format.ReadRecords(strings.NewReader(in), source.Read{Format: source.JSON, Keyed: true, Items: []string{"a"}})
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
	})
}

// The real files in each layout give the number of records that their producers publish, and the totals that
// the whole country knows: a column that is off by one, or a row that is lost, shows there.
func TestRealLayouts(t *testing.T) {
	t.Parallel()
	data := testkit.FullData(t)
	keyed := func(item string, columns ...source.Unpivot) source.Read {
		return source.Read{Format: source.JSON, Keyed: true, Items: []string{item}, Unpivot: columns}
	}
	every := source.Unpivot{Column: "(?P<name>.*)", Measure: "{name}"}
	cases := []struct {
		file    string
		read    source.Read
		names   [2]string // a field, and one whose whole numbers are added up where that field is only; "": everywhere
		only    string
		records int
		total   int
	}{
		{"insee-bpe/bpe2013.xlsx.gz", source.Read{Format: source.Spreadsheet, Unpivot: []source.Unpivot{{Column: "(?P<name>[A-Z].*)", Measure: "{name}", Period: "2013"}}},
			[2]string{"_measure", "_value"}, "Boulangerie", 609504, 46245},
		{"elections/resultats-par-niveau-dpt-t1-2022.xlsx.gz", source.Read{Format: source.Spreadsheet,
			Repeat: &source.Repeat{Names: []string{"Sexe", "Nom", "Prénom", "Voix", "% Voix/Ins", "% Voix/Exp"}, From: "Sexe"}},
			[2]string{"Nom", "Voix"}, "MACRON", 107 * 12, 9783058},
		{"logement/rp_vacance_communes_2021.json.gz", keyed("communes", every), [2]string{"_measure", "_value"}, "log", 34955 * 5, 39328061},
		{"insee-bpe/bpe_communes_2024.json.gz", keyed("communes", every), [2]string{"_measure", "_value"}, "poste", 110120, 13824},
		{"insee-chomage/chomage_zones_emploi_2021-2025.json.gz", keyed("zes"), [2]string{"", "_key"}, "", 302, 1518086},
		{"insee-chomage/chomage_zones_emploi_2021-2025.json.gz", keyed("communes"), [2]string{"", ""}, "", 34875, 0},
		{"logement/rpls_communes.json.gz", keyed("communes"), [2]string{"", ""}, "", 35228, 0},
		// The same workbook as above, in make soak: it takes seconds to read.
		{"insee-bpe/bpe2013.xlsx.gz", source.Read{Format: source.Spreadsheet}, [2]string{"", "Total de nb_equip"}, "", 35190, 2186273},
	}
	for _, tc := range cases[:testkit.Rounds(len(cases)-1, len(cases))] {
		t.Run(strings.Join([]string{tc.file, tc.only}, " "), func(t *testing.T) {
			t.Parallel()
			records, total := 0, 0
			err := loadkit.EachRecord(t.Context(), filepath.Join(data, "stats", tc.file), tc.read, tc.names[:], func(_ int64, cells []string) {
				records++
				n, err := strconv.Atoi(cells[1])
				if err == nil && (tc.only == "" || cells[0] == tc.only) {
					total += n
				}
			})
			if err != nil || records != tc.records || total != tc.total {
				t.Errorf("%d records, in all %d, %v; want %d, %d", records, total, err, tc.records, tc.total)
			}
		})
	}
}

// The lists of a municipal election are in an array of each object, which a
// column of text holds as the JSON that it is.
func TestRealArraysAsText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testkit.FullData(t), "stats/elections/municipales-2026-t1-communes.jsonl.gz")
	records, lists, odd := 0, 0, 0
	err := loadkit.EachRecord(t.Context(), path, source.Read{Format: source.JSONLines}, []string{"candidats"}, func(_ int64, cells []string) {
		var candidates []struct{ Voix *int }
		if json.Unmarshal([]byte(cells[0]), &candidates) != nil {
			odd++
		}
		records++
		lists += len(candidates)
	})
	if err != nil || records != 34881 || lists < records || odd > 0 {
		t.Errorf("%d records with %d lists, %d of them odd, %v; want 34881", records, lists, odd, err)
	}
}
