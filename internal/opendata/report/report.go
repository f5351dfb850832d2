// Package report makes the report of a parcel: everything public that bears on it, from the sources that are
// loaded for its place. A key is defined once, by a statement and the Go type that its rows are scanned
// into: JSON, OpenAPI, the documentation and the tools read that type. All statements of one report read the
// same state of the database, run in parallel under one deadline, on connections of their own, so that
// reports never take those of other operations.
package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/state"
	"arpent/internal/pgdb"
)

// Parcel is the parcel that a report is about.
type Parcel struct {
	IDU            string
	Outline        []byte // in EWKB
	Near           Near
	Commune        string // code of the commune of today, 75056 for Paris
	Arrondissement string // 75118; the same as Commune where there is none
	Departement    string
	Keys           []string // those that are asked for; nil: all
	Address        string   // by which the parcel was found, as it was written; empty: by none
	// ParcelNear finds the parcel of an address, with its distance from the point: 0 where it contains that.
	ParcelNear func(lat, lon float64) (idu string, metres int, ok bool)
}

// Near are the parcels around a parcel: those whose bounding box comes within NearUnits of its own.
type Near struct {
	IDUs     []string
	Outlines [][]byte // of each, in EWKB
}

// NearUnits is how far outlines may lie from each other that share a border, in 1e-7 degree: 0.33 m.
const NearUnits = 30

// Options of a Store.
type Options struct {
	URL       string         // of the database
	Replicas  *pgdb.Replicas // that reports are read from where it can be; nil: none
	Catalogue *Catalogue     // what a report consists of
	Conns     int            // connections for all reports together; default one a core, two at least
	Timeout   time.Duration  // for one report, waiting included; default DefaultTimeout
}

// DefaultTimeout is how long a report may take.
const DefaultTimeout = 5 * time.Second

// Store makes reports. It is safe for concurrent use.
type Store struct {
	primary   *pgxpool.Pool
	readers   *pgdb.Readers
	admission admission
	timeout   time.Duration
	catalogue *Catalogue
}

// cancelTimeout is how long the database has to confirm that a statement was
// cancelled; then its connection is dropped.
const cancelTimeout = time.Second

// Open makes a Store with connections of its own.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.Conns = cmp.Or(o.Conns, max(2, runtime.NumCPU()))
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	s := &Store{admission: newAdmission(o.Conns), timeout: o.Timeout, catalogue: o.Catalogue}
	cfg, err := poolConfig(o, o.URL)
	if err != nil {
		return nil, err
	}
	if s.primary, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, fmt.Errorf("open the connections for reports: %w", err)
	}
	s.readers = pgdb.ReadFrom(s.primary)
	if o.Replicas != nil {
		config := func(url string) (*pgxpool.Config, error) { return poolConfig(o, url) }
		if s.readers, err = o.Replicas.Open(ctx, s.primary, config); err != nil {
			s.primary.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close ends the connections.
func (s *Store) Close() {
	s.readers.Close()
	s.primary.Close()
}

func poolConfig(o Options, url string) (*pgxpool.Config, error) {
	cfg, err := pgdb.PoolConfig(url, pgdb.Options{MaxConns: int32(o.Conns), AppName: "arpent reports",
		Role: pgdb.Read})
	if err != nil {
		return nil, err
	}
	params := cfg.ConnConfig.RuntimeParams
	// Planning some fifty statements for each parcel would take longer than running them.
	params["plan_cache_mode"] = "force_generic_plan"
	params["jit"] = "off"
	params["datestyle"] = "ISO"                     // statements return days as text
	params["max_parallel_workers_per_gather"] = "0" // the statements themselves run in parallel
	params["statement_timeout"] = fmt.Sprint((o.Timeout + cancelTimeout).Milliseconds())
	// A cancelled statement must end in the database at once, and its connection serve the next report.
	cfg.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelTimeout}
	}
	cfg.AfterConnect = pgdb.RegisterGeometry
	return cfg, nil
}

// Load is a load that speaks for the place of a parcel.
type Load struct {
	Layers   []string
	Source   string
	Title    string
	Producer string
	Licence  string
	Vintage  *string
}

// Report is the report of one parcel.
type Report struct {
	Values  []json.RawMessage // by the order of Keys; nil is null
	Lengths []*Length         // of those that are lists, by the same order
	States  []state.KeyState  // by the same order; empty for keys that are not asked for
	Loads   []Load            // what is loaded for the place
}
