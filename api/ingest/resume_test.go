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

// holdThird makes every load after those of 01 and 02 wait for the test before it writes.
const holdThird = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.scope > '02' THEN PERFORM pg_advisory_xact_lock(42); END IF; RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

const held = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted`

// takeHold makes loads wait where a trigger of the test waits for it, until release.
func takeHold(t *testing.T, b *loadkit.Fixture) (release func()) {
	t.Helper()
	conn, err := b.DB.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	do := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	do("SELECT pg_advisory_lock(42)")
	return func() { do("SELECT pg_advisory_unlock(42)") }
}

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
	release := takeHold(t, b)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLoadingProcess$")
	child.Env = append(os.Environ(), childDatabase+"="+b.DB.Config().ConnString(), childData+"="+b.Data)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, time.Minute, "the next two loads wait", func() bool { return testkit.Count(t, b.DB, held) > 1 })
	_ = child.Process.Kill()
	_ = child.Wait()
	before := b.Text("SELECT id, scope FROM geo.load WHERE active")
	b.Want("SELECT count(*) FROM geo.parcelle", "2")
	release()

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

// holdFirst makes the load of département 01 wait for the test when it has written everything and not yet ended, and that of 02 write
// after it.
const holdFirst = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.scope = '01' AND NEW.active THEN PERFORM pg_advisory_xact_lock(42); END IF;
	FOR i IN 1..3000 LOOP
		EXIT WHEN NEW.scope <> '02' OR NEW.active OR (` + held + `) > 0;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT OR UPDATE ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

// besideHeld loads two départements at a time, with that of 01 held until there is a row of the query.
func besideHeld(t *testing.T, b *loadkit.Fixture, there string) {
	t.Helper()
	b.Exec(holdFirst)
	release := takeHold(t, b)
	done := make(chan error, 1)
	go func() {
		o := ingest.Options{DB: b.DB, Catalogue: b.Catalogue, DataDir: b.Data, StateDir: t.TempDir(), Packages: []string{}, Workers: 2}
		_, err := ingest.New(o).Load(t.Context(), ingest.Request{})
		done <- err
	}()
	testkit.Eventually(t, time.Minute, "what happens beside the load that is held", func() bool {
		return testkit.Count(t, b.DB, held) > 0 && testkit.Count(t, b.DB, there) > 0
	})
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

const secondEnded = `SELECT count(*) FROM geo.load WHERE scope = '02' AND active`

// Départements of a layer are written at the same time.
func TestDepartementsAreWrittenBeside(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	for _, departement := range []string{"01", "02"} {
		b.File("caves_"+departement+".geojson", loadkit.Collection(loadkit.Thing("a", "x", loadkit.Spot(5, 46))))
	}
	besideHeld(t, b, secondEnded)
	b.Want("SELECT part FROM geo.enrich_cavity ORDER BY part", "caves/01\ncaves/02")
	b.Want(loadkit.Coverage+" ORDER BY c.area", "cavity|01|caves|01|true\ncavity|02|caves|02|true")
}

// A load that was served in two départements ends when both are replaced, at the same time too.
func TestParcelsAreWrittenBeside(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	b.Exec("INSERT INTO geo.commune (type, code, name, departement_code, commune_code, former_codes) VALUES ('commune-actuelle', '02001', 'Une', '02', '02001', '{}')")
	files := func(contenance int) {
		for _, departement := range []string{"01", "02"} {
			b.File("cadastre-"+departement+"-parcelles.json", loadkit.Collection(loadkit.ParcelOf(departement+"001", 1, contenance, "2024-01-01")))
		}
	}
	files(10)
	b.MustLoad()
	b.Exec("UPDATE geo.load SET active = false WHERE scope = '02'")
	b.Exec("UPDATE geo.load SET scope = '' WHERE active") // one of a file of both
	b.Exec("UPDATE geo.parcelle_commune SET load_id = (SELECT id FROM geo.load WHERE active)")
	files(11)
	const waits = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`
	besideHeld(t, b, "SELECT greatest(("+secondEnded+"), ("+waits+"))")
	b.Want("SELECT idu, contenance FROM geo.parcelle ORDER BY idu", "010010000A0001|11\n020010000A0001|11")
	b.Want("SELECT l.id, l.scope FROM geo.load l WHERE active AND NOT EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.load_id = l.id)", "")
	b.Want("SELECT scope FROM geo.load WHERE active ORDER BY scope", "01\n02")
}
