package ingest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
)

const gatherPlaces = 4

func cavesFile(place int) string { return fmt.Sprintf("caves_%02d.geojson", place) }

// cavesOf is a file of caves of these kinds.
func cavesOf(kinds ...string) string {
	var caves []string
	for i, kind := range kinds {
		caves = append(caves, loadkit.Thing(string(rune('a'+i)), kind, loadkit.PointJSON(5, 46)))
	}
	return loadkit.Collection(caves...)
}

// fourPlaces is a fixture with caves of four départements.
func fourPlaces(t *testing.T) *loadkit.Fixture {
	t.Helper()
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	for d := 1; d <= gatherPlaces; d++ {
		b.File(cavesFile(d), cavesOf(fmt.Sprint("kind ", d), "well"))
	}
	return b
}

// newGatheringLoader is the loader of a fixture that has places wait
// for each other however few bytes they are.
func newGatheringLoader(b *loadkit.Fixture) *ingest.Loader {
	return ingest.New(ingest.Options{DB: b.DB, Catalogue: b.Catalogue, DataDir: b.Data, StateDir: b.State, Clock: b.Clock, GatherFrom: 1})
}

func gatherAll(t *testing.T, b *loadkit.Fixture) (map[string]ingest.State, error) {
	t.Helper()
	out, err := newGatheringLoader(b).Load(t.Context(), ingest.Request{})
	states := map[string]ingest.State{}
	for _, o := range out {
		states[o.Scope] = o.State
	}
	return states, err
}

// formOf is the form of the tables of a name, and of their successors.
func formOf(table string) string {
	return `SELECT c.relname, pg_get_userbyid(c.relowner) AS owner, c.relacl::text, c.reloptions::text,
	(SELECT string_agg(i.indexdef, ' ' ORDER BY i.indexdef) FROM pg_indexes i WHERE i.schemaname = 'geo' AND i.tablename = c.relname) AS indexes,
	(SELECT string_agg(k.conname || pg_get_constraintdef(k.oid), ' ' ORDER BY k.conname) FROM pg_constraint k WHERE k.conrelid = c.oid) AS constraints,
	(SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull), ' ' ORDER BY a.attnum) FROM pg_attribute a
		WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
	FROM pg_class c WHERE c.relnamespace = 'geo'::regnamespace AND c.relname ~ '^` + table + `(_next)?$' AND c.relkind = 'r'`
}

const (
	servedCaves = `SELECT part, id, attrs::text, ST_AsText(geom) FROM geo.enrich_cavity`
	loadsOf     = `SELECT source, scope, vintage, row_count, refused_count, refused::text, checksum, active, filled::text, files::text FROM geo.load`
	noneWaits   = `SELECT (SELECT count(*) FROM geo.load_gathered) AS waiting, (SELECT count(*) FROM pg_class WHERE relname ~ '_next') AS tables`
)

// A first load of many places leaves what one place after the other leaves, in tables of the same form.
func TestGatheredPlacesAreServedAsAnyOther(t *testing.T) {
	t.Parallel()
	apart, gathered := fourPlaces(t), fourPlaces(t)
	form := gathered.Text(formOf("enrich_cavity"))
	apart.MustLoad()
	before := gathered.Text("SELECT 'geo.enrich_cavity'::regclass::oid")
	states, err := gatherAll(t, gathered)
	if err != nil || states["01"] != ingest.Loaded || len(states) != gatherPlaces {
		t.Fatalf("the loads ended as %v: %v", states, err)
	}
	for _, query := range []string{servedCaves, loadkit.Coverage, loadsOf, noneWaits} {
		gathered.Want(query, apart.Text(query))
	}
	gathered.Want(formOf("enrich_cavity"), form)
	if gathered.Text("SELECT 'geo.enrich_cavity'::regclass::oid") == before {
		t.Error("the rows were written one place after the other")
	}
	for key, o := range gathered.MustLoad() {
		if o.State != ingest.Unchanged {
			t.Errorf("%s is loaded a second time", key)
		}
	}
	gathered.File(cavesFile(3), cavesOf("mine"))
	gathered.MustLoad()
	gathered.Want("SELECT id, attrs->>'kind' AS kind FROM geo.enrich_cavity WHERE part = 'caves/03'", "a|mine")
}

