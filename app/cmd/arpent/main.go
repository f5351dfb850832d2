// Command arpent serves, migrates, loads and administers: the whole service in one binary.
package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/api/ingest"
	"arpent/app/base/config"
	"arpent/app/command"
)

// env is what every command starts from.
type env struct {
	config config.Config
}

func main() { command.Main(newRoot()) }

func newRoot() *cobra.Command {
	e := &env{}
	root := command.Root("arpent", "French territorial and cadastral open data as a metered API", &e.config)
	root.AddCommand(newServeCommand(e), newMigrateCommand(e), newLoadCommand(e), newIndexCommand(e), newSourcesCommand(e),
		newAccountCommand(e), newKeyCommand(e), newUsageCommand(e), newAuditCommand(e), newMailCommand(e), newBillingCommand(e),
		newDoctorCommand(e), newVersionCommand())
	return root
}

func (e *env) openDB(ctx context.Context) (*pgxpool.Pool, string, func(), error) {
	return command.OpenDB(ctx, e.config)
}

func (e *env) loader(pool *pgxpool.Pool) *ingest.Loader { return command.Loader(e.config, pool) }
