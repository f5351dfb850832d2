package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A région is covered by its départements, and an intercommunal body by its communes.
const coverScope = `INSERT INTO geo.coverage (layer, area, load_id)
SELECT $1::text, coalesce(d.code, m.commune, t.scope), t.id FROM this_load t
LEFT JOIN geo.departement d ON t.scope = 'R' || d.region_code
LEFT JOIN geo.intercommunal_member m ON t.scope = 'E' || m.body ON CONFLICT DO NOTHING`

// Loads that are no longer active cover nothing.
const uncoverRetired = `DELETE FROM geo.coverage c USING geo.load l
WHERE l.id = c.load_id AND l.source = $1 AND NOT l.active`

const notAnArea = `SELECT c.area FROM geo.coverage c JOIN this_load t ON t.id = c.load_id
WHERE c.area !~ '^([0-9]{2,3}|2[AB]|[0-9][0-9AB][0-9]{3})?$' ORDER BY c.area LIMIT 1`

// writeCoverage writes the areas that the load covers. Scripts of the source may have written some before.
func (l loadRow) writeCoverage(ctx context.Context, tx pgx.Tx) error {
	if len(l.src.Covers) == 0 {
		return nil
	}
	for _, c := range l.src.Covers {
		sql := coverScope
		if c.Areas != "" {
			sql = "INSERT INTO geo.coverage (layer, area, load_id) SELECT DISTINCT $1::text, a.area, t.id FROM (" +
				withSuccessorNames(c.Areas, l.next) +
				") AS a(area), this_load t WHERE a.area IS NOT NULL ON CONFLICT DO NOTHING"
		}
		if _, err := tx.Exec(ctx, sql, c.Layer); err != nil {
			return fmt.Errorf("write the areas of %s: %w", c.Layer, err)
		}
	}
	var wrong string
	switch err := tx.QueryRow(ctx, notAnArea).Scan(&wrong); {
	case err == nil:
		return fmt.Errorf("it would cover %q, which is no commune, département, région or intercommunal body", wrong)
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("check the areas: %w", err)
	}
	if _, err := tx.Exec(ctx, uncoverRetired, l.src.Name); err != nil {
		return fmt.Errorf("take the areas of the load before out: %w", err)
	}
	return nil
}
