package update

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"arpent/internal/clock"
	"arpent/internal/fault"
)

const (
	// The rows are locked in their order, so that two that record never wait for each other in a circle.
	problemsBefore = `SELECT source, problem FROM geo.source_check WHERE problem IS NOT NULL ORDER BY source FOR UPDATE`
	recordChecks   = `
INSERT INTO geo.source_check AS c (source, checked_at, problem)
SELECT s.name, $2, p.why FROM unnest($1::text[]) AS s(name) LEFT JOIN unnest($3::text[], $4::text[]) AS p(source, why) ON p.source = s.name
ORDER BY s.name
ON CONFLICT (source) DO UPDATE SET checked_at = EXCLUDED.checked_at, problem = EXCLUDED.problem`
	notifyChecked = `SELECT pg_notify('arpent_geo', '')`
)

// saveChecks writes down that the sources were checked, with their
// problems, and notifies of those that are new.
func (o Options) saveChecks(ctx context.Context, sources []string, problems []Problem) error {
	now := cmp.Or[clock.Clock](o.Clock, clock.Real{}).Now()
	err := pgx.BeginFunc(ctx, o.DB, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, problemsBefore) // the rows have its error too
		before := map[string]string{}            // the problem that is recorded of each source
		var source, why string
		_, err := pgx.ForEachRow(rows, []any{&source, &why}, func() error {
			before[source] = why
			return nil
		})
		if err != nil {
			return err
		}
		var names, reasons []string
		var fresh []Problem
		for _, p := range problems {
			names, reasons = append(names, p.Source), append(reasons, p.Why)
			if _, known := before[p.Source]; !known {
				fresh = append(fresh, p)
			}
		}
		if _, err := tx.Exec(ctx, recordChecks, sources, now, names, reasons); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, notifyChecked); err != nil {
			return err
		}
		if len(fresh) == 0 || o.Notify == nil {
			return nil
		}
		return o.Notify(ctx, tx, fresh)
	})
	return fault.Wrap("record what was checked", err)
}
