//go:build soak

package operation_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// previous builds the program as it was before the newest migration, or as of ARPENT_PREVIOUS, a commit.
func previous(t *testing.T) (path string) {
	t.Helper()
	root, source := testkit.Root(t), t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*"}, args...)...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	commit := os.Getenv("ARPENT_PREVIOUS")
	if commit == "" {
		commit = git("log", "-1", "--diff-filter=A", "--format=%H", "--", "migrations/*.sql") + "^"
	}
	t.Logf("the version before is %s", git("log", "-1", "--format=%h %s", commit))
	git("archive", "--output="+filepath.Join(source, "source.tar"), commit)
	unpack := exec.CommandContext(t.Context(), "sh", "-ec", "tar -xf source.tar && go build -buildvcs=false -o bin/ ./app/cmd/arpent")
	unpack.Dir = source
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(source, "bin", "arpent")
}

// An upgrade keeps every client: the version before answers while the schema is migrated and
// concurrently with the new version, both know the same keys and counts at once, and it can be started
// again on the new schema by an operator who goes back.
func TestSoakUpgrade(t *testing.T) {
	cog := os.DirFS(filepath.Join(testkit.Box(t), "cog"))
	old := previous(t)
	current, err := harness.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pool, address := testkit.DB(t)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at.Path += "_upgrade" // empty, unlike the one of the test
	name := pgx.Identifier{strings.TrimPrefix(at.Path, "/")}.Sanitize()
	if _, err := pool.Exec(t.Context(), `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = pool.Exec(t.Context(), `DROP DATABASE `+name+` WITH (FORCE)`) })
	where := t.TempDir()
	data := filepath.Join(where, "data")
	if err := os.CopyFS(filepath.Join(data, "cog"), cog); err != nil {
		t.Fatal(err)
	}
	environment := []string{"ARPENT_DATABASE_URL=" + at.String(), "ARPENT_STATE_DIR=" + filepath.Join(where, "state"), "ARPENT_DATA=" + data,
		"ARPENT_SECRET=a secret of thirty-two letters or more", "ARPENT_LOG_LEVEL=error"}
	before := harness.Program{Path: old, Log: os.Stderr, Env: environment}
	after := harness.Program{Path: current, Log: os.Stderr, Env: environment}
	run := func(p harness.Program, args ...string) {
		t.Helper()
		if out, err := p.Run(t.Context(), args...); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	serve := func(p harness.Program) *harness.Server {
		t.Helper()
		s, err := p.Serve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		return s
	}
	status := func(s *harness.Server, key string) int {
		c := harness.NewClient(s.Base, "127.0.0.1")
		defer c.Close()
		answer, err := c.Get("/api/v1/communes/93010", key)
		if err != nil {
			return 0
		}
		return answer.Status
	}
	run(before, "migrate")
	run(before, "load", "cog")
	limits := harness.Limits{PerMinute: 100_000, EnrichmentsPerMinute: 10, PerDay: 1_000_000}
	key, err := before.Account(t.Context(), "anne@exemple.fr", limits)
	if err != nil {
		t.Fatal(err)
	}
	former := serve(before)

	// Calls go on from before the migration until after the new version serves.
	var good, bad atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				if status(former, key) == 200 {
					good.Add(1)
				} else {
					bad.Add(1)
				}
			}
		}
	}()
	testkit.Eventually(t, time.Minute, "calls of the version before", func() bool { return good.Load() > 20 })
	run(after, "migrate")
	next := serve(after)
	seen := good.Load()
	testkit.Eventually(t, time.Minute, "calls during the upgrade", func() bool { return good.Load() > seen+20 })
	close(stop)
	<-stopped
	t.Logf("%d calls were answered by the version before, %d were not", good.Load(), bad.Load())
	if bad.Load() > 0 {
		t.Errorf("%d calls failed during the upgrade", bad.Load())
	}

	// What one of them does, the other knows.
	second, err := after.Account(t.Context(), "marie@exemple.fr", limits)
	if err != nil {
		t.Fatal(err)
	}
	third, err := before.Account(t.Context(), "paul@exemple.fr", limits)
	if err != nil {
		t.Fatal(err)
	}
	for who, k := range map[string]string{"of both": key, "of the new version": second, "of the version before": third} {
		for _, s := range []*harness.Server{former, next} {
			testkit.Eventually(t, 10*time.Second, "the key "+who+" everywhere", func() bool { return status(s, k) == 200 })
		}
	}
	keys, err := after.Run(t.Context(), "key", "list", "--account", "marie@exemple.fr")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(keys)
	former.Stop()
	next.Stop()
	if got := status(serve(before), second); got != 200 {
		t.Errorf("the version before, started again on the new schema: %d", got)
	}
}
