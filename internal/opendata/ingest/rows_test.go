package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
)

// summedSource is a synthetic source whose rows are sums of the lines of its
// file, in a table that it shares with others.
func summedSource(rows string) source.Source {
	s := loadkit.Facts(source.Read{Format: source.CSV, Unpivot: []source.Unpivot{{Column: "(?P<m>men|women)", Measure: "{m}", Period: "{year}"}}})
	s.Files[0].Path = `^(?P<scope>[0-9]{2})/facts-(?P<year>[0-9]{4})\.csv$`
	s.Columns = []source.Column{
		{Name: "commune", Required: true}, {Name: "place", Template: "{scope}"}, {Name: "measure", From: []string{"_measure"}},
		{Name: "period", From: []string{"_period"}, Kind: source.Integer}, {Name: "n", From: []string{"_value"}, Kind: source.Number},
	}
	s.Drop = []string{"commune = 'none'"}
	s.Reject = []source.Rule{{When: "n < 0", Reason: "'it is less than nothing'"}}
	s.Dedupe = source.Dedupe{Key: []string{"commune", "measure"}, Best: "n DESC"}
	s.Checks.Queries = []string{"SELECT 'the year is ' || period FROM stage WHERE period <> 2021", "SELECT DISTINCT 'it is of ' || place FROM stage WHERE place <> '01'"}
	s.Rows = rows
	return s
}

const sums = `SELECT left(commune, 2) || '-' || measure AS id, jsonb_build_object('sum', sum(n), 'communes', count(*)) AS attrs
	FROM stage GROUP BY 1, measure`

const twoCommunes = "commune,men,women\n01001,1,2\n01002,3,4\n01002,9,1\n01004,-5,\nnone,100,100\n"

const sumsOfTwo = `facts/01|01-men|{"sum": 10, "communes": 2}
facts/01|01-women|{"sum": 6, "communes": 2}
facts/02|1|{}
other|1|{}`

// summedBench has the sums of two communes, and rows of others.
func summedBench(t *testing.T) *loadkit.Fixture {
	b := loadkit.New(t, summedSource(sums))
	b.Exec(`INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('other', '1', '{}'), ('facts/02', '1', '{}'), ('facts/01', 'gone', '{}')`)
	b.File("01/facts-2021.csv", twoCommunes)
	if out := b.MustLoad()["facts 01"]; out.Refused != 3 {
		t.Errorf("%d rows were refused; want the two of a repeated commune and the one below zero", out.Refused)
	}
	b.Want("SELECT part, id, attrs FROM geo.enrich_radon", sumsOfTwo)
	return b
}

// A figure of a département that is made of its communes counts the lines that are good, once each, and no
// others. Where that fails, what was served stays.
func TestRowsThatAreMade(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, content, rows, says string }{
		{"nothing comes of them", "01/facts-2021.csv", "commune,men\n01001,1\n", sums + " HAVING count(*) > 9", "the query made no rows"},
		{"two of one key", "01/facts-2021.csv", "commune,men\n01001,1\n01002,1\n", "SELECT '1' AS id, '{}'::jsonb AS attrs FROM stage", "(part, id)=(facts/01, 1)"},
		{"SQL that is none", "01/facts-2021.csv", "commune,men\n01001,1\n", "SELECT nothing FROM stage", `"nothing" does not exist`},
		{"another place", "02/facts-2021.csv", "commune,men\n02001,1\n", sums, "it is of 02"},
		{"another year", "01/facts-2022.csv", "commune,men\n01001,1\n", sums, "the year is 2022"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := summedBench(t)
			b.Catalogue = []source.Source{summedSource(tc.rows)}
			b.File(tc.file, tc.content)
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, tc.says)
			b.Want("SELECT part, id, attrs FROM geo.enrich_radon", sumsOfTwo)
		})
	}
}

