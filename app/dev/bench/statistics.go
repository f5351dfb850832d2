package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/harness"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

// statisticsTarget is what communes with their statistics must reach
// of the rate of plain answers of their size.
const statisticsTarget = 0.8

// measureStatistics measures communes with their statistics against plain answers of the same size: the lists
// of communes of the départements whose bodies are nearest in length.
func measureStatistics(ctx context.Context, o options) error {
	_, server, key, err := o.serveReal(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	with, err := o.communesWithStatistics(ctx)
	if err != nil {
		return err
	}
	sizes, err := bodySizes(ctx, server.Base, key, with)
	if err != nil {
		return err
	}
	plain, plainSizes, err := nearestLists(server.Base, key, sizes)
	if err != nil {
		return err
	}
	fmt.Printf("%d communes with statistics, mean body %d bytes; plain lists, mean body %d bytes\n", len(with), mean(sizes), mean(plainSizes))
	a, err := newLoad(o.state, "stats", with, key, o.seconds)
	if err != nil {
		return err
	}
	b, err := newLoad(o.state, "plain", plain, key, o.seconds)
	if err != nil {
		return err
	}
	fmt.Printf("%d rounds of %d s each, in turns; wrk, 2 threads, 32 connections; medians of answers a second\n", o.rounds, o.seconds)
	rates, ratios, err := o.runAlternating([]func() (float64, error){
		func() (float64, error) { return a.requestRate(ctx, server.Base) }, func() (float64, error) { return b.requestRate(ctx, server.Base) }})
	if err == nil {
		fmt.Printf("%.0f with statistics, %.0f plain, ratio %.3f (at least %.2f)\n", median(rates[0]), median(rates[1]), median(ratios[1]), statisticsTarget)
	}
	return err
}

func (o options) communesWithStatistics(ctx context.Context) (paths []string, err error) {
	_, pool, release, err := o.openDatabase(ctx, cluster.Database)
	if err != nil {
		return nil, err
	}
	defer release()
	codes, err := pgdb.Collect(ctx, pool, pgx.RowTo[string], `SELECT code FROM geo.commune
		WHERE type = 'commune-actuelle' AND departement_code IS NOT NULL ORDER BY md5(code) LIMIT 2000`)
	for _, code := range codes {
		paths = append(paths, "/api/v1/communes/"+code+"?include=stats")
	}
	return paths, err
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
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return errors.New("no statistics are served after ten minutes: ARPENT_DATA names the folder of the data")
}

// bodySizes gives the lengths of the bodies.
func bodySizes(ctx context.Context, base, key string, paths []string) ([]int, error) {
	if err := waitForStatistics(ctx, base, key); err != nil {
		return nil, err
	}
	c := harness.NewClient(base, "")
	defer c.Close()
	var sizes []int
	for _, path := range paths {
		a, err := c.Good(path, key)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, len(a.Body))
	}
	return sizes, nil
}

// nearestLists finds for each size the plain answer that is nearest to it.
func nearestLists(base, key string, sizes []int) (paths []string, found []int, err error) {
	type list struct {
		path string
		size int
	}
	var lists []list
	c := harness.NewClient(base, "")
	defer c.Close()
	for d := 1; d <= 95; d++ {
		path := fmt.Sprintf("/api/v1/communes?departement=%02d", d)
		a, err := c.Get(path, key)
		if err != nil {
			return nil, nil, err
		}
		if a.Status == http.StatusOK {
			lists = append(lists, list{path, len(a.Body)})
		}
	}
	if len(lists) == 0 {
		return nil, nil, errors.New("no list of communes is served")
	}
	for _, size := range sizes {
		best := slices.MinFunc(lists, func(x, y list) int { return max(x.size-size, size-x.size) - max(y.size-size, size-y.size) })
		paths, found = append(paths, best.path), append(found, best.size)
	}
	return paths, found, nil
}

func mean(sizes []int) int {
	sum := 0
	for _, s := range sizes {
		sum += s
	}
	return sum / max(1, len(sizes))
}
