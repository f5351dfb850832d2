package housing

import "arpent/internal/opendata/source"

const (
	vacancyTitle    = "LOVAC, logements vacants du parc privé"
	vacancyProducer = "DGALN/DHUP et Cerema"
	vacancyPage     = "https://www.data.gouv.fr/datasets/logements-vacants-du-parc-prive-par-commune-departement-region-france"
)

// withScope adds the year in the name of the file, for the checks.
func withScope(columns []source.Column) []source.Column {
	return append(columns, source.Column{Name: "scope", Template: "{scope}"})
}

// newestYearCheck reports a file whose newest year of a measure differs from its name.
func newestYearCheck(measure string) string {
	return `SELECT 'the newest year of its columns is ' || max(period) || ', its name says ' || max(scope) FROM stage WHERE measure = '` + measure + `'
	HAVING max(period) <> max(scope)`
}

// percentCheck reports percentages outside 0 to 100.
const percentCheck = `SELECT measure || ' of ' || code || ' is ' || value || ' %' FROM stage WHERE value < 0 OR value > 100 LIMIT 1`

// vacancyRatesSource declares the rates that bpineau/gazetteer derived from the producer's file. It has the
// arrondissements of the three cities, and not the cities. Rates cannot be summed.
func vacancyRatesSource() source.Source {
	s := source.Source{
		Name: "vacancy-rates-extract", Title: vacancyTitle + " (taux dérivés par bpineau/gazetteer)",
		Producer: vacancyProducer, Homepage: vacancyPage,
		Files:   []source.Files{{Path: `(^|/)logement/lovac_communes_(?P<scope>20[0-9]{2})_taux\.csv(\.gz)?$`}},
		Origins: copyOrigins("vacancy-commune"),
		Read: source.Read{Format: source.CSV, Separator: ";", Missing: map[string]string{"": "unavailable"},
			Unpivot: []source.Unpivot{
				{Column: `taux_vacance_(?P<yy>[0-9]{2})_pct`, Measure: PrivateRate, Period: "{yy}"},
				{Column: `taux_vacance_long_(?P<yy>[0-9]{2})_pct`, Measure: PrivateLongRate, Period: "{yy}"},
			}},
		Columns: withScope(source.FigureColumns("INSEE_C")),
		Checks: source.Checks{MinRows: 26000, Queries: []string{
			source.Lacks(PrivateRate, PrivateLongRate), newestYearCheck(PrivateRate), percentCheck,
			`SELECT 'it has no figure of ' || measure FROM stage GROUP BY measure HAVING count(value) = 0`,
			`SELECT 'more dwellings of ' || l.code || ' are vacant for two years (' || l.value || ' %) than are vacant (' || r.value || ' %)'
			FROM stage l JOIN stage r USING (code, period) WHERE l.measure = 'housing.private.longRate' AND r.measure = 'housing.private.rate'
				AND l.value > r.value + 0.01 LIMIT 1`,
		}},
		Note: "Communes with fewer than 11 vacant dwellings are empty. Rates are of the dwellings of the year before.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025})
}

// cityTotals sums the numbers of the arrondissements for Paris, Lyon and Marseille where the file has none
// for the city itself and has all of its arrondissements.
const cityTotals = `SELECT 'commune' AS level, code, measure, period, value, missing FROM stage
	UNION ALL
	SELECT 'commune', c.city, s.measure, s.period, sum(s.value), NULL
	FROM stage s JOIN (VALUES ('^751', '75056', 20), ('^6938', '69123', 9), ('^132[01]', '13055', 16)) AS c(prefix, city, pieces) ON s.code ~ c.prefix
	WHERE s.measure IN ('housing.private.stock', 'housing.private.vacant', 'housing.private.vacantLong')
		AND NOT EXISTS (SELECT FROM stage t WHERE t.code = c.city AND t.measure = s.measure AND t.period = s.period)
	GROUP BY c.city, c.pieces, s.measure, s.period HAVING count(s.value) = c.pieces`

// vacancySource declares the official table of a level.
func vacancySource(level, word string, code ...string) source.Source {
	s := source.Source{
		Name: "vacancy-" + level, Title: vacancyTitle, Producer: vacancyProducer, Homepage: vacancyPage,
		Files: []source.Files{{Path: `(?i)(^|/)lovac[-_]opendata[-_]` + word +
			`(?:[-_](?P<scope>20[0-9]{2}))?[^/]*\.csv(\.gz)?$`}},
		Origins: vacancyOrigins[level],
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff", Decimal: ",",
			Missing: map[string]string{"s": "secret"}, Nulls: []string{"NA", "nd"}, Unpivot: []source.Unpivot{
				{Column: `(?:ff_)?pp_total_(?P<yy>[0-9]{2})`, Measure: PrivateStock, Period: "{yy}"},
				{Column: `pp_vacant_plus_2ans_(?P<yy>[0-9]{2})`, Measure: PrivateVacantLong, Period: "{yy}"},
				{Column: `pp_vacant_(?P<yy>[0-9]{2})`, Measure: PrivateVacant, Period: "{yy}"},
			}},
		Columns: withScope(source.FigureColumns(code...)),
		Checks: source.Checks{Queries: []string{
			source.Lacks(PrivateStock, PrivateVacant, PrivateVacantLong), newestYearCheck(PrivateVacant),
			`SELECT 'more dwellings of ' || l.code || ' are vacant for two years (' || l.value || ') than are vacant (' || r.value || ')'
			FROM stage l JOIN stage r USING (code, period) WHERE l.measure = 'housing.private.vacantLong' AND r.measure = 'housing.private.vacant'
				AND l.value > r.value LIMIT 1`,
		}},
		Target: source.FigureTarget,
		Note:   "The official file was not at hand: its columns are those that public programs read. s is secret (fewer than 11 dwellings).",
	}
	// An edition is in the geography of its year.
	f := source.Figures{Measures: measures, Since: "(SELECT max(period)::integer FROM stage)", From: cityTotals}
	if level == "commune" {
		s.Levels = []string{level}
		s.Checks.MinRows = 60000
		s.Reject = []source.Rule{source.UnknownCommune}
	} else {
		s.Columns[0].Pad, s.Columns[0].Match = 2, `[0-9][0-9AB][0-9]?`
		s.Checks.Known = []source.Known{{Code: "code", Query: "SELECT code FROM geo." + level, Reason: "'no " +
			level + " has code ' || code"}}
		f = source.Figures{Measures: measures, Cog: 2025, Level: "'" + level + "'"}
	}
	s = source.FigureSource(s, f)
	s.Target.Rank = 10
	return s
}
