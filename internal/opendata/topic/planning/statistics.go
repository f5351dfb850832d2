package planning

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/stats"
)

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Tables: []string{"geo.permit", "geo.enrich_qpv"},
		Read: func(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
			return errors.Join(readPermits(ctx, tx, d), readDistricts(ctx, tx, d))
		},
		Blocks: []stats.Block{
			stats.Object("permits", "Permits granted by year.", communePermits).At(stats.Commune, 30).
				From("sitadel-*").CompleteTogether("The files list no permit here."),
			stats.Object("qpv", "Priority urban districts (QPV) of the commune: how many, their codes and names.",
				communeDistricts).At(stats.Commune, 37).From("qpv").OnRequest().
				Complete("The file of the whole country has no priority district in this commune."),
		},
	}
}
