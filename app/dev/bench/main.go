// Package bench measures the service over HTTP, as processes on this machine: against handlers that do
// nothing but answer, and as the number of parcels grows. What it prints is what may be claimed.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/dev/harness"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

type options struct {
	rounds  int
	seconds int
	state   string // folder of the database and the binary; kept when given
	sizes   []int
	parcels int
	// compare alone
	compared int // number of parcels
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
	flags.IntSliceVar(&o.sizes, "sizes", []int{100_000, 1_000_000, 10_000_000}, "numbers of parcels")
	flags.IntVar(&o.parcels, "parcels", 10_000_000, "number of parcels for the report")
	compared, err := strconv.Atoi(os.Getenv("ARPENT_BENCH_PARCELS"))
	if err != nil || compared <= 0 {
		compared = 1_000_000
	}
	flags.IntVar(&o.compared, "compared", compared,
		"number of parcels to compare on; default: ARPENT_BENCH_PARCELS, or a million")
	for _, m := range []struct {
		name, short string
		measure     func(context.Context, options) error
	}{
		{"compare", "the metered service against bare handlers, in alternating rounds", compareServers},
		{"parcels", "both parcel reads as the number of parcels grows", measureParcels},
		{"report", "the report with every layer filled at the density of the country", measureReport},
		{baselineCommand, "", serveBaseline}, // started by compare
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
				return m.measure(cmd.Context(), o)
			}})
	}
	return c
}

// buildProgram compiles the program into the state folder. What it says goes to a file there.
func (o options) buildProgram(ctx context.Context, log string) (harness.Program, error) {
	state, err := filepath.Abs(o.state)
	if err != nil {
		return harness.Program{}, err
	}
	if err := os.MkdirAll(state, 0o755); err != nil { // the database's user must be able to enter
		return harness.Program{}, err
	}
	if err := os.Chmod(state, 0o755); err != nil {
		return harness.Program{}, err
	}
	p := harness.Program{Env: []string{"ARPENT_STATE_DIR=" + state}}
	if p.Path, err = harness.Build(ctx, state); err == nil {
		p.Log, err = os.Create(filepath.Join(state, log))
	}
	return p, err
}

// openDatabase opens a database of the private cluster that the program uses too.
func (o options) openDatabase(ctx context.Context, name string) (url string, pool *pgxpool.Pool,
	release func(), err error) {
	c, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(o.state, "pg")})
	if err != nil {
		return "", nil, nil, err
	}
	if err := c.Create(ctx, name); err != nil {
		return "", nil, nil, errors.Join(err, c.Close())
	}
	pool, err = pgdb.Open(ctx, c.URL(name), pgdb.Options{MaxConns: 4, AppName: "arpent bench"})
	if err != nil {
		return "", nil, nil, errors.Join(err, c.Close())
	}
	return c.URL(name), pool, func() {
		pool.Close()
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}, nil
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
