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

// maxVertices bounds the vertices of a part of a subdivided shape. The rectangles of small parts, which the spatial index holds,
// are close to the shape.
const maxVertices = 128

// partOf names the rows of a load in a table that several sources and scopes share.
func partOf(src source.Source, scope string) string {
	if scope == "" {
		return src.Name
	}
	return src.Name + "/" + scope
}

// prepare makes the tables that are swapped in: "ready" with the columns of the target, and the derived ones.
func prepare(ctx context.Context, conn *pgx.Conn, src source.Source, scope string) error {
	part := partOf(src, scope)
	if err := createReady(ctx, conn, "ready", readyRows(src), src.Target, part); err != nil {
		return err
	}
	if err := count(ctx, conn, "ready", src); err != nil {
		return err
	}
	if err := anyReady(ctx, conn, src); err != nil {
		return err
	}
	// What is derived of rows that need no place does not look for them by it.
	if src.Derived != nil && src.Geometry != nil && !src.Geometry.Optional {
		shape := pgx.Identifier{geometryName(src.Geometry)}.Sanitize()
		if _, err := conn.Exec(ctx, "CREATE INDEX ON ready USING gist ("+shape+")"); err != nil {
			return fmt.Errorf("index the rows: %w", err)
		}
	}
	for _, d := range src.Derived {
		if err := createReady(ctx, conn, d.Name, d.Query, d.Target, part); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "ANALYZE "+pgx.Identifier{d.Name}.Sanitize()); err != nil {
			return fmt.Errorf("count the rows of %s: %w", d.Name, err)
		}
	}
	return nil
}

const noReady = `SELECT NOT EXISTS (SELECT FROM ready)`

// anyReady returns an error when the SQL of the source made no row of valid ones: what is served would be deleted.
func anyReady(ctx context.Context, conn *pgx.Conn, src source.Source) error {
	if src.Rows == "" || src.Read.Optional {
		return nil
	}
	var none bool
	if err := conn.QueryRow(ctx, noReady).Scan(&none); err != nil {
		return fmt.Errorf("look at the rows that were made: %w", err)
	}
	if none {
		return errors.New("no row for the table comes of its rows: what they are joined with is not there")
	}
	return nil
}

// readyRows is the query that makes the rows of the target from the stage.
func readyRows(src source.Source) string {
	if src.Rows != "" {
		return src.Rows
	}
	var names, computed []string
	for _, col := range src.Columns {
		if col.Internal {
			continue
		}
		name := pgx.Identifier{col.Name}.Sanitize()
		names = append(names, name)
		if col.SQL != "" {
			name = "(" + col.SQL + ") AS " + name
		}
		computed = append(computed, name)
	}
	if src.Geometry == nil {
		return "SELECT " + strings.Join(computed, ", ") + " FROM stage"
	}
	shape := pgx.Identifier{geometryName(src.Geometry)}.Sanitize()
	if !src.Geometry.Subdivide {
		return "SELECT " + strings.Join(append(computed, shape), ", ") + " FROM stage"
	}
	// OFFSET 0 keeps the planner from computing the columns anew for each piece.
	return "SELECT " + strings.Join(append(names, "coalesce(p.piece, 1) AS piece", "coalesce(p.shape, s._whole) AS "+shape), ", ") +
		" FROM (SELECT " + strings.Join(append(computed, shape+" AS _whole"), ", ") + " FROM stage OFFSET 0) s" +
		" LEFT JOIN LATERAL (SELECT row_number() OVER ()::integer AS piece, d.shape" +
		fmt.Sprintf(" FROM ST_Subdivide(s._whole, %d) AS d(shape)) p ON true", maxVertices)
}

// createReady makes a temporary table of a query's rows, under the key of the target.
func createReady(ctx context.Context, conn *pgx.Conn, name, query string, t source.Target, part string) error {
	table := pgx.Identifier{name}.Sanitize()
	var args []any
	if t.Part {
		query = "SELECT $1::text AS part, q.* FROM (" + query + ") q"
		args = append(args, part)
	}
	if _, err := conn.Exec(ctx, "CREATE TEMP TABLE "+table+" AS "+query, args...); err != nil {
		return fmt.Errorf("make the rows of %s: %w", name, detailed(err))
	}
	if fresh, err := nothingServed(ctx, conn, t, part); err != nil || fresh && t.Swap == "" {
		return err // the table's own key sees what is there twice
	}
	if _, err := conn.Exec(ctx, "CREATE UNIQUE INDEX ON "+table+" ("+columnList(t.Key)+")"); err != nil {
		return fmt.Errorf("make the rows of %s: %w", name, detailed(err))
	}
	return nil
}

const analyzedColumns = `SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND ($2 OR atttypid <> 'geometry'::regtype)`

// count takes the planner's figures of a temporary table. Those of shapes, which take longer than all others, are for sources that
// may join by them.
func count(ctx context.Context, conn *pgx.Conn, name string, src source.Source) error {
	var columns *string
	if err := conn.QueryRow(ctx, analyzedColumns, name, src.Rows != "" || src.Derived != nil).Scan(&columns); err != nil {
		return fmt.Errorf("list the columns of %s: %w", name, err)
	}
	sql := "ANALYZE " + pgx.Identifier{name}.Sanitize()
	if columns != nil {
		sql += " (" + *columns + ")"
	}
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("count the rows of %s: %w", name, err)
	}
	return nil
}

// detailed adds what the database says of the row that is in the way, which its message alone does not say.
func detailed(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Detail != "" {
		return fmt.Errorf("%w: %s", err, said.Detail)
	}
	return err
}
