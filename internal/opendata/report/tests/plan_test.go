package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/bench"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

const (
	planCommunes = 250
	planParcels  = 14_000
	// A table that has so many rows here has more than a hundred thousand in the country of 34 900 communes.
	planLarge = 100_000 * planCommunes / 34_900
)

// formerParcels makes a parcel that is gone of every tenth one.
const formerParcels = `INSERT INTO geo.parcelle_passee (idu, vintage, geom)
SELECT left(idu, 5) || '999' || substr(idu, 9), '2020-01-01', geom FROM geo.parcelle WHERE right(idu, 1) = '5';
ANALYZE geo.parcelle_passee`

// A report costs the same in a village and in a country of a hundred million parcels: no statement reads a
// large table whole. Every member of the report has a value there.
func TestReportAtNationalDensity(t *testing.T) {
	t.Parallel()
	db, url := testkit.DB(t)
	// Names and codes for a small country, which is then filled as densely as the whole one.
	_, err := db.Exec(t.Context(), `
			INSERT INTO geo.departement (code, name, region_code) VALUES ('2B', 'Haute-Corse', '94');
			INSERT INTO geo.region (code, name) VALUES ('94', 'Corse');
			INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code)
			SELECT 'commune-actuelle', code, code, '2B', '94', code
			FROM generate_series(1, `+fmt.Sprint(planCommunes)+`) i CROSS JOIN LATERAL (SELECT '2B' || lpad(i::text, 3, '0') AS code) c`)
	testkit.NoError(t, err)
	testkit.NoError(t, bench.FillSynthetic(t.Context(), db, planParcels, true))
	_, err = db.Exec(t.Context(), formerParcels)
	testkit.NoError(t, err)
	t.Run("plans", func(t *testing.T) { checkPlans(t, db) })
	var drawn []drawnReport
	t.Run("reports", func(t *testing.T) { drawn = checkReports(t, db, url, testkit.Rounds(60, 150)) })
	t.Run("forest", func(t *testing.T) { checkForest(t, db, url) })
	t.Run("lengths", func(t *testing.T) { checkLengths(t, url, drawn) })
	t.Run("states", func(t *testing.T) { checkStates(t, drawn) })
}

// wood is a parcel of 500 ha with 3 000 vertices around a village, as its commune would own one.
const wood = `INSERT INTO geo.parcelle (idu, geom)
SELECT left(idu, 5) || '0000Z9999', ST_Multi(ST_SnapToGrid(ST_Buffer(ST_Centroid(geom)::geography, 1262, 'quad_segs=750')::geometry, 1e-7))
FROM geo.parcelle ORDER BY idu LIMIT 1
RETURNING idu, ST_NPoints(geom), ST_Area(geom::geography) / 1e4`

// checkForest draws the report of a parcel as large as the largest, and says how long it took.
func checkForest(t *testing.T, db *pgxpool.Pool, url string) {
	t.Helper()
	var idu string
	var vertices int
	var hectares float64
	testkit.NoError(t, db.QueryRow(t.Context(), wood).Scan(&idu, &vertices, &hectares))
	if vertices < 3000 || hectares < 495 {
		t.Fatalf("it has %d vertices and %.0f ha", vertices, hectares)
	}
	begin := time.Now()
	r, err := storeOf(t, url, topic.Report()).Report(t.Context(), reportkit.ReadParcel(t, db, idu))
	testkit.NoError(t, err)
	t.Logf("%s, %.0f ha, %d vertices: %.1f s", idu, hectares, vertices, time.Since(begin).Seconds())
	for i, k := range topic.Report().Keys() {
		if k.Name == "rpg" && len(r.Values[i]) < 100 {
			t.Errorf("%s is %s", k.Name, r.Values[i])
		}
	}
}

// checkPlans asks for the plan that is kept for all parcels.
func checkPlans(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	conn, err := db.Acquire(t.Context())
	testkit.NoError(t, err)
	defer conn.Release()
	all := topic.Report().Statements()
	for _, l := range topic.MapLayers() {
		numbered, _, err := pgx.NamedArgs{}.RewriteQuery(t.Context(), nil, l.Select, nil)
		testkit.NoError(t, err)
		all = append(all, report.Statement{Name: "tile of " + l.Name, SQL: numbered, Args: func(*report.Subject) []any { return make([]any, 4) }})
	}
	_, err = conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; SET jit = off; SET max_parallel_workers_per_gather = 0")
	testkit.NoError(t, err)
	for _, s := range all {
		prepared := pgx.Identifier{s.Name}.Sanitize()
		if _, err := conn.Exec(t.Context(), "PREPARE "+prepared+" AS "+s.SQL); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		arguments := "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(s.Args(&report.Subject{}))), ", ") + ")"
		var plan []byte
		if err := conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+prepared+arguments).Scan(&plan); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, table := range readWhole(t, plan) {
			if rows := tableRows(t, db, table); rows > planLarge || table == "parcel_block" {
				t.Errorf("%s reads all of %s, %d rows here", s.Name, table, rows)
			}
		}
	}
}

