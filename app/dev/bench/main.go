// Package bench measures the service over HTTP, as processes on this machine: against handlers that do
// nothing but answer, and as the number of parcels grows. What it prints is what may be claimed.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/dev/harness"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

// options of a measurement, and what was started for it.
type options struct {
	rounds   int
	seconds  int
	state    string // folder of the database and the binary; kept when given
	sizes    []int
	compared int // number of parcels, of compare alone

	started []func() // end what was started
}

// benchName is the name of the command, which some measurements start anew.
const benchName = "bench"

// Command is the command with its measurements.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{Use: benchName, Short: "Measure the service on this machine",
		// it sets what it measures up itself
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }}
	flags := c.PersistentFlags()
	flags.IntVar(&o.rounds, "rounds", 7, "alternating rounds of each comparison")
	flags.IntVar(&o.seconds, "seconds", 5, "length of a round")
	flags.StringVar(&o.state, "state", "", "folder to keep the database in for the next run; default: one that is removed")
	flags.IntSliceVar(&o.sizes, "sizes", []int{100_000, 1_000_000, 10_000_000},
		"numbers of parcels; the last one is that of the report")
	compared, err := strconv.Atoi(os.Getenv("ARPENT_BENCH_PARCELS"))
	if err != nil || compared <= 0 {
		compared = 1_000_000
	}
	flags.IntVar(&o.compared, "compared", compared,
		"number of parcels to compare on; default: ARPENT_BENCH_PARCELS, or a million")
	for _, m := range []struct {
		name, short string
		measure     func(*options, context.Context) error
	}{
		{"compare", "the metered service against bare handlers, in alternating rounds", (*options).compareServers},
		{"parcels", "both parcel reads as the number of parcels grows", (*options).measureParcels},
		{"report", "the report with every layer filled at the density of the country", (*options).measureReport},
		{baselineCommand, "", (*options).serveBaseline}, // started by compare
	} {
		c.AddCommand(&cobra.Command{Use: m.name, Short: m.short, Hidden: m.short == "", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				if o.state == "" {
					dir, err := os.MkdirTemp("", "arpent-bench")
					if err != nil {
						return err
					}
					defer os.RemoveAll(dir)
					o.state = dir
				}
				defer o.endStarted()
				return m.measure(&o, cmd.Context())
			}})
	}
	return c
}

func (o *options) endStarted() {
	for _, end := range slices.Backward(o.started) {
		end()
	}
	o.started = nil
}

// service is a running one with a database of its own.
type service struct {
	parcels int
	program harness.Program // with its database
	server  *harness.Server
	key     string
	places  []place // to ask about
}

const (
	communePlaces = `SELECT code, '', ST_X(p), ST_Y(p) FROM geo.commune_contour, ST_PointOnSurface(geom) p ORDER BY md5(code) LIMIT 2000`
	// Parcels with a point in each, three times as many as are asked for.
	parcelPlaces     = `SELECT left(idu, 5), idu, ST_X(p), ST_Y(p) FROM geo.parcelle, ST_PointOnSurface(geom) p WHERE random() < $1::float8`
	describeDatabase = `SELECT format('database of %s, shared_buffers %s', pg_size_pretty(pg_database_size(current_database())), current_setting('shared_buffers'))`
)

// prepareService compiles the program and starts the service on so many synthetic parcels, with layers those
// of the report too, or with 0 on the starter data. The database stays in the state folder.
func (o *options) prepareService(ctx context.Context, parcels int, layers bool) (*service, error) {
	name, load, index := "bench_"+strconv.Itoa(parcels), []string{"load", "cog"}, []string{"index", "parcels"}
	sample, args := parcelPlaces, []any{min(1, 3*blocks*blockRequests/float64(parcels))}
	switch {
	case layers:
		name += "_report"
	case parcels == 0:
		name, load, index, sample, args = "bench_territory", load[:1], index[:1], communePlaces, nil
	}
	state, err := filepath.Abs(o.state)
	if err != nil {
		return nil, err
	}
	// the database's user must be able to enter
	if err := errors.Join(os.MkdirAll(state, 0o755), os.Chmod(state, 0o755)); err != nil {
		return nil, err
	}
	url, pool, err := o.openDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &service{parcels: parcels, program: harness.Program{Env: []string{"ARPENT_DATABASE_URL=" + url,
		"ARPENT_STATE_DIR=" + filepath.Join(state, name)}}}
	if s.program.Path, err = harness.Build(ctx, state); err != nil {
		return nil, err
	}
	if s.program.Log, err = os.Create(filepath.Join(state, name+".log")); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"migrate"}, load} {
		if _, err := s.program.Run(ctx, args...); err != nil {
			return nil, err
		}
	}
	if parcels > 0 {
		if err := FillSynthetic(ctx, pool, parcels, layers); err != nil {
			return nil, err
		}
	}
	var facts string
	if err := pool.QueryRow(ctx, describeDatabase).Scan(&facts); err != nil {
		return nil, err
	}
	fmt.Printf("%s, %d cores\n", facts, runtime.NumCPU())
	// what was written would be flushed while something is measured
	if _, err := pool.Exec(ctx, "CHECKPOINT"); err != nil {
		return nil, err
	}
	s.places, err = pgdb.Collect(ctx, pool, pgx.RowToStructByPos[place], sample, args...)
	if err != nil || len(s.places) == 0 {
		return nil, fmt.Errorf("choose some of the places that are loaded: %d (%w)", len(s.places), err)
	}
	rand.Shuffle(len(s.places), func(i, j int) { s.places[i], s.places[j] = s.places[j], s.places[i] })
	begun := time.Now() // the files are written last: what the sample has read would take their place in memory
	out, err := s.program.Run(ctx, index...)
	if err != nil {
		return nil, err
	}
	fmt.Printf("%s\n%.0f s, the start of the program included\n", out, time.Since(begun).Seconds())
	if s.server, err = s.program.Serve(ctx); err != nil {
		return nil, err
	}
	o.started = append(o.started, s.server.Stop)
	s.key, err = newKey(ctx, s.program)
	return s, err
}

// openDatabase opens a database of a private cluster.
func (o *options) openDatabase(ctx context.Context, name string) (url string, pool *pgxpool.Pool, err error) {
	c, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(o.state, "pg")})
	if err != nil {
		return "", nil, err
	}
	o.started = append(o.started, func() {
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	})
	if err := c.Create(ctx, name); err != nil {
		return "", nil, err
	}
	pool, err = pgdb.Open(ctx, c.URL(name), pgdb.Options{MaxConns: 4, AppName: "arpent bench"})
	if err == nil {
		o.started = append(o.started, pool.Close)
	}
	return c.URL(name), pool, err
}

// place is what the template of a path is filled with.
type place struct {
	Code, IDU string
	Lon, Lat  float64
}

func (p place) fillTemplate(template string) string {
	degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
	return strings.NewReplacer("{code}", p.Code, "{idu}", p.IDU, "{lat}", degrees(p.Lat), "{lon}",
		degrees(p.Lon)).Replace(template)
}

// newKey makes an account that may ask as much as any may, and a key of it. Each measurement has its
// own, so that what ran before does not count.
func newKey(ctx context.Context, p harness.Program) (string, error) {
	const most = 10_000_000
	email := fmt.Sprintf("bench-%d@example.org", time.Now().UnixNano())
	key, err := p.Account(ctx, email, harness.Limits{PerMinute: most, EnrichmentsPerMinute: most, PerDay: most})
	time.Sleep(time.Second) // by then every instance knows the key
	return key, err
}
