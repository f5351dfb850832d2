package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"arpent/app/dev/harness"
)

const reportClients = 8

// measureReport measures reports over HTTP by one client and by eight, on parcels with every layer filled at
// the density of the country. The database is kept in the state folder: a run that was interrupted goes on
// with the rows that are there.
func measureReport(ctx context.Context, o options) error {
	p, err := o.buildProgram(ctx, "serve.log")
	if err != nil {
		return err
	}
	fmt.Println("filling every layer of the report, which takes minutes") // it prints nothing meanwhile
	s, release, err := o.prepareSize(ctx, p, o.parcels, true)
	if release != nil {
		defer release()
	}
	if err != nil {
		return err
	}
	// the connections prepare their statements
	if _, err := s.drawReports(ctx, reportClients, 2*time.Second); err != nil {
		return err
	}
	fmt.Printf("\n%-10s %8s %10s %10s %10s %12s\n", "clients", "reports", "p50", "p99", "longest", "reports/s")
	lasting := time.Duration(o.seconds) * 4 * time.Second
	for _, clients := range []int{1, reportClients} {
		took, err := s.drawReports(ctx, clients, lasting)
		if err != nil {
			return err
		}
		fmt.Printf("%-10d %8d %10s %10s %10s %12.1f\n", clients, len(took), formatMs(harness.Quantile(took, 0.5)),
			formatMs(harness.Quantile(took, 0.99)), formatMs(took[len(took)-1]),
			float64(len(took))/lasting.Seconds())
	}
	now, peak, err := s.server.Memory()
	if err != nil {
		return err
	}
	fmt.Printf("\nresident memory of the service after the run: %.0f MiB, at its highest %.0f MiB\n", now, peak)
	if late := s.late.Load(); late > 0 {
		return fmt.Errorf("%d reports were answered 503", late)
	}
	return nil
}

func formatMs(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }

// drawReports draws reports for so long, by so many clients, of one parcel after the other, and gives what
// each took, the shortest first. One that was not ready in time counts with the time it took.
func (s *size) drawReports(
	ctx context.Context, clients int, lasting time.Duration) ([]time.Duration, error) {
	took, errs := make([][]time.Duration, clients), make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			c := harness.NewClient(s.server.Base, "")
			defer c.Close()
			for begin := time.Now(); time.Since(begin) < lasting && ctx.Err() == nil && errs[i] == nil; {
				path := s.places[int(s.asked.Add(1))%len(s.places)].fillTemplate("/api/v1/parcelles/{idu}/enrichments")
				a, err := c.Get(path, s.key)
				switch {
				case err != nil:
					errs[i] = err
				case a.Status == http.StatusServiceUnavailable:
					s.late.Add(1)
				case a.Status != http.StatusOK:
					errs[i] = fmt.Errorf("%s answers %d: %s", path, a.Status, a.Body)
				}
				took[i] = append(took[i], a.Received.Sub(a.Sent))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	return all, errors.Join(append(errs, ctx.Err())...)
}
