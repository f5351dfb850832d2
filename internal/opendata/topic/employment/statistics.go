package employment

import (
	"slices"
	"strings"

	"arpent/internal/opendata/stats"
)

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Object("emploi", "Activity and unemployment of those aged 15 to 64, and of the zone d'emploi.",
				buildEmployment).
				At(stats.Commune, 7).From("rp-emploi*", "comparateur-emploi", "chomage-*", "zones-emploi*").OfResidents().
				Part("employmentZone", "chomage-zones*", "zones-emploi*").Part("jobsAtWorkplace", "rp-emploi*"),
			stats.Decimal("unemploymentRate", "Localised unemployment rate (ILO), newest quarter, in percent. Where none is loaded rankings.censusUnemploymentRate has that of the census, which is higher.", UnemploymentRate, 1).
				At(stats.Departement, 4).At(stats.Region, 4).From("chomage-departements", "chomage-regions").
				Related(pointToOtherRates),
			stats.Object("emploi", "Activity and unemployment of those aged 15 to 64.", buildEmployment).
				At(stats.Departement, 18).From("rp-emploi*", "comparateur-emploi", "chomage-*", "zones-emploi*").
				Part("jobsAtWorkplace", "rp-emploi*"),
		},
		Metrics: []stats.Metric{
			{Name: "unemploymentRate", Unit: "percent", Ascending: true, Of: map[stats.Level]func(*stats.Territory) []stats.Point{
				stats.Commune:     rankCensusRate,
				stats.Departement: stats.FiguresOf(UnemploymentRate, 2),
				stats.Region:      stats.FiguresOf(UnemploymentRate, 2),
			}},
			{Name: "censusUnemploymentRate", Unit: "percent", Ascending: true, Of: stats.Above(rankCensusRate)},
		},
	}
}

// censusMethod is named with the source of unemployment rates that are ranked next to, or in place of,
// localised ones.
const censusMethod = "; method census, not the localised rate"

// pointToOtherRates says where the rate of the census is, of a territory that has it, and where those of the
// employment zones of its communes are.
func pointToOtherRates(d *stats.Data, t *stats.Territory) (said string) {
	if len(rankCensusRate(t)) > 0 {
		said = "rankings.censusUnemploymentRate has that of the census, which is higher."
	}
	parts := t.Children
	if t.Level == stats.Region && len(parts) > 0 {
		parts = parts[0].Children
	}
	if slices.ContainsFunc(parts, func(c *stats.Territory) bool { return employmentZone(d, c) != nil }) {
		said += " Communes have the quarterly rate of their employment zone as emploi.employmentZone: list_communes."
	}
	return strings.TrimSpace(said)
}

// rankCensusRate ranks by the unemployed in percent of the active, as the census defines them.
func rankCensusRate(t *stats.Territory) []stats.Point {
	points := stats.Quotient(EmploymentUnemployed, EmploymentActive, 100, 2)(t)
	for i := range points {
		points[i].Method = censusMethod
	}
	return points
}
