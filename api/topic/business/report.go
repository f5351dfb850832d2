package business

import (
	"embed"

	"arpent/api/report"
)

//go:embed sirene.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	return report.Topic{Files: statements, Queries: reportQueries()}
}

func reportQueries() []report.Query {
	sirene := []string{"sirene"}
	return []report.Query{
		{File: "sirene.sql", Weight: 4, Keys: []report.Key{
			{Name: "sirene", Group: "Heritage and economy", Layers: sirene, Value: []Establishment{},
				Doc: "Active business establishments within 50 m, by distance, 25 at most. Those that keep their address to " +
					"themselves, and those that are only known to be in a commune, are left out."},
			{Name: "sireneTotal", Group: "Heritage and economy", Layers: sirene, Value: 0,
				Doc: "How many active business establishments there are within 50 m, counted as for sirene."},
		}},
	}
}

// Establishment is an active establishment of the Sirene register.
type Establishment struct {
	SIRET      string  `json:"siret" example:"12345678900011"`
	Name       *string `json:"name" doc:"name of the company; null for sole traders"`
	NAF        *string `json:"naf" doc:"code of the activity" example:"47.11D"`
	Label      *string `json:"label" doc:"name of the activity; null while no table of names is loaded"`
	HeadOffice *bool   `json:"headOffice"`
	Employees  *string `json:"employees" doc:"code of the range of employees" example:"12"`
	DistanceM  int     `json:"distanceM" doc:"metres from the parcel"`
}
