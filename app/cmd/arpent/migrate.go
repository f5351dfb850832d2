package main

import (
	"github.com/spf13/cobra"

	"arpent/app/base/pgdb"
	"arpent/app/command"
)

func newMigrateCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database schema up to date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			url, release, err := command.DatabaseURL(cmd.Context(), e.config)
			if err != nil {
				return err
			}
			defer release()
			return pgdb.Migrate(cmd.Context(), url, command.Tables())
		},
	}
}
