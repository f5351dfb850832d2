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

	"arpent/app/dev/harness"
	"arpent/internal/clock"
	"arpent/internal/pgdb/cluster"
)

// comparison is one line of the result: what the service does as a share of what
// a bare handler does with the same requests.
type comparison struct {
	name     string
	template string // of a path, with {code}, {lat}, {lon} and {idu}
	places   []place
	bar      float64 // what the share is to reach
}

// place is what a template is filled with.
type place struct {
	code, idu string
	lon, lat  float64
}

func (p place) fillTemplate(template string) string {
	return strings.NewReplacer("{code}", p.code, "{idu}", p.idu, "{lat}", formatDegrees(p.lat), "{lon}",
		formatDegrees(p.lon)).Replace(template)
}

func (c comparison) requestPaths() (paths []string) {
	for _, p := range c.places {
		paths = append(paths, p.fillTemplate(c.template))
	}
	return paths
}

var (
	territoryRows = []comparison{
		{name: "territory by code", template: "/api/v1/communes/{code}", bar: 0.95},
		{name: "territory by point", template: "/api/v1/communes?lat={lat}&lon={lon}", bar: 0.90},
		{name: "territory with outline", template: "/api/v1/communes/{code}?include=geometry", bar: 0.95},
		{name: "territory with statistics", template: "/api/v1/communes/{code}?include=stats", bar: 0.95},
	}
	parcelRows = []comparison{
		{name: "parcel by reference", template: "/api/v1/parcelles/{idu}?include=geometry", bar: 0.85},
		{name: "parcel by point", template: "/api/v1/parcelles?lat={lat}&lon={lon}&include=geometry", bar: 0.80},
	}
)

// processorBar is at most the processor time of a request over that of a handler that returns the same bytes.
const processorBar = 1.25

// compareServers measures the metered service against bare handlers on the same
// machine in the same run: the territory on the real files, parcels on a synthetic country.
func compareServers(ctx context.Context, o options) error {
	fmt.Printf("%d rounds of %d s each, in turns; wrk, 2 threads, 32 connections; medians, and the lowest and highest of the rounds\n", o.rounds, o.seconds)
	return errors.Join(o.compareTerritory(ctx), o.compareParcels(ctx))
}

