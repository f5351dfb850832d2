package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/api/source"
	"arpent/app/base/pgdb"
)

// coverable returns an error for a source that covers its scope when the scope is not a place.
func coverable(src source.Source, scope string) error {
	if scope == "" || isPlace(scope) || isRegion(scope) {
		return nil
	}
	for _, c := range src.Covers {
		if c.Areas == "" {
			return fmt.Errorf("%q is not the code of a département or commune, and the declaration of the source does not say "+
				"which areas the layer %s covers", scope, c.Layer)
		}
	}
	return nil
}

// A région is covered by its départements.
const coverScope = `INSERT INTO geo.coverage (layer, area, load_id) SELECT $1::text, coalesce(d.code, t.scope), t.id
FROM this_load t LEFT JOIN geo.departement d ON t.scope = 'R' || d.region_code ON CONFLICT DO NOTHING`

// Loads that are no longer active cover nothing.
const uncoverRetired = `DELETE FROM geo.coverage c USING geo.load l
WHERE l.id = c.load_id AND l.source = $1 AND NOT l.active`

const notAnArea = `SELECT c.area FROM geo.coverage c JOIN this_load t ON t.id = c.load_id
WHERE c.area !~ '^([0-9]{2,3}|2[AB]|[0-9][0-9AB][0-9]{3})?$' ORDER BY c.area LIMIT 1`

// cover writes the areas that the load covers. Scripts of the source may have written some before.
func (l loadRow) cover(ctx context.Context, tx pgx.Tx) error {
	if len(l.src.Covers) == 0 {
		return nil
	}
	for _, c := range l.src.Covers {
		sql := coverScope
		if c.Areas != "" {
			sql = "INSERT INTO geo.coverage (layer, area, load_id) SELECT DISTINCT $1::text, a.area, t.id FROM (" + ofSuccessors(c.Areas, l.next) +
				") AS a(area), this_load t WHERE a.area IS NOT NULL ON CONFLICT DO NOTHING"
		}
		if _, err := tx.Exec(ctx, sql, c.Layer); err != nil {
			return fmt.Errorf("write the areas of %s: %w", c.Layer, err)
		}
	}
	var wrong string
	switch err := tx.QueryRow(ctx, notAnArea).Scan(&wrong); {
	case err == nil:
		return fmt.Errorf("it would cover %q, which is not the code of a commune or département", wrong)
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("check the areas: %w", err)
	}
	if _, err := tx.Exec(ctx, uncoverRetired, l.src.Name); err != nil {
		return fmt.Errorf("take the areas of the load before out: %w", err)
	}
	return nil
}

// The rows of geo.coverage go with the loads.
const forgetDemonstration = `DELETE FROM geo.load WHERE demonstration AND source LIKE 'demonstration-%'`

const sharedTables = `SELECT 'geo.' || c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'geo'::regnamespace AND c.relkind = 'r' AND a.attname = 'part' AND c.relname !~ '_next$'`

// endDemonstration removes the synthetic layers of a demonstration with the first real shapes or layer: a real parcel must
// never be shown with them. All of their rows go, whatever layer is loaded: a statement may read tables of other layers
// beside it, and nothing else would free their space. That takes minutes, once. Codes and names alone are what a
// demonstration itself stands on.
func (l loadRow) endDemonstration(ctx context.Context, tx pgx.Tx) error {
	if l.src.Geometry == nil && len(l.src.Covers) == 0 {
		return nil
	}
	forgotten, err := tx.Exec(ctx, forgetDemonstration)
	if err != nil {
		return err
	}
	var tables []string
	if forgotten.RowsAffected() > 0 {
		if tables, err = pgdb.Collect(ctx, tx, pgx.RowTo[string], sharedTables); err != nil {
			return err
		}
	} else {
		for _, t := range targetsOf(l.src) { // one that is being made may fill them at this moment: wait for its rows
			if t.Part {
				tables = append(tables, t.Table)
			}
		}
	}
	slices.Sort(tables) // the order in which a demonstration locks them, so that neither waits for the other in a circle
	for _, table := range tables {
		if _, err := tx.Exec(ctx, "DELETE FROM "+tableName(source.Target{Table: table})+" WHERE part = 'demonstration'"); err != nil {
			return err
		}
	}
	return nil
}
