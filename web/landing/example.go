package landing

import (
	"context"
	"log/slog"
	"time"

	cadastre "arpent/api/parcel"
)

// Example returns the example that the page shows first; nil: nothing could be read yet.
func (f *Finder) Example() *Found { return f.example.Load() }

// Notify discards the example and has it made anew, after a load.
func (f *Finder) Notify() { f.stale.Notify() }

const (
	exampleRetry   = 10 * time.Second
	exampleDelay   = 500 * time.Millisecond // a command often makes many loads in a row
	exampleTimeout = 30 * time.Second
	// Where cadastre.ExampleIDU is not served, the example is the one with most to read of so many parcels in
	// the middle of the sheet.
	exampleCandidates = 12
)

// Run makes the example whenever it was notified, until ctx ends. What
// cannot be made leaves what was made before.
func (f *Finder) Run(ctx context.Context) {
	delay := time.Duration(0) // the first one waits for nothing
	for f.stale.Wait(ctx, delay) {
		delay = exampleDelay
		f.reports.Purge()
		if err := f.makeExample(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "example of the first page not made; the former one is shown", "error", err)
			time.AfterFunc(exampleRetry, f.Notify)
		}
	}
}

// makeExample makes the example.
func (f *Finder) makeExample(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, exampleTimeout)
	defer cancel()
	sheet, candidates := f.calls.Sheet(), []string{cadastre.ExampleIDU}
	if sheet == nil {
		f.example.Store(nil)
		return nil
	}
	around, err := f.calls.Around(cadastre.ExampleIDU)
	if err != nil {
		return err
	}
	if around != nil && around.Find(cadastre.ExampleIDU) != nil {
		sheet = around
	} else {
		candidates = sheet.Central(exampleCandidates)
	}
	var best *Found
	most := -1
	for _, idu := range candidates {
		found, err := f.makeReport(ctx, idu)
		if err != nil {
			return err
		}
		f.reports.Add(idu, cacheEntry{found, f.clock.Now()})
		if lines, groups := found.Report.Shown(); lines+5*groups > most { // a group more is worth some lines
			best, most = found, lines+5*groups
		}
	}
	example := *best
	example.Sheet = sheet
	f.example.Store(&example)
	return nil
}
