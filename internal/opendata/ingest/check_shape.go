package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
)

// inDegrees reprojects one shape and yields null for one that the projection cannot hold, where ST_Transform
// would end the whole statement. It takes several times as long: see reproject.
const inDegrees = `CREATE OR REPLACE FUNCTION pg_temp.in_degrees(shape geometry) RETURNS geometry LANGUAGE plpgsql AS $$
BEGIN
    RETURN ST_SnapToGrid(ST_Transform(shape, 4326), 1e-7);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$`

// checkShapes surveys the rows when every shape is in degrees and valid, and
// takes those out that are not inside the bounds.
func (c *checker) checkShapes(ctx context.Context) error {
	g := c.src.Geometry
	if g == nil {
		return c.surveyRows(ctx)
	}
	name := pgx.Identifier{geometryName(g)}.Sanitize()
	if err := c.normalizeShapes(ctx, name); err != nil {
		return err
	}
	if g.Optional {
		if err := c.clearEmptyShapes(ctx, name); err != nil {
			return fmt.Errorf("empty shapes: %w", err)
		}
	} else if err := c.rejectRows(ctx, degenerateShape(name),
		"'its geometry has no area, length or place'"); err != nil {
		return err
	}
	return c.rejectOutOfBounds(ctx, name)
}

// normalizeShapes brings every shape to degrees and makes areas valid, and surveys the rows. Of points it
// does that first, which are in degrees as a rule.
func (c *checker) normalizeShapes(ctx context.Context, name string) error {
	repair := repairAreas(c.src.Geometry, name)
	var projected bool // by the first shape; others may be in another projection
	first := "SELECT EXISTS (SELECT FROM (SELECT " + name + " FROM stage WHERE " + name +
		" IS NOT NULL LIMIT 1) s WHERE " + wrongSRID(name) + ")"
	if err := c.conn.QueryRow(ctx, first).Scan(&projected); err != nil {
		return fmt.Errorf("look at the first shape: %w", err)
	}
	if repair == "" && !projected {
		if err := c.surveyRows(ctx); err != nil || !c.anyMatch(wrongSRID(name)) {
			return err
		}
	}
	if err := c.reprojectShapes(ctx, name); err != nil {
		return fmt.Errorf("reproject: %w", err)
	}
	if repair != "" {
		if _, err := c.conn.Exec(ctx, repair); err != nil {
			return fmt.Errorf("repair shapes: %w", err)
		}
	}
	return c.surveyRows(ctx)
}

// clearEmptyShapes makes empty shapes none, so that more rows have none than were seen.
func (c *checker) clearEmptyShapes(ctx context.Context, name string) error {
	if !c.anyMatch(emptyShape(name)) {
		return nil
	}
	c.lastSurvey = nil
	_, err := c.conn.Exec(ctx, "UPDATE stage SET "+name+" = NULL WHERE "+emptyShape(name))
	return err
}

func wrongSRID(name string) string { return "ST_SRID(" + name + ") <> 4326" }

func emptyShape(name string) string { return "ST_IsEmpty(" + name + ")" }

func degenerateShape(name string) string {
	return name + " IS NULL OR ST_IsEmpty(" + name + ") OR ST_Dimension(" + name + ") = 1 AND ST_Length(" +
		name + ") = 0"
}

// reprojectShapes brings all shapes to degrees at once and, where one of them cannot be, one by one.
func (c *checker) reprojectShapes(ctx context.Context, name string) error {
	degrees := "UPDATE stage SET %[1]s = %[2]s WHERE " + wrongSRID(name)
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
	if !convert.HasAreas(g) {
		return ""
	}
	// ReducePrecision puts the vertices that the repair made back on the grid, and keeps the shape valid.
	repaired := "ST_CollectionExtract(ST_ReducePrecision(ST_MakeValid(" + name +
		", 'method=structure'), 1e-7), 3)"
	if g.Polygon {
		repaired = "ST_Multi(" + repaired + ")"
	}
	return "UPDATE stage SET " + name + " = " + repaired + " WHERE NOT " + knownValid + " AND ST_Dimension(" +
		name + ") = 2 AND NOT ST_IsValid(" + name + ")"
}

// rejectOutOfBounds rejects shapes outside the bounds, where a wrong projection puts them.
func (c *checker) rejectOutOfBounds(ctx context.Context, name string) error {
	if len(c.src.Geometry.Bounds) == 0 {
		return nil
	}
	return c.rejectRows(ctx, outOfBounds(c.src.Geometry, name),
		"'its geometry is out of bounds, near ' || round(ST_XMin("+name+
			")::numeric, 3) || ', ' || round(ST_YMin("+name+
			")::numeric, 3) || ': wrong projection, or latitude and longitude swapped'")
}

func outOfBounds(g *source.Geometry, name string) string {
	inside := make([]string, len(g.Bounds))
	for i, b := range g.Bounds {
		inside[i] = fmt.Sprintf("%s @ ST_MakeEnvelope(%g, %g, %g, %g, 4326)", name, b.West, b.South, b.East,
			b.North)
	}
	return "NOT (" + strings.Join(inside, " OR ") + ")"
}
