package stats_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/stats"
	"arpent/api/topic"
)

// contract is written from the published description of the statistics, by hand: nothing of it is taken from the program.
var contract = map[stats.Level]string{
	stats.Commune: "finances revenus population logement logementRP equipements emploi securite election maire politicalScore" +
		" municipalWave presidentialWave rankings climateAnomaly travelTime waterQuality airQuality apl namedServices geography" +
		" nuisibles anfr",
	stats.Departement: "population medianIncome povertyRate unemploymentRate totalHousing vacantHousing equipements crimeRate" +
		" finances lifeExpectancy rankings climateAnomaly populationTimeline revenus logement logementRP equipementsDetail emploi" +
		" securite election apl politicalScore municipalWave presidentialWave",
	stats.Region: "population medianIncome povertyRate unemploymentRate totalHousing vacantHousing equipements crimeRate finances" +
		" pib demography lifeExpectancy rankings climateAnomaly election politicalScore municipalWave presidentialWave",
}

// beyondContract are keys that we add after those of the contract.
var beyondContract = map[stats.Level]string{stats.Departement: "demography"}

// A customer finds every key of the contract at each level, once and in its order, and what we add after them.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	for level, keys := range contract {
		want := strings.Fields(keys + " " + beyondContract[level])
		if got := topic.Statistics().Keys(level); !slices.Equal(got, want) {
			t.Errorf("%s has the keys\n%s\nthe contract has\n%s", level, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}
