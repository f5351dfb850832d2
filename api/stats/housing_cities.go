package stats

import (
	"fmt"

	"arpent/api/topic/housing"
)

// cityRate are the rates of vacancy of Paris, Lyon or Marseille in a year.
type cityRate struct{ rate, long Figure }

// arrondissements of the three cities: the code of the first and how many there are.
var arrondissements = map[string]struct{ first, count int }{
	"75056": {75101, 20}, "69123": {69381, 9}, "13055": {13201, 16},
}

// cityRates are means of those of the arrondissements, weighted with their dwellings, by year: what the city itself
// would have, but for the rounding. All of them are needed.
func cityRates(d *Data, t *Territory) map[string]cityRate {
	city, is := arrondissements[t.Code]
	if !is || t.Level != Commune {
		return nil
	}
	var parts []*Territory
	for n := range city.count {
		if part := d.Find(Arrondissement, fmt.Sprintf("%05d", city.first+n)); part != nil {
			parts = append(parts, part)
		}
	}
	if len(parts) < city.count {
		return nil
	}
	out := map[string]cityRate{}
	for _, period := range parts[0].years(housing.PrivateRate, housing.PrivateLongRate) {
		one := cityRate{meanRate(parts, housing.PrivateRate, period), meanRate(parts, housing.PrivateLongRate, period)}
		if known(one.rate, one.long) {
			out[period] = one
		}
	}
	return out
}

func meanRate(parts []*Territory, measure, period string) Figure {
	var sum, dwellings float64
	mean := Figure{Period: period}
	for _, part := range parts {
		rate, stock := part.At(measure, period), part.At(housing.PrivateStock, yearPeriod(yearOf(period)-1)).Value
		if rate.Value == nil || stock == nil {
			return Figure{Period: period}
		}
		sum += *rate.Value * *stock
		dwellings += *stock
		mean.From = rate.From
	}
	if dwellings > 0 {
		sum /= dwellings
		mean.Value, mean.Status = &sum, "ok"
	}
	return mean
}
