// Command arpent is the whole service in one binary.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/base/config"
	"arpent/app/base/pgdb"
	"arpent/app/base/pgdb/cluster"
)

// env is what every command starts from.
type env struct {
	config config.Config
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "arpent:", err)
		os.Exit(1)
	}
}

func newRoot() *cobra.Command {
	e := &env{}
	root := &cobra.Command{
		Use: "arpent", Short: "French territorial and cadastral open data as a metered API",
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if e.config, err = config.Read(os.Environ()); err != nil {
				return err
			}
			return setLog(e.config.LogLevel)
		},
	}
	root.AddCommand(newServeCommand(e), newMigrateCommand(e), newLoadCommand(e), newIndexCommand(e), newSourcesCommand(e),
		newAccountCommand(e), newKeyCommand(e), newUsageCommand(e), newAuditCommand(e), newDemoCommand(e), newMailCommand(e), newBillingCommand(e), newStripeSimulatorCommand(e), newDoctorCommand(e), newVersionCommand())
	return root
}

func setLog(level string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("read log level %q: %w", level, err)
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: l})))
	return nil
}

// openDB opens the configured database, or the private one, which it starts when it does not run. Commands other
// than migrate and serve leave the schema alone. The function gives back what was opened.
func (e *env) openDB(ctx context.Context) (*pgxpool.Pool, string, func(), error) {
	url, release, err := e.databaseURL(ctx)
	if err != nil {
		return nil, "", nil, err
	}
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: e.config.DatabaseConns, AppName: "arpent"})
	if err != nil {
		release()
		return nil, "", nil, err
	}
	return pool, url, func() { pool.Close(); release() }, nil
}

// databaseURL is the address of the database, and what to call when it is no longer needed.
func (e *env) databaseURL(ctx context.Context) (string, func(), error) {
	if e.config.DatabaseURL != "" {
		return e.config.DatabaseURL.Reveal(), func() {}, nil
	}
	if e.config.Mode == config.Production {
		if _, err := os.Stat(e.config.State("pg")); err != nil {
			return "", nil, fmt.Errorf("no database: set ARPENT_DATABASE_URL, or ARPENT_MODE=development for a private one")
		}
	}
	c, err := cluster.Start(ctx, cluster.Options{Dir: e.config.State("pg")})
	if err != nil {
		return "", nil, err
	}
	return c.URL(cluster.Database), func() {
		if err := c.Close(); err != nil {
			slog.Error("private database not stopped", "error", err)
		}
	}, nil
}
