package territory

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/source"
)

// loadTimeout bounds a rebuild, which takes about a second for the whole of France.
const loadTimeout = 2 * time.Minute

// Store holds the snapshot that is served.
type Store struct {
	pool    *pgxpool.Pool
	current atomic.Pointer[Snapshot]

	calls   atomic.Uint64 // number of calls of Refresh so far
	rebuild chan struct{} // mutex of the rebuild, as a channel
	covered uint64        // calls that the last rebuild covers, guarded by rebuild
}

// New returns a store that holds no snapshot until its first Refresh.
func New(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, rebuild: make(chan struct{}, 1)}
}

// Snapshot returns the current snapshot; nil before the first successful Refresh.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Place returns the place of a commune or arrondissement code; see
// Snapshot.Place. Before the first Refresh it finds none.
func (s *Store) Place(code string) (Place, bool) {
	snap := s.current.Load()
	if snap == nil {
		return Place{}, false
	}
	return snap.Place(code)
}

// Explain says what a code is that is taken for that of a commune; see
// Snapshot.Explain. Before the first Refresh it says nothing.
func (s *Store) Explain(code string) string {
	snap := s.current.Load()
	if snap == nil {
		return ""
	}
	return snap.Explain(code)
}

// Arrondissements lists the arrondissements of a commune; see Snapshot.Arrondissements. Before the first
// Refresh it lists none.
func (s *Store) Arrondissements(commune string) []string {
	snap := s.current.Load()
	if snap == nil {
		return nil
	}
	return snap.Arrondissements(commune)
}

// Refresh builds a snapshot of the database as of some moment after the call, and serves it. One rebuild runs
// at a time; calls that wait for it share the next one. On error the current snapshot stays.
func (s *Store) Refresh(ctx context.Context) error {
	mine := s.calls.Add(1)
	select {
	case s.rebuild <- struct{}{}:
		defer func() { <-s.rebuild }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.covered >= mine {
		return nil
	}
	before := s.calls.Load()
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	snap, err := Load(ctx, s.pool)
	if err != nil {
		return err
	}
	s.current.Store(snap)
	s.covered = before
	// The former snapshot and the rows just read take a hundred MiB, which the
	// runtime would otherwise keep for minutes.
	debug.FreeOSMemory()
	return nil
}

// IsMadeFrom reports whether a load of a source may change the snapshot.
func IsMadeFrom(sources []source.Source, name string) bool {
	return name == source.LandAreaSource || name == source.EPCISource || name == source.EPTSource ||
		source.MayFill(sources, name, Tables...)
}

// Tables lists the tables that the snapshot is read from, without those of figures and facts, of which it
// reads few sources.
var Tables = []string{"geo.region", "geo.departement", "geo.commune", "geo.commune_movement",
	"geo.region_contour", "geo.departement_contour", "geo.commune_contour", "geo.arrondissement_contour"}
