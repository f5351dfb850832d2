package main

import (
	"context"
	"maps"
	"slices"

	"arpent/app/base/config"
	"arpent/app/base/pgdb"
)

// examineReplicas looks at each server of ARPENT_DATABASE_READ_URLS.
func examineReplicas(ctx context.Context, c config.Config, url string) (out []finding) {
	if len(c.ReadURLs()) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	primary, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor", Role: pgdb.Read})
	if err != nil {
		return []finding{{"replicas", err.Error(), "see the message"}}
	}
	defer primary.Close()
	replicas, err := pgdb.NewReplicas(primary, c.ReadURLs())
	if err != nil {
		return []finding{{"replicas", err.Error(), "correct ARPENT_DATABASE_READ_URLS"}}
	}
	why := replicas.Examine(ctx)
	for _, name := range slices.Sorted(maps.Keys(why)) {
		if why[name] == "" {
			out = append(out, finding{subject: "replica", seen: name + " has what the primary has"})
		} else {
			out = append(out, finding{"replica", name + ": " + why[name], "docs/scaling.md says which servers can be read from; until then the primary is"})
		}
	}
	return out
}
