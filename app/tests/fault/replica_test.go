//go:build soak

package fault_test

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/pgdb"
)

// followed is a world whose database has a streaming replica, which exists before anything is written.
func followed(t *testing.T, address func(primary, replica *testkit.Postgres) string) (w *world, replica *testkit.Postgres) {
	t.Helper()
	w = &world{database: testkit.NewReplicated(t), places: strings.NewReplacer()}
	replica = w.database.Replica()
	w.set(t, func() { w.Exec(fixture.Territory) }, "ARPENT_DATABASE_READ_URLS="+address(w.database, replica), "ARPENT_LOG_LEVEL=info")
	return w, replica
}

// readsOf is how often the table that every report begins with was looked at on a server since it was
// started.
func readsOf(t *testing.T, url string) int {
	t.Helper()
	return testkit.Count(t, open(t, url), `SELECT coalesce(sum(seq_scan + idx_scan), 0) FROM pg_stat_user_tables WHERE relname = 'coverage'`)
}

// Whatever becomes of a replica, no request is lost, late or answered with what was before.
func TestSoakFaultReplica(t *testing.T) {
	w, replica := followed(t, func(_, replica *testkit.Postgres) string { return replica.URL })
	server := w.start()
	mix := w.mix()
	before := w.usedNow()
	primaryReads, replicaReads := readsOf(t, w.URL), readsOf(t, replica.URL)
	end := mix.Start()
	time.Sleep(5 * time.Second)
	t.Logf("reads for reports: %d by the primary, %d by the replica", readsOf(t, w.URL)-primaryReads, readsOf(t, replica.URL)-replicaReads)
	for range 3 {
		replica.Kill()
		time.Sleep(2 * time.Second)
		replica.Start()
		time.Sleep(2 * time.Second)
		replica.Pause()
		time.Sleep(3 * time.Second)
		replica.Resume()
		time.Sleep(2 * time.Second)
	}
	time.Sleep(15 * time.Second) // it was looked at again, and sessions of the primary have reported what they read before
	primaryReads, replicaReads = readsOf(t, w.URL), readsOf(t, replica.URL)
	time.Sleep(3 * time.Second)
	primaryReads, replicaReads = readsOf(t, w.URL)-primaryReads, readsOf(t, replica.URL)-replicaReads
	outcomes := end()
	describe(t, "a replica that is killed and hangs", outcomes)
	t.Logf("reads for reports at the end: %d by the primary, %d by the replica", primaryReads, replicaReads)
	if replicaReads < 10*max(1, primaryReads) {
		t.Error("the replica is not read from again")
	}
	wrong(t, outcomes, never)
	deadlines(t, outcomes, time.Time{})
	w.exact(before, outcomes)
	replica.Pause()
	begin := time.Now()
	server.Stop()
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("with a replica that hangs the service stopped after %s", took)
	}
	replica.Resume()
}

// pooled has PgBouncer in transaction mode before a server, as is documented, and gives its address.
func pooled(t *testing.T, server *testkit.Postgres) (address string) {
	t.Helper()
	if _, err := exec.LookPath("pgbouncer"); err != nil {
		t.Skip("pgbouncer is not installed (apt-get install pgbouncer)")
	}
	at := testkit.Must(url.Parse(server.URL))(t)
	dir := testkit.Must(os.MkdirTemp("", "arpent-pgbouncer"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	testkit.NoError(t, os.Chmod(dir, 0o755))
	port := testkit.FreePort(t)
	settings := strings.NewReplacer("host=replica.internal", "host="+at.Query().Get("host"), "listen_addr = *", "listen_addr = 127.0.0.1\nunix_socket_dir =",
		"listen_port = 6432", fmt.Sprintf("listen_port = %d", port), "auth_type = scram-sha-256", "auth_type = trust",
		"/etc/pgbouncer/userlist.txt", filepath.Join(dir, "users")).Replace(documented(t, "[databases]", "ARPENT_"))
	for name, text := range map[string]string{"ini": settings, "users": "\"arpent_reader\" \"\"\n"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.Command("pgbouncer", "-q", filepath.Join(dir, "ini"))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: asPostgres(t)}
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address = fmt.Sprintf("127.0.0.1:%d", port)
	testkit.Eventually(t, testkit.Timeout, "PgBouncer listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return strings.NewReplacer(":…@pooler:6432", "@"+address).Replace(strings.TrimSpace(strings.TrimPrefix(documented(t, "ARPENT_DATABASE_READ_URLS=postgres", "\n\n"), "ARPENT_DATABASE_READ_URLS=")))
}

// PgBouncer in transaction mode, before the primary and before a replica: answers are
// the same, on few connections of PostgreSQL.
func TestSoakFaultPooler(t *testing.T) {
	for name, server := range map[string]func(primary, replica *testkit.Postgres) *testkit.Postgres{
		"before the primary": func(primary, _ *testkit.Postgres) *testkit.Postgres { return primary },
		"before a replica":   func(_, replica *testkit.Postgres) *testkit.Postgres { return replica },
	} {
		t.Run(name, func(t *testing.T) {
			var behind *testkit.Postgres
			w, _ := followed(t, func(primary, replica *testkit.Postgres) string {
				behind = server(primary, replica)
				return pooled(t, behind)
			})
			w.Exec(documented(t, "CREATE USER", "`pgbouncer.ini`"))
			server := w.start("ARPENT_DATABASE_CONNS=4")
			mix := w.mix()
			before := w.usedNow()
			reads := readsOf(t, behind.URL)
			end := mix.Start()
			time.Sleep(10 * time.Second)
			conns := testkit.Count(t, open(t, behind.URL), `SELECT count(*) FROM pg_stat_activity WHERE usename = 'arpent_reader'`)
			outcomes := end()
			describe(t, name, outcomes)
			reads = readsOf(t, behind.URL) - reads
			t.Logf("%d connections of the pooler, %d reads for reports on the server behind it", conns, reads)
			if conns == 0 || conns > 8 || reads < len(outcomes)/10 {
				t.Error("the pooler is not read through, or takes more connections than it may")
			}
			wrong(t, outcomes, never)
			w.exact(before, outcomes)
			const report = "/api/v1/parcelles/930100000A0001/enrichments"
			throughput(t, w.parts(server, behind), server.Base, report, w.keys[callers[0]])
			direct := w.start("ARPENT_DATABASE_READ_URLS=")
			throughput(t, w.parts(direct, w.database), direct.Base, report, w.keys[callers[0]])
			log, err := os.ReadFile(w.log.Name())
			if err != nil || strings.Contains(string(log), "replica failed") {
				t.Errorf("reads through the pooler failed: %v", err)
			}
		})
	}
}

func open(t *testing.T, address string) *pgxpool.Pool {
	t.Helper()
	pool := testkit.Must(pgdb.Open(t.Context(), address, pgdb.Options{MaxConns: 1, AppName: "test"}))(t)
	t.Cleanup(pool.Close)
	return pool
}

// asPostgres is who may reach the socket of a server, which root does not run itself.
func asPostgres(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u := testkit.Must(user.Lookup("postgres"))(t)
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// documented is a part of docs/scaling.md, without its indentation.
func documented(t *testing.T, from, to string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("..", "..", "..", "docs", "scaling.md")))(t)
	_, after, begins := strings.Cut(string(text), from)
	part, _, ends := strings.Cut(after, to)
	if !begins || !ends {
		t.Fatalf("docs/scaling.md has nothing from %q to %q", from, to)
	}
	return from + strings.ReplaceAll(part, "\n    ", "\n")
}
