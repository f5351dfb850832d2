package housing

import (
	"cmp"
	"slices"

	"arpent/internal/opendata/stats"
)

// Housing is the housing stock of a territory. The census and the tax files define vacancy differently;
// they are kept separate and never combined.
type Housing struct {
	stats.Envelope
	Timeline       []HousingYear   `json:"timeline" nullable:"true" doc:"Dwellings per census year, oldest first; null when no census year is known."`
	PrivateVacancy *PrivateVacancy `json:"privateVacancy" doc:"Vacancy of private dwellings according to the tax files (LOVAC): a different definition from the census, with up to twice as many."`
}

// HousingYear is the housing stock of a census year.
type HousingYear struct {
	Year             *int     `json:"year" doc:"Census year." example:"2021"`
	Source           string   `json:"source" doc:"Producer and title of the data set." example:"INSEE, Recensement de la population, logement"`
	Total            *int     `json:"total" doc:"Number of dwellings." example:"12986"`
	SmallBase        bool     `json:"smallBase,omitempty" doc:"True where there are fewer than 200 dwellings: one more or less moves the shares, and INSEE advises not to use census counts of so few."`
	Main             *int     `json:"main" doc:"Number of main residences." example:"5063"`
	Secondary        *int     `json:"secondary" doc:"Number of second homes and occasional dwellings." example:"7657"`
	Vacant           *int     `json:"vacant" doc:"Number of vacant dwellings." example:"266"`
	VacancyRatePct   *float64 `json:"vacancyRatePct" doc:"Vacant dwellings in percent of all." example:"2.05"`
	SecondaryRatePct *float64 `json:"secondaryRatePct" doc:"Second homes in percent of all dwellings." example:"58.96"`
	Houses           *int     `json:"houses" doc:"Number of houses." example:"8100"`
	Apartments       *int     `json:"apartments" doc:"Number of flats." example:"4700"`
	Rounded          bool     `json:"rounded,omitempty" doc:"True where the counts are of a copy that has rounded them; vacancyRatePct is of the exact ones then where the copy publishes it."`
}

// PrivateVacancy is the vacancy in the newest year of the tax files, with the timeline.
type PrivateVacancy struct {
	PrivateVacancyYear
	Timeline []PrivateVacancyYear `json:"timeline" doc:"All known years, oldest first."`
}

// PrivateVacancyYear is the vacancy on 1 January of a year.
type PrivateVacancyYear struct {
	Year             *int     `json:"year" doc:"Year of the vacancy." example:"2025"`
	Source           string   `json:"source" doc:"Producer and title of the data set." example:"DGALN/DHUP et Cerema, LOVAC, logements vacants du parc privé"`
	Status           *string  `json:"status" enum:"secret" doc:"secret: the producer withholds the numbers of communes with fewer than 11 such dwellings; else null." example:"secret"`
	Total            *int     `json:"total" doc:"Number of private dwellings that the rates refer to: those of the previous year." example:"11611"`
	Vacant           *int     `json:"vacant" doc:"Number of vacant dwellings." example:"894"`
	VacantOver2Years *int     `json:"vacantOver2Years" doc:"Number of dwellings vacant for more than two years." example:"611"`
	RatePct          *float64 `json:"ratePct" doc:"Vacant dwellings in percent of the private ones." example:"7.7"`
	LongTermRatePct  *float64 `json:"longTermRatePct" doc:"Dwellings vacant for more than two years in percent of the private ones." example:"5.26"`
}

func buildHousing(d *stats.Data, t *stats.Territory) *Housing {
	h := &Housing{}
	var figures []stats.Figure
	for _, period := range t.Years(HousingTotal, HousingMain, HousingVacant, HousingVacancyRate) {
		one, from := housingYear(t, period)
		h.Timeline, figures = append(h.Timeline, one), append(figures, from...)
	}
	years, from := privateVacancy(d, t)
	if len(years) > 0 {
		h.PrivateVacancy = &PrivateVacancy{years[len(years)-1], years}
	}
	if h.Timeline == nil && h.PrivateVacancy == nil {
		return nil
	}
	h.Envelope = stats.EnvelopeOf(append(figures, from...)...)
	return h
}

