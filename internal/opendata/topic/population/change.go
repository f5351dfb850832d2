package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// minPeriodYears is the minimum distance of two census years that are compared: each stands for the surveys
// of five years, and closer years share some of them. INSEE advises against comparing those. Only municipal
// populations are compared, whose definition has not changed since 2006.
const minPeriodYears = 5

// Growth is the change of a population between two census years.
type Growth struct {
	GrowthPeriod        *string        `json:"growthPeriod" doc:"The two census years that the three rates are for: the newest known, and the newest of those at least five years older. Closer years share surveys, and INSEE advises against comparing them: with 2015, 2016, 2021 and 2023 known the period is 2016-2023. Municipal populations alone are compared, never those of censuses before 2006." example:"2016-2023"`
	GrowthPctPerYear    *float64       `json:"growthPctPerYear" doc:"Mean yearly growth of the municipal population, in percent." example:"0.35"`
	NaturalPctPerYear   *float64       `json:"naturalPctPerYear" doc:"Births minus deaths, in percent of the mean population a year. Null unless known for each year of the period." example:"1.02"`
	MigratoryPctPerYear *float64       `json:"migratoryPctPerYear" doc:"The rest of the change, in percent of the mean population a year." example:"-0.66"`
	GrowthSmallBase     bool           `json:"growthSmallBase,omitempty" doc:"True where there were fewer than 200 inhabitants in the first year of the period: one more or less moves the three rates."`
	figures             []stats.Figure // the figures they are computed from
}

// change holds the events of a population between two census years.
type change struct {
	from, to       int
	before, after  float64
	births, deaths *float64 // of the whole period; nil unless known for each year
	figures        []stats.Figure
}

// newestChange returns the change between the newest census year and the newest of those far enough from it
// that are of the same communes; false if there are no two.
func newestChange(t *stats.Territory) (change, bool) {
	newest := t.Latest(source.PopulationMunicipal)
	if newest.Value == nil {
		return change{}, false
	}
	for _, f := range slices.Backward(t.Series(source.PopulationMunicipal)) {
		if f.Value == nil || *f.Value <= 0 || newest.Year()-f.Year() < minPeriodYears ||
			!hasSameCoverage(f, newest) {
			continue
		}
		c := change{from: f.Year(), to: newest.Year(), before: *f.Value, after: *newest.Value,
			figures: []stats.Figure{f, newest}}
		c.births, c.deaths = c.sumEvents(t, source.PopulationBirths), c.sumEvents(t, source.PopulationDeaths)
		return c, true
	}
	return change{}, false
}

// sumEvents sums a measure over the period. Census figures refer to 1 January:
// the events of the last year come after it.
func (c *change) sumEvents(t *stats.Territory, measure string) *float64 {
	sum, figures := 0.0, []stats.Figure{}
	for y := c.from; y < c.to; y++ {
		f := t.At(measure, stats.YearPeriod(y))
		if f.Value == nil {
			return nil
		}
		sum += *f.Value
		figures = append(figures, f)
	}
	c.figures = append(c.figures, figures...)
	return &sum
}

func (c change) periodYears() float64 { return float64(c.to - c.from) }

// naturalBalance returns births minus deaths.
func (c change) naturalBalance() *float64 { return stats.Minus(c.births, c.deaths) }

// migratoryBalance returns the rest of the change.
func (c change) migratoryBalance() *float64 {
	return stats.Minus(new(c.after-c.before), c.naturalBalance())
}

// perYear divides a count of the period by the mean population and the years, times factor.
func (c change) perYear(count *float64, factor float64, decimals int) *float64 {
	inhabitantYears := c.periodYears() * (c.before + c.after) / 2
	return stats.Ratio(count, &inhabitantYears, factor, decimals)
}

func computeGrowth(t *stats.Territory) Growth {
	c, known := newestChange(t)
	if !known {
		return Growth{}
	}
	period := fmt.Sprintf("%d-%d", c.from, c.to)
	return Growth{
		GrowthPeriod: &period,
		// the annual rate that leads from one number to the other
		GrowthPctPerYear:    stats.Round(new((math.Pow(c.after/c.before, 1/c.periodYears())-1)*100), 2),
		NaturalPctPerYear:   c.perYear(c.naturalBalance(), 100, 2),
		MigratoryPctPerYear: c.perYear(c.migratoryBalance(), 100, 2),
		GrowthSmallBase:     stats.IsSmallBase(&c.before),
		figures:             c.figures,
	}
}

