package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"arpent/internal/clock"
)

// lock is a flock on a file. The kernel gives it back when the process ends, however it ends.
type lock struct{ file *os.File }

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX

	lockPause = 20 * time.Millisecond
)

// lockFile waits for the lock until ctx ends.
func lockFile(ctx context.Context, path string, how int) (*lock, error) {
	for {
		l, err := tryLockFile(path, how)
		if l != nil || err != nil {
			return l, err
		}
		if !clock.Sleep(ctx, lockPause) {
			return nil, fmt.Errorf("wait for the lock %s: %w", path, ctx.Err())
		}
	}
}

// tryLockFile gives nil without an error when somebody else holds the lock.
func tryLockFile(path string, how int) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a lock: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
	case err == nil:
		return &lock{file: f}, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, nil
	default:
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}

// release unlocks before it closes: a child between fork and exec still holds a copy of the descriptor.
func (l *lock) release() {
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN) // closing does it as well
	_ = l.file.Close()
}
