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
type Store struct {
	*filestore.Store[Book]
	nothing map[Level]Body
}

// New makes a store whose file is in dir, of what the catalogue has. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string, c *Catalogue) *Store {
	nothing := map[Level]Body{}
	for level := range c.blocks {
		nothing[level] = NewBody(c.Nothing(level))
	}
	return &Store{nothing: nothing, Store: filestore.New(filestore.Kind[Book]{
		File: "statistics.book", Open: OpenBook, Broken: errBroken, Made: (*Book).Stamp, Loads: c.stamp,
		Write: func(ctx context.Context, tx pgx.Tx, f *os.File) error {
			d, err := c.Read(ctx, tx)
			if err != nil {
				return err
			}
			return d.write(ctx, f)
		},
	}, pool, dir)}
}

// Book is what is served now; nil while nothing is.
func (s *Store) Book() *Book { return s.Get() }

// Reader gives what is served now: the book, and of what it lacks the statistics of which nothing is known.
func (s *Store) Reader() Reader { return Reader{s.Get(), s.nothing} }

// Reader is what is served at one moment.
type Reader struct {
	book    *Book
	nothing map[Level]Body
}

// Of finds the statistics of a territory. Of one that is not in the book, and without a book, nothing is known.
func (r Reader) Of(level Level, code string) Body {
	if body, ok := r.book.Of(level, code); ok {
		return body
	}
	return r.nothing[level]
}

// Refresh serves what is in the database, and renders it unless the file is of it already. Answers under way end on the
// book they began with. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	if err := s.Store.Refresh(ctx); err != nil {
		return fmt.Errorf("render the statistics: %w", err)
	}
	return nil
}
