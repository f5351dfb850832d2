package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/api/ingest"
	"arpent/app/base/config"
	"arpent/app/base/pgdb"
	"arpent/app/command"
	"arpent/app/dev/demo"
)

func newPrepareCommand(e *env) *cobra.Command {
	var departement string
	c := &cobra.Command{
		Use: "prepare", Short: "Prepare a development database: schema, territory and parcels, a demonstration where there are none", Args: cobra.NoArgs,
		Long: `Brings the schema up to date and loads the territory and the parcels that are found under ARPENT_DATA or were fetched before.
Where there are none, outlines, names and one commune are fetched from their producers, or all of a département that is named.
Without a connection, and with ARPENT_OFFLINE, a demonstration is made. What is there already is left alone. In production
it does nothing: arpent migrate, arpent fetch, arpent load.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.config.Mode != config.Development {
				slog.Info("nothing is prepared outside of development mode", "mode", string(e.config.Mode))
				return nil
			}
			return prepare(cmd.Context(), e.config, departement)
		},
	}
	c.Flags().StringVar(&departement, "departement", "", "fetch and load this département")
	return c
}

func prepare(ctx context.Context, c config.Config, departement string) error {
	if err := command.CheckData(c); err != nil {
		return err
	}
	if err := command.Migrate(ctx, c); err != nil {
		return err
	}
	pool, _, release, err := command.OpenDB(ctx, c, pgdb.Load)
	if err != nil {
		return err
	}
	defer release()
	loader := command.Loader(c, pool)
	outcomes, refused, err := command.LoadFirst(ctx, loader)
	if err != nil {
		return err
	}
	if departement != "" || !hasTerritory(outcomes) {
		outcomes, refused, err = fetchAndLoad(ctx, c, loader, departement, outcomes, refused)
		if err != nil {
			return err
		}
	}
	made, err := demonstrateIfEmpty(ctx, pool, loader)
	if made {
		why, wayOut := whyDemonstration(outcomes, refused)
		slog.Warn(why+": outlines and parcels are a DEMONSTRATION of synthetic data; names and codes are real", "data", c.DataDir, "way_out", wayOut)
	}
	return err
}

// demonstrateIfEmpty reports whether a demonstration is served.
func demonstrateIfEmpty(ctx context.Context, pool *pgxpool.Pool, loader *ingest.Loader) (bool, error) {
	_, err := demo.Make(ctx, pool, demo.Options{Parcels: demo.DefaultParcels, Keep: true, LoadCOG: loadCOG(loader)})
	switch {
	case errors.Is(err, demo.ErrRealData):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("make a demonstration: %w", err)
	}
	return true, nil
}

// whyDemonstration distinguishes files that were found and could not be used from a folder without any. Names and codes may
// come from a package, and say nothing about the folder.
func whyDemonstration(outcomes []ingest.Outcome, fault error) (why, wayOut string) {
	if hasTerritory(outcomes) || fault != nil && len(outcomes) == 0 { // the folder could not be read
		return "the data files gave neither outlines nor parcels",
			"read above why they were refused; arpent doctor checks what loading needs"
	}
	return "no data files were found, and none could be fetched", "arpent fetch core says why; or set ARPENT_DATA to a folder of open-data files"
}
