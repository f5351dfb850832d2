package water

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/stats"
)

// tapWater is the sanitary control of tap water in the last twelve months of the data.
type tapWater struct {
	start, end string                        // days
	from       *stats.Load                   // of the samples
	networks   map[string][]waterNetwork     // by commune
	samples    map[string][]*waterSample     // by network
	served     map[string]*NetworkPopulation // by network
}

type waterNetwork struct {
	code string
	name *string
	from *stats.Load
}

//go:embed samples.sql
var selectSamples string

const (
	// The newest list of networks of a commune is used, as in the report; lists
	// of arrondissements count for the city.
	selectNetworks = `
SELECT w.part, w.commune, w.network, min(w.name) FROM (
	SELECT t.part, coalesce(k.commune_code, t.commune) AS commune, t.attrs->>'network' AS network, t.attrs->>'name' AS name,
		rank() OVER (PARTITION BY coalesce(k.commune_code, t.commune) ORDER BY t.part DESC) AS nth
	FROM geo.enrich_tap_water t LEFT JOIN geo.commune k ON k.code = t.commune AND k.type = 'arrondissement-municipal'
	WHERE t.commune IS NOT NULL) w
WHERE w.nth = 1 AND w.network IS NOT NULL GROUP BY w.part, w.commune, w.network ORDER BY w.commune, w.network`
	selectServed = `SELECT part, code, attrs::text FROM geo.stat_fact WHERE level = '` + NetworkKind +
		`' AND kind = '` + NetworkKind + `'`
)

var controlSlot stats.Slot[*tapWater]

func readWater(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	w := &tapWater{networks: map[string][]waterNetwork{}, samples: map[string][]*waterSample{},
		served: map[string]*NetworkPopulation{}}
	for _, step := range []func(context.Context, pgx.Tx, *stats.Data, *tapWater) error{readNetworks, readSamples,
		readServed} {
		if err := step(ctx, tx, d, w); err != nil {
			return fmt.Errorf("read the tap water: %w", err)
		}
	}
	controlSlot.Put(d, w)
	return nil
}

func readNetworks(ctx context.Context, tx pgx.Tx, d *stats.Data, w *tapWater) error {
	rows, _ := tx.Query(ctx, selectNetworks) // the rows have its error too
	var part, commune string
	var n waterNetwork
	_, err := pgx.ForEachRow(rows, []any{&part, &commune, &n.code, &n.name}, func() error {
		if n.from = d.Loads[part]; n.from != nil {
			w.networks[commune] = append(w.networks[commune], n)
		}
		return nil
	})
	return err
}

func readSamples(ctx context.Context, tx pgx.Tx, d *stats.Data, w *tapWater) error {
	rows, _ := tx.Query(ctx, selectSamples) // the rows have its error too
	byID := map[string]*waterSample{}
	var part, network, id string
	var s waterSample
	var start, end time.Time
	_, err := pgx.ForEachRow(rows, []any{&part, &network, &id, &s.sampled, &s.bacteriological, &s.chemical,
		&s.nitrates.value, &s.nitrates.below,
		&s.lead.value, &s.lead.below, &s.pesticides.value, &s.pesticides.below, &start, &end}, func() error {
		from := d.Loads[part]
		if from == nil {
			return nil
		}
		w.from, w.start, w.end = from, start.Format(time.DateOnly), end.Format(time.DateOnly)
		one := byID[id]
		if one == nil {
			one = new(s)
			byID[id] = one
		}
		w.samples[network] = append(w.samples[network], one)
		return nil
	})
	return err
}

func readServed(ctx context.Context, tx pgx.Tx, d *stats.Data, w *tapWater) error {
	rows, _ := tx.Query(ctx, selectServed) // the rows have its error too
	var part, network, attrs string
	_, err := pgx.ForEachRow(rows, []any{&part, &network, &attrs}, func() error {
		var population NetworkPopulation
		if from := d.Loads[part]; from != nil && json.Unmarshal([]byte(attrs), &population) == nil &&
			population.Inhabitants > 0 {
			population.Source = from.Label()
			w.served[network] = &population
		}
		return nil
	})
	return err
}
