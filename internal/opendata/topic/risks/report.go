package risks

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
)

//go:embed catnat.sql cavities.sql commune_risks.sql flood_markers.sql ground_movements.sql icpe.sql polluted_sites.sql radon.sql rga.sql risk_plans.sql
//go:embed seisme.sql tris.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	near := report.Args{"radius": 500, "limit": 20}
	return report.Topic{Group: "Risks", Files: statements, Queries: []report.Query{
		report.List[CatnatOrder](report.Query{File: "catnat.sql", Args: report.Args{"limit": 100}, Weight: 1},
			report.Key{Name: "catnat", Layers: []string{"catnat"},
				Doc: "Natural-disaster orders for the commune, newest event first, at most {limit}. Orders for a former commune count for the current commune."}),
		report.List[CommuneRisk](report.Query{File: "commune_risks.sql", Args: report.Args{"limit": 100},
			Weight: 1}, report.Key{Name: "communeRisks", Layers: []string{"commune_risk"},
			Doc: "Risks listed for the commune in the register of its département: families (two digits) first, then their details, at most {limit}."}),
		report.Rows(report.Query{File: "risk_plans.sql", Args: report.Args{"limit": 30, "zones": 20}, Weight: 4},
			riskPlans, report.Key{Name: "riskPlans", Value: []RiskPlan{},
				Layers: []string{"risk_procedure", "risk_procedure PPRT", "risk_procedure PPRM", "ppr_zone"},
				// maps alone do not prove that there is no other plan
				Complete: []string{"risk_procedure", "risk_procedure PPRT", "risk_procedure PPRM"},
				Doc:      "Risk-prevention plans of the commune, and plans whose map covers the parcel, with the zones it lies in: those in force first, at most {limit}. Empty only where the procedures of all three kinds are loaded."}),
		report.List[Tri](report.Query{File: "tris.sql", Args: report.Args{"limit": 30}, Weight: 3},
			report.Key{Name: "tris", Layers: []string{"tri"},
				Doc: "Flooded areas of the territories of major flood risk that the parcel lies in, the most frequent flood first, then the territories themselves; at most {limit}."}),
		report.List[FloodMarker](report.Query{File: "flood_markers.sql", Args: near, Weight: 2},
			report.Key{Name: "floodMarkers", Layers: []string{"flood_marker"}, Within: "radius",
				Doc: "Marks of past floods within {radius} m of the parcel, nearest first, at most {limit}. A mark has an entry for each flood."}),
		report.One[Rga](report.Query{File: "rga.sql", Weight: 3}, report.Key{Name: "rga", Layers: []string{"rga"},
			Doc: "Exposure to clay shrinkage and swelling under the parcel, from the newest map of the place. Null where the parcel is in none of the levels, and where the map is not loaded."}),
		report.One[Radon](report.Query{File: "radon.sql", Weight: 1}, report.Key{Name: "radon",
			Layers: []string{"radon"},
			Doc:    "Radon potential of the commune, or of the arrondissement. A merged commune has the class of the former commune whose code it kept, else the highest of its former communes."}),
		report.One[Seisme](report.Query{File: "seisme.sql", Weight: 1},
			report.Key{Name: "seisme", Layers: []string{"seismic_zone"},
				Doc: "Regulatory seismic zone of the commune. A merged commune has the zone of the former commune whose code it kept, else the highest of its former communes."}),
		report.List[Icpe](report.Query{File: "icpe.sql", Args: report.Args{"radius": 1000, "limit": 50}, Weight: 2},
			report.Key{Name: "icpe", Layers: []string{"icpe"}, Within: "radius",
				Unplaced: "Those without a position are left out. " + namesLeftOut,
				Doc:      "Classified installations within {radius} m of the parcel, nearest first, at most {limit}. Those located only to the commune, or not at all, are left out."}),
		report.List[PollutedSite](report.Query{File: "polluted_sites.sql", Args: near, Weight: 2},
			report.Key{Name: "pollutedSites", Layers: []string{"polluted_site"}, With: []string{"state_site"}, Within: "radius",
				Unplaced: pastActivity + " Those without a position are left out.",
				Doc:      "Former industrial sites within {radius} m of the parcel, nearest first, at most {limit}. They indicate a past activity, not confirmed pollution. Sites located only to the commune are left out."}),
		report.List[Cavity](report.Query{File: "cavities.sql", Args: near, Weight: 2},
			report.Key{Name: "bdcaviteNearby", Layers: []string{"cavity"}, Within: "radius",
				Unplaced: "Those without a position are left out.",
				Doc:      "Underground cavities within {radius} m of the parcel, nearest first, at most {limit}. Confidential ones and those located only to the commune are left out."}),
		report.List[GroundMovement](report.Query{File: "ground_movements.sql", Args: near, Weight: 2},
			report.Key{Name: "bdmvtNearby", Layers: []string{"ground_movement"}, Within: "radius",
				Unplaced: "Those without a position are left out.",
				Doc:      "Recorded ground movements within {radius} m of the parcel, nearest first, at most {limit}. Those located only to the commune are left out."}),
	}}
}

// CatnatOrder is an order that declared a natural disaster in a commune.
type CatnatOrder struct {
	report.Counted
	Risk        string  `json:"risk" doc:"Kind of disaster, in the words of the order" example:"Inondations et/ou Coulées de Boue"`
	Start       *string `json:"start" doc:"First day of the event" example:"2014-09-29"`
	End         *string `json:"end" doc:"Last day of the event" example:"2014-09-30"`
	OrderDate   *string `json:"orderDate" doc:"Day of the order" example:"2014-10-08"`
	PublishedOn *string `json:"publishedOn" doc:"Day of its publication in the Journal officiel" example:"2014-10-11"`
}

// CommuneRisk is a risk listed for a commune in the register of its département.
type CommuneRisk struct {
	report.Counted
	Code  string `json:"code" doc:"Code of the risk: two digits are a family, more are a detail of it" example:"11"`
	Label string `json:"label" doc:"Name of the risk." example:"Inondation"`
}

// Radon is the class of a commune.
type Radon struct {
	Category  int    `json:"category" minimum:"1" maximum:"3" doc:"Class of the commune, from 1 (low) to 3 (significant)"`
	Label     string `json:"label" doc:"The class in words." example:"Potentiel significatif"`
	ListedFor string `json:"-"` // code of the commune or arrondissement that the file lists
}

// Seisme is the seismic zone of a commune.
type Seisme struct {
	Zone      int    `json:"zone" minimum:"1" maximum:"5" doc:"Zone, from 1 to 5"`
	Label     string `json:"label" doc:"très faible, faible, modérée, moyenne or forte" example:"modérée"`
	ListedFor string `json:"-"` // code of the commune or arrondissement that the file lists
}

// Rga is the exposure to clay shrinkage and swelling.
type Rga struct {
	Level    int     `json:"level" minimum:"1" maximum:"3" doc:"Level that covers most of the parcel"`
	Label    string  `json:"label" doc:"faible, moyen or fort" example:"moyen"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel with this level, in percent"`
	MaxLevel int     `json:"maxLevel" minimum:"1" maximum:"3" doc:"Highest level on the parcel"`
}

//go:embed risk_plans_tile.sql
var riskPlansTile string

// MapLayers returns the layer of the risk-prevention plans whose maps are loaded.
func MapLayers() []source.MapLayer {
	return []source.MapLayer{{Name: "risques", Layers: []string{"ppr_zone"}, Producer: planProducer, MinZoom: 12,
		Select: riskPlansTile}}
}
