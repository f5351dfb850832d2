package stats

import (
	"slices"
	"strings"

	"arpent/api/topic"
)

// beginnings says what each key is made from: sources whose names begin so. Keys that are computed name the sources of
// what they are computed from.
var beginnings = map[string][]string{
	"finances":           {"finances-"},
	"revenus":            {"filosofi-"},
	"medianIncome":       {"filosofi-"},
	"povertyRate":        {"filosofi-"},
	"population":         {"population-", "births-", "deaths-", "comparateur-population", "comparateur-naissances"},
	"populationTimeline": {"population-", "comparateur-population"},
	"demography":         {"population-", "births-", "deaths-", "comparateur-population", "comparateur-naissances", "rp-evolution-"},
	"logement":           {"housing-census", "housing-observatory", "vacancy-"},
	"logementRP":         {"housing-"},
	"totalHousing":       {"housing-census", "housing-observatory"},
	"vacantHousing":      {"housing-census", "housing-observatory"},
	"equipements":        {"facilities"},
	"equipementsDetail":  {"facilities"},
	"emploi":             {"rp-emploi", "comparateur-emploi", "chomage-", "zones-emploi"},
	"unemploymentRate":   {"chomage-"},
	"securite":           {"safety-"},
	"crimeRate":          {"safety-"},
	"election":           {"election-"},
	"maire":              {"mayors", "election-municipales", "election-agregee"},
	"politicalScore":     {"election-presidentielle", "election-legislatives", "election-agregee"},
	"municipalWave":      {"election-municipales", "election-agregee"},
	"presidentialWave":   {"election-presidentielle", "election-agregee"},
	"rankings": {"population-", "comparateur-", "filosofi-", "rp-emploi", "chomage-", "housing-census", "housing-observatory", "apl-", "facilities",
		"finances-", "safety-", "life-"},
	"climateAnomaly": {"climat-"},
	"travelTime":     {"travel-times", "departement-prefectures"},
	"waterQuality":   {"tap-", "water-network-populations"},
	"airQuality":     {"air-"},
	"apl":            {"apl-"},
	"namedServices":  {"finess", "schools", "railway-stations", "station-list", "high-speed-stations", "bpe", "osm-supermarkets"},
	"geography":      {"commune-geography"},
	"nuisibles":      {"pest-reports"},
	"anfr":           {"mobile-supports"},
	"lifeExpectancy": {"life-expectancy-"},
	"pib":            {"comptes-regionaux", "eurostat-gdp"},
}

// madeFrom lists the sources of a key, in the order of the catalogue. Those that tell of another level alone are left out.
func madeFrom(level Level, key string) (names []string) {
	for _, s := range topic.Sources() {
		if (tables[s.Target.Table] || closestSources[s.Name]) && tellsOf(level, s.Name) &&
			slices.ContainsFunc(beginnings[key], func(b string) bool { return strings.HasPrefix(s.Name, b) }) {
			names = append(names, s.Name)
		}
	}
	return names
}

// tellsOf reads from the name of a source whether its figures can be those of a level. Communes are added up where that
// can be done: votes and the census, and not accounts, incomes or what may be secret.
func tellsOf(level Level, name string) bool {
	has := func(word string) bool {
		return strings.HasSuffix(name, "-"+word) || strings.Contains(name, "-"+word+"-") || strings.HasSuffix(name, "-"+word+"s") || strings.Contains(name, "-"+word+"s-")
	}
	switch {
	case strings.HasPrefix(name, "departement-"): // préfectures
		return true
	case has("region"):
		return level == Region
	case has("departement"):
		return level == Departement || level == Region && (strings.HasPrefix(name, "election-") || strings.HasPrefix(name, "safety-"))
	case has("commune"):
		return level == Commune || strings.HasPrefix(name, "election-") || strings.HasPrefix(name, "population-")
	}
	return true
}
