package source

// The comparator of territories, INSEE: one row a commune with figures of several topics. The copy at hand, of the edition
// of 2021, was made by a third party: it has a row for each postal code of a commune, rows of communes déléguées, the
// arrondissements of the three cities and not the cities, and zeros where the official file has nothing.

// Comparator describes figures of the copy and, with other names, of the official file.
func Comparator(name, title string, measures []Measure, wide []Wide, told string, checks ...string) Source {
	s := Source{
		Name: name, Title: title + " (dérivé par datas.fun)", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2521169",
		Files:    []Files{{Path: `(^|/)communes_comparateur_(?P<scope>20\d\d)\.csv(\.gz)?$`}},
		Read:     Read{Format: CSV, Wide: wide},
		Columns: append(FigureColumns("insee_com"), Named,
			Column{Name: "kind", From: []string{"commune_type"}, Required: true}),
		Vintage: "max(period)",
		Drop: []string{
			"kind NOT IN ('COM', 'ARM')",
			// The same commune under another postal code. One that tells something else is left, and refuses the load.
			`ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY code, measure, period, value ORDER BY _line) AS nth
				FROM stage) d WHERE nth > 1)`,
		},
		Checks: Checks{MinRows: 34000 * int64(len(wide)), Queries: append(checks,
			`SELECT code || ' has two figures of ' || measure || ' in ' || period FROM stage GROUP BY code, measure, period HAVING count(*) > 1 LIMIT 1`)},
		Note: "A copy by a third party; the figures of Mayotte that it has as 0 are left out.",
	}
	s = FigureSource(s, Figures{Measures: measures, Cog: 2024, Cities: AsArrondissements, From: Summed(measures, told)})
	return OfCommunes(s, 0)
}

// NotMayotte leaves out what the copy says of Mayotte but births and deaths: it was not part of the census.
const NotMayotte = `code LIKE '976%' AND measure NOT IN ('` + PopulationBirths + `', '` + PopulationDeaths + `')`

// BeforeSplit is for figures that are still in the geography of 2023: communes that were split in 2024 have the figures
// of before, the new ones 0. Neither is told; both count in the sums.
const BeforeSplit = `SELECT code, measure, period, CASE WHEN c.code IS NULL THEN value END AS value,
	CASE WHEN c.code IS NULL THEN missing ELSE 'split' END AS missing, value AS counted
	FROM stage LEFT JOIN (SELECT code FROM geo.commune_changes(make_date(2023, 1, 1)) WHERE split) c USING (code)`

// Summed adds the sums of départements and régions to the figures of a file that has every commune, so that what
// communes gave to each other since does not lack there. told is SQL that returns code, measure, period, value and
// missing, and in counted what the row counts in the sums.
func Summed(measures []Measure, told string) string {
	sum := func(level, code string) string {
		return `SELECT '` + level + `', ` + code + `, measure, period, sum(counted), NULL FROM land
		GROUP BY ` + code + `, measure, period HAVING count(counted) = count(*)`
	}
	return `
WITH told AS MATERIALIZED (` + told + `),
land AS (
	SELECT t.*, d.code AS departement, d.region_code AS region
	FROM told t JOIN geo.departement d ON d.code = left(t.code, CASE WHEN t.code LIKE '97%' THEN 3 ELSE 2 END)
	WHERE t.measure = ANY (` + SQLList(namesOf(measures, Sum)) + `))
SELECT 'commune' AS level, code, measure, period, value, missing FROM told
UNION ALL ` + sum("departement", "departement") + `
UNION ALL ` + sum("region", "region")
}

// Staged is what Summed adds up when nothing has to be put right.
const Staged = `SELECT code, measure, period, value, missing, value AS counted FROM stage`

// OfCommunes finishes a source of figures of communes that has a query of its own.
func OfCommunes(s Source, rank int) Source {
	s.Reject = append(s.Reject, UnknownCommune)
	s.Target.Rank = rank
	return s
}

// Named is the year that the name of a file tells.
var Named = Column{Name: "named", Template: "{scope}", Required: true}

// NewestIsNamed refuses a file whose columns are not of the year that its name tells.
const NewestIsNamed = `SELECT 'its newest figures are of ' || max(period) || ', its name says ' || named FROM stage
	GROUP BY named HAVING max(period) <> named`
