package bench

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/internal/fault"
)

//go:embed sql/*.sql
var syntheticSQL embed.FS

// The sources of the loads of synthetic rows.
const (
	layerSource  = "synthetic" // also the part of the rows
	parcelSource = "parcelles-synthetic"
)

// FillSynthetic fills a database for measurements: squares in place of outlines, n parcels and, with layers,
// the layers of the report as dense as those of the whole country. Names and codes have to be loaded. The
// same n makes the same rows everywhere; it does nothing where they are there.
func FillSynthetic(ctx context.Context, pool *pgxpool.Pool, n int, layers bool) error {
	for _, step := range []struct {
		source string
		wanted bool
		make   func(context.Context, *pgxpool.Pool, int) error
	}{{parcelSource, true, makeParcels}, {layerSource, layers, makeLayers}} {
		var isFilled bool
		err := pool.QueryRow(ctx, findLoad, step.source, fmt.Sprint(n)).Scan(&isFilled)
		if err == nil && step.wanted && !isFilled {
			err = step.make(ctx, pool, n)
		}
		if err != nil {
			return fmt.Errorf("make the rows of %s for %d parcels: %w", step.source, n, err)
		}
	}
	return nil
}

const findLoad = `SELECT EXISTS (SELECT FROM geo.load WHERE active AND source = $1 AND checksum = $2)`

// recordLoad replaces the load of a source, for the statement that follows it.
const recordLoad = `WITH former AS (UPDATE geo.load SET active = false WHERE active AND source = $1), made AS (
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ($1, 'arpent-dev', 'Synthetic rows', 'none', '[]', $2, $3, 0, '[]', clock_timestamp(), clock_timestamp(), true) RETURNING id)
`

// createDrawn makes the table that a worker draws its parcels into.
const createDrawn = "CREATE TEMP TABLE drawn (idu text, contenance integer, feuille smallint, geom geometry) ON COMMIT DROP"

func makeParcels(ctx context.Context, pool *pgxpool.Pool, n int) error {
	if _, err := pool.Exec(ctx, mustRead("sql/ground.sql")); err != nil {
		return err
	}
	chosen, err := pool.Exec(ctx, mustRead("sql/villages.sql"), n)
	if err != nil {
		return fmt.Errorf("choose villages: %w", err)
	}
	if most := int(chosen.RowsAffected()) * 2880; most < n {
		return fmt.Errorf("the communes that are loaded have room for %d: load the names and codes of all (arpent load cog)", most)
	}
	if _, err := pool.Exec(ctx, "TRUNCATE geo.parcel_block, geo.parcelle_commune"); err != nil {
		return err
	}
	workers := min(runtime.NumCPU(), 8)
	g, filling := errgroup.WithContext(ctx)
	for worker := range workers {
		g.Go(func() error {
			return withConnection(filling, pool, func(conn *pgxpool.Conn) error {
				return pgx.BeginFunc(filling, conn, func(tx pgx.Tx) error {
					if _, err := tx.Exec(filling, createDrawn); err != nil {
						return err
					}
					if _, err := tx.Exec(filling, mustRead("sql/parcels.sql"), workers, worker); err != nil {
						return err
					}
					_, err := tx.Exec(filling, "SET LOCAL work_mem = '128MB'; SELECT geo.write_parcels('drawn')")
					return err
				})
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, recordLoad+`INSERT INTO geo.parcelle_commune (code, load_id)
SELECT code, id FROM made, geo.synthetic_place WHERE parcels > 0`, parcelSource, fmt.Sprint(n), n)
	if err == nil {
		_, err = pool.Exec(ctx, "VACUUM (ANALYZE) geo.parcel_block")
	}
	return err
}

// withConnection runs do on a connection that has the functions of dice.sql.
func withConnection(ctx context.Context, pool *pgxpool.Pool, do func(conn *pgxpool.Conn) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, mustRead("sql/dice.sql")); err != nil {
		return err
	}
	return do(conn)
}

// job is how one or several tables of the report are filled.
type job struct {
	tables []string // each with its schema
	layers []string // that are covered then
	sql    string
}

// readJobs reads the files of layers. A line "--- table table: layer, layer" begins each part.
func readJobs() (all []job) {
	files, _ := fs.Glob(syntheticSQL, "sql/layer_*.sql") // the pattern is right
	for _, file := range files {
		for _, part := range strings.Split("\n"+mustRead(file), "\n--- ")[1:] {
			head, sql, _ := strings.Cut(part, "\n")
			tables, layers, _ := strings.Cut(head, ": ")
			all = append(all, job{strings.Fields(tables), strings.Split(layers, ", "), sql})
		}
	}
	return all
}

// makeLayers runs the jobs on as many connections as there are cores, and covers all layers at the end.
func makeLayers(ctx context.Context, pool *pgxpool.Pool, n int) error {
	if _, err := pool.Exec(ctx, mustRead("sql/form.sql")); err != nil {
		return err
	}
	g, filling := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.NumCPU(), 4))
	var layers []string
	for _, j := range readJobs() {
		layers = append(layers, j.layers...)
		g.Go(func() error {
			err := withConnection(filling, pool, func(conn *pgxpool.Conn) error { return j.replaceRows(filling, conn) })
			return fault.Wrap("make the layers "+strings.Join(j.layers, ", "), err)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err := pool.Exec(ctx, recordLoad+`INSERT INTO geo.coverage (layer, area, load_id)
SELECT unnest($4::text[]), '', id FROM made`, layerSource, fmt.Sprint(n), len(layers), layers)
	return fault.Wrap("record the layers", err)
}

// replaceRows replaces the rows of the tables. Their indexes are made anew from
// all rows, which takes a fraction of the time.
func (j job) replaceRows(ctx context.Context, conn *pgxpool.Conn) error {
	_, err := conn.Exec(ctx, "SELECT pg_temp.replace_rows($1, $2)", j.tables, j.sql)
	if err == nil {
		_, err = conn.Exec(ctx, "VACUUM (ANALYZE) "+strings.Join(j.tables, ", "))
	}
	return err
}

// mustRead is the text of an embedded file.
func mustRead(name string) string {
	text, err := syntheticSQL.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}
