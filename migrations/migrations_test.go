package migrations_test

import (
	"database/sql"
	_ "embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
	"arpent/migrations"
)

// describeSchemaSQL describes what the migrations make: columns, keys and
// checks, indexes, functions without what they do.
const describeSchemaSQL = `SELECT string_agg(what, E'\n' ORDER BY what) FROM (
	SELECT concat_ws(' ', c.oid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) AS what
		FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE relnamespace IN ('geo'::regnamespace, 'account'::regnamespace) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
	UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace IN ('geo'::regnamespace, 'account'::regnamespace)
	UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('geo', 'account')
	UNION ALL SELECT oid::regprocedure || ' ' || pg_get_function_result(oid) FROM pg_proc
		WHERE pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)) e`

func describeSchema(t *testing.T, db *pgxpool.Pool) (text string) {
	t.Helper()
	testkit.NoError(t, db.QueryRow(t.Context(), describeSchemaSQL).Scan(&text))
	return text
}

// An operator who goes back to a version before the report, and forward again, has the same database as
// before: each migration takes away what it made and nothing else.
func TestBackAndForth(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	p := testkit.Must(goose.NewProvider(goose.DialectPostgres, db, migrations.Files))(t)
	at := map[int64]string{}
	const first = 4 // the way back from the third leaves an index behind, and merged files are not edited
	var versions []int64
	for _, source := range p.ListSources() {
		if source.Version > first {
			versions = append(versions, source.Version)
		}
	}
	for _, v := range slices.Backward(versions) {
		at[v] = describeSchema(t, pool)
		if _, err := p.Down(t.Context()); err != nil {
			t.Fatalf("back from %d: %v", v, err)
		}
	}
	for _, v := range versions {
		if _, err := p.UpByOne(t.Context()); err != nil {
			t.Fatalf("forward to %d: %v", v, err)
		}
		if got := describeSchema(t, pool); got != at[v] {
			t.Errorf("version %d is another one after going back and forth", v)
		}
	}
}

// dropParcelTrigger takes away what lets tests write parcels one by one.
const dropParcelTrigger = "DROP FUNCTION geo.write_parcel CASCADE"

// A function is where its file says, and nowhere else: one that only a numbered migration makes could not be
// changed without another one. What a function calls and reads is there.
func TestFunctions(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, dropParcelTrigger)
	const names = `SELECT DISTINCT pronamespace::regnamespace || '.' || proname FROM pg_proc
		WHERE pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)`
	rows := testkit.Must(pool.Query(t.Context(), names))(t)
	there := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	for _, name := range there {
		if !strings.Contains(migrations.Functions(), "\nCREATE OR REPLACE FUNCTION "+name+"(") {
			t.Errorf("%s is in no file of functions", name)
		}
	}
	const built = `SELECT count(*) FROM pg_depend d JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
		WHERE p.pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)
			AND d.classid IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_attrdef'::regclass)`
	if n := testkit.Count(t, pool, built); n != 0 {
		t.Errorf("%d indexes, constraints or defaults use a function, whose replacement would not rebuild them", n)
	}
	if _, err := pool.Exec(t.Context(), "SET check_function_bodies = on;\n"+migrations.Functions()); err != nil {
		t.Error(err)
	}
}

// lastLayers is the last version whose migrations made the tables of layers.
const lastLayers = 20

//go:embed testdata/layers_version20.sql
var formerLayersSQL string

