package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/app/base/config"
	"arpent/app/base/pgdb"
)

// snapshotStore is what is served from a file.
type snapshotStore interface {
	Open() error
	Current(context.Context) (bool, error)
	Refresh(context.Context) error
}

// examineAddresses says whether addresses and places can be found, and whether in what is loaded now.
func examineAddresses(ctx context.Context, c config.Config, url string) finding {
	var s *geocode.Store
	open := func(pool *pgxpool.Pool) snapshotStore { s = geocode.New(pool, c.StateDir, topic.Sources()); return s }
	current, problem := examineSnapshot(ctx, "addresses", url, open)
	if problem != nil {
		return *problem
	}
	return describeAddresses(s.Index(), current, c.StateDir)
}

// examineStatistics says whether statistics are served, and whether they are of what is loaded now.
func examineStatistics(ctx context.Context, c config.Config, url string) finding {
	var s *stats.Store
	open := func(pool *pgxpool.Pool) snapshotStore { s = stats.New(pool, c.StateDir, topic.Statistics()); return s }
	current, problem := examineSnapshot(ctx, "statistics", url, open)
	if problem != nil {
		return *problem
	}
	return describeStatisticsFile(s.Snapshot(), current, c.StateDir)
}

// examineParcels says whether parcels are read from a file, and whether it is of what is loaded now.
func examineParcels(ctx context.Context, c config.Config, url string) finding {
	var s *parcel.IndexStore
	open := func(pool *pgxpool.Pool) snapshotStore {
		s = parcel.NewIndex(pool, c.StateDir, topic.Sources())
		return s
	}
	current, problem := examineSnapshot(ctx, parcels, url, open)
	if problem != nil {
		return *problem
	}
	return describeParcelsFile(s.Get(), current, c.StateDir)
}

// examineSnapshot opens a snapshot as a server would, and reports whether it is of what is loaded now.
func examineSnapshot(ctx context.Context, subject, url string, open func(*pgxpool.Pool) snapshotStore) (current bool, problem *finding) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor", Role: pgdb.Read})
	if err != nil {
		return false, &finding{subject, err.Error(), "see the findings on the database"}
	}
	defer pool.Close()
	s := open(pool)
	if err := s.Open(); err != nil {
		return false, &finding{subject, err.Error(), "correct the rights of the file, or delete it: it is built again"}
	}
	if current, err = s.Current(ctx); err != nil {
		return false, &finding{subject, err.Error(), "see the findings on the database and its schema"}
	}
	return current, nil
}

const rebuild = "a running service builds it by itself after a load (its log reports failures); else run arpent index "

func describeAddresses(x *geocode.Index, current bool, dir string) finding {
	const subject, build = "addresses", rebuild + "addresses"
	switch {
	case x == nil:
		return finding{subject, "no index of them in " + dir + ": searches answer 503 until it is built", build}
	case !current:
		return finding{subject, "the index in " + dir + " is older than what is loaded: " + describeIndex(x), build}
	case x.Counts().Places == 0:
		return finding{subject, "nothing can be found: no names and codes are loaded; searches answer 503", "run arpent load"}
	default:
		return finding{subject: subject, seen: "the index in " + dir + " is up to date: " + describeIndex(x)}
	}
}

// describeStatisticsFile reports no problem where no figures are loaded: their keys are null, as they should be.
func describeStatisticsFile(s *stats.Snapshot, current bool, dir string) finding {
	const subject, build = "statistics", rebuild + "statistics"
	switch {
	case s == nil:
		return finding{subject, "no snapshot of them in " + dir + ": include=stats answers null for every key until it is made", build}
	case !current:
		return finding{subject, "the snapshot in " + dir + " is older than what is loaded: " + describeStatistics(s), build}
	case s.Count(stats.Commune) == 0:
		return finding{subject, "of nothing: no names and codes are loaded", "run arpent load"}
	default:
		return finding{subject: subject, seen: "the snapshot in " + dir + " is up to date: " + describeStatistics(s)}
	}
}

// describeParcelsFile reports no problem where no cadastre is loaded.
func describeParcelsFile(x *parcel.Index, current bool, dir string) finding {
	const build = rebuild + parcels
	switch {
	case x == nil:
		return finding{parcels, "no file of them in " + dir + ": they are read from the database, which takes many times as long", build}
	case !current:
		return finding{parcels, "the file in " + dir + " is older than what is loaded: " + describeParcels(x), build}
	default:
		return finding{subject: parcels, seen: "the file in " + dir + " is up to date: " + describeParcels(x)}
	}
}
