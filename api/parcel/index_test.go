package parcel_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
	"arpent/internal/snapshot"
)

// sheets fills the sheets of the plan.
var sheets = []source.Source{{Name: "sheets", Target: source.Target{Table: "geo.feuille"}}}

func newIndex(t testing.TB, pool *pgxpool.Pool, dir string) *parcel.IndexStore {
	t.Helper()
	x := parcel.NewIndex(pool, dir, sheets)
	testkit.NoError(t, x.Open())
	return x
}

// indexOf is the file of what a database has.
func indexOf(t testing.TB, pool *pgxpool.Pool) *parcel.IndexStore {
	t.Helper()
	index := newIndex(t, pool, t.TempDir())
	testkit.NoError(t, index.Refresh(t.Context()))
	return index
}

// grid are parcels in three communes whose outlines lie across each other: cells with bent vertices that
// neighbours share, one in seven with a hole, and a few that overlap others.
const grid = `
CREATE FUNCTION pg_temp.vertex(i int, j int) RETURNS text LANGUAGE sql AS $$
	SELECT round((2.5 + i * 0.001 + 0.0004 * sin(i * 12.9898 + j * 78.233))::numeric, 7) || ' ' || round((48.9 + j * 0.001 + 0.0004 * cos(i * 39.346 + j * 11.135))::numeric, 7)
$$;
INSERT INTO geo.parcelle (idu, contenance, feuille, geom)
SELECT (ARRAY['93010', '75118', '2A004'])[1 + (i + j / 7) % 3] || '0000' || chr(65 + j % 26) || lpad((i * 40 + j)::text, 4, '0'),
	CASE WHEN i % 5 > 0 THEN 8000 + i * 1000 END, CASE WHEN j % 4 > 0 THEN j % 9 END,
	ST_Multi(ST_SetSRID(ST_GeomFromText('POLYGON((' || concat_ws(',', pg_temp.vertex(i, j), pg_temp.vertex(i + 1, j),
		pg_temp.vertex(i + 1 + (i * j) % 11 / 10, j + 1), pg_temp.vertex(i, j + 1), pg_temp.vertex(i, j)) || ')' ||
		CASE WHEN (i + j) % 7 = 0 THEN format(',(%1$s %2$s,%3$s %2$s,%3$s %4$s,%1$s %2$s)', 2.5005 + i * 0.001, 48.9005 + j * 0.001, 2.50052 + i * 0.001, 48.90053 + j * 0.001) ELSE '' END || ')'), 4326))
FROM generate_series(0, 39) i, generate_series(0, 39) j`

// The file has every parcel of the table that it was made from, with the same outline to the last digit,
// whatever its form: with holes, in several parts, and its rings in the other direction.
func TestIndexHasWhatTheTableHas(t *testing.T) {
	t.Parallel()
	pool := database(t, grid+" ON CONFLICT DO NOTHING")
	index := indexOf(t, pool)
	s := storeOf(index)
	const outlines = `SELECT idu, ST_AsText(ST_ForcePolygonCCW(geom), 7) FROM geo.parcelle`
	rows, _ := pool.Query(t.Context(), outlines) // the rows have its error too
	table := map[string]string{}
	var idu, text string
	_, err := pgx.ForEachRow(rows, []any{&idu, &text}, func() error { table[idu] = text; return nil })
	testkit.NoError(t, err)
	if n, of := index.Get().Parcels(), index.Get().Communes(); n != len(table) || of != 5 || n < 1600 {
		t.Errorf("%d parcels in %d communes, %d in the table", n, of, len(table))
	}
	for idu, want := range table {
		subject, _, err := s.Subject(idu)
		if idu[:5] == "99999" { // of no commune that is known
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", idu, err)
		}
		var got string
		err = pool.QueryRow(t.Context(), `SELECT ST_AsText(ST_GeomFromEWKB($1), 7)`, subject.Outline).Scan(&got)
		if err != nil || got != want {
			t.Errorf("%s is %s, in the table %s (%v)", idu, got, want, err)
		}
	}
}

