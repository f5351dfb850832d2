// Package population declares the data on inhabitants, births and deaths.
package population

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// Populations of communes, INSEE. Only the municipal population may be summed: the total one counts people
// twice. Censuses before 2006 used other definitions, which are kept separate.
const (
	PopulationTotal     = "population.total"
	PopulationCensus    = "population.census" // 1962 to 1999 without double counting, before 1962 total
	DemographyBirthRate = "demography.birthRate"
	DemographyDeathRate = "demography.deathRate"
)

var measures = append(source.MeasuresOf(source.Sum, source.PopulationMunicipal, PopulationCensus,
	source.PopulationBirths, source.PopulationDeaths, source.LandArea),
	source.MeasuresOf(source.Official, PopulationTotal, DemographyBirthRate, DemographyDeathRate)...)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat([]source.Source{legalPopulation(), legalPopulationOfYear(), legalPopulationMayotte(),
		populationHistory()}, catalogueSources(), []source.Source{comparatorPopulation(), comparatorBirths(),
		comparatorArea(), mortalitySource("departement", "départements"), mortalitySource("region", "régions")})
}

// totalsCheck is a check for national files only, whose total is known. want is
// SQL over a row of sums: total of the period.
func totalsCheck(measure, want, reason string) string {
	return `SELECT ` + reason + ` FROM (SELECT period, sum(value)::bigint AS total, count(*) AS rows
		FROM stage WHERE measure = '` + measure + `' GROUP BY period) s WHERE NOT (` + want + `)`
}

// sameAsLoaded rejects a file that has the populations of one year under the name of another.
const sameAsLoaded = `SELECT 'its municipal populations, ' || s.total || ' in all, are those of ' || v.period || ', and not of ' || s.period
	FROM (SELECT period, sum(value) AS total FROM stage WHERE measure = '` + source.PopulationMunicipal + `' GROUP BY period) s
	JOIN (SELECT part, period, sum(value) AS total FROM geo.stat_value
		WHERE measure = '` + source.PopulationMunicipal + `' AND level = 'departement' GROUP BY part, period) v
	ON v.total = s.total AND v.period <> s.period LIMIT 1`

const legalPage = "https://www.insee.fr/fr/statistiques/8680726"

// legalSource declares the yearly list of legal populations. It has the
// arrondissements of the three cities, and not the cities.
func legalSource(name, title, period string, files ...source.Files) source.Source {
	return source.Source{
		Name: name, Title: title, Producer: "INSEE", Homepage: legalPage, Files: files,
		Read: source.Read{Format: source.CSV, Separator: ";", Member: `(?i)donnees_communes\.csv$`,
			Unpivot: []source.Unpivot{
				{Column: "PMUN", Measure: source.PopulationMunicipal, Period: period},
				{Column: "PTOT", Measure: PopulationTotal, Period: period},
			}},
		Columns: source.FigureColumns("COM"),
		Vintage: "max(period)",
		Checks:  source.Checks{MinRows: 60000},
	}
}

// legalPopulation declares the list without a year in its name, of the census year 2023.
func legalPopulation() source.Source {
	s := legalSource("population-reference", "Populations de référence 2023", "2023",
		source.Files{Path: `(^|/)insee-population/donnees_communes\.csv(\.gz)?$`})
	s.Origins = source.NotFetched("The same list is fetched for population-reference-year. By hand: donnees_communes.csv in a folder insee-population.")
	s.Checks.Queries = []string{totalsCheck(source.PopulationMunicipal, "rows < 30000 OR total = 68094280",
		`'its municipal populations are ' || total || ' in all, those of 2023 are 68094280: a list of another year carries the year in its name'`)}
	s.Note = "donnees_communes.csv of the census year 2023, in a folder insee-population. Lists of other years: see population-reference-year."
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Cities: source.AsArrondissements, Rank: 10})
}

