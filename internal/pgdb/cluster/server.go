package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 90 * time.Second // crash recovery included
	logMostBytes = 8 << 20          // a longer server.log is emptied at the next start
)

// initDataDir runs initdb in a folder next to the final one and renames it, so that an
// interrupted one is never taken for a cluster.
func (c *Cluster) initDataDir(ctx context.Context) error {
	half := filepath.Join(c.dir, "data.new")
	for _, path := range []string{half, c.dataDir()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear the database folder: %w", err)
		}
	}
	if err := makeFolder(half, 0o700, c.owner.uid, c.owner.gid); err != nil {
		return err
	}
	cmd := c.owner.newCommand(ctx, c.inst.programPath("initdb"), "--pgdata="+half, "--username="+superuser,
		"--encoding=UTF8", "--locale=C.UTF-8", "--lc-collate=C", "--auth-local=trust", "--auth-host=reject",
		"--no-sync", "--no-instructions")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLines(out))
	}
	if err := includeSettings(filepath.Join(half, "postgresql.conf")); err != nil {
		return err
	}
	if err := os.Rename(half, c.dataDir()); err != nil {
		return fmt.Errorf("put the new cluster in place: %w", err)
	}
	return nil
}

// copyFrom makes the data folder a copy of that of a running cluster, which it follows from then on.
func (c *Cluster) copyFrom(ctx context.Context, dir string) error {
	primary, err := newLayout(ctx, dir, c.owner, c.log)
	if err != nil {
		return err
	}
	if err := makeFolder(c.dataDir(), 0o700, c.owner.uid, c.owner.gid); err != nil {
		return err
	}
	cmd := c.owner.newCommand(ctx, c.inst.programPath("pg_basebackup"), "--pgdata="+c.dataDir(), "--host="+
		primary.socket, "--username="+superuser,
		"--checkpoint=fast", "--write-recovery-conf", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, lastLines(out))
	}
	return nil
}

func (c *Cluster) startServer(ctx context.Context, o Options) error {
	c.dropStalePID()
	if err := makeFolder(c.socket, 0o700, c.owner.uid, c.owner.gid); err != nil {
		return err
	}
	if err := c.writeSettings(o); err != nil {
		return err
	}
	out, err := c.owner.newCommand(ctx, c.inst.programPath("pg_ctl"), "start", "--pgdata="+c.dataDir(), "--log="+
		c.logFile(),
		"--wait", "--timeout="+strconv.Itoa(int(startTimeout.Seconds())), "--silent").CombinedOutput()
	if err == nil {
		return nil
	}
	// A server that a killed process left behind may still be recovering: it answers in a moment.
	deadline := time.Now().Add(startTimeout)
	for c.isRunning() && time.Now().Before(deadline) && ctx.Err() == nil {
		if c.checkServer(ctx) == nil {
			return nil
		}
		time.Sleep(lockPause)
	}
	text, _ := os.ReadFile(c.logFile()) // the reason is in there when it is anywhere
	return fmt.Errorf("start the private PostgreSQL: %w: %s\n%s", err, lastLines(out), lastLines(text))
}

func (c *Cluster) stopServer(ctx context.Context) error {
	if !c.isRunning() {
		return nil
	}
	out, err := c.owner.newCommand(ctx, c.inst.programPath("pg_ctl"), "stop", "--pgdata="+c.dataDir(),
		"--mode=fast", "--silent").CombinedOutput()
	if err != nil {
		return fmt.Errorf("stop the private PostgreSQL: %w: %s", err, lastLines(out))
	}
	_ = os.Remove(c.socket) // empty now; one that stays does no harm
	return nil
}

const settingsFile = "arpent.conf"

// includeSettings keeps what initdb found out about the machine, such as
// the kind of shared memory that works here.
func includeSettings(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("extend the PostgreSQL configuration: %w", err)
	}
	_, err = f.WriteString("\ninclude '" + settingsFile + "'\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("extend the PostgreSQL configuration: %w", err)
	}
	return nil
}

