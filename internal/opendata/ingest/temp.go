package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unpackFolder is where loads unpack archives, each in a folder of its own; empty:
// in the system's folder for temporary files.
func (l *Loader) unpackFolder() string {
	if l.o.StateDir == "" {
		return ""
	}
	return filepath.Join(l.o.StateDir, "unpacked")
}

// tempFolder is a folder that its process holds locked. The lock ends with the process, however that ends: a
// folder that is not locked was left behind.
type tempFolder struct{ dir *os.File }

// newTempFolder makes a folder in root; nil where that is empty.
func newTempFolder(root string) (t *tempFolder, err error) {
	if root == "" {
		return nil, nil
	}
	err = withRoot(root, func() error {
		path, err := os.MkdirTemp(root, "load-")
		if err != nil {
			return err
		}
		t, err = lockFolder(path)
		return err
	})
	return t, err
}

// lockFolder returns nil without an error for a folder that is locked.
func lockFolder(path string) (*tempFolder, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &tempFolder{dir}, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = nil
	}
	return nil, errors.Join(err, dir.Close())
}

func (t *tempFolder) path() string {
	if t == nil {
		return ""
	}
	return t.dir.Name()
}

// remove removes the folder with all that is in it.
func (t *tempFolder) remove() error {
	if t == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(t.dir.Name()), t.dir.Close())
}

// removeAbandoned removes the folders that processes left behind which could not end as they should.
func removeAbandoned(root string) error {
	if _, err := os.Stat(root); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return withRoot(root, func() error {
		left, err := os.ReadDir(root)
		if err != nil {
			return err
		}
		var faults []error
		for _, d := range left {
			t, err := lockFolder(filepath.Join(root, d.Name()))
			faults = append(faults, err, t.remove())
		}
		return errors.Join(faults...)
	})
}

// withRoot runs what makes or removes folders in root, one process at a time:
// a folder is not yet locked when it is made.
func withRoot(root string, run func() error) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	dir, err := os.Open(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", root, err)
	}
	return run()
}
