package mobility

import (
	"context"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// StatsTravelTime holds the travel times from a commune.
type StatsTravelTime struct {
	stats.Envelope
	Paris      *TravelToParis      `json:"paris" doc:"To the centre of Paris; null where it is not known, and where there is neither a road nor a rail route."`
	Prefecture *TravelToPrefecture `json:"prefecture" doc:"To the préfecture of the département."`
	ComputedOn *string             `json:"computedOn" format:"date" doc:"Date of the computation."`
	Engine     *string             `json:"engine" doc:"Routing engine used, according to the source."`
}

// TravelToParis holds the travel times to Paris.
type TravelToParis struct {
	RoadMinutes      *int     `json:"roadMinutes" minimum:"0" doc:"Minutes by road." example:"145"`
	RoadKm           *float64 `json:"roadKm" minimum:"0" doc:"Kilometres by road."`
	RailMinutes      *int     `json:"railMinutes" minimum:"0" doc:"Minutes by rail, including the way to the station." example:"118"`
	RailChanges      *int     `json:"railChanges" minimum:"0" doc:"Number of changes of train."`
	DepartureStation *string  `json:"departureStation" doc:"Station where the journey by rail begins."`
}

// TravelToPrefecture holds the travel times to the préfecture.
type TravelToPrefecture struct {
	CommuneCode *string  `json:"communeCode" doc:"Code of the commune that is the préfecture." example:"34172"`
	Name        *string  `json:"name" doc:"Its name." example:"Montpellier"`
	RoadMinutes *int     `json:"roadMinutes" minimum:"0" doc:"Minutes by road." example:"25"`
	RoadKm      *float64 `json:"roadKm" minimum:"0" doc:"Kilometres by road."`
	RailMinutes *int     `json:"railMinutes" minimum:"0" doc:"Minutes by rail."`
}

// A city that only has times of its arrondissements has no row. 35 000 rows.
const selectTravel = `
SELECT t.part, t.commune, (t.attrs->>'parisRoadMin')::int, (t.attrs->>'parisRoadKm')::float8, (t.attrs->>'parisRailMin')::int,
	(t.attrs->>'parisRailChanges')::int, t.attrs->>'parisRailStation', (t.attrs->>'prefectureRoadMin')::int,
	(t.attrs->>'prefectureRoadKm')::float8, (t.attrs->>'prefectureRailMin')::int, t.attrs->>'computedOn', t.attrs->>'method', (t.attrs->>'year')::int
FROM geo.enrich_travel_time t WHERE t.commune IS NOT NULL ORDER BY t.commune, t.id DESC, t.part DESC`

// readTravelTimes reads the travel times of the report for communes.
func readTravelTimes(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	rows, _ := tx.Query(ctx, selectTravel) // the rows have its error too
	all := map[string]StatsTravelTime{}
	var part, commune string
	var t StatsTravelTime
	var paris TravelToParis
	var there TravelToPrefecture
	_, err := pgx.ForEachRow(rows, []any{&part, &commune, &paris.RoadMinutes, &paris.RoadKm, &paris.RailMinutes,
		&paris.RailChanges,
		&paris.DepartureStation, &there.RoadMinutes, &there.RoadKm, &there.RailMinutes, &t.ComputedOn, &t.Engine,
		&t.Year}, func() error {
		from := d.Loads[part]
		if from == nil {
			return nil
		}
		times := StatsTravelTime{Envelope: from.Envelope(t.Year), ComputedOn: t.ComputedOn, Engine: t.Engine}
		if one := paris; one.RoadMinutes != nil || one.RailMinutes != nil {
			times.Paris = &one
		}
		if one := there; one.RoadMinutes != nil || one.RailMinutes != nil {
			times.Prefecture = &one
		}
		all[commune] = times
		return nil
	})
	journeys.Put(d, all)
	return fault.Wrap("read the travel times", err)
}

// journeys is the slot of the travel times, by commune.
var journeys stats.Slot[map[string]StatsTravelTime]

func travelTime(d *stats.Data, t *stats.Territory) *StatsTravelTime {
	out, ok := journeys.Of(d)[t.Code]
	if !ok {
		return nil
	}
	if out.Prefecture != nil && t.Parent != nil {
		var seat struct{ Commune, Name *string }
		if t.Parent.Newest(Prefecture).Read(&seat) {
			there := *out.Prefecture
			there.CommuneCode, there.Name = seat.Commune, seat.Name
			out.Prefecture = &there
		}
	}
	return &out
}

// MobileNetworks counts the supports of active mobile-network antennas in a commune.
type MobileNetworks struct {
	stats.Envelope
	AsOf         *string           `json:"asOf" format:"date" doc:"Date of the register." example:"2026-08-06"`
	Supports     int               `json:"supports" minimum:"0" doc:"Supports (masts, roofs) with active antennas. 0 where the register, which is complete, has none." example:"12"`
	ByGeneration MobileGenerations `json:"byGeneration" doc:"Supports by generation; a support can have several."`
	Operators    []MobileOperator  `json:"operators" doc:"Operators, the one with the most supports first; a support can have several."`
	Has5G        bool              `json:"has5g" doc:"Whether 5G is active on a support in the commune."`
	Has5G3500    bool              `json:"has5g3500" doc:"Whether 5G in the 3 500 MHz band is active."`
}

// MobileGenerations counts supports.
type MobileGenerations struct {
	G2 int `json:"g2" minimum:"0" doc:"Supports with 2G."`
	G3 int `json:"g3" minimum:"0" doc:"Supports with 3G."`
	G4 int `json:"g4" minimum:"0" doc:"Supports with 4G."`
	G5 int `json:"g5" minimum:"0" doc:"Supports with 5G."`
}

// MobileOperator counts the supports of an operator.
type MobileOperator struct {
	Name       string `json:"name" doc:"Operator, as spelled in the register." example:"ORANGE"`
	Supports   int    `json:"supports" minimum:"0" doc:"Supports with its antennas."`
	Supports4G int    `json:"supports4g" minimum:"0" doc:"Of these, with 4G."`
	Supports5G int    `json:"supports5g" minimum:"0" doc:"Of these, with 5G."`
}

func mobileNetworks(_ *stats.Data, t *stats.Territory) *MobileNetworks {
	var out MobileNetworks
	f := t.Newest(NetworksKind)
	if !f.Read(&out) {
		return nil
	}
	out.Envelope = f.Envelope()
	if f.Period != "" {
		out.AsOf = &f.Period
	}
	return &out
}