// Change is by how much a population changed between two census years, over the whole time.
type Change struct {
	PeriodStart int     `json:"periodStart" doc:"First census year." example:"2016"`
	PeriodEnd   int     `json:"periodEnd" doc:"Last census year." example:"2023"`
	Number      int     `json:"number" doc:"Inhabitants of the last year minus those of the first: negative where it shrank." example:"1290"`
	Percent     float64 `json:"percent" doc:"The same in percent of those of the first year, over the whole time, not a year." example:"2.45"`
	SmallBase   bool    `json:"smallBase,omitempty" doc:"True where there were fewer than 200 inhabitants in the first year."`
}

// countChange returns the change between the two census years that growth is computed for.
func countChange(_ *stats.Data, t *stats.Territory) (*Change, *stats.Origin) {
	c, known := newestChange(t)
	if !known {
		return nil, nil
	}
	number := c.after - c.before
	return &Change{PeriodStart: c.from, PeriodEnd: c.to, Number: *stats.Whole(&number),
		Percent:   *stats.Ratio(&number, &c.before, 100, 2),
		SmallBase: stats.IsSmallBase(&c.before)}, stats.OriginOf(c.figures[0], c.figures[1])
}

// minDensityShare is the share of the inhabitants of a larger territory that must live in communes whose land
// area is known: its density is that of these communes.
const minDensityShare = 0.99

// densityPoints divides the inhabitants of each census by the land area of today.
func densityPoints(t *stats.Territory) []stats.Point {
	area := t.Latest(source.LandArea)
	var out []stats.Point
	for _, f := range t.Series(source.PopulationMunicipal) {
		people, km2 := f, area
		if !t.IsLocal() && (area.Coverage < 1 || f.Coverage > 0 && f.Coverage < 1) {
			people, km2 = sumWithArea(t, f, area)
		}
		if v := computeDensity(people.Value, km2.Value); v != nil {
			out = append(out, stats.PointOf(f.Period, *v, people, km2))
		}
	}
	return out
}

// computeDensity divides inhabitants by km² to a tenth, and to a thousandth under one, where a tenth may look
// like no inhabitants; nil where one is missing.
func computeDensity(people, km2 *float64) *float64 {
	density := stats.Ratio(people, km2, 1, 1)
	if density != nil && *density < 1 {
		density = stats.Ratio(people, km2, 1, 3)
	}
	return density
}

// sumWithArea returns the inhabitants of a period and the land area of the communes of which both are known;
// without values where too few of the inhabitants live there.
func sumWithArea(t *stats.Territory, people, area stats.Figure) (stats.Figure, stats.Figure) {
	var inhabitants, km2, known, all float64
	for _, c := range stats.CommunesOf(t) {
		latest, one, of := c.Latest(source.PopulationMunicipal), c.At(source.PopulationMunicipal, people.Period),
			c.Latest(source.LandArea)
		if latest.Value != nil {
			all += *latest.Value
		}
		if one.Value != nil && of.Value != nil {
			inhabitants, km2, known = inhabitants+*one.Value, km2+*of.Value, known+*latest.Value
		}
	}
	people.Value, area.Value = nil, nil
	if all > 0 && known/all >= minDensityShare {
		people.Value, area.Value, people.Coverage, area.Coverage = &inhabitants, &km2, known/all, known/all
	}
	return people, area
}

// hasSameCoverage reports whether two figures are of the same communes, as far as their coverage says: a sum
// that lacks fewer than one inhabitant in 2 000 moves no rate of a year.
func hasSameCoverage(a, b stats.Figure) bool {
	return math.Abs(cmp.Or(a.Coverage, 1)-cmp.Or(b.Coverage, 1)) < 0.0005
}

// growthPoints returns the growth between the two census years used for the population.
func growthPoints(t *stats.Territory) []stats.Point {
	g := computeGrowth(t)
	if g.GrowthPctPerYear == nil || g.GrowthPeriod == nil {
		return nil
	}
	return []stats.Point{stats.PointOf(*g.GrowthPeriod, *g.GrowthPctPerYear, g.figures...).Of(g.figures[0])}
}
