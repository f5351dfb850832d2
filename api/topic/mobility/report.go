package mobility

import (
	"embed"

	"arpent/api/report"
)

//go:embed airport.sql charge_point.sql fibre.sql mobile_mast.sql railway_station.sql road_traffic.sql travel_time.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	return report.Topic{Files: statements, Queries: reportQueries()}
}

// Traffic is the traffic on the nearest road with a count.
type Traffic struct {
	Road         string   `json:"road" doc:"Number of the road." example:"A9"`
	AADT         int      `json:"aadt" doc:"Vehicles a day in both directions, annual average." example:"98000"`
	HeavyPct     *float64 `json:"heavyPct" doc:"Share of heavy goods vehicles, in percent." example:"14"`
	Year         *int     `json:"year" doc:"Year of the count." example:"2024"`
	DistanceM    int      `json:"distanceM" doc:"Distance from the parcel, in metres; 0 when the road crosses it."`
	Approximated bool     `json:"approximated" doc:"True when the geometry of the road is not known, or the count is of another section of the same road."`
}

// TravelTime holds the travel times from a commune.
type TravelTime struct {
	ParisRoadMin      *int    `json:"parisRoadMin" doc:"To Paris by road, in minutes."`
	ParisRailMin      *int    `json:"parisRailMin" doc:"To Paris by rail, in minutes."`
	PrefectureRoadMin *int    `json:"prefectureRoadMin" doc:"To the préfecture of the département by road, in minutes."`
	Method            *string `json:"method" doc:"How the times were computed."`
	Year              *int    `json:"year" doc:"Year of the networks and timetables they were computed from."`
}

// ChargingStation is a charging station for electric vehicles.
type ChargingStation struct {
	StationID  string   `json:"stationId" doc:"Identifier of the station; its name and place where it has none." example:"FRS34P34172001"`
	Name       *string  `json:"name" doc:"Name of the station."`
	Operator   *string  `json:"operator" doc:"Its operator; the brand where no operator is given."`
	MaxPowerKw *float64 `json:"maxPowerKw" doc:"Highest power of its charge points, in kilowatts." example:"50"`
	Points     int      `json:"points" doc:"Number of its charge points." example:"4"`
	Free       *bool    `json:"free" doc:"True when charging is free at every point."`
	Updated    *string  `json:"updated" doc:"Date of the last change of its data." example:"2024-05-08"`
	DistanceM  int      `json:"distanceM" doc:"Distance from the parcel, in metres."`
}

// MobileMast is a support of mobile antennas.
type MobileMast struct {
	SupportID   string   `json:"supportId" doc:"Number of the support."`
	Operators   []string `json:"operators" doc:"Operators on it, in alphabetical order."`
	Generations []string `json:"generations" doc:"Active generations on it: 2G to 5G."`
	HeightM     *float64 `json:"heightM" doc:"Height of the support, in metres."`
	DistanceM   int      `json:"distanceM" doc:"Distance from the parcel, in metres."`
}

// Station is a railway station.
type Station struct {
	Name      string `json:"name" doc:"Name of the station." example:"Montpellier Saint-Roch"`
	UIC       string `json:"uic" doc:"UIC code, the first where it has several." example:"87773002"`
	DistanceM int    `json:"distanceM" doc:"Distance from the parcel, in metres."`
}

// Airport is an airport.
type Airport struct {
	Name      string  `json:"name" doc:"Name of the airport."`
	IATA      *string `json:"iata" doc:"IATA code." example:"MPL"`
	ICAO      *string `json:"icao" doc:"ICAO code." example:"LFMT"`
	DistanceM int     `json:"distanceM" doc:"Distance from the parcel to the reference point of the airport, in metres."`
}

func reportQueries() []report.Query {
	key := func(name, doc string, value any, layers ...string) report.Key {
		return report.Key{Name: name, Group: "Mobility and networks", Doc: doc, Layers: layers, Value: value}
	}
	return []report.Query{
		{File: "road_traffic.sql", Keys: []report.Key{key("roadTraffic", "Annual average daily traffic of the nearest counted road of the national network within 500 m, newest count. "+
			"Null when no counted road is that near.", Traffic{}, "road_traffic").And("road")}, Weight: 2},
		{File: "travel_time.sql", Keys: []report.Key{key("travelTime", "Travel times of the commune to Paris and to the préfecture, in minutes. Null where they have not been computed.",
			TravelTime{}, "travel_time")}, Weight: 1},
		fibreQuery(),
		{File: "charge_point.sql", Keys: []report.Key{key("nearestIrve", "Nearest charging station for electric vehicles within 20 km, with what is known of all its points. Null when there is none. "+
			"Where only the file of a network is loaded, its nearest station; updated gives the age of the data.", ChargingStation{}, "charge_point", "charge_network")}, Weight: 2},
		{File: "mobile_mast.sql", Keys: []report.Key{key("nearestMobile", "Nearest support with active mobile antennas within 20 km, with all operators and generations on it. Null when there is none.",
			MobileMast{}, "mobile_mast")}, Weight: 2},
		{File: "railway_station.sql", Keys: []report.Key{
			key("nearestGare", "Nearest passenger station within 50 km. Null when there is none.", Station{}, "railway_station", "station_list"),
			key("nearestGareTgv", "Nearest station within 200 km served by high-speed trains. Null when there is none, or when no list of such stations is loaded.",
				Station{}, "high_speed_station").And("railway_station", "station_list"),
		}, Weight: 2},
		{File: "airport.sql", Keys: []report.Key{key("nearestAirport", "Nearest airport within 200 km that has an IATA code or scheduled flights: those of France, Basel-Mulhouse and Geneva. Null when there is none.",
			Airport{}, "airport")}, Weight: 1},
	}
}
