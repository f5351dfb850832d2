// Package report_test holds the report of every topic to the files that its sources take: what is loaded, what the
// statement answers, and what it answers where nothing is loaded.
package report_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/ingest"
	"arpent/api/report"
	"arpent/api/source"
	"arpent/api/topic"
	"arpent/app/dev/testkit"
)

// fixture is a database with a few communes and one parcel, into which tests load small files.
type fixture struct {
	t     *testing.T
	db    *pgxpool.Pool
	store *report.Store
	data  string
}

// The parcel that tests ask about: a square of 0.001 degrees in Bondy, 111.25 m high and 73.27 m wide, and what it lies in.
const (
	square    = "930100000A0001"
	squareWKT = "POLYGON((2.480 48.900, 2.481 48.900, 2.481 48.901, 2.480 48.901, 2.480 48.900))"
)

// someCommunes are the places that the tests speak of. 91999 was merged into 91001; 75118 is an arrondissement.
const someCommunes = `
INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France'), ('94', 'Corse'), ('76', 'Occitanie'), ('04', 'La Réunion');
INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'),
	('91', 'Essonne', '11'), ('2A', 'Corse-du-Sud', '94'), ('34', 'Hérault', '76'), ('974', 'La Réunion', '04');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
	('commune-actuelle', '93010', 'Bondy', '93', '11', '93010', '{}'),
	('commune-actuelle', '75056', 'Paris', '75', '11', '75056', '{}'),
	('arrondissement-municipal', '75118', 'Paris 18e Arrondissement', '75', '11', '75056', '{}'),
	('commune-actuelle', '91001', 'Abbéville-la-Rivière', '91', '11', '91001', '{91999}'),
	('commune-actuelle', '2A247', 'Porto-Vecchio', '2A', '94', '2A247', '{}'),
	('commune-actuelle', '34172', 'Montpellier', '34', '76', '34172', '{}'),
	('commune-actuelle', '97411', 'Saint-Denis', '974', '04', '97411', '{}')`

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, url := testkit.DB(t)
	store, err := report.Open(t.Context(), report.Options{Catalogue: topic.Report(), URL: url, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	b := &fixture{t: t, db: db, store: store, data: t.TempDir()}
	b.exec(someCommunes)
	b.parcel(square, squareWKT)
	return b
}

func (b *fixture) exec(sql string, args ...any) {
	b.t.Helper()
	if _, err := b.db.Exec(context.Background(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

// parcel activates a parcel.
func (b *fixture) parcel(idu, wkt string) {
	b.t.Helper()
	b.exec(`INSERT INTO geo.parcelle (idu, geom) VALUES ($1, ST_Multi(ST_GeomFromText($2, 4326)))`, idu, wkt)
}

// load writes a file below the data folder and loads the named source, which has to take the file.
func (b *fixture) load(sourceName, path, content string) ingest.Outcome {
	b.t.Helper()
	b.write(path, content)
	return b.loadSource(sourceName)
}

func (b *fixture) write(path, content string) {
	b.t.Helper()
	path = filepath.Join(b.data, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// loadSource loads one source, without those it depends on, and returns the outcome of its last load.
func (b *fixture) loadSource(name string) ingest.Outcome {
	b.t.Helper()
	all := topic.Sources()
	i := slices.IndexFunc(all, func(s source.Source) bool { return s.Name == name })
	if i < 0 {
		b.t.Fatalf("there is no source %s", name)
	}
	src := all[i]
	src.After = nil
	loader := ingest.New(ingest.Options{DB: b.db, Catalogue: []source.Source{src}, DataDir: b.data, StateDir: b.t.TempDir(), Packages: []string{}})
	out, err := loader.Load(b.t.Context(), ingest.Request{Sources: []string{name}})
	if err != nil {
		b.t.Fatal(err)
	}
	if len(out) == 0 {
		b.t.Fatalf("source %s takes none of the files", name)
	}
	return out[len(out)-1]
}

// cover says that a layer is loaded for an area, for tests that write rows themselves.
func (b *fixture) cover(layer, area string) {
	b.t.Helper()
	b.exec(`WITH l AS (
		INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('test-' || $1, $2, 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
		INSERT INTO geo.coverage (layer, area, load_id) SELECT $1, $2, id FROM l`, layer, area)
}

// value is the value of one key in the report of the test's parcel, as JSON; "null" when it has none.
func (b *fixture) value(key string) string {
	b.t.Helper()
	return b.valueOf(square, key)
}

// valueOf is the value of one key in the report of a parcel.
func (b *fixture) valueOf(idu, key string) string {
	b.t.Helper()
	p := report.Parcel{IDU: idu, Arrondissement: idu[:5], Commune: idu[:5], Departement: idu[:2]}
	if idu[:2] == "97" {
		p.Departement = idu[:3]
	}
	if idu[:3] == "751" {
		p.Commune = "75056"
	}
	r, err := b.store.Report(b.t.Context(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	for i, k := range topic.Report().Keys() {
		if k.Name != key {
			continue
		}
		if r.Values[i] == nil {
			return "null"
		}
		return string(r.Values[i])
	}
	b.t.Fatalf("the report has no key %s", key)
	return ""
}

// wants compares JSON without regard to blanks.
func (b *fixture) wants(key, want string) {
	b.t.Helper()
	got := b.value(key)
	if compact(b.t, got) != compact(b.t, want) {
		b.t.Errorf("%s is\n%s\nwant\n%s", key, got, want)
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
