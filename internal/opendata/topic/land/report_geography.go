package land

import "arpent/internal/opendata/report"

// GeographyReport returns the part of the parcel report on elevation, coast and mountains.
func GeographyReport() report.Topic {
	return report.Topic{Group: "Other", Files: statements, Queries: []report.Query{
		report.One[Geography](report.Query{File: "geography.sql", Weight: 6},
			report.Key{Name: "geography", Layers: []string{"elevation", "coast", "mountain"},
				Doc: "Mean height of the parcel, and its distances to the coast and to the nearest area classed as mountain, in metres. A member is null " +
					"when its source is not loaded for the place; null as a whole when none of them has a value."})}}
}

// Geography is the elevation of a parcel and its distances to the coast and to the mountains.
type Geography struct {
	ElevationM           *float64 `json:"elevationM" doc:"Mean height above sea level in metres, with one decimal" example:"57.3"`
	ElevationResolutionM *float64 `json:"elevationResolutionM" doc:"Side of a cell of the elevation model in metres" example:"25"`
	CoastDistanceM       *int     `json:"coastDistanceM" doc:"Metres to the coast" example:"9800"`
	MountainDistanceM    *int     `json:"mountainDistanceM" doc:"Metres to the nearest area classed as mountain; 0 inside" example:"41000"`
	Massif               *string  `json:"massif" doc:"The massif that the parcel lies in; null outside" example:"Massif central"`
}
