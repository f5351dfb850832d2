package planning

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// CommuneDistricts are the priority districts of a commune.
type CommuneDistricts struct {
	stats.Envelope
	Total     int                `json:"total" minimum:"1" doc:"Number of priority districts that lie in the commune, as a whole or in part." example:"5"`
	Districts []PriorityDistrict `json:"districts" doc:"All of them, by code."`
}

// PriorityDistrict is a priority district of a commune.
type PriorityDistrict struct {
	Code     string   `json:"code" doc:"Official code." example:"QN09312I"`
	Name     *string  `json:"name" doc:"Official name." example:"Blanqui"`
	Communes []string `json:"communes" doc:"Codes of the communes, or arrondissements of Paris, Lyon or Marseille, that it lies in." example:"93010"`
}

// districtsSlot holds the priority districts by commune and arrondissement.
var districtsSlot stats.Slot[map[string][]PriorityDistrict]

//go:embed commune_districts.sql
var selectDistricts string

// readDistricts reads the priority districts of all communes.
func readDistricts(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	of := map[string][]PriorityDistrict{}
	rows, _ := tx.Query(ctx, selectDistricts) // the rows have its error too
	var place string
	var one PriorityDistrict
	_, err := pgx.ForEachRow(rows, []any{&place, &one.Code, &one.Name, &one.Communes}, func() error {
		of[place] = append(of[place], one)
		return nil
	})
	districtsSlot.Put(d, of)
	return fault.Wrap("read the priority districts of communes", err)
}

// communeDistricts returns the priority districts of a commune or arrondissement; nil: the file has none.
func communeDistricts(d *stats.Data, t *stats.Territory) *CommuneDistricts {
	of, from := districtsSlot.Of(d)[t.Code], t.FindLoad(d.LoadsOf("qpv"))
	if from == nil || len(of) == 0 {
		return nil
	}
	return &CommuneDistricts{from.DatedEnvelope(), len(of), of}
}
