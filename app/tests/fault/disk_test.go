//go:build soak

package fault_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// A disk that is full keeps what needs it from being done, as an answer with that reason, and nothing else:
// what is served is served, what is counted is kept until there is space, and then all goes on by itself.
func TestSoakFaultDiskFull(t *testing.T) {
	databaseDisk, stateDisk, temporary := testkit.SmallDisk(t, "500m"), testkit.SmallDisk(t, "32m"), testkit.SmallDisk(t, "1m")
	w := &world{database: testkit.NewPostgres(t, databaseDisk), places: strings.NewReplacer()}
	w.set(t, func() { w.Exec(fixture.Territory) }, "ARPENT_STATE_DIR="+stateDisk, "TMPDIR="+temporary)
	w.start()
	mix := w.mix()
	during := func(disk string, meanwhile func(t *testing.T)) func(*testing.T) {
		return func(t *testing.T) {
			w.T = t
			before := w.usedNow()
			end := mix.Start()
			time.Sleep(3 * time.Second)
			full := time.Now()
			free := testkit.FillDisk(t, disk)
			meanwhile(t)
			free()
			w.recovered(t)
			back := time.Now()
			time.Sleep(10 * time.Second)
			outcomes := end()
			describe(t, t.Name(), outcomes)
			wrong(t, outcomes, allowedBetween(full, back.Add(5*time.Second)))
			returned(t, outcomes, back)
			w.exact(before, outcomes)
			w.whole()
		}
	}
	t.Run("of the state folder", during(stateDisk, w.buildsFail))
	t.Run("of temporary files", during(temporary, func(*testing.T) { time.Sleep(5 * time.Second) }))
	t.Run("of the database", during(databaseDisk, w.writesFail))
	t.Run("of the database, to its log", during(databaseDisk, w.logFails))
}

// A load whose unpacked files find no space reports it and changes nothing. It leaves no
// file behind, and is done once there is space.
func TestSoakFaultLoadDiskFull(t *testing.T) {
	const source, loads = "sup-generateurs", `SELECT count(*) FROM geo.load WHERE source = 'sup-generateurs'`
	r := newReal(t)
	disk := testkit.SmallDisk(t, "2m")
	const easements = "enrich/sup/172014607_AC1_2A_20180130.zip"
	r.copy(t, testkit.FullData(t), easements, easements)
	count := func() (n int) {
		testkit.NoError(t, r.Pool.QueryRow(t.Context(), loads).Scan(&n))
		return n
	}
	p := r.program
	p.Env = append(slices.Clone(p.Env), "ARPENT_STATE_DIR="+disk, "TMPDIR="+disk)
	free := testkit.FillDisk(t, disk)
	if _, err := p.Run(t.Context(), "load", source); err == nil || !strings.Contains(err.Error(), "are free in") {
		t.Errorf("a load on a full disk: %v", err)
	} else {
		t.Log(err)
	}
	testkit.Want(t, count(), 0, "loads on a full disk")
	free()
	left, err := filepath.Glob(filepath.Join(disk, "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if out, err := p.Run(t.Context(), "load", source); err != nil || count() != 1 {
		t.Errorf("with space: %d loads, %v\n%s", count(), err, out)
	}
}

func allowedBetween(from, to time.Time) func(*outcome) bool {
	return func(o *outcome) bool { return o.Received.After(from) && o.Due.Before(to) }
}

// recovered waits for the database, and starts it where the full disk has ended it.
func (w *world) recovered(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for w.Pool.Ping(t.Context()) != nil {
		if time.Now().After(deadline) {
			t.Log("PostgreSQL has ended; the operator starts it")
			w.database.Kill()
			w.database.Start()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// buildsFail has the files be made anew, for which there is no space.
func (w *world) buildsFail(t *testing.T) {
	w.Exec(`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		SELECT s, 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true FROM unnest(ARRAY['cog-communes', 'parcelles-etalab']) s`)
	testkit.Eventually(t, time.Minute, "a build fails", func() bool {
		log, err := os.ReadFile(w.log.Name())
		return err == nil && strings.Contains(string(log), "no space left")
	})
}

// writesFail has people write while the database cannot.
func (w *world) writesFail(t *testing.T) {
	for _, size := range []int{1500, 1} { // a table has some space that is its own already
		const record = `INSERT INTO account.audit (account_id, at, actor, action, detail) VALUES (0, now(), 'system', 'filler', jsonb_build_object('x', repeat('x', $1)))`
		for err := error(nil); err == nil; {
			_, err = w.Pool.Exec(t.Context(), record, size)
		}
	}
	begin := time.Now()
	answers := map[int]int{}
	for n := 0; time.Since(begin) < 15*time.Second; n++ {
		p := w.browser.Send(http.MethodPost, "/account/keys/new", url.Values{"token": {w.browser.Token()}, "name": {fmt.Sprint("full ", n)}, "expires": {"never"}})
		answers[p.Status]++
		if p.Status == http.StatusServiceUnavailable && p.Header.Get("Retry-After") == "" || p.Status == http.StatusInternalServerError {
			t.Errorf("a key on a full disk: %d %.300s", p.Status, p.Text("main"))
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Logf("keys that were asked for, by status: %v", answers)
	if answers[http.StatusServiceUnavailable] == 0 {
		t.Error("the database could write all the time")
	}
}

// logFails writes until the database has no space for its log either, which ends it.
func (w *world) logFails(t *testing.T) {
	for n := 0; ; n++ {
		_, err := w.Pool.Exec(t.Context(), `SELECT pg_logical_emit_message(false, 'filler', repeat(gen_random_uuid()::text, 30000))`)
		if err != nil {
			t.Logf("after %d MiB of its log: %v", n, err)
			break
		}
		if n == 1000 {
			t.Fatal("the disk is never full")
		}
	}
	time.Sleep(5 * time.Second)
}
