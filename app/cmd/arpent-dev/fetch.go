package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"arpent/api/ingest"
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/official"
	"arpent/app/base/config"
	"arpent/app/command"
)

// reachTimeout is how long a machine without a connection is kept waiting.
const reachTimeout = 10 * time.Second

// firstCommune is the commune that a new installation begins with: Bondy.
const firstCommune = "93010"

// hasTerritory reports whether more than names and codes were found, which a package has.
func hasTerritory(outcomes []ingest.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o ingest.Outcome) bool { return !strings.HasPrefix(o.Source, "cog-") })
}

// fetchAndLoad fetches what a new installation begins with, or a département, and loads it. Where nothing can be fetched it
// returns the outcomes that there were before.
func fetchAndLoad(ctx context.Context, c config.Config, loader *ingest.Loader, departement string, before []ingest.Outcome, refused error) (
	[]ingest.Outcome, error, error) {
	if c.Offline {
		slog.Info("nothing is fetched", "why", "ARPENT_OFFLINE is set")
		return before, refused, nil
	}
	requests := []official.Request{{Sources: []string{official.Core}}, {Sources: []string{"parcels", "addresses", "sales"}, Commune: firstCommune}}
	if departement != "" {
		requests[1] = official.Request{Departements: []string{departement}}
	}
	client, err := command.FetchClient(c, "")
	if err != nil {
		return nil, nil, err
	}
	if err := reach(ctx, client); err != nil {
		slog.Warn("the producers of data are not reached: nothing is fetched", "error", err)
		return before, refused, nil
	}
	plan, err := command.Plan(ctx, c, client, requests...)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range requests {
		if err := official.Remember(command.Downloads(c), r); err != nil {
			return nil, nil, err
		}
	}
	report, err := fetch.Run(ctx, client, command.Downloads(c), plan.Items, command.FetchProgress())
	if err != nil {
		return nil, nil, err
	}
	if err := report.Err(); err != nil {
		slog.Warn("some files could not be fetched", "error", err)
	}
	var words []string // none: all that was fetched
	if departement == "" {
		words = []string{"cog", "contours", "parcels", "addresses", "sales"}
	}
	outcomes, refused := loader.Load(ctx, ingest.Request{Sources: words})
	if ctx.Err() != nil {
		return nil, nil, refused
	}
	return outcomes, refused, nil
}

// reach asks for one small file, of the producer that the first ones come from.
func reach(ctx context.Context, client *fetch.Client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, reachTimeout, fmt.Errorf("no answer within %s", reachTimeout))
	defer cancel()
	_, err := client.Bytes(ctx, "https://www.data.gouv.fr/api/1/site/")
	return err
}
