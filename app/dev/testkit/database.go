package testkit

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
	"arpent/migrations"
)

const (
	setUpTimeout = 3 * time.Minute // the first test on a machine makes the cluster; all others wait for it
	fillTimeout  = 15 * time.Minute
	testConns    = 10
	adminConns   = 4

	// templateLock keeps test processes from building the same template twice. Any constant does.
	templateLock = 0x617270656e74
)

// server is this process's share of the test cluster, and the template to clone. It is never closed: the
// cluster lingers until the last test process has ended, and then stops by itself.
var server struct {
	once    sync.Once
	cluster *cluster.Cluster
	// on which databases are made and dropped: a connection of its own for each costs as much as either
	admin    *pgxpool.Pool
	template string
	err      error
}

var databases atomic.Int64

// DB makes a database with all migrations applied and the tables of all topics, and drops it when the test
// ends. The url reaches the same database, for code that opens its own connections.
func DB(t testing.TB) (pool *pgxpool.Pool, url string) {
	t.Helper()
	reachServer(t)
	return cloneDatabase(t, server.template)
}

// Prepared is DB with content that takes long to make. The first test of all processes makes
// it, under a key that names the content and changes with it, and each gets a clone. Contents
// of the same kind under other keys are dropped.
func Prepared(t testing.TB, kind, key string, fill func(context.Context, *pgxpool.Pool) error) (
	pool *pgxpool.Pool, url string) {
	t.Helper()
	reachServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), fillTimeout)
	defer cancel()
	hash := sha256.Sum256([]byte(server.template + key))
	name := kind + "_" + hex.EncodeToString(hash[:8])
	if err := prepareTemplate(ctx, kind, name, fill); err != nil {
		t.Fatalf("prepare the database of %s: %v", kind, err)
	}
	return cloneDatabase(t, name)
}

// SourcesKey is a key for Prepared that changes with the Go and SQL sources of some folders, tests apart.
func SourcesKey(t testing.TB, folders ...string) string {
	t.Helper()
	hash := sha256.New()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(Root(t), folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") &&
				!strings.HasSuffix(path, ".sql") {
				return err
			}
			text, err := os.ReadFile(path)
			fmt.Fprintln(hash, path, len(text))
			hash.Write(text)
			return err
		})
		NoError(t, err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// prepareTemplate makes the template of that name, unless it is there.
func prepareTemplate(ctx context.Context, kind, name string,
	fill func(context.Context, *pgxpool.Pool) error) error {
	conn, err := pgx.Connect(ctx, server.cluster.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", kind); err != nil {
		return err
	}
	former, err := listDatabases(ctx, conn, kind+`\_%`)
	if err != nil || slices.Contains(former, name) {
		return err
	}
	for _, other := range former {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+other+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	half := "half_" + kind
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + half + " WITH (FORCE)", "CREATE DATABASE " +
		half + " TEMPLATE " + server.template + " STRATEGY file_copy"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	pool, err := pgdb.Open(ctx, server.cluster.URL(half), pgdb.Options{MaxConns: testConns, AppName: kind})
	if err != nil {
		return err
	}
	err = fill(ctx, pool)
	pool.Close()
	if err != nil {
		return err
	}
	return finishTemplate(ctx, conn, server.cluster, half, name)
}

// reachServer makes the test server and its template, or joins them.
func reachServer(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setUpTimeout)
	defer cancel()
	server.once.Do(func() {
		if server.cluster, server.template, server.err = setUpServer(ctx); server.err == nil {
			server.admin, server.err = pgdb.Open(ctx, server.cluster.URL("postgres"),
				pgdb.Options{MaxConns: adminConns, AppName: "tests"})
		}
	})
	if errors.Is(server.err, cluster.ErrNotInstalled) {
		skipOrFail(t, "%v", server.err)
	}
	if server.err != nil {
		t.Fatalf("set the test database up: %v", server.err)
	}
}

// cloneDatabase makes a database from a template, and drops it when the test ends.
func cloneDatabase(t testing.TB, template string) (pool *pgxpool.Pool, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setUpTimeout)
	defer cancel()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1))
	quoted := pgx.Identifier{name}.Sanitize()
	if _, err := server.admin.Exec(ctx, "CREATE DATABASE "+quoted+" TEMPLATE "+template+
		" STRATEGY file_copy"); err != nil {
		t.Fatalf("clone the template database: %v", err)
	}
	t.Cleanup(func() {
		if _, err := server.admin.Exec(context.Background(), "DROP DATABASE "+quoted+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
	})
	// A connection may take long to be made on a busy machine.
	url = server.cluster.URL(name) + fmt.Sprintf("&connect_timeout=%.0f", Timeout.Seconds())
	return openPool(t, url, "", nil), url
}

