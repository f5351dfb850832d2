package ingest

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// relation is a table or an index of schema geo, with the statement that makes it.
type relation struct {
	name, sql string
	index     bool
}

var createRelation = regexp.MustCompile(`(?m)^CREATE (?:TABLE geo\.|((?:UNIQUE )?INDEX ))(\w+)`)

// Tables are the tables of schema geo that a catalogue of sources declares.
type Tables []source.Source

// declaredRelations lists what the declarations make, tables before indexes.
func (t Tables) declaredRelations() (all []relation) {
	known := map[string]bool{}
	for _, src := range t {
		for _, target := range targetsOf(src) {
			starts := createRelation.FindAllStringSubmatchIndex(target.Create, -1)
			for i, at := range starts {
				end := len(target.Create)
				if i+1 < len(starts) {
					end = starts[i+1][0]
				}
				r := relation{name: target.Create[at[4]:at[5]], sql: target.Create[at[0]:end], index: at[2] >= 0}
				if !known[r.name] {
					known[r.name] = true
					all = append(all, r)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b relation) int { return compareBool(a.index, b.index) })
	return all
}

const absentRelations = `SELECT name FROM unnest($1::text[]) AS r(name) WHERE to_regclass('geo.' || name) IS NULL`

func (t Tables) missingRelations(ctx context.Context, db *pgxpool.Pool) ([]relation, error) {
	all := t.declaredRelations()
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.name
	}
	absent, err := pgdb.Collect(ctx, db, pgx.RowTo[string], absentRelations, names)
	if err != nil {
		return nil, fmt.Errorf("look for the tables of the sources: %w", err)
	}
	return slices.DeleteFunc(all, func(r relation) bool { return !slices.Contains(absent, r.name) }), nil
}

// Missing reports whether the database lacks a table or an index of them.
func (t Tables) Missing(ctx context.Context, db *pgxpool.Pool) (bool, error) {
	missing, err := t.missingRelations(ctx, db)
	return len(missing) > 0, err
}

// Make makes the tables and indexes that the database lacks; those that are there are not looked at. It is
// run by one process at a time, after the migrations and under their lock. The service goes on meanwhile: an
// index on a table with rows is made while these are read, and holds up its loads alone. Each statement is a
// transaction: after a failure the next call makes what is left.
func (t Tables) Make(ctx context.Context, db *pgxpool.Pool) error {
	missing, err := t.missingRelations(ctx, db)
	if err != nil {
		return err
	}
	for _, r := range missing {
		if _, err := db.Exec(ctx, r.sql); err != nil {
			return fmt.Errorf("make geo.%s: %w", r.name, err)
		}
	}
	return nil
}
