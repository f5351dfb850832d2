package format_test

import (
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// figureSource is a synthetic source of figures: one row for each measure and period of a place.
func figureSource(read source.Read) source.Source {
	return source.Source{
		Name: "figures", Title: "Figures", Producer: "Test producer", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `^(?:(?P<year>[0-9]{4})/)?figures(?:-(?P<yy>[0-9]{2}))?\.[a-z.]+$`}},
		Read:  read,
		Columns: []source.Column{
			{Name: "code", From: []string{"code", "_key"}, Required: true},
			{Name: "measure", From: []string{"_measure"}, Required: true},
			{Name: "period", From: []string{"_period"}},
			{Name: "value", From: []string{"_value"}, Kind: source.Number},
			{Name: "missing", From: []string{"_missing"}},
		},
		Target: source.Target{Table: "geo.figure", Key: []string{"code", "measure", "period"}},
	}
}

const createFigure = `CREATE TABLE geo.figure (code text, measure text, period text, value double precision, missing text,
	PRIMARY KEY (code, measure, period))`

// A customer gets the figure of the right measure and year, and the
// reason for one that is missing: never a zero.
func TestFiguresInColumns(t *testing.T) {
	t.Parallel()
	csv := func(columns ...source.Unpivot) source.Read {
		return source.Read{Format: source.CSV, Separator: ";", Decimal: ",", Nulls: []string{"-"},
			Missing: map[string]string{"s": "secret", "nd": "unavailable"}, Unpivot: columns}
	}
	for _, tc := range []struct {
		name, file, content string
		read                source.Read
		rows                string
	}{
		{
			name: "years of two digits in the names, an empty cell, a cell that means nothing, cells that say why", file: "figures.csv",
			content: "code;P21_POP; P99_POP;MED21;name\n01001; 7 ;8;1,5;A\n01002;;-;s;B\n01003;0;nd;;C\n",
			read:    csv(source.Unpivot{Column: `P(?P<yy>\d\d)_POP`, Measure: "population", Period: "{yy}"}, source.Unpivot{Column: "MED21", Measure: "median", Period: "2021"}),
			rows: "01001|median|2021|1.5|\n01001|population|1999|8|\n01001|population|2021|7|\n01002|median|2021||secret\n" +
				"01003|population|1999||unavailable\n01003|population|2021|0|",
		},
		{
			name: "the period in a field of the record, the measure in the name; the first that fits counts", file: "figures.csv",
			content: "code;annee;D1;D9;autre\n01001;2019;1;2;3\n01001;;4;;\n",
			read:    csv(source.Unpivot{Column: `D(?P<nth>[0-9])`, Measure: "decile{nth:2}", Period: "{annee}"}, source.Unpivot{Column: `D9|autre`, Measure: "rest", Period: "{annee}"}),
			rows:    "01001|decile01||4|\n01001|decile01|2019|1|\n01001|decile09|2019|2|\n01001|rest|2019|3|",
		},
		{
			name: "the period in the path", file: "2017/figures-12.csv", content: "code;MED;Q\n01001;1;2\n",
			read: csv(source.Unpivot{Column: "MED", Measure: "median", Period: "{year}"}, source.Unpivot{Column: "Q", Measure: "quarter", Period: "{yy}"}),
			rows: "01001|median|2017|1|\n01001|quarter|2012|2|",
		},
		{
			name: "members of objects, not the same in all", file: "figures.json",
			content: `[{"code":"01001","rate":4.5,"n":null},{"code":"01002"},{"code":"01003","n":3,"rate":"s"}]`,
			read: source.Read{Format: source.JSON, Missing: map[string]string{"s": "secret"},
				Unpivot: []source.Unpivot{{Column: "(?P<m>rate|n)", Measure: "{m}", Period: "2024"}}},
			rows: "01001|rate|2024|4.5|\n01003|n|2024|3|\n01003|rate|2024||secret",
		},
		{
			name: "members of objects that have names themselves", file: "figures.json",
			content: `{"meta":{"n":9},"communes":{"01001":{"gare":1,"poste":2},"01002":{"poste":3}}}`,
			read: source.Read{Format: source.JSON, Items: []string{"communes"}, Keyed: true,
				Unpivot: []source.Unpivot{{Column: "(?P<m>.*)", Measure: "{m}"}}},
			rows: "01001|gare||1|\n01001|poste||2|\n01002|poste||3|",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := figureSource(tc.read)
			s.Rows = "SELECT code, measure, coalesce(period, '') AS period, value, missing FROM stage"
			b := loadkit.New(t, s)
			b.Exec(createFigure)
			b.File(tc.file, tc.content)
			b.MustLoad()
			b.Want("SELECT * FROM geo.figure", tc.rows)
		})
	}
}

// What a cell says of its absence is not taken for a figure where each
// column is one, and is kept where it is text.
func TestCellsThatSayWhyInOtherColumns(t *testing.T) {
	t.Parallel()
	s := loadkit.Places(source.Read{Format: source.CSV, Missing: map[string]string{"s": "secret"}})
	b := loadkit.New(t, s)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle,population,part,date\n01001,s,s,s,s\n")
	b.MustLoad()
	b.Want("SELECT * FROM geo.place", "01001|s|||")
}

// No table makes the splitting of its lines panic, read on for ever
// or make more figures than there are cells.
func FuzzUnpivot(f *testing.F) {
	f.Add("code,P21_POP,P99_POP\n1,2,s\n", `P(?P<yy>\d\d)_POP`, "{yy}")
	f.Add("a,b\n,\n", `(?P<n>.)`, "{n:3}{a|b}")
	f.Fuzz(func(t *testing.T, in, column, period string) {
		spec := source.Read{Format: source.CSV, Unpivot: []source.Unpivot{{Column: column, Measure: "m{n}", Period: period}}, Missing: map[string]string{"s": "x"}}
		good, _, err := format.ReadRecords(strings.NewReader(in), spec)
		if good > len(in) {
			t.Errorf("%d figures of %d bytes (%v)", good, len(in), err)
		}
	})
}
