package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"arpent/app/dev/harness"
)

// readRate is how often a parcel is asked for each second while reports are drawn or not.
const readRate = 200

// beside measures the reads of parcels alone and while eight clients draw reports, in turns.
func (b *reportBench) beside(ctx context.Context) error {
	lasting := time.Duration(b.seconds) * time.Second
	if _, err := b.reads(ctx, time.Second); err != nil {
		return err
	}
	fmt.Printf("\nparcelles/{idu}, %d a second: p99 alone and beside %d clients that draw reports\n", readRate, reportClients)
	var alone, besides, ratios []float64
	for round := range b.rounds {
		idle, err := b.reads(ctx, lasting)
		if err != nil {
			return err
		}
		busy, drawn, err := b.readsBeside(ctx, lasting)
		if err != nil {
			return err
		}
		a, n := harness.Quantile(idle, 0.99), harness.Quantile(busy, 0.99)
		fmt.Printf("round %d: p50 %s, p99 %s alone; p50 %s, p99 %s beside %d reports\n", round+1,
			ms(harness.Quantile(idle, 0.5)), ms(a), ms(harness.Quantile(busy, 0.5)), ms(n), drawn)
		alone, besides, ratios = append(alone, float64(a)), append(besides, float64(n)), append(ratios, float64(n)/float64(a))
	}
	fmt.Printf("medians: p99 %s alone, %s beside; ratio %.2f, at most %.1f\n", ms(time.Duration(median(alone))),
		ms(time.Duration(median(besides))), median(ratios), mostBeside)
	if median(ratios) > mostBeside {
		b.fail("reports raise the p99 of parcelles/{idu} to %.2f times", median(ratios))
	}
	return nil
}

// readsBeside begins with the reports and ends before them.
func (b *reportBench) readsBeside(ctx context.Context, lasting time.Duration) (took []time.Duration, reports int, err error) {
	type drawn struct {
		n   int
		err error
	}
	const lead = 500 * time.Millisecond
	ended := make(chan drawn, 1)
	go func() {
		all, err := b.reports(ctx, reportClients, lasting+2*lead)
		ended <- drawn{len(all), err}
	}()
	time.Sleep(lead)
	took, err = b.reads(ctx, lasting)
	d := <-ended
	if err == nil {
		err = d.err
	}
	return took, d.n, err
}

// reads asks for parcels at a fixed rate, whatever the answers take, and gives the time from when each request was due
// to its answer, the shortest first.
func (b *reportBench) reads(ctx context.Context, lasting time.Duration) ([]time.Duration, error) {
	const clients = 8
	type result struct {
		took []time.Duration
		err  error
	}
	results := make(chan result)
	begin := time.Now()
	for i := range clients {
		go func() {
			var r result
			r.took, r.err = b.readClient(ctx, begin, i, clients, lasting)
			results <- r
		}()
	}
	var took []time.Duration
	var err error
	for range clients {
		r := <-results
		took = append(took, r.took...)
		if err == nil {
			err = r.err
		}
	}
	slices.Sort(took)
	return took, err
}

func (b *reportBench) readClient(ctx context.Context, begin time.Time, first, clients int, lasting time.Duration) (took []time.Duration, err error) {
	c := harness.NewClient(b.server.Base, "")
	defer c.Close()
	every := time.Second / readRate
	for n := first; ; n += clients {
		due := begin.Add(time.Duration(n) * every)
		if due.Sub(begin) >= lasting || ctx.Err() != nil {
			return took, ctx.Err()
		}
		time.Sleep(time.Until(due))
		if _, err := b.get(c, "/api/v1/parcelles/"+b.idus[(n*7919)%len(b.idus)]); err != nil {
			return took, err
		}
		took = append(took, time.Since(due))
	}
}
