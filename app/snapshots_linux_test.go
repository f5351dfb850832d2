package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"arpent/app"
	"arpent/app/dev/testkit"
)

// Requests keep the processors while a snapshot is built: the process that builds it has the
// lowest priority, and this one keeps its own.
func TestSnapshotsAreBuiltAtLowPriority(t *testing.T) {
	t.Parallel()
	before := testkit.Must(syscall.Getpriority(syscall.PRIO_PROCESS, 0))(t)
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

// No other process of this one ends with the building of a snapshot. The
// system stops the children of a thread that ends.
func TestBuildingASnapshotEndsNoSimultaneousProcess(t *testing.T) {
	t.Parallel()
	var others []*exec.Cmd
	var starting sync.WaitGroup
	for range 30 {
		other := exec.Command("sleep", "600")
		other.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		others = append(others, other)
		starting.Go(func() {
			if err := other.Start(); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	t.Cleanup(func() {
		for _, other := range others {
			_ = other.Process.Kill()
			_ = other.Wait()
		}
	})
	for range 10 {
		testkit.Must(app.RunLowPriority(exec.Command("true")))(t)
	}
	for _, other := range others {
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", other.Process.Pid)); err != nil || strings.Contains(string(state), ") Z ") {
			t.Errorf("process %d has ended: %s %v", other.Process.Pid, state, err)
		}
	}
}

// What builds a snapshot ends with the server, also when that is
// killed: the next start would build concurrently with it.
func TestBuildingEndsWithTheServer(t *testing.T) {
	t.Parallel()
	const file = "TEST_BUILDER_FILE"
	if path := os.Getenv(file); path != "" { // this is the server
		_, err := app.RunLowPriority(exec.Command("sh", "-c", `echo $$ > "$0.new" && mv "$0.new" "$0" && exec sleep 600`, path))
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pid")
	server := exec.Command(os.Args[0], "-test.run", "^TestBuildingEndsWithTheServer$")
	server.Env = append(os.Environ(), file+"="+path)
	testkit.NoError(t, server.Start())
	var builder string
	testkit.Eventually(t, testkit.Timeout, "the snapshot is being built", func() bool {
		text, err := os.ReadFile(path)
		builder = strings.TrimSpace(string(text))
		return err == nil
	})
	_ = server.Process.Kill()
	_ = server.Wait()
	testkit.Eventually(t, testkit.Timeout, "the building has ended", func() bool {
		command, err := os.ReadFile("/proc/" + builder + "/cmdline") // empty once it has ended and was not waited for
		return err != nil || len(command) == 0
	})
}
