package ingest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

const (
	childDatabase = "LOAD_TEST_DATABASE" // makes the test binary the process that is killed
	childData     = "LOAD_TEST_DATA"
)

// TestLoadingProcess is the process that TestKilledConcurrentLoadGoesOn kills. Elsewhere it does nothing.
func TestLoadingProcess(t *testing.T) {
	url := os.Getenv(childDatabase)
	if url == "" {
		return
	}
	pool, err := pgdb.Open(t.Context(), url, pgdb.Options{})
	testkit.NoError(t, err)
	defer pool.Close()
	loader := ingest.New(ingest.Options{DB: pool, Catalogue: loadkit.CadastreSources(), DataDir: os.Getenv(childData), Workers: 2})
	_, err = loader.Load(t.Context(), ingest.Request{})
	testkit.NoError(t, err)
}

// holdThird makes every load after those of 01 and 02 wait for the test before it writes.
const holdThird = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.scope > '02' THEN PERFORM pg_advisory_xact_lock(42); END IF; RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

const held = `SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
	WHERE locktype = 'advisory' AND objid = 42 AND NOT granted`

// takeHold makes loads wait where a trigger of the test waits for it, until release.
func takeHold(t *testing.T, b *loadkit.Fixture) (release func()) {
	t.Helper()
	conn, err := b.DB.Acquire(t.Context())
	testkit.NoError(t, err)
	t.Cleanup(conn.Release)
	do := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		testkit.NoError(t, err)
	}
	do("SELECT pg_advisory_lock(42)")
	return func() { do("SELECT pg_advisory_unlock(42)") }
}

// Of a load of several départements that is killed, those that were loaded stay and are not loaded again.
// What has changed of one of them is loaded alone.
func TestKilledConcurrentLoadGoesOn(t *testing.T) {
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
	testkit.NoError(t, child.Start())
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

// holdFirst makes the load of département 01 wait for the test when it has written everything and
// not yet ended, and that of 02 write after it.
const holdFirst = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.scope = '01' AND NEW.active THEN PERFORM pg_advisory_xact_lock(42); END IF;
	FOR i IN 1..3000 LOOP
		EXIT WHEN NEW.scope <> '02' OR NEW.active OR (` + held + `) > 0;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT OR UPDATE ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

// loadWhileHeld loads two départements at a time, with that of 01 held until there is a row of the query.
func loadWhileHeld(t *testing.T, b *loadkit.Fixture, there string) {
	t.Helper()
	b.Exec(holdFirst)
	release := takeHold(t, b)
	done := make(chan error, 1)
	go func() {
		o := ingest.Options{DB: b.DB, Catalogue: b.Catalogue, DataDir: b.Data, StateDir: t.TempDir(), Workers: 2}
		_, err := ingest.New(o).Load(t.Context(), ingest.Request{})
		done <- err
	}()
	testkit.Eventually(t, time.Minute, "the load that is not held", func() bool {
		return testkit.Count(t, b.DB, held) > 0 && testkit.Count(t, b.DB, there) > 0
	})
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

const secondEnded = `SELECT count(*) FROM geo.load WHERE scope = '02' AND active`

// Départements of a layer are written at the same time.
func TestConcurrentWritesOfDepartements(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	for _, departement := range []string{"01", "02"} {
		b.File("caves_"+departement+".geojson", loadkit.Collection(loadkit.Thing("a", "x", loadkit.PointJSON(5, 46))))
	}
	loadWhileHeld(t, b, secondEnded)
	b.Want("SELECT part FROM geo.enrich_cavity ORDER BY part", "caves/01\ncaves/02")
	b.Want(loadkit.Coverage+" ORDER BY c.area", "cavity|01|caves|01|true\ncavity|02|caves|02|true")
}

// A load that was served in two départements ends when both are replaced, at the same time too.
func TestConcurrentWritesOfParcels(t *testing.T) {
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
	loadWhileHeld(t, b, "SELECT greatest(("+secondEnded+"), ("+waits+"))")
	b.Want("SELECT idu, contenance FROM geo.parcelle ORDER BY idu", "010010000A0001|11\n020010000A0001|11")
	b.Want("SELECT l.id, l.scope FROM geo.load l WHERE active AND NOT EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.load_id = l.id)", "")
	b.Want("SELECT scope FROM geo.load WHERE active ORDER BY scope", "01\n02")
}

// holdCaves makes the load of caves wait for the test when it has written everything.
const holdCaves = `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.source = 'caves' AND NEW.active THEN PERFORM pg_advisory_xact_lock(42); END IF; RETURN NULL; END $$;
CREATE TRIGGER hold AFTER UPDATE ON geo.load FOR EACH ROW EXECUTE FUNCTION hold()`

// staged counts the staging tables that connections have.
const staged = `SELECT count(*) FROM pg_class WHERE relname = 'stage' AND relpersistence = 't'`

// twoLayers are caves and mines, each in one file of the country.
func twoLayers(t *testing.T, mines string) *loadkit.Fixture {
	t.Helper()
	b := loadkit.New(t, loadkit.Layer("caves", ""), loadkit.Layer("mines", ""))
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("c", "cave", loadkit.PointJSON(5, 45))))
	b.File("mines.geojson", mines)
	return b
}

