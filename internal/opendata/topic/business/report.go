package business

import (
	"embed"

	"arpent/internal/opendata/report"
)

//go:embed sirene.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	layers := []string{"sirene"}
	return report.Topic{Group: "Heritage and economy", Files: statements, Queries: []report.Query{
		report.Rows(report.Query{File: "sirene.sql", Args: report.Args{"radius": 50, "limit": 25}, Weight: 4}, establishmentValues,
			report.Key{Name: "sirene", Layers: layers, Value: []Establishment{},
				Doc: "Active business establishments within {radius} m, by distance, {limit} at most. Those that keep their address to " +
					"themselves, and those that are only known to be in a commune, are left out."},
			report.Key{Name: "sireneTotal", Layers: layers, Value: 0,
				Doc: "How many active business establishments there are within {radius} m, counted as for sirene."},
		)}}
}

// establishmentValues returns the establishments that are listed, and how many there are.
func establishmentValues(list []Establishment) []any {
	if len(list) == 0 {
		return []any{list, 0}
	}
	return []any{list, list[0].Total}
}

// Establishment is an active establishment of the Sirene register.
type Establishment struct {
	report.Counted
	SIRET      string  `json:"siret" doc:"SIRET number." example:"12345678900011"`
	Name       *string `json:"name" doc:"name of the company; null for sole traders"`
	NAF        *string `json:"naf" doc:"code of the activity" example:"47.11D"`
	Label      *string `json:"label" doc:"name of the activity; null while no table of names is loaded"`
	HeadOffice *bool   `json:"headOffice" doc:"Whether it is the head office of its company."`
	Employees  *string `json:"employees" doc:"code of the range of employees" example:"12"`
	DistanceM  int     `json:"distanceM" doc:"metres from the parcel"`
}
