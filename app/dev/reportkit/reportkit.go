// Package reportkit is what the tests of the report share: a database with a few communes and a parcel, a
// folder of files, the means to write small files of all formats into it, and to load them.
package reportkit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// Fixture is a database with a few communes and one parcel, into which one test loads small files.
type Fixture struct {
	T    *testing.T
	DB   *pgxpool.Pool
	Data string // the folder of files
}

// The parcel that tests ask about: a square of 0.001 degrees in Bondy, 111.25 m
// high and 73.27 m wide, and what it lies in.
const (
	Square    = "930100000A0001"
	SquareWKT = "POLYGON((2.480 48.900, 2.481 48.900, 2.481 48.901, 2.480 48.901, 2.480 48.900))"
)

// someCommunes are the places that the tests speak of. 91999 was
// merged into 91001; 75118 is an arrondissement.
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

// New makes a fixture.
func New(t *testing.T) *Fixture {
	t.Helper()
	db, _ := testkit.DB(t)
	f := &Fixture{T: t, DB: db, Data: t.TempDir()}
	f.Exec(someCommunes)
	f.Parcel(Square, SquareWKT)
	return f
}

// Exec runs a statement.
func (f *Fixture) Exec(sql string, args ...any) {
	f.T.Helper()
	testkit.Exec(f.T, f.DB, sql, args...)
}

// Parcel activates a parcel.
func (f *Fixture) Parcel(idu, wkt string) {
	f.T.Helper()
	f.Exec(`INSERT INTO geo.parcelle (idu, geom) VALUES ($1, ST_Multi(ST_GeomFromText($2, 4326)))`, idu, wkt)
}

// CompleteParcels says that all parcels of communes are loaded.
func (f *Fixture) CompleteParcels(communes ...string) {
	f.T.Helper()
	f.Exec(`WITH l AS (
		INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused,
			started_at, loaded_at, active)
		VALUES ('test-parcels', '', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
		INSERT INTO geo.parcelle_commune (code, load_id) SELECT unnest($1::text[]), id FROM l`, communes)
}

// Write writes a file below the data folder.
func (f *Fixture) Write(path, content string) {
	f.T.Helper()
	path = filepath.Join(f.Data, filepath.FromSlash(path))
	testkit.NoError(f.T, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(f.T, os.WriteFile(path, []byte(content), 0o600))
}

// Source is the source of that name, without those it depends on.
func (f *Fixture) Source(name string) source.Source {
	f.T.Helper()
	all := topic.Sources()
	i := slices.IndexFunc(all, func(s source.Source) bool { return s.Name == name })
	if i < 0 {
		f.T.Fatalf("there is no source %s", name)
	}
	src := all[i]
	src.After = nil
	return src
}

// Loads loads one source from the data folder; without outcomes where the source takes none of the files.
func (f *Fixture) Loads(src source.Source) ([]ingest.Outcome, error) {
	f.T.Helper()
	loader := ingest.New(ingest.Options{DB: f.DB, Catalogue: []source.Source{src}, DataDir: f.Data,
		StateDir: f.T.TempDir()})
	return loader.Load(f.T.Context(), ingest.Request{Sources: []string{src.Name}})
}

// Load writes a file below the data folder and loads the named source, which has to take the file.
func (f *Fixture) Load(sourceName, path, content string) ingest.Outcome {
	f.T.Helper()
	f.Write(path, content)
	return f.LoadSource(sourceName)
}

// LoadSource loads one source and returns the outcome of its last load.
func (f *Fixture) LoadSource(name string) ingest.Outcome {
	f.T.Helper()
	out, err := f.Loads(f.Source(name))
	testkit.NoError(f.T, err)
	return f.lastOutcome(name, out)
}

// TryLoad loads one source that may be refused.
func (f *Fixture) TryLoad(name string) ingest.Outcome {
	f.T.Helper()
	out, _ := f.Loads(f.Source(name)) // the outcomes give the errors, too
	return f.lastOutcome(name, out)
}

func (f *Fixture) lastOutcome(name string, out []ingest.Outcome) ingest.Outcome {
	f.T.Helper()
	if len(out) == 0 {
		f.T.Fatalf("source %s takes none of the files", name)
	}
	return out[len(out)-1]
}

// CoverageIs fails the test unless exactly these areas are covered by a layer.
func (f *Fixture) CoverageIs(layer string, areas ...string) {
	f.T.Helper()
	if got := f.Covered(layer); !slices.Equal(got, areas) {
		f.T.Errorf("%s covers %q, want %q", layer, got, areas)
	}
}

// Covered are the areas that a layer covers.
func (f *Fixture) Covered(layer string) (areas []string) {
	f.T.Helper()
	err := f.DB.QueryRow(f.T.Context(),
		`SELECT coalesce(array_agg(DISTINCT area ORDER BY area), '{}') FROM geo.coverage WHERE layer = $1`,
		layer).Scan(&areas)
	testkit.NoError(f.T, err)
	return areas
}

// Loaded fails the test unless a source was loaded with these numbers of rows.
func Loaded(t *testing.T, out ingest.Outcome, rows, refused int64) {
	t.Helper()
	if out.State != ingest.Loaded || out.Rows != rows || out.Refused != refused {
		t.Errorf("%s is %s with %d rows, %d refused; want %d and %d (%v %v)", out.Source, out.State, out.Rows,
			out.Refused, rows, refused, out.Err, out.Rejections)
	}
}