// A database that an earlier version made has the same schema after an update as
// a new one, and what it holds is left alone.
func TestUpdateOfLayers(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	exec := func(sql string) {
		t.Helper()
		testkit.Exec(t, pool, sql)
	}
	exec(dropParcelTrigger)
	want := strings.Split(describeSchema(t, pool), "\n")
	exec("DROP SCHEMA geo CASCADE; DROP SCHEMA account CASCADE; DROP SCHEMA job CASCADE; DROP TABLE goose_db_version")
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	p := testkit.Must(goose.NewProvider(goose.DialectPostgres, db, migrations.Files))(t)
	if _, err := p.UpTo(t.Context(), lastLayers); err != nil {
		t.Fatal(err)
	}
	exec(formerLayersSQL)
	exec(`INSERT INTO geo.enrich_radon (part, id, attrs) VALUES ('radon', '93010', '{}'), ('osm-supermarkets/93', '1', '{}');
		INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
			SELECT s, '', 'p', 't', 'l', '[]', 'c', 1, 0, '[]', now(), now(), true FROM unnest(ARRAY['radon', 'osm-supermarkets']) s`)
	testkit.NoError(t, pgdb.Migrate(t.Context(), url, testkit.Tables()))
	got := strings.Split(describeSchema(t, pool), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("an updated database lacks %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("a new database lacks %s", line)
		}
	}
	testkit.WantCount(t, pool, 1, "rows are left", "SELECT count(*) FROM geo.enrich_radon")
	if n := testkit.Count(t, pool, "SELECT count(*) FROM geo.load"); n != 1 {
		t.Errorf("%d loads are left, expected that of the source that is still declared", n)
	}
}

// A source that is declared can be loaded: its table is made by a migration or by a declaration.
func TestTablesOfSources(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	for _, src := range testkit.Tables() {
		targets := []source.Target{src.Target}
		for _, d := range src.Derived {
			targets = append(targets, d.Target)
		}
		for _, target := range targets {
			if testkit.Count(t, pool, "SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)", target.Table) == 0 {
				t.Errorf("nothing makes %s, which %s fills", target.Table, src.Name)
			}
		}
	}
}

// What looks at the rejections of all accounts reads those of its time, however many there are: the hourly
// cleaning, and the operators' page of a day.
func TestRejectionsAreFoundByTheirTime(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	for _, sql := range []string{"DELETE FROM account.refusal WHERE minute <= now()", "SELECT FROM account.refusal WHERE minute >= now() AND minute < now()"} {
		tx := testkit.Must(pool.Begin(t.Context()))(t)
		if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off"); err != nil { // the table is empty here
			t.Fatal(err)
		}
		rows, _ := tx.Query(t.Context(), "EXPLAIN "+sql)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || !strings.Contains(strings.Join(plan, "\n"), "refusal_minute") {
			t.Errorf("%s: %v\n%s", sql, err, strings.Join(plan, "\n"))
		}
		testkit.NoError(t, tx.Rollback(t.Context()))
	}
}

var (
	lockedTables  = regexp.MustCompile(`LOCK TABLE ([^;]+) IN ACCESS EXCLUSIVE MODE`)
	createdTables = regexp.MustCompile(`CREATE TABLE ([a-z_.]+)`)
	alteredTables = regexp.MustCompile(`ALTER TABLE ([a-z_.]+)`)
)

// A migration that waits for a pause of the readers takes all its locks in it: one that came later could wait
// for a request that waits for the migration.
func TestMigrationsLockTheirTablesAtOnce(t *testing.T) {
	t.Parallel()
	names := testkit.Must(fs.Glob(migrations.Files, "*.sql"))(t)
	checked := 0
	for _, name := range names {
		if name < "00051" { // one of before leaves out a table that requests do not read
			continue
		}
		b := testkit.Must(fs.ReadFile(migrations.Files, name))(t)
		up, _, _ := strings.Cut(string(b), "-- +goose Down")
		lock := lockedTables.FindStringSubmatch(up)
		if lock == nil {
			continue
		}
		checked++
		own := strings.Split(lock[1], ", ")
		for _, m := range createdTables.FindAllStringSubmatch(up, -1) {
			own = append(own, m[1])
		}
		for _, m := range alteredTables.FindAllStringSubmatch(up, -1) {
			if !slices.Contains(own, m[1]) {
				t.Errorf("%s changes %s and does not lock it with the others", name, m[1])
			}
		}
	}
	if checked == 0 {
		t.Error("no migration was checked")
	}
}