// readWhole lists the tables that a plan reads from beginning to end.
func readWhole(t *testing.T, plan []byte) (tables []string) {
	t.Helper()
	type node struct {
		Type     string          `json:"Node Type"`
		Relation string          `json:"Relation Name"`
		Plans    json.RawMessage `json:"Plans"`
	}
	var walk func(raw json.RawMessage)
	walk = func(raw json.RawMessage) {
		var nodes []node
		testkit.NoError(t, json.Unmarshal(raw, &nodes))
		for _, n := range nodes {
			if n.Type == "Seq Scan" && !slices.Contains(tables, n.Relation) {
				tables = append(tables, n.Relation)
			}
			if n.Plans != nil {
				walk(n.Plans)
			}
		}
	}
	var whole []struct{ Plan json.RawMessage }
	testkit.NoError(t, json.Unmarshal(plan, &whole))
	walk(slices.Concat([]byte("["), whole[0].Plan, []byte("]")))
	return tables
}

func tableRows(t *testing.T, db *pgxpool.Pool, table string) (rows int) {
	t.Helper()
	err := db.QueryRow(t.Context(), `SELECT reltuples::integer FROM pg_class WHERE relnamespace = 'geo'::regnamespace AND relname = $1`, table).Scan(&rows)
	testkit.NoError(t, err)
	return rows
}

const scans = `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'geo' AND n_live_tup > $1`

// rareKeys are the keys that all synthetic parcels whose reports are drawn may be without: counted roads and
// airports are few.
var rareKeys = map[string]bool{"roadTraffic": true, "nearestAirport": true, "condominiums": true}

// drawnReport is the report of a parcel.
type drawnReport struct {
	of report.Parcel
	*report.Report
}

// checkReports draws reports of n parcels all over what is loaded and looks at what was read: what the
// planner does within functions is not in the plan of the statement that calls them.
func checkReports(t *testing.T, db *pgxpool.Pool, url string, n int) (drawn []drawnReport) {
	t.Helper()
	found := map[string]int{}
	rows, _ := db.Query(t.Context(), `SELECT idu FROM geo.parcelle ORDER BY md5(idu) LIMIT $1`, n)
	parcels, err := pgx.CollectRows(rows, pgx.RowTo[string])
	testkit.NoError(t, err)
	reader := reportkit.NewReader(t, db)
	reader.Parcel(parcels[0]).ParcelNear(42, 9) // reads what the parcels are found by
	awaitFigures(t, db)
	before := readScans(t, db)
	store := storeOf(t, url, topic.Report())
	for _, idu := range parcels {
		p := reader.Parcel(idu)
		r, err := store.Report(t.Context(), p)
		testkit.NoError(t, err)
		drawn = append(drawn, drawnReport{p, r})
		for i, k := range topic.Report().Keys() {
			if v := string(r.Values[i]); v != "" && v != "null" && v != "[]" {
				found[k.Name]++
			}
		}
	}
	store.Close()
	awaitFigures(t, db)
	for table, n := range readScans(t, db) {
		if n > before[table] {
			t.Errorf("%s was read whole %d times for %d parcels", table, n-before[table], len(parcels))
		}
	}
	for _, k := range topic.Report().Keys() {
		t.Logf("%-22s %3d %%", k.Name, 100*found[k.Name]/len(parcels))
		if found[k.Name] == 0 && !rareKeys[k.Name] {
			t.Errorf("%s is empty for all of %d synthetic parcels", k.Name, len(parcels))
		}
	}
	return drawn
}

// awaitFigures waits until what other connections read is counted: they report it when they end.
func awaitFigures(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	db.Reset()
	const others = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	testkit.Eventually(t, testkit.Timeout, "other connections end", func() bool { return testkit.Count(t, db, others) == 0 })
}

func readScans(t *testing.T, db *pgxpool.Pool) map[string]int {
	t.Helper()
	rows, err := db.Query(t.Context(), scans, planLarge)
	testkit.NoError(t, err)
	counts := map[string]int{}
	var table string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error { counts[table] = n; return nil })
	testkit.NoError(t, err)
	return counts
}
