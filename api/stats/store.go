package stats

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/filestore"
)

// Store keeps the book that is served.
type Store struct{ *filestore.Store[Book] }

// New makes a store whose file is in dir. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string) *Store {
	return &Store{filestore.New(filestore.Kind[Book]{
		File: "statistics.book", Open: OpenBook, Broken: errBroken, Made: (*Book).Stamp, Loads: stamp,
		Write: func(ctx context.Context, tx pgx.Tx, f *os.File) error {
			d, err := Read(ctx, tx)
			if err != nil {
				return err
			}
			return d.write(ctx, f)
		},
	}, pool, dir)}
}

// Book is what is served now; nil while nothing is.
func (s *Store) Book() *Book { return s.Get() }

// Refresh serves what is in the database, and renders it unless the file is of it already. Answers under way end on the
// book they began with. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	if err := s.Store.Refresh(ctx); err != nil {
		return fmt.Errorf("render the statistics: %w", err)
	}
	return nil
}
