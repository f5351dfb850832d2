package planning

import "arpent/internal/opendata/report"

// Monument is a protected historic monument.
type Monument struct {
	report.Counted
	ID          string  `json:"id" doc:"reference in the Mérimée base" example:"PA00118092"`
	Name        *string `json:"name" doc:"Name of the monument." example:"Hôtel de ville"`
	Protection  *string `json:"protection" doc:"How it is protected, in the words of the producer." example:"classé MH"`
	ProtectedOn *string `json:"protectedOn" doc:"day of the first protection" example:"1981-10-29"`
	Commune     *string `json:"commune" doc:"Name of its commune."`
	Approximate bool    `json:"approximate" doc:"true: several monuments of the commune share this position, which is likely its centre"`
	DistanceM   int     `json:"distanceM" doc:"metres from the parcel"`
}

// MonumentReport returns the part of the parcel report on monuments.
func MonumentReport() report.Topic {
	return report.Topic{Group: "Heritage and economy", Files: statements, Queries: []report.Query{
		report.List[Monument](report.Query{File: "monuments.sql", Args: report.Args{"radius": 500, "limit": 50},
			Weight: 2},
			report.Key{Name: "monuments", Layers: []string{"monument"}, Within: "radius",
				Doc: "Protected historic monuments within {radius} m, by distance, {limit} at most."})}}
}
