package parcel

import (
	"context"
	_ "embed"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/fault"
)

//go:embed gone.sql
var findGone string

type goneRow struct{ Seen, Successor *string }

// missing returns the error for a parcel that is not served: what is known of it, and of its successors.
func (s *Store) missing(ctx context.Context, id IDU) error {
	gone, err := rows(ctx, s, pgx.RowToStructByPos[goneRow], findGone, string(id))
	if err != nil {
		return down(err)
	}
	if len(gone) == 0 {
		return s.renamed(ctx, id)
	}
	var successors []string
	for _, r := range gone {
		if r.Successor != nil {
			successors = append(successors, *r.Successor)
		}
	}
	message := "Parcel " + string(id) + " is no longer in the cadastre"
	if seen := gone[len(gone)-1].Seen; seen != nil {
		message += "; it was last seen in the edition of " + *seen
	}
	if len(successors) > 0 {
		message += "; in its place are now: " + strings.Join(successors, ", ")
	}
	return fault.Missing("%s.", message)
}

//go:embed renamed.sql
var findRenamed string

type renamedRow struct {
	Today     string
	Successor *string
}

// renamed returns the error for a reference whose commune was merged into another one.
func (s *Store) renamed(ctx context.Context, id IDU) error {
	merged, err := rows(ctx, s, pgx.RowToStructByPos[renamedRow], findRenamed, string(id))
	var today string
	var successors []string
	for _, r := range merged {
		today = r.Today
		if r.Successor != nil {
			successors = append(successors, *r.Successor)
		}
	}
	switch {
	case err != nil:
		return down(err)
	case today == "":
		return s.unknown(ctx, id)
	case successors == nil && s.explain(id.Commune()) != "": // hardly anybody means the commune of long ago
		return fault.Missing("No parcel has reference %s: %s", id, s.explain(id.Commune()))
	case successors == nil:
		return fault.Missing("No parcel has reference %s: commune %s is part of %s now, and so are its parcels.", id, id.Commune(), today)
	default:
		return fault.Missing("No parcel has reference %s any more: commune %s is part of %s now; in its place is now: %s.",
			id, id.Commune(), today, strings.Join(successors, ", "))
	}
}

// unknown returns the error for a reference that there never was, as far as is known here.
func (s *Store) unknown(ctx context.Context, id IDU) error {
	code := id.Commune()
	place, ok := s.places(code)
	if why := s.explain(code); !ok && why != "" {
		return fault.Missing("No parcel has reference %s: %s", id, why)
	}
	if !ok {
		return fault.Missing("No parcel has reference %s: no commune has code %s.", id, code)
	}
	loaded, first, err := s.loaded(ctx, code)
	switch {
	case err != nil:
		return err
	case first != code:
		return fault.Missing("No parcel has reference %s: those of %s begin with the code of an arrondissement, such as %s, not with %s.",
			id, place.CommuneName, first, code)
	case loaded == None:
		return fault.Missing("Parcel %s is not known: the parcels of %s (%s) are not loaded on this server.", id, place.CommuneName, code)
	case loaded == Part:
		return fault.Missing("Parcel %s is not known: only a part of the parcels of %s (%s) is loaded on this server.", id, place.CommuneName, code)
	}
	return fault.Missing("No parcel has reference %s: the parcels of %s (%s) are loaded, and this is none of them.", id, place.CommuneName, code)
}

// Coverage is how many of the parcels of a place are served.
type Coverage int

// A part is served where a load held a part of the commune only, or where some arrondissements are loaded and others are not.
const (
	None Coverage = iota
	Part
	Whole
)

// By parcelle_commune_pkey, which has the arrondissements in place of their city, and by commune_pkey for those.
const parcelsAreLoaded = `
WITH city AS (
	SELECT code FROM geo.commune
	WHERE code BETWEEN left($1, 2) AND left($1, 2) || 'ZZZ' AND commune_code = $1 AND type = 'arrondissement-municipal'
)
SELECT count(*), count(p.code), count(*) FILTER (WHERE p.complete), min(k.code)
FROM (SELECT code FROM city UNION ALL SELECT $1 WHERE NOT EXISTS (SELECT FROM city)) k
LEFT JOIN geo.parcelle_commune p USING (code)`

// loaded returns how many of the parcels of a commune or arrondissement are served, and the first code that their references
// begin with, which is not that of a city with arrondissements.
func (s *Store) loaded(ctx context.Context, code string) (c Coverage, first string, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var all, some, complete int
	if err := s.row(ctx, parcelsAreLoaded, []any{code}, &all, &some, &complete, &first); err != nil {
		return None, "", down(err)
	}
	switch {
	case some == 0:
		return None, first, nil
	case complete < all:
		return Part, first, nil
	}
	return Whole, first, nil
}

// The outlines of arrondissements are 45, with arrondissement_contour_geom_idx.
const arrondissementAt = `
SELECT coalesce((SELECT min(code) FROM geo.arrondissement_contour WHERE ST_Covers(geom, ST_SetSRID(ST_MakePoint($1, $2), 4326))), $3)`

// CoverageAt returns how many of the parcels are served around a point of a commune: those of the arrondissement where there is
// one. code is the one that it speaks of.
func (s *Store) CoverageAt(ctx context.Context, lat, lon float64, commune string) (c Coverage, code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if err := s.row(ctx, arrondissementAt, []any{lon, lat, commune}, &code); err != nil {
		return None, "", down(err)
	}
	c, _, err = s.loaded(ctx, code)
	return c, code, err
}
