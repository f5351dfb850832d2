package risks

import (
	"embed"

	"arpent/api/report"
)

//go:embed cavities.sql flood_markers.sql ground_movements.sql icpe.sql polluted_sites.sql rga.sql risk_commune.sql risk_plans.sql tris.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	return report.Topic{Files: statements, Queries: reportQueries(), Order: []string{
		"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe", "pollutedSites",
		"bdcaviteNearby", "bdmvtNearby",
	}}
}

func reportQueries() []report.Query {
	return []report.Query{
		{File: "risk_commune.sql", Weight: 1, Keys: []report.Key{catnatKey, communeRisksKey, radonKey, seismeKey}},
		{File: "risk_plans.sql", Weight: 4, Keys: []report.Key{riskPlansKey}},
		{File: "tris.sql", Weight: 3, Keys: []report.Key{trisKey}},
		{File: "rga.sql", Weight: 3, Keys: []report.Key{rgaKey}},
		{File: "flood_markers.sql", Weight: 2, Keys: []report.Key{floodMarkersKey}},
		{File: "icpe.sql", Weight: 2, Keys: []report.Key{icpeKey}},
		{File: "polluted_sites.sql", Weight: 2, Keys: []report.Key{pollutedSitesKey}},
		{File: "cavities.sql", Weight: 2, Keys: []report.Key{cavitiesKey}},
		{File: "ground_movements.sql", Weight: 2, Keys: []report.Key{groundMovementsKey}},
	}
}

// CatnatOrder is an order that declared a natural disaster in a commune.
type CatnatOrder struct {
	Risk        string  `json:"risk" doc:"Kind of disaster, in the words of the order" example:"Inondations et/ou Coulées de Boue"`
	Start       *string `json:"start" doc:"First day of the event" example:"2014-09-29"`
	End         *string `json:"end" doc:"Last day of the event" example:"2014-09-30"`
	OrderDate   *string `json:"orderDate" doc:"Day of the order" example:"2014-10-08"`
	PublishedOn *string `json:"publishedOn" doc:"Day of its publication in the Journal officiel" example:"2014-10-11"`
}

// CommuneRisk is a risk listed for a commune in the register of its département.
type CommuneRisk struct {
	Code  string `json:"code" doc:"Code of the risk: two digits are a family, more are a detail of it" example:"11"`
	Label string `json:"label" example:"Inondation"`
}

// Radon is the class of a commune.
type Radon struct {
	Category int    `json:"category" minimum:"1" maximum:"3" doc:"Class of the commune, from 1 (low) to 3 (significant)"`
	Label    string `json:"label" example:"Potentiel significatif"`
}

// Seisme is the seismic zone of a commune.
type Seisme struct {
	Zone  int    `json:"zone" minimum:"1" maximum:"5" doc:"Zone, from 1 to 5"`
	Label string `json:"label" doc:"très faible, faible, modérée, moyenne or forte" example:"modérée"`
}

// Rga is the exposure to clay shrinkage and swelling.
type Rga struct {
	Level    int     `json:"level" minimum:"1" maximum:"3" doc:"Level that covers most of the parcel"`
	Label    string  `json:"label" doc:"faible, moyen or fort" example:"moyen"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel with this level, in percent"`
	MaxLevel int     `json:"maxLevel" minimum:"1" maximum:"3" doc:"Highest level on the parcel"`
}

var (
	catnatKey = report.Key{Name: "catnat", Group: "Risks", Layers: []string{"catnat"}, Value: []CatnatOrder{},
		Doc: "Natural-disaster orders for the commune, newest event first, at most 100. Orders for a former commune count for the current commune."}
	communeRisksKey = report.Key{Name: "communeRisks", Group: "Risks", Layers: []string{"commune_risk"}, Value: []CommuneRisk{},
		Doc: "Risks listed for the commune in the register of its département: families (two digits) first, then their details, at most 100."}
	radonKey = report.Key{Name: "radon", Group: "Risks", Layers: []string{"radon"}, Value: Radon{},
		Doc: "Radon potential of the commune, or of the arrondissement. A merged commune has the class of the former commune whose code it kept, else the highest of its former communes."}
	seismeKey = report.Key{Name: "seisme", Group: "Risks", Layers: []string{"seismic_zone"}, Value: Seisme{},
		Doc: "Regulatory seismic zone of the commune. A merged commune has the zone of the former commune whose code it kept, else the highest of its former communes."}
	rgaKey = report.Key{Name: "rga", Group: "Risks", Layers: []string{"rga"}, Value: Rga{},
		Doc: "Exposure to clay shrinkage and swelling under the parcel, from the newest map of the place. Null where the parcel is in none of the levels, and where the map is not loaded."}
)
