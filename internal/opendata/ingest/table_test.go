package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
)

// Each oddity of real French tables gives the value that is meant, or
// costs its row and says which line it is.
func TestTablesAreReadAsMeant(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file, content string
		read                source.Read
		rows                string
		refused             []string // "line: reason"
	}{
		{
			name: "semicolons, byte-order mark, decimal comma, blanks in numbers, null tokens, lost zero",
			file: "places.csv",
			content: "\ufeffCodgeo;Libelle;population;part;date\r\n1001;Ain;12\u00a0345;1,5;2024-03-31\r\n" +
				"2A004;\"Ajaccio; ville\";1\u202f000;s;31/03/2024\r\n75056;Paris;nd;0;20240331\r\n",
			read: source.Read{Format: source.CSV, Separator: ";", Decimal: ",", Nulls: []string{"s", "nd"}},
			rows: "01001|Ain|12345|1.5|2024-03-31\n2A004|Ajaccio; ville|1000||2024-03-31\n75056|Paris||0|2024-03-31",
		},
		{
			name: "Windows-1252, recognised", file: "places.csv",
			content: "codgeo,libelle\n01001,\xc9vian \x96 l'\xe9glise\n",
			read:    source.Read{Format: source.CSV, Encoding: "sniff"},
			rows:    "01001|Évian – l'église|||",
		},
		{
			name: "UTF-8, recognised, in gzip under a name that does not say so", file: "places.csv",
			content: loadkit.Zipped("codgeo,libelle\n01001,Évian\n"),
			read:    source.Read{Format: source.CSV, Encoding: "sniff"},
			rows:    "01001|Évian|||",
		},
		{
			name: "no header, a banner above", file: "places.csv",
			content: "Population\n(extract)\n01001,Ain\n",
			read:    source.Read{Format: source.CSV, Skip: 2, Header: []string{"codgeo", "libelle"}},
			rows:    "01001|Ain|||",
		},
		{
			name: "bad rows", file: "places.csv",
			content: "codgeo,libelle,population,part,date\n,unnamed,,,\n01001,Ain,1,1,\n01002,cells,1\n01003,x,many,,\n01004,x,1.5,,\n" +
				"#VALEUR!,x,,,\n01001,again,,,\n01005,x,,,2024-02-31\n01006,b\xffd,,,\n01007,où,7.0,,\n01008,ok,,1e3,\n",
			read: source.Read{Format: source.CSV},
			rows: "01001|Ain|1|1|\n01007|où|7||\n01008|ok||1000|",
			refused: []string{
				"2: it has no code", "4: it has 3 cells; expected 5", `5: its people "many" is not a whole number in range`,
				`6: its people "1.5" is not a whole number in range`, `7: its code "#VALEUR!" is not of the form [0-9][0-9AB][0-9]{3}`,
				`9: its seen "2024-02-31" is not a date`, "10: its name is not text", "8: its key is that of row 3, which is kept",
			},
		},
		{
			name: "an array of objects", file: "places.json",
			content: `[{"code insee":"01001","libelle":null,"population":5},{"codgeo":"01002","libelle":"x"},7]`,
			read:    source.Read{Format: source.JSON},
			rows:    "01001||5||\n01002|x|||",
			refused: []string{"3: it is not an object of the expected form"},
		},
		{
			name: "an object a line", file: "places.jsonl",
			content: "{\"codgeo\":\"01001\",\"part\":0.25}\n{\"codgeo\":\"01002\",\"part\":\"0.5\"}\n",
			read:    source.Read{Format: source.JSONLines},
			rows:    "01001|||0.25|\n01002|||0.5|",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, loadkit.Places(tc.read))
			b.Exec(loadkit.CreatePlace)
			b.File(tc.file, tc.content)
			out := b.MustLoad()["places"]
			b.Want("SELECT * FROM geo.place", tc.rows)
			var got []string
			for _, r := range out.Rejections {
				got = append(got, fmt.Sprintf("%d: %s", r.Line, r.Reason))
			}
			if strings.Join(got, "\n") != strings.Join(tc.refused, "\n") {
				t.Errorf("refused\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.refused, "\n"))
			}
			b.Want("SELECT refused_count, jsonb_array_length(refused), active FROM geo.load",
				fmt.Sprintf("%d|%d|true", len(tc.refused), len(tc.refused)))
		})
	}
}

