package demo

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/app/base/pgdb"
)

// writer puts a demonstration into the database.
type writer struct {
	pool     *pgxpool.Pool
	conn     *pgxpool.Conn
	progress func(Step)
	checksum string
}

// lockDemo keeps two demonstrations from being made at once: the second one waits, and finds the first one's work.
func lockDemo(ctx context.Context, conn *pgxpool.Conn) (func(), error) {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext('arpent demonstration'))"); err != nil {
		return nil, fmt.Errorf("wait for another demonstration: %w", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock_all()"); err != nil {
			conn.Conn().Close(ctx) // the lock goes with the connection
		}
	}, nil
}

const realData = `SELECT EXISTS (SELECT FROM geo.load WHERE active AND NOT demonstration AND source NOT LIKE 'cog-%')`

func refuseReal(ctx context.Context, q pgdb.DB) error {
	var there bool
	if err := q.QueryRow(ctx, realData).Scan(&there); err != nil {
		return fmt.Errorf("look for real data: %w", err)
	}
	if there {
		return ErrRealData
	}
	return nil
}

const thisDemo = `SELECT count(*) = 2 FROM geo.load
WHERE active AND demonstration AND NOT starts_with(source, $3) AND (checksum = $1 OR $2)`

// there reports whether this demonstration is served already; any of them when one is as good as another.
func (w *writer) there(ctx context.Context, any bool) (there bool, err error) {
	if err = w.conn.QueryRow(ctx, thisDemo, w.checksum, any, layerSource).Scan(&there); err != nil {
		err = fmt.Errorf("look for a demonstration: %w", err)
	}
	return there, err
}

func (w *writer) size(ctx context.Context) (bytes int64, err error) {
	err = w.conn.QueryRow(ctx, "SELECT pg_total_relation_size('geo.parcelle')").Scan(&bytes)
	return bytes, err
}

//go:embed sql/stage.sql
var stage string

//go:embed sql/outline_stage.sql
var outlineStage string

// write stages everything beside what is served, and swaps it in at the end.
func (w *writer) write(ctx context.Context, c country, villages []village, parcels int) error {
	begin := time.Now()
	if _, err := w.conn.Exec(ctx, stage); err != nil {
		return fmt.Errorf("prepare the staging tables: %w", err)
	}
	w.progress(Step{Doing: "outlines"})
	if err := w.stageOutlines(ctx, c); err != nil {
		return fmt.Errorf("stage outlines: %w", err)
	}
	if err := w.stageParcels(ctx, villages, parcels); err != nil {
		return fmt.Errorf("stage parcels: %w", err)
	}
	w.progress(Step{Doing: "indexes"})
	if err := w.index(ctx); err != nil {
		return fmt.Errorf("index parcels: %w", err)
	}
	return w.swap(ctx, begin, c.communes(), villages, parcels)
}

func (w *writer) stageOutlines(ctx context.Context, c country) error {
	var rows [][]any
	for _, l := range c.lattices {
		rows = append(rows, []any{"departement", l.code, appendShape(nil, l.frame())})
		for i, code := range l.communes {
			rows = append(rows, []any{"commune", code, appendShape(nil, l.outline(i))})
		}
	}
	_, err := w.conn.CopyFrom(ctx, pgx.Identifier{"drawn"}, []string{"level", "code", "shape"}, pgx.CopyFromRows(rows))
	if err == nil {
		_, err = w.conn.Exec(ctx, outlineStage)
	}
	return err
}

const copyParcels = "COPY geo.parcelle_demonstration (idu, contenance, feuille, geom) FROM STDIN (FORMAT binary)"

// stageParcels copies on as many connections as there are cores: drawing a row costs a tenth of storing it.
func (w *writer) stageParcels(ctx context.Context, villages []village, parcels int) error {
	var taken, begun atomic.Int64
	next := func() (village, bool) {
		i := int(taken.Add(1)) - 1
		if i >= len(villages) {
			return village{}, false
		}
		n := villages[i].parcels
		w.progress(Step{"parcels", int(begun.Add(int64(n))) - n, parcels})
		return villages[i], true
	}
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.NumCPU(), 8) {
		g.Go(func() error {
			conn, err := w.pool.Acquire(ctx)
			if err != nil {
				return err
			}
			defer conn.Release()
			_, err = conn.Conn().PgConn().CopyFrom(ctx, &villageReader{next: next}, copyParcels)
			return err
		})
	}
	return g.Wait()
}

const (
	indexMemory = "SET LOCAL maintenance_work_mem = '512MB'; SET LOCAL max_parallel_maintenance_workers = 2"
	indexKey    = "CREATE UNIQUE INDEX parcelle_demonstration_pkey ON geo.parcelle_demonstration (idu)"
	indexGeom   = "CREATE INDEX parcelle_demonstration_geom ON geo.parcelle_demonstration USING gist (geom)"
)

// index builds both indexes at the same time, then has the planner's figures taken.
func (w *writer) index(ctx context.Context) error {
	g, inner := errgroup.WithContext(ctx)
	for _, statement := range []string{indexKey, indexGeom} {
		g.Go(func() error {
			return pgx.BeginFunc(inner, w.pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(inner, indexMemory); err != nil {
					return err
				}
				_, err := tx.Exec(inner, statement)
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err := w.conn.Exec(ctx, "VACUUM (ANALYZE) geo.parcelle_demonstration")
	return err
}

//go:embed sql/swap.sql
var swapTables string

const insertLoad = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
                      demonstration, started_at, loaded_at, active)
VALUES ($1, $2, $3, 'none: made up', '[]', $4, $5, 0, '[]', true, $6, clock_timestamp(), true) RETURNING id`

const insertCommunes = `INSERT INTO geo.parcelle_commune (code, load_id) SELECT unnest($1::text[]), $2`

// Names of the two loads. The first is that of the real source, which thereby replaces it; real parcels of whatever
// source replace the second.
const (
	outlineSource = "contours-communes"
	parcelSource  = "parcelles-demonstration"
)

const producer = "this service (made up)"

// swap makes the staged tables the served ones. Real data that arrived meanwhile wins: it is looked for again under a
// lock that keeps every other load from ending.
func (w *writer) swap(ctx context.Context, begin time.Time, communes int, villages []village, parcels int) error {
	return pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE geo.load IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return fmt.Errorf("wait for other loads: %w", err)
		}
		if err := refuseReal(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, swapTables); err != nil {
			return fmt.Errorf("swap the tables: %w", err)
		}
		var id int64
		for _, l := range []struct {
			source, title string
			rows          int
		}{
			{outlineSource, "Demonstration: made-up outlines of the communes, départements and régions", communes},
			{parcelSource, "Demonstration: made-up parcels", parcels},
		} {
			err := tx.QueryRow(ctx, insertLoad, l.source, producer, l.title, w.checksum, l.rows, begin).Scan(&id)
			if err != nil {
				return fmt.Errorf("record load %s: %w", l.source, err)
			}
		}
		codes := slices.Collect(func(yield func(string) bool) {
			for _, v := range villages {
				if !yield(v.commune) {
					return
				}
			}
		})
		_, err := tx.Exec(ctx, insertCommunes, codes, id)
		return err
	})
}
