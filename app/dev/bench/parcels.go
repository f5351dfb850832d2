package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"arpent/app/dev/harness"
)

const (
	requests = 5_000 // measured, of each read
	warmUp   = 500
	// the sizes take turns this often, so that a slow moment of the machine hits all of them
	blocks           = 10
	sampleParcelsSQL = `SELECT left(idu, 5), idu, ST_X(p), ST_Y(p) FROM geo.parcelle, ST_PointOnSurface(geom) p WHERE 100 * random() < $1::float8`
	sampleSize       = 3 * (requests + warmUp)
)

// size is a service on so many synthetic parcels.
type size struct {
	parcels int
	program harness.Program // with its database
	server  *harness.Server
	client  *harness.Client
	key     string
	places  []place      // parcels with a point in each
	reads   [2]read      // by reference, by point
	asked   atomic.Int64 // reports
	late    atomic.Int64 // reports that were answered 503
}

type read struct {
	paths []string
	took  []time.Duration
}

// measureParcels measures both reads of parcels as their file grows: one client, one request at a time.
func measureParcels(ctx context.Context, o options) error {
	p, err := o.buildProgram(ctx, "serve.log")
	if err != nil {
		return err
	}
	var sizes []*size
	for _, n := range o.sizes {
		s, release, err := o.prepareSize(ctx, p, n, false)
		if release != nil {
			defer release()
		}
		if err != nil {
			return fmt.Errorf("%d parcels: %w", n, err)
		}
		sizes = append(sizes, s)
	}
	for kind := range 2 {
		for _, s := range sizes {
			if err := s.measureReads(kind, 0, warmUp); err != nil {
				return err
			}
			s.reads[kind].took = nil
		}
		for b := range blocks {
			for _, s := range sizes {
				from := warmUp + b*requests/blocks
				if err := s.measureReads(kind, from, from+requests/blocks); err != nil {
					return err
				}
			}
		}
	}
	printReport(sizes)
	return nil
}

// prepareSize makes a database of its own with so many parcels, with layers those of the report too, and a
// service on it. The function, unless it is nil, ends what was started, also after an error.
func (o options) prepareSize(ctx context.Context, p harness.Program, n int, layers bool) (*size, func(),
	error) {
	name := strconv.Itoa(n)
	if layers {
		name = "report_" + name
	}
	url, pool, release, err := o.openDatabase(ctx, "bench_"+name)
	if err != nil {
		return nil, nil, err
	}
	p.Env = append(slices.Clip(p.Env), "ARPENT_DATABASE_URL="+url, "ARPENT_STATE_DIR="+filepath.Join(o.state,
		"of-"+name))
	for _, args := range [][]string{{"migrate"}, {"load", "cog"}} { // the names and codes of the box
		if _, err := p.Run(ctx, args...); err != nil {
			return nil, release, err
		}
	}
	if err := FillSynthetic(ctx, pool, n, layers); err != nil {
		return nil, release, err
	}
	var bytes int64
	var buffers string
	const facts = "SELECT pg_database_size(current_database()), current_setting('shared_buffers')"
	if err := pool.QueryRow(ctx, facts).Scan(&bytes, &buffers); err != nil {
		return nil, release, err
	}
	fmt.Printf("database of %.1f GB, shared_buffers %s, %d cores\n", float64(bytes)/1e9, buffers,
		runtime.NumCPU())
	// what was written would be flushed while something is measured
	if _, err := pool.Exec(ctx, "CHECKPOINT"); err != nil {
		return nil, release, err
	}
	s := &size{parcels: n, program: p}
	if s.places, err = samplePlaces(ctx, pool, sampleParcelsSQL,
		min(100, 100*float64(sampleSize)/float64(n))); err != nil {
		return nil, release, err
	}
	begun := time.Now() // the file is written last: what the sample has read would take its place in memory
	out, err := p.Run(ctx, "index", "parcels")
	if err != nil {
		return nil, release, err
	}
	fmt.Printf("%s\n%.0f parcels a second, the start of the program included\n", out,
		float64(n)/time.Since(begun).Seconds())
	if s.server, err = p.Serve(ctx); err != nil {
		return nil, release, err
	}
	stop := func() { s.server.Stop(); release() }
	s.client = harness.NewClient(s.server.Base, "")
	if s.key, err = newKey(ctx, p); err != nil {
		return nil, stop, err
	}
	for _, p := range s.places {
		s.reads[0].paths = append(s.reads[0].paths, p.fillTemplate("/api/v1/parcelles/{idu}?include=geometry"))
		s.reads[1].paths = append(s.reads[1].paths,
			p.fillTemplate("/api/v1/parcelles?include=geometry&lat={lat}&lon={lon}"))
	}
	if len(s.places) < requests+warmUp {
		return nil, stop, fmt.Errorf("%d parcels are too few to ask for %d different ones", n, requests+warmUp)
	}
	return s, stop, nil
}

func (s *size) measureReads(kind, from, to int) error {
	r := &s.reads[kind]
	for _, path := range r.paths[from:to] {
		a, err := s.client.Good(path, s.key)
		if err != nil {
			return err
		}
		r.took = append(r.took, a.Received.Sub(a.Sent))
	}
	return nil
}

func printReport(sizes []*size) {
	fmt.Printf("one client, %d different parcels each, p50 and p99 over HTTP\n", requests)
	for kind, name := range []string{"parcelles/{idu}?include=geometry", "parcelles?lat&lon&include=geometry"} {
		var first float64
		for i, s := range sizes {
			took := slices.Sorted(slices.Values(s.reads[kind].took))
			p50 := harness.Quantile(took, 0.5)
			if i == 0 {
				first = float64(p50)
			}
			fmt.Printf("%-36s %10d parcels: p50 %7s  p99 %7s  %5.2f × the smallest\n", name, s.parcels,
				p50.Round(time.Microsecond), harness.Quantile(took, 0.99).Round(time.Microsecond), float64(p50)/first)
		}
	}
}
