package population

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/stats"
)

// DemographyPeriod is the change of the population of a département or région between two censuses.
type DemographyPeriod struct {
	PeriodStart         int      `json:"periodStart" doc:"Census year at the start of the period." example:"2013"`
	PeriodEnd           int      `json:"periodEnd" doc:"Census year at the end of the period." example:"2018"`
	NaturalBalance      *int     `json:"naturalBalance" doc:"Births minus deaths over the whole period. Null unless known for each year."`
	MigratoryBalance    *int     `json:"migratoryBalance" doc:"The rest of the change over the whole period, in inhabitants: arrivals minus departures."`
	NaturalPctPerYear   *float64 `json:"naturalPctPerYear" doc:"Natural balance, in percent of the mean population a year."`
	MigratoryPctPerYear *float64 `json:"migratoryPctPerYear" doc:"Migratory balance, in percent of the mean population a year."`
	MeanPopulation      *int     `json:"meanPopulation" doc:"Mean of the inhabitants at the two censuses, of which the rates are; null where not both are loaded." example:"1660000"`
	BirthRatePer1000    *float64 `json:"birthRatePer1000" doc:"Births per 1 000 inhabitants a year."`
	DeathRatePer1000    *float64 `json:"deathRatePer1000" doc:"Deaths per 1 000 inhabitants a year." example:"6.1"`
}

// buildDemography returns the rates of the producer, and those computed from births, deaths and
// populations where these are known for each year.
func buildDemography(_ *stats.Data, t *stats.Territory) (*[]DemographyPeriod, *stats.Origin) {
	list, figures := []DemographyPeriod{}, []stats.Figure{}
	for _, period := range consecutivePeriods(t.Years(DemographyBirthRate, DemographyDeathRate)) {
		births, deaths := t.At(DemographyBirthRate, period), t.At(DemographyDeathRate, period)
		p := DemographyPeriod{BirthRatePer1000: stats.Round(births.Value, 2),
			DeathRatePer1000: stats.Round(deaths.Value, 2)}
		p.PeriodStart, p.PeriodEnd = parsePeriod(period)
		p.MeanPopulation = meanPopulation(t, p.PeriodStart, p.PeriodEnd)
		list, figures = append(list, p), append(figures, births, deaths)
	}
	if c, known := newestChange(t); known && c.naturalBalance() != nil && (len(list) == 0 ||
		list[len(list)-1].PeriodEnd <= c.from) {
		list = append(list, DemographyPeriod{
			PeriodStart: c.from, PeriodEnd: c.to, NaturalBalance: stats.Whole(c.naturalBalance()),
			MigratoryBalance:    stats.Whole(c.migratoryBalance()),
			NaturalPctPerYear:   c.perYear(c.naturalBalance(), 100, 2),
			MigratoryPctPerYear: c.perYear(c.migratoryBalance(), 100, 2),
			MeanPopulation:      meanPopulation(t, c.from, c.to),
			BirthRatePer1000:    c.perYear(c.births, 1000, 2), DeathRatePer1000: c.perYear(c.deaths, 1000, 2),
		})
		figures = append(figures, c.figures...)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return &list, stats.OriginOf(figures...)
}

// meanPopulation returns the mean of the inhabitants of two census years; nil unless both are known.
func meanPopulation(t *stats.Territory, from, to int) *int {
	line, _ := buildTimeline(t)
	sum, known := 0, 0
	for _, y := range line {
		if y.Year == from || y.Year == to {
			sum, known = sum+y.Population, known+1
		}
	}
	if known != 2 {
		return nil
	}
	return stats.Whole(new(float64(sum) / 2))
}

// consecutivePeriods returns, of overlapping periods, those that lead without a gap back from the latest one.
func consecutivePeriods(periods []string) []string {
	sorted := slices.SortedFunc(slices.Values(periods), func(a, b string) int {
		_, endA := parsePeriod(a)
		_, endB := parsePeriod(b)
		return cmp.Or(cmp.Compare(endB, endA), cmp.Compare(a, b))
	})
	var kept []string
	start := 0
	for _, p := range sorted {
		from, to := parsePeriod(p)
		if from > 0 && (kept == nil || to == start) {
			kept, start = append(kept, p), from
		}
	}
	slices.Reverse(kept)
	return kept
}

// parsePeriod returns the years of a period such as 2013-2018; 0 if it is not one.
func parsePeriod(period string) (from, to int) {
	first, last, _ := strings.Cut(period, "-")
	from, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0
	}
	if to, err = strconv.Atoi(last); err != nil {
		return 0, 0
	}
	return from, to
}
