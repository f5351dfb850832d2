package source

// The "comparateur de territoires" of INSEE has one row a commune with figures of several topics. The
// available copy, of the 2021 edition, was made by a third party: it has a row for each postal code of a
// commune, rows of communes déléguées, the arrondissements of Paris, Lyon and Marseille without the cities
// themselves, and zeros where the official file has nothing.

// Comparator declares a source of figures from that copy or, under other names, from the official file.
// splitSince is the year before that of the codes for figures that do not follow them yet: see Figures.
func Comparator(name, title string, measures []Measure, columns []Unpivot, splitSince string,
	checks ...string) Source {
	s := Source{
		Name: name, Title: title + " (dérivé par datas.fun)", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2521169",
		Files:    []Files{{Path: `(^|/)communes_comparateur_(?P<scope>20\d\d)\.csv(\.gz)?$`}},
		Origins:  comparatorOrigins,
		Read:     Read{Format: CSV, Unpivot: columns},
		Columns: append(FigureColumns("insee_com"), Named,
			Column{Name: "kind", From: []string{"commune_type"}, Required: true}),
		Vintage: "max(period)",
		Drop: []string{
			"kind NOT IN ('COM', 'ARM')",
			// The same commune under another postal code. A row with a different value stays, and makes the load fail.
			`ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY code, measure, period, value ORDER BY _line) AS nth
				FROM stage) d WHERE nth > 1)`,
		},
		Checks: Checks{MinRows: 34000 * int64(len(columns)), Queries: append(checks,
			`SELECT code || ' has two figures of ' || measure || ' in ' || period FROM stage GROUP BY code, measure, period HAVING count(*) > 1 LIMIT 1`)},
		Note: "A copy by a third party; the figures of Mayotte that it has as 0 are left out.",
	}
	return FigureSource(s, Figures{Measures: measures, Cog: 2024, SplitSince: splitSince,
		Cities: AsArrondissements})
}

var comparatorOrigins = NotFetched("The copy of a third party is not fetched. The official https://www.insee.fr/fr/statistiques/fichier/2521169/base_cc_comparateur_csv.zip " +
	"has another layout (P22_POP, NAISD24), which is not read: population-melodi, births-melodi, deaths-melodi and rp-emploi-melodi have its figures.")

// SplitIn2024 is Figures.SplitSince for figures in the geography of 2024 that still
// have the communes that were split in 2024.
const SplitIn2024 = "2023"

// NotMayotte drops all figures of Mayotte but births and deaths: Mayotte was not part of the census.
const NotMayotte = `code LIKE '976%' AND measure NOT IN ('` + PopulationBirths + `', '` +
	PopulationDeaths + `')`

// Named is the year in the name of the file.
var Named = Column{Name: "named", Template: "{scope}", Required: true}

// NewestIsNamed rejects a file whose columns are of another year than its name says.
const NewestIsNamed = `SELECT 'its newest figures are of ' || max(period) || ', its name says ' || named FROM stage
	GROUP BY named HAVING max(period) <> named`
