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
type Store struct{ *filestore.Store[Index] }

// New makes a store whose file is in dir. It holds nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string) *Store {
	return &Store{filestore.New(filestore.Kind[Index]{
		File: "addresses.index", Open: Open, Broken: errBroken, Made: func(x *Index) string { return x.Stamp }, Loads: stamp,
		Write: func(ctx context.Context, tx pgx.Tx, f *os.File) error {
			in, err := Read(ctx, tx)
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
