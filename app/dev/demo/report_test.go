package demo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/ingest"
	"arpent/api/report"
	"arpent/api/topic"
	"arpent/app/dev/demo"
	"arpent/app/dev/testkit"
)

func buildReport(t *testing.T, pool *pgxpool.Pool, parcels int, seed uint64) demo.Result {
	t.Helper()
	o := options(pool, parcels, seed)
	o.Report = true
	r, err := demo.Make(t.Context(), pool, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// filled is a database with the report of 500 parcels, of seed 1, which the tests that only go on from one share.
func filled(t *testing.T) (pool *pgxpool.Pool, url string) {
	t.Helper()
	return testkit.Prepared(t, "filled", testkit.SourcesKey(t, "api", "app/dev/demo"), func(ctx context.Context, pool *pgxpool.Pool) error {
		o := options(pool, 500, 1)
		o.Report = true
		_, err := demo.Make(ctx, pool, o)
		return err
	})
}

// layerTables counts the rows of each table of the report.
func layerTables(t *testing.T, pool *pgxpool.Pool) map[string]int {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'geo'::regnamespace AND relkind = 'r' AND EXISTS
		(SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'part') ORDER BY relname`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, name := range names {
		counts[name] = value[int](t, pool, "SELECT count(*) FROM "+pgx.Identifier{"geo", name}.Sanitize())
	}
	return counts
}

// unfilled are the tables that stay empty: forms that the others are made like, layers that stand in for another one,
// and what is only read while loading.
var unfilled = map[string]bool{
	// No part of the report is made from these.
	"adresse_bano": true, "adresse_locale": true, "lieu_dit": true, "stat_value": true, "stat_fact": true, "election_turnout": true, "election_result": true,
	"enrich_shape": true, "enrich_fact": true, "enrich_hospital_extract": true, "enrich_charge_network": true,
	"enrich_station_list": true, "enrich_health_structure": true, "enrich_mobile_support": true, "enrich_mobile_operator": true,
	"enrich_mobile_station": true, "enrich_mobile_emitter": true, "sirene_place": true, "sirene_company": true}

// Who tries the service without data sees every member of the report as it will look, and sees that it is synthetic.
func TestTheReportIsFilled(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	before := value[string](t, pool, indexes)
	r := buildReport(t, pool, 4_000, 1)
	if !r.Made || r.Layers < 50 || r.Rows < 50_000 {
		t.Errorf("made %+v", r)
	}
	for table, n := range layerTables(t, pool) {
		if (n == 0) != unfilled[table] {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	for what, query := range map[string]string{
		"layers without a load that says so": `SELECT count(*) FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id
			WHERE NOT (l.demonstration AND l.active AND l.producer LIKE '%made up%' AND l.licence = 'none: made up') OR c.area <> ''`,
		"leftovers": `SELECT count(*) FROM pg_tables WHERE tablename LIKE 'demonstration%'`,
	} {
		if n := value[int](t, pool, query); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	if after := value[string](t, pool, indexes); after != before {
		t.Errorf("the indexes became\n%s\nthey were\n%s", after, before)
	}
}

const indexes = `SELECT string_agg(indexdef, E'\n' ORDER BY indexdef) FROM pg_indexes WHERE schemaname = 'geo'`

const reportFingerprint = `SELECT string_agg(md5, ' ' ORDER BY name) FROM (
	SELECT 'adresse' AS name, md5(string_agg(t::text, ' ' ORDER BY id, place)) FROM geo.adresse t
	UNION ALL SELECT 'sirene', md5(string_agg(t::text, ' ' ORDER BY id)) FROM geo.sirene t
	UNION ALL SELECT 'tap', md5(string_agg(t::text, ' ' ORDER BY sample, parameter)) FROM geo.tap_result t
	UNION ALL SELECT 'plan', md5(string_agg(t::text, ' ' ORDER BY id, piece)) FROM geo.enrich_plan_zone t
	UNION ALL SELECT 'protected', md5(string_agg(t::text, ' ' ORDER BY id, piece)) FROM geo.enrich_protected_area t
	UNION ALL SELECT 'coast', md5(string_agg(t::text, ' ' ORDER BY id, piece)) FROM geo.enrich_coast t) every`

func TestAnotherSeedMakesAnotherReport(t *testing.T) {
	t.Parallel()
	first, _ := filled(t)
	second, _ := testkit.DB(t)
	buildReport(t, second, 500, 8)
	if a, b := value[string](t, first, reportFingerprint), value[string](t, second, reportFingerprint); a == b {
		t.Error("two seeds made the same report")
	}
}

// An operator who made the demonstration anew without the report must not find rows of it that nobody knows of.
func TestTheReportGoes(t *testing.T) {
	t.Parallel()
	pool, _ := filled(t)
	if r := buildReport(t, pool, 500, 1); r.Made || r.Rows == 0 {
		t.Errorf("made again: %+v", r)
	}
	keep := options(pool, 50, 2)
	keep.Keep = true
	if _, err := demo.Make(t.Context(), pool, keep); err != nil {
		t.Fatal(err)
	}
	if n := value[int](t, pool, `SELECT count(*) FROM geo.coverage`); n == 0 {
		t.Error("a start of the service removed the report")
	}
	build(t, pool, 500, 1)
	for table, n := range layerTables(t, pool) {
		if n != 0 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	if n := value[int](t, pool, `SELECT count(*) FROM geo.load WHERE source LIKE 'demonstration-%'`); n != 0 {
		t.Errorf("%d loads are left", n)
	}
	if r := build(t, pool, 500, 1); r.Made {
		t.Error("the parcels were made again")
	}
}

// An operator whose machine stops after minutes of filling does not wait for the same again; until all is there the
// service serves nothing of it. It then serves what any other machine does: an example in the documentation holds everywhere.
func TestAnInterruptedReportGoesOn(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(pool, 500, 1)
	o.Report = true
	o.Progress = func(s demo.Step) {
		if s.Doing == "layers" && s.Done == 10 {
			cancel()
		}
	}
	if _, err := demo.Make(ctx, pool, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, expected it to be cancelled", err)
	}
	const done = `SELECT array_agg(id ORDER BY id) FROM geo.load WHERE source LIKE 'demonstration-%'`
	before := value[[]int64](t, pool, done)
	if n := value[int](t, pool, `SELECT count(*) FROM geo.coverage`); n != 0 || len(before) < 10 {
		t.Errorf("%d loads were done, %d areas are covered", len(before), n)
	}
	r := buildReport(t, pool, 500, 1)
	if after := value[[]int64](t, pool, done); len(after) != r.Layers || !slices.Equal(after[:len(before)], before) {
		t.Errorf("the loads %v became %v", before, after)
	}
	if n := value[int](t, pool, `SELECT count(DISTINCT layer) FROM geo.coverage`); n != r.Layers {
		t.Errorf("%d layers are covered of %d", n, r.Layers)
	}
	whole, _ := filled(t)
	if a, b := value[string](t, whole, reportFingerprint), value[string](t, pool, reportFingerprint); a != b {
		t.Errorf("the same number and seed made %s and %s", a, b)
	}
}

// A report that an earlier version made is made anew, and nothing of it is served meanwhile; all rows of either are known by
// a load, so that real data that comes in between finds what it has to remove.
func TestTheReportOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	pool, _ := filled(t)
	r := buildReport(t, pool, 500, 1)
	if _, err := pool.Exec(t.Context(), `UPDATE geo.load SET checksum = 'earlier' WHERE source LIKE 'demonstration-%'`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(pool, 500, 1)
	o.Report = true
	o.Progress = func(s demo.Step) {
		if s.Doing == "layers" && s.Done == 5 {
			cancel()
		}
	}
	if _, err := demo.Make(ctx, pool, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, expected it to be cancelled", err)
	}
	const known = `SELECT count(DISTINCT source) FROM geo.load WHERE source LIKE 'demonstration-%'`
	if loads, areas := value[int](t, pool, known), value[int](t, pool, "SELECT count(*) FROM geo.coverage"); loads != r.Layers || areas != 0 {
		t.Errorf("%d layers of %d are known by a load, %d areas are covered", loads, r.Layers, areas)
	}
	again := buildReport(t, pool, 500, 1)
	if n := value[int](t, pool, "SELECT count(*) FROM geo.coverage"); n != r.Layers || again.Rows != r.Rows {
		t.Errorf("%d layers with %d rows; expected %d with %d", n, again.Rows, r.Layers, r.Rows)
	}
	const twice = `SELECT count(*) FROM geo.load WHERE source LIKE 'demonstration-%' AND (NOT active OR checksum = 'earlier')`
	if n := value[int](t, pool, twice); n != 0 {
		t.Errorf("%d loads of the earlier version are left", n)
	}
}

// Real data that somebody has loaded must not be lost to a demonstration.
func TestRealLayersAreLeftAlone(t *testing.T) {
	t.Parallel()
	pool, _ := filled(t)
	_, err := pool.Exec(t.Context(), `
		INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('radon', '', '', '', '[]', '', 1, 0, '[]', now(), now(), true);
		INSERT INTO geo.enrich_radon (part, id, commune, attrs) VALUES ('radon', '93010', '93010', '{"category": 1}')`)
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range []bool{true, false} {
		o := options(pool, 600, 1)
		o.Report = report
		if _, err := demo.Make(t.Context(), pool, o); !errors.Is(err, demo.ErrRealData) {
			t.Errorf("got %v, expected ErrRealData", err)
		}
	}
	if n := value[int](t, pool, `SELECT count(*) FROM geo.enrich_radon WHERE part = 'radon'`); n != 1 {
		t.Error("the real row is gone")
	}
}

// Who replaces a demonstration by real data, layer by layer, is served nothing synthetic from the first load on: neither of
// the layers that are still to come nor by a row that a statement reads beside. Its room is given back, too.
func TestTheReportLeavesWithTheFirstRealLayer(t *testing.T) {
	t.Parallel()
	pool, url := filled(t)
	reports, err := report.Open(t.Context(), report.Options{Catalogue: topic.Report(), URL: url, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reports.Close)
	idu := value[string](t, pool, "SELECT idu FROM geo.parcelle WHERE left(idu, 3) <> '974' ORDER BY idu LIMIT 1")
	place := report.Parcel{IDU: idu, Commune: idu[:5], Arrondissement: idu[:5], Departement: idu[:2]}
	if keys, _ := served(t, reports, place); len(keys) < 40 {
		t.Fatalf("the demonstration reports %v alone", keys)
	}

	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "radon"), 0o755); err != nil {
		t.Fatal(err)
	}
	load := func(line string) error {
		text := "nom_comm;nom_dept;insee_com;classe_potentiel;reg\n" + line
		if err := os.WriteFile(filepath.Join(data, "radon", "radon.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		loader := ingest.New(ingest.Options{DB: pool, Catalogue: topic.Sources(), DataDir: data, StateDir: t.TempDir(), Packages: []string{}})
		_, err := loader.Load(t.Context(), ingest.Request{Sources: []string{"radon"}})
		return err
	}
	if err := load("A;B;not a commune;1;FR\n"); err == nil {
		t.Error("a file of garbage was loaded")
	}
	if keys, _ := served(t, reports, place); len(keys) < 40 {
		t.Fatalf("after a load that was refused, the demonstration reports %v alone", keys)
	}
	if err := load("A;B;" + idu[:5] + ";3;FR\n"); err != nil {
		t.Fatal(err)
	}
	keys, sources := served(t, reports, place)
	if !slices.Equal(keys, []string{"radon"}) || !slices.Equal(sources, []string{"radon"}) {
		t.Errorf("with radon loaded alone, the report shows %v from %v", keys, sources)
	}
	for table, n := range layerTables(t, pool) {
		if n != 0 && table != "enrich_radon" || n != 1 && table == "enrich_radon" {
			t.Errorf("%s has %d rows", table, n)
		}
	}
}

// served lists the keys of a report that are not null, and the sources that it names.
func served(t *testing.T, reports *report.Store, place report.Parcel) (keys, sources []string) {
	t.Helper()
	r, err := reports.Report(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range topic.Report().Keys() {
		if r.Values[i] != nil {
			keys = append(keys, k.Name)
		}
	}
	for _, l := range r.Loads {
		sources = append(sources, l.Source)
	}
	return keys, sources
}
