package testkit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk is a file system of its own, of so many MiB.
func SmallDisk(t testing.TB, size string) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "arpent-disk") // t.TempDir is closed to user postgres
	NoError(t, err)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=755,size="+size); err != nil {
		t.Skipf("a small file system cannot be mounted, which root may: %v", err)
	}
	t.Cleanup(func() {
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		_ = os.Remove(dir)
	})
	return dir
}

// FillDisk takes all the space that a disk has left, until it is given back.
func FillDisk(t testing.TB, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	NoError(t, err)
	defer f.Close()
	for piece := make([]byte, 64<<10); len(piece) > 0; {
		switch _, err := f.Write(piece); {
		case errors.Is(err, syscall.ENOSPC):
			piece = piece[:len(piece)/2]
		case err != nil:
			t.Fatal(err)
		}
	}
	return func() {
		NoError(t, os.Remove(path))
	}
}
