package source

// Populations of communes, INSEE. Only the municipal population may be added up: the total one counts people twice.
// Censuses before 2006 had other notions, which are kept apart.
const (
	PopulationMunicipal = "population.municipal"
	PopulationTotal     = "population.total"
	PopulationCensus    = "population.census" // 1962 to 1999 without double counting, before 1962 total
	PopulationBirths    = "population.births" // of a year, by where the mother lives
	PopulationDeaths    = "population.deaths" // of a year, by where the person lived
	DemographyBirthRate = "demography.birthRate"
	DemographyDeathRate = "demography.deathRate"
)

var populationMeasures = []Measure{
	{Name: PopulationMunicipal, Unit: "inhabitants", Class: Sum},
	{Name: PopulationTotal, Unit: "inhabitants", Class: Official},
	{Name: PopulationCensus, Unit: "inhabitants", Class: Sum},
	{Name: PopulationBirths, Unit: "births", Class: Sum},
	{Name: PopulationDeaths, Unit: "deaths", Class: Sum},
	{Name: DemographyBirthRate, Unit: "per 1 000 inhabitants and year", Class: Official},
	{Name: DemographyDeathRate, Unit: "per 1 000 inhabitants and year", Class: Official},
}

func populationSources() []Source {
	return []Source{
		legalPopulation(), legalPopulationOfYear(), legalPopulationMayotte(), legalPopulationBook(),
		populationHistory(), populationMelodi(), birthsMelodi(), deathsMelodi(),
		comparatorPopulation(), comparatorBirths(), mortality("departement", "départements"), mortality("region", "régions"),
	}
}

// summed adds the sums of départements and régions to the figures of a file that has every commune, so that what
// communes gave to each other since does not lack there. told is SQL that returns code, measure, period, value and
// missing, and in counted what the row counts in the sums.
func summed(told string) string {
	sums := func(level, code string) string {
		return `SELECT '` + level + `', ` + code + `, measure, period, sum(counted), NULL FROM land
		GROUP BY ` + code + `, measure, period HAVING count(counted) = count(*)`
	}
	return `
WITH told AS MATERIALIZED (` + told + `),
land AS (
	SELECT t.*, d.code AS departement, d.region_code AS region
	FROM told t JOIN geo.departement d ON d.code = left(t.code, CASE WHEN t.code LIKE '97%' THEN 3 ELSE 2 END)
	WHERE t.measure = ANY (` + sqlList(additive) + `))
SELECT 'commune' AS level, code, measure, period, value, missing FROM told
UNION ALL ` + sums("departement", "departement") + `
UNION ALL ` + sums("region", "region")
}

// additive are the measures that summed adds up: a list of its own, for Measures cannot be asked while it is made.
var additive = []string{PopulationMunicipal, PopulationCensus, PopulationBirths, PopulationDeaths,
	EmploymentPopulation, EmploymentActive, EmploymentUnemployed}

// staged is what summed adds up when nothing has to be put right.
const staged = `SELECT code, measure, period, value, missing, value AS counted FROM stage`

// sumsOf is a check on national files only, for which the sum of all is known. want is SQL over a row of sums: total of
// the period.
func sumsOf(measure, want, reason string) string {
	return `SELECT ` + reason + ` FROM (SELECT period, sum(value)::bigint AS total, count(*) AS rows
		FROM stage WHERE measure = '` + measure + `' GROUP BY period) s WHERE NOT (` + want + `)`
}

// sameAsLoaded refuses a file that tells the populations of a year under the name of another.
const sameAsLoaded = `SELECT 'its municipal populations, ' || s.total || ' in all, are those of ' || v.period || ', and not of ' || s.period
	FROM (SELECT period, sum(value) AS total FROM stage WHERE measure = '` + PopulationMunicipal + `' GROUP BY period) s
	JOIN (SELECT part, period, sum(value) AS total FROM geo.stat_value
		WHERE measure = '` + PopulationMunicipal + `' AND level = 'region' GROUP BY part, period) v
	ON v.total = s.total AND v.period <> s.period LIMIT 1`

const legalPage = "https://www.insee.fr/fr/statistiques/8680726"

// legalSource is the yearly list of populations in force. It has the arrondissements of the three cities, and not the
// cities.
func legalSource(name, title, period string, files ...Files) Source {
	return Source{
		Name: name, Title: title, Producer: "INSEE", Homepage: legalPage, Files: files,
		Read: Read{Format: CSV, Separator: ";", Member: `(?i)donnees_communes\.csv$`, Wide: []Wide{
			{Column: "PMUN", Measure: PopulationMunicipal, Period: period},
			{Column: "PTOT", Measure: PopulationTotal, Period: period},
		}},
		Columns: figureColumns("COM"),
		Vintage: "max(period)",
		Checks:  Checks{MinRows: 60000},
	}
}

