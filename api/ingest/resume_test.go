package ingest_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"arpent/api/ingest"
	"arpent/app/base/pgdb"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
)

const (
	childDatabase = "LOAD_TEST_DATABASE" // makes the test binary the process that is killed
	childData     = "LOAD_TEST_DATA"
)

// TestLoadingProcess is the process that TestKilledLoadGoesOn kills. Elsewhere it does nothing.
func TestLoadingProcess(t *testing.T) {
	url := os.Getenv(childDatabase)
	if url == "" {
		return
	}
	pool, err := pgdb.Open(t.Context(), url, pgdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	loader := ingest.New(ingest.Options{DB: pool, Catalogue: loadkit.CadastreSources(), DataDir: os.Getenv(childData), Packages: []string{}, Workers: 2})
	if _, err := loader.Load(t.Context(), ingest.Request{}); err != nil {
		t.Fatal(err)
	}
}

// holdThird makes every load after the second wait for the test before it ends.
const holdThird = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF (SELECT count(*) FROM geo.load) > 2 THEN PERFORM pg_advisory_xact_lock(42); END IF; RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

const held = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted`

// Of a load of several départements that is killed, those that were loaded stay and are not loaded again. What has changed
// of one of them is loaded alone.
func TestKilledLoadGoesOn(t *testing.T) {
	t.Parallel()
	const departements = 6
	b := loadkit.Cadastre(t)
	name := func(d int) string { return fmt.Sprintf("cadastre-%02d-parcelles.json", d) }
	for d := 1; d <= departements; d++ {
		if code := fmt.Sprintf("%02d001", d); d > 1 { // the first is in the fixture
			b.Exec("INSERT INTO geo.commune (type, code, name, departement_code, commune_code, former_codes) VALUES ('commune-actuelle', $1, 'Une', left($1, 2), $1, '{}')", code)
		}
		b.File(name(d), loadkit.Collection(loadkit.ParcelOf(fmt.Sprintf("%02d001", d), 1, 10, "2024-01-01")))
	}
	b.Exec(holdThird)
	hold, err := b.DB.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Release()
	if _, err := hold.Exec(t.Context(), "SELECT pg_advisory_lock(42)"); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLoadingProcess$")
	child.Env = append(os.Environ(), childDatabase+"="+b.DB.Config().ConnString(), childData+"="+b.Data)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, time.Minute, "the third load waits", func() bool { return testkit.Count(t, b.DB, held) > 0 })
	_ = child.Process.Kill()
	_ = child.Wait()
	before := b.Text("SELECT id, scope FROM geo.load WHERE active")
	b.Want("SELECT count(*) FROM geo.parcelle", "2")
	if _, err := hold.Exec(t.Context(), "SELECT pg_advisory_unlock(42)"); err != nil {
		t.Fatal(err)
	}

	states := map[ingest.State]int{}
	for _, o := range b.MustLoad() {
		states[o.State]++
	}
	if states[ingest.Unchanged] != 2 || states[ingest.Loaded] != departements-2 {
		t.Errorf("the loads after the kill ended as %v", states)
	}
	b.Want("SELECT id, scope FROM geo.load WHERE active ORDER BY id LIMIT 2", before)
	b.Want("SELECT count(*) FROM geo.parcelle", fmt.Sprint(departements))

	b.File(name(3), loadkit.Collection(loadkit.ParcelOf("03001", 1, 11, "2024-02-01")))
	for key, o := range b.MustLoad() {
		if (o.State == ingest.Loaded) != (o.Scope == "03") {
			t.Errorf("%s is %s when département 03 alone has changed", key, o.State)
		}
	}
}
