package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
)

// inDegrees reprojects one shape and yields null for one that the projection cannot hold, where ST_Transform
// would end the whole statement. It takes several times as long.
const inDegrees = `CREATE OR REPLACE FUNCTION pg_temp.in_degrees(shape geometry) RETURNS geometry LANGUAGE plpgsql AS $$
BEGIN
    RETURN ST_SnapToGrid(ST_Transform(shape, 4326), 1e-7);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$`

// Conditions on the shape of a row.
const (
	wrongSRID       = "ST_SRID(geom) <> 4326"
	emptyShape      = "ST_IsEmpty(geom)"
	degenerateShape = "geom IS NULL OR ST_IsEmpty(geom) OR ST_Dimension(geom) = 1 AND ST_Length(geom) = 0"
)

// checkShapes brings every shape to degrees and makes areas valid, surveys the rows, and takes those out that
// are not inside the bounds.
func (c *checker) checkShapes(ctx context.Context) error {
	g := c.src.Geometry
	if g == nil {
		return c.surveyRows(ctx)
	}
	if c.anyProjected {
		_, err := c.conn.Exec(ctx, c.reprojectRows("ST_SnapToGrid(ST_Transform(geom, 4326), 1e-7)"))
		var refused *pgconn.PgError
		if errors.As(err, &refused) { // one of them cannot be: one by one
			_, err = c.conn.Exec(ctx, inDegrees+"; "+c.reprojectRows("pg_temp.in_degrees(geom)"))
		}
		if err != nil {
			return fmt.Errorf("reproject: %w", err)
		}
	}
	if convert.HasAreas(g) {
		// ReducePrecision puts the vertices that the repair made back on the grid, and keeps the shape valid.
		repaired := "ST_CollectionExtract(ST_ReducePrecision(ST_MakeValid(geom, 'method=structure'), 1e-7), 3)"
		if g.Polygon {
			repaired = "ST_Multi(" + repaired + ")"
		}
		if _, err := c.conn.Exec(ctx, "UPDATE stage SET geom = "+repaired+
			" WHERE ST_Dimension(geom) = 2 AND NOT ST_IsValid(geom)"); err != nil {
			return fmt.Errorf("repair shapes: %w", err)
		}
	}
	if err := c.surveyRows(ctx); err != nil {
		return err
	}
	if !g.Optional {
		if err := c.rejectRows(ctx, degenerateShape, "'its geometry has no area, length or place'"); err != nil {
			return err
		}
	} else if c.anyMatch(emptyShape) {
		c.lastSurvey = nil // more rows are without a shape than it has seen
		if _, err := c.conn.Exec(ctx, "UPDATE stage SET geom = NULL WHERE "+emptyShape); err != nil {
			return fmt.Errorf("empty shapes: %w", err)
		}
	}
	if len(g.Bounds) == 0 {
		return nil
	}
	// A wrong projection puts shapes out of bounds.
	return c.rejectRows(ctx, outOfBounds(g), `'its geometry is out of bounds, near ' ||
		round(ST_XMin(geom)::numeric, 3) || ', ' || round(ST_YMin(geom)::numeric, 3) ||
		': wrong projection, or latitude and longitude swapped'`)
}

// reprojectRows are the statements that write the rows anew with their shapes in degrees, in three quarters
// of the time of an update, which leaves the former rows to be read again and again.
func (c *checker) reprojectRows(degrees string) string {
	others := slices.DeleteFunc(slices.Clone(c.columns), func(name string) bool { return name == "geom" })
	return "CREATE TEMP TABLE projected AS SELECT " + columnList(others) + ", CASE WHEN " + wrongSRID + " THEN " +
		degrees + " ELSE geom END AS geom FROM stage; DROP TABLE stage; ALTER TABLE projected RENAME TO stage"
}

func outOfBounds(g *source.Geometry) string {
	inside := make([]string, len(g.Bounds))
	for i, b := range g.Bounds {
		inside[i] = fmt.Sprintf("geom @ ST_MakeEnvelope(%g, %g, %g, %g, 4326)", b.West, b.South, b.East, b.North)
	}
	return "NOT (" + strings.Join(inside, " OR ") + ")"
}
