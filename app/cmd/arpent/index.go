package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/api/geocode"
	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/app"
)

func newIndexCommand(e *env) *cobra.Command {
	const addresses, statistics = "addresses", "statistics"
	return &cobra.Command{
		Use: app.IndexCommand + " [addresses|statistics]", Short: "Make the files that are served from what is loaded",
		Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs), ValidArgs: []string{addresses, statistics},
		Long: `Make the index that addresses and places are searched in, and the statistics as they are served, unless they are up to
date. A service that runs does so by itself after a load; with this command the files are there before it starts.`,
		RunE: func(cmd *cobra.Command, only []string) error {
			return e.withDB(cmd.Context(), func(pool *pgxpool.Pool) error {
				if len(only) == 0 || only[0] == addresses {
					s := geocode.New(pool, e.config.StateDir, topic.Sources())
					if err := refresh(cmd.Context(), s); err != nil {
						return err
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", addresses, describeIndex(s.Index()))
				}
				if len(only) == 0 || only[0] == statistics {
					s := stats.New(pool, e.config.StateDir, topic.Statistics())
					if err := refresh(cmd.Context(), s); err != nil {
						return err
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", statistics, describeStatistics(s.Snapshot()))
				}
				return nil
			})
		},
	}
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
