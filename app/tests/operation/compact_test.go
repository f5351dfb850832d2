package operation_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/api/parcel"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// cadastre is a database that cadastral files of Bondy are loaded into, and the folder that its file of
// parcels is in.
type cadastre struct {
	*reportkit.Fixture
	dir   string
	index *parcel.IndexStore
}

func newCadastre(t *testing.T) *cadastre {
	t.Helper()
	c := &cadastre{Fixture: reportkit.New(t), dir: t.TempDir()}
	c.Exec(`DELETE FROM geo.parcelle;
		INSERT INTO geo.departement (code, name, region_code) VALUES ('36', 'Indre', '76');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
			VALUES ('commune-actuelle', '36174', 'Roussines', '36', '76', '36174')`)
	c.index = parcel.NewIndex(c.DB, c.dir, topic.Sources())
	return c
}

// load loads a file of the pilots, or one of this text, and makes the file of parcels anew.
func (c *cadastre) load(name, file, text string) error {
	c.T.Helper()
	if text == "" {
		content, err := os.ReadFile(filepath.Join(testkit.Box(c.T), "pilots", file))
		if err != nil {
			c.T.Fatal(err)
		}
		text = string(content)
	}
	c.Write(file, text)
	restore := parcel.NewIndex(c.DB, c.dir, topic.Sources())
	loader := ingest.New(ingest.Options{DB: c.DB, Catalogue: []source.Source{c.Source(name)}, DataDir: c.Data,
		StateDir: c.T.TempDir(), RestoreOutlines: func(ctx context.Context, conn *pgx.Conn, communes []string) error {
			_, err := restore.Restore(ctx, conn, communes)
			return err
		}})
	_, err := loader.Load(c.T.Context(), ingest.Request{Sources: []string{name}})
	return errors.Join(err, c.index.Refresh(c.T.Context()))
}

// mustLoad is load for files that are taken.
func (c *cadastre) mustLoad(name, file, text string) {
	c.T.Helper()
	if err := c.load(name, file, text); err != nil {
		c.T.Fatal(err)
	}
}

// connect is a connection of the owner.
func (c *cadastre) connect() *pgx.Conn {
	c.T.Helper()
	conn, err := pgx.Connect(c.T.Context(), c.DB.Config().ConnString())
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// compact makes the database compact. It returns of how many parcels outlines were in it.
func (c *cadastre) compact() int {
	c.T.Helper()
	n, err := c.index.Compact(c.T.Context(), c.connect())
	if left := c.count("SELECT count(*)::int FROM geo.parcel_block WHERE shapes IS NOT NULL"); err != nil || left > 0 {
		c.T.Fatalf("%d blocks have outlines (%v)", left, err)
	}
	return n
}

func (c *cadastre) count(sql string) (n int) {
	c.T.Helper()
	if err := c.DB.QueryRow(c.T.Context(), sql).Scan(&n); err != nil {
		c.T.Fatal(err)
	}
	return n
}

// file is the file of parcels.
func (c *cadastre) file() []byte {
	c.T.Helper()
	content, err := os.ReadFile(filepath.Join(c.dir, parcel.IndexFile))
	if err != nil {
		c.T.Fatal(err)
	}
	return content
}

// rows are the parcels of the database with their outlines, those that are gone, and sales with a position.
func (c *cadastre) rows() []string {
	c.T.Helper()
	rows, _ := c.DB.Query(c.T.Context(), `
		SELECT concat_ws(' ', idu, contenance, feuille, ST_AsText(ST_ForcePolygonCCW(geom), 7)) FROM geo.parcelle
		UNION ALL SELECT concat_ws(' ', 'gone', idu, vintage, ST_AsText(ST_ForcePolygonCCW(geom), 7)) FROM geo.parcelle_passee
		UNION ALL SELECT concat_ws(' ', 'sold', mutation, ST_AsText(geom, 7)) FROM geo.dvf_sale ORDER BY 1`) // the rows have its error too
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		c.T.Fatal(err)
	}
	return all
}

const (
	blocksWithout = "SELECT count(*)::int FROM geo.parcel_block WHERE shapes IS NULL"
	sheetOfAY     = `{"type":"Feature","id":"93010000AY01","geometry":{"type":"Polygon","coordinates":
		[[[2.4,48.8],[2.6,48.8],[2.6,49],[2.4,49],[2.4,48.8]]]},"properties":{"id":"93010000AY01"}}`
)