// legalPopulation is the list that carries no year in its name, of the census year 2023.
func legalPopulation() Source {
	s := legalSource("population-reference", "Populations de référence 2023", "2023",
		Files{Path: `(^|/)insee-population/donnees_communes\.csv(\.gz)?$`})
	s.Checks.Queries = []string{sumsOf(PopulationMunicipal, "rows < 30000 OR total = 68094280",
		`'its municipal populations are ' || total || ' in all, those of 2023 are 68094280: a list of another year carries the year in its name'`)}
	s.Note = "donnees_communes.csv of the census year 2023, in a folder insee-population. Lists of other years: see population-reference-year."
	s = figureSource(s, figures{cog: 2025, cities: asArrondissements, from: summed(staged)})
	return ofCommunes(s, 10)
}

func legalPopulationOfYear() Source {
	s := legalSource("population-reference-year", "Populations de référence", "{scope}",
		Files{Path: `(^|/)donnees_communes_(?P<scope>20\d\d)\.csv(\.gz)?$`},
		Files{Path: `(^|/)(insee-population-|populations-de-reference-)(?P<scope>20\d\d)/(ensemble\.zip|donnees_communes\.csv(\.gz)?)$`},
		Files{Path: `(^|/)ensemble[_-](?P<scope>20\d\d)\.zip$`})
	s.Checks.Queries = []string{sameAsLoaded}
	s.Note = "donnees_communes_2022.csv, or ensemble_2022.zip as INSEE publishes it: the year in the name is the census year, three before the lists come into force."
	s = figureSource(s, figures{since: "(SELECT max(period)::integer + 2 FROM stage)", cities: asArrondissements, from: summed(staged)})
	return ofCommunes(s, 10)
}

// legalPopulationMayotte is the list of Mayotte, which has its own census: the populations in force are those of 2017.
func legalPopulationMayotte() Source {
	s := legalSource("population-reference-mayotte", "Populations de référence, Mayotte", "2017",
		Files{Path: `(^|/)insee-population/donnees_communes_mayotte\.csv(\.gz)?$`})
	s.Columns = append([]Column{{Name: "departement", From: []string{"DEP"}, Required: true, Match: "976"}}, figureColumns()...)
	s.Columns[1].Template = "97{CODCOM:3}"
	s.Checks = Checks{MinRows: 34, MaxRows: 34, Queries: []string{sumsOf(PopulationMunicipal, "rows < 17 OR total = 256518",
		`'its municipal populations are ' || total || ' in all, those of the census of 2017 are 256518: it is of another census, which is not declared'`)}}
	s.Note = "The column COM is empty: the code is 97 and CODCOM. Mayotte was counted in 2017; its populations in force are of that year."
	s = figureSource(s, figures{cog: 2025, from: summed(staged)})
	return ofCommunes(s, 10)
}

// ofCommunes finishes a source of figures of communes that has a query of its own.
func ofCommunes(s Source, rank int) Source {
	s.Reject = append(s.Reject, riskUnknown)
	s.Target.Rank = rank
	return s
}

// legalPopulationBook is the older workbook. Its name carries the year in which the populations came into force.
func legalPopulationBook() Source {
	s := Source{
		Name: "population-reference-workbook", Title: "Populations légales des communes", Producer: "INSEE", Homepage: legalPage,
		Files: []Files{{Path: `(^|/)(population|ensemble)_?(?P<scope>20\d\d)\.xlsx?(\.gz)?$`}},
		Read: Read{Format: Spreadsheet, Sheet: "Communes", HeaderCell: "Code département", Wide: []Wide{
			{Column: "Population municipale", Measure: PopulationMunicipal, Period: "{scope}"},
			{Column: "Population totale", Measure: PopulationTotal, Period: "{scope}"},
		}},
		Columns: figureColumns(),
		Vintage: "(max(period)::integer - 3)::text",
		Reject: []Rule{{
			When:   `code IN (SELECT c.code FROM (SELECT DISTINCT code FROM stage OFFSET 0) c WHERE geo.commune_today(left(c.code, 2) || right(c.code, 3)) IS NULL)`,
			Reason: "'no commune has code ' || left(code, 2) || right(code, 3)",
		}},
		Checks: Checks{MinRows: 60000},
		Note:   "population2019.xls: the workbook whose populations came into force in the year of its name, of the census three years before.",
	}
	// Overseas the code of the département ends with the digit that the code of the commune begins with.
	s.Columns[0].Template, s.Columns[0].Match = "{Code département}{Code commune:3}", `[0-9][0-9AB][0-9]{3}|97[0-9]{4}`
	s.Checks.Queries = []string{sumsOf(PopulationMunicipal, "period <> '2019' OR rows < 30000 OR total = 66361658",
		`'its municipal populations are ' || total || ' in all, those in force in 2019 are 66361658'`)}
	s = figureSource(s, figures{since: "(SELECT max(period)::integer - 1 FROM stage)", cities: asArrondissements, from: summed(`
		SELECT left(code, 2) || right(code, 3) AS code, measure, (period::integer - 3)::text AS period, value, missing, value AS counted FROM stage`)})
	s.Target.Rank = 10
	return s
}
