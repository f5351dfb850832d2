package stats

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/fault"
	"arpent/internal/snapshot"
)

// Store keeps the active snapshot.
type Store struct {
	*snapshot.Store[Snapshot]
	emptyBodies map[Level]Body
}

// New makes a store whose file is in dir, of what the catalogue has. It serves nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string, c *Catalogue) *Store {
	nothing := map[Level]Body{}
	for level := range c.blocks {
		nothing[level] = NewBody(c.Nothing(level))
	}
	return &Store{emptyBodies: nothing, Store: snapshot.NewStore(snapshot.Kind[Snapshot]{
		File: "statistics.book", Format: Format, Read: readSnapshot, Source: c.sourceFingerprint,
		Build: func(ctx context.Context, tx pgx.Tx, w *snapshot.Writer) error {
			d, err := c.Read(ctx, tx)
			if err != nil {
				return err
			}
			return d.Write(ctx, w)
		},
	}, pool, dir)}
}

// Snapshot is the active one; nil while there is none.
func (s *Store) Snapshot() *Snapshot { return s.Get() }

// Reader gives the active snapshot, and for what it lacks the statistics of which nothing is known.
func (s *Store) Reader() Reader { return Reader{s.Get(), s.emptyBodies} }

// Reader is what is active at one moment.
type Reader struct {
	snapshot    *Snapshot
	emptyBodies map[Level]Body
}

// Of finds the statistics of a territory. Of one that is not in the
// snapshot, and without a snapshot, nothing is known.
func (r Reader) Of(level Level, code string) Body {
	if body, ok := r.snapshot.Of(level, code); ok {
		return body
	}
	return r.emptyBodies[level]
}

// Column sorts the territories of a level by a figure of the snapshot: see Snapshot.Column.
func (r Reader) Column(ctx context.Context, level Level, field string) (*Column, error) {
	return r.snapshot.Column(ctx, level, field)
}

// Refresh serves what is in the database, and renders it unless the file is of it already. Answers under way
// end on the snapshot they began with. When it fails, the snapshot before stays active.
func (s *Store) Refresh(ctx context.Context) error {
	return fault.Wrap("render the statistics", s.Store.Refresh(ctx))
}
