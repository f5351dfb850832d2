package services

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

//go:embed convenience.sql hospital.sql hypermarket.sql marketplace.sql msp.sql nearby_services.sql pharmacy.sql schools.sql supermarket.sql
var statements embed.FS

// School is a school near a parcel.
type School struct {
	report.Counted
	SchoolFigures
	DistanceM *int   `json:"distanceM" doc:"Distance from the parcel, in metres; null when the location of the school is not known."`
	ListedBy  string `json:"listedBy" enum:"distance,commune" doc:"Why it is in the list: distance, or commune where no locations are loaded. The schools of a commune stand by level and name, not by nearness."`
}

// Uncounted returns which schools are in no list, by the layers that are loaded for the place.
func (School) Uncounted(isCovered func(layer string) bool) string {
	if isCovered("school") {
		return ""
	}
	return indexedOnly + " They are those of the commune, without positions."
}

// SchoolFigures is a school with the figures about it.
type SchoolFigures struct {
	UAI            string   `json:"uai" doc:"Identifier of the school." example:"0340001A"`
	Name           string   `json:"name" doc:"Name of the school."`
	Level          string   `json:"level" enum:"ecole,college,lycee" doc:"Level: ecole, college or lycee."`
	Sector         *string  `json:"sector" enum:"public,private" doc:"public or private."`
	SuccessRatePct *float64 `json:"successRatePct" doc:"Success rate at the brevet or the baccalauréat, in percent; null for primary schools." example:"86"`
	Session        *int     `json:"session" doc:"Session of the success rate." example:"2024"`
	IPS            *float64 `json:"ips" doc:"Social position index (IPS) of its pupils; the national mean is about 105." example:"104.2"`
	IPSSchoolYear  *string  `json:"ipsSchoolYear" doc:"School year of the index." example:"2022-2023"`
}

// HealthPlace is a hospital, health centre or pharmacy.
type HealthPlace struct {
	FINESS    string  `json:"finess" doc:"FINESS number." example:"340780055"`
	Name      *string `json:"name" doc:"Name, where the register has it."`
	Category  string  `json:"category" doc:"FINESS category: 101 or 355 hospital, 603 health centre, 620 pharmacy." example:"355"`
	DistanceM int     `json:"distanceM" doc:"Distance from the parcel, in metres."`
}

// Hospital is a hospital.
type Hospital struct {
	HealthPlace
	Emergencies *bool `json:"emergencies" doc:"True where INSEE's inventory of facilities has an emergency department within 500 m of it, as it then has for every hospital that is given; null where that inventory is not loaded: the hospital may have none."`
}

// Shop is a shop or market.
type Shop struct {
	Name      *string `json:"name" doc:"Name, where the source has it."`
	DistanceM int     `json:"distanceM" doc:"Distance from the parcel, in metres."`
	Source    string  `json:"source" enum:"BPE,OpenStreetMap" doc:"Data set: BPE (INSEE) or OpenStreetMap (ODbL, © OpenStreetMap contributors)."`
}

// ServiceCounts counts facilities by domain of the inventory.
type ServiceCounts struct {
	Services  int `json:"services" doc:"Services to the public: post offices, banks, craftsmen, restaurants."`
	Shops     int `json:"shops" doc:"Shops."`
	Education int `json:"education" doc:"Schools and universities."`
	Health    int `json:"health" doc:"Health and social action."`
	Transport int `json:"transport" doc:"Transport."`
	Sports    int `json:"sports" doc:"Sports, leisure and culture."`
	Tourism   int `json:"tourism" doc:"Tourism."`
}

// NearbyServices counts the facilities near a parcel.
type NearbyServices struct {
	RadiusM int           `json:"radiusM" doc:"Radius, in metres."`
	Counts  ServiceCounts `json:"counts" doc:"Facilities by domain (A to G)."`
	Total   int           `json:"total" doc:"All facilities."`
}

// servicesRadius is the radius of NearbyServices in metres.
const servicesRadius = 1000

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	key := func(name, doc string, layers ...string) report.Key {
		return report.Key{Name: name, Doc: doc, Layers: layers, Within: "radius", Instead: state.FacilitiesOfCommune}
	}
	nearest := func(file string, metres, weight int) report.Query {
		return report.Query{File: file, Args: report.Args{"radius": metres}, Weight: weight}
	}
	shop := func(name, what string, layers ...string) report.Key {
		return key(name, "Nearest "+what+" within {radius km} km. Null when there is none. Places that are only known to be in a commune are left out.", layers...)
	}
	counts := key("nearbyServices", "Facilities within {radius km} km, counted by domain. Places that are only known to be in a commune are not counted.", "facility")
	counts.Value = NearbyServices{}
	schools := key("schools", "Schools within {radius km} km by distance, at most {limit}, with at least one of each level when there is one. "+
		"Where the directory of schools is not loaded: schools of the commune (arrondissement in Paris, Lyon and Marseille) that have an index of social "+
		"position, without a distance, by level and name.", "school", "school_index").And("school_result")
	schools.Instead = ""
	schools.Unplaced = "Those without a position are left out."
	return report.Topic{Group: "Services", Files: statements, Queries: []report.Query{
		report.List[School](report.Query{File: "schools.sql", Args: report.Args{"radius": 2000, "limit": 10},
			Weight: 3}, schools),
		report.One[Hospital](nearest("hospital.sql", 100_000, 2),
			key("nearestHospital", "Nearest hospital within {radius km} km: general and regional hospitals by their category (FINESS 101, 355) and name, without "+
				"their outposts (day hospitals, dental, psychiatric and geriatric units). Local and psychiatric hospitals and private clinics are none. Where INSEE's "+
				"inventory of facilities is loaded, the nearest with an emergency department. Null when there is none. Where only an extract is loaded, the nearest in it.",
				"hospital", "hospital_extract").And("facility")),
		report.One[HealthPlace](nearest("msp.sql", 50_000, 1),
			key("nearestMsp", "Nearest multi-professional health centre (603) within {radius km} km. Null when there is none.", "msp")),
		report.One[HealthPlace](nearest("pharmacy.sql", 50_000, 1),
			key("nearestPharmacy", "Nearest pharmacy (620) within {radius km} km. Null when there is none.",
				"pharmacy")),
		report.One[Shop](nearest("supermarket.sql", 50_000, 2), shop("nearestSupermarket", "supermarket",
			"facility")),
		report.One[Shop](nearest("hypermarket.sql", 50_000, 1), shop("nearestHypermarket", "hypermarket",
			"facility")),
		report.One[Shop](nearest("convenience.sql", 50_000, 1), shop("nearestConvenience",
			"convenience store (supérette, épicerie)", "facility")),
		report.One[Shop](nearest("marketplace.sql", 50_000, 1),
			key("nearestMarketplace", "Nearest marketplace within {radius km} km. Null when there is none.",
				"marketplace")),
		report.Rows(nearest("nearby_services.sql", servicesRadius, 8), nearbyServices, counts),
	}}
}

type serviceCountsRow struct {
	ServiceCounts
	Total int
}

func nearbyServices(rows []serviceCountsRow) []any {
	if len(rows) == 0 {
		return []any{nil}
	}
	return []any{NearbyServices{RadiusM: servicesRadius, Counts: rows[0].ServiceCounts, Total: rows[0].Total}}
}
