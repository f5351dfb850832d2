package stats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const fileName = "statistics.book"

// Store keeps the book that is served.
type Store struct {
	pool    *pgxpool.Pool
	path    string
	current atomic.Pointer[Book]
}

// New makes a store whose file is in dir. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string) *Store {
	return &Store{pool: pool, path: filepath.Join(dir, fileName)}
}

// Book is what is served now; nil while nothing is.
func (s *Store) Book() *Book { return s.current.Load() }

// Open serves the file that was made before, whatever it was made from. One that is missing or damaged is no error:
// Refresh makes it.
func (s *Store) Open() error {
	b, err := OpenBook(s.path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBroken) {
		return nil
	}
	if err != nil {
		return err
	}
	s.current.Store(b)
	return nil
}

var oneMoment = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Current tells whether what is served is made from what is in the database, once the file is if it can be.
func (s *Store) Current(ctx context.Context) (current bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		now, err := stamp(ctx, tx)
		if err == nil {
			current = s.isOf(now)
		}
		return err
	})
	return current, err
}

// isOf serves the file if it was made from the loads that the stamp tells.
func (s *Store) isOf(now string) bool {
	if b := s.current.Load(); b != nil && b.Stamp() == now {
		return true
	}
	b, err := OpenBook(s.path)
	if err != nil || b.Stamp() != now {
		return false
	}
	s.current.Store(b)
	return true
}

// Refresh serves what is in the database, and renders it unless the file is of it already. Answers under way end on the
// book they began with. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	var d *Data
	err := pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		now, err := stamp(ctx, tx)
		if err != nil || s.isOf(now) {
			return err
		}
		d, err = Read(ctx, tx)
		return err
	})
	if err == nil && d != nil {
		err = s.replace(ctx, d)
	}
	if err != nil {
		return fmt.Errorf("render the statistics: %w", err)
	}
	return nil
}

// replace writes beside the file that is served and puts the new one in its place whole.
func (s *Store) replace(ctx context.Context, d *Data) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), fileName+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing to remove once it is renamed
	if err := errors.Join(d.write(ctx, f), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	b, err := OpenBook(s.path)
	if err != nil {
		return err
	}
	s.current.Store(b)
	return nil
}
