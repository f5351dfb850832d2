package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"arpent/api/geocode"
	"arpent/app"
)

func newIndexCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: app.IndexCommand, Short: "Build the index of addresses from what is loaded", Args: cobra.NoArgs,
		Long: `Build the file that addresses and places are searched in, unless it is up to date. A service that runs does so by
itself after a load; with this command the file is there before it starts.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pool, _, release, err := e.openDB(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			s := geocode.New(pool, e.config.StateDir)
			if err := s.Open(); err != nil {
				return err
			}
			if err := s.Refresh(cmd.Context()); err != nil {
				return err
			}
			n := s.Index().Counts()
			fmt.Fprintf(cmd.OutOrStdout(), "%d streets and localities, %d places, %d MiB\n", n.Streets, n.Places, s.Index().Bytes>>20)
			return nil
		},
	}
}
