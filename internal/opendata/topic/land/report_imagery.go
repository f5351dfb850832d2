package land

import "arpent/internal/opendata/report"

// ImageryReport returns the part of the parcel report on historic aerial photographs.
func ImageryReport() report.Topic {
	return report.Topic{Group: "Other", Files: statements, Queries: []report.Query{
		report.One[OldImagery](report.Query{File: "old.sql", Weight: 2},
			report.Key{Name: "old", Layers: []string{"aerial_survey", "orthophoto_1950"},
				Doc: "The historic aerial photographs whose extent touches the parcel. Null where there are none."})}}
}

// OldImagery lists the historic aerial photographs that show a place.
type OldImagery struct {
	Missions       *int  `json:"missions" doc:"Number of flights; null where they are not loaded." example:"12"`
	FirstYear      *int  `json:"firstYear" doc:"Year of the first." example:"1944"`
	LastYear       *int  `json:"lastYear" doc:"Year of the last." example:"1998"`
	Years          []int `json:"years" doc:"Years with at least one flight, ascending; null where they are not loaded."`
	Orthophoto1950 *bool `json:"orthophoto1950" doc:"Whether the orthophoto of 1950 to 1965 shows the place; null where its extent is not loaded."`
}
