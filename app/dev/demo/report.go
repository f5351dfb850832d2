package demo

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"arpent/app/base/fault"
)

//go:embed sql/report_*.sql
var reportFiles embed.FS

// layerSource begins the names of the loads of the report, one a layer. The first real load of shapes or of a layer
// removes them, what they cover, and their rows, which have the part "demonstration".
const layerSource = "demonstration-"

// report fills the layers of the report. Each job is a transaction; what is covered is said at the end, for all at
// once, so that no reader sees a part. An interrupted run goes on where it was.
func (w *writer) report(ctx context.Context, c country, villages []village, o Options, r *Result) error {
	all, err := jobs()
	if err != nil {
		return err
	}
	w.checksum, err = reportChecksum(w.checksum)
	if err != nil {
		return err
	}
	there, err := w.reportThere(ctx, true, layersOf(all))
	if err == nil && !there {
		r.Made = true
		err = w.makeReport(ctx, c, villages, all, o.Seed)
	}
	if err == nil {
		r.Layers = len(layersOf(all))
		err = w.conn.QueryRow(ctx, reportRows, layerSource).Scan(&r.Rows)
	}
	return err
}

const reportRows = `SELECT coalesce(sum(row_count), 0)::bigint FROM geo.load WHERE demonstration AND active AND starts_with(source, $1)`

func (w *writer) makeReport(ctx context.Context, c country, villages []village, all []job, seed uint64) error {
	if err := w.hideReport(ctx); err != nil {
		return err
	}
	if err := w.stageReport(ctx, c, villages); err != nil {
		return fmt.Errorf("prepare the report: %w", err)
	}
	if err := w.fill(ctx, all, seed); err != nil {
		return err
	}
	if err := w.serveReport(ctx, layersOf(all)); err != nil {
		return err
	}
	_, err := w.conn.Exec(ctx, "DROP TABLE geo.demonstration_place, geo.demonstration_form; ANALYZE geo.load, geo.coverage")
	return fault.Wrap("tidy up after the report", err)
}

// reportChecksum names a report by the territory it is made for and by how it is made.
func reportChecksum(territory string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, territory)
	err := fs.WalkDir(reportFiles, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := reportFiles.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

const reportLoads = `SELECT count(DISTINCT source) = cardinality($3::text[]) FROM geo.load
WHERE demonstration AND active = $1 AND checksum = $2 AND source = ANY ($3)`

// reportThere reports whether so many layers of this report are there: in service, or made by a run that did not end.
func (w *writer) reportThere(ctx context.Context, active bool, layers []string) (there bool, err error) {
	sources := make([]string, len(layers))
	for i, layer := range layers {
		sources[i] = layerSource + layer
	}
	if err = w.conn.QueryRow(ctx, reportLoads, active, w.checksum, sources).Scan(&there); err != nil {
		err = fmt.Errorf("look for the report: %w", err)
	}
	return there, err
}

const hideLayers = `
WITH hidden AS (
    UPDATE geo.load SET active = false WHERE demonstration AND active AND starts_with(source, $1) RETURNING id
)
DELETE FROM geo.coverage USING hidden WHERE load_id = hidden.id`

// hideReport takes another report out of service. Its loads stay until other rows take the place of theirs: a real load
// knows by them that there are synthetic rows to remove.
func (w *writer) hideReport(ctx context.Context) error {
	_, err := w.conn.Exec(ctx, hideLayers, layerSource)
	return fault.Wrap("take the report out of service", err)
}

const anyReport = `SELECT EXISTS (SELECT FROM geo.load WHERE demonstration AND starts_with(source, $1))`

// dropReport removes the report of whatever demonstration.
func (w *writer) dropReport(ctx context.Context) error {
	var there bool
	if err := w.conn.QueryRow(ctx, anyReport, layerSource).Scan(&there); err != nil {
		return fmt.Errorf("look for a report: %w", err)
	}
	if !there {
		return nil
	}
	all, err := jobs()
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM geo.load WHERE demonstration AND starts_with(source, $1)", layerSource); err != nil {
			return fmt.Errorf("remove the report: %w", err)
		}
		for _, j := range all {
			if err := j.empty(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill runs the jobs on as many connections as there are cores, the first ones first.
func (w *writer) fill(ctx context.Context, all []job, seed uint64) error {
	var next, done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.NumCPU(), 4) {
		g.Go(func() error {
			conn, err := w.pool.Acquire(ctx)
			if err != nil {
				return err
			}
			defer conn.Release()
			f := writer{pool: w.pool, conn: conn, progress: w.progress, checksum: w.checksum}
			if err := f.prepareDice(ctx, seed); err != nil {
				return err
			}
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				if err := f.run(ctx, all[i]); err != nil {
					return fmt.Errorf("make the layers %s: %w", strings.Join(all[i].layers, ", "), err)
				}
				w.progress(Step{"layers", int(done.Add(1)), len(all)})
			}
			return nil
		})
	}
	return g.Wait()
}

// run does one job, unless an earlier run that did not end has done it.
func (w *writer) run(ctx context.Context, j job) error {
	if there, err := w.reportThere(ctx, false, j.layers); err != nil || there {
		return err
	}
	err := pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error {
		begin := time.Now()
		if err := j.forget(ctx, tx); err != nil {
			return err
		}
		if err := j.empty(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fillMemory); err != nil {
			return err
		}
		rebuild, err := j.dropIndexes(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := insert(ctx, tx, j.sql)
		if err != nil {
			return err
		}
		for _, make := range rebuild {
			if _, err := tx.Exec(ctx, make); err != nil {
				return fmt.Errorf("%s: %w", make, err)
			}
		}
		return w.record(ctx, tx, j, begin, rows)
	})
	if err != nil {
		return err
	}
	_, err = w.conn.Exec(ctx, "VACUUM (ANALYZE) "+tableList(j.tables))
	return err
}

const fillMemory = "SET LOCAL work_mem = '128MB'; SET LOCAL maintenance_work_mem = '384MB'; SET LOCAL jit = off"

// insert runs the statements of a job and counts the rows they write.
func insert(ctx context.Context, tx pgx.Tx, sql string) (rows int64, err error) {
	results, err := tx.Conn().PgConn().Exec(ctx, sql).ReadAll()
	for _, r := range results {
		if r.CommandTag.Insert() {
			rows += r.CommandTag.RowsAffected()
		}
	}
	return rows, err
}
