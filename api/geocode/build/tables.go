package build

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/api/geocode/layout"
	"arpent/internal/pgdb"
)

var (
	//go:embed addresses.sql
	readAddresses string
	//go:embed spellings.sql
	readSpellings string
)

// Whole tables are read, 101 to 40 000 rows each; the addresses come row by row.
const (
	// The loads that an index is built from: the same as those of the index
	// before when nothing has changed since.
	readLoads = `
SELECT coalesce(md5(string_agg(source || ' ' || scope || ' ' || checksum, ',' ORDER BY source, scope)), '') FROM geo.load
WHERE active AND source = ANY ($1)`
	readDepartements = `SELECT code, name, coalesce(region_code, '') FROM geo.departement ORDER BY code`
	readRegions      = `SELECT code, name FROM geo.region ORDER BY code`
	readCommunes     = `
SELECT k.code, k.name, coalesce(k.departement_code, ''), coalesce(k.population, 0), k.postcodes, k.former_codes, ST_Y(p), ST_X(p)
FROM geo.commune k LEFT JOIN geo.commune_contour c USING (code) LEFT JOIN LATERAL ST_PointOnSurface(c.geom) p ON true
WHERE k.type = 'commune-actuelle' ORDER BY k.departement_code, k.code`
	readParts = `
SELECT k.type = 'arrondissement-municipal', k.code, k.name, k.commune_code, coalesce(k.population, 0), k.postcodes, ST_Y(p), ST_X(p)
FROM geo.commune k LEFT JOIN geo.arrondissement_contour c USING (code) LEFT JOIN LATERAL ST_PointOnSurface(c.geom) p ON true
WHERE k.type <> 'commune-actuelle' AND k.commune_code IS NOT NULL ORDER BY k.type, k.code`
	readMovements = `SELECT day::text, code_before, name_before, code_after, name_after FROM geo.commune_movement ORDER BY day, code_before, name_before`
	readPostal    = `SELECT commune, postcode, label FROM geo.postcode
UNION SELECT commune, postcode, locality FROM geo.postcode WHERE locality <> '' ORDER BY 1, 2, 3`
)

// Read gives what is in the tables at the moment of the transaction,
// which must last until the index is built.
func Read(ctx context.Context, tx pgx.Tx) (Input, error) {
	var in Input
	if err := cmp.Or(
		collectRows(ctx, tx, &in.Departements, pgx.RowToStructByPos, readDepartements),
		collectRows(ctx, tx, &in.Regions, pgx.RowToStructByPos, readRegions),
		collectRows(ctx, tx, &in.Communes, scanCommune, readCommunes),
		collectRows(ctx, tx, &in.Parts, scanPart, readParts),
		collectRows(ctx, tx, &in.Postal, pgx.RowToStructByPos, readPostal),
		collectRows(ctx, tx, &in.Spellings, pgx.RowToStructByPos, readSpellings),
	); err != nil {
		return in, fmt.Errorf("read the places: %w", err)
	}
	movements, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[Movement], readMovements)
	if err != nil {
		return in, fmt.Errorf("read the movements of communes: %w", err)
	}
	in.Parts = append(in.Parts, dropListed(FormerNames(movements, in.Communes), in.Parts)...)
	in.Addresses = func(ctx context.Context, each func(Address) error) error {
		return streamAddresses(ctx, tx, each)
	}
	return in, nil
}

// ActiveLoads identifies the state of the loads of the sources.
func ActiveLoads(ctx context.Context, tx pgx.Tx, sources []string) (s string, err error) {
	if err = tx.QueryRow(ctx, readLoads, sources).Scan(&s); err != nil {
		return "", fmt.Errorf("read the loads: %w", err)
	}
	return s, nil
}

// dropListed leaves out the former names that the list of parts has already.
func dropListed(names, listed []Part) []Part {
	type key struct{ name, commune string }
	have := map[key]bool{}
	for _, p := range listed {
		have[key{p.Name, p.Commune}] = true
	}
	var out []Part
	for _, n := range names {
		if !have[key{n.Name, n.Commune}] {
			out = append(out, n)
		}
	}
	return out
}

func collectRows[T any](ctx context.Context, tx pgx.Tx, into *[]T, scan pgx.RowToFunc[T],
	sql string) (err error) {
	*into, err = pgdb.Collect(ctx, tx, scan, sql)
	return err
}

func scanCommune(r pgx.CollectableRow) (c Commune, err error) {
	var lat, lon *float64
	err = r.Scan(&c.Code, &c.Name, &c.Departement, &c.Population, &c.Postcodes, &c.FormerCodes, &lat, &lon)
	c.At = newPoint(lat, lon)
	return c, err
}

func scanPart(r pgx.CollectableRow) (p Part, err error) {
	var lat, lon *float64
	err = r.Scan(&p.Arrondissement, &p.Code, &p.Name, &p.Commune, &p.Population, &p.Postcodes, &lat, &lon)
	p.At = newPoint(lat, lon)
	return p, err
}

func newPoint(lat, lon *float64) *layout.Point {
	if lat == nil || lon == nil {
		return nil
	}
	return &layout.Point{Lat: *lat, Lon: *lon}
}

func streamAddresses(ctx context.Context, tx pgx.Tx, each func(Address) error) error {
	r, _ := tx.Query(ctx, readAddresses)
	var a Address
	_, err := pgx.ForEachRow(r, []any{&a.Code, &a.OldCode, &a.Name, &a.Postcode, &a.Number, &a.Suffix,
		&a.Locality, &a.At.Lat, &a.At.Lon},
		func() error { return each(a) })
	return err
}
