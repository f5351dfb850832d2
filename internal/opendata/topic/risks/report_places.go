package risks

import "arpent/internal/opendata/report"

// RiskPlan is a risk-prevention plan.
type RiskPlan struct {
	report.Counted
	ID         string         `json:"id" doc:"GASPAR reference" example:"38DDT20180003"`
	Kind       *string        `json:"kind" doc:"PPRN (natural), PPRT (technological) or PPRM (mining)" example:"PPRN"`
	Name       *string        `json:"name" doc:"Name of the plan."`
	Risk       *string        `json:"risk" doc:"Main risk of the plan" example:"Mouvement de terrain"`
	Risks      []PlanRisk     `json:"risks" doc:"All risks of the procedure, families before their details; empty when only the plan's map is loaded"`
	State      *string        `json:"state" doc:"opposable, prescrit or caduque" example:"opposable"`
	Step       *string        `json:"step" doc:"Last step of the procedure" example:"approuvé"`
	ApprovedOn *string        `json:"approvedOn" doc:"Day of its approval." example:"2019-07-16"`
	Zones      []RiskPlanZone `json:"zones" db:"-" doc:"Regulatory zones that the parcel lies in, the largest share first, at most 20; empty when only the procedure is known, and when the parcel lies in none"`
}

// PlanRisk is a risk covered by a plan.
type PlanRisk struct {
	Code  *string `json:"code" doc:"Code of the risk."`
	Label string  `json:"label" doc:"Name of the risk."`
}

// RiskPlanZone is a regulatory zone of a plan.
type RiskPlanZone struct {
	Code     *string `json:"code" doc:"Code of the zone in the plan's rules" example:"RF"`
	Label    *string `json:"label" doc:"Name of the zone." example:"interdiction - effondrement"`
	Rule     *string `json:"rule" doc:"Kind of rule, by the code of the plan's data model" example:"03"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel, in percent"`
}

// Tri is an area of major flood risk.
type Tri struct {
	report.Counted
	ID          string  `json:"id" doc:"Code of the territory" example:"FRD_TRI_LYON"`
	Name        *string `json:"name" doc:"Name of the area." example:"TRI de Lyon"`
	Scenario    *string `json:"scenario" doc:"Flood: 01For (frequent), 02Moy (medium), 03Mcc (medium with climate change), 04Fai (rare) and variants of them; null in the row of the territory itself" example:"02Moy"`
	FloodType   *string `json:"floodType" doc:"Kind of flood, by the code of the data model" example:"01"`
	Watercourse *string `json:"watercourse" doc:"Watercourse that floods it." example:"Le Rhône"`
	SharePct    float64 `json:"sharePct" doc:"Share of the parcel, in percent"`
}

// FloodMarker is the water level of a flood at a mark.
type FloodMarker struct {
	report.Counted
	ID        string   `json:"id" doc:"Sheet and number of the mark" example:"34003-001/1"`
	Date      *string  `json:"date" doc:"Day of the flood; null when it is not known to the day" example:"1997-12-18"`
	DateText  string   `json:"dateText" doc:"Date as the source writes it" example:"1982/??/??"`
	Year      *int     `json:"year" doc:"Year of the flood." example:"1982"`
	LevelM    *float64 `json:"levelM" doc:"Water level, in metres above sea level (NGF)"`
	GroundM   *float64 `json:"groundM" doc:"Ground level, in metres above sea level (NGF)"`
	Place     *string  `json:"place" doc:"Where it is, in words."`
	DistanceM int      `json:"distanceM" doc:"Metres from the parcel"`
}

// Icpe is a classified installation.
type Icpe struct {
	report.Counted
	ID        string  `json:"id" doc:"AIOT code" example:"0063.03511"`
	Name      *string `json:"name" doc:"Name of the establishment; null where the file has none, and where it is, or may be, that of a person"`
	Regime    *string `json:"regime" doc:"Legal regime, in the words of the producer." example:"Autorisation"`
	Seveso    *string `json:"seveso" doc:"Seveso status, in the words of the producer." example:"Non Seveso"`
	Status    *string `json:"status" doc:"State of the activity" example:"En exploitation avec titre"`
	Active    *bool   `json:"active" doc:"Whether it is in operation"`
	Address   *string `json:"address" doc:"Address, as the file has it"`
	DistanceM int     `json:"distanceM" doc:"Metres from the parcel"`
}

// PollutedSite is a site of a past activity.
type PollutedSite struct {
	report.Counted
	ID            string  `json:"id" doc:"Identifier of the producer." example:"LRO3400123"`
	Register      string  `json:"register" doc:"Register: CASIAS, or ADEME for sites managed by the State" example:"CASIAS"`
	Name          *string `json:"name" doc:"Name of the site; null where the file has none, and where it is, or may be, that of a person"`
	Activity      *string `json:"activity" doc:"What was done there, in the words of the producer."`
	ActivityCodes *string `json:"activityCodes" doc:"Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of vehicles." example:"g50.2, g50.5"`
	Status        *string `json:"status" doc:"State of the site, in the words of the producer." example:"En arrêt"`
	Address       *string `json:"address" doc:"Address, as the file has it" example:"17 Allée BECQUEREL"`
	DistanceM     int     `json:"distanceM" doc:"Metres from the parcel"`
}

// Cavity is an underground cavity.
type Cavity struct {
	report.Counted
	ID         string   `json:"id" doc:"Identifier of the producer." example:"AQIAA0020001"`
	Type       *string  `json:"type" doc:"Kind of cavity, in the words of the producer." example:"carrière"`
	Name       *string  `json:"name" doc:"Name of the cavity."`
	Status     *string  `json:"status" doc:"State of the cavity, in the words of the producer." example:"abandon"`
	PrecisionM *float64 `json:"precisionM" doc:"Uncertainty of the position, in metres"`
	DistanceM  int      `json:"distanceM" doc:"Metres from the parcel"`
}

// GroundMovement is a landslide, rock fall, collapse, or the like.
type GroundMovement struct {
	report.Counted
	ID                string  `json:"id" doc:"Identifier of the producer." example:"63300062"`
	Type              *string `json:"type" doc:"Kind of movement, in the words of the producer." example:"Chute de blocs / Eboulement"`
	Date              *string `json:"date" doc:"Date, with the precision given by datePrecision; null when unknown" example:"1974-02-01"`
	DatePrecision     *string `json:"datePrecision" doc:"How exact the date is." example:"Mois"`
	PositionPrecision *string `json:"positionPrecision" doc:"How exact the position is." example:"Hectomètre"`
	Reliability       *string `json:"reliability" doc:"Reliability of the type: Fort, Moyen or Faible" example:"Fort"`
	DistanceM         int     `json:"distanceM" doc:"Metres from the parcel"`
}

// riskPlanRow is a plan with one of its zones, if the parcel lies in one.
type riskPlanRow struct {
	RiskPlan
	ZoneCode, ZoneLabel, ZoneRule *string
	ZoneSharePct                  *float64
}

// riskPlans puts the zones of each plan together.
func riskPlans(rows []riskPlanRow) []any {
	plans := []RiskPlan{}
	for _, r := range rows {
		last := len(plans) - 1
		if last < 0 || plans[last].ID != r.ID {
			r.Zones = []RiskPlanZone{}
			plans, last = append(plans, r.RiskPlan), last+1
		}
		if r.ZoneSharePct != nil {
			plans[last].Zones = append(plans[last].Zones, RiskPlanZone{Code: r.ZoneCode, Label: r.ZoneLabel,
				Rule: r.ZoneRule, SharePct: *r.ZoneSharePct})
		}
	}
	return []any{plans}
}