// A file that is not what it should be is refused whole, with its name, and what was served stays.
func TestBrokenFilesChangeNothing(t *testing.T) {
	t.Parallel()
	good := "codgeo,libelle\n01001,Ain\n01002,Aix\n"
	long := loadkit.Zipped(strings.Repeat("codgeo,libelle\n", 1) + strings.Repeat("01001,Ain\n", 5000))
	csv, json := source.Read{Format: source.CSV}, source.Read{Format: source.JSON}
	for _, tc := range []struct {
		name, content string
		read          source.Read
		says          []string
	}{
		{"gzip cut off", long[:len(long)-9], csv, []string{"places.csv", "cut off"}},
		{"gzip damaged", long[:len(long)-8] + "12345678", csv, []string{"places.csv", "damaged"}},
		{"json cut off", `[{"codgeo":"01001"},{"codgeo":"010`, json, []string{"places.csv", "after record", "cut off"}},
		{"json cut between records", `[{"codgeo":"01001"},`, json, []string{"after record 1", "cut off"}},
		{"json with something after", `[{"codgeo":"01001"}] and`, json, []string{"unexpected data after the JSON value"}},
		{"a collection in gzip, cut off", loadkit.Zipped(`{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"codgeo":"01001"}}]}`)[:80],
			source.Read{Format: source.GeoJSON}, []string{"after record 0: the gzip file is cut off"}},
		{"not json at all", "<html>503</html>", json, []string{"places.csv", "got HTML or XML"}},
		{"no json", "", json, []string{"places.csv", "the file is empty"}},
		{"an object, not an array", `{"codgeo":"01001"}`, json, []string{`"["`}},
		{"empty", "", csv, []string{"places.csv", "empty"}},
		{"header only", "codgeo,libelle\n", csv, []string{"places.csv", "no row"}},
		{"zip cut off", loadkit.Archive(t, map[string]string{"places.csv": good})[:60], csv, []string{"places.csv", "the zip file is cut off"}},
		{"empty, read by GDAL", "", source.Read{Format: source.Shapefile}, []string{"places.csv", "the file is empty"}},
		{"a quote that never ends", "codgeo,libelle\n01001,\"Ain\n01002,Aix\n", csv, []string{"places.csv", "line 3"}},
		{"too many bad rows", "codgeo\n01001\nx\ny\nz\nzz\n", csv, []string{"4 of 5 rows were refused", "more than 75 %", "row 3", `"0000x"`}},
		{"another table", "a,b\n1,2\n", csv, []string{"no row", "it has no code", `its header lacks ["codgeo or CODE INSEE" "libelle" "population" "part" "date"]; it has ["a" "b"]`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, loadkit.Places(csv))
			b.Exec(loadkit.CreatePlace)
			b.File("places.csv", good)
			b.MustLoad()
			b.Catalogue = []source.Source{loadkit.Places(tc.read)}
			b.File("places.csv", tc.content)
			out, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, tc.says...)
			if out["places"].State != ingest.Refused {
				t.Errorf("the load is %s; expected refused", out["places"].State)
			}
			b.Want("SELECT code, name FROM geo.place", "01001|Ain\n01002|Aix")
			b.Want("SELECT row_count, active FROM geo.load", "2|true")
		})
	}
}

// rewritten writes a file anew when a load of it begins.
type rewritten func()

func (r rewritten) Start(string, int64) { r() }
func (rewritten) Add(int64)             {}
func (rewritten) Done(ingest.Outcome)   {}

// A file that is written anew while it is read is not served half old and half new.
func TestAFileThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n")
	b.MustLoad()
	b.File("places.csv", "codgeo,libelle\n01001,Aix\n")
	_, err := ingest.New(ingest.Options{DB: b.DB, Catalogue: b.Catalogue, DataDir: b.Data, StateDir: b.State, Clock: b.Clock,
		Progress: rewritten(func() { b.File("places.csv", "codgeo,libelle\n01002,Aix\n") })}).Load(t.Context(), ingest.Request{})
	loadkit.Contains(t, err, "places.csv", "it was changed while it was read")
	b.Want("SELECT code, name FROM geo.place", "01001|Ain")
	b.MustLoad()
	b.Want("SELECT code, name FROM geo.place", "01002|Aix")
}

