package water

import (
	"embed"

	"arpent/internal/opendata/report"
)

//go:embed river_station.sql tap_water.sql water_body.sql watercourse.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	water := report.Args{"radius": 5000}
	return report.Topic{Group: "Land and nature", Files: statements, Queries: []report.Query{
		report.One[Watercourse](report.Query{File: "watercourse.sql", Args: water, Weight: 3},
			report.Key{Name: "coursEau", Layers: []string{"watercourse"}, Within: "radius",
				Doc: "The nearest watercourse within {radius km} km. One with a name is preferred when it is at most twice as far as the nearest of all. " +
					"Null when there is none."}),
		report.One[WaterBody](report.Query{File: "water_body.sql", Args: water, Weight: 3},
			report.Key{Name: "planEau", Layers: []string{"water_body"}, Within: "radius",
				Doc: "The nearest lake, pond, basin or other standing water within {radius km} km. One with a name is preferred when it is at most twice " +
					"as far as the nearest of all. Null when there is none."}),
		report.List[RiverStation](report.Query{File: "river_station.sql", Args: report.Args{"radius": 20_000},
			Weight: 1},
			report.Key{Name: "nearestRiverWater", Layers: []string{"river_station"}, Within: "radius",
				Unplaced: "Stations that the file gives no position, such as those closed long ago, are not among them.",
				Doc:      "The three nearest stations where the quality of rivers is measured, within {radius km} km, nearest first."}),
		report.Rows(report.Query{File: "tap_water.sql", Weight: 2}, mainNetworkValues,
			report.Key{Name: "waterQuality", Layers: []string{"tap_water"}, With: []string{"tap_network",
				"tap_result"}, Value: TapWater{},
				Doc: "Sanitary control of the tap water of the commune. A commune can have several networks: the figures are those of the one with the most " +
					"samples in the last 12 months of the data, which need not be the one that serves the parcel; the others are named. Null when no network is known."}),
	}}
}

// Watercourse is the nearest watercourse.
type Watercourse struct {
	Name       *string `json:"name" doc:"Name of the watercourse." example:"Le Lez"`
	Code       *string `json:"code" doc:"Hydrographic code"`
	Nature     *string `json:"nature" doc:"Nature, in the words of the producer" example:"Ecoulement naturel"`
	DistanceM  int     `json:"distanceM" doc:"Metres from the parcel; 0 when they touch" example:"240"`
	Importance *int    `json:"importance" doc:"1 (a great river) to 6 (a brook)" example:"3"`
	Permanent  *bool   `json:"permanent" doc:"Whether it flows all year"`
}

// WaterBody is the nearest standing water.
type WaterBody struct {
	Name      *string `json:"name" doc:"Name of the water body." example:"Étang de Thau"`
	Code      *string `json:"code" doc:"Hydrographic code"`
	Nature    *string `json:"nature" doc:"Nature, in the words of the producer" example:"Lac"`
	DistanceM int     `json:"distanceM" doc:"Metres from the parcel; 0 when they touch" example:"900"`
	AreaM2    *int64  `json:"areaM2" doc:"Its total area in square metres" example:"12000"`
	Permanent *bool   `json:"permanent" doc:"Whether it holds water all year"`
}

// RiverStation is a station where the quality of a river is measured.
type RiverStation struct {
	StationID   string  `json:"stationId" doc:"Code of the station." example:"06188750"`
	Name        *string `json:"name" doc:"Name of the station." example:"Lez à Montpellier"`
	Watercourse *string `json:"watercourse" doc:"Name of the watercourse." example:"Le Lez"`
	AltitudeM   *int    `json:"altitudeM" doc:"Altitude of the station in metres"`
	DistanceM   int     `json:"distanceM" doc:"Metres from the parcel" example:"2100"`
	LastSample  *string `json:"lastSample" doc:"Date of the last sample; null when the source has none"`
}

// TapWater is the sanitary control of one network of a commune.
type TapWater struct {
	Network                   *string         `json:"network" doc:"Name of the network of these figures" example:"MONTPELLIER"`
	NetworkCode               string          `json:"networkCode" doc:"Code of the network." example:"034001234"`
	LastSample                *string         `json:"lastSample" doc:"Date of the last sample" example:"2025-06-03"`
	BacteriologicalCompliance *string         `json:"bacteriologicalCompliance" enum:"C,N,S,D" doc:"Newest assessment for bacteria: C compliant, N not compliant, D not compliant but with a dispensation, S not assessed"`
	ChemicalCompliance        *string         `json:"chemicalCompliance" enum:"C,N,S,D" doc:"Newest assessment for chemical limits, with the same letters"`
	NitratesMgL               *float64        `json:"nitratesMgL" doc:"Newest result for nitrates in mg/L; null when there is none, or when it is below the limit of quantification" example:"12"`
	NitratesBelowMgL          *float64        `json:"nitratesBelowMgL" doc:"Limit of quantification that the newest result for nitrates is below, in mg/L"`
	NitratesDate              *string         `json:"nitratesDate" doc:"Date of that sample"`
	LeadUgL                   *float64        `json:"leadUgL" doc:"Newest result for lead in µg/L; null when there is none, or when it is below the limit of quantification"`
	LeadBelowUgL              *float64        `json:"leadBelowUgL" doc:"Limit of quantification that the newest result for lead is below, in µg/L"`
	LeadDate                  *string         `json:"leadDate" doc:"Date of that sample"`
	Conclusion                *string         `json:"conclusion" doc:"Conclusion of the last sample, as published"`
	SamplesLast12Months       int             `json:"samplesLast12Months" doc:"Samples in the 12 months up to last12MonthsUntil" example:"34"`
	NonCompliant              TapNonCompliant `json:"nonCompliantLast12Months" db:"-" doc:"Number of these that are not compliant"`
	Last12MonthsUntil         *string         `json:"last12MonthsUntil" doc:"Date of the newest sample in the data" example:"2025-06-30"`
	OtherNetworks             []TapNetwork    `json:"otherNetworks" db:"-" doc:"The other networks of the commune, the one with the most samples first"`
}

// TapNonCompliant counts the samples that are not compliant.
type TapNonCompliant struct {
	Bacteriological int `json:"bacteriological" doc:"Samples that exceeded a bacteriological limit."`
	Chemical        int `json:"chemical" doc:"Samples that exceeded a chemical limit."`
}

// TapNetwork is another network that serves the commune.
type TapNetwork struct {
	Network             *string `json:"network" doc:"Name of the network."`
	NetworkCode         string  `json:"networkCode" doc:"Code of the network."`
	SamplesLast12Months int     `json:"samplesLast12Months" doc:"Samples taken within the last 12 months."`
}

type tapNetworkRow struct {
	TapWater
	TapNonCompliant
}

// mainNetworkValues returns the figures of the first network, with the names of the others.
func mainNetworkValues(networks []tapNetworkRow) []any {
	if len(networks) == 0 {
		return []any{nil}
	}
	out := networks[0].TapWater
	out.NonCompliant, out.OtherNetworks = networks[0].TapNonCompliant, []TapNetwork{}
	for _, n := range networks[1:] {
		out.OtherNetworks = append(out.OtherNetworks, TapNetwork{Network: n.Network, NetworkCode: n.NetworkCode,
			SamplesLast12Months: n.SamplesLast12Months})
	}
	return []any{out}
}
