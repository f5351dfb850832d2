// Package command is what the commands of both programs start from: the
// settings, the log, the database and the loader.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"arpent/api/parcel"
	"arpent/billing"
	"arpent/internal/config"
	"arpent/internal/fault"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/gdal"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

// Main runs a program until it ends or is interrupted. Its secrets are hidden from other processes first.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := hideSecrets()
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, root.Name()+":", err)
		os.Exit(1)
	}
}

// Root is a program: its commands begin with the settings read into c and the log set up.
func Root(name, short string, c *config.Config) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			if *c, err = ReadConfig(); err != nil {
				return err
			}
			return setLog(*c)
		},
	}
}

// ReadConfig reads the settings from the environment.
func ReadConfig() (config.Config, error) { return config.Read(os.Environ(), billing.PaidNames()...) }

// CheckNames reports variables that look like settings and are none.
func CheckNames() error { return config.CheckNames(os.Environ(), billing.PaidNames()...) }

// OpenDB opens the configured database, or the private one, which it starts when it does not run, with the
// rights of a role. It leaves the schema alone. The function gives back what was opened.
func OpenDB(ctx context.Context, c config.Config, role pgdb.Role) (*pgxpool.Pool, string, func(), error) {
	url, release, err := DatabaseURL(ctx, c, role)
	if err != nil {
		return nil, "", nil, err
	}
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: c.DatabaseConns, AppName: "arpent", Role: role})
	if err != nil {
		release()
		return nil, "", nil, Explain(err)
	}
	return pool, url, func() { pool.Close(); release() }, nil
}

// Migrate brings the schema of the configured database up to date, or that of the private one.
func Migrate(ctx context.Context, c config.Config) error {
	url, release, err := DatabaseURL(ctx, c, owner)
	if err != nil {
		return err
	}
	defer release()
	return Explain(pgdb.Migrate(ctx, url, Tables()))
}

// owner is no role: the user of the address itself owns the schema.
const owner = pgdb.Role("")

// DatabaseURL is the address of the database for a role, and what to call when it is no longer needed.
func DatabaseURL(ctx context.Context, c config.Config, role pgdb.Role) (string, func(), error) {
	if role != pgdb.Serve && c.DatabaseOwnerURL != "" {
		return c.DatabaseOwnerURL.Reveal(), func() {}, nil
	}
	if c.DatabaseURL != "" {
		return c.DatabaseURL.Reveal(), func() {}, nil
	}
	if c.Mode == config.Production {
		if _, err := os.Stat(c.State("pg")); err != nil {
			return "", nil, fmt.Errorf("no database: set ARPENT_DATABASE_URL, or ARPENT_MODE=development for a private one")
		}
	}
	private, err := cluster.Start(ctx, cluster.Options{Dir: c.State("pg")})
	if err != nil {
		return "", nil, err
	}
	return private.URL(cluster.Database), func() {
		if err := private.Close(); err != nil {
			slog.Error("private database not stopped", "error", err)
		}
	}, nil
}

// Hold starts the private database, where that is the one of the configuration, and keeps it running until
// the returned function is called: what opens it meanwhile finds it started.
func Hold(ctx context.Context, c config.Config) (release func(), err error) {
	_, release, err = DatabaseURL(ctx, c, owner)
	return release, err
}

