package business

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

//go:embed sirene.sql owners.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	layers := []string{"sirene"}
	return report.Topic{Group: "Heritage and economy", Files: statements, Queries: []report.Query{
		report.Rows(report.Query{File: "sirene.sql", Args: report.Args{"radius": 50, "limit": 25}, Weight: 4},
			establishmentValues,
			report.Key{Name: "sirene", Layers: layers, Value: []Establishment{}, Within: "radius",
				Unplaced: "Those without a position are left out.",
				Doc: "Active business establishments within {radius} m, by distance, {limit} at most. Those that keep their address to " +
					"themselves, and those that are only known to be in a commune, are left out."},
			report.Key{Name: "sireneTotal", Layers: layers, Value: 0, Within: "radius",
				Doc: "How many active business establishments there are within {radius} m, counted as for sirene."},
		),
		report.List[LegalOwner](report.Query{File: "owners.sql", Args: report.Args{"limit": 50}, Weight: 1},
			report.Key{Name: "legalOwners", Layers: []string{"legal_owner"}, None: state.OwnerNotListed,
				Doc: "Legal persons with a right on the parcel on 1 January of the year of the edition, by right and name, " +
					"{limit} at most. No natural person is in the file. An empty list does not say whose the parcel is: it may " +
					"be that of natural persons."}),
	}}
}

// LegalOwner is a legal person with a right on a parcel.
type LegalOwner struct {
	report.Counted
	Name       *string `json:"name" doc:"Its name; null where the file has none, or one that may be that of a natural person." example:"COMMUNE DE BONDY"`
	SIREN      *string `json:"siren" doc:"SIREN number; null where it has none." example:"219300100"`
	Form       *string `json:"form" doc:"Legal form, in the words of the producer." example:"Commune"`
	Group      string  `json:"group" doc:"Group: 1 State, 2 région, 3 département, 4 commune, 5 social housing, 7 condominium, 9 public body; 0, 6 and 8 companies and other legal persons." enum:"0,1,2,3,4,5,6,7,8,9"`
	GroupLabel *string `json:"groupLabel" doc:"The same in the words of the producer; null in editions before 2025." example:"Commune"`
	Right      *string `json:"right" doc:"Code of the right on the parcel: P is the owner; the producer's documentation names the others." example:"P"`
	RightLabel *string `json:"rightLabel" doc:"The same in the words of the producer; null in editions that give the code alone." example:"Propriétaire"`
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
