package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/harness"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// loadBar is how many times as long as a bare COPY of the same rows with their indexes a load may take.
const loadBar = 3

// loading is a database that made files are loaded into by arpent load.
type loading struct {
	program      harness.Program
	db           *pgxpool.Pool
	data         string // the folder of the files
	departements []madeDepartement
}

// measureLoads measures, a kind of source at a time, how long arpent load takes from files to rows that
// are served, against a bare COPY of these rows with their indexes, and then how long it takes
// when the file of one département has changed.
func measureLoads(ctx context.Context, o options) error {
	known := everyKind(0)
	for name, rows := range o.rows {
		if _, there := known[name]; !there {
			return fmt.Errorf("--rows: %q is not one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if rows <= 0 {
			return fmt.Errorf("--rows: %s=%d is not a number of rows", name, rows)
		}
	}
	l, release, err := o.prepareLoading(ctx)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	fmt.Printf("arpent load against COPY, CREATE INDEX and ANALYZE of the same rows on one connection, %d processors\n", runtime.NumCPU())
	for _, k := range loadKinds {
		if rows := o.rows[k.name]; rows > 0 {
			if err := l.measureKind(ctx, k, rows); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	return nil
}

func (o options) prepareLoading(ctx context.Context) (*loading, func(), error) {
	p, err := o.buildProgram(ctx)
	if err != nil {
		return nil, nil, err
	}
	url, pool, release, err := o.openDatabase(ctx, fmt.Sprintf("bench_load_%d", time.Now().Unix()))
	if err != nil {
		return nil, nil, err
	}
	l := &loading{program: p, db: pool, data: filepath.Join(o.state, "made")}
	if err := os.MkdirAll(l.data, 0o755); err != nil {
		return nil, release, err
	}
	l.program.Env = append(slices.Clip(p.Env), "ARPENT_DATABASE_URL="+url, "ARPENT_DATA="+l.data)
	for _, args := range [][]string{{"migrate"}, {"load", "cog"}} {
		if _, err := l.program.Run(ctx, args...); err != nil {
			return nil, release, err
		}
	}
	l.departements, err = madeDepartements(ctx, pool)
	return l, release, err
}

const mainlandCommunes = `SELECT departement_code, array_agg(code ORDER BY code) FROM geo.commune
WHERE type = 'commune-actuelle' AND char_length(departement_code) = 2 AND code NOT IN ('13055', '69123', '75056')
GROUP BY departement_code HAVING count(*) >= 100 ORDER BY departement_code`

func madeDepartements(ctx context.Context, db *pgxpool.Pool) (all []madeDepartement, err error) {
	rows, _ := db.Query(ctx, mainlandCommunes) // the rows have its error too
	var d madeDepartement
	_, err = pgx.ForEachRow(rows, []any{&d.code, &d.communes}, func() error {
		d.west, d.south = 100_000+len(all)%boxColumns*(boxWidth+300_000), 430_000_000+len(all)/boxColumns*(boxHeight+500_000)
		all = append(all, d)
		d.communes = nil
		return nil
	})
	if err == nil && len(all) == 0 {
		err = errors.New("there are no communes to place rows in: names and codes come with the npm packages; run make node_modules/.package-lock.json")
	}
	return all, err
}

func (l *loading) measureKind(ctx context.Context, k loadKind, rows int) error {
	files := k.files(rows, l.departements, 1)
	mb, err := writeFiles(ctx, l.data, files)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.data)
	first, err := l.runLoad(ctx, k)
	if err != nil {
		return err
	}
	bare, err := l.copyBare(ctx, k)
	if err != nil {
		return err
	}
	ratio, mark := first.took.Seconds()/bare.took.Seconds(), ""
	if ratio > loadBar {
		mark = "  above"
	}
	fmt.Printf("%-10s %9d rows of %9d in %2d files, %5.0f MB: %6.1f s; bare %6.1f s; ratio %.2f bar %d%s; processor %.1f + %.1f s of the database, bare %.1f s; "+
		"memory %.0f MiB; longest read %s during it, %s during bare\n",
		k.name, bare.rows, rows, len(files), mb, first.took.Seconds(), bare.took.Seconds(), ratio, loadBar, mark, first.loader.Seconds(),
		first.database.Seconds(), bare.database.Seconds(), first.peak, roundDuration(first.longest), roundDuration(bare.longest))
	if files[0].departement == "" {
		return nil
	}
	return l.measureUpdate(ctx, k, rows)
}

const countLoads = `SELECT count(*), coalesce(max(scope), '') FROM geo.load WHERE id > $1`

// measureUpdate loads again with one file changed.
func (l *loading) measureUpdate(ctx context.Context, k loadKind, rows int) error {
	changed := k.files(rows, l.departements, 2)[:1]
	if _, err := writeFiles(ctx, l.data, changed); err != nil {
		return err
	}
	var last int64
	if err := l.db.QueryRow(ctx, "SELECT max(id) FROM geo.load").Scan(&last); err != nil {
		return err
	}
	again, err := l.runLoad(ctx, k)
	if err != nil {
		return err
	}
	var loaded int
	var scope string
	if err := l.db.QueryRow(ctx, countLoads, last).Scan(&loaded, &scope); err != nil {
		return err
	}
	if loaded != 1 || scope != changed[0].departement {
		return fmt.Errorf("with %s changed %d loads were made, the last of %s", changed[0].departement, loaded, scope)
	}
	fmt.Printf("%-10s %9d rows of the one département that changed: %.1f s; memory %.0f MiB; longest read %s during it\n",
		k.name, changed[0].rows, again.took.Seconds(), again.peak, roundDuration(again.longest))
	return nil
}

func roundDuration(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// loadCost is what a load or a bare COPY took.
type loadCost struct {
	rows   int64
	took   time.Duration
	loader time.Duration // processor time of arpent load
	// database is the processor time of all processes of PostgreSQL, that of the reader included.
	database time.Duration
	peak     float64       // memory of the process, MiB
	longest  time.Duration // that a reader of the tables waited meanwhile
}

// runLoad runs arpent load while a reader queries the tables that it fills.
func (l *loading) runLoad(ctx context.Context, k loadKind) (loadCost, error) {
	before, err := l.processorTime(ctx)
	if err != nil {
		return loadCost{}, err
	}
	stop := l.startReader(ctx, k)
	cmd := l.program.Command(ctx, append([]string{"load"}, k.sources...)...)
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	cost := loadCost{took: time.Since(begun)}
	cost.longest, err = stop(err)
	if err != nil {
		return cost, fmt.Errorf("arpent load: %w: %s", err, out)
	}
	after, err := l.processorTime(ctx)
	cost.database, cost.loader = after-before, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cost.peak = float64(usage.Maxrss) / 1024
	}
	return cost, err
}

// processorTime is the processor time that the database has taken: that of the
// processes which have ended is their parent's.
func (l *loading) processorTime(ctx context.Context) (time.Duration, error) {
	var parent string
	if err := l.db.QueryRow(ctx, "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)").Scan(&parent); err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(parent)
	if err != nil {
		return 0, err
	}
	return harness.ProcessorOfFamily(pid)
}

// startReader asks for a row of each table by its key every few milliseconds, until it is stopped:
// then it says how long the longest answer took.
func (l *loading) startReader(ctx context.Context, k loadKind) (stop func(error) (time.Duration, error)) {
	var asked []string
	for _, t := range k.targetTables() {
		var keys []string
		for _, key := range t.Key {
			keys = append(keys, pgx.Identifier{key}.Sanitize()+" = '1'")
		}
		asked = append(asked, "SELECT count(*) FROM "+t.Table+" WHERE "+strings.Join(keys, " AND "))
	}
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		longest time.Duration
		err     error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		for ctx.Err() == nil {
			for _, sql := range asked {
				begun := time.Now()
				if _, err := l.db.Exec(ctx, sql); err != nil {
					if ctx.Err() == nil {
						r.err = err
						cancel()
					}
					break
				}
				r.longest = max(r.longest, time.Since(begun))
			}
			time.Sleep(3 * time.Millisecond)
		}
		done <- r
	}()
	return func(err error) (time.Duration, error) {
		cancel()
		r := <-done
		return r.longest, errors.Join(err, r.err)
	}
}

// targetTables are the tables that the sources of a kind fill.
func (k loadKind) targetTables() (all []source.Target) {
	for _, s := range topic.Sources() {
		if slices.Contains(k.sources, s.Name) {
			all = append(all, s.Target)
			for _, d := range s.Derived {
				all = append(all, d.Target)
			}
		}
	}
	return all
}
