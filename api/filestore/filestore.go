// Package filestore serves a thing that is read in place from one file, and made anew from the database when loads
// have changed. Whoever asks gets a whole thing, old or new, at any moment and after any failure.
package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"
)

// Kind says how a thing is opened and made.
type Kind[T any] struct {
	File   string // its name in the folder
	Open   func(path string) (*T, error)
	Broken error                                         // what Open fails with when the file is damaged or of another version
	Made   func(*T) string                               // which loads a thing was made from
	Loads  func(context.Context, pgx.Tx) (string, error) // which loads are in the database
	// Write writes a thing of what the transaction sees.
	Write func(context.Context, pgx.Tx, *os.File) error
}

// Store keeps the thing that is served.
type Store[T any] struct {
	kind    Kind[T]
	pool    *pgxpool.Pool
	path    string
	current atomic.Pointer[T]
}

// New makes a store whose file is in dir. It holds nothing until Open or Refresh.
func New[T any](kind Kind[T], pool *pgxpool.Pool, dir string) *Store[T] {
	return &Store[T]{kind: kind, pool: pool, path: filepath.Join(dir, kind.File)}
}

// Get is what is served now; nil while nothing is.
func (s *Store[T]) Get() *T { return s.current.Load() }

// Open serves the file that was made before, whatever it was made from. One that is missing or damaged is no error:
// Refresh makes it.
func (s *Store[T]) Open() error {
	x, err := s.kind.Open(s.path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, s.kind.Broken) {
		return nil
	}
	if err != nil {
		return err
	}
	s.current.Store(x)
	return nil
}

var oneMoment = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Current tells whether what is served is made from what is in the database, once the file is if it can be.
func (s *Store[T]) Current(ctx context.Context) (current bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		current, err = s.isOf(ctx, tx)
		return err
	})
	return current, err
}

// isOf serves the file if it was made from what the transaction sees.
func (s *Store[T]) isOf(ctx context.Context, tx pgx.Tx) (bool, error) {
	now, err := s.kind.Loads(ctx, tx)
	if err != nil {
		return false, err
	}
	if x := s.current.Load(); x != nil && s.kind.Made(x) == now {
		return true, nil
	}
	x, err := s.kind.Open(s.path)
	if err != nil || s.kind.Made(x) != now {
		return false, nil
	}
	s.current.Store(x)
	return true, nil
}

// Refresh serves what is in the database, and makes it unless the file is of it already. Requests under way end on the
// thing they began with. When it fails, what was served before still is.
func (s *Store[T]) Refresh(ctx context.Context) error {
	return pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		if current, err := s.isOf(ctx, tx); err != nil || current {
			return err
		}
		return s.replace(ctx, tx)
	})
}

// replace writes beside the file that is served and puts the new one in its place whole.
func (s *Store[T]) replace(ctx context.Context, tx pgx.Tx) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	s.sweep()
	f, err := os.CreateTemp(filepath.Dir(s.path), s.kind.File+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing to remove once it is renamed
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	if err := errors.Join(s.kind.Write(ctx, tx, f), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	x, err := s.kind.Open(s.path)
	if err != nil {
		return err
	}
	s.current.Store(x)
	return nil
}

// sweep removes what processes that were killed while writing left behind. One that is at it holds its file locked,
// except in the moment after it made it.
func (s *Store[T]) sweep() {
	left, err := filepath.Glob(s.path + ".new-*")
	if err != nil {
		return
	}
	for _, name := range left {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if st, err := f.Stat(); err == nil && time.Since(st.ModTime()) > time.Minute && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(name) // the next one tries again
		}
		_ = f.Close()
	}
}
