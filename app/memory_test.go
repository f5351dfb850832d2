package app_test

import (
	"runtime/debug"
	"testing"

	"arpent/app"
)

// An operator who gives the process more memory, or less, with GOMEMLIMIT gets what he asked for;
// without it the service stays within its target.
func TestMemoryLimitIsTheOperators(t *testing.T) { // not parallel: the limit is of the whole process
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	const chosen = 1 << 30
	debug.SetMemoryLimit(chosen) // as the runtime does at the start
	t.Setenv("GOMEMLIMIT", "1GiB")
	app.LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != chosen {
		t.Errorf("with GOMEMLIMIT=1GiB the limit is %d", got)
	}
	t.Setenv("GOMEMLIMIT", "")
	app.LimitMemory()
	if got := debug.SetMemoryLimit(-1); got != app.MemoryTarget {
		t.Errorf("without it the limit is %d", got)
	}
}
