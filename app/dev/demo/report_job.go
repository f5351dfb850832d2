package demo

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// job is how one or several tables of the report are filled.
type job struct {
	tables []string // each with its schema
	layers []string // what is covered then
	sql    string
}

// jobs reads the files of layers. A line "--- table table: layer, layer" begins each part.
func jobs() ([]job, error) {
	names, err := fs.Glob(reportFiles, "sql/report_layer_*.sql")
	if err != nil {
		return nil, err
	}
	var all []job
	for _, name := range names {
		text, err := reportFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parts := strings.Split("\n"+string(text), "\n--- ")
		for _, part := range parts[1:] {
			head, sql, _ := strings.Cut(part, "\n")
			tables, layers, _ := strings.Cut(head, ":")
			j := job{tables: strings.Fields(tables), sql: sql}
			for layer := range strings.SplitSeq(layers, ",") {
				if layer = strings.TrimSpace(layer); layer != "" {
					j.layers = append(j.layers, layer)
				}
			}
			if len(j.tables) == 0 || len(j.layers) == 0 {
				return nil, fmt.Errorf("%s: %q names no table or no layer", name, head)
			}
			all = append(all, j)
		}
	}
	return all, nil
}

func layersOf(all []job) (layers []string) {
	for _, j := range all {
		layers = append(layers, j.layers...)
	}
	return layers
}

// forget removes the loads that the rows before are known by. It comes before the tables are locked, as in a real load:
// neither waits for the other in a circle.
func (j job) forget(ctx context.Context, tx pgx.Tx) error {
	sources := make([]string, len(j.layers))
	for i, layer := range j.layers {
		sources[i] = layerSource + layer
	}
	if _, err := tx.Exec(ctx, "DELETE FROM geo.load WHERE demonstration AND source = ANY ($1)", sources); err != nil {
		return fmt.Errorf("forget the layers %s: %w", strings.Join(j.layers, ", "), err)
	}
	return nil
}

// empty removes the rows of a job's tables. Once it has them to itself it looks for real data again: what was loaded
// before is recorded by then, and what is loaded later waits.
func (j job) empty(ctx context.Context, tx pgx.Tx) error {
	list := tableList(j.tables)
	if _, err := tx.Exec(ctx, "LOCK TABLE "+list+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return fmt.Errorf("wait for %s: %w", list, err)
	}
	if err := refuseReal(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "TRUNCATE "+list); err != nil {
		return fmt.Errorf("empty %s: %w", list, err)
	}
	return nil
}

// tableList names tables in the order in which every transaction locks them.
func tableList(tables []string) string {
	var quoted []string
	for _, t := range slices.Sorted(slices.Values(tables)) {
		quoted = append(quoted, pgx.Identifier(strings.Split(t, ".")).Sanitize())
	}
	return strings.Join(quoted, ", ")
}

// dropIndexes drops the indexes of a job's tables, and gives what makes them again: building them from all rows takes
// a fraction of the time.
func (j job) dropIndexes(ctx context.Context, tx pgx.Tx) (rebuild []string, err error) {
	index, err := reportFiles.ReadFile("sql/report_index.sql")
	if err != nil {
		return nil, err
	}
	var drops []string
	for _, table := range j.tables {
		rows, _ := tx.Query(ctx, string(index), table) // the rows have its error too
		var drop, make string
		if _, err := pgx.ForEachRow(rows, []any{&drop, &make}, func() error {
			drops, rebuild = append(drops, drop), append(rebuild, make)
			return nil
		}); err != nil {
			return nil, fmt.Errorf("list the indexes of %s: %w", table, err)
		}
	}
	for _, drop := range drops {
		if _, err := tx.Exec(ctx, drop); err != nil {
			return nil, fmt.Errorf("%s: %w", drop, err)
		}
	}
	return rebuild, nil
}
