package update_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/official"
	"arpent/internal/opendata/ingest/update"
	"arpent/internal/pgdb"
)

const (
	childMirror   = "UPDATE_TEST_MIRROR" // makes the test binary the process that is killed
	childDatabase = "UPDATE_TEST_DATABASE"
	childState    = "UPDATE_TEST_STATE"
	killRows      = 3000
)

// TestUpdatingProcess is the process that TestKilledUpdate kills. Elsewhere it does nothing.
func TestUpdatingProcess(t *testing.T) {
	mirror := os.Getenv(childMirror)
	if mirror == "" {
		return
	}
	pool := testkit.Must(pgdb.Open(t.Context(), os.Getenv(childDatabase), pgdb.Options{}))(t)
	defer pool.Close()
	client, err := fetch.NewClient(fetch.Options{Mirror: mirror})
	testkit.NoError(t, err)
	state := os.Getenv(childState)
	loader := ingest.New(ingest.Options{DB: pool, Catalogue: testSources(), StateDir: state})
	_, err = update.Run(t.Context(), update.Options{DB: pool, Catalogue: official.Catalogue{Sources: testSources()}, Client: client, Loader: loader,
		Downloads: filepath.Join(state, "downloads")})
	testkit.NoError(t, err)
}

// An update that is killed at any moment leaves each source as it was before or as
// it is after, whole; the next one finishes.
func TestKilledUpdate(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	i := newInstallation(t)
	i.Clock.Set(time.Now())
	year := time.Now().Year()
	i.removeFile(yearlyAddress(2026))
	i.setRows(stable, killRows)
	i.setRows(yearlyAddress(year), killRows)
	i.runUpdate()
	begun := time.Now()
	if out, err := i.childCommand(t.Context()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(begun)
	for n := range testkit.Rounds(4, 20) {
		rows := killRows + n + 1
		i.setRows(stable, rows)
		i.setRows(yearlyAddress(year), rows)
		i.killAfter(t, time.Duration(random.Int64N(int64(whole))))
		i.wantOneEdition(n, rows-1, rows)
		if r := i.runUpdate(); len(r.Problems) != 0 {
			t.Fatalf("kill %d: %+v", n, r.Problems)
		}
		i.wantOneEdition(n, rows, rows)
	}
}

// wantOneEdition fails the test unless each table is of one edition, one of the two.
func (i *installation) wantOneEdition(kill, before, after int) {
	i.T.Helper()
	for _, table := range []string{"place", "district"} {
		var rows, editions, edition int
		err := i.DB.QueryRow(i.T.(*testing.T).Context(), "SELECT count(*), count(DISTINCT people), max(people) FROM geo."+table).Scan(&rows, &editions, &edition)
		testkit.NoError(i.T, err)
		if editions != 1 || rows != edition || rows != before && rows != after {
			i.T.Errorf("kill %d: %s has %d rows of %d editions; expected %d or %d of one", kill, table, rows, editions, before, after)
		}
	}
}

func (i *installation) childCommand(ctx context.Context) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestUpdatingProcess$", "-test.count=1")
	c.Env = append(os.Environ(), childMirror+"="+i.url, childDatabase+"="+i.DB.Config().ConnString(), childState+"="+i.State)
	return c
}

// killAfter kills an update after a moment, unless it has ended.
func (i *installation) killAfter(t *testing.T, moment time.Duration) {
	t.Helper()
	c := i.childCommand(t.Context())
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	testkit.NoError(t, c.Start())
	time.Sleep(moment)
	_ = c.Process.Kill()
	if err := c.Wait(); err != nil && c.ProcessState.Exited() {
		t.Fatalf("the update ended by itself: %v\n%s", err, out.String())
	}
}
