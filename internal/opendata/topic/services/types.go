package services

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// FacilityTypes counts the facilities of a commune by type, as the producer names them. All families are
// objects; one without facilities is empty.
type FacilityTypes struct {
	stats.Envelope
	Total     int            `json:"total" doc:"Number of facilities of all types."`
	Services  map[string]int `json:"services" doc:"Number of personal and public services by type."`
	Shops     map[string]int `json:"shops" doc:"Number of shops by type."`
	Education map[string]int `json:"education" doc:"Number of educational facilities by type: nursery schools are École maternelle."`
	Health    map[string]int `json:"health" doc:"Number of health and social care facilities by type, specialists among them."`
	Transport map[string]int `json:"transport" doc:"Number of transport facilities by type."`
	Leisure   map[string]int `json:"leisure" doc:"Number of sports, leisure and cultural facilities by type."`
	Tourism   map[string]int `json:"tourism" doc:"Number of tourism facilities by type."`
}

// facilityCounts are the numbers of facilities by the type of 2013.
type facilityCounts map[string]int

// facilityTypesSlot is the slot of the numbers of all communes and arrondissements.
var facilityTypesSlot stats.Slot[map[string]facilityCounts]

// The whole table is read: 36 000 rows, one for each commune of the file.
const selectFacilityTypes = `SELECT commune, attrs FROM geo.enrich_facility_type WHERE commune IS NOT NULL`

// readFacilityTypes reads the facilities of all communes by type.
func readFacilityTypes(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	all := map[string]facilityCounts{}
	rows, _ := tx.Query(ctx, selectFacilityTypes) // the rows have its error too
	var code string
	var counts facilityCounts
	_, err := pgx.ForEachRow(rows, []any{&code, &counts}, func() error {
		if all[code] == nil {
			all[code] = facilityCounts{}
		}
		all[code].addCounts(counts)
		counts = nil
		return nil
	})
	facilityTypesSlot.Put(d, all)
	return fault.Wrap("read the types of facilities", err)
}

func (c facilityCounts) addCounts(of facilityCounts) {
	for name, n := range of {
		c[name] += n
	}
}

// listFacilityTypes returns the facilities of a commune by type, of a city those of its arrondissements. A
// commune without a number of all facilities is not the one that the file counts.
func listFacilityTypes(d *stats.Data, t *stats.Territory) *FacilityTypes {
	total := t.At(FacilitiesTotal, "2013")
	if total.Value == nil {
		return nil
	}
	counts := facilityCounts{}
	for _, place := range slices.Concat(t.Arrondissements(), []*stats.Territory{t}) {
		counts.addCounts(facilityTypesSlot.Of(d)[place.Code])
	}
	of := func(domain string) map[string]int {
		some := map[string]int{}
		for _, name := range facilityLabels2013[domain] {
			if n := counts[name]; n > 0 {
				some[name] = n
			}
		}
		return some
	}
	return &FacilityTypes{Envelope: stats.EnvelopeOf(total), Total: int(*total.Value), Services: of("A"), Shops: of("B"), Education: of("C"),
		Health: of("D"), Transport: of("E"), Leisure: of("F"), Tourism: of("G")}
}
