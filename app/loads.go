package app

import (
	"context"
	"log/slog"
	"time"

	"arpent/api/territory"
)

// loadsChannel is where the database notifies of a load that is active, whose source is the payload.
const loadsChannel = "arpent_geo"

// loadsDelay is how long to wait for more loads before reading anew: a command often makes many in a row.
const loadsDelay = 200 * time.Millisecond

// loadsRetry is how long to wait before trying again what could not be read.
const loadsRetry = 5 * time.Second

// followLoads reads anew what is kept in memory whenever other loads have become active.
func (a *App) followLoads(ctx context.Context) {
	loaded := make(chan struct{}, 1)
	notify := func() {
		select {
		case loaded <- struct{}{}:
		default: // it will be read anyway
		}
	}
	a.listener.Subscribe(ctx, loadsChannel, func(context.Context) {
		a.outdated.Store(true) // the notification of a load may have been lost
		notify()
	}, func(_ context.Context, source string) {
		if mayChange(source, territory.Tables) {
			a.outdated.Store(true)
		}
		notify()
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-loaded:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(loadsDelay):
		}
		if !a.readLoads(ctx) {
			time.AfterFunc(loadsRetry, notify)
		}
	}
}

// readLoads reports whether what is in memory is what is in the database.
func (a *App) readLoads(ctx context.Context) bool {
	defer a.status.refresh(ctx)
	if !a.outdated.Swap(false) {
		return true
	}
	err := a.territory.Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		a.outdated.Store(true)
		slog.ErrorContext(ctx, "territory not refreshed; the former one is still served", "error", err)
	}
	return err == nil
}
