package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/source"
)

// maxLoss is the share of its rows that a source may lose from one edition to the next. Producers correct and
// withdraw; a twentieth at once was a file that had been cut short or re-ordered, wherever we met it.
const maxLoss = 0.05

// WorseError refuses a load that holds less than the one that is served.
type WorseError struct {
	Rows, Served int64    // of it, and of the load that is served
	Lost         []string // what only the load that is served has values of
}

// Error implements error.
func (e *WorseError) Error() string {
	return e.describeLoss("are") + "; arpent load with the name of the source loads it all the same"
}

// describeLoss says what is worse than in the load that is, or was, served.
func (e *WorseError) describeLoss(is string) string {
	var parts []string
	if hasShrunk(e.Rows, e.Served) {
		parts = append(parts, fmt.Sprintf("it has %d rows, %.1f %% fewer than the %d that %s served", e.Rows,
			100*float64(e.Served-e.Rows)/float64(e.Served), e.Served, is))
	}
	if len(e.Lost) > 0 {
		const maxNames = 5
		names := strings.Join(e.Lost[:min(maxNames, len(e.Lost))], ", ")
		if more := len(e.Lost) - maxNames; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, "it has no value of "+names)
	}
	return strings.Join(parts, ", and ")
}

func hasShrunk(rows, served int64) bool { return float64(served-rows) > maxLoss*float64(served) }

const servedLoad = `SELECT row_count, filled FROM geo.load WHERE source = $1 AND scope = $2 AND active`

// checkNotWorse returns a *WorseError when the load that is served has more than this one.
func (l loadRow) checkNotWorse(ctx context.Context, conn *pgx.Conn) error {
	if l.partial {
		return nil
	}
	var before int64
	var filled []string
	switch err := conn.QueryRow(ctx, servedLoad, l.src.Name, l.scope).Scan(&before, &filled); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("read what is served: %w", err)
	}
	lost := slices.DeleteFunc(filled, func(name string) bool { return slices.Contains(l.filled, name) })
	if hasShrunk(l.rows, before) || len(lost) > 0 {
		return &WorseError{Rows: l.rows, Served: before, Lost: lost}
	}
	return nil
}

// filledColumns is SQL over the stage for the names of the columns that hold a value in any
// row and, of a table of figures, its measures.
func filledColumns(src source.Source) string {
	parts, measures := []string{"NULL::text"}, "NULL"
	for _, col := range src.Columns {
		if col.SQL != "" {
			continue
		}
		name := pgx.Identifier{col.Name}.Sanitize()
		parts = append(parts, fmt.Sprintf("CASE WHEN count(%s) > 0 THEN '%s' END", name,
			strings.ReplaceAll(col.Name, "'", "''")))
		if col.Name == "measure" {
			measures = "(SELECT array_agg('measure:' || measure) FROM (SELECT DISTINCT measure FROM stage) m)"
		}
	}
	return "array_remove(ARRAY[" + strings.Join(parts, ", ") + "], NULL) || " + measures + "::text[]"
}
