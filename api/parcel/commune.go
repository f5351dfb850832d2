package parcel

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"arpent/app/fault"
)

// By parcelle_pkey, at most one row.
const parcelIsServed = `SELECT true FROM geo.parcelle WHERE idu = $1`

// CommuneOf gives the code of the commune a served parcel lies in.
func (s *Store) CommuneOf(ctx context.Context, idu string) (string, error) {
	id, err := ParseIDU(idu)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var served bool
	err = s.pool.QueryRow(ctx, parcelIsServed, idu).Scan(&served)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", s.missing(ctx, id)
	case err != nil:
		return "", down(err)
	}
	place, ok := s.places(id.Commune())
	if !ok {
		return "", fault.Down("The commune of this parcel is not loaded yet. Try again later.", nil)
	}
	return place.CodeInsee, nil
}
