package housing

import "arpent/internal/opendata/stats"

// cityRate holds the vacancy rates of Paris, Lyon or Marseille in a year.
type cityRate struct{ rate, long stats.Figure }

// cityRates returns the means over the arrondissements, weighted by their dwellings, by year: the rate of the
// city itself up to rounding. All arrondissements are needed.
func cityRates(t *stats.Territory) map[string]cityRate {
	parts := t.Arrondissements()
	if parts == nil {
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
		rate, stock := part.At(measure, period), part.At(PrivateStock,
			stats.YearPeriod(stats.YearOf(period)-1)).Value
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
