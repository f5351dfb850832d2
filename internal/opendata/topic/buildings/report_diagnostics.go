package buildings

import "arpent/internal/opendata/report"

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
