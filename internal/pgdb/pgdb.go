// Package pgdb opens the PostgreSQL pool, runs the migrations and listens to notifications.
package pgdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"arpent/internal/fault"
	"arpent/internal/trace"
	"arpent/migrations"
)

// Options of a pool.
type Options struct {
	MaxConns int32  // connections at most; 0 leaves pgx's choice
	AppName  string // shown in pg_stat_activity
	Role     Role   // that the connections take; empty: they have the rights of the user of the address
}

// connectTimeout is how long a connection may take to be made, unless the address has a connect_timeout.
const connectTimeout = 5 * time.Second

// Open makes a pool and checks that the server answers.
func Open(ctx context.Context, url string, o Options) (*pgxpool.Pool, error) {
	cfg, err := PoolConfig(url, o)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database pool: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.ConnConfig.ConnectTimeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	return pool, nil
}

// PoolConfig returns the configuration of the pool that Open makes. A wrong url is not repeated in the error,
// because it may hold a password.
func PoolConfig(url string, o Options) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("read ARPENT_DATABASE_URL: not a PostgreSQL URL") // pgx repeats the password
	}
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	cfg.ConnConfig.ConnectTimeout = cmp.Or(cfg.ConnConfig.ConnectTimeout, connectTimeout)
	cfg.ConnConfig.RuntimeParams["application_name"] = o.AppName
	cfg.ConnConfig.Tracer = trace.Statements{}
	o.Role.Take(cfg.ConnConfig)
	if o.Role == Serve {
		cfg.PrepareConn = actFor
	}
	cfg.HealthCheckPeriod = 5 * time.Second
	return cfg, nil
}

// lockAttempts, one a second: a migration that takes longer keeps the other instances from starting.
const lockAttempts = 300

// skipBodyChecks begins the statements that replace the functions, which are sent together and so are one
// transaction: a function may stand before what it calls or reads.
const skipBodyChecks = "SET LOCAL check_function_bodies = off;\n"

// Tables are those that the migrations leave to the declarations of the sources.
type Tables interface {
	Missing(context.Context, *pgxpool.Pool) (bool, error)
	Make(context.Context, *pgxpool.Pool) error // those that are missing
}

// Migrate brings the schema up to date: the numbered migrations, the other tables, the functions, River's
// tables. Several instances may call it at once: one works, the others wait.
func Migrate(ctx context.Context, url string, tables Tables) (err error) {
	db, p, err := newProvider(url)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Close()
	// The lock of goose itself, which versions before this one take. It is polled: a session that waits for a
	// lock would hold up a CREATE INDEX CONCURRENTLY of the one that has it.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockAttempts))
	if err != nil {
		return fmt.Errorf("prepare the migration lock: %w", err)
	}
	if err := locker.SessionLock(ctx, conn); err != nil {
		return fmt.Errorf("wait for the migration lock: %w", err)
	}
	defer func() { err = errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn)) }()
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return withJobMigrator(ctx, url, func(pool *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) error {
		if err := tables.Make(ctx, pool); err != nil {
			return err
		}
		if _, err := pool.Exec(ctx, skipBodyChecks+migrations.Functions()); err != nil {
			return fmt.Errorf("replace the functions: %w", err)
		}
		if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate the job tables: %w", err)
		}
		if _, err := pool.Exec(ctx, migrations.Rights()); err != nil {
			if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42501" {
				err = fmt.Errorf("%w; an administrator has to run once: CREATE ROLE arpent_read; CREATE ROLE arpent_serve; "+
					"CREATE ROLE arpent_load; GRANT arpent_read, arpent_serve, arpent_load TO the user of ARPENT_DATABASE_URL", err)
			}
			return fmt.Errorf("give the roles their rights: %w", err)
		}
		return nil
	})
}

// JobSchema is where River keeps its tables.
const JobSchema = "job"

