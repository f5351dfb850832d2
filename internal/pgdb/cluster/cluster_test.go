package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/internal/pgdb/cluster"
)

// holderFolder makes this test binary a process that takes a share in the named folder and waits to be
// killed; with holderLingers, one that is not expected to call Close.
const (
	holderFolder  = "ARPENT_TEST_HOLDER_FOLDER"
	holderLingers = "ARPENT_TEST_HOLDER_LINGERS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(holderFolder); dir != "" {
		o := testOptions(dir)
		o.Linger = os.Getenv(holderLingers) != ""
		if _, err := cluster.Start(context.Background(), o); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("ready\n")
		select {}
	}
	os.Exit(m.Run())
}

func testOptions(dir string) cluster.Options {
	return cluster.Options{Dir: dir, Volatile: true, Log: slog.New(slog.DiscardHandler)}
}

func startCluster(t *testing.T, dir string) *cluster.Cluster {
	t.Helper()
	return startClusterWith(t, testOptions(dir))
}

// startClusterWith skips the test on a machine without PostgreSQL, but not in continuous integration.
func startClusterWith(t *testing.T, o cluster.Options) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(context.Background(), o)
	if errors.Is(err, cluster.ErrNotInstalled) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	testkit.NoError(t, err)
	return c
}

// newFolder is one that user postgres may enter, unlike t.TempDir.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := testkit.Must(os.MkdirTemp("", "arpent-cluster"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	testkit.NoError(t, os.Chmod(dir, 0o755))
	return filepath.Join(dir, "postgres")
}

func queryText(t *testing.T, c *cluster.Cluster, statement string) string {
	t.Helper()
	ctx := context.Background()
	conn := testkit.Must(pgx.Connect(ctx, c.URL(cluster.Database)))(t)
	defer conn.Close(ctx)
	var text string
	testkit.NoError(t, conn.QueryRow(ctx, statement).Scan(&text))
	return text
}

func createTable(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL(cluster.Database))
	testkit.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE kept AS SELECT 'here' AS word")
	testkit.NoError(t, err)
}

const startedAt = "SELECT pg_postmaster_start_time()::text"

func stopCluster(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	testkit.NoError(t, c.Close())
}

// A command during a running server (key create) must not take its database away, and what was written is
// there when a process starts it again after the last one has left.
func TestLastLeaverStops(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	serve := startCluster(t, dir)
	command := startCluster(t, dir)
	createTable(t, command)
	stopCluster(t, command)
	queryText(t, serve, startedAt)
	stopCluster(t, serve)
	if _, err := pgx.Connect(context.Background(), serve.URL(cluster.Database)); err == nil {
		t.Fatal("the server runs on although all processes have left")
	}
	begin := time.Now()
	again := startCluster(t, dir)
	defer stopCluster(t, again)
	t.Logf("second start: %v", time.Since(begin))
	if got := queryText(t, again, "SELECT word FROM kept"); got != "here" {
		t.Errorf("after the restart: %q", got)
	}
}

// Two commands given at once make one cluster, not two half ones.
func TestSimultaneousStarts(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	stopCluster(t, startCluster(t, dir)) // skips where PostgreSQL is missing
	testkit.NoError(t, os.RemoveAll(dir))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c, err := cluster.Start(context.Background(), testOptions(dir))
			if err != nil {
				t.Error(err)
				return
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A killed serve leaves its server running; the next one takes it
// over instead of failing on it, and stops it.
func TestTakesOverAfterKill(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	stopCluster(t, startCluster(t, dir))
	kill := startHolder(t, holderFolder+"="+dir)
	second := startCluster(t, dir)
	before := queryText(t, second, startedAt)
	kill()
	next := startCluster(t, dir)
	if after := queryText(t, next, startedAt); after != before {
		t.Errorf("the server was started again: %s, then %s", before, after)
	}
	stopCluster(t, next)
	stopCluster(t, second)
}

// Test runs leave no server behind, however they end.
func TestLingeringServerStops(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	stopCluster(t, startCluster(t, dir))
	kill := startHolder(t, holderFolder+"="+dir, holderLingers+"=1")
	pid := filepath.Join(dir, "data", "postmaster.pid")
	testkit.Must(os.Stat(pid))(t)
	kill()
	testkit.Eventually(t, testkit.Timeout, "the server has stopped", func() bool {
		_, err := os.Stat(pid)
		return errors.Is(err, os.ErrNotExist)
	})
}

// startHolder starts a process that takes a share; the function it gives kills that process.
func startHolder(t *testing.T, environ ...string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), environ...)
	out := testkit.Must(cmd.StdoutPipe())(t)
	testkit.NoError(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("holder: %q, %v", line, err)
	}
	return func() {
		_ = cmd.Process.Kill() // gone already: as good
		_ = cmd.Wait()         // reports the kill
	}
}

// Root's own folders are closed to the user that runs the server: a clone under /root works all the same, and
// a user who looks for the data there reads where it is.
func TestFolderClosedToPostgres(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	dir := filepath.Join(t.TempDir(), "state", "pg")
	before := testkit.Must(cluster.Folder(t.Context(), dir))(t)
	c := startCluster(t, dir)
	data := queryText(t, c, "SHOW data_directory")
	stopCluster(t, c)
	if !strings.HasPrefix(data, "/var/tmp/arpent-") {
		t.Errorf("data in %s", data)
	}
	note, err := os.ReadFile(filepath.Join(dir, "moved-to"))
	if err != nil {
		t.Error(err)
	}
	after, err := cluster.Folder(t.Context(), dir)
	if want := filepath.Dir(data); err != nil || before != want || after != want || string(note) != want+"\n" {
		t.Errorf("reported %q before, %q after, %q in the folder (%v); it is in %s", before, after, note, err, want)
	}
	if err := os.RemoveAll(filepath.Dir(data)); err != nil {
		t.Error(err)
	}
}

// A process number used again after a reboot, or a copied folder, must not look like a running server.
func TestStalePostmasterPID(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	stopCluster(t, startCluster(t, dir))
	pid := filepath.Join(dir, "data", "postmaster.pid")
	testkit.NoError(t, os.WriteFile(pid, []byte("1\n"+filepath.Join(dir, "data")+"\n0\n5432\n\n\n\n"), 0o600))
	stopCluster(t, startCluster(t, dir))
}

// A clone deep in somebody's folders works: the path of a unix socket may only have 107 bytes.
func TestLongPath(t *testing.T) {
	t.Parallel()
	c := startCluster(t, filepath.Join(newFolder(t), strings.Repeat("deep/", 25)))
	defer stopCluster(t, c)
	queryText(t, c, startedAt)
}

// A connection to the database of development finds PostGIS loaded: to load it takes four times as long as
// the rest of opening one, and a first start opens a hundred.
func TestConnectionsFindPostGISLoaded(t *testing.T) {
	t.Parallel()
	o := testOptions(newFolder(t))
	o.Volatile = false
	c := startClusterWith(t, o)
	defer stopCluster(t, c)
	if got := queryText(t, c, "SHOW shared_preload_libraries"); got != "postgis-3" {
		t.Errorf("shared_preload_libraries is %q; expected postgis-3", got)
	}
}
