package planning

import (
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

// Permit is a granted permit on a parcel.
type Permit struct {
	report.Counted
	Type           string   `json:"type" doc:"PC building permit, DP prior declaration, PA development permit, PD demolition permit." enum:"PC,DP,PA,PD"`
	Number         string   `json:"number" doc:"Number of the permit; PC and DP share theirs, PA and PD have their own." example:"09301024A0012"`
	Date           *string  `json:"date" doc:"Day on which it was granted." example:"2024-05-10"`
	State          string   `json:"state" doc:"Last state that was reported. One start of works in seven, a third of the completions, half of the cancellations and nearly all demolitions are never reported." enum:"authorised,cancelled,begun,finished"`
	Dwellings      *int     `json:"dwellings" doc:"Dwellings that it creates; null where it creates none or the file does not say."`
	DwellingAreaM2 *float64 `json:"dwellingAreaM2" doc:"Floor area of dwellings that it creates, m²."`
	PremisesAreaM2 *float64 `json:"premisesAreaM2" doc:"Floor area that it creates for other uses, m²."`
	Applicant      *string  `json:"applicant" doc:"Who applied, where that is a legal person; null for natural persons." example:"COMMUNE DE BONDY"`
	ApplicantSIREN *string  `json:"applicantSiren" doc:"SIREN number of an applicant that is a legal person." example:"219300100"`
}

// permitRow is a permit, or none, with the permits of the commune that could not be placed.
type permitRow struct {
	Permit
	Ambiguous, Gone, Unreferenced *int
}

// permitQuery returns the query of the permits on a parcel.
func permitQuery() report.Query {
	var layers []string
	for _, f := range permitFiles {
		layers = append(layers, "permit_"+f.name)
	}
	query := report.Query{File: "permits.sql", Args: report.Args{"limit": 50}, Weight: 1}
	return report.Rows(query, permitValues,
		report.Key{
			Name: "permits", Layers: layers, Complete: layers, Value: []Permit{}, None: state.PermitNotPlaced,
			Doc: "Permits on the parcel, newest first, {limit} at most. Only granted permits that create dwellings or " +
				"floor area, and permits to develop (PA) and to demolish (PD), are listed: nothing that was refused or " +
				"is under way. The files name parcels without the prefix of the section: a permit is given only where " +
				"exactly one parcel fits; leftOut of its state counts those of the commune that could not be placed."})
}

// permitValues returns the permits, with what their state says of the others.
func permitValues(rows []permitRow) []any {
	list := []Permit{}
	var others *state.LeftOut
	for _, r := range rows {
		if r.Number != "" {
			list = append(list, r.Permit)
		}
		if r.Ambiguous != nil && r.Gone != nil && r.Unreferenced != nil {
			others = &state.LeftOut{Ambiguous: *r.Ambiguous, Gone: *r.Gone, Unreferenced: *r.Unreferenced}
		}
	}
	return []any{report.Partial{Value: list, LeftOut: others}}
}