func withJobMigrator(ctx context.Context, url string,
	run func(*pgxpool.Pool, *rivermigrate.Migrator[pgx.Tx]) error) error {
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

// Pending reports whether a migration has not been applied yet, or a table or function is missing.
func Pending(ctx context.Context, url string, tables Tables) (bool, error) {
	db, p, err := newProvider(url)
	if err != nil {
		return false, err
	}
	defer db.Close()
	pending, err := p.HasPending(ctx)
	if err != nil || pending {
		return pending, err
	}
	err = withJobMigrator(ctx, url, func(pool *pgxpool.Pool, m *rivermigrate.Migrator[pgx.Tx]) (err error) {
		if pending, err = tables.Missing(ctx, pool); err != nil || pending {
			return err
		}
		if pending, err = hasMissingFunction(ctx, pool); err != nil || pending {
			return err
		}
		if err := pool.QueryRow(ctx, rightsMissing).Scan(&pending); err != nil || pending {
			return err
		}
		state, err := m.Validate(ctx, nil)
		pending = err == nil && !state.OK
		return err
	})
	return pending, err
}

// A backup that is restored on another server brings no roles along.
const rightsMissing = `SELECT to_regrole('arpent_serve') IS NULL OR to_regrole('arpent_load') IS NULL OR to_regrole('arpent_read') IS NULL
	OR NOT has_schema_privilege('arpent_serve', 'account', 'USAGE')`

var functionName = regexp.MustCompile(`(?m)^CREATE OR REPLACE FUNCTION ([a-z_.]+)`)

// Names are enough: versions before and after a change of what a
// function does run side by side, with either body.
const findMissingFunction = `SELECT EXISTS (SELECT FROM unnest($1::text[]) f(name) WHERE NOT EXISTS
	(SELECT FROM pg_proc p WHERE p.pronamespace::regnamespace::text || '.' || p.proname = f.name))`

func hasMissingFunction(ctx context.Context, pool *pgxpool.Pool) (missing bool, err error) {
	var names []string
	for _, m := range functionName.FindAllStringSubmatch(migrations.Functions(), -1) {
		names = append(names, m[1])
	}
	if err := pool.QueryRow(ctx, findMissingFunction, names).Scan(&missing); err != nil {
		return false, fmt.Errorf("look for the functions: %w", err)
	}
	return missing, nil
}

func newProvider(url string) (*sql.DB, *goose.Provider, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nil, errors.New("read ARPENT_DATABASE_URL: not a PostgreSQL URL")
	}
	db := stdlib.OpenDB(*cfg)
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("read the migrations: %w", err)
	}
	return db, p, nil
}

// IsUnique reports whether err is the breach of a uniqueness rule.
func IsUnique(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505"
}

// DB is a pool, a connection or a transaction.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Collect returns what scan makes of each row of a query.
func Collect[T any](ctx context.Context, db DB, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, _ := db.Query(ctx, sql, args...) // the rows have its error too
	return pgx.CollectRows(rows, scan)
}

// Value reads the only column of the only row of a statement; none is the error where there is no row. doing
// begins the text of other errors.
func Value[T any](ctx context.Context, db DB, none error, doing, sql string,
	args ...any) (value T, err error) {
	err = db.QueryRow(ctx, sql, args...).Scan(&value)
	return value, RowError(err, none, doing)
}

// One is Value for a row of several columns.
func One[T any](ctx context.Context, db DB, scan pgx.RowToFunc[T], none error, doing, sql string,
	args ...any) (T, error) {
	rows, _ := db.Query(ctx, sql, args...) // the rows have its error too
	row, err := pgx.CollectOneRow(rows, scan)
	return row, RowError(err, none, doing)
}

// RowError returns the error of a statement that reads one row: none where there is no row. doing begins the
// text of others.
func RowError(err, none error, doing string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return none
	}
	return fault.Wrap(doing, err)
}

// RegisterGeometry lets a connection send a shape as the bytes of its EWKB.
func RegisterGeometry(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT 'geometry'::regtype::oid").Scan(&oid); err != nil {
		return fmt.Errorf("find PostGIS: %w", err)
	}
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "geometry", OID: oid, Codec: pgtype.ByteaCodec{}})
	return nil
}
