package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/app"
	"arpent/app/base/config"
	"arpent/app/base/pgdb"
)

// What can be built.
const addresses, statistics, parcels = "addresses", "statistics", "parcels"

func newIndexCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: app.IndexCommand + " [addresses|statistics|parcels]", Short: "Make the files that are served from what is loaded",
		Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs), ValidArgs: []string{addresses, statistics, parcels},
		Long: `Make the index that addresses and places are searched in, the statistics as they are served and the file that parcels are
read from, unless they are up to date. A service that runs does so by itself after a load; with this command the files are there
before it starts.`,
		RunE: func(cmd *cobra.Command, only []string) error {
			if len(only) == 0 {
				only = []string{addresses, statistics, parcels}
			}
			return e.withDB(cmd.Context(), pgdb.Read, func(pool *pgxpool.Pool) error {
				return index(cmd.Context(), e.config, pool, cmd.OutOrStdout(), only...)
			})
		},
	}
}

// index builds the snapshots of these names, and says what is in them.
func index(ctx context.Context, c config.Config, pool *pgxpool.Pool, w io.Writer, names ...string) error {
	if slices.Contains(names, addresses) {
		s := geocode.New(pool, c.StateDir, topic.Sources())
		if err := refresh(ctx, s); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", addresses, describeIndex(s.Index()))
	}
	if slices.Contains(names, statistics) {
		s := stats.New(pool, c.StateDir, topic.Statistics())
		if err := refresh(ctx, s); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", statistics, describeStatistics(s.Snapshot()))
	}
	if slices.Contains(names, parcels) {
		s := parcel.NewIndex(pool, c.StateDir, topic.Sources())
		if err := refresh(ctx, s); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", parcels, describeParcels(s.Get()))
	}
	return nil
}

// refresh collects garbage twice as often as usual: that costs a second or two, and a fifth less memory is held.
func refresh(ctx context.Context, s snapshotStore) error {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	if err := s.Open(); err != nil {
		return err
	}
	return s.Refresh(ctx)
}

// describeIndex says how much can be found.
func describeIndex(x *geocode.Index) string {
	n := x.Counts()
	if n.Places == 0 {
		return "nothing to find: no names and codes are loaded (arpent load)"
	}
	return fmt.Sprintf("%d streets and localities, %d places, %.1f MiB", n.Streets, n.Places, float64(x.Size())/(1<<20))
}

// describeParcels says how many there are.
func describeParcels(x *parcel.Index) string {
	n := x.Parcels()
	if n == 0 {
		return "none: no cadastre is loaded (arpent load)"
	}
	return fmt.Sprintf("%d in %d communes, %.1f MiB, %.1f bytes each", n, x.Communes(), float64(x.Size())/(1<<20), float64(x.Size())/float64(n))
}

// describeStatistics says of how much statistics are served.
func describeStatistics(s *stats.Snapshot) string {
	if s.Count(stats.Commune) == 0 {
		return "of nothing: no names and codes are loaded (arpent load)"
	}
	known := 0
	keys := s.Coverage(stats.Commune)
	for _, k := range keys {
		if k.Known > 0 {
			known++
		}
	}
	return fmt.Sprintf("%d of %d keys known of some of %d communes, %.1f MiB", known, len(keys), s.Count(stats.Commune), float64(s.Size())/(1<<20))
}
