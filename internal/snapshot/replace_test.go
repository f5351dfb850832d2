package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"arpent/app/dev/testkit"
	"arpent/internal/snapshot"
)

const pieceSize = 1 << 16

// writeFilled writes sections that hold one byte throughout, the same one that names the source.
func writeFilled(path string, b byte) error {
	return snapshot.Write(path, format, string(b), func(w *snapshot.Writer) error {
		for i := range 4 {
			if err := snapshot.Put(w, fmt.Sprint("part ", i), bytes.Repeat([]byte{b}, pieceSize)); err != nil {
				return err
			}
		}
		return nil
	})
}

// isComplete reports whether all of a file was written by one writer.
func isComplete(f *snapshot.File) bool {
	defer runtime.KeepAlive(f)
	for i := range 4 {
		b, err := f.Section(fmt.Sprint("part ", i))
		if err != nil || len(b) != pieceSize || bytes.Count(b, []byte(f.Source())) != pieceSize {
			return false
		}
	}
	return true
}

func expectNoLeftovers(t *testing.T, path string) {
	t.Helper()
	if left, err := filepath.Glob(path + ".new-*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Two processes may write at once, while others read: a reader that opens the file gets that of one of them
// whole, and a reader keeps what it began with.
func TestTwoConcurrentWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, writeFilled(path, 'a'))
	first := testkit.Must(snapshot.Open(path, format))(t)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for _, b := range []byte("bc") {
		writers.Go(func() {
			for range 20 {
				if err := writeFilled(path, b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if f, err := snapshot.Open(path, format); err != nil || !isComplete(f) {
					t.Errorf("opened while it was replaced: %v", err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if !isComplete(first) || first.Source() != "a" {
		t.Error("what was opened first has changed")
	}
	expectNoLeftovers(t, path)
}

// countMappings counts how often a file, replaced or not, is mapped into this process.
func countMappings(t *testing.T, path string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("mappings cannot be listed: %v", err)
	}
	return strings.Count(string(maps), path)
}

// A mapping lasts as long as somebody holds the file, and no longer: a server that replaces
// its files for months does not keep them all.
func TestMappingEndsWithItsReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, writeFilled(path, 'a'))
	f := testkit.Must(snapshot.Open(path, format))(t)
	testkit.NoError(t, writeFilled(path, 'b'))
	runtime.GC()
	if countMappings(t, path) != 1 || !isComplete(f) {
		t.Error("a file that is held is not mapped any more")
	}
	runtime.KeepAlive(f)
	testkit.Eventually(t, testkit.Timeout, "a file without a holder is not mapped any more", func() bool {
		runtime.GC()
		return countMappings(t, path) == 0
	})
}

// A build that fails leaves the file before in place and nothing behind.
func TestFailedBuildChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, writeFilled(path, 'a'))
	broken := errors.New("broken")
	err := snapshot.Write(path, format, "", func(w *snapshot.Writer) error {
		return errors.Join(snapshot.Put(w, "part 0", make([]byte, pieceSize)), broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the build", err)
	}
	if f, err := snapshot.Open(path, format); err != nil || !isComplete(f) {
		t.Errorf("the file before is gone: %v", err)
	}
	expectNoLeftovers(t, path)
}

// What a killed process left behind is removed by the next writer; what another process is writing is not.
func TestRemovesAbandonedFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	killed, writing := path+".new-1", path+".new-2"
	for _, name := range []string{killed, writing} {
		testkit.NoError(t, os.WriteFile(name, []byte("half"), 0o600))
		testkit.NoError(t, os.Chtimes(name, time.Now(), time.Now().Add(-time.Hour)))
	}
	f := testkit.Must(os.Open(writing))(t)
	defer f.Close()
	testkit.NoError(t, unix.Flock(int(f.Fd()), unix.LOCK_EX))
	testkit.NoError(t, writeFilled(path, 'a'))
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("what a killed process left is still there: %v", err)
	}
	if _, err := os.Stat(writing); err != nil {
		t.Errorf("what another process is writing is gone: %v", err)
	}
}
