package main

import (
	"context"

	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/app/base/config"
	"arpent/app/base/pgdb"
)

// examineStatistics says whether statistics are served, and whether they are of what is loaded now.
func examineStatistics(ctx context.Context, c config.Config, url string) finding {
	const subject = "statistics"
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor"})
	if err != nil {
		return finding{subject, err.Error(), "see the findings on the database"}
	}
	defer pool.Close()
	s := stats.New(pool, c.StateDir, topic.Statistics())
	if err := s.Open(); err != nil {
		return finding{subject, err.Error(), "correct the rights of the file, or delete it: it is made again"}
	}
	current, err := s.Current(ctx)
	if err != nil {
		return finding{subject, err.Error(), "see the findings on the database and its schema"}
	}
	return describeStatisticsFile(s.Snapshot(), current, c.StateDir)
}

// describeStatisticsFile is no problem where no figures are loaded: their keys are null, as they should be.
func describeStatisticsFile(b *stats.Snapshot, current bool, dir string) finding {
	const (
		subject = "statistics"
		build   = "a running service makes it by itself after a load (its log tells of failures); else run arpent index statistics"
	)
	switch {
	case b == nil:
		return finding{subject, "no snapshot of them in " + dir + ": include=stats answers null for every key until it is made", build}
	case !current:
		return finding{subject, "the snapshot in " + dir + " is older than what is loaded: " + describeStatistics(b), build}
	case b.Count(stats.Commune) == 0:
		return finding{subject, "of nothing: no names and codes are loaded", "run arpent load"}
	default:
		return finding{subject: subject, seen: "the snapshot in " + dir + " is up to date: " + describeStatistics(b)}
	}
}
