package geocode

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/filestore"
	"arpent/api/source"
)

// Tables are what an index is built from.
var Tables = []string{"geo.departement", "geo.commune", "geo.commune_contour",
	"geo.arrondissement_contour", "geo.commune_movement", "geo.postcode", "geo.adresse", "geo.adresse_locale",
	"geo.adresse_bano", "geo.lieu_dit"}

// Store keeps the index that is served.
type Store struct{ *filestore.Store[Index] }

// New makes a store whose file is in dir, of what the sources fill. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string, sources []source.Source) *Store {
	var names []string
	for _, s := range source.Filling(sources, Tables...) {
		names = append(names, s.Name)
	}
	loads := func(ctx context.Context, tx pgx.Tx) (string, error) { return stamp(ctx, tx, names) }
	return &Store{filestore.New(filestore.Kind[Index]{
		File: "addresses.index", Open: Open, Broken: errBroken, Made: func(x *Index) string { return x.Stamp }, Loads: loads,
		Write: func(ctx context.Context, tx pgx.Tx, f *os.File) error {
			in, err := Read(ctx, tx, names)
			if err != nil {
				return err
			}
			return Build(ctx, f, in)
		},
	}, pool, dir)}
}

// Index is what is served now; nil while nothing is.
func (s *Store) Index() *Index { return s.Get() }

// Refresh serves an index of what is in the database, and builds it unless the file is one already. Searches under way
// end on the index they began with. When it fails, what was served before still is.
func (s *Store) Refresh(ctx context.Context) error {
	if err := s.Store.Refresh(ctx); err != nil {
		return fmt.Errorf("build the index of addresses: %w", err)
	}
	return nil
}
