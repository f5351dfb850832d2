package stats

import (
	"slices"

	"arpent/api/source"
	"arpent/api/topic/employment"
	"arpent/api/topic/finances"
	"arpent/api/topic/health"
	"arpent/api/topic/housing"
	"arpent/api/topic/income"
	"arpent/api/topic/safety"
	"arpent/api/topic/services"
)

// metric is something that territories are ranked by.
type metric struct {
	name      string
	ascending bool // the smallest value is the best
	of        map[Level]func(*Territory) []point
}

// metrics lists everything that is ranked. Crime is not ranked among communes: up to two thirds of their figures are not
// disclosed, and those are the low ones.
var metrics = []metric{
	{name: "population", of: everywhere(figuresOf(source.PopulationMunicipal, 0))},
	{name: "density", of: everywhere(density)},
	{name: "growth", of: everywhere(growthPoints)},
	{name: "medianIncome", of: everywhere(figuresOf(income.IncomeMedian, 0))},
	{name: "povertyRate", ascending: true, of: everywhere(figuresOf(income.IncomePovertyRate, 2))},
	{name: "unemploymentRate", ascending: true, of: map[Level]func(*Territory) []point{
		Commune:     quotient(employment.EmploymentUnemployed, employment.EmploymentActive, 100, 2),
		Departement: figuresOf(employment.UnemploymentRate, 2),
		Region:      figuresOf(employment.UnemploymentRate, 2),
	}},
	{name: "vacancyRate", ascending: true, of: everywhere(shareOrRate(housing.HousingVacant, housing.HousingTotal, housing.HousingVacancyRate))},
	{name: "secondaryHomeRate", of: everywhere(shareOrRate(housing.HousingSecondary, housing.HousingTotal, housing.HousingSecondaryRate))},
	{name: "apl", of: everywhere(figuresOf(health.DoctorsAll, 2))},
	{name: "equipmentPer10000", of: everywhere(equipment)},
	{name: "debtPerInhabitant", ascending: true, of: everywhere(quotient(finances.FinancesDebt, finances.FinancesPopulation, 1, 0))},
	{name: "crimeRate", ascending: true, of: above(crimePoints)},
	{name: "lifeExpectancy", of: above(lifePoints)},
}

func everywhere(of func(*Territory) []point) map[Level]func(*Territory) []point {
	return map[Level]func(*Territory) []point{Commune: of, Departement: of, Region: of}
}

// above are départements and régions.
func above(of func(*Territory) []point) map[Level]func(*Territory) []point {
	return map[Level]func(*Territory) []point{Departement: of, Region: of}
}

// figuresOf ranks by a measure as it is.
func figuresOf(measure string, decimals int) func(*Territory) []point {
	return func(t *Territory) []point {
		var out []point
		for _, f := range t.Series(measure) {
			if f.Value != nil {
				out = append(out, pointOf(f.Period, *round(f.Value, decimals), f))
			}
		}
		return out
	}
}

// quotient ranks by a / b × factor of the same period.
func quotient(a, b string, factor float64, decimals int) func(*Territory) []point {
	return func(t *Territory) []point {
		var out []point
		for _, f := range t.Series(a) {
			by := t.At(b, f.Period)
			if v := ratio(f.Value, by.Value, factor, decimals); v != nil {
				out = append(out, pointOf(f.Period, *v, f, by))
			}
		}
		return out
	}
}

func pointOf(period string, value float64, from ...Figure) point {
	p := point{period: period, value: value}
	for _, f := range from {
		if f.From != nil && f.Value != nil && !slices.Contains(p.from, f.From) {
			p.from = append(p.from, f.From)
		}
	}
	return p
}

func density(t *Territory) []point {
	area := areaKm2(t)
	var out []point
	for _, f := range t.Series(source.PopulationMunicipal) {
		if v := ratio(f.Value, area, 1, 1); v != nil {
			out = append(out, pointOf(f.Period, *v, f))
		}
	}
	return out
}

// areaKm2 is the area of the outline, of a département that has none (overseas) that of its communes.
func areaKm2(t *Territory) *float64 {
	if t.AreaKm2 != nil || t.Level == Commune || len(t.Children) == 0 {
		return t.AreaKm2
	}
	sum := 0.0
	for _, c := range communesOf(t) {
		if c.AreaKm2 == nil {
			return nil
		}
		sum += *c.AreaKm2
	}
	return &sum
}

// growthPoints are the growth between the two census years that the population is told with.
func growthPoints(t *Territory) []point {
	g := growth(t)
	if g.GrowthPctPerYear == nil || g.GrowthPeriod == nil {
		return nil
	}
	return []point{pointOf(*g.GrowthPeriod, *g.GrowthPctPerYear, g.figures...)}
}

// shareOrRate ranks by the rate that the producer tells, else by a in percent of b: counts may be rounded.
func shareOrRate(a, b, rate string) func(*Territory) []point {
	return func(t *Territory) []point {
		var out []point
		for _, period := range t.years(b, rate) {
			part, whole, told := t.At(a, period), t.At(b, period), t.At(rate, period)
			if told.Value != nil {
				out = append(out, pointOf(period, *round(told.Value, 2), told))
			} else if v := share(part.Value, whole.Value); v != nil {
				out = append(out, pointOf(period, *v, part, whole))
			}
		}
		return out
	}
}

// equipment is told per inhabitant of the census year nearest to the edition, of two the later.
func equipment(t *Territory) []point {
	var out []point
	for _, f := range t.Series(services.FacilitiesTotal) {
		people := nearestYear(t.Series(source.PopulationMunicipal), f.Year())
		if v := ratio(f.Value, people.Value, 10000, 1); v != nil {
			out = append(out, pointOf(f.Period, *v, f, people))
		}
	}
	return out
}

func nearestYear(all []Figure, year int) (best Figure) {
	for _, f := range all {
		if f.Value != nil && (best.Value == nil || max(f.Year()-year, year-f.Year()) <= max(best.Year()-year, year-best.Year())) {
			best = f
		}
	}
	return best
}

// lifePoints are the means of women and men.
func lifePoints(t *Territory) []point {
	var out []point
	for _, men := range t.Series(health.LifeMen) {
		women := t.At(health.LifeWomen, men.Period)
		if men.Value != nil && women.Value != nil {
			both := (*men.Value + *women.Value) / 2
			out = append(out, pointOf(men.Period, *round(&both, 2), men, women))
		}
	}
	return out
}

// crimePoints are the rates by each list of offences, which do not compare. A région that the producer has no figures of is
// its départements together.
func crimePoints(t *Territory) []point {
	var out []point
	for _, list := range []string{safety.Safety2024, safety.Safety2025} {
		parts, method := []*Territory{t}, sum10Method
		if t.Level == Region && len(t.Series(safety.SafetyPopulation(list))) == 0 {
			parts, method = t.Children, sum10Summed
		}
		if len(parts) == 0 {
			continue
		}
		for _, f := range parts[0].Series(safety.SafetyPopulation(list)) {
			offences, inhabitants, figures := sum10Of(parts, list, f.Period)
			if v := ratio(offences, inhabitants, 1000, 2); v != nil {
				p := pointOf(f.Period, *v, figures...)
				p.variant, p.method = list, method
				out = append(out, p)
			}
		}
	}
	return out
}
