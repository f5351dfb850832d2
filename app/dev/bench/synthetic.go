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

const fillMemory = "SET LOCAL work_mem = '128MB'; SET LOCAL maintenance_work_mem = '384MB'; SET LOCAL jit = off"

// FillSynthetic fills a database for measurements: squares in place of outlines, n parcels and, with layers,
// the layers of the report as dense as those of the whole country. Names and codes have to be loaded. The
// same n makes the same rows everywhere; it does nothing where they are there.
func FillSynthetic(ctx context.Context, pool *pgxpool.Pool, n int, layers bool) error {
	isFilled, err := hasLoad(ctx, pool, parcelSource, n)
	if err != nil {
		return err
	}
	if !isFilled {
		if err := makeParcels(ctx, pool, n); err != nil {
			return fmt.Errorf("make %d parcels: %w", n, err)
		}
	}
	if !layers {
		return nil
	}
	if isFilled, err = hasLoad(ctx, pool, layerSource, n); err != nil || isFilled {
		return err
	}
	return makeLayers(ctx, pool, n)
}

const findLoad = `SELECT EXISTS (SELECT FROM geo.load WHERE active AND source = $1 AND checksum = $2)`

func hasLoad(ctx context.Context, pool *pgxpool.Pool, source string, n int) (found bool, err error) {
	err = pool.QueryRow(ctx, findLoad, source, fmt.Sprint(n)).Scan(&found)
	return found, fault.Wrap("look for synthetic rows", err)
}

// recordLoad replaces the load of a source.
const recordLoad = `WITH former AS (UPDATE geo.load SET active = false WHERE active AND source = $1)
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ($1, 'arpent-dev', 'Synthetic rows', 'none', '[]', $2, $3, 0, '[]', clock_timestamp(), clock_timestamp(), true) RETURNING id`

// createDrawn makes the table that a worker draws its parcels into.
const createDrawn = "CREATE TEMP TABLE drawn (idu text, contenance integer, feuille smallint, geom geometry) ON COMMIT DROP"

func makeParcels(ctx context.Context, pool *pgxpool.Pool, n int) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := execFile(ctx, conn.Conn(), "ground"); err != nil {
		return err
	}
	chosen, err := conn.Exec(ctx, mustRead("villages"), n)
	if err != nil {
		return fmt.Errorf("choose villages: %w", err)
	}
	if most := int(chosen.RowsAffected()) * 2880; most < n {
		return fmt.Errorf("the communes that are loaded have room for %d: load the names and codes of all (arpent load cog)", most)
	}
	if _, err := conn.Exec(ctx, "TRUNCATE geo.parcel_block, geo.parcelle_commune"); err != nil {
		return err
	}
	workers := min(runtime.NumCPU(), 8)
	err = eachConnection(ctx, pool, workers, func(ctx context.Context, conn *pgxpool.Conn, worker int) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, createDrawn); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, mustRead("parcels"), workers, worker); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, fillMemory+"; SELECT geo.write_parcels('drawn')")
			return err
		})
	})
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var id int64
		if err := tx.QueryRow(ctx, recordLoad, parcelSource, fmt.Sprint(n), n).Scan(&id); err != nil {
			return fmt.Errorf("record the parcels: %w", err)
		}
		_, err := tx.Exec(ctx, "INSERT INTO geo.parcelle_commune (code, load_id) SELECT code, $1 FROM geo.synthetic_place WHERE parcels > 0", id)
		return err
	})
	if err == nil {
		_, err = conn.Exec(ctx, "VACUUM (ANALYZE) geo.parcel_block")
	}
	return err
}

