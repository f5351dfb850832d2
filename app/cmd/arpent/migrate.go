package main

import (
	"github.com/spf13/cobra"

	"arpent/app/command"
)

func newMigrateCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database schema up to date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Migrate(cmd.Context(), e.config)
		},
	}
}
