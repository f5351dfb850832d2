package safety

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/stats"
)

// sum10 lists the series that crimeRate sums, version 1: ten kinds of offences, which are eleven series since
// 2025 and were ten before. They are chosen so that no act is in two of them and both lists of labels have
// them all: physical violence (one kind: the two lines of 2025 are the only ones that the producer allows to
// be summed, and the one line of 2024 is their sum), sexual violence, the two kinds of robbery, theft from
// persons, burglary (by its number), the three kinds of theft around vehicles, and damage. Not included:
// homicides and attempts, which are not published for communes; fraud, which is located at the residence of
// the victim; drugs, which count accused persons and are not additive.
var sum10 = map[string][]string{
	Safety2024: {"assault", "sexualViolence", "armedRobbery", "unarmedRobbery", "theftFromPersons",
		OffenceBurglary, "vehicleTheft", "theftFromVehicles", "vehicleParts", "damage"},
	Safety2025: {"physicalViolenceFamily", "physicalViolenceOther", "sexualViolence", "armedRobbery",
		"unarmedRobbery",
		"theftFromPersons", OffenceBurglary, "vehicleTheft", "theftFromVehicles", "vehicleParts", "damage"},
}

var crimeDefinitions = map[string]*stats.Definition{
	Safety2024: defineCrime("ten series (assault, "),
	Safety2025: defineCrime("eleven series (physical violence within and outside the family, "),
}

func defineCrime(series string) *stats.Definition {
	return stats.Define("Offences recorded by police and gendarmerie in the year, per 1 000 inhabitants as the producer counts them: the sum of "+series+
		"sexual violence, robbery with and without a weapon, theft from persons, burglary of dwellings, theft of, from and off vehicles, damage) in which "+
		"no act counts twice. Without homicide, fraud and drugs.", "crime")
}

const (
	sum10Method = "; method sum10-v1"
	sum10Summed = "; method sum10-v1, summed from the départements"
)

// newestFigures returns the list of labels and the year of the newest figures of a territory, and the
// territories that they are of. A région has the producer's own figures; where these are missing or older
// than those of its départements, it has the sum over its départements.
func newestFigures(t *stats.Territory) (parts []*stats.Territory, list, period string) {
	list, period = safetyList(t)
	if t.Level == stats.Region && len(t.Children) > 0 {
		if of, newest := safetyList(t.Children[0]); newest > period {
			return t.Children, of, newest
		}
	}
	return []*stats.Territory{t}, list, period
}

// crimeRate returns the number of offences of sum10 per 1 000 inhabitants in the newest year.
func crimeRate(_ *stats.Data, t *stats.Territory) (*float64, *stats.Origin) {
	parts, list, period := newestFigures(t)
	if list == "" {
		return nil, nil
	}
	method := sum10Method
	if parts[0] != t {
		method = sum10Summed
	}
	offences, inhabitants, figures := sum10Of(parts, list, period)
	rate := stats.Ratio(offences, inhabitants, 1000, 2)
	if rate == nil {
		return nil, nil
	}
	origin := stats.OriginOf(figures...)
	origin.Source, origin.Definition = origin.Source+method, crimeDefinitions[list]
	return rate, origin
}

// sum10Of sums the offences and the inhabitants of territories; nil if one is missing.
func sum10Of(
	parts []*stats.Territory, list, period string) (offences, inhabitants *float64, figures []stats.Figure) {
	var sum, people float64
	for _, t := range parts {
		p := t.At(SafetyPopulation(list), period)
		if p.Value == nil {
			return nil, nil, nil
		}
		people += *p.Value
		for _, key := range sum10[list] {
			f := t.At(SafetyCount(list, key), period)
			if f.Value == nil {
				return nil, nil, nil
			}
			sum += *f.Value
			figures = append(figures, f)
		}
	}
	return &sum, &people, figures
}

// offenceRate is a rate that territories are ranked by, by each list of offences, which are not comparable.
type offenceRate struct {
	measure     func(list string) string // whose years it has
	own, summed string                   // the methods: of a territory, and of several départements together
	divide      func(parts []*stats.Territory, list, period string) (rate, whole *float64, figures []stats.Figure)
}

