package parcel

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/fault"
)

// Outline is a parcel to be drawn.
type Outline struct {
	IDU  string
	Ring [][2]float64 // the outer one: longitude and latitude in degrees
}

var (
	//go:embed around.sql
	parcelsAround string
	//go:embed near.sql
	parcelNear string
)

// Around returns the outlines of a parcel and of its neighbours, count in all. There are none when it is not served. It
// returns fault.Down when the database cannot be read.
func (s *Store) Around(ctx context.Context, idu string, count int) ([]Outline, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	out, err := rows(ctx, s, ScanOutline, parcelsAround, idu, count)
	if err != nil {
		return nil, down(err)
	}
	return out, nil
}

// ScanOutline reads a row of a reference and of its outer ring as GeoJSON.
func ScanOutline(row pgx.CollectableRow) (Outline, error) {
	var o Outline
	var ring []byte
	if err := row.Scan(&o.IDU, &ring); err != nil {
		return o, err
	}
	var line struct{ Coordinates [][2]float64 }
	if err := json.Unmarshal(ring, &line); err != nil {
		return o, fmt.Errorf("read the outline of parcel %q: %w", o.IDU, err)
	}
	o.Ring = line.Coordinates
	return o, nil
}

// Near returns the parcel nearest to a point, up to so many metres away, and its distance: the point of an address often lies in
// the street, which has no parcel. It returns fault.NotFound where there is none, and fault.Down when the database cannot be
// read.
func (s *Store) Near(ctx context.Context, lat, lon float64, within int) (idu string, metres float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	err = s.row(ctx, parcelNear, []any{lon, lat, within}, &idu, &metres)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", 0, fault.Missing("No parcel lies within %d m of the point.", within)
	case err != nil:
		return "", 0, down(err)
	}
	return idu, metres, nil
}
