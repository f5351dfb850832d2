package migrations_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"arpent/app/dev/testkit"
	"arpent/migrations"
)

// everything describes what the migrations make: columns, keys and checks, indexes, functions without what they do.
const everything = `SELECT string_agg(what, E'\n' ORDER BY what) FROM (
	SELECT format('%s.%s %s %s %s', table_schema, table_name, column_name, udt_name, column_default) AS what
		FROM information_schema.columns WHERE table_schema IN ('geo', 'account')
	UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace IN ('geo'::regnamespace, 'account'::regnamespace)
	UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('geo', 'account')
	UNION ALL SELECT oid::regprocedure || ' ' || pg_get_function_result(oid) FROM pg_proc
		WHERE pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)) e`

func described(t *testing.T, db *pgxpool.Pool) (text string) {
	t.Helper()
	if err := db.QueryRow(t.Context(), everything).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// An operator who goes back to a version before the report, and forward again, has the same database as before: each
// migration takes away what it made and nothing else.
func TestBackAndForth(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	at := map[int64]string{}
	const first = 4 // the way back from the third leaves an index behind, and merged files are not edited
	var versions []int64
	for _, source := range p.ListSources() {
		if source.Version > first {
			versions = append(versions, source.Version)
		}
	}
	for _, v := range slices.Backward(versions) {
		at[v] = described(t, pool)
		if _, err := p.Down(t.Context()); err != nil {
			t.Fatalf("back from %d: %v", v, err)
		}
	}
	for _, v := range versions {
		if _, err := p.UpByOne(t.Context()); err != nil {
			t.Fatalf("forward to %d: %v", v, err)
		}
		if got := described(t, pool); got != at[v] {
			t.Errorf("version %d is another one after going back and forth", v)
		}
	}
}

// A function is where its file says, and nowhere else: one that only a numbered migration makes could not be changed without
// another one. What a function calls and reads is there.
func TestFunctions(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	const names = `SELECT DISTINCT pronamespace::regnamespace || '.' || proname FROM pg_proc
		WHERE pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)`
	rows, err := pool.Query(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	there, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
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
