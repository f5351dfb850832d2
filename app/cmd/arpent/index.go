package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/app"
	"arpent/app/command"
	"arpent/internal/config"
	"arpent/internal/fault"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

// What can be built.
const addresses, statistics, parcels = "addresses", "statistics", "parcels"

func newIndexCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   app.IndexCommand + " [addresses|statistics|parcels]",
		Short: "Make the files that are served from what is loaded",
		Args:  cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs), ValidArgs: []string{addresses,
			statistics,
			parcels},
		Long: `Make the index that addresses and places are searched in, the statistics as they are served and the file that parcels are
read from, unless they are up to date. A service that runs does so by itself after a load; with this command the files are there
before it starts.`,
		RunE: func(cmd *cobra.Command, only []string) error {
			if len(only) == 0 {
				only = []string{addresses, statistics, parcels}
			}
			return e.withDB(cmd.Context(), pgdb.Read, func(pool *pgxpool.Pool) error {
				return indexSnapshots(cmd.Context(), e.config, pool, cmd.OutOrStdout(), only...)
			})
		},
	}
}

// indexSnapshots builds the snapshots of these names, and says what is in them.
func indexSnapshots(ctx context.Context, c config.Config, pool *pgxpool.Pool, w io.Writer,
	names ...string) error {
	// Garbage is collected twice as often as usual: that costs a second or two, and a fifth less memory is held.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for _, f := range snapshotFiles {
		if !slices.Contains(names, f.name) {
			continue
		}
		s, describe := f.open(pool, c.StateDir)
		if err := s.Open(); err != nil {
			return err
		}
		if err := s.Refresh(ctx); err != nil {
			return err
		}
		seen, _ := describe()
		fmt.Fprintf(w, "%s: %s\n", f.name, seen)
	}
	return nil
}

// describeIndex says how much can be found: so many places; -1: there is no index.
func describeIndex(x *geocode.Index) (seen string, places int) {
	if x == nil {
		return "", -1
	}
	n := x.Counts()
	if n.Places == 0 {
		return "nothing to find: no names and codes are loaded (arpent load)", 0
	}
	return fmt.Sprintf("%d streets and localities, %d places, %.1f MiB", n.Streets, n.Places,
		float64(x.Size())/(1<<20)), n.Places
}

// describeParcels says how many there are; -1: there is no file.
func describeParcels(x *parcel.Index) (seen string, n int) {
	if x == nil {
		return "", -1
	}
	if n = x.Parcels(); n == 0 {
		return "none: no cadastre is loaded (arpent load)", 0
	}
	return fmt.Sprintf("%d in %d communes, %.1f MiB, %.1f bytes each", n, x.Communes(),
		float64(x.Size())/(1<<20), float64(x.Size())/float64(n)), n
}

// describeStatistics says of how much statistics are served: so many communes; -1: there is no snapshot.
func describeStatistics(s *stats.Snapshot) (seen string, communes int) {
	if s == nil {
		return "", -1
	}
	if communes = s.Count(stats.Commune); communes == 0 {
		return "of nothing: no names and codes are loaded (arpent load)", 0
	}
	known := 0
	keys := s.Coverage(stats.Commune)
	for _, k := range keys {
		if k.Known > 0 {
			known++
		}
	}
	return fmt.Sprintf("%d of %d keys known of some of %d communes, %.1f MiB", known, len(keys), communes,
		float64(s.Size())/(1<<20)), communes
}

func newParcelsCommand(e *env) *cobra.Command {
	c := &cobra.Command{Use: "parcels", Short: "Check and export the file that parcels are served from"}
	verify := &cobra.Command{
		Use: "verify", Short: "Read every parcel of the file, and count them", Args: cobra.NoArgs,
		Long: `Read every block of the file of parcels in the state folder and decode every parcel in it, without a
database. What cannot be read is named with its commune, and the command fails: delete the file and run arpent
index parcels.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x, err := e.openParcels()
			if err != nil {
				return err
			}
			gone, err := x.Verify()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d parcels in %d communes and %d that are gone, %d bytes: all can be read\n",
				x.Parcels(), x.Communes(), gone, x.Size())
			return err
		},
	}
	export := &cobra.Command{
		Use: "export", Short: "Write every parcel of the file as GeoJSON, one feature a line", Args: cobra.NoArgs,
		Long: `Write every parcel of the file of parcels in the state folder to the standard output, by reference, without
a database: a GeoJSON feature on a line of its own (NDJSON), as ogr2ogr and other programs read it:

    arpent parcels export | ogr2ogr -f GPKG parcels.gpkg GeoJSONSeq:/vsistdin/`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x, err := e.openParcels()
			if err != nil {
				return err
			}
			return x.Export(cmd.OutOrStdout())
		},
	}
	compact := &cobra.Command{
		Use: "compact", Short: "Keep the outlines of parcels in the file alone, for half the disk", Args: cobra.NoArgs,
		Long: `Make the file of parcels in the state folder from what is loaded, read every parcel of it whose outline is in the
database, and take these out there: parcels then take half the disk, and the file is the only copy of their outlines.
Keep it in a backup. Instances go on serving; later loads write the outlines that they need back first. Another instance
needs a copy of the file: it cannot make its own. arpent parcels restore undoes it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withParcels(cmd.Context(), func(s *parcel.IndexStore, conn *pgx.Conn) error {
				n, err := s.Compact(cmd.Context(), conn)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "outlines of %d parcels taken out of the database: they are in %s alone; keep it in a backup\n",
					n, e.config.State(parcel.IndexFile))
				return err
			})
		},
	}
	var lost bool
	restore := &cobra.Command{
		Use: "restore", Short: "Write the outlines of parcels from the file back to the database", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withParcels(cmd.Context(), func(s *parcel.IndexStore, conn *pgx.Conn) error {
				n, err := s.Restore(cmd.Context(), conn, nil)
				fmt.Fprintf(cmd.OutOrStdout(), "%d outlines written to the database\n", n)
				if lost && fault.From(err).Code == fault.Unavailable {
					n, err = parcel.Forget(cmd.Context(), conn)
					fmt.Fprintf(cmd.OutOrStdout(), "parcels of %d communes taken out: load them by arpent load parcels --force\n", n)
				}
				return err
			})
		},
	}
	restore.Flags().BoolVar(&lost, "lost", false,
		"give up the parcels whose outlines neither the file nor the database has, to load them again")
	c.AddCommand(verify, export, compact, restore)
	return c
}

// withParcels opens the file of parcels, and a connection of the database's owner that keeps loads out.
func (e *env) withParcels(ctx context.Context, run func(*parcel.IndexStore, *pgx.Conn) error) error {
	address, release, err := ownerURL(ctx, e.config)
	if err != nil {
		return err
	}
	defer release()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return command.Explain(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := ingest.ExcludeLoads(ctx, conn); err != nil {
		return command.Explain(err)
	}
	return e.withDB(ctx, pgdb.Read, func(pool *pgxpool.Pool) error {
		s := parcel.NewIndex(pool, e.config.StateDir, topic.Sources())
		if err := s.Open(); err != nil {
			return err
		}
		return run(s, conn)
	})
}

// openParcels opens the file of parcels.
func (e *env) openParcels() (*parcel.Index, error) {
	s := parcel.NewIndex(nil, e.config.StateDir, nil)
	if err := s.OpenValid(); err != nil {
		return nil, fmt.Errorf("%w: run arpent index parcels", err)
	}
	return s.Get(), nil
}
