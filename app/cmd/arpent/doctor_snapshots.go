package main

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/internal/config"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

// snapshotStore is what is served from a file.
type snapshotStore interface {
	Open() error
	Current(context.Context) (bool, error)
	Refresh(context.Context) error
}

// snapshotFile is a file that is made of what is loaded, and served from.
type snapshotFile struct {
	name, file  string
	consequence string // what is served without it
	// what it means that nothing is in it; empty: it is no problem, their keys are null or there is no cadastre
	empty string
	open  func(pool *pgxpool.Pool, dir string) (store snapshotStore, describe func() (seen string,
		count int))
}

var snapshotFiles = []snapshotFile{
	{addresses, "index", "searches answer 503 until it is built",
		"nothing can be found: no names and codes are loaded; searches answer 503",
		func(pool *pgxpool.Pool, dir string) (snapshotStore, func() (string, int)) {
			s := geocode.New(pool, dir, topic.Sources())
			return s, func() (string, int) { return describeIndex(s.Index()) }
		}},
	{statistics, "snapshot", "what asks for statistics answers 503 until it is made",
		"of nothing: no names and codes are loaded",
		func(pool *pgxpool.Pool, dir string) (snapshotStore, func() (string, int)) {
			s := stats.New(pool, dir, topic.Statistics())
			return s, func() (string, int) { return describeStatistics(s.Snapshot()) }
		}},
	{parcels, "file", "parcels and reports answer 503 until it is built", "",
		func(pool *pgxpool.Pool, dir string) (snapshotStore, func() (string, int)) {
			s := parcel.NewIndex(pool, dir, topic.Sources())
			return s, func() (string, int) { return describeParcels(s.Get()) }
		}},
}

const rebuild = "a running service builds it by itself after a load (its log reports failures); else run arpent index "

// examineSnapshot opens a snapshot as a server would, and says whether it is there and of what is loaded now.
func (f snapshotFile) examineSnapshot(ctx context.Context, c config.Config, url string) finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor", Role: pgdb.Read})
	if err != nil {
		return finding{f.name, err.Error(), "see the findings on the database"}
	}
	defer pool.Close()
	s, describe := f.open(pool, c.StateDir)
	if err := s.Open(); err != nil {
		return finding{f.name, err.Error(), "correct the rights of the file, or delete it: it is built again"}
	}
	current, err := s.Current(ctx)
	if err != nil {
		return finding{f.name, err.Error(), "see the findings on the database and its schema"}
	}
	where := "the " + f.file + " in " + c.StateDir
	switch seen, count := describe(); {
	case count < 0:
		return finding{f.name, "no " + f.file + " of them in " + c.StateDir + ": " + f.consequence, rebuild +
			f.name}
	case !current:
		return finding{f.name, where + " is older than what is loaded: " + seen, rebuild + f.name}
	case count == 0 && f.empty != "":
		return finding{f.name, f.empty, "run arpent load"}
	default:
		return finding{subject: f.name, seen: where + " is up to date: " + seen}
	}
}