// whileCavesAreWritten loads everything, with meanwhile between what is written of
// caves and the end of it, and mines read meanwhile.
func whileCavesAreWritten(ctx context.Context, t *testing.T, b *loadkit.Fixture, meanwhile func()) ([]ingest.Outcome, error) {
	t.Helper()
	b.Exec(holdCaves)
	release := takeHold(t, b)
	type result struct {
		out []ingest.Outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := b.Loader().Load(ctx, ingest.Request{})
		done <- result{out, err}
	}()
	testkit.Eventually(t, time.Minute, "the caves wait to be served, and the others are read", func() bool {
		return testkit.Count(t, b.DB, held) > 0 && testkit.Count(t, b.DB, staged) == len(b.Catalogue)
	})
	meanwhile()
	release()
	r := <-done
	return r.out, r.err
}

// While a source is written the files of the next two are read, and nothing of them served before their turn.
func TestNextSourceIsReadConcurrently(t *testing.T) {
	t.Parallel()
	b := twoLayers(t, loadkit.Collection(loadkit.Thing("m", "mine", loadkit.PointJSON(6, 46))))
	b.Catalogue = append(b.Catalogue, loadkit.Layer("pits", ""))
	b.File("pits.geojson", loadkit.Collection(loadkit.Thing("p", "pit", loadkit.PointJSON(6, 46))))
	out, err := whileCavesAreWritten(t.Context(), t, b, func() {
		b.Want("SELECT count(*) FROM geo.load WHERE active", "0")
		b.Want(served, "")
	})
	var order []string
	for _, o := range out {
		order = append(order, fmt.Sprint(o.Source, " ", o.State))
	}
	if got := strings.Join(order, ", "); err != nil || got != "caves loaded, mines loaded, pits loaded" {
		t.Errorf("the loads ended with %v: %s", err, got)
	}
	b.Want(served, "caves|c|1|cave\nmines|m|1|mine\npits|p|1|pit")
	b.Want("SELECT source, row_count FROM geo.load WHERE active", "caves|1\nmines|1\npits|1")
}

// What another process loads while it has been read ahead is not loaded again.
func TestSourceReadConcurrentlyIsLoadedOnce(t *testing.T) {
	t.Parallel()
	b := twoLayers(t, loadkit.Collection(loadkit.Thing("m", "mine", loadkit.PointJSON(6, 46))))
	out, err := whileCavesAreWritten(t.Context(), t, b, func() {
		other := *b
		other.Catalogue = []source.Source{loadkit.Layer("mines", "")}
		if done := other.MustLoad()["mines"]; done.State != ingest.Loaded {
			t.Errorf("the other process: %v", done)
		}
	})
	if err != nil || len(out) != 2 || out[1].State != ingest.Unchanged {
		t.Errorf("the loads ended with %v: %v", err, out)
	}
	b.Want("SELECT source FROM geo.load", "caves\nmines")
	b.Want(served, "caves|c|1|cave\nmines|m|1|mine")
}

// A file that cannot be read is refused in its turn, and costs the source before it nothing.
func TestBrokenFileReadConcurrently(t *testing.T) {
	t.Parallel()
	b := twoLayers(t, `{"type":"FeatureCollection","features":[`)
	out, err := whileCavesAreWritten(t.Context(), t, b, func() {})
	loadkit.Contains(t, err, "load mines", "mines.geojson", "cut off")
	if len(out) != 2 || out[0].State != ingest.Loaded || out[1].State != ingest.Refused {
		t.Errorf("the loads ended as %v", out)
	}
	b.Want(served, "caves|c|1|cave")
}

// A run that is stopped leaves no connection behind that has read ahead.
func TestConcurrentReadingEndsWithTheRun(t *testing.T) {
	t.Parallel()
	b := twoLayers(t, loadkit.Collection(loadkit.Thing("m", "mine", loadkit.PointJSON(6, 46))))
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := whileCavesAreWritten(ctx, t, b, cancel); err == nil {
		t.Error("the run ended without an error")
	}
	testkit.Eventually(t, time.Minute, "all connections of the loads have ended", func() bool {
		return testkit.Count(t, b.DB, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'arpent load%' AND datname = current_database()") == 0
	})
	b.Want(served, "")
}

// A table that several sources of a run are loaded into is analyzed after the first load and after the last:
// the planner knows all its rows, and the time of a run does not grow by an analysis of all rows for each
// source.
func TestTableOfSeveralSourcesIsAnalyzedTwice(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t)
	for _, name := range []string{"caves", "mines", "pits"} {
		b.Catalogue = append(b.Catalogue, loadkit.Layer(name, ""))
		b.File(name+".geojson", loadkit.Collection(loadkit.Thing(name, name, loadkit.PointJSON(5, 45))))
	}
	b.MustLoad()
	b.Want(`SELECT s.analyze_count, c.reltuples FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
		WHERE s.relid = 'geo.enrich_cavity'::regclass`, "2|3")
}
