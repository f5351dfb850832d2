package parcel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/api/source"
	"arpent/app/base/pgdb"
	"arpent/app/base/snapshot"
	"arpent/app/dev/testkit"
)

// sheets fills the sheets of the plan.
var sheets = []source.Source{{Name: "sheets", Target: source.Target{Table: "geo.feuille"}}}

func newIndex(t testing.TB, pool *pgxpool.Pool, dir string) *parcel.IndexStore {
	t.Helper()
	x := parcel.NewIndex(pool, dir, sheets)
	if err := x.Open(); err != nil {
		t.Fatal(err)
	}
	return x
}

// indexed is a store that reads from a file of what the database has, and one that reads from the database alone.
func indexed(t testing.TB, pool *pgxpool.Pool) (file, database *parcel.Store, index *parcel.IndexStore) {
	t.Helper()
	index = newIndex(t, pool, t.TempDir())
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Without a pool that can connect only what is in the file is found.
	closed, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/none")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	return parcel.New(pgdb.ReadFrom(closed), place, explain, index.Get), parcel.New(pgdb.ReadFrom(pool), place, explain, noIndex), index
}

func sameAnswer(t *testing.T, what string, file, database reply.Reply, fileErr, databaseErr error) {
	t.Helper()
	if databaseErr != nil {
		if fileErr == nil {
			t.Errorf("%s: the file answers %s, the database %v", what, file.Body, databaseErr)
		}
		return
	}
	if fileErr != nil || !bytes.Equal(file.Body, database.Body) || file.Version != database.Version {
		t.Errorf("%s: the file answers %s (%v), the database %s", what, file.Body, fileErr, database.Body)
	}
}

// What is read from the file is, byte for byte, what the database answers.
func TestIndexAnswersAsTheDatabase(t *testing.T) {
	t.Parallel()
	_, pool := store(t)
	file, database, index := indexed(t, pool)
	if n, of := index.Get().Parcels(), index.Get().Communes(); n != 8 || of != 4 {
		t.Errorf("%d parcels in %d communes", n, of)
	}
	for _, idu := range []string{"930100000A0001", "930100000A0002", "93010000AB0003", "75118000AB0003", "2A0040000A0012", "97411000AB0001",
		"930109990A0004", "930101230A0004", "930100000A0003", "930100000B0001", "930100000A0009", "130010000A0001"} {
		for _, geometry := range []bool{false, true} {
			got, err := file.Find(t.Context(), idu, geometry, nil)
			want, wantErr := database.Find(t.Context(), idu, geometry, nil)
			sameAnswer(t, idu, got, want, err, wantErr)
		}
	}
}

// grid are parcels in three communes whose outlines lie across each other: cells with bent vertices that neighbours share, one in
// seven with a hole, and a few that overlap others.
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

// A point has the answer of the database wherever it is: inside, in a hole, on an edge, on a vertex that parcels of several communes
// share, and outside.
func TestRandomPointsInTheIndex(t *testing.T) {
	t.Parallel()
	_, pool := store(t)
	if _, err := pool.Exec(t.Context(), "DELETE FROM geo.parcelle;"+grid); err != nil {
		t.Fatal(err)
	}
	file, database, index := indexed(t, pool)
	if n := index.Get().Parcels(); n != 1600 {
		t.Fatalf("%d parcels", n)
	}
	var vertices [][2]float64
	rows, err := pool.Query(t.Context(), "SELECT ST_X(p.geom), ST_Y(p.geom) FROM geo.parcelle q, ST_DumpPoints(q.geom) p")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var c [2]float64
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		vertices = append(vertices, c)
	}
	dice := rand.New(rand.NewPCG(20, 26))
	for i := range testkit.Rounds(3000, 1_000_000) {
		a, b := vertices[dice.IntN(len(vertices))], vertices[dice.IntN(len(vertices))]
		lon, lat := a[0], a[1]
		switch i % 3 {
		case 1:
			lon, lat = (a[0]+b[0])/2, (a[1]+b[1])/2
		case 2:
			lon, lat = 2.499+dice.Float64()*0.043, 48.899+dice.Float64()*0.043
		}
		got, err := file.At(t.Context(), lat, lon, true, nil)
		want, wantErr := database.At(t.Context(), lat, lon, true, nil)
		sameAnswer(t, fmt.Sprint(lat, " ", lon), got, want, err, wantErr)
	}
}

// After a load only the communes that it changed are read again; the others are copied from the file of before.
func TestIndexFollowsLoads(t *testing.T) {
	t.Parallel()
	_, pool := store(t)
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	index := newIndex(t, pool, dir)
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := parcel.New(pgdb.ReadFrom(pool), place, explain, index.Get)
	contenance := func(idu, want string) {
		t.Helper()
		if err := index.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := file.Find(t.Context(), idu, false, nil); err != nil || !bytes.Contains(r.Body, []byte(`"contenance":`+want+`,`)) {
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
	if err := index.Refresh(t.Context()); err != nil || index.Get().Communes() != 3 {
		t.Errorf("%d communes (%v)", index.Get().Communes(), err)
	}
	fresh := t.TempDir()
	if err := newIndex(t, pool, fresh).Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	followed, err := os.ReadFile(filepath.Join(dir, "parcels.index"))
	made, errMade := os.ReadFile(filepath.Join(fresh, "parcels.index"))
	if err != nil || errMade != nil || !bytes.Equal(followed, made) {
		t.Errorf("a file that followed loads has %d bytes, one that is made now %d others (%v, %v)", len(followed), len(made), err, errMade)
	}
}

// The second connection of a first file sees the database as the first does, whatever was written since.
func TestBesideSeesTheSame(t *testing.T) {
	t.Parallel()
	_, pool := store(t)
	err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		const parcels = "SELECT count(*) FROM geo.parcelle"
		var seen, beside int
		if err := tx.QueryRow(t.Context(), parcels).Scan(&seen); err != nil {
			return err
		}
		if _, err := pool.Exec(t.Context(), "DELETE FROM geo.parcelle WHERE idu = '930100000A0001'"); err != nil {
			return err
		}
		other, err := parcel.Beside(t.Context(), pool, tx)
		if err != nil {
			return err
		}
		if err := other.QueryRow(t.Context(), parcels).Scan(&beside); err != nil || beside != seen {
			t.Errorf("%d parcels beside, %d before (%v)", beside, seen, err)
		}
		return other.Rollback(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Where there are few connections a first file is written by one, and waits for no other: requests have the rest.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	_, pool := store(t)
	config := pool.Config()
	config.MaxConns = 2
	few, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	request, err := few.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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
	_, pool := store(t)
	dir := t.TempDir()
	if err := newIndex(t, pool, dir).Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "parcels.index")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 1
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
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

// On three communes of 500 parcels: what the file costs a look-up.
func BenchmarkIndex(b *testing.B) {
	_, pool := store(b)
	if _, err := pool.Exec(b.Context(), "DELETE FROM geo.parcelle;"+grid); err != nil {
		b.Fatal(err)
	}
	file, database, _ := indexed(b, pool)
	for name, s := range map[string]*parcel.Store{"file": file, "database": database} {
		b.Run(name+"/reference", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Find(b.Context(), "930100000A0000", true, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/point", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.At(b.Context(), 48.9205, 2.5205, true, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
