// Package pgdb opens the PostgreSQL pool, runs the migrations and listens to notifications.
package pgdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"arpent/migrations"
)

// Options of a pool.
type Options struct {
	MaxConns int32  // connections at most; 0 leaves pgx's choice
	AppName  string // shown in pg_stat_activity
}

const connectTimeout = 5 * time.Second

// Open makes a pool and checks that the server answers.
func Open(ctx context.Context, url string, o Options) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("read the database address: it is not a PostgreSQL address") // pgx repeats the password
	}
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	cfg.ConnConfig.ConnectTimeout = connectTimeout
	cfg.ConnConfig.RuntimeParams["application_name"] = o.AppName
	cfg.HealthCheckPeriod = 5 * time.Second
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	return pool, nil
}

// Migrate brings the schema up to date. Several instances may call it at once: one works, the others wait.
func Migrate(ctx context.Context, url string) error {
	db, p, err := provider(url)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return migrateJobs(ctx, url)
}

// JobSchema is where River keeps its tables.
const JobSchema = "job"

// jobsLock keeps two instances from bringing River's tables up to date at once. Any constant does.
const jobsLock = 0x6172706a

func migrateJobs(ctx context.Context, url string) error {
	return withJobMigrator(ctx, url, func(pool *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) error {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(jobsLock)); err != nil {
			return err
		}
		defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(jobsLock))
		if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate the job tables: %w", err)
		}
		return nil
	})
}

func withJobMigrator(ctx context.Context, url string, run func(*pgxpool.Pool, *rivermigrate.Migrator[pgx.Tx]) error) error {
	pool, err := Open(ctx, url, Options{MaxConns: 3, AppName: "arpent migrate"})
	if err != nil {
		return err
	}
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: JobSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("prepare the job tables: %w", err)
	}
	return run(pool, m)
}

// Pending reports whether a migration has not been applied yet.
func Pending(ctx context.Context, url string) (bool, error) {
	db, p, err := provider(url)
	if err != nil {
		return false, err
	}
	defer db.Close()
	pending, err := p.HasPending(ctx)
	if err != nil || pending {
		return pending, err
	}
	err = withJobMigrator(ctx, url, func(_ *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) error {
		state, err := m.Validate(ctx, nil)
		pending = err == nil && !state.OK
		return err
	})
	return pending, err
}

func provider(url string) (*sql.DB, *goose.Provider, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nil, errors.New("read the database address: it is not a PostgreSQL address")
	}
	db := stdlib.OpenDB(*cfg)
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithSessionLocker(locker))
	if err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("read the migrations: %w", err)
	}
	return db, p, nil
}

// IsUnique reports whether err is the breach of a uniqueness rule.
func IsUnique(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}
