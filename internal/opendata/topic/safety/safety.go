package safety

import (
	"encoding/json"
	"fmt"
	"slices"

	"arpent/internal/opendata/stats"
)

// Safety is the offences recorded by police and gendarmerie.
type Safety struct {
	stats.Envelope
	Labels     string          `json:"labels" enum:"2024,2025" doc:"List of labels of the series: 2024 for the editions until early 2025, 2025 since July 2025. Series of the two lists count different things."`
	Population *int            `json:"population" doc:"Population used for the rates of that year, as published with them; of a région whose départements are summed theirs together."`
	ForceType  *string         `json:"forceType" enum:"police,gendarmerie,mixed" doc:"Force in charge; for a département that of its communes; null where it is not known."`
	Categories []SafetyOffence `json:"categories" doc:"Offences of the newest year. They must not be summed: units differ, and an act can be in two of them."`
	Timeline   []SafetyYear    `json:"timeline" doc:"Disclosed figures by year, oldest first. What is not disclosed is left out."`
	Note       string          `json:"note" doc:"How to read the figures."`
}

// SafetyOffence is a kind of offence in the newest year.
type SafetyOffence struct {
	Key         string   `json:"key" example:"burglary" doc:"Stable name of the series within its list of labels."`
	Label       string   `json:"label" example:"Cambriolages de logement" doc:"Label as published."`
	Unit        string   `json:"unit" example:"infraction" doc:"What is counted, as published: victime, victime entendue, infraction, véhicule, mis en cause."`
	Count       *int     `json:"count" doc:"Number recorded; null where it is not disclosed."`
	RatePer1000 *float64 `json:"ratePer1000" doc:"Number per 1 000 of the denominator; null where it is not disclosed."`
	Denominator string   `json:"denominator" enum:"inhabitants,dwellings" doc:"Denominator of the rate: dwellings for burglaries, inhabitants for all others."`
	Base        *int     `json:"base" doc:"How many of the denominator there are, as published with the figures; null where that is not published." example:"50595"`
	// AllDepartementsRatePer1000 is null where the counts of a département are missing.
	AllDepartementsRatePer1000 *float64 `json:"allDepartementsRatePer1000" doc:"ratePer1000 of all départements together in the same year, from their counts, to compare with; null where those of one are not loaded." example:"5.7412"`
	Note                       string   `json:"note,omitempty" doc:"Only of drug use in years with fixed fines: how many of the persons had one, and how many had none."`
	Disclosed                  bool     `json:"disclosed" doc:"False where the producer withholds the figure: five offences or fewer in three consecutive years."`
}

// SafetyYear is a kind of offence in one year.
type SafetyYear struct {
	Year        int      `json:"year" doc:"Year in which the offences were recorded."`
	Key         string   `json:"key" example:"burglary" doc:"As in categories."`
	Count       *int     `json:"count" doc:"Number recorded."`
	RatePer1000 *float64 `json:"ratePer1000" doc:"Number per 1 000 of the denominator."`
	Denominator string   `json:"denominator" enum:"inhabitants,dwellings" doc:"Denominator of the rate: dwellings for burglaries, inhabitants for all others."`
	Base        *int     `json:"base" doc:"How many of the denominator there are in that year, as published with the figures; null where that is not published." example:"50595"`
	Note        string   `json:"note,omitempty" doc:"As in categories."`
}

// SeriesKeys are the keys of both lists of labels.
func (SafetyOffence) SeriesKeys() []string { return offenceKeys() }

// SeriesKeys are the keys of both lists of labels.
func (SafetyYear) SeriesKeys() []string { return offenceKeys() }

func offenceKeys() (keys []string) {
	for _, list := range []string{Safety2025, Safety2024} {
		for _, o := range Offences(list) {
			if !slices.Contains(keys, o.Key) {
				keys = append(keys, o.Key)
			}
		}
	}
	return keys
}

const safetyNote = "Recorded offences depend on what is reported and on police presence. They are placed where they took place, " +
	"fraud where the victim lives. Drug lines count accused persons."

