package territory

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// loadTimeout bounds a rebuild, which takes about a second for the whole of France.
const loadTimeout = 2 * time.Minute

// Store keeps the snapshot that is served.
type Store struct {
	pool    *pgxpool.Pool
	current atomic.Pointer[Snapshot]

	asked   atomic.Uint64 // calls of Refresh so far
	turn    chan struct{} // held by the one that rebuilds
	covered uint64        // calls that the last rebuild answers, under turn
}

// New makes a store that holds nothing until its first Refresh.
func New(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, turn: make(chan struct{}, 1)}
}

// Snapshot is the territory as served now; nil before the first successful Refresh.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Place finds what the first five characters of a parcel's reference stand for; see Snapshot.Place. Before the first
// Refresh it finds nothing.
func (s *Store) Place(code string) (Place, bool) {
	snap := s.current.Load()
	if snap == nil {
		return Place{}, false
	}
	return snap.Place(code)
}

// Refresh builds a snapshot of the database as it is at some moment after the call, and serves it. One rebuild runs at
// a time; calls that wait for it share the next one. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	mine := s.asked.Add(1)
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.covered >= mine {
		return nil
	}
	before := s.asked.Load()
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	snap, err := Load(ctx, s.pool)
	if err != nil {
		return err
	}
	s.current.Store(snap)
	s.covered = before
	// The former snapshot and the rows just read are a hundred MiB that would else stay with the process for minutes.
	debug.FreeOSMemory()
	return nil
}

// Tables are what the snapshot is read from.
var Tables = []string{"geo.region", "geo.departement", "geo.commune", "geo.region_contour", "geo.departement_contour", "geo.commune_contour"}
