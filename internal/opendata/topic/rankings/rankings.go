package rankings

import (
	"reflect"
	"slices"
	"strings"

	"arpent/internal/opendata/stats"
)

// Ranks holds the rank by each metric; null where the value of the territory is
// not known, or too few territories have one.
type Ranks[T any] struct {
	Population        *T `json:"population" doc:"Municipal population, highest first."`
	Density           *T `json:"density" doc:"Inhabitants per km² of land, as INSEE publishes it, highest first."`
	Growth            *T `json:"growth" doc:"Change of the population, in percent a year, highest first."`
	MedianIncome      *T `json:"medianIncome" doc:"Median disposable income per consumption unit, euros a year, highest first."`
	PovertyRate       *T `json:"povertyRate" doc:"Share of the inhabitants below 60 % of the national median, in percent, lowest first."`
	UnemploymentRate  *T `json:"unemploymentRate" doc:"Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and régions. The two are not comparable."`
	VacancyRate       *T `json:"vacancyRate" doc:"Vacant dwellings in percent of all (census), lowest first."`
	SecondaryHomeRate *T `json:"secondaryHomeRate" doc:"Second homes in percent of all dwellings (census), highest first."`
	APL               *T `json:"apl" doc:"Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first."`
	EquipmentPer10000 *T `json:"equipmentPer10000" doc:"Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the census nearest to their year: in Mayotte that of 2017."`
	DebtPerInhabitant *T `json:"debtPerInhabitant" doc:"Debt of the authority per inhabitant, euros, lowest first."`
}

// CommuneRankings holds the ranks of a commune.
type CommuneRankings struct {
	stats.Envelope
	Ranks[CommuneRank]
	Definition *stats.Definition `json:"definition" doc:"What the ranks are."`
}

var definition = stats.Define("Rank 1 has the highest value, or the lowest where direction is asc: an order and no judgement. All are ranked by values of one period; "+
	"of counts those that have one; where fewer than four in five do, no territory is ranked. Next to each value stands that of France.", "rankings")

// CommuneRank is the rank of a commune among all that have a value, and among those of its département.
type CommuneRank struct {
	Ranking
	National    Position  `json:"national" doc:"Among all communes."`
	Departement *Position `json:"departement" doc:"Among the communes of its département."`
}

// Rankings holds the ranks of a département or région.
type Rankings struct {
	stats.Envelope
	Ranks[Rank]
	CrimeRate              *Rank             `json:"crimeRate" doc:"Offences recorded per 1 000 inhabitants, the sum of eleven series that make ten kinds (method sum10-v1), lowest first."`
	LifeExpectancy         *Rank             `json:"lifeExpectancy" doc:"Life expectancy at birth in years, the mean of women and men, highest first."`
	CensusUnemploymentRate *Rank             `json:"censusUnemploymentRate" doc:"Unemployed in percent of the active aged 15 to 64 as defined by the census, lowest first: higher than the localised rate, and known where that is not loaded."`
	BurglaryRate           *Rank             `json:"burglaryRate" doc:"Burglaries of dwellings recorded per 1 000 dwellings, lowest first: of a département as published, of régions and France those of all their départements together."`
	Definition             *stats.Definition `json:"definition" doc:"What the ranks are."`
}

// Rank is the rank of a département among the 101, of a région among the 18.
type Rank struct {
	Ranking
	Position
}

// Ranking is the metric of a rank. All territories are ranked by the same period: the newest for which four
// in five have a value. Those whose newest value is of another year are not in it.
type Ranking struct {
	Year   *int    `json:"year" doc:"Year of the values, the same for all that are ranked: those without a value of it have no rank." example:"2021"`
	Period string  `json:"period,omitempty" doc:"Period of the values as named by the producer, where it is not a year: a quarter, or the first and last year of a change." example:"2016-2023"`
	Value  float64 `json:"value" doc:"Ranked value, in unit." example:"0.61"`
	Unit   string  `json:"unit" doc:"What value and the figure for France are counted in." example:"percent per year"`
	// MixedYears and SmallBase are left out where there is nothing to say.
	MixedYears []int `json:"mixedYears,omitempty" doc:"The years of the figures that the value is computed from, where they are of several: inhabitants of 2023 on the land area of 2021."`
	SmallBase  bool  `json:"smallBase,omitempty" doc:"True where the value is a share of fewer than 200 persons, dwellings or inhabitants: one more or less moves it and the rank. Of fewer than 200 INSEE advises not to use census counts."`
	// Coverage is nil unless some communes are missing.
	Coverage  *float64 `json:"coverage,omitempty" minimum:"0" maximum:"1" doc:"Only where the value is of most communes: the share of the inhabitants (0 to 1) that live in these." example:"0.9998"`
	Direction string   `json:"direction" enum:"desc,asc" doc:"desc: the highest value has rank 1; asc: the lowest."`
	Source    string   `json:"source" doc:"Producer and title of the data set."`
	France    *France  `json:"france" doc:"The figure for France to compare the value with, of the same period; null where none can be said, as for medians whose producer's national figure is not loaded."`
}

