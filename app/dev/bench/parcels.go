package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"arpent/app/dev/harness"
)

const (
	// each size is asked this often in turns, so that a slow moment of the machine hits all of them; the first
	// turn warms up
	blocks        = 11
	blockRequests = 500
)

// measureParcels measures both reads of parcels as their file grows: one client, one request at a time.
func (o *options) measureParcels(ctx context.Context) error {
	var sizes []*service
	for _, n := range o.sizes {
		s, err := o.prepareService(ctx, n, false)
		if err == nil && len(s.places) < blocks*blockRequests {
			err = fmt.Errorf("they are too few to ask for %d different ones", blocks*blockRequests)
		}
		if err != nil {
			return fmt.Errorf("%d parcels: %w", n, err)
		}
		sizes = append(sizes, s)
	}
	fmt.Printf("one client, %d different parcels each, p50 and p99 over HTTP\n", (blocks-1)*blockRequests)
	for _, template := range []string{byReference, byPoint} {
		took := make([][]time.Duration, len(sizes))
		for b := range blocks {
			for i, s := range sizes {
				part, err := s.measureReads(template, s.places[b*blockRequests:(b+1)*blockRequests])
				if err != nil {
					return err
				}
				if b > 0 {
					took[i] = append(took[i], part...)
				}
			}
		}
		for i, s := range sizes {
			slices.Sort(took[i])
			p50 := harness.Quantile(took[i], 0.5)
			fmt.Printf("%-50s %10d parcels: p50 %7s  p99 %7s  %5.2f × the smallest\n", template, s.parcels,
				p50.Round(time.Microsecond), harness.Quantile(took[i], 0.99).Round(time.Microsecond),
				float64(p50)/float64(harness.Quantile(took[0], 0.5)))
		}
	}
	return nil
}

func (s *service) measureReads(template string, places []place) (took []time.Duration, err error) {
	c := harness.NewClient(s.server.Base, "")
	defer c.Close()
	for _, p := range places {
		a, err := c.Good(p.fillTemplate(template), s.key)
		if err != nil {
			return nil, err
		}
		took = append(took, a.Received.Sub(a.Sent))
	}
	return took, nil
}
