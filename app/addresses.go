package app

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	"arpent/api/geocode"
	"arpent/app/pgdb"
)

// IndexCommand is the command of the program that builds the index of addresses.
const IndexCommand = "index"

const (
	// A command often makes many loads in a row, and building takes minutes for the whole of France.
	addressesSettle = 2 * time.Second
	addressesRetry  = time.Minute
)

// followAddresses serves an index of what is loaded: at the start, and whenever loads have put something else in
// service. Until the new one is built the one before is served.
func (a *App) followAddresses(ctx context.Context) {
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default: // it will be looked at anyway
		}
	}
	var listening sync.WaitGroup
	defer listening.Wait()
	listening.Go(func() {
		pgdb.Listen(ctx, a.in.DatabaseURL, []string{"arpent_geo"}, func(context.Context) { tell() }, func(_, source string) {
			if geocode.ReadsFrom(source) {
				tell()
			}
		})
	})
	for {
		if err := a.readAddresses(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "index of addresses not built; the one before is still served", "error", err)
			time.AfterFunc(addressesRetry, tell)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(addressesSettle):
		}
	}
}

// readAddresses builds, where it can, in a process of its own: the memory that it takes is given back whole.
func (a *App) readAddresses(ctx context.Context) error {
	current, err := a.addresses.Current(ctx)
	if err != nil || current {
		return err
	}
	if a.in.Program == "" {
		return a.addresses.Refresh(ctx)
	}
	if out, err := exec.CommandContext(ctx, a.in.Program, IndexCommand).CombinedOutput(); err != nil {
		return fmt.Errorf("run %s %s: %w: %s", a.in.Program, IndexCommand, err, out)
	}
	return a.addresses.Open()
}