// What has not changed is not loaded again; what has changed replaces only the rows that differ, so that a
// yearly edition does not rewrite the table.
func TestOnlyChangesAreWritten(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix\n01003,Gone\n")
	b.MustLoad()
	kept := b.Text("SELECT code, xmin FROM geo.place WHERE code = '01001'")
	if out := b.MustLoad()["places"]; out.State != ingest.Unchanged {
		t.Errorf("the same file again is %s; expected unchanged", out.State)
	}
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix-les-Bains\n01004,New\n")
	b.MustLoad()
	b.Want("SELECT code, name FROM geo.place", "01001|Ain\n01002|Aix-les-Bains\n01004|New")
	b.Want("SELECT code, xmin FROM geo.place WHERE code = '01001'", kept)
	b.Want("SELECT active, count(*) FROM geo.load GROUP BY active", "false|1\ntrue|1")

	b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix\n01003,Gone\n")
	if out := b.MustLoad()["places"]; out.State != ingest.Loaded {
		t.Errorf("going back to the file before is %s; expected loaded", out.State)
	}
	out, err := b.Load(ingest.Request{Force: true})
	if err != nil || out["places"].State != ingest.Loaded {
		t.Errorf("a forced load is %s, %v; expected loaded", out["places"].State, err)
	}
}

// Checks of the whole refuse a file that is complete in form and wrong in substance.
func TestChecksOfTheWhole(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		checks source.Checks
		says   string
	}{
		"too few":  {source.Checks{MinRows: 3}, "it has 2 rows; expected at least 3"},
		"too many": {source.Checks{MaxRows: 1}, "it has 2 rows; expected at most 1"},
		"a query":  {source.Checks{Queries: []string{"SELECT 'no ' || 'Lyon' WHERE NOT EXISTS (SELECT FROM stage WHERE name = 'Lyon')"}}, "no Lyon"},
		"unknown codes": {source.Checks{Known: []source.Known{{Code: "code", Query: "SELECT '01001'", Reason: "'no commune ' || code"}}},
			"row 3: no commune 01002"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Places(source.Read{Format: source.CSV})
			s.Checks = tc.checks
			b := loadkit.New(t, s)
			b.Exec(loadkit.CreatePlace)
			b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix\n")
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, tc.says, "places.csv")
			b.Want("SELECT count(*) FROM geo.place", "0")
		})
	}
}

// Two processes that start at once load a file once.
func TestConcurrentLoadsOfOneSourceTakeTurns(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n")
	states := make([]ingest.State, 4)
	var wg sync.WaitGroup
	for i := range states {
		wg.Go(func() {
			out, err := b.Load(ingest.Request{})
			if err != nil {
				t.Error(err)
			}
			states[i] = out["places"].State
		})
	}
	wg.Wait()
	loaded := 0
	for _, s := range states {
		if s == ingest.Loaded {
			loaded++
		}
	}
	if loaded != 1 {
		t.Errorf("%d of 4 concurrent loads loaded the file; expected 1", loaded)
	}
	b.Want("SELECT count(*) FROM geo.load", "1")
}

// A source under a licence that is not open is loaded only by name; words
// that name nothing are an error, not nothing.
func TestSourcesAreSelectedByLicenceAndName(t *testing.T) {
	t.Parallel()
	s := loadkit.Places(source.Read{Format: source.CSV})
	s.Licence.Open = false
	b := loadkit.New(t, s)
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n")
	if out := b.MustLoad(); len(out) != 0 {
		t.Errorf("a source under a closed licence was loaded without being named: %v", out)
	}
	if _, err := b.Load(ingest.Request{Sources: []string{"places"}}); err != nil {
		t.Error(err)
	}
	b.Want("SELECT count(*) FROM geo.place", "1")
	_, err := b.Load(ingest.Request{Sources: []string{"plaecs"}})
	loadkit.Contains(t, err, "plaecs", "places")
}

