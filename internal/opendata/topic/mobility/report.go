package mobility

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

//go:embed airport.sql charge_point.sql fibre.sql high_speed_station.sql mobile_mast.sql railway_station.sql road_traffic.sql travel_time.sql
var statements embed.FS

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

// Fibre is the state of the fibre roll-out at a building.
type Fibre struct {
	Status      string  `json:"status" doc:"as the source words it: deploye, en cours de deploiement, raccordable demande, signe, cible (planned: no line can be ordered yet), abandonne" example:"deploye"`
	Operator    *string `json:"operator" doc:"code of the operator of the building" example:"ORAN"`
	BuildingID  string  `json:"buildingId" doc:"Identifier of the building." example:"IMB/93010/X/0001"`
	Node        *string `json:"node" doc:"point de mutualisation that serves the building" example:"FI-93010-0001"`
	NodeStatus  *string `json:"nodeStatus" doc:"State of its connection point, in the words of the producer."`
	Kind        *string `json:"kind" doc:"as the source words it" example:"pavillon"`
	CompletedOn *string `json:"completedOn" doc:"date on which the zone was completed"`
	DistanceM   int     `json:"distanceM" doc:"metres from the parcel"`
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

	ScheduledFlights *bool `json:"scheduledFlights" doc:"True where the list says that airlines fly there on a timetable; null where no loaded list says so: it may be an airfield without them."`
}

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	key := func(name, doc string, layers ...string) report.Key {
		return report.Key{Name: name, Doc: doc, Layers: layers, Within: "radius"}
	}
	station := key("nearestGare", "Nearest passenger station of SNCF within {radius km} km: stops of metro, tram and bus are none. Null when there is none, and in "+
		"Corsica, whose stations SNCF does not list.", "railway_station")
	station.Gap = report.Gap{Departements: []string{"2A", "2B"}, State: state.NotCovered,
		Why: "The list of stations is that of the national operator, which runs no trains in Corsica."}
	within := func(metres int) report.Args { return report.Args{"radius": metres} }
	return report.Topic{Group: "Mobility and networks", Files: statements, Queries: []report.Query{
		report.One[Traffic](report.Query{File: "road_traffic.sql", Args: report.Args{"radius": 500, "far": 20_000,
			"same": 2000}, Weight: 2},
			key("roadTraffic", "Annual average daily traffic of the nearest counted road of the national network within {radius} m, newest count. "+
				"Null when no counted road is that near.", "road_traffic").And("road")),
		report.One[TravelTime](report.Query{File: "travel_time.sql", Weight: 1},
			report.Key{Name: "travelTime", Layers: []string{"travel_time"},
				Doc: "Travel times of the commune to Paris and to the préfecture, in minutes. Null where they have not been computed."}),
		report.One[Fibre](report.Query{File: "fibre.sql", Args: within(50), Weight: 2},
			key("fibre", "State of the fibre roll-out at the nearest building within {radius} m. Null when no building is that near.", "fibre")),
		report.One[ChargingStation](report.Query{File: "charge_point.sql", Args: within(20_000), Weight: 2},
			key("nearestIrve", "Nearest charging station for electric vehicles within {radius km} km, with what is known of all its points. Null when there is none.", "charge_point")),
		report.One[MobileMast](report.Query{File: "mobile_mast.sql", Args: within(20_000), Weight: 2},
			key("nearestMobile", "Nearest support with active mobile antennas within {radius km} km, with all operators and generations on it. "+
				"Null when there is none.", "mobile_mast")),
		report.One[Station](report.Query{File: "railway_station.sql", Args: within(50_000), Weight: 2}, station),
		report.One[Station](report.Query{File: "high_speed_station.sql", Args: within(200_000), Weight: 2},
			key("nearestGareTgv", "Nearest station within {radius km} km served by high-speed trains. Null when there is none, or when no list of such stations is loaded.",
				"high_speed_station").And("railway_station")),
		report.One[Airport](report.Query{File: "airport.sql", Args: within(200_000), Weight: 1},
			key("nearestAirport", "Nearest airport within {radius km} km with scheduled flights: of those of France, Basel-Mulhouse and Geneva. Where no loaded list says which "+
				"have such flights, the nearest with an IATA code, and scheduledFlights is null. Null when there is none.", "airport")),
	}}
}