var (
	// crimes are the offences of sum10 per 1 000 inhabitants.
	crimes = offenceRate{SafetyPopulation, sum10Method, sum10Summed,
		func(parts []*stats.Territory, list, period string) (*float64, *float64, []stats.Figure) {
			offences, inhabitants, figures := sum10Of(parts, list, period)
			return stats.Ratio(offences, inhabitants, 1000, 2), nil, figures
		}}
	// burglaries are those per 1 000 dwellings, as published.
	burglaries = offenceRate{SafetyBurglaryRate, "", "; method burglary-v1, summed from the départements",
		func(parts []*stats.Territory, list, period string) (*float64, *float64, []stats.Figure) {
			count, dwellings, figures := sumSeries(parts, list, OffenceBurglary, period)
			return stats.Ratio(count, dwellings, 1000, 4), dwellings, figures
		}}
)

// listPoints returns the rates of a territory. A région without figures of the producer is the sum of its
// départements.
func (r offenceRate) listPoints(t *stats.Territory) (out []stats.Point) {
	for _, list := range []string{Safety2024, Safety2025} {
		parts, method := []*stats.Territory{t}, r.own
		if t.Level == stats.Region && len(t.Series(r.measure(list))) == 0 {
			parts, method = t.Children, r.summed
		}
		out = append(out, r.pointsOf(parts, list, method)...)
	}
	return out
}

// ofFrance returns the rates of all départements together.
func (r offenceRate) ofFrance(d *stats.Data, _ stats.Level) (out []stats.Point) {
	for _, list := range []string{Safety2024, Safety2025} {
		out = append(out, r.pointsOf(d.Departements, list, r.summed)...)
	}
	for i := range out {
		out[i].Basis = stats.Totals
	}
	return out
}

// pointsOf returns the rate of several territories together in each year that all of them have.
func (r offenceRate) pointsOf(parts []*stats.Territory, list, method string) (out []stats.Point) {
	if len(parts) == 0 {
		return nil
	}
	for _, f := range parts[0].Series(r.measure(list)) {
		if rate, whole, figures := r.divide(parts, list, f.Period); rate != nil {
			p := stats.PointOf(f.Period, *rate, figures...).Of(stats.Figure{Value: whole})
			p.Variant, p.Method = list, method
			out = append(out, p)
		}
	}
	return out
}

// sumSeries returns what territories have together of a kind of offence in a year: the number recorded and
// that of the inhabitants or dwellings that its rate is per 1 000 of; nil where one of them lacks it. The
// dwellings of one are those that the producer counted, else as many as its number and its rate make.
func sumSeries(parts []*stats.Territory, list, key, period string) (count, base *float64,
	figures []stats.Figure) {
	count, base = new(0.0), new(0.0)
	for _, t := range parts {
		one, of := t.At(SafetyCount(list, key), period), t.At(SafetyPopulation(list), period).Value
		if key == OffenceBurglary {
			rate := t.At(SafetyBurglaryRate(list), period).Value
			of = t.At(SafetyDwellings(list), period).Value
			if of == nil && one.Value != nil && rate != nil && *rate > 0 {
				of = new(*one.Value * 1000 / *rate)
			}
		}
		if one.Value == nil {
			return nil, nil, nil
		}
		*count += *one.Value
		if of == nil {
			base = nil
		} else if base != nil {
			*base += *of
		}
		figures = append(figures, one)
	}
	return count, base, figures
}

// seriesYear is a kind of offence by a list of labels in a year.
type seriesYear struct{ list, key, period string }

// countryRates are the rates of all départements together.
var countryRates stats.Slot[map[seriesYear]*float64]

// sumCountry computes the rate of each kind of offence in each year that all départements have.
func sumCountry(_ context.Context, _ pgx.Tx, d *stats.Data) error {
	rates := map[seriesYear]*float64{}
	for _, list := range []string{Safety2024, Safety2025} {
		for _, o := range Offences(list) {
			if len(d.Departements) == 0 {
				continue
			}
			for _, f := range d.Departements[0].Series(SafetyCount(list, o.Key)) {
				count, base, _ := sumSeries(d.Departements, list, o.Key, f.Period)
				rates[seriesYear{list, o.Key, f.Period}] = stats.Ratio(count, base, 1000, 4)
			}
		}
	}
	countryRates.Put(d, rates)
	return nil
}

// CrimeOffences returns the kinds of offences that crimeRate sums, by list of labels.
func CrimeOffences() map[string][]Offence {
	out := map[string][]Offence{}
	for list, keys := range sum10 {
		for _, o := range Offences(list) {
			if slices.Contains(keys, o.Key) {
				out[list] = append(out[list], o)
			}
		}
	}
	return out
}
