package buildings

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

//go:embed buildings.sql condominiums.sql dpe.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	return report.Topic{Group: "Buildings", Files: statements, Queries: []report.Query{
		report.List[Building](report.Query{File: "buildings.sql", Args: report.Args{"limit": 100}, Weight: 1},
			report.Key{Name: "buildings", Layers: []string{"building"}, With: []string{"building_object"},
				Doc: "Buildings of the national register (RNB) that stand on the parcel, the largest footprint on it " +
					"first, at most {limit}. A building of which less than 5 % lies on the parcel is left out, as on " +
					"the site of the RNB. Height, floors, use, dwellings and year are those of BD TOPO; details says " +
					"whether BD TOPO has the building, or is not loaded here. A year is given where it was matched well."}),
		report.List[Condominium](report.Query{File: "condominiums.sql", Args: report.Args{"limit": 50}, Weight: 1},
			report.Key{Name: "condominiums", Layers: []string{"condominium"}, None: state.CondominiumNotListed,
				Doc: "Condominiums of the national register that name the parcel, the largest first, at most {limit}. " +
					"The lots are those of the whole condominium, which may stand on further parcels. Not every " +
					"condominium is registered, nor names its parcels: an empty list does not mean a house with one " +
					"owner. Neither owners nor volunteers are named."}),
	}}
}

// Building is a building on the parcel.
type Building struct {
	report.Counted
	RnbID          string   `json:"rnbId" doc:"Identifier in the register." example:"DT73MF7NDE8M"`
	Status         string   `json:"status" enum:"constructed,ongoingChange,notUsable" doc:"State."`
	FootprintM2    *float64 `json:"footprintM2" doc:"m² of its outline on the parcel"`
	SharePct       float64  `json:"sharePct" doc:"% of the building that lies on the parcel"`
	ParcelSharePct *float64 `json:"parcelSharePct" doc:"% of the parcel that it covers"`
	HeightM        *float64 `json:"heightM" doc:"metres up to the gutter, of its highest part (BD TOPO)"`
	Floors         *int     `json:"floors" doc:"Number of floors, of its highest part (BD TOPO)."`
	Use            *string  `json:"use" doc:"Use, in the words of BD TOPO." example:"Résidentiel"`
	SecondUse      *string  `json:"secondUse" doc:"Second use, in the words of BD TOPO."`
	Dwellings      *int     `json:"dwellings" doc:"Number of homes in the whole building (BD TOPO)."`
	BuiltYear      *int     `json:"builtYear" doc:"Year of construction (land tax, by BD TOPO)."`
	Details        string   `json:"details" enum:"matched,unmatched,not_loaded" doc:"Whether BD TOPO has it."`
}

// Condominium is a condominium of the national register.
type Condominium struct {
	report.Counted
	RegistrationNumber string   `json:"registrationNumber" doc:"Number in the register." example:"AA0000001"`
	Name               *string  `json:"name" doc:"Name in use; null where it has none, or that of a person."`
	Address            *string  `json:"address" doc:"Address of reference."`
	TotalLots          *int     `json:"totalLots" doc:"Lots of any use."`
	MainLots           *int     `json:"mainLots" doc:"Lots that are homes, offices or shops."`
	HousingLots        *int     `json:"housingLots" doc:"Lots that are homes."`
	ParkingLots        *int     `json:"parkingLots" doc:"Lots that are parking spaces."`
	BuiltPeriod        *string  `json:"builtPeriod" doc:"Period of construction." example:"DE_1961_A_1974"`
	SyndicType         *string  `json:"syndicType" enum:"professional,volunteer" doc:"Who manages it."`
	Syndic             *string  `json:"syndic" doc:"Name of a syndic that is a legal person."`
	SyndicSiren        *string  `json:"syndicSiren" doc:"SIREN of that syndic."`
	UpdatedOn          *string  `json:"updatedOn" doc:"Day of the last change." example:"2026-03-14"`
	Parcels            []string `json:"parcels" doc:"Parcels that the register names, three at most."`
	ParcelCount        *int     `json:"parcelCount" doc:"How many parcels it has, as it told the register."`
}

// DiagnosticReport returns the part of the parcel report on energy.
func DiagnosticReport() report.Topic {
	return report.Topic{Group: "Sales and energy", Files: statements, Queries: []report.Query{
		report.List[Diagnostic](report.Query{File: "dpe.sql", Args: report.Args{"radius": 50, "limit": 20},
			Weight: 4},
			report.Key{Name: "dpe", Layers: []string{"dpe"}, With: []string{"adresse"}, Within: "radius",
				Doc: "Energy-performance diagnostics since July 2021 of the addresses of the parcel, else within {radius} m, newest first, {limit} at most. " +
					"Replaced ones are left out."})}}
}

// Diagnostic is an energy-performance diagnostic.
type Diagnostic struct {
	report.Counted
	ID               string   `json:"id" doc:"Number of the diagnostic." example:"2393E0123456A"`
	Date             string   `json:"date" doc:"Day on which it was established." example:"2023-09-14"`
	ValidUntil       *string  `json:"validUntil" doc:"Last day on which it is valid."`
	EnergyClass      string   `json:"energyClass" doc:"Class of energy use, from A to G." enum:"A,B,C,D,E,F,G"`
	GHGClass         *string  `json:"ghgClass" enum:"A,B,C,D,E,F,G" doc:"class of greenhouse-gas emissions"`
	ConsumptionKWhM2 *float64 `json:"consumptionKwhM2" doc:"kWh of primary energy per m² and year"`
	EmissionsKgM2    *float64 `json:"emissionsKgM2" doc:"kg CO₂ per m² and year"`
	BuildingType     *string  `json:"buildingType" doc:"Kind of building, in the words of the producer." example:"maison"`
	BuiltYear        *int     `json:"builtYear" doc:"Year in which it was built."`
	BuiltPeriod      *string  `json:"builtPeriod" doc:"Period in which it was built." example:"1948-1974"`
	LivingAreaM2     *float64 `json:"livingAreaM2" doc:"m²"`
	Match            string   `json:"match" enum:"address,near" doc:"address: it has an address of the parcel; near: it lies within 50 m"`
	DistanceM        *int     `json:"distanceM" doc:"metres from the parcel; null when the diagnostic has no position"`
}
