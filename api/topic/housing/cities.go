package housing

import (
	"fmt"

	"arpent/api/stats"
)

// cityRate holds the vacancy rates of Paris, Lyon or Marseille in a year.
type cityRate struct{ rate, long stats.Figure }

// arrondissements of the three cities: the code of the first one and their number.
var arrondissements = map[string]struct{ first, count int }{
	"75056": {75101, 20}, "69123": {69381, 9}, "13055": {13201, 16},
}

// cityRates returns the means over the arrondissements, weighted by their dwellings, by year: the rate of the city
// itself up to rounding. All arrondissements are needed.
func cityRates(d *stats.Data, t *stats.Territory) map[string]cityRate {
	city, is := arrondissements[t.Code]
	if !is || t.Level != stats.Commune {
		return nil
	}
	var parts []*stats.Territory
	for n := range city.count {
		if part := d.Find(stats.Arrondissement, fmt.Sprintf("%05d", city.first+n)); part != nil {
			parts = append(parts, part)
		}
	}
	if len(parts) < city.count {
		return nil
	}
	out := map[string]cityRate{}
	for _, period := range parts[0].Years(PrivateRate, PrivateLongRate) {
		one := cityRate{meanRate(parts, PrivateRate, period), meanRate(parts, PrivateLongRate, period)}
		if stats.Known(one.rate, one.long) {
			out[period] = one
		}
	}
	return out
}

func meanRate(parts []*stats.Territory, measure, period string) stats.Figure {
	var sum, dwellings float64
	mean := stats.Figure{Period: period}
	for _, part := range parts {
		rate, stock := part.At(measure, period), part.At(PrivateStock, stats.YearPeriod(stats.YearOf(period)-1)).Value
		if rate.Value == nil || stock == nil {
			return stats.Figure{Period: period}
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
