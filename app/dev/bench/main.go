// Command bench measures the service over HTTP, as processes on this machine: against handlers that do nothing but
// answer, and as the number of parcels grows. What it prints is what may be claimed.
//
//	go run ./app/dev/bench compare   # metered service against bare handlers, in alternating rounds
//	go run ./app/dev/bench parcels   # both parcel reads at 100 thousand, 1 and 10 million parcels
//	go run ./app/dev/bench report    # the report with every layer filled at the density of the country
//	go run ./app/dev/bench statistics # communes with their statistics against plain answers of the same size
//	go run ./app/dev/bench assistants # tools of assistants against the REST requests that they stand for
//	go run ./app/dev/bench geocode   # the search for addresses among 3 million made-up streets with 26 million numbers
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"arpent/app/base/pgdb"
	"arpent/app/base/pgdb/cluster"
	"arpent/app/dev/harness"

	"github.com/jackc/pgx/v5/pgxpool"
)

type options struct {
	rounds  int
	seconds int
	state   string // folder of the database and the binary; kept when given
	sizes   []int
	parcels int
	streets int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to measure: compare, parcels, report, statistics, assistants or geocode")
	}
	var o options
	flags := flag.NewFlagSet("bench "+args[0], flag.ExitOnError)
	flags.IntVar(&o.rounds, "rounds", 7, "alternating rounds of each comparison")
	flags.IntVar(&o.seconds, "seconds", 5, "length of a round")
	flags.StringVar(&o.state, "state", "", "folder to keep the database in for the next run; default: one that is removed")
	sizes := flags.String("sizes", "100000,1000000,10000000", "numbers of parcels")
	flags.IntVar(&o.parcels, "parcels", 10_000_000, "number of parcels for the report")
	flags.IntVar(&o.streets, "streets", 3_000_000, "number of streets to search")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.state == "" {
		dir, err := os.MkdirTemp("", "arpent-bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.state = dir
	}
	switch args[0] {
	case "compare":
		return compare(ctx, o)
	case "parcels":
		return parcels(ctx, o)
	case "report":
		return measureReport(ctx, o)
	case geocodeBuild: // started by geocode
		return geocodeBuilder(ctx, o)
	case "statistics":
		return statistics(ctx, o)
	case "assistants":
		return assistants(ctx, o)
	case "geocode":
		return geocodes(ctx, o)
	case baselineCommand: // started by compare
		return baseline(ctx)
	}
	return fmt.Errorf("%q cannot be measured: expected compare, parcels, report, statistics, assistants or geocode", args[0])
}

// build compiles the program into the state folder.
func (o options) build(ctx context.Context) (harness.Program, error) {
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
	path, err := harness.Build(ctx, state)
	return harness.Program{Path: path, Env: []string{"ARPENT_STATE_DIR=" + state}}, err
}

// database opens a database of the private cluster that the program uses too.
func (o options) database(ctx context.Context, name string) (url string, pool *pgxpool.Pool, release func(), err error) {
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

// newKey makes an account that may ask as much as any may, and a key of it. Each measurement has its own, so that what
// ran before does not count.
func newKey(ctx context.Context, p harness.Program) (string, error) {
	const most = 10_000_000
	email := fmt.Sprintf("bench-%d@example.org", time.Now().UnixNano())
	key, err := p.Account(ctx, email, harness.Limits{PerMinute: most, EnrichmentsPerMinute: most, PerDay: most})
	time.Sleep(time.Second) // by then every instance knows the key
	return key, err
}
