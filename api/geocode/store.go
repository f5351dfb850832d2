package geocode

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

	"arpent/api/source"
)

const fileName = "addresses.index"

// tables are what an index is built from.
var tables = map[string]bool{"geo.departement": true, "geo.commune": true, "geo.commune_contour": true,
	"geo.arrondissement_contour": true, "geo.commune_movement": true, "geo.postcode": true, "geo.adresse": true, "geo.adresse_locale": true,
	"geo.adresse_bano": true, "geo.lieu_dit": true}

// ReadsFrom tells whether a load of the source can change the index. A source that is not declared may fill any table.
func ReadsFrom(name string) bool {
	for _, s := range source.All() {
		if s.Name == name {
			return tables[s.Target.Table]
		}
	}
	return true
}

func sourceNames() (names []string) {
	for _, s := range source.All() {
		if tables[s.Target.Table] {
			names = append(names, s.Name)
		}
	}
	return names
}

// Store keeps the index that is served.
type Store struct {
	pool    *pgxpool.Pool
	path    string
	current atomic.Pointer[Index]
}

// New makes a store whose file is in dir. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string) *Store {
	return &Store{pool: pool, path: filepath.Join(dir, fileName)}
}

// Index is what is served now; nil while nothing is.
func (s *Store) Index() *Index { return s.current.Load() }

// Open serves the file that was built before, whatever it was built from. One that is missing or damaged is no error:
// Refresh builds it.
func (s *Store) Open() error {
	x, err := Open(s.path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errBroken) {
		return nil
	}
	if err != nil {
		return err
	}
	s.current.Store(x)
	return nil
}

var oneMoment = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Current tells whether what is served is an index of what is in the database, once the file is if it can be.
func (s *Store) Current(ctx context.Context) (current bool, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		current, err = s.isOf(ctx, tx)
		return err
	})
	return current, err
}

// isOf serves the file if it is an index of what the transaction sees.
func (s *Store) isOf(ctx context.Context, tx pgx.Tx) (bool, error) {
	now, err := stamp(ctx, tx)
	if err != nil {
		return false, err
	}
	if x := s.current.Load(); x != nil && x.Stamp == now {
		return true, nil
	}
	x, err := Open(s.path)
	if err != nil || x.Stamp != now {
		return false, nil
	}
	s.current.Store(x)
	return true, nil
}

// Refresh serves an index of what is in the database, and builds it unless the file is one already. Searches under way
// end on the index they began with. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	err := pgx.BeginTxFunc(ctx, s.pool, oneMoment, func(tx pgx.Tx) error {
		if current, err := s.isOf(ctx, tx); err != nil || current {
			return err
		}
		in, err := Read(ctx, tx)
		if err != nil {
			return err
		}
		return s.replace(ctx, in)
	})
	if err != nil {
		return fmt.Errorf("build the index of addresses: %w", err)
	}
	return nil
}

// replace builds beside the file that is served and puts the new one in its place whole.
func (s *Store) replace(ctx context.Context, in Input) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	s.sweep()
	f, err := os.CreateTemp(filepath.Dir(s.path), fileName+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing to remove once it is renamed
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	if err := errors.Join(Build(ctx, f, in), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	x, err := Open(s.path)
	if err != nil {
		return err
	}
	s.current.Store(x)
	return nil
}

// sweep removes what processes that were killed while building left behind. One that is at it holds its file
// locked, except in the moment after it made it.
func (s *Store) sweep() {
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
