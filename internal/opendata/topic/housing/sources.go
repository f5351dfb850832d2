// Package housing declares the data on dwellings.
package housing

import (
	"fmt"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Dwellings of the census. Rates are kept in addition to the counts for sources that publish nothing else.
const (
	HousingTotal       = "housing.total"
	HousingMain        = "housing.main"
	HousingSecondary   = "housing.secondary"
	HousingVacant      = "housing.vacant"
	HousingHouses      = "housing.houses"
	HousingApartments  = "housing.apartments"
	HousingVacancyRate = "housing.vacancyRate"
)

// Vacancy of private dwellings according to the tax files (LOVAC), defined differently from the census and
// never combined with it. The stock is that of the year before the vacancy. Départements and régions have
// figures of their own, because those of communes with few dwellings are secret.
const (
	PrivateStock      = "housing.private.stock"
	PrivateVacant     = "housing.private.vacant"
	PrivateVacantLong = "housing.private.vacantLong"
	PrivateRate       = "housing.private.rate"
	PrivateLongRate   = "housing.private.longRate"
)

// Main residences of the census.
const (
	MainOwners        = "housing.main.owners"
	MainTenants       = "housing.main.tenants"
	MainSocialTenants = "housing.main.socialTenants"
	MainFree          = "housing.main.free"
	MainRooms         = "housing.main.rooms" // of all main residences together

	MainHeatTownGas  = "housing.main.heat.townGas"
	MainHeatBottled  = "housing.main.heat.bottledGas"
	MainHeatOil      = "housing.main.heat.oil"
	MainHeatElectric = "housing.main.heat.electric"
	MainHeatOther    = "housing.main.heat.other"
	MainCarless      = "housing.main.carless"
	MainWithCar      = "housing.main.withCar"
	MainCrowdable    = "housing.main.crowdable" // all but the one-room flats of one person
	MainOvercrowded  = "housing.main.overcrowded"
	SocialRate       = "housing.socialRate"
)

// MainOfRooms and MainBuilt name the measures of main residences by number of rooms and by building period.
var (
	MainOfRooms = []string{"housing.main.rooms1", "housing.main.rooms2", "housing.main.rooms3",
		"housing.main.rooms4", "housing.main.rooms5plus"}
	MainBuilt = []string{"housing.main.builtBefore1919", "housing.main.built1919to1945",
		"housing.main.built1946to1970",
		"housing.main.built1971to1990", "housing.main.built1991to2005", "housing.main.builtSince2006"}
)

var measures = slices.Concat(
	source.MeasuresOf(source.Official, HousingVacancyRate, PrivateRate, PrivateLongRate, SocialRate),
	source.MeasuresOf(source.Own, PrivateStock, PrivateVacant, PrivateVacantLong),
	source.MeasuresOf(source.Sum, MainOfRooms...), source.MeasuresOf(source.Sum, MainBuilt...),
	source.MeasuresOf(source.Sum, HousingTotal, HousingMain, HousingSecondary, HousingVacant, HousingHouses,
		HousingApartments, MainOwners, MainTenants, MainSocialTenants, MainFree, MainRooms, MainHeatTownGas,
		MainHeatBottled, MainHeatOil, MainHeatElectric, MainHeatOther, MainCarless, MainWithCar, MainCrowdable,
		MainOvercrowded))

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{housingExtract(), vacancyRatesSource(), socialExtract(), socialOfficial(),
		housingCensus(), housingLong(),
		vacancySource("commune", `communes?`, "CODGEO_29", "CODGEO_28", "CODGEO_27", "CODGEO_26", "CODGEO_25",
			"CODGEO_24"), vacancySource("departement", `d[eé]p(artements?)?`, "DEP")}
}

const (
	housingTitle = "Recensement de la population, logement"
	housingPage  = "https://www.insee.fr/fr/statistiques/8202349"
)

// housingParts reports dwellings that are not the sum of main, second and vacant
// ones. Rounding changes each by up to a half.
const housingParts = `SELECT 'the dwellings of ' || code || ' in ' || period || ' are ' || total || ', its main, second and vacant ones ' || parts
	FROM (SELECT code, period, sum(value) FILTER (WHERE measure = 'housing.total') AS total,
			sum(value) FILTER (WHERE measure IN ('housing.main', 'housing.secondary', 'housing.vacant')) AS parts,
			count(value) FILTER (WHERE measure IN ('housing.main', 'housing.secondary', 'housing.vacant')) AS told
		FROM stage GROUP BY code, period) t
	WHERE told = 3 AND abs(total - parts) > 2 LIMIT 1`