// An operator who keeps outlines in the file alone serves the same, after each later load too: of an edition
// that parcels are gone from, of sheets, and of sales that take their positions from parcels. What was taken
// out of the database can be written back.
func TestCompactDatabase(t *testing.T) {
	t.Parallel()
	both := []*cadastre{newCadastre(t), newCadastre(t)}
	plain, compact := both[0], both[1]
	for _, c := range both {
		c.mustLoad("parcelles-etalab", "cadastre-93010-parcelles.2022-01-01.json.gz", "")
		c.mustLoad("parcelles-etalab", "cadastre-36174-parcelles.json.gz", "")
	}
	if n := compact.compact(); n == 0 || n != compact.index.Get().Parcels() {
		t.Errorf("outlines of %d of %d parcels were in the database", n, compact.index.Get().Parcels())
	}
	if n := compact.compact(); n > 0 {
		t.Errorf("outlines of %d parcels are taken out a second time", n)
	}
	for _, step := range []struct{ source, file, text string }{
		{"parcelles-etalab", "cadastre-93010-parcelles.2025-01-01.json.gz", ""},
		{"feuilles-etalab", "cadastre-93010-feuilles.json", loadkit.Collection(sheetOfAY)},
		{"dvf-brut", "dvf-brut-93010-2022.csv.gz", ""},
	} {
		for _, c := range both {
			c.mustLoad(step.source, step.file, step.text)
		}
		if compact.count(blocksWithout) == 0 { // those of Roussines
			t.Errorf("%s needed the outlines of a commune that it has nothing of", step.source)
		}
		if n, of := compact.compact(), compact.count("SELECT count(*)::int FROM geo.parcels_of('93010')"); n != of {
			t.Errorf("after %s outlines of %d parcels are taken out, not of the %d of Bondy", step.source, n, of)
		}
		if !bytes.Equal(plain.file(), compact.file()) {
			t.Errorf("after %s the files of parcels differ", step.source)
		}
	}
	if plain.count("SELECT count(*)::int FROM geo.dvf_sale") == 0 || plain.count("SELECT count(*)::int FROM geo.parcelle_passee") == 0 {
		t.Error("no sale has a position, or no parcel is gone")
	}
	n, err := compact.index.Restore(t.Context(), compact.connect(), nil)
	if err != nil || n != compact.index.Get().Parcels() || compact.count(blocksWithout) != 0 {
		t.Errorf("%d outlines are written back (%v)", n, err)
	}
	if a, b := plain.rows(), compact.rows(); !slices.Equal(a, b) {
		t.Errorf("%d rows, and %d of the database that was compact, are not the same", len(a), len(b))
	}
}

// Where the file with the outlines is not at hand, nothing is served without them: a new instance and a load
// say where they are, and the load changes nothing.
func TestCompactDatabaseWithoutItsFile(t *testing.T) {
	t.Parallel()
	c := newCadastre(t)
	c.mustLoad("parcelles-etalab", "cadastre-93010-parcelles.2022-01-01.json.gz", "")
	c.compact()
	held := c.connect()
	if err := ingest.ExcludeLoads(t.Context(), held); err != nil {
		t.Error(err)
	}
	if err := ingest.ExcludeLoads(t.Context(), c.connect()); fault.From(err).Code != fault.Unavailable {
		t.Errorf("a second one that keeps loads out: %v", err)
	}
	if err := held.Close(t.Context()); err != nil {
		t.Error(err)
	}
	whole := c.file()
	c.dir = t.TempDir()
	c.index = parcel.NewIndex(c.DB, c.dir, topic.Sources())
	err := c.load("parcelles-etalab", "cadastre-93010-parcelles.2025-01-01.json.gz", "")
	if err == nil || strings.Count(err.Error(), "outlines of parcels of 93010 are not in the database") != 2 {
		t.Errorf("a load and a new instance: %v", err)
	}
	if c.count("SELECT count(*)::int FROM geo.parcelle_passee") > 0 || c.index.Get() != nil {
		t.Error("the edition was loaded, or a file was made")
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(c.dir, parcel.IndexFile), whole, 0o600))
	c.mustLoad("parcelles-etalab", "cadastre-93010-parcelles.2025-01-01.json.gz", "")
	if c.count("SELECT count(*)::int FROM geo.parcelle_passee") == 0 {
		t.Error("no parcel is gone with a copy of the file")
	}
	c.compact()
	n, err := parcel.Forget(t.Context(), c.connect())
	if err != nil || n != 1 || c.count("SELECT count(*)::int FROM geo.parcel_block") > 0 {
		t.Errorf("%d communes are given up (%v)", n, err)
	}
	if err := c.index.Refresh(t.Context()); err != nil || c.index.Get().Parcels() > 0 {
		t.Errorf("%d parcels are served that were given up (%v)", c.index.Get().Parcels(), err)
	}
}
