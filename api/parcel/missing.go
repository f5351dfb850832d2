package parcel

import (
	"context"
	_ "embed"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/fault"
)

//go:embed gone.sql
var findGone string

type goneRow struct {
	Seen      *time.Time
	Successor *string
}

// missing returns the error for a parcel that neither the file nor the database serves: what is known of it, and of its successors.
func (s *Store) missing(ctx context.Context, id IDU) error {
	found, err := rows(ctx, s, pgx.RowToStructByPos[goneRow], findGone, string(id))
	if err != nil {
		return down(err)
	}
	if len(found) > 0 {
		g := gone{seen: found[0].Seen}
		for _, r := range found {
			if r.Successor != nil {
				g.successors = append(g.successors, *r.Successor)
			}
		}
		return g.error(id)
	}
	if err := s.behindPrefix(id); err != nil {
		return err
	}
	today, merged := s.today(id.Commune())
	if !merged {
		return s.unknown(ctx, id)
	}
	successors, err := rows(ctx, s, pgx.RowTo[string], areServed, id.within(today))
	if err != nil {
		return down(err)
	}
	return s.renamed(id, today, successors)
}

// behindPrefix returns the error for a reference without the prefix of a former commune, which names the
// parcels that it may mean; nil: there are none.
func (s *Store) behindPrefix(id IDU) error {
	x := s.index()
	if x == nil || id.Prefix() != "000" {
		return nil
	}
	var alike []string
	for _, other := range x.alike(id) {
		alike = append(alike, string(other))
	}
	if alike == nil {
		return nil
	}
	return fault.Missing("No parcel has reference %s, with prefix 000. Commune %s was merged of several, whose parcels have prefixes of their own: it may be %s.",
		id, id.Commune(), strings.Join(alike, " or "))
}

// goneFrom returns the error for a parcel that is gone as the file knows; nil: the file does not know it.
func (s *Store) goneFrom(ctx context.Context, x *Index, id IDU) error {
	g, ok, err := x.findGone(id)
	if err != nil {
		slog.ErrorContext(ctx, "parcel that is gone not read from the file; the database is asked", "error", err)
		return nil
	}
	if !ok {
		return nil
	}
	return g.error(id)
}

// alone returns the error for a parcel that is not in the file while the database cannot be asked: which parcel of the file took its
// place when its commune was merged, else that the database is away.
func (s *Store) alone(id IDU, away error) error {
	if err := s.behindPrefix(id); err != nil && fault.From(away).Code == fault.Unavailable {
		return err
	}
	x := s.index()
	today, merged := s.today(id.Commune())
	if x == nil || !merged || fault.From(away).Code != fault.Unavailable {
		return away
	}
	var successors []string
	for _, candidate := range id.within(today) {
		if x.has(IDU(candidate)) {
			successors = append(successors, candidate)
		}
	}
	if successors == nil {
		return away
	}
	return s.renamed(id, today, successors)
}

// error says what is known of a parcel that is gone.
func (g gone) error(id IDU) error {
	message := "Parcel " + string(id) + " is no longer in the cadastre"
	if g.seen != nil {
		message += "; it was last seen in the edition of " + g.seen.Format(time.DateOnly)
	}
	if len(g.successors) > 0 {
		message += "; in its place are now: " + strings.Join(g.successors, ", ")
	}
	return fault.Missing("%s.", message)
}

// today is the code of the commune that another one was merged into; false: that one is a commune or an arrondissement of today,
// or there never was such a commune.
func (s *Store) today(code string) (today string, merged bool) {
	place, ok := s.places(code)
	return place.CodeInsee, ok && place.CodeArr == "" && place.CodeInsee != code
}

// By parcelle_pkey: at most as many rows as references are asked for.
const areServed = `SELECT idu FROM geo.parcelle WHERE idu = ANY ($1) ORDER BY idu COLLATE "C"`

// within are the references that a parcel of a merged commune can have in the commune of today, where it keeps section and number:
// their prefix is the end of the former commune's code, or the prefix that they had already. They are in order.
func (i IDU) within(today string) (references []string) {
	references = append(references, today+string(i[2:5])+string(i[8:]))
	if i.Prefix() != "000" {
		references = append(references, today+string(i[5:]))
	}
	slices.Sort(references)
	return slices.Compact(references)
}

// renamed returns the error for a reference whose commune was merged into another one, and of which these parcels bear section
// and number there.
func (s *Store) renamed(id IDU, today string, successors []string) error {
	switch {
	case len(successors) == 0 && s.explain(id.Commune()) != "": // hardly anybody means the commune of long ago
		return fault.Missing("No parcel has reference %s: %s", id, s.explain(id.Commune()))
	case len(successors) == 0:
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
