package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/harness"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

const (
	reportClients = 8
	// statementSample is how many parcels each statement is timed on by itself.
	statementSample = 200

	// maxTotal: a report takes at most so many times what its statements take divided by the cores.
	maxTotal = 1.5
)

// reportBench is a service on synthetic parcels with every layer of the report filled.
type reportBench struct {
	options
	program    harness.Program
	pool       *pgxpool.Pool
	server     *harness.Server
	key        string
	idus       []string // drawn at random, as many as can be needed
	used       int
	statements []report.Statement
	late       atomic.Int64 // reports that were answered 503
	violations []error      // what was promised and is not so
}

// measureReport times the statements of the report one by one and the whole over HTTP. The database is kept
// in the state folder: a run that was interrupted goes on with the rows that are there.
func measureReport(ctx context.Context, o options) error {
	b, release, err := o.newReportBench(ctx)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	if err := b.measureTimes(ctx); err != nil {
		return err
	}
	now, peak, err := b.server.Memory()
	if err != nil {
		return err
	}
	if late := b.late.Load(); late > 0 {
		b.addFault("%d reports were answered 503", late)
	}
	fmt.Printf("\nresident memory of the service after the run: %.0f MiB, at its highest %.0f MiB\n", now, peak)
	return errors.Join(b.violations...)
}

// newReportBench fills the report, unless that is done, and starts the service. The function, unless it is
// nil, ends what was started, also after an error.
func (o options) newReportBench(ctx context.Context) (*reportBench, func(), error) {
	b := &reportBench{options: o}
	var err error
	if b.program, err = o.buildProgram(ctx, "serve.log"); err != nil {
		return nil, nil, err
	}
	b.statements = topic.Report().Statements()
	url, pool, release, err := o.openDatabase(ctx, "bench_report_"+strconv.Itoa(o.parcels))
	if err != nil {
		return nil, nil, err
	}
	b.pool = pool
	b.program.Env = append(b.program.Env, "ARPENT_DATABASE_URL="+url)
	if err := b.fillReport(ctx); err != nil {
		return nil, release, err
	}
	if _, err = b.program.Run(ctx, "index", "parcels"); err != nil {
		return nil, release, err
	}
	if b.server, err = b.program.Serve(ctx); err != nil {
		return nil, release, fmt.Errorf("%w (see %s)", err, filepath.Join(o.state, "serve.log"))
	}
	ended := func() { b.server.Stop(); release() }
	if b.key, err = newKey(ctx, b.program); err != nil {
		return nil, ended, err
	}
	return b, ended, b.drawParcels(ctx)
}

func (b *reportBench) fillReport(ctx context.Context) error {
	begin := time.Now()
	if _, err := b.program.Run(ctx, "migrate"); err != nil {
		return err
	}
	fmt.Println("filling every layer of the report, which takes minutes") // it prints nothing meanwhile
	if err := fillParcels(ctx, b.program, b.pool, b.parcels, true); err != nil {
		return fmt.Errorf("fill the report: %w", err)
	}
	var bytes int64
	var buffers string
	err := b.pool.QueryRow(ctx, "SELECT pg_database_size(current_database()), current_setting('shared_buffers')").Scan(&bytes, &buffers)
	if err != nil {
		return err
	}
	_, err = b.pool.Exec(ctx, "CHECKPOINT") // what was written would be flushed while something is measured
	fmt.Printf("ready in %s; database of %.1f GB, shared_buffers %s, %d cores\n",
		time.Since(begin).Round(time.Second),
		float64(bytes)/1e9, buffers, runtime.NumCPU())
	return err
}

const drawParcels = `SELECT idu FROM geo.parcelle WHERE abs(hashtext(idu) % 1000000) < $1::float8 * 10000 ORDER BY md5(idu) LIMIT $2`

// maxDrawn is how many parcels a run asks for at most, not counting those that clients repeat.
const maxDrawn = 20_000

func (b *reportBench) drawParcels(ctx context.Context) error {
	idus, err := pgdb.Collect(ctx, b.pool, pgx.RowTo[string], drawParcels,
		min(100, 200*float64(maxDrawn)/float64(b.parcels)), maxDrawn)
	if b.idus = idus; err == nil && len(idus) < 2*statementSample {
		err = fmt.Errorf("%d parcels are too few to measure reports", len(idus))
	}
	return err
}

// nextParcels gives n parcels that were not asked for yet, as long as there are any.
func (b *reportBench) nextParcels(n int) []string {
	if b.used+n > len(b.idus) {
		b.used = 0
	}
	b.used += n
	return b.idus[b.used-n : b.used]
}

func (b *reportBench) addFault(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	fmt.Println("NOT SO:", err)
	b.violations = append(b.violations, err)
}

// drawReports draws reports for so long, by so many clients, and gives what each took, the shortest first.
func (b *reportBench) drawReports(
	ctx context.Context, clients int, lasting time.Duration) ([]time.Duration, error) {
	idus := b.nextParcels(min(clients*2000, len(b.idus)/2))
	took, errs := make([][]time.Duration, clients), make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { took[i], errs[i] = b.reportClient(ctx, idus, i, clients, lasting) })
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	return all, errors.Join(errs...)
}

func (b *reportBench) reportClient(ctx context.Context, idus []string, first, step int,
	lasting time.Duration) (took []time.Duration, err error) {
	c := harness.NewClient(b.server.Base, "")
	defer c.Close()
	for begin, i := time.Now(), first; time.Since(begin) < lasting && ctx.Err() == nil; i += step {
		a, err := b.getReport(c, idus[i%len(idus)])
		if err != nil {
			return took, err
		}
		took = append(took, a.Received.Sub(a.Sent))
	}
	return took, ctx.Err()
}

// getReport asks for one report. One that was not ready in time counts with
// the time it took, and is reported at the end.
func (b *reportBench) getReport(c *harness.Client, idu string) (harness.Answer, error) {
	path := "/api/v1/parcelles/" + idu + "/enrichments"
	a, err := c.Get(path, b.key)
	switch {
	case err != nil:
		return a, err
	case a.Status == http.StatusServiceUnavailable:
		b.late.Add(1)
	case a.Status != http.StatusOK:
		return a, fmt.Errorf("%s answers %d: %s", path, a.Status, a.Body)
	}
	return a, nil
}