// writeSettings writes our settings at every start, so that one changed here reaches old clusters.
func (c *Cluster) writeSettings(o Options) error {
	text := settings
	if o.Volatile {
		text += volatileSettings
	}
	if o.Followed || o.Follow != "" {
		text += followedSettings
	}
	text += "unix_socket_directories = '" + strings.ReplaceAll(c.socket, "'", "''") + "'\n"
	path := filepath.Join(c.dataDir(), settingsFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the PostgreSQL configuration: %w", err)
	}
	if err := os.Lchown(path, c.owner.uid, c.owner.gid); err != nil {
		return fmt.Errorf("hand the PostgreSQL configuration over: %w", err)
	}
	if st, err := os.Stat(c.logFile()); err == nil && st.Size() > logMostBytes {
		_ = os.Truncate(c.logFile(), 0) // an overlong log is no reason to stop
	}
	return nil
}

// Memory is modest on purpose: the server of a development machine shares it with everything else. WAL is
// minimal because nothing replicates from here, and loads into new tables then skip it. A connection that
// has to load PostGIS costs 13 ms of processor time, not 3; each load opens one, and tests some ten thousand.
const settings = `# Written at every start; changes made here are lost.
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 200
shared_preload_libraries = 'postgis-3'
shared_buffers = 256MB
work_mem = 16MB
maintenance_work_mem = 256MB
effective_cache_size = 2GB
random_page_cost = 1.1
jit = off
wal_level = minimal
wal_buffers = 64MB
max_wal_senders = 0
checkpoint_timeout = 15min
log_checkpoints = off
log_timezone = 'UTC'
timezone = 'UTC'
`

// The write-ahead log of tests is in memory like the rest, and is copied with it.
const volatileSettings = `max_connections = 400
fsync = off
full_page_writes = off
synchronous_commit = off
autovacuum = off
max_wal_size = 512MB
`

const followedSettings = `wal_level = replica
max_wal_senders = 4
`

// readPostmaster is the process id in postmaster.pid and the data
// folder it serves; 0 when there is no such file.
func (c *Cluster) readPostmaster() (pid int, data string) {
	b, err := os.ReadFile(filepath.Join(c.dataDir(), "postmaster.pid"))
	if err != nil {
		return 0, ""
	}
	lines := strings.SplitN(string(b), "\n", 3)
	if len(lines) < 3 {
		return 0, ""
	}
	pid, _ = strconv.Atoi(lines[0]) // not a number: not a server of ours
	return pid, lines[1]
}

// isRunning reports whether the process that postmaster.pid names is
// there and is a PostgreSQL of this folder.
func (c *Cluster) isRunning() bool {
	pid, data := c.readPostmaster()
	if pid <= 0 || !sameFile(data, c.dataDir()) {
		return false
	}
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline") // empty for one that has ended
	return err != nil || strings.Contains(string(command), "postgres")     // no /proc: believe the file
}

// dropStalePID removes the postmaster.pid of a server that is gone when its number now
// belongs to another program or the folder was copied: PostgreSQL would take that
// program for the old server and refuse to start.
func (c *Cluster) dropStalePID() {
	if pid, _ := c.readPostmaster(); pid > 0 && !c.isRunning() {
		_ = os.Remove(filepath.Join(c.dataDir(), "postmaster.pid")) // if it stays, the start fails and says why
		_ = os.Remove(c.socket + socketFile + ".lock")              // has the same number
	}
}

//go:embed reap.sh
var reapScript string

// startReaper leaves a small shell behind that stops the server once no process has a share any more, for
// users that end without a Close, as test processes do. Without flock(1), as on macOS, the server just stays.
func (c *Cluster) startReaper() error {
	if _, err := exec.LookPath("flock"); err != nil {
		return nil
	}
	cmd := exec.Command("sh", "-c", reapScript, "sh", c.leaseLock(), c.startLock(), filepath.Join(c.dataDir(),
		"postmaster.pid"))
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("leave somebody to stop the test server: %w", err)
	}
	return cmd.Process.Release()
}

func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
