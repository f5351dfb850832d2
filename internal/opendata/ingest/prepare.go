package ingest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/opendata/source"
)

// maxVertices bounds the vertices of a part of a subdivided shape. The rectangles of small parts, which the
// spatial index holds, are close to the shape.
const maxVertices = 128

// partOf names the rows of a load in a table that several sources and scopes share.
func partOf(src source.Source, scope string) string {
	if scope == "" {
		return src.Name
	}
	return src.Name + "/" + scope
}

// prepareTables makes what is swapped in: "ready" with the columns of the target, and the derived tables.
func prepareTables(ctx context.Context, conn *pgx.Conn, src source.Source, scope string,
	restoreOutlines func(context.Context, *pgx.Conn, []string) error) error {
	part := partOf(src, scope)
	if err := makeReady(ctx, conn, src, part, scope); err != nil {
		return err
	}
	if src.Outlines != "" && restoreOutlines != nil {
		// the rows have its error too
		rows, _ := conn.Query(ctx, "WITH load AS (SELECT $1::text AS scope) "+src.Outlines, scope)
		communes, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("list the communes whose outlines are read: %w", err)
		}
		if err := restoreOutlines(ctx, conn, communes); err != nil {
			return err
		}
	}
	if needsShapeIndex(src) {
		if _, err := conn.Exec(ctx, "CREATE INDEX ON ready USING gist (geom)"); err != nil {
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

// makeReady makes "ready" of the staged rows: a table, or the staged
// rows as they are where those are read once.
func makeReady(ctx context.Context, conn *pgx.Conn, src source.Source, part, scope string) error {
	if canUseStage(src) {
		fresh, err := nothingServed(ctx, conn, src.Target, part, scope)
		if err != nil {
			return err
		}
		// Where nothing is served that rows would be compared with they are written once, and a copy of them
		// for that takes as long as a fifth of the writing.
		if fresh {
			query := readyRows(src)
			if src.Target.Part {
				query = "SELECT '" + source.Quoted(part) + "'::text AS part, q.* FROM (" + query + ") q"
			}
			if _, err := conn.Exec(ctx, "CREATE TEMP VIEW ready AS "+query); err != nil {
				return fmt.Errorf("make the rows of ready: %w", addErrorDetail(err))
			}
			return nil
		}
	}
	if err := createReady(ctx, conn, "ready", readyRows(src), src.Target, part); err != nil {
		return err
	}
	if err := analyzeTable(ctx, conn, "ready", src); err != nil {
		return err
	}
	if src.Rows == "" || src.Read.Optional {
		return nil
	}
	var none bool // the SQL of the source made no row of valid ones: what is served would be deleted
	if err := conn.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM ready)`).Scan(&none); err != nil {
		return fmt.Errorf("look at the rows that were made: %w", err)
	}
	if none {
		return errors.New("the query made no rows: the tables that it joins are empty or have no matching rows")
	}
	return nil
}

// sameValue is SQL of a column that is another one.
var sameValue = regexp.MustCompile(`^\w+(::\w+)?$`)

// canUseStage reports whether the rows of the target can be made of the stage as they are written: nothing is
// computed, or they are read once.
func canUseStage(src source.Source) bool {
	readOnce := src.Derived == nil && !containsFold(src.Target.After, "ready") &&
		!slices.ContainsFunc(src.Covers, func(c source.Coverage) bool { return containsFold(c.Areas, "ready") })
	subdivides := src.Geometry != nil && src.Geometry.Subdivide
	switch {
	case src.Rows != "" || needsShapeIndex(src):
		return false
	case src.Target.Swap != "": // of those without a scope it is not known what is served
		return src.Target.ScopeColumn != "" && !subdivides
	case readOnce:
		return true
	}
	return !subdivides && !slices.ContainsFunc(src.Columns, func(c source.Column) bool {
		return c.SQL != "" && !sameValue.MatchString(c.SQL)
	})
}

// needsShapeIndex reports whether what is derived may look for rows by their place, which
// those that need no place are not looked for by.
func needsShapeIndex(src source.Source) bool {
	return src.Derived != nil && src.Geometry != nil && !src.Geometry.Optional
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
	if !src.Geometry.Subdivide {
		return "SELECT " + strings.Join(append(computed, "geom"), ", ") + " FROM stage"
	}
	// OFFSET 0 keeps the planner from computing the columns anew for each piece.
	return "SELECT " + strings.Join(append(names, "coalesce(p.piece, 1) AS piece",
		"coalesce(p.shape, s._whole) AS geom"), ", ") +
		" FROM (SELECT " + strings.Join(append(computed, "geom AS _whole"), ", ") + " FROM stage OFFSET 0) s" +
		" LEFT JOIN LATERAL (SELECT row_number() OVER ()::integer AS piece, d.shape" +
		fmt.Sprintf(" FROM ST_Subdivide(s._whole, %d) AS d(shape)) p ON true", maxVertices)
}

// createReady makes a temporary table of a query's rows, under the key of the target.
func createReady(ctx context.Context, conn *pgx.Conn, name, query string, t source.Target,
	part string) error {
	table := pgx.Identifier{name}.Sanitize()
	var args []any
	if t.Part {
		query = "SELECT $1::text AS part, q.* FROM (" + query + ") q"
		args = append(args, part)
	}
	if _, err := conn.Exec(ctx, "CREATE TEMP TABLE "+table+" AS "+query, args...); err != nil {
		return fmt.Errorf("make the rows of %s: %w", name, addErrorDetail(err))
	}
	if fresh, err := nothingServed(ctx, conn, t, part, ""); err != nil || fresh && t.Swap == "" {
		return err // the table's own key sees what is there twice
	}
	if _, err := conn.Exec(ctx, "CREATE UNIQUE INDEX ON "+table+" ("+columnList(t.Key)+")"); err != nil {
		return fmt.Errorf("make the rows of %s: %w", name, addErrorDetail(err))
	}
	return nil
}

const analyzedColumns = `SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND ($2 OR atttypid <> 'geometry'::regtype)`

// analyzeTable takes the planner's figures of a temporary table. Those of shapes, which take longer than all
// others, are for sources that may join by them.
func analyzeTable(ctx context.Context, conn *pgx.Conn, name string, src source.Source) error {
	var columns *string
	if err := conn.QueryRow(ctx, analyzedColumns, name, src.Rows != "" ||
		src.Derived != nil).Scan(&columns); err != nil {
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

// addErrorDetail adds what the database says of the row that is in the
// way, which its message alone does not say.
func addErrorDetail(err error) error {
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Detail != "" {
		return fmt.Errorf("%w: %s", err, said.Detail)
	}
	return err
}
