package planning

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
)

//go:embed aerodrome.sql gpu.sql gpu_prescriptions.sql monuments.sql permits.sql qpv.sql sup.sql
var statements embed.FS

// District is a priority district of urban policy.
type District struct {
	Code     string  `json:"code" doc:"Official code." example:"QN09312I"`
	Name     *string `json:"name" doc:"Official name." example:"Blanqui"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"100"`
}

// Rules are where the written part of a plan has what may be built: heights, distances, uses.
type Rules struct {
	Regulation    *string `json:"regulation" doc:"File of the written rules, as the plan names it: what may be built is there, the drawing names the zone alone. Null where the plan names none." example:"30014_reglement_20171013.pdf"`
	RegulationURL *string `json:"regulationUrl" doc:"Address of that file, where the plan gives one." example:"https://data.geopf.fr/annexes/gpu/documents/30014_reglement_20171013.pdf"`
}

// PlanZone is a zone of a local plan.
type PlanZone struct {
	report.Counted
	Zone     *string `json:"zone" doc:"Short name of the zone, as in the plan." example:"Ucp"`
	Label    *string `json:"label" doc:"Long name of the zone."`
	Type     *string `json:"type" doc:"Type as in the file: U, AUc, AUs, A or N; older plans have others." example:"U"`
	Document *string `json:"document" doc:"Name of the planning document." example:"30014_PLU_20171013"`
	ValidOn  *string `json:"validOn" doc:"Day the zone was validated or, where the file lacks it, approved." example:"2017-10-13"`
	Rules
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"92.1"`
}

// PlanPrescription is an area of a local plan with rules of its own.
type PlanPrescription struct {
	report.Counted
	Type     *string `json:"type" doc:"Code of its type in the CNIG model, two digits." example:"16"`
	Subtype  *string `json:"subtype" doc:"Code of its subtype; null in the model of 2013." example:"03"`
	Label    *string `json:"label" doc:"Its name, as in the plan."`
	Document *string `json:"document" doc:"Name of the planning document." example:"30014_PLU_20171013"`
	Rules
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"12"`
}

// Easement is a public-utility easement.
type Easement struct {
	report.Counted
	Category *string `json:"category" doc:"Code of its category." example:"AC1"`
	Name     *string `json:"name" doc:"The object that it protects or originates from." example:"Eglise Saint-Dominique"`
	Kind     *string `json:"kind" doc:"What is drawn, as in the file." example:"Périmètre de protection"`
	Document *string `json:"document" doc:"Name of the archive it comes from, without its date where it comes from the national layer." example:"172014607_AC1_2A_20180130"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"100"`
}