// holdSecond makes what is gathered of places after 02 wait for the
// test, and lists the places that were read.
const holdSecond = `CREATE TABLE public.read (scope text);
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.scope > '02' THEN PERFORM pg_advisory_xact_lock(42); END IF;
	INSERT INTO public.read VALUES (NEW.scope); RETURN NULL; END $$;
CREATE TRIGGER hold AFTER INSERT ON geo.load_gathered FOR EACH ROW EXECUTE FUNCTION hold()`

// stoppedGathering is a fixture of four places whose first load was stopped when two of them had been read.
func stoppedGathering(t *testing.T) *loadkit.Fixture {
	t.Helper()
	b := fourPlaces(t)
	b.Exec(holdSecond)
	release := takeHold(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []ingest.Outcome, 1)
	go func() {
		out, _ := newGatheringLoader(b).Load(ctx, ingest.Request{})
		done <- out
	}()
	testkit.Eventually(t, time.Minute, "the next places wait", func() bool {
		return testkit.Count(t, b.DB, held) > 0 && testkit.Count(t, b.DB, "SELECT count(*) FROM public.read") == 2
	})
	b.Want(servedCaves, "")
	cancel()
	for _, o := range <-done {
		// One that is stopped between its commit and the end of it is reported as refused.
		if o.State != ingest.Refused && (o.State != ingest.Waiting || o.Scope > "02") {
			t.Errorf("the load of %s ended as %s", o.Scope, o.State)
		}
	}
	release()
	b.Want("SELECT (SELECT count(*) FROM geo.enrich_cavity) AS caves, (SELECT count(*) FROM geo.load) AS loads, (SELECT count(*) FROM geo.coverage) AS covered", "0|0|0")
	return b
}

// Of a first load that is stopped nothing is served, and what was read is not read again, unless a file has
// changed. One place alone does not wait for those that wait.
func TestStoppedConcurrentGathering(t *testing.T) {
	t.Parallel()
	t.Run("goes on", func(t *testing.T) {
		t.Parallel()
		b, whole := stoppedGathering(t), fourPlaces(t)
		whole.MustLoad()
		if states, err := gatherAll(t, b); err != nil || states["01"] != ingest.Loaded || states["04"] != ingest.Loaded {
			t.Errorf("the loads ended as %v: %v", states, err)
		}
		b.Want("SELECT scope FROM public.read", "01\n02\n03\n04")
		for _, query := range []string{servedCaves, loadkit.Coverage, loadsOf, noneWaits} {
			b.Want(query, whole.Text(query))
		}
	})
	t.Run("a file that changes", func(t *testing.T) {
		t.Parallel()
		b := stoppedGathering(t)
		b.File(cavesFile(1), cavesOf("mine"))
		if states, err := gatherAll(t, b); err != nil || states["01"] != ingest.Loaded {
			t.Errorf("the loads ended as %v: %v", states, err)
		}
		b.Want("SELECT id, attrs->>'kind' AS kind FROM geo.enrich_cavity WHERE part = 'caves/01'", "a|mine")
		b.Want("SELECT count(*) FROM geo.enrich_cavity", "7")
		b.Want(noneWaits, "0|0")
	})
	t.Run("one place alone", func(t *testing.T) {
		t.Parallel()
		b := stoppedGathering(t)
		_, err := newGatheringLoader(b).Load(t.Context(), ingest.Request{Departement: "03"})
		testkit.NoError(t, err)
		b.Want("SELECT DISTINCT part FROM geo.enrich_cavity", "caves/03")
		b.Want(noneWaits, "0|0")
		if states, err := gatherAll(t, b); err != nil || states["03"] != ingest.Unchanged {
			t.Errorf("the loads ended as %v: %v", states, err)
		}
		b.Want("SELECT count(*) FROM geo.enrich_cavity", "8")
	})
}

