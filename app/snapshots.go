package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/internal/clock"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/snapshot"
)

// IndexCommand is the command of the program that builds the snapshots.
const IndexCommand = "index"

const (
	// A command often makes many loads in a row, and building a snapshot takes minutes for the whole of France.
	rebuildDelay = 2 * time.Second
	rebuildRetry = time.Minute
	// A command that loads for longer has its first loads served before its last.
	maxRebuildDelay = 10 * time.Minute
	// How often a build is logged that keeps the server from being ready.
	progressEvery = 10 * time.Second
	// How long the process that builds may take to end when the service stops.
	rebuildStop = 3 * time.Second
)

// snapshotJob keeps one snapshot up to date. The one before is served while the next one is built.
type snapshotJob struct {
	name   string // argument of IndexCommand
	tables []string
	store  interface {
		OpenValid() error
		Current(context.Context) (bool, error)
		Refresh(context.Context) error
		Built() time.Time
	}
	current  atomic.Bool           // it is of what was loaded when it was last checked
	describe func() []any          // for the log; nil while nothing is served
	onCheck  func(context.Context) // called once it was checked, and built if need be; may be nil
}

// addressJob returns the job that rebuilds the index of addresses and places.
func (a *App) addressJob() *snapshotJob {
	return &snapshotJob{name: "addresses", tables: geocode.Tables, store: a.addresses, describe: func() []any {
		x := a.addresses.Index()
		if x == nil {
			return nil
		}
		return []any{"streets", x.Counts().Streets, "places", x.Counts().Places, "bytes", x.Size()}
	}}
}

// statisticsJob returns the job that rebuilds the snapshot of statistics.
func (a *App) statisticsJob() *snapshotJob {
	return &snapshotJob{name: "statistics", tables: topic.Statistics().Tables(), store: a.statistics,
		onCheck: a.status.readAgain, describe: func() []any {
			s := a.statistics.Snapshot()
			if s == nil {
				return nil
			}
			return []any{"communes", s.Count(stats.Commune), "bytes", s.Size()}
		}}
}

// parcelJob returns the job that rebuilds the snapshot of parcels.
func (a *App) parcelJob() *snapshotJob {
	return &snapshotJob{name: "parcels", tables: parcel.IndexTables, store: a.parcelIndex,
		onCheck: a.status.readAgain, describe: func() []any {
			x := a.parcelIndex.Get()
			if x == nil {
				return nil
			}
			return []any{"parcels", x.Parcels(), "communes", x.Communes(), "bytes", x.Size()}
		}}
}

// openFile serves the existing file, even one older than the loads, so that a server that starts again
// answers at once. One that this version does not read is built before the server is ready.
func (j *snapshotJob) openFile(ctx context.Context) {
	switch err := j.store.OpenValid(); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, snapshot.ErrInvalid):
		slog.WarnContext(ctx, "file missing or of another version, built before this server is ready",
			"file", j.name, "reason", err)
	case err != nil:
		slog.ErrorContext(ctx, "file not opened, built before this server is ready", "file", j.name, "error", err)
	}
}

// isServed reports whether there is a file, of whatever loads.
func (j *snapshotJob) isServed() bool { return j.describe() != nil }

// missingFiles lists what is not served yet. The instance is ready when the list is empty. On an empty
// database the files are empty.
func (a *App) missingFiles() (names []string) {
	for _, j := range a.snapshots {
		if !j.isServed() {
			names = append(names, j.name)
		}
	}
	return names
}

// checkReady logs once that the instance is ready.
func (a *App) checkReady(ctx context.Context) {
	if len(a.missingFiles()) == 0 {
		a.logReady.Do(func() { slog.InfoContext(ctx, "ready", "took", time.Since(a.begun).String()) })
	}
}

// keepCurrent serves what is loaded: at the start, and whenever loads have become active. Until the new
// snapshot is built the one before is served.
func (a *App) keepCurrent(ctx context.Context, j *snapshotJob) {
	changed := clock.NewSignal()
	a.listener.Subscribe(ctx, loadsChannel, func(context.Context) { changed.Notify() },
		func(_ context.Context, name string) {
			if source.MayFill(topic.Sources(), name, j.tables...) {
				changed.Notify()
			}
		})
	for again := true; again; again = changed.Wait(ctx, rebuildDelay) {
		if j.isServed() { // else anything is better than nothing
			// Files that keep the instance from being ready are built first; not for ever, since one of them may
			// have no way to be built.
			for begun := time.Now(); len(a.missingFiles()) > 0 && time.Since(begun) < maxRebuildDelay &&
				clock.Sleep(ctx, rebuildDelay); {
			}
			a.waitForLoads(ctx)
		}
		if err := a.buildIfStale(ctx, j); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "file not brought up to date", "file", j.name, "error", err, "former_served",
				j.isServed())
			time.AfterFunc(rebuildRetry, changed.Notify)
		}
		a.checkReady(ctx)
	}
}

// waitForLoads waits until no command loads any more.
func (a *App) waitForLoads(ctx context.Context) {
	for begun := time.Now(); time.Since(begun) < maxRebuildDelay; {
		if busy, err := ingest.Busy(ctx, a.in.Pool); err != nil || !busy {
			return // the next step reports a database that does not answer
		}
		if !clock.Sleep(ctx, rebuildDelay) {
			return
		}
	}
}

// buildIfStale builds a snapshot unless it is current. Only one is built at a time.
func (a *App) buildIfStale(ctx context.Context, j *snapshotJob) error {
	current, err := j.store.Current(ctx)
	if err != nil {
		return err
	}
	if j.onCheck != nil {
		defer j.onCheck(ctx) // also when another process built it, and it is served since the check
	}
	if j.current.Store(current); current {
		return nil
	}
	if !j.isServed() {
		defer a.logProgress(ctx, j)()
	}
	select {
	case a.rebuilding <- struct{}{}:
		defer func() { <-a.rebuilding }()
	case <-ctx.Done():
		return ctx.Err()
	}
	begun := time.Now()
	if err := a.rebuildSnapshot(ctx, j); err != nil {
		return err
	}
	j.current.Store(true)
	slog.InfoContext(ctx, "file brought up to date", append([]any{"file", j.name, "took",
		time.Since(begun).String()}, j.describe()...)...)
	return nil
}

// logProgress logs what is built, and that it is still being built, until end is called: this server is not
// ready before.
func (a *App) logProgress(ctx context.Context, j *snapshotJob) (end func()) {
	begun, ended := time.Now(), make(chan struct{})
	log := func(message string) {
		slog.InfoContext(ctx, message, "file", j.name, "elapsed", time.Since(begun).Round(time.Second).String(),
			"not_ready", strings.Join(a.missingFiles(), " "))
	}
	log("file being built")
	go func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				log("file still being built")
			}
		}
	}()
	return func() { close(ended) }
}

// rebuildSnapshot builds, where it can, in a process of its own at the lowest priority. Statistics of the
// whole of France take a heap of 240 MiB, as much again as the service itself; and a thread of low priority
// in this process would hold up every request each time the garbage collector waits for it.
func (a *App) rebuildSnapshot(ctx context.Context, j *snapshotJob) error {
	if a.in.Program == "" {
		return j.store.Refresh(ctx)
	}
	cmd := exec.CommandContext(ctx, a.in.Program, IndexCommand, j.name)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes its half-written file
	cmd.WaitDelay = rebuildStop
	if out, err := runLowPriority(cmd); err != nil {
		return fmt.Errorf("run %s %s %s: %w: %s", a.in.Program, IndexCommand, j.name, err, out)
	}
	return j.store.OpenValid()
}
