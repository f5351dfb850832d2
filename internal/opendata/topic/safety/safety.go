package safety

import (
	"encoding/json"
	"slices"

	"arpent/internal/opendata/stats"
)

// Safety is the offences recorded by police and gendarmerie.
type Safety struct {
	stats.Envelope
	Labels     string          `json:"labels" enum:"2024,2025" doc:"List of labels of the series: 2024 for the editions until early 2025, 2025 since July 2025. Series of the two lists count different things."`
	Population *int            `json:"population" doc:"Population used for the rates of that year, as published with them."`
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
	Disclosed   bool     `json:"disclosed" doc:"False where the producer withholds the figure: five offences or fewer in three consecutive years."`
}

// SafetyYear is a kind of offence in one year.
type SafetyYear struct {
	Year        int      `json:"year" doc:"Year in which the offences were recorded."`
	Key         string   `json:"key" example:"burglary" doc:"As in categories."`
	Count       *int     `json:"count" doc:"Number recorded."`
	RatePer1000 *float64 `json:"ratePer1000" doc:"Number per 1 000 of the denominator."`
	Denominator string   `json:"denominator" enum:"inhabitants,dwellings" doc:"Denominator of the rate: dwellings for burglaries, inhabitants for all others."`
	Base        *int     `json:"base" doc:"How many of the denominator there are in that year, as published with the figures; null where that is not published." example:"50595"`
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

func buildSafety(_ *stats.Data, t *stats.Territory) *Safety {
	list, period := safetyList(t)
	if list == "" {
		return nil
	}
	out := &Safety{Labels: list, Categories: []SafetyOffence{}, Timeline: []SafetyYear{}, Note: safetyNote}
	inhabitants := t.At(SafetyPopulation(list), period)
	out.Population, out.ForceType = stats.Whole(inhabitants.Value), forceType(t)
	figures := []stats.Figure{inhabitants}
	for _, o := range Offences(list) {
		count := t.At(SafetyCount(list, o.Key), period)
		if count.Value == nil && count.Status != "secret" {
			continue
		}
		figures = append(figures, count)
		denominator, bases := "inhabitants", SafetyPopulation(list)
		if o.Key == OffenceBurglary {
			denominator, bases = "dwellings", SafetyDwellings(list)
		}
		base := func(period string) *int { return stats.Whole(t.At(bases, period).Value) }
		out.Categories = append(out.Categories, SafetyOffence{
			Key: o.Key, Label: o.Label, Unit: o.Unit, Count: stats.Whole(count.Value), RatePer1000: safetyRate(t, list,
				o.Key, count),
			Denominator: denominator, Base: base(period), Disclosed: count.Value != nil,
		})
		for _, f := range t.Series(SafetyCount(list, o.Key)) {
			if f.Value != nil {
				out.Timeline = append(out.Timeline, SafetyYear{f.Year(), o.Key, stats.Whole(f.Value),
					safetyRate(t, list, o.Key, f), denominator, base(f.Period)})
			}
		}
	}
	if len(out.Categories) == 0 {
		return nil
	}
	slices.SortStableFunc(out.Timeline, func(a, b SafetyYear) int { return a.Year - b.Year })
	out.Envelope = stats.EnvelopeOf(figures...)
	return out
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

// safetyRate returns the rate of a number. That of burglaries is as published;
// the others are computed from the inhabitants.
func safetyRate(t *stats.Territory, list, key string, count stats.Figure) *float64 {
	if key == OffenceBurglary {
		return stats.Round(t.At(SafetyBurglaryRate(list), count.Period).Value, 4)
	}
	return stats.Ratio(count.Value, t.At(SafetyPopulation(list), count.Period).Value, 1000, 4)
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
	if one == "" {
		return nil
	}
	return &one
}