// France is the figure of the whole country, to compare with a ranked value.
type France struct {
	Value    float64  `json:"value" doc:"The figure for France: always of the period of the ranked values, and by the same definition." example:"106.7"`
	Basis    string   `json:"basis" enum:"producer,totals,weighted,mean" doc:"producer: the national figure that the producer publishes. totals: the same computation from the totals of France, all inhabitants or dwellings together; of accounts, from the totals of all authorities of the level. weighted: the mean weighted as for a département. mean: the mean of the ranked territories, each counted once (population alone)." example:"totals"`
	Sum      *float64 `json:"sum,omitempty" doc:"With the basis mean: the ranked territories together, as the inhabitants of all of them."`
	Source   string   `json:"source,omitempty" doc:"Producer and title of the data set, where it is not that of the value."`
	Coverage *float64 `json:"coverage,omitempty" minimum:"0" maximum:"1" doc:"The share of the inhabitants (0 to 1) that live where the figure is known; absent when that is all of them."`
}

// franceFigure is the figure of the whole country for a value from a source.
func franceFigure(a *stats.Average, source string) *France {
	if a == nil {
		return nil
	}
	out := France{Value: a.Value, Basis: string(a.Basis), Sum: a.Sum, Source: a.From.Text, Coverage: a.Coverage}
	if out.Source == source {
		out.Source = ""
	}
	return &out
}

// Position is a rank among the territories that have a value.
type Position struct {
	Rank int `json:"rank" minimum:"1" doc:"One plus the number of better territories. Equal values share a rank: 1, 2, 2, 4."`
	Of   int `json:"of" minimum:"1" doc:"Number of territories with a value."`
}

func rankingOf(s stats.Standing) Ranking {
	out := Ranking{Year: stats.Year(s.Period), Period: s.Period, Value: s.Value, Unit: s.Unit, Direction: "desc",
		Source:     s.From.Text + s.Method,
		MixedYears: s.From.Years, SmallBase: s.SmallBase, Coverage: stats.RoundCoverage(s.Coverage),
		France: franceFigure(s.France, s.From.Text)}
	if out.Year != nil && s.Period == stats.YearPeriod(*out.Year) {
		out.Period = ""
	}
	if s.Ascending {
		out.Direction = "asc"
	}
	return out
}

// envelopeOfRanks returns all sources, and the newest year.
func envelopeOfRanks(all []stats.Standing) stats.Envelope {
	var loads []*stats.Load
	for _, s := range all {
		loads = append(loads, s.From.Loads...)
	}
	e := stats.EnvelopeOfLoads(loads)
	var labels []string
	for _, s := range all {
		labels = append(labels, s.From.Labels...)
		if y := stats.Year(s.Period); y != nil {
			e.Year = stats.Newer(e.Year, *y)
		}
	}
	slices.Sort(labels)
	e.Source = strings.Join(slices.Compact(labels), "; ")
	return e
}

func communeRankings(d *stats.Data, t *stats.Territory) *CommuneRankings {
	all := d.Standings(t)
	if len(all) == 0 {
		return nil
	}
	out := CommuneRankings{Envelope: envelopeOfRanks(all), Definition: definition}
	fields := out.fieldsByMetric()
	for _, s := range all {
		one := CommuneRank{Ranking: rankingOf(s), National: Position{int(s.Rank), int(s.Of)}}
		if t.Parent != nil {
			one.Departement = &Position{int(s.Near), int(s.NearOf)}
		}
		*fields[s.Metric] = &one
	}
	return &out
}

func buildRankings(d *stats.Data, t *stats.Territory) *Rankings {
	all := d.Standings(t)
	if len(all) == 0 {
		return nil
	}
	out := Rankings{Envelope: envelopeOfRanks(all), Definition: definition}
	fields := out.fieldsByMetric()
	fields["crimeRate"], fields["lifeExpectancy"] = &out.CrimeRate, &out.LifeExpectancy
	fields["censusUnemploymentRate"], fields["burglaryRate"] = &out.CensusUnemploymentRate, &out.BurglaryRate
	for _, s := range all {
		*fields[s.Metric] = &Rank{Ranking: rankingOf(s), Position: Position{int(s.Rank), int(s.Of)}}
	}
	return &out
}

// fieldsByMetric are the ranks by their metrics. A metric without a
// field fails in the first test that renders.
func (r *Ranks[T]) fieldsByMetric() map[string]**T {
	return map[string]**T{
		"population": &r.Population, "density": &r.Density, "growth": &r.Growth, "medianIncome": &r.MedianIncome,
		"povertyRate": &r.PovertyRate, "unemploymentRate": &r.UnemploymentRate, "vacancyRate": &r.VacancyRate,
		"secondaryHomeRate": &r.SecondaryHomeRate, "apl": &r.APL, "equipmentPer10000": &r.EquipmentPer10000,
		"debtPerInhabitant": &r.DebtPerInhabitant,
	}
}

// MetricDoc documents a metric of the rankings.
type MetricDoc struct {
	Name, Doc string
	Ascending bool // the lowest value has rank 1
	Levels    []stats.Level
}

// Explain documents the metrics, in the order of the members of Rankings.
func Explain(metrics []stats.Metric) (out []MetricDoc) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Rankings]()) {
		i := slices.IndexFunc(metrics, func(m stats.Metric) bool { return m.Name == stats.JsonName(f) })
		if i < 0 {
			continue
		}
		one := MetricDoc{Name: metrics[i].Name, Doc: f.Tag.Get("doc"), Ascending: metrics[i].Ascending}
		for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
			if metrics[i].Of[level] != nil {
				one.Levels = append(one.Levels, level)
			}
		}
		out = append(out, one)
	}
	return out
}