// A point has the answer that PostGIS finds wherever it is: inside, in a hole, on a vertex that parcels of
// several communes share, and outside. So has the parcel nearest to it.
func TestRandomPointsInTheIndex(t *testing.T) {
	t.Parallel()
	pool := database(t, "DELETE FROM geo.parcelle", grid)
	index := indexOf(t, pool)
	s := storeOf(index)
	if n := index.Get().Parcels(); n != 1600 {
		t.Fatalf("%d parcels", n)
	}
	const vertices = "SELECT ST_X(p.geom), ST_Y(p.geom) FROM geo.parcelle q, ST_DumpPoints(q.geom) p"
	known, err := pgdb.Collect(t.Context(), pool, pgx.RowToStructByPos[struct{ Lon, Lat float64 }], vertices)
	testkit.NoError(t, err)
	dice := rand.New(rand.NewPCG(20, 26))
	for range testkit.Rounds(1, 1000) {
		var lons, lats []float64
		for i := range 1000 {
			a, b := known[dice.IntN(len(known))], known[dice.IntN(len(known))]
			lon, lat := a.Lon, a.Lat
			switch i % 3 {
			case 1:
				lon, lat = (a.Lon+b.Lon)/2, (a.Lat+b.Lat)/2
			case 2:
				lon, lat = 2.499+dice.Float64()*0.043, 48.899+dice.Float64()*0.043
			}
			lon, lat = geom.Snap(lon, lat).Degrees()
			lons, lats = append(lons, lon), append(lats, lat)
		}
		// The distance allows for its rounding: with ST_Intersects a position on a slope may be on either
		// side.
		const covering = `
SELECT min(p.idu COLLATE "C"), min(ST_Distance(n.geom::geography, v.point::geography))
FROM (SELECT i, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS point
    FROM unnest($1::float8[], $2::float8[]) WITH ORDINALITY u (lon, lat, i)) v
LEFT JOIN geo.parcelle p ON p.geom && ST_Expand(v.point, 1e-7) AND ST_DWithin(p.geom, v.point, 1e-13)
LEFT JOIN geo.parcelle n ON n.geom && ST_Expand(v.point, 0.0005)
GROUP BY v.i ORDER BY v.i`
		found, err := pgdb.Collect(t.Context(), pool, pgx.RowToStructByPos[struct {
			IDU    *string
			Metres *float64
		}], covering, lons, lats)
		testkit.NoError(t, err)
		for i, want := range found {
			at := geom.Snap(lons[i], lats[i])
			r, err := s.At(lats[i], lons[i], 0, outlineOnly, nil)
			if covered := want.IDU != nil; (err == nil) != covered ||
				covered && !bytes.Contains(r.Body, []byte(`"idu":"`+*want.IDU+`"`)) {
				t.Errorf("%s: %s (%v), PostGIS finds %v", at, r.Body, err, want.IDU)
			}
			const within = 30
			_, metres, err := s.Near(lats[i], lons[i], within)
			if isNear := want.Metres != nil && *want.Metres <= within; (err == nil) != isNear ||
				isNear && math.Abs(metres-*want.Metres) > 0.001 {
				t.Errorf("%s: the nearest is %f m away (%v), by PostGIS %v", at, metres, err, want.Metres)
			}
		}
	}
}

