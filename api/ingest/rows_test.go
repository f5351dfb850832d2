package ingest_test

import (
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// summed is a synthetic source whose rows are sums of the lines of its file, in a table that it shares with others.
func summed(rows string) source.Source {
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

// summedBench has the sums of two communes, beside rows of others.
func summedBench(t *testing.T) *loadkit.Fixture {
	b := loadkit.New(t, summed(sums))
	b.Exec(`INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('other', '1', '{}'), ('facts/02', '1', '{}'), ('facts/01', 'gone', '{}')`)
	b.File("01/facts-2021.csv", twoCommunes)
	if out := b.MustLoad()["facts 01"]; out.Refused != 3 {
		t.Errorf("%d rows were refused; want the two of a repeated commune and the one below zero", out.Refused)
	}
	b.Want("SELECT part, id, attrs FROM geo.enrich_radon", sumsOfTwo)
	return b
}

// A figure of a département that is made of its communes counts the lines that are good, once each, and no others. Where
// that fails, what was served stays.
func TestRowsThatAreMade(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, content, rows, says string }{
		{"nothing comes of them", "01/facts-2021.csv", "commune,men\n01001,1\n", sums + " HAVING count(*) > 9", "no row for the table comes of its rows"},
		{"two of one key", "01/facts-2021.csv", "commune,men\n01001,1\n01002,1\n", "SELECT '1' AS id, '{}'::jsonb AS attrs FROM stage", "(part, id)=(facts/01, 1)"},
		{"SQL that is none", "01/facts-2021.csv", "commune,men\n01001,1\n", "SELECT nothing FROM stage", `"nothing" does not exist`},
		{"another place", "02/facts-2021.csv", "commune,men\n02001,1\n", sums, "it is of 02"},
		{"another year", "01/facts-2022.csv", "commune,men\n01001,1\n", sums, "the year is 2022"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := summedBench(t)
			b.Catalogue = []source.Source{summed(tc.rows)}
			b.File(tc.file, tc.content)
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, tc.says)
			b.Want("SELECT part, id, attrs FROM geo.enrich_radon", sumsOfTwo)
		})
	}
}

// A check that finds nothing must not keep a load from its end: it is planned for reading all rows, not for meeting the
// one that a good file does not have. The rows themselves are planned as ever.
func TestChecksArePlannedToFindNothing(t *testing.T) {
	t.Parallel()
	s := summed(sums + " HAVING current_setting('enable_nestloop') = 'on'")
	s.Checks.Queries = []string{"SELECT 'nested loops are ' || setting FROM pg_settings WHERE name = 'enable_nestloop' AND setting = 'on'"}
	b := loadkit.New(t, s)
	b.File("01/facts-2021.csv", twoCommunes)
	b.MustLoad()
}

// The first real shapes or facts end the demonstration: a customer never gets synthetic data about a real parcel.
func TestRealDataEndsTheDemonstration(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.CSV}))
	b.Exec(`INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('demonstration', '1', '{}'), ('other', '1', '{}')`)
	b.Exec(`INSERT INTO geo.enrich_catnat (part, id, attrs) VALUES ('demonstration', '1', '{}')`)
	b.Exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused,
		started_at, loaded_at, active, demonstration)
		SELECT s, '', 'x', 'x', 'x', '[]', 'x', 1, 0, '[]', now(), now(), true, true FROM unnest(ARRAY['demonstration-radon', 'demonstration-rga']) s`)
	b.Exec(`INSERT INTO geo.coverage (layer, area, load_id) SELECT substr(source, 15), '', id FROM geo.load`)
	b.File("facts.x", "id\n1\n")
	b.MustLoad()
	b.Want(loadkit.Coverage, "radon||facts||true")
	b.Want("SELECT part FROM geo.enrich_radon", "facts\nother")
	b.Want("SELECT part FROM geo.enrich_catnat", "")
	b.Want("SELECT source FROM geo.load", "facts")
}

// What goes wrong at the very end takes everything back, and loading the same again changes nothing that is known.
func TestASwapThatFails(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Covers[0].Areas = "SELECT DISTINCT id FROM ready"
	b := loadkit.New(t, s)
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("38001", "cave", loadkit.Spot(5, 45))))
	b.MustLoad()
	const loads = "SELECT source, active FROM geo.load"
	for range 2 {
		b.Want(served, "caves|38001|1|cave")
		b.Want(loadkit.Coverage, "cavity|38001|caves||true")
		b.Want(loads, "caves|true")
		b.File("caves.geojson", loadkit.Collection(loadkit.Thing("nowhere", "cave", loadkit.Spot(5, 45))))
		_, err := b.Load(ingest.Request{Force: true})
		loadkit.Contains(t, err, `it would cover "nowhere"`)
	}
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("38001", "cave", loadkit.Spot(5, 45))))
	if _, err := b.Load(ingest.Request{Force: true}); err != nil {
		t.Fatal(err)
	}
	b.Want(served, "caves|38001|1|cave")
	b.Want(loadkit.Coverage, "cavity|38001|caves||true")
	b.Want(loads, "caves|false\ncaves|true")
}
