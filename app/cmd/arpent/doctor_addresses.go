package main

import (
	"context"

	"arpent/api/geocode"
	"arpent/api/topic"
	"arpent/app/base/config"
	"arpent/app/base/pgdb"
)

// examineAddresses says whether addresses and places can be found, and whether in what is loaded now.
func examineAddresses(ctx context.Context, c config.Config, url string) finding {
	const subject = "addresses"
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor"})
	if err != nil {
		return finding{subject, err.Error(), "see the findings on the database"}
	}
	defer pool.Close()
	s := geocode.New(pool, c.StateDir, topic.Sources())
	if err := s.Open(); err != nil {
		return finding{subject, err.Error(), "correct the rights of the file, or delete it: it is built again"}
	}
	current, err := s.Current(ctx)
	if err != nil {
		return finding{subject, err.Error(), "see the findings on the database and its schema"}
	}
	return describeAddresses(s.Index(), current, c.StateDir)
}

func describeAddresses(x *geocode.Index, current bool, dir string) finding {
	const (
		subject = "addresses"
		build   = "a running service builds it by itself after a load (its log tells of failures); else run arpent index addresses"
	)
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
