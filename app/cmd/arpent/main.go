// Command arpent serves, migrates, loads and administers: the whole service in one binary.
package main

import (
	"context"
	"encoding/json"
	"io"
	"text/tabwriter"

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
	root.AddCommand(newServeCommand(e), newMigrateCommand(e), newFetchCommand(e), newLoadCommand(e), newIndexCommand(e), newSourcesCommand(e),
		newAccountCommand(e), newKeyCommand(e), newUsageCommand(e), newAuditCommand(e), newMailCommand(e), newBillingCommand(e),
		newDoctorCommand(e), newVersionCommand())
	return root
}

// withDB opens the database for one command, and explains an error to whoever typed it.
func (e *env) withDB(ctx context.Context, run func(*pgxpool.Pool) error) error {
	pool, _, release, err := command.OpenDB(ctx, e.config)
	if err != nil {
		return err
	}
	defer release()
	return command.Explain(run(pool))
}

func (e *env) loader(pool *pgxpool.Pool) *ingest.Loader { return command.Loader(e.config, pool) }

// output is how a command prints what it has found: as a table, or as JSON.
type output struct{ json bool }

func (o *output) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
}

// print writes v as JSON, or the table that is made of it, whose columns are separated by tabs.
func (o output) print(cmd *cobra.Command, v any, table func(io.Writer)) error {
	if o.json {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	table(w)
	return w.Flush()
}
