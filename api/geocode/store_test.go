package geocode_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/app/dev/snapshotkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
	"arpent/internal/snapshot"
)

// tables holds a commune with an arrondissement and a former name, and addresses of every origin.
const tables = `
INSERT INTO geo.departement (code, name) VALUES ('14', 'Calvados');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code, population, postcodes, former_codes) VALUES
	('commune-actuelle', '14001', 'Grandville', '14', '14001', 900, '{14100}', '{14099}'),
	('commune-actuelle', '14002', 'Moyville', '14', '14002', 800, '{14200,14210}', '{}'),
	('commune-actuelle', '14003', 'Petiville', '14', '14003', 700, '{14300}', '{}'),
	('commune-actuelle', '14004', 'Hauteville', '14', '14004', 600, '{14400}', '{}'),
	('commune-deleguee', '14099', 'Vieuxville', NULL, '14001', NULL, '{}', '{}');
INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES
	('14001', ST_Multi(ST_MakeEnvelope(-0.4, 49, -0.2, 49.2, 4326)), 1);
INSERT INTO geo.commune_movement VALUES (10, '1960-01-01', 'COM', '14002', 'Moyville-le-Sec', 'COM', '14002', 'Moyville');
INSERT INTO geo.postcode VALUES ('14001', '14100', 'GRANDVILLE', ''), ('14001', '14105', 'GRANDVILLE', 'LES DUNES');
INSERT INTO geo.adresse (part, id, place, numero, rep, street, postcode, code_insee, old_code, lieu_dit, position_type, geom) VALUES
	('ban/14', 'a', 1, 2, NULL, 'Rue Haute', '14100', '14001', NULL, NULL, 'parcelle', 'SRID=4326;POINT(-0.30 49.10)'),
	('ban/14', 'a', 2, 2, NULL, 'Rue Haute', '14100', '14001', NULL, NULL, 'entrée', 'SRID=4326;POINT(-0.31 49.11)'),
	('ban/14', 'b', 1, 4, 'BIS', 'Rue Haute', '14100', '14001', NULL, NULL, NULL, 'SRID=4326;POINT(-0.32 49.12)'),
	('ban/14', 'g', 1, 8, NULL, 'RUE DE L''EGLISE BRULEE', '14100', '14001', NULL, NULL, NULL, 'SRID=4326;POINT(-0.30 49.10)'),
	('ban/14', 'h', 1, 8, NULL, 'Rue Changee', '14100', '14001', NULL, NULL, NULL, 'SRID=4326;POINT(-0.30 49.10)'),
	('ban/14', 'c', 1, 1, NULL, NULL, '14100', '14001', '14099', 'LOT BELLEVUE', NULL, 'SRID=4326;POINT(-0.33 49.13)'),
	('ban/14', 'i', 1, 3, NULL, 'Chemin du Puits', '14100', '14001', NULL, 'La Grange aux Loups', NULL, 'SRID=4326;POINT(-0.34 49.14)');
INSERT INTO geo.adresse_locale (part, id, place, numero, street, code_insee, geom) VALUES
	('bal/14001', 'v', 1, 98, 'rue  de l’Église-Brûlée', '14001', 'SRID=4326;POINT(-0.30 49.10)'),
	('bal/14001', 'w', 1, 98, 'Rue de l''Eglise Brûlée', '14001', 'SRID=4326;POINT(-0.30 49.10)'),
	('bal/14001', 'x', 1, 99, 'Rue Fausse', '14001', 'SRID=4326;POINT(-0.30 49.10)'),
	('bal/14002', 'y', 1, 7, 'Rue Basse', '14002', 'SRID=4326;POINT(-0.50 49.10)'),
	('bal/14002', 'z', 1, NULL, 'La Ferme', '14002', 'SRID=4326;POINT(-0.51 49.11)');
INSERT INTO geo.adresse_bano (part, id, place, numero, street, postcode, code_insee, geom) VALUES
	('bano/14', 'x', 1, 9, 'Rue Fausse', '14200', '14002', 'SRID=4326;POINT(-0.30 49.10)'),
	('bano/14', 'z', 1, 9, 'Rue Neuve', '14400', '14004', 'SRID=4326;POINT(-0.70 49.10)'),
	('bano/14', 'y', 1, 9, 'Rue Neuve', '14300', '14003', 'SRID=4326;POINT(-0.60 49.10)');
INSERT INTO geo.lieu_dit (part, id, name, postcode, code_insee, geom) VALUES
	('ban-lieux-dits/14', 'x', 'Le Bout du Monde', '14300', '14003', 'SRID=4326;POINT(-0.61 49.15)');`

const newLoad = `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ($1, '', '', '', '[]', 'x', 0, 0, '[]', now(), now(), true)`

