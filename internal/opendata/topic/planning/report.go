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
		report.List[PlanZone](report.Query{File: "gpu.sql", Args: first, Weight: 4},
			report.Key{Name: "gpu", Layers: []string{"plan_zone"},
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
