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

// measureTiles measures the tiles of the explorer over HTTP: each zoom cold and kept, what the
// process holds before and after, and what clients that ask for new tiles without end make it
// cost. It fails where a zoom takes too long.
func measureTiles(ctx context.Context, o options) error {
	p, err := o.buildLogged(ctx, "serve.log")
	if err != nil {
		return err
	}
	s, release, err := o.prepareSize(ctx, p, o.parcels)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	t := tiler{s, &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: hostileClients}}}
	if err := t.awaitTiles(ctx); err != nil {
		return err
	}
	before, _, err := t.server.Memory()
	if err != nil {
		return err
	}
	slow, err := t.measureZooms(ctx)
	if err != nil {
		return err
	}
	after, peak, err := t.server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("memory of the process: %.0f MiB before, %.0f MiB after, %.0f MiB at most\n\n", before, after, peak)
	if err := t.measureHostile(ctx, time.Duration(o.seconds)*12*time.Second); err != nil {
		return err
	}
	if slow > maxTileP95 {
		return fmt.Errorf("the p95 of a zoom is %s, at most %s are promised", formatMs(slow), formatMs(maxTileP95))
	}
	return nil
}

// awaitTiles waits until there are tiles with parcels: the file of parcels is written after the start.
func (t tiler) awaitTiles(ctx context.Context) error {
	for {
		req, err := t.newRequest(ctx, tile.Around(tile.MaxZoom, t.places[0].lon, t.places[0].lat))
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

func (t tiler) newRequest(ctx context.Context, a tile.Address) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/explore/tiles/%d/%d/%d.mvt", t.server.Base, a.Z, a.X, a.Y), http.NoBody)
}

// getTile asks for a tile, and returns the status, the compressed size and the time it took.
func (t tiler) getTile(ctx context.Context, a tile.Address) (status, size int, took time.Duration, err error) {
	req, err := t.newRequest(ctx, a)
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

// retryTile asks again for a tile that is not made now, as the budget of all tiles is spent.
func (t tiler) retryTile(ctx context.Context, a tile.Address) (size int, took time.Duration, err error) {
	for {
		status, size, took, err := t.getTile(ctx, a)
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

// measureZooms measures each zoom, and returns the longest of their p95.
func (t tiler) measureZooms(ctx context.Context) (slowest time.Duration, err error) {
	fmt.Printf("%d parcels, one client\n%4s %6s %10s %10s %10s %10s %10s %12s\n", t.parcels, "zoom", "tiles", "cold p50", "p95", "longest", "kept p50", "p95", "largest, B")
	for zoom := tile.MinZoom; zoom <= tile.MaxZoom; zoom++ {
		var cold, kept []time.Duration
		largest := 0
		for _, a := range t.tileAddresses(zoom, tilesOfZoom) {
			for _, times := range []*[]time.Duration{&cold, &kept} {
				size, took, err := t.retryTile(ctx, a)
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
		fmt.Printf("%4d %6d %10s %10s %10s %10s %10s %12d\n", zoom, len(cold), formatMs(harness.Quantile(cold, 0.5)), formatMs(p95), formatMs(cold[len(cold)-1]),
			formatMs(harness.Quantile(kept, 0.5)), formatMs(harness.Quantile(kept, 0.95)), largest)
	}
	return slowest, nil
}

// tileAddresses are the tiles of a zoom in which the parcels lie, each once.
func (t tiler) tileAddresses(zoom, most int) (out []tile.Address) {
	seen := map[tile.Address]bool{}
	for _, at := range t.places {
		if a := tile.Around(zoom, at.lon, at.lat); !seen[a] && len(out) < most {
			seen[a] = true
			out = append(out, a)
		}
	}
	return out
}

// measureHostile has clients ask for tiles that were never asked for, of the zooms
// that cost most, as fast as they are answered.
func (t tiler) measureHostile(ctx context.Context, lasting time.Duration) error {
	all := slices.Concat(t.tileAddresses(15, len(t.places)), t.tileAddresses(13, len(t.places)), t.tileAddresses(14, len(t.places)))
	alone, err := t.readParcels(lasting / 4)
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
				status, size, _, err := t.getTile(asking, all[int(next.Add(1))%len(all)])
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
	loaded, err := t.readParcels(lasting / 2)
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
	fmt.Printf("parcelles/{idu}: p50 %s, p99 %s alone; p50 %s, p99 %s with them\n", formatMs(harness.Quantile(alone, 0.5)), formatMs(harness.Quantile(alone, 0.99)),
		formatMs(harness.Quantile(loaded, 0.5)), formatMs(harness.Quantile(loaded, 0.99)))
	return err
}

// readParcels asks for one parcel after the other.
func (t tiler) readParcels(lasting time.Duration) (took []time.Duration, err error) {
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