// AerodromeEasement is a noise zone around an aerodrome.
type AerodromeEasement struct {
	report.Counted
	Kind      string  `json:"kind" doc:"PEB: noise exposure plan." example:"PEB"`
	Zone      *string `json:"zone" doc:"Noise zone, A (loudest) to D." example:"C"`
	Aerodrome *string `json:"aerodrome" doc:"The aerodrome, as named in the file." example:"Montpellier-Méditerranée"`
	SharePct  float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"100"`
}

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	first := report.Args{"limit": 50}
	return report.Topic{Group: "Planning", Files: statements, Queries: []report.Query{
		report.One[District](report.Query{File: "qpv.sql", Weight: 1}, report.Key{Name: "qpv",
			Layers: []string{"qpv"},
			Doc: "The priority district of 2024 that the parcel lies in; of several, the one that covers most of it. " +
				"Null outside of them." + report.Slivers}),
		report.Rows(report.Query{File: "gpu.sql", Args: first, Weight: 4}, planZones,
			report.Key{Name: "gpu", Layers: []string{"plan_zone"}, Value: []PlanZone{},
				Doc: "The zones of the local plan, the one that covers most of the parcel first, {limit} at most. Of several plans of the " +
					"commune that are loaded the newest is used. Null where no plan of the commune is loaded." +
					report.Slivers}),
		report.List[PlanPrescription](report.Query{File: "gpu_prescriptions.sql", Args: first, Weight: 3},
			report.Key{Name: "gpuPrescriptions", Layers: []string{"plan_prescription"}, Lacks: state.SurfacesOnly,
				Doc: "The surface prescriptions of the local plan, the one that covers most of the parcel first, " +
					"{limit} at most; those drawn as lines or points are not loaded. " +
					"Null where no plan of the commune is loaded." + report.Slivers}),
		report.List[Easement](report.Query{File: "sup.sql", Args: first, Weight: 3},
			report.Key{Name: "sup", Layers: []string{"easement"},
				Doc: "The public-utility easements that weigh on the parcel, the one that covers most of it first, {limit} at most. " +
					"Only of the categories that are loaded for the place, which the loads of the report name: an empty list says " +
					"nothing about the others. Repealed easements are left out." + report.Slivers}),
		report.List[AerodromeEasement](report.Query{File: "aerodrome.sql", Args: report.Args{"limit": 20},
			Weight: 1},
			report.Key{Name: "aerodromeServitude", Layers: []string{"aerodrome_easement"},
				Doc: "The noise zones of aerodromes that the parcel lies in, the one that covers most of it first, {limit} at most. " +
					"Aeronautical easements are among those of sup where they are loaded." + report.Slivers}),
		permitQuery(),
	}}
}

// zoneTypes are the types of zones of the data model for plans in words. Those of older plans have none.
var zoneTypes = map[string]string{"U": "urban", "AU": "to be urbanised", "AUc": "to be urbanised, open",
	"AUs": "to be urbanised, closed until the plan is changed", "A": "farmland", "N": "natural"}

// planZones returns the zones, and says in a sentence what that of the largest share is and where its rules are.
func planZones(zones []PlanZone) []any {
	out := report.Partial{Value: zones}
	if len(zones) > 0 && zones[0].Zone != nil {
		z := zones[0]
		out.Searched = state.RulesNotRead + "those of zone " + *z.Zone
		if z.Type != nil && zoneTypes[*z.Type] != "" {
			out.Searched += " (" + zoneTypes[*z.Type] + ")"
		}
		for _, of := range []struct {
			before string
			name   *string
		}{{" are in ", z.Regulation}, {" of the document ", z.Document}} {
			if of.name != nil {
				out.Searched += of.before + *of.name
			}
		}
		out.Searched += ". Ask the mairie."
	}
	return []any{out}
}

var (
	//go:embed qpv_tile.sql
	qpvTile string
	//go:embed gpu_tile.sql
	gpuTile string
)

// MapLayers returns the layers that maps draw: priority districts, and the zones of local plans.
func MapLayers() []source.MapLayer {
	return []source.MapLayer{
		{Name: "qpv", Layers: []string{"qpv"}, Producer: qpvProducer, MinZoom: 9, Select: qpvTile},
		{Name: "zonage", Layers: []string{"plan_zone"}, Producer: planProducer, MinZoom: 13, Select: gpuTile},
	}
}

// Monument is a protected historic monument.
type Monument struct {
	report.Counted
	ID          string  `json:"id" doc:"reference in the Mérimée base" example:"PA00118092"`
	Name        *string `json:"name" doc:"Name of the monument." example:"Hôtel de ville"`
	Protection  *string `json:"protection" doc:"How it is protected, in the words of the producer." example:"classé MH"`
	ProtectedOn *string `json:"protectedOn" doc:"day of the first protection" example:"1981-10-29"`
	Commune     *string `json:"commune" doc:"Name of its commune."`
	Approximate bool    `json:"approximate" doc:"true: several monuments of the commune share this position, which is likely its centre"`
	DistanceM   int     `json:"distanceM" doc:"metres from the parcel"`
}

// MonumentReport returns the part of the parcel report on monuments.
func MonumentReport() report.Topic {
	return report.Topic{Group: "Heritage and economy", Files: statements, Queries: []report.Query{
		report.List[Monument](report.Query{File: "monuments.sql", Args: report.Args{"radius": 500, "limit": 50},
			Weight: 2},
			report.Key{Name: "monuments", Layers: []string{"monument"}, Within: "radius",
				Unplaced: "Those without a position are left out.",
				Doc:      "Protected historic monuments within {radius} m, by distance, {limit} at most. Those without a position are left out."})}}
}

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