// eachConnection runs do on so many connections that have the functions of dice.sql.
func eachConnection(ctx context.Context, pool *pgxpool.Pool, workers int,
	do func(ctx context.Context, conn *pgxpool.Conn, worker int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for worker := range workers {
		g.Go(func() error {
			conn, err := pool.Acquire(ctx)
			if err != nil {
				return err
			}
			defer conn.Release()
			if err := execFile(ctx, conn.Conn(), "dice"); err != nil {
				return err
			}
			return do(ctx, conn, worker)
		})
	}
	return g.Wait()
}

// job is how one or several tables of the report are filled.
type job struct {
	tables []string // each with its schema
	layers []string // that are covered then
	sql    string
}

// readJobs reads the files of layers. A line "--- table table: layer, layer" begins each part.
func readJobs() (all []job, err error) {
	names, err := fs.Glob(syntheticSQL, "sql/layer_*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := syntheticSQL.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(text), "\n--- ")[1:] {
			head, sql, _ := strings.Cut(part, "\n")
			tables, layers, _ := strings.Cut(head, ":")
			j := job{tables: strings.Fields(tables), sql: sql}
			for layer := range strings.SplitSeq(layers, ",") {
				j.layers = append(j.layers, strings.TrimSpace(layer))
			}
			all = append(all, j)
		}
	}
	return all, nil
}

// makeLayers runs the jobs on as many connections as there are cores, and covers all layers at the end.
func makeLayers(ctx context.Context, pool *pgxpool.Pool, n int) error {
	all, err := readJobs()
	if err != nil {
		return err
	}
	if err := eachConnection(ctx, pool, 1, func(ctx context.Context, conn *pgxpool.Conn, _ int) error {
		return execFile(ctx, conn.Conn(), "form")
	}); err != nil {
		return err
	}
	queue := make(chan job, len(all))
	var layers []string
	for _, j := range all {
		queue <- j
		layers = append(layers, j.layers...)
	}
	close(queue)
	err = eachConnection(ctx, pool, min(runtime.NumCPU(), 4),
		func(ctx context.Context, conn *pgxpool.Conn, _ int) error {
			for j := range queue {
				if err := j.replaceRows(ctx, conn); err != nil {
					return fmt.Errorf("make the layers %s: %w", strings.Join(j.layers, ", "), err)
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var id int64
		if err := tx.QueryRow(ctx, recordLoad, layerSource, fmt.Sprint(n), len(layers)).Scan(&id); err != nil {
			return fmt.Errorf("record the layers: %w", err)
		}
		_, err := tx.Exec(ctx, "INSERT INTO geo.coverage (layer, area, load_id) SELECT unnest($1::text[]), '', $2",
			layers, id)
		return err
	})
}

// replaceRows replaces the rows of the tables. Their indexes are made anew from
// all rows, which takes a fraction of the time.
func (j job) replaceRows(ctx context.Context, conn *pgxpool.Conn) error {
	tables := strings.Join(j.tables, ", ")
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fillMemory+"; TRUNCATE "+tables); err != nil {
			return err
		}
		rebuild, err := dropIndexes(ctx, tx, j.tables...)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, j.sql); err != nil {
			return err
		}
		return execAll(ctx, tx, rebuild)
	})
	if err == nil {
		_, err = conn.Exec(ctx, "VACUUM (ANALYZE) "+tables)
	}
	return err
}

// dropIndexes drops the indexes of tables, and returns the statements that make them again.
func dropIndexes(ctx context.Context, tx pgx.Tx, tables ...string) (rebuild []string, err error) {
	for _, table := range tables {
		rows, _ := tx.Query(ctx, mustRead("index"), table) // the rows have its error too
		var drops []string
		var drop, make string
		if _, err := pgx.ForEachRow(rows, []any{&drop, &make}, func() error {
			drops, rebuild = append(drops, drop), append(rebuild, make)
			return nil
		}); err != nil {
			return nil, fmt.Errorf("list the indexes of %s: %w", table, err)
		}
		if err := execAll(ctx, tx, drops); err != nil {
			return nil, err
		}
	}
	return rebuild, nil
}

func execAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// mustRead is the text of an embedded file.
func mustRead(name string) string {
	text, err := syntheticSQL.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(text)
}

func execFile(ctx context.Context, conn *pgx.Conn, name string) error {
	_, err := conn.PgConn().Exec(ctx, mustRead(name)).ReadAll()
	return fault.Wrap("run "+name+".sql", err)
}
