package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"arpent/api/tile"
	"arpent/app/dev/harness"
)

const (
	tilesOfZoom    = 150 // different ones, at most: the first zooms have fewer
	hostileClients = 16
	maxTileP95     = 50 * time.Millisecond
)

// tiler asks a service for tiles, as a browser does.
type tiler struct {
	*size
	http *http.Client
}

// tiles measures the tiles of the explorer over HTTP: each zoom cold and kept, what the
// process holds before and after, and what clients that ask for new tiles without end make it
// cost. It fails where a zoom takes too long.
func tiles(ctx context.Context, o options) error {
	p, err := o.logged(ctx, "serve.log")
	if err != nil {
		return err
	}
	s, release, err := o.prepare(ctx, p, o.parcels)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	t := tiler{s, &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: hostileClients}}}
	if err := t.ready(ctx); err != nil {
		return err
	}
	before, _, err := t.server.Memory()
	if err != nil {
		return err
	}
	slow, err := t.zooms(ctx)
	if err != nil {
		return err
	}
	after, peak, err := t.server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("memory of the process: %.0f MiB before, %.0f MiB after, %.0f MiB at most\n\n", before, after, peak)
	if err := t.hostile(ctx, time.Duration(o.seconds)*12*time.Second); err != nil {
		return err
	}
	if slow > maxTileP95 {
		return fmt.Errorf("the p95 of a zoom is %s, at most %s are promised", ms(slow), ms(maxTileP95))
	}
	return nil
}

// ready waits until there are tiles with parcels: the file of parcels is written after the start.
func (t tiler) ready(ctx context.Context) error {
	for {
		req, err := t.request(ctx, tile.Around(tile.MaxZoom, t.places[0].lon, t.places[0].lat))
		if err != nil {
			return err
		}
		res, err := t.http.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || bytes.Contains(body, []byte("parcelles")) { // the name of the layer, as it is not compressed
			return err
		}
		time.Sleep(time.Second)
	}
}

func (t tiler) request(ctx context.Context, a tile.Address) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/explore/tiles/%d/%d/%d.mvt", t.server.Base, a.Z, a.X, a.Y), http.NoBody)
}

// get asks for a tile, and returns the status, the compressed size and the time it took.
func (t tiler) get(ctx context.Context, a tile.Address) (status, size int, took time.Duration, err error) {
	req, err := t.request(ctx, a)
	if err != nil {
		return 0, 0, 0, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	begun := time.Now()
	res, err := t.http.Do(req)
	if err != nil {
		return 0, 0, 0, err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if res.StatusCode == http.StatusServiceUnavailable {
		wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return res.StatusCode, wait, 0, err
	}
	return res.StatusCode, int(n), time.Since(begun), err
}

// patient asks again for a tile that is not made now, as the budget of all tiles is spent.
func (t tiler) patient(ctx context.Context, a tile.Address) (size int, took time.Duration, err error) {
	for {
		status, size, took, err := t.get(ctx, a)
		switch {
		case err != nil:
			return 0, 0, err
		case status == http.StatusServiceUnavailable:
			time.Sleep(time.Duration(size) * time.Second)
		case status == http.StatusOK || status == http.StatusNoContent:
			return size, took, nil
		default:
			return 0, 0, fmt.Errorf("tile %v: status %d", a, status)
		}
	}
}

// zooms measures each zoom, and returns the longest of their p95.
func (t tiler) zooms(ctx context.Context) (slowest time.Duration, err error) {
	fmt.Printf("%d parcels, one client\n%4s %6s %10s %10s %10s %10s %10s %12s\n", t.parcels, "zoom", "tiles", "cold p50", "p95", "longest", "kept p50", "p95", "largest, B")
	for zoom := tile.MinZoom; zoom <= tile.MaxZoom; zoom++ {
		var cold, kept []time.Duration
		largest := 0
		for _, a := range t.addresses(zoom, tilesOfZoom) {
			for _, times := range []*[]time.Duration{&cold, &kept} {
				size, took, err := t.patient(ctx, a)
				if err != nil {
					return 0, err
				}
				*times = append(*times, took)
				largest = max(largest, size)
			}
		}
		slices.Sort(cold)
		slices.Sort(kept)
		p95 := harness.Quantile(cold, 0.95)
		slowest = max(slowest, p95)
		fmt.Printf("%4d %6d %10s %10s %10s %10s %10s %12d\n", zoom, len(cold), ms(harness.Quantile(cold, 0.5)), ms(p95), ms(cold[len(cold)-1]),
			ms(harness.Quantile(kept, 0.5)), ms(harness.Quantile(kept, 0.95)), largest)
	}
	return slowest, nil
}

// addresses are the tiles of a zoom in which the parcels lie, each once.
func (t tiler) addresses(zoom, most int) (out []tile.Address) {
	seen := map[tile.Address]bool{}
	for _, at := range t.places {
		if a := tile.Around(zoom, at.lon, at.lat); !seen[a] && len(out) < most {
			seen[a] = true
			out = append(out, a)
		}
	}
	return out
}

// hostile has clients ask for tiles that nobody has asked for, of the zooms
// that cost most, as fast as they are answered.
func (t tiler) hostile(ctx context.Context, lasting time.Duration) error {
	all := slices.Concat(t.addresses(15, len(t.places)), t.addresses(13, len(t.places)), t.addresses(14, len(t.places)))
	alone, err := t.reads(lasting / 4)
	if err != nil {
		return err
	}
	begun, err := t.server.Processor()
	if err != nil {
		return err
	}
	asking, stop := context.WithTimeout(ctx, lasting)
	defer stop()
	var next, made, refused, sent atomic.Int64
	var clients sync.WaitGroup
	for range hostileClients {
		clients.Go(func() {
			for asking.Err() == nil {
				status, size, _, err := t.get(asking, all[int(next.Add(1))%len(all)])
				switch {
				case err != nil: // the time is over
				case status == http.StatusServiceUnavailable:
					refused.Add(1)
				default:
					made.Add(1)
					sent.Add(int64(size))
				}
			}
		})
	}
	beside, err := t.reads(lasting / 2)
	if err != nil {
		return err
	}
	clients.Wait()
	spent, err := t.server.Processor()
	if err != nil {
		return err
	}
	now, peak, err := t.server.Memory()
	fmt.Printf("%d hostile clients for %s: %d tiles, %d refused, %d MB; %.2f of a processor in all; %.0f MiB, %.0f MiB at most\n", hostileClients, lasting,
		made.Load(), refused.Load(), sent.Load()/1e6, (spent-begun).Seconds()/lasting.Seconds(), now, peak)
	fmt.Printf("parcelles/{idu}: p50 %s, p99 %s alone; p50 %s, p99 %s beside them\n", ms(harness.Quantile(alone, 0.5)), ms(harness.Quantile(alone, 0.99)),
		ms(harness.Quantile(beside, 0.5)), ms(harness.Quantile(beside, 0.99)))
	return err
}

// reads asks for one parcel after the other.
func (t tiler) reads(lasting time.Duration) (took []time.Duration, err error) {
	for i, end := 0, time.Now().Add(lasting); time.Now().Before(end); i++ {
		a, err := t.client.Good(t.size.reads[0].paths[i%len(t.size.reads[0].paths)], t.key)
		if err != nil {
			return nil, err
		}
		took = append(took, a.Received.Sub(a.Sent))
	}
	slices.Sort(took)
	return took, nil
}