// A check that finds nothing must not keep a load from its end: it is planned for reading all rows, not for
// meeting the one that a good file does not have. The rows themselves are planned as ever.
func TestChecksArePlannedToFindNothing(t *testing.T) {
	t.Parallel()
	s := summedSource(sums + " HAVING current_setting('enable_nestloop') = 'on'")
	s.Checks.Queries = []string{"SELECT 'nested loops are ' || setting FROM pg_settings WHERE name = 'enable_nestloop' AND setting = 'on'"}
	b := loadkit.New(t, s)
	b.File("01/facts-2021.csv", twoCommunes)
	b.MustLoad()
}

// What goes wrong at the very end takes everything back, and loading
// the same again changes nothing that is known.
func TestASwapThatFails(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Covers[0].Areas = "SELECT DISTINCT id FROM ready"
	b := loadkit.New(t, s)
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("38001", "cave", loadkit.PointJSON(5, 45))))
	b.MustLoad()
	const loads = "SELECT source, active FROM geo.load"
	for range 2 {
		b.Want(served, "caves|38001|1|cave")
		b.Want(loadkit.Coverage, "cavity|38001|caves||true")
		b.Want(loads, "caves|true")
		b.File("caves.geojson", loadkit.Collection(loadkit.Thing("nowhere", "cave", loadkit.PointJSON(5, 45))))
		_, err := b.Load(ingest.Request{Force: true})
		loadkit.Contains(t, err, `it would cover "nowhere"`)
	}
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("38001", "cave", loadkit.PointJSON(5, 45))))
	_, err := b.Load(ingest.Request{Force: true})
	testkit.NoError(t, err)
	b.Want(served, "caves|38001|1|cave")
	b.Want(loadkit.Coverage, "cavity|38001|caves||true")
	b.Want(loads, "caves|false\ncaves|true")
}

const mixedPlaces = "codgeo,libelle,population,part\n01001,Ain,1,1\n01002,,2,2\n01003,Aix,3,3\n01004,A%,4,4\n01005,ain,5,5\nnone,Ain,6,6\n01006,Ain ,7,x\n01007,Arles,8,\n"

// A row that the file need not have is left out in the same way wherever that is decided,
// as it is read or by the database: the same rows are served, the same are refused, and
// what is counted and checked sees the same.
func TestRowsThatAreDropped(t *testing.T) {
	t.Parallel()
	for when, kept := range map[string]string{
		"name IS NULL":                   "01001 01003 01004 01005 01007",
		"name = 'Ain'":                   "01002 01003 01004 01005 01007",
		"name IS DISTINCT FROM 'Ain'":    "01001",
		"name LIKE 'A%'":                 "01002 01005",
		"name LIKE 'A_x%'":               "01001 01002 01004 01005 01007",
		"share IS NULL":                  "01001 01002 01003 01004 01005",
		"people = '3'":                   "01001 01002 01004 01005 01007",
		"name = 'Ain' AND code <> 'x'":   "01002 01003 01004 01005 01007",
		"name = 'no such name anywhere'": "01001 01002 01003 01004 01005 01007",
	} {
		for _, sql := range []string{when, "(" + when + ")"} { // what is in brackets is left to the database
			t.Run(sql, func(t *testing.T) {
				t.Parallel()
				s := loadkit.Places(source.Read{Format: source.CSV})
				s.Drop = []string{sql}
				s.Checks.Queries = []string{"SELECT 'a row of ' || code || ' is left' FROM stage WHERE " + when}
				b := loadkit.New(t, s)
				b.Exec(loadkit.CreatePlace)
				b.File("places.csv", mixedPlaces)
				out := b.MustLoad()["places"]
				want := strings.Fields(kept)
				b.Want("SELECT string_agg(code, ' ' ORDER BY code) FROM geo.place", kept)
				var refused []string
				for _, r := range out.Rejections {
					refused = append(refused, r.Reason)
				}
				if got := strings.Join(refused, "; "); out.Rows != int64(len(want)) ||
					got != `its code "0none" is not of the form [0-9][0-9AB][0-9]{3}; its share "x" is not a number` {
					t.Errorf("%d rows, refused: %s", out.Rows, got)
				}
			})
		}
	}
}

