package parcel

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/fault"
)

// By parcelle_pkey, at most one row.
const parcelIsServed = `SELECT true FROM geo.parcelle WHERE idu = $1`

// PlaceOf returns the place of a parcel that the database has, from which its report is made. Its errors are those of Find.
func (s *Store) PlaceOf(ctx context.Context, idu string) (Place, error) {
	id, err := ParseIDU(idu)
	if err != nil {
		return Place{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var served bool
	err = s.row(ctx, parcelIsServed, []any{idu}, &served)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Place{}, s.missing(ctx, id)
	case err != nil:
		return Place{}, down(err)
	}
	place, ok := s.places(id.Commune())
	if !ok {
		return Place{}, fault.Down("The commune of this parcel is not loaded yet. Try again later.", nil)
	}
	return place, nil
}
