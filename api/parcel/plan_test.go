package parcel_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/api/parcel"
	"arpent/app/dev/testkit"
)

// manyParcels is a grid of 150 × 150 parcels, and a third as many that are gone.
const manyParcels = `
INSERT INTO geo.parcelle (idu, contenance, feuille, geom)
SELECT '93' || to_char(10 + x, 'FM000') || '0000A' || to_char(y, 'FM0000'), 100, 1,
    ST_Multi(ST_MakeEnvelope(2 + x * 0.01, 48 + y * 0.01, 2.01 + x * 0.01, 48.01 + y * 0.01, 4326))
FROM generate_series(1, 150) x, generate_series(1, 150) y;
INSERT INTO geo.parcelle_passee (idu, geom)
SELECT '93' || to_char(190 + x, 'FM000') || '0000A' || to_char(y, 'FM0000'),
    ST_Multi(ST_MakeEnvelope(2 + x * 0.01, 48 + y * 0.01, 2.01 + x * 0.01, 48.01 + y * 0.01, 4326))
FROM generate_series(1, 50) x, generate_series(1, 150) y;`

// What a commune costs to write does not grow with the others: no plan reads a whole table, neither the one
// made for the arguments nor the one that is kept for all.
func TestPlans(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	conn := testkit.Must(pool.Acquire(t.Context()))(t)
	defer conn.Release()
	testkit.Exec(t, conn, manyParcels)
	testkit.Exec(t, conn, `ANALYZE geo.parcel_block, geo.parcelle_passee`)
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		testkit.Exec(t, conn, "SELECT set_config('plan_cache_mode', $1, false)", mode)
		for name, q := range parcel.Queries {
			// EXPLAIN with parameters always plans for their values; EXECUTE follows the mode.
			prepared := pgx.Identifier{name + " " + mode}.Sanitize()
			if _, err := conn.Exec(t.Context(), "PREPARE "+prepared+" AS "+q.SQL); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE "+prepared+q.Args)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			plan := strings.Join(lines, "\n")
			if strings.Contains(plan, "Seq Scan on parcel") || !strings.Contains(plan, "Index") {
				t.Errorf("%s, %s:\n%s", name, mode, plan)
			}
		}
	}
}