func legalPopulationOfYear() source.Source {
	s := legalSource("population-reference-year", "Populations de référence", "{scope}",
		source.Files{Path: `(^|/)donnees_communes_(?P<scope>20\d\d)\.csv(\.gz)?$`},
		source.Files{Path: `(^|/)(insee-population-|populations-de-reference-)(?P<scope>20\d\d)/(ensemble\.zip|donnees_communes\.csv(\.gz)?)$`},
		source.Files{Path: `(^|/)ensemble[_-](?P<scope>20\d\d)\.zip$`})
	list := func(page int, as string) fetch.Origin { // INSEE gives all of them one name
		o := source.InseeFile(page, "ensemble.zip")
		o.As, o.Bytes = as, 1<<20
		return o
	}
	newest := list(8680726, "ensemble_2023.zip")
	newest.Rhythm = "yearly"
	newest.Note = "The list of the next census year is on a page of its own, whose number cannot be derived: it has to be added."
	s.Origins = []fetch.Origin{newest, list(8290591, "ensemble_2022.zip"), list(7739582, "ensemble_2021.zip")}
	s.Checks.Queries = []string{sameAsLoaded}
	s.Earlier = true
	s.Note = "donnees_communes_2022.csv, or ensemble_2022.zip as INSEE publishes it: the year in the name is the census year, three before the lists come into force."
	return source.FigureSource(s, source.Figures{Measures: measures,
		Since: "(SELECT max(period)::integer + 2 FROM stage)", Cities: source.AsArrondissements, Rank: 10})
}

// legalPopulationMayotte declares the list of Mayotte, which has its own census: the legal populations are
// those of 2017.
func legalPopulationMayotte() source.Source {
	s := legalSource("population-reference-mayotte", "Populations de référence, Mayotte", "2017",
		source.Files{Path: `(^|/)insee-population/donnees_communes_mayotte\.csv(\.gz)?$`})
	s.Origins = source.NotFetched("No address of a file was read. The census of 2017 is copied in datagouv/decoupage-administratif (sources/donnees_communes_mayotte.csv): " +
		"it can be given in a folder insee-population. That of 2026 is not declared.")
	s.Columns = append([]source.Column{{Name: "departement", From: []string{"DEP"}, Required: true,
		Match: "976"}}, source.FigureColumns()...)
	s.Columns[1].Template = "97{CODCOM:3}"
	s.Checks = source.Checks{MinRows: 34, MaxRows: 34, Queries: []string{totalsCheck(source.PopulationMunicipal,
		"rows < 17 OR total = 256518",
		`'its municipal populations are ' || total || ' in all, those of the census of 2017 are 256518: it is of another census, which is not declared'`)}}
	s.Note = "The column COM is empty: the code is 97 and CODCOM. Mayotte was counted in 2017; its populations in force are of that year."
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Rank: 10})
}

func comparatorPopulation() source.Source {
	s := source.Comparator("comparateur-population", "Comparateur de territoires, population", measures,
		[]source.Unpivot{
			{Column: `population_(?P<year>20\d\d)`, Measure: source.PopulationMunicipal, Period: "{year}"},
		}, "", source.NewestIsNamed)
	s.Drop = append(s.Drop, source.NotMayotte)
	return s
}

// comparatorArea declares the land area that INSEE divides populations by: that of the cadastre of 1975 with
// all changes of communes since, without lakes, ponds and glaciers of more than 1 km² and without estuaries.
// The areas of communes that were split in 2024 are those after the split.
func comparatorArea() source.Source {
	s := source.Comparator(source.LandAreaSource, "Comparateur de territoires, superficie", measures,
		[]source.Unpivot{
			{Column: "superficie_km2", Measure: source.LandArea, Period: "{scope}"},
		}, "", `SELECT 'its land area of ' || code || ' is ' || value FROM stage WHERE value <= 0 LIMIT 1`)
	s.Drop = append(s.Drop, source.NotMayotte)
	return s
}

func comparatorBirths() source.Source {
	return source.Comparator("comparateur-naissances", "Comparateur de territoires, naissances et décès",
		measures, []source.Unpivot{
			{Column: `naissances_(?P<year>20\d\d)`, Measure: source.PopulationBirths, Period: "{year}"},
			{Column: `deces_(?P<year>20\d\d)`, Measure: source.PopulationDeaths, Period: "{year}"},
		}, source.SplitIn2024, `SELECT 'its births and deaths are of ' || max(period) || ', its name says ' || named FROM stage GROUP BY named HAVING max(period)::integer <> named::integer + 1`)
}
