// Package disk reports how much space is left where a folder is.
package disk

import (
	"log/slog"
	"syscall"
	"time"
)

const (
	// A disk is almost full when less than one byte in so many is free, and fewer than so many.
	reserveShare = 20
	reserveBytes = 5 << 30
	// How often a disk that stays almost full is logged.
	logEvery = time.Hour
)

// Space returns how many bytes are free for this user on the file system of a folder, and how many it has.
func Space(dir string) (free, size int64, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, 0, err
	}
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize), nil
}

// Watch is a folder whose disk is looked at now and then.
type Watch struct {
	Folder, Path string    // Folder is what it is called in the log and in metrics
	loggedAt     time.Time // when the disk was last logged to be almost full; zero: it is not
}

// Check logs when the disk has become almost full, every hour while it stays so, and when it is no longer. A
// folder that is not there yet is left to its first user.
func (w *Watch) Check(log *slog.Logger, now time.Time) {
	free, size, err := Space(w.Path)
	if err != nil {
		return
	}
	almostFull := free < size/reserveShare && free < reserveBytes
	attributes := []any{"folder", w.Folder, "path", w.Path, "free_bytes", free, "size_bytes", size}
	switch {
	case !almostFull && !w.loggedAt.IsZero():
		log.Info("disk has space again", attributes...)
		w.loggedAt = time.Time{}
	case almostFull && now.Sub(w.loggedAt) >= logEvery:
		log.Error("disk almost full", attributes...)
		w.loggedAt = now
	}
}