func (o options) compareTerritory(ctx context.Context) error {
	p, server, key, err := o.serveReal(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	_, pool, release, err := o.openDatabase(ctx, cluster.Database)
	if err != nil {
		return err
	}
	defer release()
	places, err := samplePlaces(ctx, pool, someCommunes)
	if err != nil {
		return err
	}
	if err := waitForStatistics(ctx, server.Base, key); err != nil {
		return err
	}
	return o.compareAll(ctx, p, server, territoryRows, places)
}

func (o options) compareParcels(ctx context.Context) error {
	p, err := o.buildProgram(ctx, "serve-parcels.log")
	if err != nil {
		return err
	}
	s, release, err := o.prepareSize(ctx, p, o.compared, false)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	return o.compareAll(ctx, s.program, s.server, parcelRows, s.places)
}

// serveReal starts the service on the real data, with a database of its own, and makes a key.
func (o options) serveReal(
	ctx context.Context) (p harness.Program, server *harness.Server, key string, err error) {
	if p, err = o.buildProgram(ctx, "serve.log"); err != nil {
		return p, nil, "", err
	}
	p.Env = append(p.Env, "ARPENT_MODE=development")
	if data := os.Getenv("ARPENT_DATA"); data != "" {
		if data, err = filepath.Abs(data); err != nil {
			return p, nil, "", err
		}
		p.Env = append(p.Env, "ARPENT_DATA="+data)
	}
	starting, cancel := context.WithTimeout(ctx, 15*time.Minute) // it loads the data first
	defer cancel()
	if server, err = p.Serve(starting); err != nil {
		return p, nil, "", fmt.Errorf("%w (see %s)", err, filepath.Join(o.state, "serve.log"))
	}
	if key, err = newKey(ctx, p); err != nil {
		server.Stop()
	}
	return p, server, key, err
}

const (
	someCommunes = `SELECT code, '', ST_X(p), ST_Y(p) FROM geo.commune_contour, ST_PointOnSurface(geom) p ORDER BY md5(code) LIMIT 2000`
	maxPlaces    = 5000
)

// samplePlaces reads code, reference, longitude and latitude, and mixes them.
func samplePlaces(
	ctx context.Context, pool *pgxpool.Pool, sql string, args ...any) (places []place, err error) {
	rows, _ := pool.Query(ctx, sql, args...) // the rows have its error too
	var p place
	_, err = pgx.ForEachRow(rows, []any{&p.code, &p.idu, &p.lon, &p.lat}, func() error {
		places = append(places, p)
		return nil
	})
	rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	if err == nil && len(places) == 0 {
		err = errors.New("nothing is loaded that could be asked for")
	}
	return places, err
}

func formatDegrees(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// collectAnswers asks the service for what the bare handlers are to answer: the bodies, written to a
// file, and the headers of the first answer, as JSON.
func collectAnswers(dir, base, key string, rows []comparison) (file, headers string, err error) {
	bodies, own := map[string][]byte{}, map[string]string{}
	c := harness.NewClient(base, "")
	defer c.Close()
	for _, r := range rows {
		for _, path := range r.requestPaths() {
			a, err := c.Good(path, key)
			if err != nil {
				return "", "", err
			}
			bodies[path] = a.Body
			for name := range a.Header {
				isFirst := len(bodies) == 1
				if isFirst && name != "Date" && name != "Content-Length" { // which Fiber sends of itself
					own[name] = a.Header.Get(name)
				}
			}
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
	text, err = json.Marshal(own)
	return file, string(text), err
}

// waitForStatistics waits until communes are served with their statistics, ten minutes at most.
func waitForStatistics(ctx context.Context, base, key string) error {
	c := harness.NewClient(base, "")
	defer c.Close()
	for range 600 {
		a, err := c.Get("/api/v1/communes/75056?include=stats", key)
		if err != nil {
			return err
		}
		if a.Status == http.StatusOK && !strings.Contains(string(a.Body), `"population":null`) {
			return nil
		}
		if !clock.Sleep(ctx, time.Second) {
			return ctx.Err()
		}
	}
	return errors.New("no statistics are served after ten minutes: ARPENT_DATA names the folder of the data")
}

// compareAll runs each row on the places against the bare handlers.
func (o options) compareAll(ctx context.Context, p harness.Program, server *harness.Server, rows []comparison,
	places []place) error {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].places = places[:min(maxPlaces, len(places))]
	}
	key, err := newKey(ctx, p)
	if err != nil {
		return err
	}
	bodies, headers, err := collectAnswers(o.state, server.Base, key, rows)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	handlers := harness.Program{Path: self, Log: os.Stderr, Env: []string{baselineBodies + "=" + bodies,
		baselineHeaders + "=" + headers}}
	same, err := handlers.StartServer(ctx, []string{benchName, baselineCommand})
	if err != nil {
		return err
	}
	defer same.Stop()
	for _, r := range rows {
		if err := o.compareOne(ctx, p, r, server, same); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	own, err := server.OwnMemory()
	if err != nil {
		return err
	}
	now, peak, err := server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("memory of the service after it: %.0f MiB of its own, %.0f MiB with mapped files, at its highest %.0f MiB with them\n", own, now, peak)
	return nil
}

// compareOne runs the service and the handler of the same bytes in turns, and prints how they compare.
func (o options) compareOne(ctx context.Context, p harness.Program, r comparison, server,
	same *harness.Server) error {
	key, err := newKey(ctx, p)
	if err != nil {
		return err
	}
	l, err := newLoad(o.state, r.requestPaths(), key, o.seconds)
	if err != nil {
		return err
	}
	servers := []*harness.Server{server, same}
	var rates, spent [2][]float64
	for round := range o.rounds {
		for turn := range servers {
			i := (round + turn) % len(servers) // the other one is first in each round
			rate, micros, err := l.measureServer(ctx, servers[i])
			if err != nil {
				return err
			}
			rates[i], spent[i] = append(rates[i], rate), append(spent[i], micros)
		}
	}
	printRatio(r.name+", over the same bytes", roundRatios(rates[0], rates[1]), r.bar, false)
	fmt.Printf("    %.0f and %.0f answers a second\n", medianOf(rates[0]), medianOf(rates[1]))
	printRatio(r.name+", processor a request", roundRatios(spent[0], spent[1]), processorBar, true)
	fmt.Printf("    %.1f and %.1f µs, of the service and of the handler that returns the same bytes\n",
		medianOf(spent[0]), medianOf(spent[1]))
	return nil
}

// measureServer gives the answers a second, and the microseconds of processor time that each took.
func (l wrkLoad) measureServer(ctx context.Context, s *harness.Server) (rate, micros float64, err error) {
	before, err := s.Processor()
	if err != nil {
		return 0, 0, err
	}
	if rate, err = l.requestRate(ctx, s.Base); err != nil {
		return 0, 0, err
	}
	after, err := s.Processor()
	return rate, float64((after - before).Microseconds()) / (rate * float64(l.seconds)), err
}

// printRatio writes one line of the result: NAME ratio R bar B, and
// "below" or "above" where the bar is missed.
func printRatio(name string, ratios []float64, bar float64, upper bool) {
	r, missed := medianOf(ratios), ""
	if !upper && r < bar {
		missed = " below"
	} else if upper && r > bar {
		missed = " above"
	}
	fmt.Printf("%s ratio %.3f bar %.2f%s (%.3f to %.3f)\n", name, r, bar, missed, slices.Min(ratios),
		slices.Max(ratios))
}

// roundRatios returns the ratio of two measurements in each round.
func roundRatios(of, to []float64) (all []float64) {
	for i := range of {
		all = append(all, of[i]/to[i])
	}
	return all
}

func medianOf(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
