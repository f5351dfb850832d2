package health

import (
	"encoding/json"

	"arpent/internal/opendata/stats"
)

// LifeExpectancy is the life expectancy at birth under the mortality of a year.
type LifeExpectancy struct {
	stats.Envelope
	Men      *float64 `json:"men" doc:"Years."`
	Women    *float64 `json:"women" doc:"Years."`
	Both     *float64 `json:"both" doc:"Mean of men and women, in years: official figures are published by sex only."`
	Computed bool     `json:"computed" doc:"True where both has a value: it is computed by this service."`
}

func lifeExpectancy(_ *stats.Data, t *stats.Territory) *LifeExpectancy {
	men, women := t.Latest(LifeMen), t.Latest(LifeWomen)
	if men.Value == nil || women.Year() > men.Year() {
		men = t.At(LifeMen, women.Period)
	} else {
		women = t.At(LifeWomen, men.Period)
	}
	if !stats.Known(men, women) {
		return nil
	}
	out := &LifeExpectancy{Envelope: stats.EnvelopeOf(men, women), Men: stats.Round(men.Value, 2),
		Women: stats.Round(women.Value, 2)}
	if men.Value != nil && women.Value != nil {
		out.Both, out.Computed = stats.Round(new((*men.Value+*women.Value)/2), 2), true
	}
	return out
}

// GDPYear is the gross domestic product of one year.
type GDPYear struct {
	Year            int      `json:"year" doc:"Year of the accounts."`
	GDPMillionEur   *float64 `json:"gdpMillionEur" doc:"Gross domestic product in current prices, in millions of euros."`
	GDPPerCapitaEur *int     `json:"gdpPerCapitaEur" doc:"Per inhabitant, in euros, as published."`
	Status          *string  `json:"status" enum:"final,semiFinal,provisional" doc:"Status of the figure; null where the source has none."`
	Source          string   `json:"source" doc:"Producer and title of the data set."`
}

// buildGDP returns each year from the best source that has it.
func buildGDP(_ *stats.Data, t *stats.Territory) (*[]GDPYear, *stats.Origin) {
	var out []GDPYear
	var newest *stats.Load
	for _, f := range t.Facts(GDPKind) {
		var fact struct {
			MillionEur, PerCapitaEur *float64
			Status                   *string
		}
		if json.Unmarshal(f.Attrs, &fact) != nil || fact.MillionEur == nil {
			continue
		}
		y := GDPYear{Year: stats.YearOf(f.Period), GDPMillionEur: stats.Round(fact.MillionEur, 1),
			GDPPerCapitaEur: stats.Whole(fact.PerCapitaEur),
			Status:          fact.Status, Source: f.From.Label()}
		newest = f.From
		if last := len(out) - 1; last >= 0 && out[last].Year == y.Year {
			out[last] = y // of the greater rank
			continue
		}
		out = append(out, y)
	}
	if len(out) == 0 {
		return nil, nil
	}
	return &out, newest.Envelope(&out[len(out)-1].Year).Origin()
}

// lifePoints returns the means of women and men.
func lifePoints(t *stats.Territory) []stats.Point {
	var out []stats.Point
	for _, men := range t.Series(LifeMen) {
		women := t.At(LifeWomen, men.Period)
		if men.Value != nil && women.Value != nil {
			both := (*men.Value + *women.Value) / 2
			out = append(out, stats.PointOf(men.Period, *stats.Round(&both, 2), men, women))
		}
	}
	return out
}
