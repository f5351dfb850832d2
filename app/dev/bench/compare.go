package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"arpent/app/dev/harness"
)

// comparison is one line of the result: what the service does as a share of what
// a bare handler does with the same requests.
type comparison struct {
	name     string
	template string  // of a path, with {code}, {lat}, {lon} and {idu}
	bar      float64 // what the share is to reach
}

const byReference, byPoint = "/api/v1/parcelles/{idu}?include=geometry", "/api/v1/parcelles?lat={lat}&lon={lon}&include=geometry"

var (
	territoryRows = []comparison{
		{"territory by code", "/api/v1/communes/{code}", 0.95},
		{"territory by point", "/api/v1/communes?lat={lat}&lon={lon}", 0.90},
		{"territory with outline", "/api/v1/communes/{code}?include=geometry", 0.95},
		{"territory with statistics", "/api/v1/communes/{code}?include=stats", 0.95},
	}
	parcelRows = []comparison{{"parcel by reference", byReference, 0.85}, {"parcel by point", byPoint, 0.80}}
)

// processorBar is at most the processor time of a request over that of a handler that returns the same bytes.
const processorBar = 1.25

// compareServers measures the metered service against bare handlers on the same
// machine in the same run: the territory on the starter data, parcels on a synthetic country.
func (o *options) compareServers(ctx context.Context) error {
	fmt.Printf("%d rounds of %d s each, in turns; wrk, 2 threads, 32 connections; medians, and the lowest and highest of the rounds\n", o.rounds, o.seconds)
	territory := o.compareRows(ctx, 0, territoryRows)
	o.endStarted()
	return errors.Join(territory, o.compareRows(ctx, o.compared, parcelRows))
}

// compareRows runs each row on the places of a service against the bare handlers.
func (o *options) compareRows(ctx context.Context, parcels int, rows []comparison) error {
	s, err := o.prepareService(ctx, parcels, false)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := o.compareRow(ctx, s, r); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	own, err := s.server.OwnMemory()
	if err != nil {
		return err
	}
	now, peak, err := s.server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("memory of the service after it: %.0f MiB of its own, %.0f MiB with mapped files, at its highest %.0f MiB with them\n", own, now, peak)
	return nil
}

// compareRow runs the service and the handler of the same bytes in turns, and prints how they compare.
func (o *options) compareRow(ctx context.Context, s *service, r comparison) error {
	key, err := newKey(ctx, s.program)
	if err != nil {
		return err
	}
	var paths []string
	for _, p := range s.places[:min(5000, len(s.places))] {
		paths = append(paths, p.fillTemplate(r.template))
	}
	file := filepath.Join(o.state, "answers.json")
	if err := collectAnswers(file, s.server.Base, key, paths); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	handlers := harness.Program{Path: self, Log: os.Stderr, Env: []string{baselineFile + "=" + file}}
	same, err := handlers.StartServer(ctx, []string{benchName, baselineCommand})
	if err != nil {
		return err
	}
	defer same.Stop()
	load := wrkLoad{dir: o.state, key: key, seconds: o.seconds}
	if err := load.writeFiles(paths); err != nil {
		return err
	}
	servers := []*harness.Server{s.server, same}
	var rates, spent [2][]float64
	for round := range o.rounds {
		for turn := range servers {
			i := (round + turn) % len(servers) // the other one is first in each round
			rate, micros, err := load.measureServer(ctx, servers[i])
			if err != nil {
				return err
			}
			rates[i], spent[i] = append(rates[i], rate), append(spent[i], micros)
		}
	}
	printRatio(r.name+", over the same bytes", rates, r.bar, false)
	fmt.Printf("    %.0f and %.0f answers a second\n", medianOf(rates[0]), medianOf(rates[1]))
	printRatio(r.name+", processor a request", spent, processorBar, true)
	fmt.Printf("    %.1f and %.1f µs, of the service and of the handler that returns the same bytes\n",
		medianOf(spent[0]), medianOf(spent[1]))
	return nil
}

// collectAnswers asks the service for what the bare handlers are to answer, and writes it to a file: the
// bodies, and the headers of the first answer.
func collectAnswers(file, base, key string, paths []string) error {
	all := answers{Headers: map[string]string{}, Bodies: map[string][]byte{}}
	c := harness.NewClient(base, "")
	defer c.Close()
	for i, path := range paths {
		a, err := c.Good(path, key)
		if err != nil {
			return err
		}
		all.Bodies[path] = a.Body
		for name := range a.Header {
			if i == 0 && name != "Date" && name != "Content-Length" { // which Fiber sends of itself
				all.Headers[name] = a.Header.Get(name)
			}
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// printRatio writes one line of the result: NAME ratio R bar B, and
// "below" or "above" where the bar is missed. The ratio is that of the two servers in each round.
func printRatio(name string, measured [2][]float64, bar float64, upper bool) {
	var ratios []float64
	for i, of := range measured[0] {
		ratios = append(ratios, of/measured[1][i])
	}
	r, missed := medianOf(ratios), ""
	switch {
	case !upper && r < bar:
		missed = " below"
	case upper && r > bar:
		missed = " above"
	}
	fmt.Printf("%s ratio %.3f bar %.2f%s (%.3f to %.3f)\n", name, r, bar, missed, slices.Min(ratios),
		slices.Max(ratios))
}

func medianOf(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