// After a load only the communes that it changed are read again; the
// others are copied from the file of before.
func TestIndexFollowsLoads(t *testing.T) {
	t.Parallel()
	pool := database(t)
	exec := func(sql string) {
		t.Helper()
		testkit.Exec(t, pool, sql)
	}
	dir := t.TempDir()
	index := newIndex(t, pool, dir)
	testkit.NoError(t, index.Refresh(t.Context()))
	file := storeOf(index)
	contenance := func(idu, want string) {
		t.Helper()
		testkit.NoError(t, index.Refresh(t.Context()))
		if r, err := file.Find(idu, geom.Members{}, nil); err != nil || !bytes.Contains(r.Body, []byte(`"contenance":`+want+`,`)) {
			t.Errorf("%s: %s (%v), want contenance %s", idu, r.Body, err, want)
		}
	}
	exec("UPDATE geo.parcelle SET contenance = 5 WHERE idu IN ('930100000A0001', '97411000AB0001')")
	contenance("930100000A0001", "700") // no load has changed it
	exec("UPDATE geo.parcelle_commune SET vintage = '2026-01-01' WHERE code = '93010'")
	contenance("930100000A0001", "5")
	contenance("97411000AB0001", "90")
	exec(`UPDATE geo.parcelle_commune SET names_sheet = false WHERE code = '97411'`)
	exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('sheets', '974', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true)`)
	contenance("97411000AB0001", "5")
	exec("DELETE FROM geo.parcelle WHERE idu LIKE '97411%'; DELETE FROM geo.parcelle_commune WHERE code = '97411'")
	if err := index.Refresh(t.Context()); err != nil || index.Get().Communes() != 4 {
		t.Errorf("%d communes (%v)", index.Get().Communes(), err)
	}
	fresh := t.TempDir()
	testkit.NoError(t, newIndex(t, pool, fresh).Refresh(t.Context()))
	followed, err := os.ReadFile(filepath.Join(dir, "parcels.index"))
	made, errMade := os.ReadFile(filepath.Join(fresh, "parcels.index"))
	if err != nil || errMade != nil || !bytes.Equal(followed, made) {
		t.Errorf("a file that followed loads has %d bytes, one that is made now %d others (%v, %v)", len(followed), len(made), err, errMade)
	}
}

// The second connection of a first file sees the database as the first does, whatever was written since.
func TestSharedSnapshotSeesTheSame(t *testing.T) {
	t.Parallel()
	pool := database(t)
	err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		const parcels = "SELECT count(*) FROM geo.parcelle"
		var seen, shared int
		if err := tx.QueryRow(t.Context(), parcels).Scan(&seen); err != nil {
			return err
		}
		if _, err := pool.Exec(t.Context(), "DELETE FROM geo.parcelle WHERE idu = '930100000A0001'"); err != nil {
			return err
		}
		other, err := parcel.BeginSharedSnapshot(t.Context(), pool, tx)
		if err != nil {
			return err
		}
		if err := other.QueryRow(t.Context(), parcels).Scan(&shared); err != nil || shared != seen {
			t.Errorf("%d parcels by the second connection, %d by the first (%v)", shared, seen, err)
		}
		return other.Rollback(t.Context())
	})
	testkit.NoError(t, err)
}

// Where there are few connections a first file is written by one, and
// waits for no other: requests have the rest.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	pool := database(t)
	config := pool.Config()
	config.MaxConns = 2
	few := testkit.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer few.Close()
	request := testkit.Must(few.Acquire(t.Context()))(t)
	defer request.Release()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Timeout)
	defer cancel()
	if err := newIndex(t, few, t.TempDir()).Refresh(ctx); err != nil {
		t.Error(err)
	}
}

// A file that was damaged is refused and made again.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	pool := database(t)
	dir := t.TempDir()
	testkit.NoError(t, newIndex(t, pool, dir).Refresh(t.Context()))
	path := filepath.Join(dir, "parcels.index")
	body := testkit.Must(os.ReadFile(path))(t)
	body[len(body)/2] ^= 1
	testkit.NoError(t, os.WriteFile(path, body, 0o600))
	if _, err := snapshot.Open(path, parcel.IndexFormat); !errors.Is(err, snapshot.ErrInvalid) {
		t.Errorf("%v", err)
	}
	x := newIndex(t, pool, dir)
	if x.Get() != nil {
		t.Error("a damaged file is in service")
	}
	if err := x.Refresh(t.Context()); err != nil || x.Get() == nil {
		t.Errorf("not made again: %v", err)
	}
}

// On three communes of 500 parcels: what a look-up costs.
func BenchmarkIndex(b *testing.B) {
	s := newStore(b, "DELETE FROM geo.parcelle", grid)
	for name, look := range map[string]func() error{
		"reference": func() error { _, err := s.Find("930100000A0000", outlineOnly, nil); return err },
		"point":     func() error { _, err := s.At(48.9205, 2.5205, 0, outlineOnly, nil); return err },
		"subject":   func() error { _, _, err := s.Subject("930100000A0000"); return err },
		"nearest":   func() error { _, _, err := s.Near(48.9205, 2.5205, 50); return err },
		"around":    func() error { _, err := s.Around("930100000A0000", 90); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := look(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