func newFilledStore(t *testing.T) (*pgxpool.Pool, *geocode.Store, string) {
	t.Helper()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, tables)
	dir := t.TempDir()
	return pool, geocode.New(pool, dir, topic.Sources()), filepath.Join(dir, "addresses.index")
}

func refreshStore(t *testing.T, s *geocode.Store) {
	t.Helper()
	testkit.NoError(t, s.Refresh(t.Context()))
}

// What is in the tables is found, each commune by the best that is loaded for it.
func TestStoreReadsTheTables(t *testing.T) {
	t.Parallel()
	_, s, _ := newFilledStore(t)
	refreshStore(t, s)
	for q, want := range map[string]string{
		"2 rue haute grandville":      "housenumber 14001 2 Rue Haute, 14100 Grandville",
		"4 bis rue haute 14100":       "housenumber 14001 4 bis Rue Haute, 14100 Grandville",
		"1 lot bellevue vieuxville":   "housenumber 14001 1 LOT BELLEVUE, 14100 Grandville",
		"8 rue eglise brulee 14100":   "housenumber 14001 8 RUE DE L'ÉGLISE BRÛLÉE, 14100 Grandville", // accents of the base of the commune
		"grange aux loups grandville": "locality 14001 La Grange aux Loups, 14100 Grandville",
		"3 chemin du puits 14100":     "housenumber 14001 3 Chemin du Puits, 14100 Grandville",
		"8 rue changee grandville":    "housenumber 14001 8 Rue Changee, 14100 Grandville",
		"rue fausse grandville":       "commune 14001 Grandville, Calvados",
		"7 rue basse moyville":        "housenumber 14002 7 Rue Basse, Moyville",
		"la ferme moyville":           "locality 14002 La Ferme, Moyville",
		"rue fausse moyville":         "commune 14002 Moyville, Calvados",
		"9 rue neuve petiville":       "housenumber 14003 9 Rue Neuve, 14300 Petiville",
		"9 rue neuve hauteville":      "housenumber 14004 9 Rue Neuve, 14400 Hauteville",
		"bout du monde petiville":     "locality 14003 Le Bout du Monde, 14300 Petiville",
		"moyville le sec":             "commune 14002 Moyville (Moyville-le-Sec), Calvados",
		"vieuxville":                  "commune 14001 Grandville (Vieuxville), Calvados",
		"les dunes 14105":             "commune 14001 14105 Grandville (Les Dunes), Calvados",
	} {
		r := s.Index().Search(geocode.Request{Query: q, Limit: 3})
		if len(r.Data) == 0 || describePlace(r.Data[0]) != want {
			t.Errorf("%q: %v; want %s", q, resultLabels(r), want)
		}
	}
	r := s.Index().Search(geocode.Request{Query: "2 rue haute grandville", Limit: 1})
	if f := r.Data[0]; *f.Lat != 49.11 || *f.Lon != -0.31 {
		t.Errorf("2 Rue Haute is at %v, %v; want its entrance", *f.Lat, *f.Lon)
	}
	r = s.Index().Search(geocode.Request{Query: "grandville", Limit: 1})
	if f := r.Data[0]; f.Lat == nil || *f.Lat != 49.1 {
		t.Errorf("Grandville is at %v", f.Lat)
	}
}

