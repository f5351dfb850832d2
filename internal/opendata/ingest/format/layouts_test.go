package format_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
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
