package bench

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"arpent/app/dev/harness"
)

const reportClients = 8

// measureReport measures reports over HTTP by one client and by eight, on parcels with every layer filled at
// the density of the country. The database is kept in the state folder: a run that was interrupted goes on
// with the rows that are there.
func (o *options) measureReport(ctx context.Context) error {
	fmt.Println("filling every layer of the report, which takes minutes") // it prints nothing meanwhile
	s, err := o.prepareService(ctx, o.sizes[len(o.sizes)-1], true)
	if err != nil {
		return err
	}
	var asked atomic.Int64
	nextPath := func() string {
		return s.places[int(asked.Add(1))%len(s.places)].fillTemplate("/api/v1/parcelles/{idu}/enrichments")
	}
	lasting := time.Duration(o.seconds) * 4 * time.Second
	fmt.Printf("\n%-10s %8s %10s %10s %10s %12s\n", "clients", "reports", "p50", "p99", "longest", "reports/s")
	for i, clients := range []int{reportClients, 1, reportClients} {
		measured, cancel := context.WithTimeout(ctx, lasting)
		reports, others := harness.HammerPaths(measured, []string{s.server.Base}, clients, nextPath, s.key)
		cancel()
		if len(others) > 0 || len(reports) == 0 {
			return fmt.Errorf("%d reports, and other answers by status: %v", len(reports), others)
		}
		if i == 0 {
			continue // the connections have prepared their statements
		}
		var took []time.Duration
		for _, a := range reports {
			took = append(took, a.Received.Sub(a.Sent))
		}
		slices.Sort(took)
		ms := func(q float64) float64 { return float64(harness.Quantile(took, q)) / 1e6 }
		fmt.Printf("%-10d %8d %7.2f ms %7.2f ms %7.2f ms %12.1f\n", clients, len(took), ms(0.5), ms(0.99), ms(1),
			float64(len(took))/lasting.Seconds())
	}
	now, peak, err := s.server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("\nresident memory of the service after the run: %.0f MiB, at its highest %.0f MiB\n", now, peak)
	return nil
}
