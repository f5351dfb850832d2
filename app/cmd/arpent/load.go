package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/internal/config"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

func newLoadCommand(e *env) *cobra.Command {
	var r ingest.Request
	c := &cobra.Command{
		Use: "load [source...]", Short: "Load the open data that was fetched, lies under ARPENT_DATA or is part of the starter data",
		Long: `Load sources by name or group (arpent sources lists them); with none named, everything that is found.

Files are looked for among those that arpent fetch has brought, below ARPENT_DATA where that is set, and in the starter data (data/),
which files of the other two replace. With --departement or --commune only that
place is loaded. What has not changed since it was loaded is left alone. A load that is refused leaves the data before it in
service. So does one that got worse (over 5 % fewer rows, or no value of something that had some), unless its source is named.
A name that no file is found for is an error.`,
		Example: "  arpent load\n  arpent load cog contours\n  arpent load parcels --departement 75",
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Sources, r.KeepBetter = args, len(args) == 0
			if err := command.CheckData(e.config); err != nil {
				return err
			}
			command.LogProtection(cmd.Context())
			// Rows become garbage as fast as they are read, and little else is kept: collecting it took a
			// quarter of the time of reading.
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			return e.withDB(cmd.Context(), pgdb.Load, func(pool *pgxpool.Pool) error {
				outcomes, err := e.newLoader(pool).Load(cmd.Context(), r)
				if len(outcomes) > 0 || err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), ingest.Summary(outcomes))
				}
				if err != nil {
					return err
				}
				return missingFilesError(r, outcomes, e.config)
			})
		},
	}
	c.Flags().StringVar(&r.Departement, "departement", "", "only this département (75, 2A, 971)")
	c.Flags().StringVar(&r.Commune, "commune", "", "only this commune (five characters)")
	c.Flags().BoolVar(&r.Force, "force", false, "load again what has not changed; with no name a worse file is refused all the same")
	c.MarkFlagsMutuallyExclusive("departement", "commune")
	return c
}

// dataFolders lists where files are looked for.
func dataFolders(c config.Config) []string {
	out := []string{command.Downloads(c)}
	for _, folder := range []string{c.DataDir, config.Box()} {
		if folder != "" {
			out = append(out, folder)
		}
	}
	return out
}

// missingFilesError is the error for named sources or groups without a file: a user
// who names one expects it to be loaded.
func missingFilesError(r ingest.Request, outcomes []ingest.Outcome, c config.Config) error {
	var faults []error
	for _, word := range r.Sources {
		found := slices.ContainsFunc(topic.Sources(), func(s source.Source) bool {
			return (s.Name == word || s.Group == word) &&
				slices.ContainsFunc(outcomes, func(o ingest.Outcome) bool { return o.Source == s.Name })
		})
		if !found {
			what := strings.TrimSpace(word + " " + r.Departement + r.Commune)
			faults = append(faults, fmt.Errorf("no file of %s is in %s under a name that is known: `arpent fetch` gets it, `arpent sources --all` lists what can be given",
				what, strings.Join(dataFolders(c), " or ")))
		}
	}
	return errors.Join(faults...)
}

func newMigrateCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database schema up to date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Migrate(cmd.Context(), e.config)
		},
	}
}
