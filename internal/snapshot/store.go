package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Kind describes one kind of snapshot that is built from the database.
type Kind[T any] struct {
	File   string // its name in the folder
	Format Format
	// Read makes of a file what it is used as, which holds the File.
	Read func(*File) (*T, error)
	// Source returns which state of the database the transaction sees.
	Source func(context.Context, pgx.Tx) (string, error)
	// Build writes what the transaction sees.
	Build func(context.Context, pgx.Tx, *Writer) error
}

// Store keeps the snapshot in service.
type Store[T any] struct {
	kind    Kind[T]
	pool    *pgxpool.Pool
	path    string
	current atomic.Pointer[servedFile[T]]
}

type servedFile[T any] struct {
	file  *File
	value *T
}

// NewStore makes a store whose file is in dir. It serves nothing until Open or Refresh.
func NewStore[T any](kind Kind[T], pool *pgxpool.Pool, dir string) *Store[T] {
	return &Store[T]{kind: kind, pool: pool, path: filepath.Join(dir, kind.File)}
}

// Get is what is in service; nil while nothing is.
func (s *Store[T]) Get() *T {
	if x := s.current.Load(); x != nil {
		return x.value
	}
	return nil
}

// Built is when the file in service was written; the zero value while there is none.
func (s *Store[T]) Built() time.Time {
	if x := s.current.Load(); x != nil {
		return x.file.built
	}
	return time.Time{}
}

// Open serves the file that is there, whatever it was built from. One that is missing
// or invalid is no error: Refresh builds it.
func (s *Store[T]) Open() error {
	if err := s.OpenValid(); !errors.Is(err, os.ErrNotExist) && !errors.Is(err, ErrInvalid) {
		return err
	}
	return nil
}

// OpenValid is Open with an error for a file that is missing or invalid.
func (s *Store[T]) OpenValid() error {
	x, err := s.readFile()
	if err == nil {
		s.current.Store(x)
	}
	return err
}

func (s *Store[T]) readFile() (*servedFile[T], error) {
	f, err := Open(s.path, s.kind.Format)
	if err != nil {
		return nil, err
	}
	value, err := s.readValue(f)
	if err != nil {
		return nil, err
	}
	return &servedFile[T]{f, value}, nil
}

// readValue is what a file is used as. Content that Read stumbles over makes the file invalid: it is read at
// the start and in the background, where a panic would end the process.
func (s *Store[T]) readValue(f *File) (value *T, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, invalidError("its content cannot be read: %v", p)
		}
	}()
	return s.kind.Read(f)
}

var repeatableRead = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Current reports whether what is active was built from what is in the database. A file of
// another process that was is served from now on.
func (s *Store[T]) Current(ctx context.Context) (current bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, repeatableRead, func(tx pgx.Tx) error {
		current, _, err = s.isCurrent(ctx, tx)
		return err
	})
	return current, err
}

func (s *Store[T]) isCurrent(ctx context.Context, tx pgx.Tx) (current bool, source string, err error) {
	if source, err = s.kind.Source(ctx, tx); err != nil {
		return false, "", err
	}
	if x := s.current.Load(); x != nil && x.file.Source() == source {
		return true, source, nil
	}
	x, err := s.readFile()
	if err != nil || x.file.Source() != source {
		return false, source, nil
	}
	s.current.Store(x)
	return true, source, nil
}

// Refresh serves what is in the database, and builds it unless the file is of it already. Readers keep what
// they began with. When it fails, what was in service before stays so.
func (s *Store[T]) Refresh(ctx context.Context) error {
	return pgx.BeginTxFunc(ctx, s.pool, repeatableRead, func(tx pgx.Tx) error {
		current, source, err := s.isCurrent(ctx, tx)
		if err != nil || current {
			return err
		}
		err = Write(s.path, s.kind.Format, source, func(w *Writer) error { return s.kind.Build(ctx, tx, w) })
		if err != nil {
			return err
		}
		x, err := s.readFile()
		if err != nil {
			return err
		}
		s.current.Store(x)
		return nil
	})
}
