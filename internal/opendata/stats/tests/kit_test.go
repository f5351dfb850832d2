// Package stats_test holds the statistics of every topic to the files that its sources take: what is loaded,
// what is made of it, and which files are refused.
package stats_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tidwall/gjson"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/snapshot"
)

// readBox unpacks a file of the box.
func readBox(t *testing.T, path string) io.Reader {
	t.Helper()
	f := testkit.Must(os.Open(filepath.Join(testkit.Box(t), path)))(t)
	t.Cleanup(func() { f.Close() })
	return testkit.Must(gzip.NewReader(f))(t)
}

// readJSON reads a file of the box.
func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	testkit.NoError(t, json.NewDecoder(readBox(t, path)).Decode(into))
}

// fixture is a database with a few communes, into which tests load small files.
type fixture struct {
	t    testing.TB
	db   *pgxpool.Pool
	data string

	current *stats.Data // what block has read since the last change; nil: nothing
}

// someCommunes are the places that the tests speak of. 91999 was merged into 91001 in 2019; 15141 gave 15031
// back in 2025; 75101, 75118 and 69381 are arrondissements. Bondy has an outline of about 5.5 km².
const someCommunes = `
INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France'), ('94', 'Corse'), ('84', 'Auvergne-Rhône-Alpes'), ('04', 'La Réunion');
INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'),
	('91', 'Essonne', '11'), ('2A', 'Corse-du-Sud', '94'), ('15', 'Cantal', '84'), ('69', 'Rhône', '84'), ('974', 'La Réunion', '04');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
	('commune-actuelle', '93010', 'Bondy', '93', '11', '93010', '{}'),
	('commune-actuelle', '93066', 'Saint-Denis', '93', '11', '93066', '{}'),
	('commune-actuelle', '75056', 'Paris', '75', '11', '75056', '{}'),
	('arrondissement-municipal', '75101', 'Paris 1er Arrondissement', '75', '11', '75056', '{}'),
	('arrondissement-municipal', '75118', 'Paris 18e Arrondissement', '75', '11', '75056', '{}'),
	('commune-actuelle', '69123', 'Lyon', '69', '84', '69123', '{}'),
	('arrondissement-municipal', '69381', 'Lyon 1er Arrondissement', '69', '84', '69123', '{}'),
	('commune-actuelle', '91001', 'Abbéville-la-Rivière', '91', '11', '91001', '{91999}'),
	('commune-actuelle', '15141', 'Neussargues-Moissac', '15', '84', '15141', '{}'),
	('commune-actuelle', '15031', 'Celles', '15', '84', '15031', '{}'),
	('commune-actuelle', '2A247', 'Porto-Vecchio', '2A', '94', '2A247', '{}'),
	('commune-actuelle', '97411', 'Saint-Denis', '974', '04', '97411', '{}');
INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after) VALUES
	(32, '2019-01-01', 'COM', '91001', 'Abbéville-la-Rivière', 'COM', '91001', 'Abbéville-la-Rivière'),
	(32, '2019-01-01', 'COM', '91999', 'Le Hameau', 'COM', '91001', 'Abbéville-la-Rivière'),
	(21, '2025-01-01', 'COM', '15141', 'Neussargues en Pinatelle', 'COM', '15141', 'Neussargues-Moissac'),
	(21, '2025-01-01', 'COM', '15141', 'Neussargues en Pinatelle', 'COM', '15031', 'Celles');
INSERT INTO geo.commune_contour (code, area_km2, geom)
	SELECT '93010', ST_Area(g::geography) / 1e6, ST_Multi(g) FROM ST_MakeEnvelope(2.465, 48.89, 2.5, 48.909, 4326) g`

// newFixture makes the fixture of a test, which runs in parallel with the others: each has a database.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	return openFixture(t)
}

// openFixture makes one of several fixtures of a test, or that of a test which runs alone.
func openFixture(t testing.TB) *fixture {
	t.Helper()
	db, _ := testkit.DB(t)
	b := &fixture{t: t, db: db, data: t.TempDir()}
	b.exec(someCommunes)
	return b
}

func (b *fixture) exec(sql string, args ...any) {
	b.t.Helper()
	b.current = nil
	_, err := b.db.Exec(context.Background(), sql, args...)
	testkit.NoError(b.t, err)
}

// write puts a file below the data folder.
func (b *fixture) write(path, content string) {
	b.t.Helper()
	path = filepath.Join(b.data, filepath.FromSlash(path))
	testkit.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(b.t, os.WriteFile(path, []byte(content), 0o600))
}

// load writes a file and loads the named source, which has to take it. Checks for national
// files are left out: tests write a few lines.
func (b *fixture) load(sourceName, path, content string) ingest.Outcome {
	b.t.Helper()
	b.write(path, content)
	out, err := b.try(sourceName, func(s *source.Source) { s.Checks.MinRows = 0 })
	testkit.NoError(b.t, err)
	return out
}