func housingYear(t *stats.Territory, period string) (HousingYear, []stats.Figure) {
	total, main := t.At(HousingTotal, period), t.At(HousingMain, period)
	secondary, vacant := t.At(HousingSecondary, period), t.At(HousingVacant, period)
	vacancy := t.At(HousingVacancyRate, period)
	houses, flats := t.At(HousingHouses, period), t.At(HousingApartments, period)
	figures := []stats.Figure{total, main, secondary, vacant, vacancy, houses, flats}
	from := stats.EnvelopeOf(figures...)
	return HousingYear{
		Year: stats.Year(period), Source: from.Source, Rounded: from.Rounded,
		Total: stats.Whole(total.Value), SmallBase: stats.IsSmallBase(total.Value), Main: stats.Whole(main.Value),
		Secondary: stats.Whole(secondary.Value), Vacant: stats.Whole(vacant.Value),
		VacancyRatePct:   cmp.Or(stats.Round(vacancy.Value, 2), stats.Share(vacant.Value, total.Value)),
		SecondaryRatePct: stats.Share(secondary.Value, total.Value),
		Houses:           stats.Whole(houses.Value), Apartments: stats.Whole(flats.Value),
	}, figures
}

// privateVacancy lists the years with a figure or with a reason why it is missing.
func privateVacancy(d *stats.Data, t *stats.Territory) (out []PrivateVacancyYear, figures []stats.Figure) {
	rates := cityRates(t)
	periods := t.Years(PrivateVacant, PrivateVacantLong, PrivateRate, PrivateLongRate)
	for _, m := range []string{PrivateVacant, PrivateVacantLong} {
		for _, f := range t.Series(m) {
			if f.Status == stats.StatusSecret {
				periods = append(periods, f.Period)
			}
		}
	}
	for period := range rates {
		periods = append(periods, period)
	}
	slices.Sort(periods)
	for _, period := range slices.Compact(periods) {
		one, from := privateYear(t, period, rates[period])
		out, figures = append(out, one), append(figures, from...)
	}
	return out, figures
}

func privateYear(t *stats.Territory, period string, city cityRate) (PrivateVacancyYear, []stats.Figure) {
	stock := t.At(PrivateStock, stats.YearPeriod(stats.YearOf(period)-1))
	vacant, long := t.At(PrivateVacant, period), t.At(PrivateVacantLong, period)
	rate, longRate := t.At(PrivateRate, period), t.At(PrivateLongRate, period)
	if rate.Value == nil && city.rate.Value != nil {
		rate = city.rate
	}
	if longRate.Value == nil && city.long.Value != nil {
		longRate = city.long
	}
	figures := []stats.Figure{vacant, long, rate, longRate}
	out := PrivateVacancyYear{
		Year: stats.Year(period), Source: stats.EnvelopeOf(append(figures, stock)...).Source,
		Total: stats.Whole(stock.Value), Vacant: stats.Whole(vacant.Value),
		VacantOver2Years: stats.Whole(long.Value),
		RatePct:          cmp.Or(stats.Share(vacant.Value, stock.Value), stats.Round(rate.Value, 2)),
		LongTermRatePct:  cmp.Or(stats.Share(long.Value, stock.Value), stats.Round(longRate.Value, 2)),
	}
	if vacant.Status == stats.StatusSecret || long.Status == stats.StatusSecret {
		out.Status = new(stats.StatusSecret)
	}
	// all figures are secret: the source is named nevertheless
	if out.Source == "" && cmp.Or(vacant.From, long.From) != nil {
		out.Source = cmp.Or(vacant.From, long.From).Label()
	}
	return out, append(figures, stock)
}

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
