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
	for _, f := range snapshotFiles {
		if !slices.Contains(names, f.name) {
			continue
		}
		s, describe := f.open(pool, c.StateDir)
		if err := refresh(ctx, s); err != nil {
			return err
		}
		seen, _ := describe()
		fmt.Fprintf(w, "%s: %s\n", f.name, seen)
	}
	return nil
}

// refresh collects garbage twice as often as usual: that costs a
// second or two, and a fifth less memory is held.
func refresh(ctx context.Context, s snapshotStore) error {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	if err := s.Open(); err != nil {
		return err
	}
	return s.Refresh(ctx)
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
	return fmt.Sprintf("%d streets and localities, %d places, %.1f MiB", n.Streets, n.Places, float64(x.Size())/(1<<20)), n.Places
}

// describeParcels says how many there are; -1: there is no file.
func describeParcels(x *parcel.Index) (seen string, n int) {
	if x == nil {
		return "", -1
	}
	if n = x.Parcels(); n == 0 {
		return "none: no cadastre is loaded (arpent load)", 0
	}
	return fmt.Sprintf("%d in %d communes, %.1f MiB, %.1f bytes each", n, x.Communes(), float64(x.Size())/(1<<20), float64(x.Size())/float64(n)), n
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
	return fmt.Sprintf("%d of %d keys known of some of %d communes, %.1f MiB", known, len(keys), communes, float64(s.Size())/(1<<20)), communes
}