// try loads one source, without those it depends on, and returns the outcome of its last load.
func (b *fixture) try(name string, change func(*source.Source)) (ingest.Outcome, error) {
	b.t.Helper()
	b.current = nil
	all := topic.Sources()
	i := slices.IndexFunc(all, func(s source.Source) bool { return s.Name == name })
	if i < 0 {
		b.t.Fatalf("there is no source %s", name)
	}
	src := all[i]
	src.After = nil
	if change != nil {
		change(&src)
	}
	loader := ingest.New(ingest.Options{DB: b.db, Catalogue: []source.Source{src}, DataDir: b.data, StateDir: b.t.TempDir()})
	// A file is loaded again where its checks are those of production: only
	// they differ from those of a load before.
	out, err := loader.Load(b.t.Context(), ingest.Request{Sources: []string{name}, Force: change == nil})
	if len(out) == 0 && err == nil {
		b.t.Fatalf("source %s takes none of the files", name)
	}
	if len(out) == 0 {
		return ingest.Outcome{}, err
	}
	return out[len(out)-1], err
}

// read gives what the blocks are made from.
func (b *fixture) read() *stats.Data {
	b.t.Helper()
	var d *stats.Data
	err := pgx.BeginFunc(b.t.Context(), b.db, func(tx pgx.Tx) (err error) {
		d, err = topic.Statistics().Read(b.t.Context(), tx)
		return err
	})
	testkit.NoError(b.t, err)
	return d
}

// block is the value of one key of a territory, as JSON without blanks; "null" when it has none. Whatever a
// test asks for has to have the shape that the document promises.
func (b *fixture) block(level stats.Level, code, key string) string {
	b.t.Helper()
	if b.current == nil {
		b.current = b.read()
	}
	if of := b.current.Find(level, code); of != nil {
		checkTerritory(b.t, b.current, of)
	}
	return blockOf(b.t, b.current, level, code, key)
}

func blockOf(t testing.TB, d *stats.Data, level stats.Level, code, key string) string {
	t.Helper()
	of := d.Find(level, code)
	if of == nil {
		t.Fatalf("there is no %s %s", level, code)
	}
	var body []byte
	if d == realRead { // thousands are asked for: all are rendered once
		served, _ := realSnapshot(t).Of(level, code)
		body = served.Append(nil)
	} else {
		var err error
		if body, err = d.Render(of); err != nil {
			t.Fatal(err)
		}
	}
	value := gjson.GetBytes(body, key)
	if !value.Exists() {
		t.Fatalf("%s have no key %s", level, key)
	}
	return value.Raw
}

// wants compares the value of a key with JSON, in which blanks and the order of members do not count.
func (b *fixture) wants(level stats.Level, code, key, want string) {
	b.t.Helper()
	same(b.t, key, b.block(level, code, key), want)
}

// hasParts fails the test when the value of a key lacks one of these texts.
func (b *fixture) hasParts(level stats.Level, code, key string, parts ...string) {
	b.t.Helper()
	hasParts(b.t, key+" of "+code, b.block(level, code, key), parts...)
}

func hasParts(t testing.TB, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s is\n%s\nexpected to have\n%s", what, got, part)
		}
	}
}

func same(t testing.TB, what, got, want string) {
	t.Helper()
	var g, w any
	if json.Unmarshal([]byte(got), &g) != nil || json.Unmarshal([]byte(want), &w) != nil {
		t.Fatalf("%s: %s or %s is not JSON", what, got, want)
	}
	gotText, _ := json.Marshal(g)
	wantText, _ := json.Marshal(w)
	if string(gotText) != string(wantText) {
		t.Errorf("%s is\n%s\nexpected\n%s", what, gotText, wantText)
	}
}

var (
	realOnce     sync.Once
	realRead     *stats.Data
	renderedOnce sync.Once
	realRendered *stats.Snapshot
)

// realData is everything that the files of the data folder hold, read once for all tests.
func realData(t *testing.T) *stats.Data {
	t.Helper()
	testkit.SkipIfShort(t)
	realOnce.Do(func() {
		b := &fixture{t: t}
		b.db, _, _ = loadkit.Box(t)
		realRead = b.read()
	})
	if realRead == nil {
		t.Fatal("the real files are not loaded")
	}
	return realRead
}

// realSnapshot is that data rendered, once for all tests.
func realSnapshot(t testing.TB) *stats.Snapshot {
	t.Helper()
	renderedOnce.Do(func() { realRendered = snapshotOf(t, realRead) })
	if realRendered == nil {
		t.Fatal("the real files are not rendered")
	}
	return realRendered
}

// snapshotOf renders all of the data.
func snapshotOf(t testing.TB, d *stats.Data) *stats.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), "statistics")
	testkit.NoError(t, snapshot.Write(path, stats.Format, "test", func(w *snapshot.Writer) error { return d.Write(t.Context(), w) }))
	return testkit.Must(stats.Open(path))(t)
}