// Rows that are dropped after what only the database knows are those that this leaves.
func TestDropsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	s := loadkit.Places(source.Read{Format: source.CSV})
	s.Columns[0].Match, s.Columns[0].Pad = "", 0
	s.Drop = []string{source.AllButBest("code", "people DESC"), "name IS NULL"}
	s.Dedupe = source.Dedupe{}
	b := loadkit.New(t, s)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle,population\n1,new,1\n1,,2\n2,kept,3\n") // the newest of 1 has no name: there is no 1
	b.MustLoad()
	b.Want("SELECT code FROM geo.place", "2")
}

// A rule may count on what stands before it: one that fails on rows that are
// dropped or rejected first sees the others alone.
func TestRulesSeeWhatIsLeft(t *testing.T) {
	t.Parallel()
	s := loadkit.Places(source.Read{Format: source.CSV})
	s.Drop = []string{"name = 'dropped'"}
	s.Reject = []source.Rule{{When: "name !~ '^[0-9]+$'", Reason: "'it has letters'"}, {When: "name::integer > 5", Reason: "'it is too much: ' || name"}}
	b := loadkit.New(t, s)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,dropped\n01002,x\n01003,7\n01004,5\n01005,6\n")
	out := b.MustLoad()["places"]
	b.Want("SELECT code FROM geo.place", "01004")
	if got := fmt.Sprint(out.Rejections); got != "[{places.csv 3 it has letters} {places.csv 4 it is too much: 7} {places.csv 6 it is too much: 6}]" {
		t.Errorf("refused: %s", got)
	}
	b.Want("SELECT row_count, refused_count, array_to_string(filled, ' ') FROM geo.load", "1|3|code name")
}

// What is counted of a load, and taken for a loss in the next, is what is left of it.
func TestFilledColumnsAreOfRowsThatAreLeft(t *testing.T) {
	t.Parallel()
	s := loadkit.Places(source.Read{Format: source.CSV})
	s.Reject = []source.Rule{{When: "people > 5", Reason: "'it is too much'"}}
	b := loadkit.New(t, s)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle,population,part\n01001,Ain,1,\n01002,Aix,6,0.5\n")
	b.MustLoad()
	b.Want("SELECT row_count, refused_count, array_to_string(filled, ' ') FROM geo.load", "1|1|code name people")
}

// The same key twice is seen wherever it stands.
func TestKeysThatAreThereTwice(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ codes, kept, refused string }{
		"side by side":           {"01001 01002 01002", "01001 01002", "[{places.csv 4 its key is that of row 3, which is kept}]"},
		"far apart":              {"01001 01002 01001", "01001 01002", "[{places.csv 4 its key is that of row 2, which is kept}]"},
		"one is dropped":         {"01001 01002 01002-", "01001 01002", "[]"},
		"one is none, the other": {"01001 01002 x 01002", "01001 01002", `[{places.csv 4 its code "0000x" is not of the form [0-9][0-9AB][0-9]{3}} {places.csv 5 its key is that of row 3, which is kept}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Places(source.Read{Format: source.CSV})
			s.Drop = []string{"name = 'dropped'"}
			b := loadkit.New(t, s)
			b.Exec(loadkit.CreatePlace)
			content := "codgeo,libelle\n"
			for _, code := range strings.Fields(tc.codes) {
				code, dropped := strings.CutSuffix(code, "-")
				content += code + map[bool]string{true: ",dropped\n", false: ",kept\n"}[dropped]
			}
			b.File("places.csv", content)
			out := b.MustLoad()["places"]
			b.Want("SELECT code FROM geo.place", strings.ReplaceAll(tc.kept, " ", "\n"))
			if got := fmt.Sprint(out.Rejections); got != tc.refused {
				t.Errorf("refused: %s", got)
			}
		})
	}
}