// Serving reaches a database with the rights of a server. trace may be nil.
func Serving(t testing.TB, url string, trace pgx.QueryTracer) *pgxpool.Pool {
	t.Helper()
	return openPool(t, url, pgdb.Serve, trace)
}

// openPool makes a pool.
func openPool(t testing.TB, url string, role pgdb.Role, trace pgx.QueryTracer) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgdb.PoolConfig(url, pgdb.Options{MaxConns: testConns, AppName: t.Name(), Role: role})
	NoError(t, err)
	if trace != nil {
		cfg.ConnConfig.Tracer = trace
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func setUpServer(ctx context.Context) (*cluster.Cluster, string, error) {
	c, err := cluster.Start(ctx, cluster.Options{
		Dir:      filepath.Join(serverDir(), "arpent-test-"+strconv.Itoa(os.Getuid())),
		Log:      slog.New(slog.DiscardHandler),
		Volatile: true, Linger: true,
	})
	if err != nil {
		return nil, "", err
	}
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return nil, "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return nil, "", err
	}
	if err := dropLeftovers(ctx, conn); err != nil {
		return nil, "", err
	}
	name, err := templateName()
	if err != nil {
		return nil, "", err
	}
	return c, name, makeTemplate(ctx, conn, c, name)
}

// serverDir is where the test server is kept. ARPENT_TEST_DIR names a folder that is in memory, where a
// clone, which is nearly a thousand small files, takes a fifth of the processor time.
func serverDir() string {
	if dir := os.Getenv("ARPENT_TEST_DIR"); dir != "" {
		return dir
	}
	return os.TempDir()
}

//go:embed parcels.sql
var parcelTrigger string

// Tables are those that the topics declare.
func Tables() ingest.Tables { return topic.Sources() }

// templateName changes with the migrations and the tables of the topics: an edited one makes a new template.
func templateName() (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, parcelTrigger)
	for _, src := range Tables() {
		fmt.Fprintln(hash, src.Target.Create)
		for _, d := range src.Derived {
			fmt.Fprintln(hash, d.Target.Create)
		}
	}
	err := fs.WalkDir(migrations.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := migrations.Files.ReadFile(path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	return "template_" + hex.EncodeToString(hash.Sum(nil)[:8]), err
}

// makeTemplate builds under another name and renames, so that a template is always
// whole. It takes no connections afterwards.
func makeTemplate(ctx context.Context, conn *pgx.Conn, c *cluster.Cluster, name string) error {
	var there bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", name).Scan(&there)
	if err != nil || there {
		return err
	}
	const half = "template_half"
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + half + " WITH (FORCE)", "CREATE DATABASE " +
		half} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := pgdb.Migrate(ctx, c.URL(half), Tables()); err != nil {
		return err
	}
	if err := runOnce(ctx, c.URL(half), parcelTrigger); err != nil {
		return fmt.Errorf("let tests write parcels: %w", err)
	}
	return finishTemplate(ctx, conn, c, half, name)
}

// runOnce runs statements on a connection of their own.
func runOnce(ctx context.Context, url, statements string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statements)
	return errors.Join(err, conn.Close(ctx))
}

// finishTemplate makes a template of a database: no client connects to it any more, because a database in use
// cannot be cloned. The first who connects after the last change of a table writes pg_internal.init, what
// every connection starts from: clones have it so.
func finishTemplate(ctx context.Context, conn *pgx.Conn, c *cluster.Cluster, half, name string) error {
	if err := runOnce(ctx, c.URL(half), ""); err != nil {
		return err
	}
	for _, statement := range []string{
		"ALTER DATABASE " + half + " ALLOW_CONNECTIONS false",
		"ALTER DATABASE " + half + " RENAME TO " + name,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// dropLeftovers removes the databases of test processes that were killed.
func dropLeftovers(ctx context.Context, conn *pgx.Conn) error {
	all, err := listDatabases(ctx, conn, `test\_%`)
	if err != nil {
		return err
	}
	for _, name := range all {
		pid, _, _ := strings.Cut(strings.TrimPrefix(name, "test_"), "_")
		n, err := strconv.Atoi(pid)
		if err != nil || !errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+
			" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

// listDatabases lists the databases whose name is like a pattern.
func listDatabases(ctx context.Context, conn *pgx.Conn, like string) ([]string, error) {
	return pgdb.Collect(ctx, conn, pgx.RowTo[string],
		`SELECT datname FROM pg_database WHERE datname LIKE $1`, like)
}
