package population

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// Population is the number of inhabitants of a commune and its change.
type Population struct {
	stats.Envelope
	Latest   *LatestPopulation `json:"latest" doc:"The newest populations."`
	Density  *float64          `json:"density" doc:"Inhabitants per km² of land, of the newest municipal population, to a tenth, under one to a thousandth. The land area is that which INSEE publishes: without lakes, ponds and glaciers of more than 1 km² and without estuaries, which outlineAreaKm2 contains. The two are of different surveys: without such waters either can be the larger. Null where none is published: Mayotte, and communes that were split since 2025." example:"9882.0"`
	LandArea *float64          `json:"landAreaKm2" doc:"Land area in km² that density is of, as INSEE publishes it; null where none is published." example:"5.5"`
	LandYear *int              `json:"landAreaYear" doc:"Edition of that area, which may not be the year of the inhabitants; null where landAreaKm2 is." example:"2021"`
	Timeline []YearPopulation  `json:"timeline" doc:"Inhabitants per census year, oldest first: the municipal population since 2006, the population without double counting from 1962 to 1999, the total population before 1962."`
	Growth
	Change *Change      `json:"change" doc:"The change over the whole growthPeriod; null where that is."`
	Births []YearBirths `json:"births" doc:"Births and deaths of a year, by where people lived, oldest first."`
}

// LatestPopulation are the populations in force.
type LatestPopulation struct {
	// Source is left out where it is that of the block.
	Source    string `json:"source,omitempty" doc:"Producer and title of the data set, where the block has others too."`
	Year      int    `json:"year" doc:"Census year. The figures come into force three years later; Mayotte has censuses of its own." example:"2023"`
	Municipal int    `json:"municipal" doc:"Municipal population, inhabitants: use this one for comparisons and sums." example:"54055"`
	Total     *int   `json:"total" doc:"Total population, inhabitants, including those who mainly live elsewhere; must not be summed, for it counts these twice. That of Paris, Lyon and Marseille is the sum of the arrondissements, by which alone it is published. Null where it is not published for the current territory." example:"54402"`
}

// YearPopulation is a census year.
type YearPopulation struct {
	Year       int `json:"year" doc:"Census year." example:"2023"`
	Population int `json:"population" doc:"Inhabitants." example:"54055"`
	// Coverage is nil unless some communes of a sum lack them.
	Coverage *float64 `json:"coverage,omitempty" minimum:"0" maximum:"1" doc:"Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are known. Compare no such year with one of another coverage."`
}

// YearBirths are the births and deaths of a year.
type YearBirths struct {
	Year    int  `json:"year" doc:"Year of the births and deaths." example:"2022"`
	Births  *int `json:"births" doc:"Number of children born to mothers who live here." example:"817"`
	Deaths  *int `json:"deaths" doc:"Number of deaths of people who lived here." example:"312"`
	Balance *int `json:"balance" doc:"Births minus deaths." example:"505"`
	// Coverage is nil unless some communes of a sum lack them.
	Coverage *float64 `json:"coverage,omitempty" minimum:"0" maximum:"1" doc:"Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are known."`
}

func buildPopulation(_ *stats.Data, t *stats.Territory) *Population {
	line, counted := buildTimeline(t)
	births, events := listBirths(t)
	if len(line) == 0 && len(births) == 0 {
		return nil
	}
	p := &Population{Timeline: line, Births: births, Growth: computeGrowth(t)}
	p.Change, _ = countChange(nil, t)
	newest, total, area := t.Latest(source.PopulationMunicipal), stats.Figure{}, stats.Figure{}
	if newest.Value != nil {
		total, area = totalPopulation(t, newest.Period), t.Latest(source.LandArea)
		p.Latest = &LatestPopulation{Year: newest.Year(), Municipal: *stats.Whole(newest.Value),
			Total: stats.Whole(total.Value)}
		if area.Value != nil {
			p.LandYear = stats.Year(area.Period)
		}
		p.Density, p.LandArea = computeDensity(newest.Value, area.Value), stats.Round(area.Value, 2)
	}
	p.Envelope = stats.EnvelopeOf(slices.Concat(counted, events, []stats.Figure{total, area})...)
	if p.Latest != nil {
		p.Year = &p.Latest.Year
		if of := stats.EnvelopeOf(newest, total).Source; of != p.Source {
			p.Latest.Source = of
		}
	}
	return p
}

