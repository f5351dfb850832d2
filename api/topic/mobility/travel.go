package mobility

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/api/stats"
)

// StatsTravelTime are the times of travel from a commune.
type StatsTravelTime struct {
	stats.Envelope
	Paris      *TravelToParis      `json:"paris" doc:"To the centre of Paris; null where it is not known, and where neither road nor rail leads there."`
	Prefecture *TravelToPrefecture `json:"prefecture" doc:"To the préfecture of the département."`
	ComputedOn *string             `json:"computedOn" format:"date" doc:"Day of the computation."`
	Engine     *string             `json:"engine" doc:"What the times were computed with, as the source tells it."`
}

// TravelToParis are the times to Paris.
type TravelToParis struct {
	RoadMinutes      *int     `json:"roadMinutes" minimum:"0" doc:"Minutes by road." example:"145"`
	RoadKm           *float64 `json:"roadKm" minimum:"0" doc:"Kilometres by road."`
	RailMinutes      *int     `json:"railMinutes" minimum:"0" doc:"Minutes by rail, with the way to the station." example:"118"`
	RailChanges      *int     `json:"railChanges" minimum:"0" doc:"Changes of train."`
	DepartureStation *string  `json:"departureStation" doc:"Station where the journey by rail begins."`
}

// TravelToPrefecture are the times to the préfecture.
type TravelToPrefecture struct {
	CommuneCode *string  `json:"communeCode" doc:"Code of the commune that is the préfecture." example:"34172"`
	Name        *string  `json:"name" doc:"Its name." example:"Montpellier"`
	RoadMinutes *int     `json:"roadMinutes" minimum:"0" doc:"Minutes by road." example:"25"`
	RoadKm      *float64 `json:"roadKm" minimum:"0" doc:"Kilometres by road."`
	RailMinutes *int     `json:"railMinutes" minimum:"0" doc:"Minutes by rail."`
}

// Of a city that has times of its arrondissements only nothing is told. 35 000 rows.
const selectTravel = `
SELECT t.part, t.commune, (t.attrs->>'parisRoadMin')::int, (t.attrs->>'parisRoadKm')::float8, (t.attrs->>'parisRailMin')::int,
	(t.attrs->>'parisRailChanges')::int, t.attrs->>'parisRailStation', (t.attrs->>'prefectureRoadMin')::int,
	(t.attrs->>'prefectureRoadKm')::float8, (t.attrs->>'prefectureRailMin')::int, t.attrs->>'computedOn', t.attrs->>'method', (t.attrs->>'year')::int
FROM geo.enrich_travel_time t WHERE t.commune IS NOT NULL ORDER BY t.commune, t.id DESC, t.part DESC`

// readTravelTimes reads what the report tells of parcels, for communes.
func readTravelTimes(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	rows, err := tx.Query(ctx, selectTravel)
	if err != nil {
		return fmt.Errorf("read the travel times: %w", err)
	}
	all := map[string]StatsTravelTime{}
	var part, commune string
	var t StatsTravelTime
	var paris TravelToParis
	var there TravelToPrefecture
	_, err = pgx.ForEachRow(rows, []any{&part, &commune, &paris.RoadMinutes, &paris.RoadKm, &paris.RailMinutes, &paris.RailChanges,
		&paris.DepartureStation, &there.RoadMinutes, &there.RoadKm, &there.RailMinutes, &t.ComputedOn, &t.Engine, &t.Year}, func() error {
		from := d.Loads[part]
		if from == nil {
			return nil
		}
		told := StatsTravelTime{Envelope: stats.Envelope{Source: from.Label(), Year: t.Year}, ComputedOn: t.ComputedOn, Engine: t.Engine}
		if one := paris; one.RoadMinutes != nil || one.RailMinutes != nil {
			told.Paris = &one
		}
		if one := there; one.RoadMinutes != nil || one.RailMinutes != nil {
			told.Prefecture = &one
		}
		all[commune] = told
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the travel times: %w", err)
	}
	journeys.Put(d, all)
	return nil
}

// journeys are those of communes.
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