// What has got worse is refused where the better is to be kept, and loaded where somebody wants it by name.
func TestWorseLoads(t *testing.T) {
	t.Parallel()
	const twenty = "01001,a,1\n01002,a,1\n01003,a,1\n01004,a,1\n01005,a,1\n01006,a,1\n01007,a,1\n01008,a,1\n01009,a,1\n01010,a,1\n" +
		"01011,a,1\n01012,a,1\n01013,a,1\n01014,a,1\n01015,a,1\n01016,a,1\n01017,a,1\n01018,a,1\n01019,a,1\n01020,a,1\n"
	for _, tc := range []struct {
		name, file string
		says       []string // nothing: it is accepted
		rows       string   // that are served in the end
	}{
		{name: "one of twenty less", file: "codgeo,libelle,population\n" + twenty[10:], rows: "19"},
		{name: "two of twenty less", file: "codgeo,libelle,population\n" + twenty[20:], rows: "20",
			says: []string{"it has 18 rows, 10.0 % fewer than the 20 that are served", "arpent load with the name of the source"}},
		{name: "a column less", file: "codgeo,libelle\n" + strings.ReplaceAll(twenty, ",1\n", "\n"), rows: "20", says: []string{"it has no value of people;"}},
		{name: "a column emptied", file: "codgeo,libelle,population\n" + strings.ReplaceAll(twenty, ",1\n", ",\n"), rows: "20",
			says: []string{"it has no value of people;"}},
		{name: "a column more", file: "codgeo,libelle,population,part\n" + strings.ReplaceAll(twenty, ",1\n", ",1,1\n"), rows: "20"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
			b.Exec(loadkit.CreatePlace)
			b.File("places.csv", "codgeo,libelle,population\n"+twenty)
			b.MustLoad()
			b.File("places.csv", tc.file)
			_, err := b.Load(ingest.Request{KeepBetter: true})
			var worse *ingest.WorseError
			if errors.As(err, &worse) != (tc.says != nil) {
				t.Fatalf("the load ends with %v", err)
			}
			if tc.says != nil {
				loadkit.Contains(t, err, tc.says...)
			}
			b.Want("SELECT count(*) FROM geo.place", tc.rows)
			named, err := b.Load(ingest.Request{Sources: []string{"places"}})
			if err != nil {
				t.Errorf("by name it is refused too: %v", err)
			}
			if line := named["places"].String(); strings.Contains(line, "although it has") != (tc.says != nil) {
				t.Errorf("by name it is %s", line)
			}
			b.Want("SELECT row_count, (SELECT count(*) FROM geo.place) FROM geo.load WHERE active", fmt.Sprintf("%[1]d|%[1]d", strings.Count(tc.file, "\n")-1))
		})
	}
}

// manyFacts are enough rows of facts for a table of their own.
func manyFacts(note string) string {
	var b strings.Builder
	b.WriteString("id,note\n")
	for i := range 50_000 {
		fmt.Fprintf(&b, "%d,%s\n", i, note)
	}
	return b.String()
}

// bigFacts is a fixture of a source with many rows, in a table with
// indexes, rights and a table derived of it.
func bigFacts(t *testing.T) *loadkit.Fixture {
	t.Helper()
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("note")...)
	s.Target.After = `UPDATE geo.enrich_radon SET commune = '01001' WHERE id = '7' AND part = 'facts'`
	s.Derived = []source.Derived{{Name: "tens", Query: "SELECT id, attrs FROM ready WHERE id LIKE '%0'",
		Target: source.Target{Table: "geo.enrich_catnat", Key: []string{"part", "id"}, Part: true}}}
	b := loadkit.New(t, s)
	b.Exec("CREATE INDEX a_name_of_its_own ON geo.enrich_radon (id DESC) WHERE commune IS NULL")
	b.Exec("GRANT UPDATE ON geo.enrich_radon TO PUBLIC")
	b.File("facts.csv", manyFacts("first"))
	return b
}

const servedFacts = `SELECT (SELECT count(*) || ' ' || min(attrs->>'note') || ' ' || count(*) FILTER (WHERE commune = '01001' AND id = '7') FROM geo.enrich_radon) AS facts,
	(SELECT count(*) FROM geo.enrich_catnat) AS tens, (SELECT count(*) FROM geo.load WHERE active) AS active, (SELECT count(*) FROM geo.coverage) AS areas`

// formOf is the form of the tables of a name, and of their successors.
func formOf(table string) string {
	return `SELECT c.relname, pg_get_userbyid(c.relowner) AS owner, c.relacl::text, c.reloptions::text,
	(SELECT string_agg(i.indexdef, ' ' ORDER BY i.indexdef) FROM pg_indexes i WHERE i.schemaname = 'geo' AND i.tablename = c.relname) AS indexes,
	(SELECT string_agg(k.conname || pg_get_constraintdef(k.oid), ' ' ORDER BY k.conname) FROM pg_constraint k WHERE k.conrelid = c.oid) AS constraints,
	(SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull), ' ' ORDER BY a.attnum) FROM pg_attribute a
		WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
	FROM pg_class c WHERE c.relnamespace = 'geo'::regnamespace AND c.relname ~ '^` + table + `(_next)?$' AND c.relkind = 'r'`
}