// housingExtract has the three cities and their arrondissements, each with figures of its own.
func housingExtract() source.Source {
	s := source.Source{
		Name: "housing-census-extract", Title: housingTitle + " (dérivé par bpineau/gazetteer)", Producer: "INSEE",
		Homepage: housingPage, Rounded: true,
		Files:   []source.Files{{Path: `(^|/)logement/rp_vacance_communes_2021\.json(\.gz)?$`}},
		Origins: copyOrigins("the table of communes of the census of 2021"),
		Read: source.Read{Format: source.JSON, Items: []string{"communes"}, Keyed: true, Unpivot: []source.Unpivot{
			{Column: "log", Measure: HousingTotal, Period: "2021"},
			{Column: "rp", Measure: HousingMain, Period: "2021"},
			{Column: "rsec", Measure: HousingSecondary, Period: "2021"},
			{Column: "vac", Measure: HousingVacant, Period: "2021"},
			{Column: "vacancy_rate_pct", Measure: HousingVacancyRate, Period: "2021"},
		}},
		Columns: source.FigureColumns("_key"),
		Checks: source.Checks{MinRows: 130000, Queries: []string{
			source.Lacks(HousingTotal, HousingMain, HousingSecondary, HousingVacant), housingParts,
			`SELECT 'Paris has ' || value || ' dwellings; 1396753 were counted in 2021' FROM stage
			WHERE code = '75056' AND measure = 'housing.total' AND value <> 1396753`,
		}},
		Note: "Counts are rounded, its rates were made before rounding. The official file is base-cc-logement.",
	}
	// The communes that were split on the first day of this geography are in it as they were.
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2024, SplitSince: source.SplitIn2024})
}

// socialExtract declares a copy of the shares of social housing, whose header says that they are of 2024.
func socialExtract() source.Source {
	s := socialHousingSource("housing-social-extract", socialTitle+" (dérivé par bpineau/gazetteer)", "_key",
		"rate_pct", "2024")
	s.Files = []source.Files{{Path: `(^|/)logement/rpls_communes\.json(\.gz)?$`}}
	s.Origins = copyOrigins("housing-social")
	s.Read = source.Read{Format: source.JSON, Items: []string{"communes"}, Keyed: true}
	return s
}

// socialOfficial declares the file that they are published in, which states no year.
func socialOfficial() source.Source {
	s := socialHousingSource("housing-social", socialTitle, "Code Commune", "Taux de logements sociaux (%)", "")
	s.Files = []source.Files{{Path: `(?i)(^|/)taux[-_]de[-_]logements[-_]sociaux[^/]*\.csv(\.gz)?$`}}
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "taux-de-logements-sociaux-dans-les-communes",
			Resource: "b0d30277-3a14-4673-a988-2fa6c11e030c"},
		As: "taux-de-logements-sociaux-communes.csv", Rhythm: "yearly",
	}}
	s.Read = source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff", Decimal: ","}
	s.Target.Rank = 10
	return s
}

const (
	socialTitle = "Taux de logements sociaux dans les communes"
	// socialGeography is the year whose communes have the shares: those that were merged until then have
	// their new names in the file, those that were merged later their former ones.
	socialGeography = 2023
)

// mergedCommunes is a condition for the rows of communes that had been merged into another one by then. The
// file keeps their codes next to the communes that they are part of, whose share counts them.
var mergedCommunes = fmt.Sprintf(`code IN (SELECT code_before FROM geo.commune_movement WHERE day <= make_date(%d, 1, 1)
	AND kind IN (31, 32, 33) AND type_before = 'COM' AND type_after = 'COM' AND code_after <> code_before)
	AND code NOT IN (SELECT code FROM geo.commune WHERE type IN ('commune-actuelle', 'arrondissement-municipal'))`, socialGeography)

// socialHousingSource declares the share of social housing under the SRU law, in whole percents.
func socialHousingSource(name, title, code, rate, year string) source.Source {
	s := source.Source{
		Name: name, Title: title, Producer: "Ministère chargé du logement",
		Homepage: "https://www.data.gouv.fr/datasets/taux-de-logements-sociaux-dans-les-communes",
		Columns: []source.Column{
			{Name: "code", From: []string{code}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "value", From: []string{rate}, Kind: source.Number, Required: true},
		},
		Drop: []string{mergedCommunes},
		Reject: []source.Rule{source.UnknownCommune, {When: "value < 0 OR value > 100",
			Reason: "'a share of ' || value || ' % is none'"}},
		Checks: source.Checks{MinRows: 34000},
		Note: "The official file names no year; a copy says 2024. Its communes are those of 2023, next to which the codes of those merged since 2018 are kept. " +
			"Its zeros mean that there are none or that they were not counted, so they are taken as unknown. Overseas is not in it.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: socialGeography, From: fmt.Sprintf(`SELECT 'commune' AS level, code, 'housing.socialRate' AS measure,
		'%s' AS period, nullif(value, 0) AS value, CASE value WHEN 0 THEN 'unavailable' END AS missing FROM stage`, year)})
}

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

// copyOrigins is for the files of third parties.
func copyOrigins(of string) []fetch.Origin {
	return source.NotFetched("The copy of a third party is not fetched. It was made from the files of " + of + ".")
}

// vacancyDataset is that of all levels; a resource stays under its id while
// the year in the name of its file moves on.
const vacancyDataset = "61816c6e23197bb34835228e"

var vacancyOrigins = map[string][]fetch.Origin{
	"commune": {{
		From: producer.DataGouv{Dataset: vacancyDataset, Resource: "2e0417b4-902d-4c60-90e7-bf5df148cb87",
			File: `^lovac[-_]opendata[-_]communes?[-_]?[0-9]*\.csv$`},
		Rhythm: "yearly",
	}},
	"departement": {{
		From: producer.DataGouv{Dataset: vacancyDataset,
			File: `^lovac[-_]opendata[-_]dep(artements?)?[-_]?[0-9]*\.csv$`},
		Rhythm: "yearly",
	}},
}
