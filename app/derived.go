package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/api/topic"
)

// IndexCommand is the command of the program that makes the files below.
const IndexCommand = "index"

const (
	// A command often makes many loads in a row, and making a file takes minutes for the whole of France.
	derivedSettle = 2 * time.Second
	derivedRetry  = time.Minute
	// A command that loads for longer has its first loads served before its last.
	derivedPatience = 10 * time.Minute
	// How long the process that makes a file may take to end when the service stops.
	derivedStop = 3 * time.Second
)

// derived is a file that is made from what is loaded, and served while the next one is made.
type derived struct {
	name      string // argument of IndexCommand
	readsFrom func(source string) bool
	current   func(context.Context) (bool, error)
	refresh   func(context.Context) error
	open      func() error
	describe  func() []any          // for the log; nil while nothing is served
	changed   func(context.Context) // called once it was looked at, and made if need be; may be nil
}

// follow serves what is loaded: at the start, and whenever loads have put something else in service. Until the new file
// is made the one before is served.
func (a *App) follow(ctx context.Context, d derived) {
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default: // it will be looked at anyway
		}
	}
	a.listener.Subscribe(ctx, loadsChannel, func(context.Context) { tell() }, func(_ context.Context, source string) {
		if d.readsFrom(source) {
			tell()
		}
	})
	for {
		if d.describe() != nil { // else anything is better than nothing
			a.settle(ctx)
		}
		if err := a.make(ctx, d); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, d.name+" not brought up to date; those of before are still served", "error", err)
			time.AfterFunc(derivedRetry, tell)
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(derivedSettle):
		}
	}
}

// mayChange reports whether a load of a source can change one of the tables.
func mayChange(name string, tables []string) bool {
	return source.MayFill(topic.Sources(), name, tables...)
}

// settle waits until no command loads any more.
func (a *App) settle(ctx context.Context) {
	for begun := time.Now(); time.Since(begun) < derivedPatience; {
		if busy, err := ingest.Busy(ctx, a.in.Pool); err != nil || !busy {
			return // a database that does not answer is the next step's to tell
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(derivedSettle):
		}
	}
}

// make works, where it can, in a process of its own: the memory that it takes is given back whole. Only one file is
// made at a time.
func (a *App) make(ctx context.Context, d derived) error {
	current, err := d.current(ctx)
	if err != nil {
		return err
	}
	if d.changed != nil {
		defer d.changed(ctx) // also when it was made by another process, and is served since the look at it
	}
	if current {
		return nil
	}
	select {
	case a.making <- struct{}{}:
		defer func() { <-a.making }()
	case <-ctx.Done():
		return ctx.Err()
	}
	begun := time.Now()
	if err := a.makeNow(ctx, d); err != nil {
		return err
	}
	slog.InfoContext(ctx, d.name+" brought up to date", append(d.describe(), "took", time.Since(begun).String())...)
	return nil
}

func (a *App) makeNow(ctx context.Context, d derived) error {
	if a.in.Program == "" {
		return d.refresh(ctx)
	}
	cmd := exec.CommandContext(ctx, a.in.Program, IndexCommand, d.name)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it takes its half-written file away
	cmd.WaitDelay = derivedStop
	endWithUs(cmd)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run %s %s %s: %w: %s", a.in.Program, IndexCommand, d.name, err, out)
	}
	return d.open()
}
