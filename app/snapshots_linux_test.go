package app_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"arpent/app"
)

// Requests keep the processors while a snapshot is built: the process that builds it has the lowest priority, and this one
// keeps its own.
func TestSnapshotsAreBuiltAtLowPriority(t *testing.T) {
	t.Parallel()
	before, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.RunLowPriority(exec.Command("cut", "-d", " ", "-f", "19", "/proc/self/stat"))
	if got := strings.TrimSpace(string(out)); err != nil || got != "19" {
		t.Errorf("nice value %s, %v; want 19", got, err)
	}
	if after, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err != nil || after != before {
		t.Errorf("priority of this process: %d before, %d after, %v", before, after, err)
	}
	if out, err := app.RunLowPriority(exec.Command("sh", "-c", "echo broken; exit 3")); err == nil || string(out) != "broken\n" {
		t.Errorf("%q, %v; want the output and the error of the process", out, err)
	}
}
