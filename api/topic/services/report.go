package services

import (
	"embed"

	"arpent/api/report"
)

//go:embed health.sql marketplace.sql nearby_services.sql schools.sql shops.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	return report.Topic{Files: statements, Queries: reportQueries()}
}

// School is a school near a parcel.
type School struct {
	UAI            string   `json:"uai" doc:"Identifier of the school." example:"0340001A"`
	Name           string   `json:"name" doc:"Name of the school."`
	Level          string   `json:"level" enum:"ecole,college,lycee" doc:"Level: ecole, college or lycee."`
	Sector         *string  `json:"sector" enum:"public,private" doc:"public or private."`
	SuccessRatePct *float64 `json:"successRatePct" doc:"Success rate at the brevet or the baccalauréat, in percent; null for primary schools." example:"86"`
	Session        *int     `json:"session" doc:"Session of the success rate." example:"2024"`
	IPS            *float64 `json:"ips" doc:"Social position index (IPS) of its pupils; the national mean is about 105." example:"104.2"`
	IPSSchoolYear  *string  `json:"ipsSchoolYear" doc:"School year of the index." example:"2022-2023"`
	DistanceM      *int     `json:"distanceM" doc:"Distance from the parcel, in metres; null when the location of the school is not known."`
}

// HealthPlace is a hospital, health centre or pharmacy.
type HealthPlace struct {
	FINESS    string `json:"finess" doc:"FINESS number." example:"340780055"`
	Name      string `json:"name" doc:"Name."`
	Category  string `json:"category" doc:"FINESS category: 101, 106, 292 or 355 hospital, 603 health centre, 620 pharmacy." example:"355"`
	DistanceM int    `json:"distanceM" doc:"Distance from the parcel, in metres."`
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

func reportQueries() []report.Query {
	key := func(name, doc string, value any, layers ...string) report.Key {
		return report.Key{Name: name, Group: "Services", Doc: doc, Layers: layers, Value: value}
	}
	shop := func(name, what string, layers ...string) report.Key {
		return key(name, "Nearest "+what+" within 50 km. Null when there is none. Places that are only known to be in a commune are left out.", Shop{}, layers...)
	}
	return []report.Query{
		{File: "schools.sql", Keys: []report.Key{key("schools", "Schools within 2 km by distance, at most 10, with at least one of each level when there is one. "+
			"Where the directory of schools is not loaded: schools of the commune (arrondissement in Paris, Lyon and Marseille) that have an index of social "+
			"position, without a distance, by level and name.", []School{}, "school", "school_index").And("school_result")}, Weight: 3},
		{File: "health.sql", Keys: []report.Key{
			key("nearestHospital", "Nearest hospital within 100 km (FINESS categories 101, 106, 292, 355; private clinics are none). Null when there is none. "+
				"Where only an extract is loaded, the nearest in it.", HealthPlace{}, "hospital", "hospital_extract"),
			key("nearestMsp", "Nearest multi-professional health centre (603) within 50 km. Null when there is none.", HealthPlace{}, "msp"),
			key("nearestPharmacy", "Nearest pharmacy (620) within 50 km. Null when there is none.", HealthPlace{}, "pharmacy"),
		}, Weight: 3},
		{File: "shops.sql", Keys: []report.Key{
			shop("nearestSupermarket", "supermarket", "facility", "osm_shop"),
			shop("nearestHypermarket", "hypermarket", "facility"),
			shop("nearestConvenience", "convenience store (supérette, épicerie)", "facility"),
		}, Weight: 3},
		{File: "marketplace.sql", Keys: []report.Key{key("nearestMarketplace", "Nearest marketplace within 50 km. Null when there is none.", Shop{}, "marketplace")}, Weight: 1},
		{File: "nearby_services.sql", Keys: []report.Key{key("nearbyServices", "Facilities within 1 km, counted by domain. Places that are only known to be in a commune are not counted.",
			NearbyServices{}, "facility")}, Weight: 8},
	}
}
