package testkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"arpent/internal/pgdb/cluster"
)

// Postgres is a PostgreSQL of one test's own, which it may stop, kill, pause and start again. Unlike that of
// DB it keeps what was committed, and its database is empty.
type Postgres struct {
	URL string // of the database

	t        testing.TB
	options  cluster.Options
	instance *cluster.Cluster
}

// NewPostgres starts a server in a folder that user postgres may enter; empty: one of its own.
func NewPostgres(t testing.TB, dir string) *Postgres {
	t.Helper()
	return newPostgres(t, cluster.Options{Dir: dir})
}

// NewReplicated starts a server that Replica can make replicas of.
func NewReplicated(t testing.TB) *Postgres {
	t.Helper()
	return newPostgres(t, cluster.Options{Followed: true})
}

// Replica starts a streaming replica of a server that runs.
func (p *Postgres) Replica() *Postgres {
	p.t.Helper()
	return newPostgres(p.t, cluster.Options{Follow: p.options.Dir})
}

func newPostgres(t testing.TB, o cluster.Options) *Postgres {
	t.Helper()
	if o.Dir == "" {
		var err error
		if o.Dir, err = os.MkdirTemp(serverDir(), "arpent-pg"); err != nil { // t.TempDir is closed to others
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(o.Dir) })
		NoError(t, os.Chmod(o.Dir, 0o755))
	}
	o.Log, o.Linger = slog.New(slog.DiscardHandler), true
	p := &Postgres{t: t, options: o}
	p.Start()
	t.Cleanup(p.Kill)
	p.URL = p.instance.URL(cluster.Database)
	return p
}

// Start starts the server, with what it had before, and waits until it takes connections.
func (p *Postgres) Start() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setUpTimeout)
	defer cancel()
	c, err := cluster.Start(ctx, p.options)
	if errors.Is(err, cluster.ErrNotInstalled) {
		skipOrFail(p.t, "%v", err)
	}
	NoError(p.t, err)
	p.instance = c
}

// Stop ends the server in good order: sessions are ended, what they had not committed is gone.
func (p *Postgres) Stop() {
	p.t.Helper()
	if p.instance == nil {
		return
	}
	NoError(p.t, p.instance.Close())
	p.instance = nil
}

// Kill ends the server as a crash does. Killing it twice is fine.
func (p *Postgres) Kill() {
	if p.instance == nil {
		return
	}
	for _, pid := range p.Processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended already
	}
	Eventually(p.t, Timeout, "PostgreSQL has ended", func() bool { return len(p.Processes()) == 0 })
	p.Stop()
}

// Pause stops all processes of the server where they are, until Resume: connections
// stay, and no request is answered.
func (p *Postgres) Pause() { p.signalProcesses(syscall.SIGSTOP) }

// Resume ends a pause.
func (p *Postgres) Resume() { p.signalProcesses(syscall.SIGCONT) }

func (p *Postgres) signalProcesses(s syscall.Signal) {
	p.t.Helper()
	all := p.Processes()
	if len(all) == 0 {
		p.t.Fatal("PostgreSQL does not run")
	}
	for _, pid := range all {
		_ = syscall.Kill(pid, s) // a session may have ended since
	}
}

// Processes are the server, first, and all of its sessions.
func (p *Postgres) Processes() (pids []int) {
	text, err := os.ReadFile(filepath.Join(p.options.Dir, "data", "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	server, err := strconv.Atoi(first)
	if err != nil || !isRunning(server) {
		return nil
	}
	pids = append(pids, server)
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", server, server)) // none: it has ended
	for field := range strings.FieldsSeq(string(children)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// isRunning reports whether a process is there and is more than the
// remains that its parent has not looked at.
func isRunning(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}
