package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"arpent/api/ingest"
	"arpent/api/topic"
	"arpent/app/base/config"
)

func newLoadCommand(e *env) *cobra.Command {
	var r ingest.Request
	c := &cobra.Command{
		Use: "load [source...]", Short: "Load open data from ARPENT_DATA, and official cadastre files",
		Long: `Load sources by name or group (arpent sources lists them); with none named, everything that is found.

Files are looked for below ARPENT_DATA and among earlier downloads. With --departement or --commune, the official
cadastre files of the place are downloaded first, or resumed, and only that place is loaded. What has not changed since
it was loaded is left alone. A load that is refused leaves the data before it in service.`,
		Example: "  arpent load\n  arpent load cog contours\n  arpent load parcels --departement 75",
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Sources = args
			if err := checkDataDir(e.config); err != nil {
				return err
			}
			pool, _, release, err := e.openDB(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			outcomes, err := e.loader(pool).Load(cmd.Context(), r)
			if len(outcomes) > 0 || err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), ingest.Summary(outcomes))
			}
			return explain(err)
		},
	}
	c.Flags().StringVar(&r.Departement, "departement", "", "only this département (75, 2A, 971); downloads its cadastre files")
	c.Flags().StringVar(&r.Commune, "commune", "", "only this commune (five characters); downloads its cadastre files")
	c.Flags().BoolVar(&r.Force, "force", false, "load again what has not changed")
	c.MarkFlagsMutuallyExclusive("departement", "commune")
	return c
}

// checkDataDir refuses an ARPENT_DATA that is no folder: a slip in it would look like a folder without files. The
// default need not be there.
func checkDataDir(c config.Config) error {
	if os.Getenv("ARPENT_DATA") == "" {
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

// loader is the loader of this configuration. It draws a bar on a terminal and writes lines elsewhere.
func (e *env) loader(pool *pgxpool.Pool) *ingest.Loader {
	progress := ingest.Lines(os.Stderr)
	if isatty.IsTerminal(os.Stderr.Fd()) {
		progress = ingest.Bar(os.Stderr)
	}
	return ingest.New(ingest.Options{
		DB:          pool,
		Catalogue:   topic.Sources(),
		DataDir:     e.config.DataDir,
		StateDir:    e.config.StateDir,
		CadastreURL: e.config.CadastreURL,
		Log:         slog.Default(),
		Progress:    progress,
	})
}