func buildSafety(d *stats.Data, t *stats.Territory) *Safety {
	parts, list, period := newestFigures(t)
	if list == "" {
		return nil
	}
	out := &Safety{Labels: list, Categories: []SafetyOffence{}, Timeline: []SafetyYear{}, Note: safetyNote}
	population := sumPublished(parts, SafetyPopulation(list), period)
	out.Population, out.ForceType = population, forceType(t)
	figures := []stats.Figure{parts[0].At(SafetyPopulation(list), period)}
	for _, o := range Offences(list) {
		published := parts[0].At(SafetyCount(list, o.Key), period)
		count, _, counts := sumSeries(parts, list, o.Key, period)
		if count == nil && published.Status != "secret" {
			continue
		}
		figures = append(figures, counts...)
		denominator, bases := "inhabitants", SafetyPopulation(list)
		if o.Key == OffenceBurglary {
			denominator, bases = "dwellings", SafetyDwellings(list)
		}
		out.Categories = append(out.Categories, SafetyOffence{
			Key: o.Key, Label: o.Label, Unit: o.Unit, Count: stats.Whole(count),
			RatePer1000: seriesRate(parts, list, o.Key, period),
			Denominator: denominator, Base: sumPublished(parts, bases, period), Disclosed: count != nil,
			AllDepartementsRatePer1000: countryRates.Of(d)[seriesYear{list, o.Key, period}],
			Note:                       describeFines(parts, list, o.Key, period),
		})
		for _, f := range parts[0].Series(SafetyCount(list, o.Key)) {
			if count, _, _ := sumSeries(parts, list, o.Key, f.Period); count != nil {
				out.Timeline = append(out.Timeline, SafetyYear{f.Year(), o.Key, stats.Whole(count),
					seriesRate(parts, list, o.Key, f.Period), denominator, sumPublished(parts, bases, f.Period),
					describeFines(parts, list, o.Key, f.Period)})
			}
		}
	}
	if len(out.Categories) == 0 {
		return nil
	}
	slices.SortStableFunc(out.Timeline, func(a, b SafetyYear) int { return a.Year - b.Year })
	if out.Envelope = stats.EnvelopeOf(figures...); parts[0] != t {
		out.Source += "; summed from the départements"
	}
	return out
}

// sumPublished returns the sum of the published figures of a measure; nil where a territory has none.
func sumPublished(parts []*stats.Territory, measure, period string) *int {
	sum := 0.0
	for _, t := range parts {
		f := t.At(measure, period)
		if f.Value == nil {
			return nil
		}
		sum += *f.Value
	}
	return stats.Whole(&sum)
}

// describeFines returns, for drug use in a year with fixed fines, how many of the persons had one; empty for
// what has none.
func describeFines(parts []*stats.Territory, list, key, period string) string {
	if key != drugUse.Key {
		return ""
	}
	fined, _, _ := sumSeries(parts, list, drugUseFines.Key, period)
	all, _, _ := sumSeries(parts, list, key, period)
	if fined == nil || all == nil || *fined == 0 {
		return ""
	}
	return fmt.Sprintf("Includes %.0f persons with a fixed fine (AFD), which exists since 2020; "+
		"%.0f without one.", *fined, *all-*fined)
}

// safetyList returns the list of labels used for a territory, and its newest year. Each edition republishes
// all years, so that the one with the newest year is used.
func safetyList(t *stats.Territory) (list, period string) {
	for _, l := range []string{Safety2025, Safety2024} {
		for _, f := range slices.Backward(t.Series(SafetyPopulation(l))) {
			if f.Value != nil && f.Period > period {
				list, period = l, f.Period
			}
		}
	}
	return list, period
}

// seriesRate returns the rate of a kind of offence in a year. That of burglaries of one territory is as
// published; the others are computed from their denominators.
func seriesRate(parts []*stats.Territory, list, key, period string) *float64 {
	if key == OffenceBurglary && len(parts) == 1 {
		return stats.Round(parts[0].At(SafetyBurglaryRate(list), period).Value, 4)
	}
	count, base, _ := sumSeries(parts, list, key, period)
	return stats.Ratio(count, base, 1000, 4)
}

// forceType returns the force in charge of a territory: for a larger one "mixed" unless all its communes have
// the same one, and nil while one of them is not known.
func forceType(t *stats.Territory) *string {
	var one string
	for _, c := range stats.CommunesOf(t) {
		facts := c.Facts(ForceKind)
		if len(facts) == 0 {
			return nil
		}
		var fact struct{ Force string }
		if json.Unmarshal(facts[len(facts)-1].Attrs, &fact) != nil {
			return nil
		}
		if one != "" && one != fact.Force {
			fact.Force = "mixed"
		}
		one = fact.Force
	}
	return stats.OmitZero(one)
}
