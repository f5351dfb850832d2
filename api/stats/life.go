package stats

import (
	"encoding/json"

	"arpent/api/topic/health"
)

// LifeExpectancy is how long newborns would live under the mortality of a year.
type LifeExpectancy struct {
	Envelope
	Men      *float64 `json:"men" doc:"Years."`
	Women    *float64 `json:"women" doc:"Years."`
	Both     *float64 `json:"both" doc:"Mean of men and women, in years: the official figures are by sex only."`
	Computed bool     `json:"computed" doc:"True where both is given: it is computed here."`
}

func lifeExpectancy(_ *Data, t *Territory) *LifeExpectancy {
	men, women := t.Latest(health.LifeMen), t.Latest(health.LifeWomen)
	if men.Value == nil || women.Year() > men.Year() {
		men = t.At(health.LifeMen, women.Period)
	} else {
		women = t.At(health.LifeWomen, men.Period)
	}
	if !known(men, women) {
		return nil
	}
	out := &LifeExpectancy{Envelope: envelopeOf(men, women), Men: round(men.Value, 2), Women: round(women.Value, 2)}
	if men.Value != nil && women.Value != nil {
		both := (*men.Value + *women.Value) / 2
		out.Both, out.Computed = round(&both, 2), true
	}
	return out
}

// GDPYear is the gross domestic product of one year.
type GDPYear struct {
	Year            int      `json:"year" doc:"Year of the accounts."`
	GDPMillionEur   *float64 `json:"gdpMillionEur" doc:"Gross domestic product in current prices, in millions of euros."`
	GDPPerCapitaEur *int     `json:"gdpPerCapitaEur" doc:"Per inhabitant, in euros, as published."`
	Status          *string  `json:"status" enum:"final,semiFinal,provisional" doc:"State of the figure; null where the source does not tell."`
	Source          string   `json:"source" doc:"Producer and title of the data set."`
}

// gdp tells each year by the best source that has it.
func gdp(_ *Data, t *Territory) (*[]GDPYear, *Origin) {
	var out []GDPYear
	for _, f := range t.Facts(health.GDPKind) {
		var told struct {
			MillionEur, PerCapitaEur *float64
			Status                   *string
		}
		if json.Unmarshal(f.Attrs, &told) != nil || told.MillionEur == nil {
			continue
		}
		y := GDPYear{Year: yearOf(f.Period), GDPMillionEur: round(told.MillionEur, 1), GDPPerCapitaEur: whole(told.PerCapitaEur),
			Status: told.Status, Source: f.From.Label()}
		if last := len(out) - 1; last >= 0 && out[last].Year == y.Year {
			out[last] = y // of the greater rank
			continue
		}
		out = append(out, y)
	}
	if len(out) == 0 {
		return nil, nil
	}
	newest := out[len(out)-1]
	return &out, &Origin{Source: newest.Source, Year: &newest.Year}
}
