package source

// The comparator of territories, INSEE: one row a commune with figures of several topics. The copy at hand, of the edition
// of 2021, was made by a third party: it has a row for each postal code of a commune, rows of communes déléguées, the
// arrondissements of the three cities and not the cities, and zeros where the official file has nothing.

// comparator describes figures of the copy and, with other names, of the official file.
func comparator(name, title string, wide []Wide, told string, checks ...string) Source {
	s := Source{
		Name: name, Title: title + " (dérivé par datas.fun)", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2521169",
		Files:    []Files{{Path: `(^|/)communes_comparateur_(?P<scope>20\d\d)\.csv(\.gz)?$`}},
		Read:     Read{Format: CSV, Wide: wide},
		Columns: append(figureColumns("insee_com"), named,
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
	s = figureSource(s, figures{cog: 2024, cities: asArrondissements, from: summed(told)})
	return ofCommunes(s, 0)
}

// notMayotte leaves out what the copy says of Mayotte but births and deaths: it was not part of the census.
const notMayotte = `code LIKE '976%' AND measure NOT IN ('` + PopulationBirths + `', '` + PopulationDeaths + `')`

// beforeSplit is for figures that are still in the geography of 2023: communes that were split in 2024 have the figures
// of before, the new ones 0. Neither is told; both count in the sums.
const beforeSplit = `SELECT code, measure, period, CASE WHEN c.code IS NULL THEN value END AS value,
	CASE WHEN c.code IS NULL THEN missing ELSE 'split' END AS missing, value AS counted
	FROM stage LEFT JOIN (SELECT code FROM geo.commune_changes(make_date(2023, 1, 1)) WHERE split) c USING (code)`

func comparatorPopulation() Source {
	s := comparator("comparateur-population", "Comparateur de territoires, population", []Wide{
		{Column: `population_(?P<year>20\d\d)`, Measure: PopulationMunicipal, Period: "{year}"},
	}, staged, newestIsNamed)
	s.Drop = append(s.Drop, notMayotte)
	return s
}

func comparatorBirths() Source {
	return comparator("comparateur-naissances", "Comparateur de territoires, naissances et décès", []Wide{
		{Column: `naissances_(?P<year>20\d\d)`, Measure: PopulationBirths, Period: "{year}"},
		{Column: `deces_(?P<year>20\d\d)`, Measure: PopulationDeaths, Period: "{year}"},
	}, beforeSplit, `SELECT 'its births and deaths are of ' || max(period) || ', its name says ' || named FROM stage GROUP BY named HAVING max(period)::integer <> named::integer + 1`)
}