// What a migration has made of the table meanwhile stays: places are loaded one by one.
func TestGatheredMeetsAMigration(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"ALTER TABLE geo.enrich_cavity ADD COLUMN added text NOT NULL DEFAULT 'x'", "CREATE INDEX added ON geo.enrich_cavity (id)"} {
		b := fourPlaces(t)
		b.Exec(`CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.scope = '02' THEN ` + change + `; END IF; RETURN NULL; END $$;
			CREATE TRIGGER change AFTER INSERT ON geo.load_gathered FOR EACH ROW EXECUTE FUNCTION change()`)
		if states, err := gatherAll(t, b); err != nil || states["02"] != ingest.Loaded {
			t.Errorf("%s: the loads ended as %v: %v", change, states, err)
		}
		b.Want("SELECT count(*) FROM geo.enrich_cavity", "8")
		b.Want(noneWaits, "0|0")
		b.Want(`SELECT (SELECT count(*) FROM pg_attribute WHERE attrelid = 'geo.enrich_cavity'::regclass AND attname = 'added') +
			(SELECT count(*) FROM pg_indexes WHERE tablename = 'enrich_cavity' AND indexname = 'added') AS added`, "1")
	}
}

// A client that reads the table without a pause, a backup of it for instance,
// costs a run its end, and nothing that was read.
func TestGatherDuringBackup(t *testing.T) {
	t.Parallel()
	b := fourPlaces(t)
	reader, err := b.DB.Begin(t.Context())
	testkit.NoError(t, err)
	defer func() { _ = reader.Rollback(context.Background()) }()
	_, err = reader.Exec(t.Context(), "LOCK geo.enrich_cavity IN ACCESS SHARE MODE")
	testkit.NoError(t, err)
	states, err := gatherAll(t, b)
	loadkit.Contains(t, err, "geo.enrich_cavity is read without a pause", "the next load serves it")
	if states["01"] != ingest.Waiting {
		t.Errorf("the loads ended as %v", states)
	}
	testkit.NoError(t, reader.Rollback(t.Context()))
	b.Want("SELECT (SELECT count(*) FROM geo.enrich_cavity) AS caves, (SELECT count(*) FROM geo.load_gathered) AS waiting", "0|4")
	if states, err := gatherAll(t, b); err != nil || states["01"] != ingest.Loaded {
		t.Errorf("the loads ended as %v: %v", states, err)
	}
	b.Want("SELECT count(*) FROM geo.enrich_cavity", "8")
	b.Want(noneWaits, "0|0")
}

// A place whose file is broken, or whose rows are in each other's way, is refused alone.
func TestGatheredPlaceThatIsRefused(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	cave := func(id string) string { return loadkit.Thing(id, "x", loadkit.PointJSON(5, 46)) }
	b.File("caves_01.geojson", loadkit.Collection(cave("a")))
	b.File("caves_02.geojson", `{"type":"FeatureCollection","features":[`+cave("a"))
	b.File("caves_03.geojson", loadkit.Collection(cave("a"), cave("b")))
	states, err := gatherAll(t, b)
	loadkit.Contains(t, err, "load caves 02", "cut off")
	if states["01"] != ingest.Loaded || states["02"] != ingest.Refused || states["03"] != ingest.Loaded {
		t.Errorf("the loads ended as %v", states)
	}
	b.Want("SELECT part, id FROM geo.enrich_cavity", "caves/01|a\ncaves/03|a\ncaves/03|b")
	b.Want(loadkit.Coverage, "cavity|01|caves|01|true\ncavity|03|caves|03|true")

	b = loadkit.New(t, loadkit.Layer("caves", ""))
	form := b.Text(formOf("enrich_cavity"))
	b.File("caves_01.geojson", loadkit.Collection(cave("a")))
	b.File("caves_02.geojson", loadkit.Collection(cave("a"), cave("a")))
	states, err = gatherAll(t, b)
	loadkit.Contains(t, err, "load caves 02", "(part, id, piece)=(caves/02, a, 1)")
	if states["01"] != ingest.Loaded || states["02"] != ingest.Refused {
		t.Errorf("the loads ended as %v", states)
	}
	b.Want("SELECT part, id FROM geo.enrich_cavity", "caves/01|a")
	b.Want(noneWaits, "0|0")
	b.Want(formOf("enrich_cavity"), form)
}
