package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/api/source"
)

// inDegrees reprojects one shape and yields null for one that the projection cannot hold, where ST_Transform would
// end the whole statement. It takes several times as long: see reproject.
const inDegrees = `CREATE OR REPLACE FUNCTION pg_temp.in_degrees(shape geometry) RETURNS geometry LANGUAGE plpgsql AS $$
BEGIN
    RETURN ST_SnapToGrid(ST_Transform(shape, 4326), 1e-7);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$`

// shapes brings every shape to degrees inside the bounds, and makes areas valid.
func (c *checker) shapes(ctx context.Context) error {
	g := c.src.Geometry
	name := pgx.Identifier{geometryName(g)}.Sanitize()
	if err := c.reproject(ctx, name); err != nil {
		return fmt.Errorf("reproject: %w", err)
	}
	steps := []struct{ what, sql string }{{"repair shapes", repairAreas(g, name)}}
	if g.Optional {
		empty := "UPDATE stage SET " + name + " = NULL WHERE ST_IsEmpty(" + name + ")"
		steps = append(steps, struct{ what, sql string }{"empty shapes", empty})
	}
	for _, s := range steps {
		if s.sql == "" {
			continue
		}
		if _, err := c.conn.Exec(ctx, s.sql); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	if !g.Optional {
		nowhere := name + " IS NULL OR ST_IsEmpty(" + name + ") OR ST_Dimension(" + name + ") = 1 AND ST_Length(" + name + ") = 0"
		if err := c.reject(ctx, nowhere, "'its geometry has no area, length or place'"); err != nil {
			return err
		}
	}
	return c.inBounds(ctx, name)
}

// reproject brings all shapes to degrees at once and, where one of them cannot be, one by one.
func (c *checker) reproject(ctx context.Context, name string) error {
	const degrees = "UPDATE stage SET %[1]s = %[2]s WHERE ST_SRID(%[1]s) <> 4326"
	_, err := c.conn.Exec(ctx, fmt.Sprintf(degrees, name, "ST_SnapToGrid(ST_Transform("+name+", 4326), 1e-7)"))
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return err
	}
	if _, err := c.conn.Exec(ctx, inDegrees); err != nil {
		return err
	}
	_, err = c.conn.Exec(ctx, fmt.Sprintf(degrees, name, "pg_temp.in_degrees("+name+")"))
	return err
}

// repairAreas is the statement that makes areas valid; empty where there can be none.
func repairAreas(g *source.Geometry, name string) string {
	switch g.From {
	case source.LonLat, source.LatLonText, source.DMS:
		if g.Else == nil {
			return ""
		}
	}
	// ReducePrecision puts the vertices that the repair made back on the grid, and keeps the shape valid.
	repaired := "ST_CollectionExtract(ST_ReducePrecision(ST_MakeValid(" + name + ", 'method=structure'), 1e-7), 3)"
	if g.Polygon {
		repaired = "ST_Multi(" + repaired + ")"
	}
	return "UPDATE stage SET " + name + " = " + repaired + " WHERE ST_Dimension(" + name + ") = 2 AND NOT ST_IsValid(" + name + ")"
}

// inBounds rejects shapes outside the bounds, where a wrong projection puts them.
func (c *checker) inBounds(ctx context.Context, name string) error {
	bounds := c.src.Geometry.Bounds
	if len(bounds) == 0 {
		return nil
	}
	inside := make([]string, len(bounds))
	for i, b := range bounds {
		inside[i] = fmt.Sprintf("%s @ ST_MakeEnvelope(%g, %g, %g, %g, 4326)", name, b.West, b.South, b.East, b.North)
	}
	return c.reject(ctx, "NOT ("+strings.Join(inside, " OR ")+")",
		"'its geometry is out of bounds, near ' || round(ST_XMin("+name+")::numeric, 3) || ', ' || round(ST_YMin("+name+
			")::numeric, 3) || ': wrong projection, or latitude and longitude swapped'")
}