// totalPopulation returns the total population of a period. That of Paris, Lyon and Marseille is published by
// arrondissement, and is the sum of these as INSEE has it: its workbook of 2019 gives Paris as a département
// 2 210 875, which its twenty arrondissements make.
func totalPopulation(t *stats.Territory, period string) stats.Figure {
	total := t.At(PopulationTotal, period)
	parts := t.Arrondissements()
	if total.Value != nil || parts == nil {
		return total
	}
	sum := 0.0
	for _, part := range parts {
		of := part.At(PopulationTotal, period)
		if of.Value == nil {
			return total
		}
		sum += *of.Value
		total.From = of.From
	}
	total.Value = &sum
	return total
}

// buildTimeline lists the inhabitants of all census years. The municipal
// population takes precedence over other definitions.
func buildTimeline(t *stats.Territory) ([]YearPopulation, []stats.Figure) {
	line, figures := []YearPopulation{}, []stats.Figure{}
	for _, measure := range []string{source.PopulationMunicipal, PopulationCensus} {
		for _, f := range t.Series(measure) {
			if f.Value == nil || slices.ContainsFunc(line, func(y YearPopulation) bool { return y.Year == f.Year() }) {
				continue
			}
			line = append(line, YearPopulation{f.Year(), *stats.Whole(f.Value), stats.RoundCoverage(f.Coverage)})
			figures = append(figures, f)
		}
	}
	slices.SortFunc(line, func(a, b YearPopulation) int { return cmp.Compare(a.Year, b.Year) })
	return line, figures
}

// listLoadedYears says which census years are loaded, and that others are not; empty: the file of all of them
// is loaded.
func listLoadedYears(d *stats.Data, t *stats.Territory) string {
	line, _ := buildTimeline(t)
	if len(line) == 0 || len(d.LoadsOf(historySource)) > 0 {
		return ""
	}
	var years []string
	for _, one := range line {
		years = append(years, strconv.Itoa(one.Year))
	}
	return state.YearsLoaded + strings.Join(years, ", ") + ". Other censuses are not."
}

func listBirths(t *stats.Territory) ([]YearBirths, []stats.Figure) {
	list, figures := []YearBirths{}, []stats.Figure{}
	for _, period := range t.Years(source.PopulationBirths, source.PopulationDeaths) {
		births, deaths := t.At(source.PopulationBirths, period), t.At(source.PopulationDeaths, period)
		y := YearBirths{Year: stats.YearOf(period), Births: stats.Whole(births.Value),
			Deaths: stats.Whole(deaths.Value)}
		y.Balance = stats.Whole(stats.Minus(births.Value, deaths.Value))
		y.Coverage = stats.EnvelopeOf(births, deaths).Coverage
		list, figures = append(list, y), append(figures, births, deaths)
	}
	return list, figures
}

// sumBirths lists the births and deaths of a territory above communes: those that are published for it, else
// the sum of its communes, of which nearly all have to be known.
func sumBirths(_ *stats.Data, t *stats.Territory) (*[]YearBirths, *stats.Origin) {
	list, figures := listBirths(t)
	if len(list) == 0 {
		return nil, nil
	}
	origin := stats.OriginOf(figures...)
	if slices.ContainsFunc(figures, func(f stats.Figure) bool { return f.Coverage > 0 }) {
		origin.Source += "; method sum of the communes"
	}
	return &list, origin
}

func populationTimeline(_ *stats.Data, t *stats.Territory) (*[]YearPopulation, *stats.Origin) {
	line, figures := buildTimeline(t)
	if len(line) == 0 {
		return nil, nil
	}
	return &line, stats.OriginOf(figures...)
}
