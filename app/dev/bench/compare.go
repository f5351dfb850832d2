package bench

import (
	"context"
	"encoding/json"
	"errors"
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

	"arpent/app/base/pgdb/cluster"
	"arpent/app/dev/harness"
)

// comparison is one line of the result: the same paths asked of both.
type comparison struct {
	name   string
	paths  []string
	target float64 // service over baseline, at least
}

// compare measures the metered service against bare handlers on the same machine in the same run.
func compare(ctx context.Context, o options) error {
	p, server, stop, err := o.serveReal(ctx)
	if err != nil {
		return err
	}
	defer stop()
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
	bodies, headers, err := collectAnswers(o.state, server.Base, key, rows)
	if err != nil {
		return err
	}
	whole, err := startBaseline(ctx, bodies, url, headers)
	if err != nil {
		return err
	}
	defer whole.Stop()
	body, err := startBaseline(ctx, bodies, url, "{}")
	if err != nil {
		return err
	}
	defer body.Stop()
	return o.compareAll(ctx, p, rows, server, whole, body)
}

// serveReal starts the service on the real data, with a database of its own.
func (o options) serveReal(ctx context.Context) (harness.Program, *harness.Server, func(), error) {
	p, err := o.build(ctx)
	if err != nil {
		return p, nil, nil, err
	}
	p.Env = append(p.Env, "ARPENT_MODE=development")
	if data := os.Getenv("ARPENT_DATA"); data != "" {
		if data, err = filepath.Abs(data); err != nil {
			return p, nil, nil, err
		}
		p.Env = append(p.Env, "ARPENT_DATA="+data)
	}
	logs, err := os.Create(filepath.Join(o.state, "serve.log"))
	if err != nil {
		return p, nil, nil, err
	}
	p.Log = logs
	starting, cancel := context.WithTimeout(ctx, 15*time.Minute) // it loads the data first
	defer cancel()
	if _, err := p.Dev().Run(starting, "prepare"); err != nil {
		return p, nil, nil, errors.Join(err, logs.Close())
	}
	server, err := p.Serve(starting)
	if err != nil {
		return p, nil, nil, errors.Join(fmt.Errorf("%w (see %s)", err, logs.Name()), logs.Close())
	}
	return p, server, func() {
		server.Stop()
		logs.Close()
	}, nil
}

func startBaseline(ctx context.Context, bodies, url, headers string) (*harness.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := harness.Program{Path: self, Log: os.Stderr, Env: []string{baselineBodies + "=" + bodies, baselineDatabase + "=" + url,
		baselineHeaders + "=" + headers}}
	return p.StartServer(ctx, []string{benchName, baselineCommand})
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

// collectAnswers asks the service for what the bare handlers are to answer: the bodies, written to a file, and the
// headers of one answer, as JSON.
func collectAnswers(dir, base, key string, rows []comparison) (file, headers string, err error) {
	bodies := map[string][]byte{}
	c := harness.NewClient(base, "")
	defer c.Close()
	for _, r := range rows[:2] {
		for _, path := range r.paths {
			a, err := c.Good(path, key)
			if err != nil {
				return "", "", err
			}
			bodies[path[strings.LastIndexAny(path, "/?")+1:]] = a.Body
		}
	}
	text, err := json.Marshal(bodies)
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, "bodies.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", "", err
	}
	a, err := c.Good(rows[0].paths[0], key)
	if err != nil {
		return "", "", err
	}
	headers, err = ownHeaders(a.Header)
	return file, headers, err
}

// ownHeaders are those of an answer but what Fiber sends of itself, as JSON.
func ownHeaders(h http.Header) (string, error) {
	own := map[string]string{}
	for name := range h {
		if name != "Date" && name != "Content-Length" {
			own[name] = h.Get(name)
		}
	}
	text, err := json.Marshal(own)
	return string(text), err
}

func (o options) compareAll(ctx context.Context, p harness.Program, rows []comparison, server, whole, body *harness.Server) error {
	fmt.Printf("%d rounds of %d s each, in turns; wrk, 2 threads, 32 connections; medians of answers a second\n", o.rounds, o.seconds)
	fmt.Printf("same bytes: a bare handler that returns body and headers; same body: without the headers\n")
	fmt.Printf("%-36s %10s %10s %10s %8s %8s %7s\n", "", "service", "same bytes", "same body", "ratio", "ratio", "target")
	for _, r := range rows {
		key, err := newKey(ctx, p)
		if err != nil {
			return err
		}
		l, err := newLoad(o.state, "paths", r.paths, key, o.seconds)
		if err != nil {
			return err
		}
		if err := o.compareOne(ctx, l, r, []string{server.Base, whole.Base, body.Base}); err != nil {
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

// compareOne runs the service and both baselines in turns.
func (o options) compareOne(ctx context.Context, l load, r comparison, bases []string) error {
	runs := make([]func() (float64, error), len(bases))
	for i, base := range bases {
		runs[i] = func() (float64, error) { return l.run(ctx, base) }
	}
	rates, ratios, err := o.alternate(runs)
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	fmt.Printf("%-36s %10.0f %10.0f %10.0f %8.3f %8.3f %7.2f\n", r.name, rates[0], rates[1], rates[2], ratios[1], ratios[2], r.target)
	return nil
}

// alternate runs several measurements in turns, from another one on every round, and gives the medians of their rates and of
// the first one's ratio to each.
func (o options) alternate(runs []func() (float64, error)) (rates, ratios []float64, err error) {
	all, shares := make([][]float64, len(runs)), make([][]float64, len(runs))
	for round := range o.rounds {
		rate := make([]float64, len(runs))
		for turn := range runs {
			i := (round + turn) % len(runs)
			if rate[i], err = runs[i](); err != nil {
				return nil, nil, err
			}
		}
		for i := range runs {
			all[i], shares[i] = append(all[i], rate[i]), append(shares[i], rate[0]/rate[i])
		}
	}
	for i := range runs {
		rates, ratios = append(rates, median(all[i])), append(ratios, median(shares[i]))
	}
	return rates, ratios, nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
