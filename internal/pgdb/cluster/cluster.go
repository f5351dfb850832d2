// Package cluster runs a private PostgreSQL server in a folder, for development and for
// tests: unix socket only, no other user of the machine can reach it, several processes
// share it and the last one to leave stops it.
package cluster

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database is the database that Start makes sure exists.
const Database = "arpent"

// superuser owns everything in the cluster. It needs no password: the socket is in a folder closed to others.
const superuser = "arpent"

// Options of Start.
type Options struct {
	Dir      string       // everything is kept in here; made when absent
	Log      *slog.Logger // nil: slog.Default()
	Volatile bool         // for tests: faster, and a power cut may lose everything
	// for tests: Close is not called; the server stops some seconds after the last process is gone
	Linger bool
	// for tests: folder of a cluster that this one is a streaming replica of, once it is made
	Follow   string
	Followed bool // for tests: others may follow this one
}

// Cluster is one process's share of a running server.
type Cluster struct {
	layout
	inst  installation
	owner owner
	log   *slog.Logger
	lease *lock
}

// Start makes the cluster when there is none, starts its server when it does not run, and takes a share in
// it. Several processes may call it at once.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c, err := prepareCluster(ctx, o)
	if err != nil {
		return nil, err
	}
	starting, err := lockFile(ctx, c.startLock(), exclusive)
	if err != nil {
		return nil, err
	}
	defer starting.release()
	if c.lease, err = lockFile(ctx, c.leaseLock(), shared); err != nil {
		return nil, err
	}
	if err := c.ensureRunning(ctx, o); err != nil {
		c.lease.release()
		return nil, err
	}
	return c, nil
}

// prepareCluster decides where everything is and who runs it, and makes the outer folder.
func prepareCluster(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{log: o.Log}
	c.log = cmp.Or(c.log, slog.Default())
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the database folder: %w", err)
	}
	if c.owner, err = findOwner(); err != nil {
		return nil, err
	}
	if c.layout, err = newLayout(ctx, dir, c.owner, c.log); err != nil {
		return nil, err
	}
	c.inst, err = findInstallation(ctx, c.dataVersion())
	return c, err
}

// ensureRunning runs with the start lock held.
func (c *Cluster) ensureRunning(ctx context.Context, o Options) error {
	begin := time.Now()
	made := false
	if c.dataVersion() == "" {
		initialise := c.initDataDir
		if o.Follow != "" {
			initialise = func(ctx context.Context) error { return c.copyFrom(ctx, o.Follow) }
		}
		if err := initialise(ctx); err != nil {
			return err
		}
		made = true
	}
	if !made && c.checkServer(ctx) == nil {
		return c.Create(ctx, Database)
	}
	if err := c.startServer(ctx, o); err != nil {
		return err
	}
	if o.Linger {
		if err := c.startReaper(); err != nil {
			return err
		}
	}
	if err := c.Create(ctx, Database); err != nil {
		return err
	}
	c.log.InfoContext(ctx, "private PostgreSQL started", "folder", c.dir, "new", made, "version", c.inst.version,
		"ms", time.Since(begin).Milliseconds())
	return nil
}

// URL is the address of a database of the cluster.
func (c *Cluster) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database,
		RawQuery: url.Values{"host": {c.socket}}.Encode()}
	return u.String()
}

// Create makes a database unless it is there.
func (c *Cluster) Create(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return fmt.Errorf("reach the private PostgreSQL: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var there bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)",
		database).Scan(&there)
	if err == nil && !there {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{database}.Sanitize())
	}
	if err != nil {
		return fmt.Errorf("make database %s: %w", database, err)
	}
	return nil
}

// Close gives the share back, and stops the server when no other process has one.
// Connections must be closed before.
func (c *Cluster) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stopping, err := lockFile(ctx, c.startLock(), exclusive)
	if err != nil {
		return err
	}
	defer stopping.release()
	c.lease.release()
	last, err := tryLockFile(c.leaseLock(), exclusive)
	if err != nil || last == nil {
		return err
	}
	defer last.release()
	return c.stopServer(ctx)
}

// checkServer reports whether this cluster's server, and not one left
// behind in a deleted folder, takes connections.
func (c *Cluster) checkServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var serves string
	if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&serves); err != nil {
		return err
	}
	if !sameFile(serves, c.dataDir()) {
		return fmt.Errorf("the server at %s serves %s", c.socket, serves)
	}
	return nil
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}
