package geocode

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/internal/fault"
	"arpent/internal/opendata/source"
	"arpent/internal/snapshot"
)

// Tables are what an index is built from.
var Tables = []string{"geo.departement", "geo.region", "geo.commune", "geo.commune_contour",
	"geo.arrondissement_contour", "geo.commune_movement", "geo.postcode", "geo.adresse", "geo.adresse_locale",
	"geo.adresse_bano", "geo.lieu_dit"}

// Store keeps the active index.
type Store struct{ *snapshot.Store[Index] }

// New makes a store whose file is in dir, of what the sources fill. It serves nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string, sources []source.Source) *Store {
	var names []string
	for _, s := range source.Filling(sources, Tables...) {
		names = append(names, s.Name)
	}
	return &Store{snapshot.NewStore(snapshot.Kind[Index]{
		File: "addresses.index", Format: layout.Format, Read: readIndex,
		Source: func(ctx context.Context, tx pgx.Tx) (string, error) { return build.ActiveLoads(ctx, tx, names) },
		Build: func(ctx context.Context, tx pgx.Tx, w *snapshot.Writer) error {
			in, err := build.Read(ctx, tx)
			if err != nil {
				return err
			}
			return build.Build(ctx, w, in)
		},
	}, pool, dir)}
}

// Index is the active one; nil while there is none.
func (s *Store) Index() *Index { return s.Get() }

// Refresh serves an index of what is in the database, and builds it unless the file is one already. Searches
// under way end on the index they began with. When it fails, the index before stays active.
func (s *Store) Refresh(ctx context.Context) error {
	return fault.Wrap("build the index of addresses", s.Store.Refresh(ctx))
}
