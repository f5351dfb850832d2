package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/harness"
	"arpent/internal/opendata/report"
	"arpent/internal/pgdb"
)

const subjects = `SELECT idu, ST_AsEWKB(geom), (SELECT array_agg(DISTINCT layer) FROM geo.coverage WHERE area = '') AS covered
FROM (SELECT DISTINCT left(asked, 5) AS code FROM unnest($1::text[]) asked) c CROSS JOIN geo.parcels_of(c.code) p
WHERE idu = ANY ($1) ORDER BY array_position($1, idu)`

func (b *reportBench) readSubjects(
	ctx context.Context, conn *pgx.Conn, idus []string) ([]report.Subject, error) {
	rows, _ := conn.Query(ctx, subjects, idus) // the rows have its error too
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s report.Subject, err error) {
		err = row.Scan(&s.IDU, &s.Outline, &s.Covered)
		s.Commune, s.Arrondissement, s.Departement = s.IDU[:5], s.IDU[:5], s.IDU[:2]
		if s.Departement == "97" {
			s.Departement = s.IDU[:3]
		}
		return s, err
	})
}

// measureTimes measures reports over HTTP by one client and by eight, and what their statements take one
// after the other on one connection, for the same parcels.
func (b *reportBench) measureTimes(ctx context.Context) error {
	idus := b.nextParcels(statementSample)
	// the connections prepare their statements
	if _, err := b.drawReports(ctx, reportClients, 2*time.Second); err != nil {
		return err
	}
	// Both twice in turns: the second time neither finds pages that the other has read into memory for it.
	var whole, sum time.Duration
	var each []statementTime
	var err error
	for range 2 {
		if sum, each, err = b.statementTimes(ctx, idus); err != nil {
			return err
		}
		if whole, err = b.averageTime(ctx, idus); err != nil {
			return err
		}
	}
	b.printTimes(whole, sum, each)
	fmt.Printf("\n%-10s %8s %10s %10s %10s %12s\n", "clients", "reports", "p50", "p99", "longest", "reports/s")
	lasting := time.Duration(b.seconds) * 4 * time.Second
	for _, clients := range []int{1, reportClients} {
		took, err := b.drawReports(ctx, clients, lasting)
		if err != nil {
			return err
		}
		fmt.Printf("%-10d %8d %10s %10s %10s %12.1f\n", clients, len(took), formatMs(harness.Quantile(took, 0.5)),
			formatMs(harness.Quantile(took, 0.99)),
			formatMs(took[len(took)-1]), float64(len(took))/lasting.Seconds())
	}
	return nil
}

func formatMs(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

// averageTime returns the average time of a report over HTTP, one after the other.
func (b *reportBench) averageTime(ctx context.Context, idus []string) (time.Duration, error) {
	c := harness.NewClient(b.server.Base, "")
	defer c.Close()
	var sum time.Duration
	for _, idu := range idus {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		a, err := b.getReport(c, idu)
		if err != nil {
			return 0, err
		}
		sum += a.Received.Sub(a.Sent)
	}
	return sum / time.Duration(len(idus)), nil
}

type statementTime struct {
	name          string
	mean, longest time.Duration
}

// reportPlanSettings makes a connection plan as those of the service that draw reports do.
const reportPlanSettings = "SET plan_cache_mode = force_generic_plan; SET jit = off; SET max_parallel_workers_per_gather = 0"

func (b *reportBench) reportConn(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, reportPlanSettings)
	if err == nil {
		err = pgdb.RegisterGeometry(ctx, conn.Conn())
	}
	if err != nil {
		conn.Release()
		return nil, err
	}
	return conn, nil
}

// statementTimes returns the average time of all statements together, and of each.
func (b *reportBench) statementTimes(ctx context.Context, idus []string) (sum time.Duration,
	each []statementTime, err error) {
	conn, err := b.reportConn(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer conn.Release()
	all, err := b.readSubjects(ctx, conn.Conn(), idus)
	if err != nil {
		return 0, nil, err
	}
	for _, s := range b.statements {
		t, err := timeStatement(ctx, conn.Conn(), s, all)
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		each = append(each, t)
		sum += t.mean
	}
	return sum, each, nil
}

func timeStatement(ctx context.Context, conn *pgx.Conn, s report.Statement,
	all []report.Subject) (statementTime, error) {
	t := statementTime{name: s.Name}
	var sum time.Duration
	for i, about := range all {
		begin := time.Now()
		rows, err := conn.Query(ctx, s.SQL, s.Args(&about)...)
		if err != nil {
			return t, err
		}
		rows.Close() // reads what is left
		if err := rows.Err(); err != nil {
			return t, fmt.Errorf("%s: %w", about.IDU, err)
		}
		if i == 0 {
			continue // it was prepared and planned
		}
		took := time.Since(begin)
		sum += took
		t.longest = max(t.longest, took)
	}
	t.mean = sum / time.Duration(max(1, len(all)-1))
	return t, nil
}

func (b *reportBench) printTimes(whole, sum time.Duration, each []statementTime) {
	slices.SortFunc(each, func(a, b statementTime) int { return cmp.Compare(b.mean, a.mean) })
	fmt.Printf("\n%-22s %12s %12s   one connection, %d parcels\n", "statement", "mean", "longest",
		statementSample)
	for _, t := range each {
		fmt.Printf("%-22s %12s %12s\n", t.name, formatMs(t.mean), formatMs(t.longest))
	}
	share := sum / time.Duration(runtime.NumCPU())
	ratio := float64(whole) / float64(share)
	fmt.Printf("%-22s %12s\n", "together", formatMs(sum))
	fmt.Printf("%-22s %12s   over HTTP, one client; statements / %d cores: %s; ratio %.2f, at most %.1f\n",
		"a report", formatMs(whole),
		runtime.NumCPU(), formatMs(share), ratio, maxTotal)
	if ratio > maxTotal {
		b.addFault("a report takes %.2f times what its statements take divided by the cores", ratio)
	}
}