// A table without rows is followed by one of the same form, with the same indexes and rights, that holds the
// rows; what comes after it is merged into that.
func TestFirstLoadOfManyRows(t *testing.T) {
	t.Parallel()
	b := bigFacts(t)
	before := b.Text(formOf("enrich_(radon|catnat)"))
	b.Exec("CREATE TABLE geo.enrich_radon_next (left_by integer)") // a load that was killed
	old := b.Text("SELECT 'geo.enrich_radon'::regclass::oid")
	b.MustLoad()
	b.Want(formOf("enrich_(radon|catnat)"), before)
	if b.Text("SELECT 'geo.enrich_radon'::regclass::oid") == old {
		t.Error("the rows were merged one by one")
	}
	b.Want(servedFacts, "50000 first 1|5000|1|1")
	b.File("facts.csv", strings.Replace(manyFacts("second"), "\n1,second\n", "\n", 1))
	b.MustLoad()
	b.Want(servedFacts, "49999 second 1|5000|1|1")
	b.Want("SELECT count(*) FROM geo.enrich_radon WHERE id = '1'", "0")
}

// Where the rows cannot be written so the load is refused with the same words,
// or merged as any other, and nothing is left.
func TestFirstLoadOfManyRowsThatFails(t *testing.T) {
	t.Parallel()
	b := bigFacts(t)
	b.File("facts.csv", manyFacts("first")+"49999,again\n")
	_, err := b.Load(ingest.Request{})
	loadkit.Contains(t, err, "write the rows of geo.enrich_radon", "(part, id)=(facts, 49999)")
	nothing := func() {
		t.Helper()
		b.Want("SELECT count(*) FROM geo.enrich_radon", "0")
		b.Want("SELECT relname FROM pg_class WHERE relname ~ '_next'", "")
	}
	nothing()
	b.File("facts.csv", manyFacts("first"))
	b.Catalogue[0].Covers[0].Areas = "SELECT 'nowhere'"
	_, err = b.Load(ingest.Request{})
	loadkit.Contains(t, err, `it would cover "nowhere"`)
	nothing()
	b.Catalogue[0].Covers[0].Areas = ""
	b.MustLoad()
	b.Want(servedFacts, "50000 first 1|5000|1|1")
}

// loadWithReader loads with a reader of the table that does not come to its end, and calls
// meanwhile when the rows are written next to the table.
func loadWithReader(t *testing.T, b *loadkit.Fixture, meanwhile func()) {
	t.Helper()
	reader, err := b.DB.Begin(t.Context())
	testkit.NoError(t, err)
	defer func() { _ = reader.Rollback(context.Background()) }()
	_, err = reader.Exec(t.Context(), "SELECT count(*) FROM geo.enrich_radon")
	testkit.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := b.Loader().Load(t.Context(), ingest.Request{})
		done <- err
	}()
	const written = "SELECT count(*) FROM pg_class WHERE relname = 'enrich_catnat_next'"
	testkit.Eventually(t, time.Minute, "the rows are written", func() bool { return testkit.Count(t, b.DB, written) > 0 })
	meanwhile()
	testkit.NoError(t, reader.Rollback(t.Context()))
	testkit.NoError(t, <-done)
}

// Rows that are ready wait for who reads the table, and no later reader waits for them.
func TestFirstLoadWaitsForConcurrentReaders(t *testing.T) {
	t.Parallel()
	b := bigFacts(t)
	loadWithReader(t, b, func() {
		const waits = `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
			WHERE mode = 'AccessExclusiveLock' AND NOT granted AND relation = 'geo.enrich_radon'::regclass`
		testkit.Eventually(t, time.Minute, "the load waits for the reader", func() bool { return testkit.Count(t, b.DB, waits) > 0 })
		for range 20 { // a load that waited until its reader ended would hold these up for ever
			b.Want("SELECT count(*) FROM geo.enrich_radon", "0")
		}
		b.Want("SELECT count(*) FROM geo.load WHERE active", "0")
	})
	b.Want(servedFacts, "50000 first 1|5000|1|1")
}

// Rows of others that come meanwhile stay.
func TestFirstLoadMeetsConcurrentRows(t *testing.T) {
	t.Parallel()
	b := bigFacts(t)
	loadWithReader(t, b, func() { b.Exec("INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('other', 'x', '{}')") })
	b.Want(servedFacts, "50001 first 1|5000|1|1")
	b.Want("SELECT id FROM geo.enrich_radon WHERE part = 'other'", "x")
	b.Want("SELECT relname FROM pg_class WHERE relname ~ '_next'", "")
}