// The index is built once for one state of the tables, survives a restart, and is built anew after a load.
// Searches that began on the index before end on it.
func TestStoreSwapsWholeForConcurrentReaders(t *testing.T) {
	t.Parallel()
	pool, s, file := newFilledStore(t)
	refreshStore(t, s)
	old := s.Index()
	refreshStore(t, s)
	if s.Index() != old {
		t.Error("built again though nothing was loaded")
	}
	again := geocode.New(pool, filepath.Dir(file), topic.Sources())
	if err := again.Open(); err != nil || again.Index() == nil || again.Index().Source() != old.Source() {
		t.Errorf("the file does not serve the next process: %v", err)
	}
	testkit.Exec(t, pool, "UPDATE geo.lieu_dit SET name = 'Le Bout du Village'")
	testkit.Exec(t, pool, newLoad, "ban-lieux-dits")
	refreshStore(t, s)
	for x, want := range map[*geocode.Index]string{old: "Le Bout du Monde", s.Index(): "Le Bout du Village"} {
		r := x.Search(geocode.Request{Query: "le bout petiville", Limit: 1})
		if len(r.Data) == 0 || textOrEmpty(r.Data[0].Street) != want {
			t.Errorf("%v; want %s", resultLabels(r), want)
		}
	}
	if left, err := filepath.Glob(file + ".new-*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A file that is damaged, cut or of another kind is never served: it is built again.
func TestStoreRebuildsBrokenFile(t *testing.T) {
	t.Parallel()
	pool, s, file := newFilledStore(t)
	refreshStore(t, s)
	good := testkit.Must(os.ReadFile(file))(t)
	flipped := append([]byte{}, good...)
	flipped[len(flipped)/2] ^= 1
	version := append([]byte{}, good...)
	version[20]++
	for name, broken := range map[string][]byte{"empty": {}, "cut": good[:len(good)-100], "half": good[:len(good)/2], "flipped": flipped, "version": version,
		"zeros": make([]byte, 5000), "longer": append(append([]byte{}, good...), 0)} {
		testkit.NoError(t, os.WriteFile(file+".tmp", broken, 0o600))
		testkit.NoError(t, os.Rename(file+".tmp", file))
		next := geocode.New(pool, filepath.Dir(file), topic.Sources())
		if err := next.Open(); err != nil || next.Index() != nil {
			t.Errorf("%s: %v, served %v", name, err, next.Index() != nil)
		}
		refreshStore(t, next)
		if next.Index().Counts() != s.Index().Counts() {
			t.Errorf("%s: %v after it was built again", name, next.Index().Counts())
		}
	}
}

// A build that fails leaves the index before active and no file behind.
func TestStoreSurvivesFailedBuild(t *testing.T) {
	t.Parallel()
	pool, s, file := newFilledStore(t)
	refreshStore(t, s)
	old := s.Index()
	for _, sql := range []string{"ALTER TABLE geo.lieu_dit RENAME COLUMN name TO other", "DROP TABLE geo.postcode"} { // in the middle, and before it begins
		testkit.Exec(t, pool, sql)
		testkit.Exec(t, pool, "DELETE FROM geo.load")
		testkit.Exec(t, pool, newLoad, "ban")
		if err := s.Refresh(t.Context()); err == nil {
			t.Fatalf("%s: no error", sql)
		}
		if s.Index() != old || len(old.Search(geocode.Request{Query: "2 rue haute grandville", Limit: 1}).Data) != 1 {
			t.Errorf("%s: the index before is not served any more", sql)
		}
		if again, err := geocode.Open(file); err != nil || again.Source() != old.Source() {
			t.Errorf("%s: the file is not the one before: %v", sql, err)
		}
		if left, err := filepath.Glob(file + ".new-*"); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v %v", sql, left, err)
		}
	}
}

// What is under the ODbL is loaded when it is named itself, not with its group.
func TestShareAlikeIsNamed(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{"": false, "addresses": false, "bano": true, "addresses bano": true} {
		found := testkit.Must(source.Select(topic.Sources(), strings.Fields(words)))(t)
		if got := slices.ContainsFunc(found, func(s source.Source) bool { return s.Name == "bano" }); got != want {
			t.Errorf("%q: %v; want %v", words, got, want)
		}
	}
}

// A file whose checksums are right and whose content is not is refused, or a search in it ends: with an
// answer, or with a panic that costs one request. Neither takes memory without a limit.
func FuzzContent(f *testing.F) {
	path := filepath.Join(f.TempDir(), "addresses.index")
	if err := snapshot.Write(path, layout.Format, "test", func(w *snapshot.Writer) error { return build.Build(f.Context(), w, villageInput()) }); err != nil {
		f.Fatal(err)
	}
	sections := snapshotkit.Read(f, path)
	f.Add([]byte{})
	for section := range byte(30) {
		f.Add([]byte{section, 1, 4, 0, 0xff, 0xff, 0xff, 0xff})
		f.Add([]byte{section, 2, 0, 0, 1, 0, 0, 0, section, 3, 8, 0, 0, 0, 0, 0})
		f.Add([]byte{section, 4, 4, 0, 0, 0xff, 0xff, 0})
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		dir := sections.WriteChanged(t, "addresses.index", layout.Format, edits)
		s := geocode.New(nil, dir, nil)
		snapshotkit.CheckAllocation(t, "opening", 32<<20, func() {
			if err := s.Open(); err != nil {
				t.Error(err)
			}
		})
		x := s.Index()
		if x == nil {
			return
		}
		x.Counts()
		for _, q := range []string{"12 bis rue de l'église 14100 grandville", "12 b rue de leglise", "paris 18e", "gare 75018", "evry", "14", "saint martin rue", "ru de leglis grandvile", "calvados", "75018 14100"} {
			ask := geocode.Request{Query: q, Limit: 20, Near: &geocode.Point{Lat: 48, Lon: 2}}
			snapshotkit.CheckAllocation(t, q, 32<<20, snapshotkit.Recovered(func() { x.Search(ask) }))
		}
	})
}
