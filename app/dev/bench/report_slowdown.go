package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"arpent/app/dev/harness"
)

// readRate is how often a parcel is asked for each second while reports are drawn or not.
const readRate = 200

// compareReads measures the reads of parcels alone and while eight clients draw reports, in turns.
func (b *reportBench) compareReads(ctx context.Context) error {
	lasting := time.Duration(b.seconds) * time.Second
	if _, err := b.steadyReads(time.Second); err != nil {
		return err
	}
	fmt.Printf("\nparcelles/{idu}, %d a second: p99 alone and with %d clients that draw reports\n", readRate, reportClients)
	var alone, loaded, ratios []float64
	for round := range b.rounds {
		idle, err := b.steadyReads(lasting)
		if err != nil {
			return err
		}
		busy, drawn, err := b.readsUnderLoad(ctx, lasting)
		if err != nil {
			return err
		}
		a, n := harness.Quantile(idle, 0.99), harness.Quantile(busy, 0.99)
		fmt.Printf("round %d: p50 %s, p99 %s alone; p50 %s, p99 %s with %.0f reports a second\n", round+1,
			formatMs(harness.Quantile(idle, 0.5)), formatMs(a), formatMs(harness.Quantile(busy, 0.5)), formatMs(n), drawn)
		alone, loaded, ratios = append(alone, float64(a)), append(loaded, float64(n)), append(ratios, float64(n)/float64(a))
	}
	fmt.Printf("medians: p99 %s alone, %s with reports; ratio %.2f, at most %.1f\n", formatMs(time.Duration(median(alone))),
		formatMs(time.Duration(median(loaded))), median(ratios), maxSlowdown)
	if median(ratios) > maxSlowdown {
		b.addFault("reports raise the p99 of parcelles/{idu} to %.2f times", median(ratios))
	}
	return nil
}

// readsUnderLoad begins with the reports and ends before them. Another process draws
// them: what measures is not to wait for it.
func (b *reportBench) readsUnderLoad(ctx context.Context, lasting time.Duration) (took []time.Duration, reports float64, err error) {
	const lead = time.Second
	var paths []string
	for _, idu := range b.nextParcels(len(b.idus) / 2) {
		paths = append(paths, "/api/v1/parcelles/"+idu+"/enrichments")
	}
	l, err := newLoad(b.state, "reports", paths, b.key, b.seconds+2*int(lead.Seconds()))
	if err != nil {
		return nil, 0, err
	}
	drawn := make(chan error, 1)
	go func() {
		var err error
		reports, err = l.measureRate(ctx, b.server.Base, "-t1", "-c"+strconv.Itoa(reportClients))
		drawn <- err
	}()
	time.Sleep(lead)
	took, err = b.steadyReads(lasting)
	err = errors.Join(err, <-drawn)
	return took, reports, err
}

// steadyReads asks for parcels at a fixed rate, whatever the answers take, and gives the time from when each
// request was due to its answer, the shortest first.
func (b *reportBench) steadyReads(lasting time.Duration) ([]time.Duration, error) {
	const clients = 8
	var refused atomic.Int64
	took, err := harness.Steady{Base: b.server.Base, Rate: readRate, Lasting: lasting, Clients: clients,
		PathOf: func(client, n int) string {
			return "/api/v1/parcelles/" + b.idus[((n*clients+client)*7919)%len(b.idus)]
		},
		Key: func(int, int) string { return b.key }}.Run(func(status int) {
		if status != http.StatusOK {
			refused.Add(1)
		}
	})
	if n := refused.Load(); err == nil && n > 0 {
		err = fmt.Errorf("%d reads of parcels were not answered", n)
	}
	return took, err
}
