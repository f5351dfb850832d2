package ingest

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/source"
)

// analyzer brings the planner's statistics of the tables of a run up to date, so that the first readers of a new
// table get good plans: after the first load into a table, and after the last of the loads that follow each
// other. A table of figures takes those of dozens of sources, and to analyze it takes as long as most of them.
// Between the two, autovacuum analyzes what has grown by a tenth.
type analyzer struct {
	db       *pgxpool.Pool
	analyzed map[string]bool // tables that a load of the run was analyzed of
	due      []string        // tables with loads since
}

// analyzeFirst analyzes the tables of a source that was loaded, or puts off those that were analyzed before.
func (a *analyzer) analyzeFirst(ctx context.Context, src source.Source) error {
	for _, t := range targetsOf(src) {
		table := tableName(t)
		switch {
		case !a.analyzed[table]:
			if err := a.analyze(ctx, table); err != nil {
				return err
			}
		case !slices.Contains(a.due, table):
			a.due = append(a.due, table)
		}
	}
	return nil
}

// analyzeDue analyzes the tables that were put off, but for those that the next source is loaded into.
func (a *analyzer) analyzeDue(ctx context.Context, next source.Source) error {
	waits := func(table string) bool {
		return slices.ContainsFunc(targetsOf(next), func(t source.Target) bool { return tableName(t) == table })
	}
	for _, table := range a.due {
		if waits(table) {
			continue
		}
		if err := a.analyze(ctx, table); err != nil {
			return err
		}
	}
	a.due = slices.DeleteFunc(a.due, func(table string) bool { return !waits(table) })
	return nil
}

func (a *analyzer) analyze(ctx context.Context, table string) error {
	if _, err := a.db.Exec(ctx, "ANALYZE "+table); err != nil {
		return fmt.Errorf("analyze %s: %w", table, err)
	}
	a.analyzed[table] = true
	return nil
}