// MayLoad reports whether the configured user may migrate and load: one that
// may only serve leaves both to other services.
func MayLoad(ctx context.Context, c config.Config) (may bool, err error) {
	if c.DatabaseURL == "" || c.DatabaseOwnerURL != "" {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, mayLoadTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.DatabaseURL.Reveal())
	if err != nil {
		return false, Explain(err)
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT has_database_privilege(current_database(), 'CREATE')").Scan(&may)
	return may, err
}

const mayLoadTimeout = 10 * time.Second

// CheckData refuses an ARPENT_DATA that is no folder: a slip in it would look like a folder without files.
func CheckData(c config.Config) error {
	if c.DataDir == "" {
		return nil
	}
	info, err := os.Stat(c.DataDir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("ARPENT_DATA is %s, which does not exist", c.DataDir)
	case err != nil:
		return fmt.Errorf("ARPENT_DATA cannot be used: %w", err)
	case !info.IsDir():
		return fmt.Errorf("ARPENT_DATA is %s, which is not a folder", c.DataDir)
	}
	return nil
}

// LogProtection logs what keeps GDAL, which reads files from outside, away from the rest of the machine.
func LogProtection(ctx context.Context) {
	protection, err := gdal.Probe(ctx)
	switch {
	case err != nil:
		slog.Error("gdal not sandboxed", "error", err)
	case !protection.Files || !protection.Network:
		slog.Warn("gdal only partly sandboxed", "reach", protection.String())
	default:
		slog.Info("gdal sandboxed", "reach", protection.String())
	}
}

// Loader is the loader of a configuration. It draws a bar on a terminal and writes lines elsewhere. In
// development the log leaves out what these lines say.
func Loader(c config.Config, pool *pgxpool.Pool) *ingest.Loader {
	log := slog.Default()
	if c.Mode == config.Development && c.LogLevel == "info" {
		log = newLog(c.Mode, slog.LevelWarn)
	}
	progress := ingest.Lines(os.Stderr)
	if isatty.IsTerminal(os.Stderr.Fd()) {
		progress = ingest.Bar(os.Stderr)
	}
	index := parcel.NewIndex(pool, c.StateDir, topic.Sources())
	return ingest.New(ingest.Options{
		DB:        pool,
		Catalogue: topic.Sources(),
		Box:       config.Box(),
		DataDir:   c.DataDir,
		StateDir:  c.StateDir,
		Log:       log,
		Progress:  progress,
		RestoreOutlines: func(ctx context.Context, conn *pgx.Conn, communes []string) error {
			_, err := index.Restore(ctx, conn, communes)
			return err
		},
	})
}

// Tables are those that the topics declare.
func Tables() ingest.Tables { return topic.Sources() }

// Explain turns an error into what a person at a terminal needs to know.
func Explain(err error) error {
	var (
		f       *fault.Error
		pg      *pgconn.PgError
		connect *pgconn.ConnectError
	)
	switch {
	case errors.As(err, &f):
		return errors.New(f.Message)
	case errors.As(err, &pg) && (pg.Code == "42P01" || pg.Code == "3F000" ||
		pg.Code == "22023" && strings.HasPrefix(pg.Message, "role ")): // no such table, schema or role
		return errors.New("the database has no tables yet: run `arpent migrate`")
	case pg != nil && pg.Code == "42501" && strings.Contains(pg.Message, `extension "postgis"`):
		return fmt.Errorf("%s: %s", pg.Message, CreatePostGIS)
	case pg != nil && pg.Code == "0A000" && strings.Contains(pg.Message, `extension "postgis"`):
		return errors.New("PostgreSQL has no PostGIS: install it on the server of the database " +
			"(Debian: postgresql-postgis)")
	case pg != nil && pg.Code == "42501" && strings.Contains(pg.Message, "schema public"):
		return fmt.Errorf("%s: an administrator has to make the user of ARPENT_DATABASE_OWNER_URL, or of "+
			"ARPENT_DATABASE_URL, the owner of the database: ALTER DATABASE … OWNER TO …", pg.Message)
	case pg != nil && pg.Code == "42501" && strings.Contains(pg.Message, "goose_db_version"):
		return errors.New("the user of the database may not read its version: run `arpent migrate` as the user " +
			"who owns the database, and give the other the roles of the server (docs/operations/database.md)")
	case pg != nil && pg.Code == "42501" && (strings.HasPrefix(pg.Message, "permission denied to set role") ||
		strings.HasPrefix(pg.Message, "permission denied for schema")):
		return fmt.Errorf("%s: the user of ARPENT_DATABASE_URL may only serve: set ARPENT_DATABASE_OWNER_URL to the address of the user who owns the schema", pg.Message)
	case errors.As(err, &connect):
		return fmt.Errorf("the database gives no connection (ARPENT_DATABASE_URL, or ARPENT_DATABASE_OWNER_URL "+
			"where it is set; without both, the private one of the state folder): %w", err)
	}
	return err
}

// CreatePostGIS says how a database gets PostGIS, which takes an administrator.
const CreatePostGIS = `an administrator has to run once, in this database: CREATE EXTENSION postgis ` +
	`(Debian: sudo -u postgres psql --dbname=arpent --command='CREATE EXTENSION postgis')`
