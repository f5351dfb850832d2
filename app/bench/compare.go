package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/harness"
	"arpent/app/pgdb/cluster"
)

// comparison is one line of the result: the same paths asked of both.
type comparison struct {
	name   string
	paths  []string
	target float64 // service over baseline, at least
}

// compare measures the metered service against bare handlers on the same machine in the same run.
func compare(ctx context.Context, o options) error {
	p, err := o.build(ctx)
	if err != nil {
		return err
	}
	p.Env = append(p.Env, "ARPENT_MODE=development")
	if data := os.Getenv("ARPENT_DATA"); data != "" {
		if data, err = filepath.Abs(data); err != nil {
			return err
		}
		p.Env = append(p.Env, "ARPENT_DATA="+data)
	}
	logs, err := os.Create(filepath.Join(o.state, "serve.log"))
	if err != nil {
		return err
	}
	defer logs.Close()
	p.Log = logs
	starting, cancel := context.WithTimeout(ctx, 15*time.Minute) // it loads the data first
	defer cancel()
	server, err := p.Serve(starting)
	if err != nil {
		return fmt.Errorf("%w (see %s)", err, logs.Name())
	}
	defer server.Stop()
	key, err := newKey(ctx, p)
	if err != nil {
		return err
	}
	url, pool, release, err := o.database(ctx, cluster.Database)
	if err != nil {
		return err
	}
	defer release()
	rows, err := comparisons(ctx, pool)
	if err != nil {
		return err
	}
	bodies, err := collectBodies(o.state, server.Base, key, rows)
	if err != nil {
		return err
	}
	bare, err := startBaseline(ctx, bodies, url)
	if err != nil {
		return err
	}
	defer bare.Stop()
	return o.compareAll(ctx, p, server, bare, rows)
}

func startBaseline(ctx context.Context, bodies, url string) (*harness.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := harness.Program{Path: self, Log: os.Stderr, Env: []string{baselineBodies + "=" + bodies, baselineDatabase + "=" + url}}
	return p.StartServer(ctx, []string{baselineCommand})
}

const (
	someCommunes = `SELECT code, ST_X(p), ST_Y(p) FROM geo.commune_contour, ST_PointOnSurface(geom) p ORDER BY md5(code) LIMIT 2000`
	someParcels  = `SELECT idu FROM geo.parcelle ORDER BY md5(idu) LIMIT 5000`
)

func comparisons(ctx context.Context, pool *pgxpool.Pool) ([]comparison, error) {
	rows := []comparison{
		{name: "communes/{code}", target: 0.85},
		{name: "communes?lat&lon", target: 0.7},
		{name: "parcelles/{idu}?include=geometry", target: 0.9},
	}
	var code, idu string
	var lon, lat float64
	found, err := pool.Query(ctx, someCommunes)
	if err != nil {
		return nil, err
	}
	_, err = pgx.ForEachRow(found, []any{&code, &lon, &lat}, func() error {
		rows[0].paths = append(rows[0].paths, "/api/v1/communes/"+code)
		rows[1].paths = append(rows[1].paths, "/api/v1/communes?lat="+degrees(lat)+"&lon="+degrees(lon))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found, err = pool.Query(ctx, someParcels); err != nil {
		return nil, err
	}
	_, err = pgx.ForEachRow(found, []any{&idu}, func() error {
		rows[2].paths = append(rows[2].paths, "/api/v1/parcelles/"+idu+"?include=geometry")
		return nil
	})
	for _, r := range rows {
		rand.Shuffle(len(r.paths), func(i, j int) { r.paths[i], r.paths[j] = r.paths[j], r.paths[i] })
		if err == nil && len(r.paths) == 0 {
			err = fmt.Errorf("nothing is loaded for %s", r.name)
		}
	}
	return rows, err
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// collectBodies asks the service for what the bare handlers are to answer, and writes it to a file.
func collectBodies(dir, base, key string, rows []comparison) (file string, err error) {
	bodies := map[string][]byte{}
	c := harness.NewClient(base, "")
	defer c.Close()
	for _, r := range rows[:2] {
		for _, path := range r.paths {
			a, err := c.Get(path, key)
			if err != nil {
				return "", err
			}
			if a.Status != http.StatusOK {
				return "", fmt.Errorf("%s answers %d: %s", path, a.Status, a.Body)
			}
			last := path[strings.LastIndexAny(path, "/?")+1:]
			bodies[last] = a.Body
		}
	}
	text, err := json.Marshal(bodies)
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "bodies.json")
	return file, os.WriteFile(file, text, 0o600)
}

func (o options) compareAll(ctx context.Context, p harness.Program, server, bare *harness.Server, rows []comparison) error {
	fmt.Printf("%d rounds of %d s each, alternating; wrk, 2 threads, 32 connections; medians\n", o.rounds, o.seconds)
	fmt.Printf("%-36s %12s %12s %7s %7s\n", "", "service/s", "baseline/s", "ratio", "target")
	for _, r := range rows {
		key, err := newKey(ctx, p)
		if err != nil {
			return err
		}
		l, err := newLoad(o.state, r.paths, key, o.seconds)
		if err != nil {
			return err
		}
		if err := o.compareOne(ctx, l, r, server.Base, bare.Base); err != nil {
			return err
		}
	}
	now, peak, err := server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("resident memory of the service after the run: %.0f MiB, at its highest %.0f MiB\n", now, peak)
	return nil
}

// compareOne runs both in turns, each first every other round.
func (o options) compareOne(ctx context.Context, l load, r comparison, service, bare string) error {
	var ours, theirs, ratios []float64
	for round := range o.rounds {
		rate := map[string]float64{}
		turns := []string{service, bare}
		if round%2 == 1 {
			slices.Reverse(turns)
		}
		for _, base := range turns {
			var err error
			if rate[base], err = l.run(ctx, base); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		ours, theirs = append(ours, rate[service]), append(theirs, rate[bare])
		ratios = append(ratios, rate[service]/rate[bare])
	}
	fmt.Printf("%-36s %12.0f %12.0f %7.3f %7.2f\n", r.name, median(ours), median(theirs), median(ratios), r.target)
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
