// Package housing declares the data on dwellings.
package housing

import (
	"fmt"

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

var measures = measuresOfHousing()

func measuresOfHousing() (out []source.Measure) {
	add := func(unit string, class source.Class, names ...string) {
		for _, name := range names {
			out = append(out, source.Measure{Name: name, Unit: unit, Class: class})
		}
	}
	add("dwellings", source.Sum, HousingTotal, HousingMain, HousingSecondary, HousingVacant, HousingHouses,
		HousingApartments)
	add("%", source.Official, HousingVacancyRate)
	add("dwellings", source.Own, PrivateStock, PrivateVacant, PrivateVacantLong)
	add("%", source.Official, PrivateRate, PrivateLongRate)
	add("dwellings", source.Sum, MainOwners, MainTenants, MainSocialTenants, MainFree)
	add("rooms", source.Sum, MainRooms)
	add("dwellings", source.Sum, MainOfRooms...)
	add("dwellings", source.Sum, MainBuilt...)
	add("dwellings", source.Sum, MainHeatTownGas, MainHeatBottled, MainHeatOil, MainHeatElectric, MainHeatOther,
		MainCarless, MainWithCar, MainCrowdable, MainOvercrowded)
	add("%", source.Official, SocialRate)
	return out
}

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{housingExtract(), vacancyRatesSource(), socialExtract(), socialOfficial(),
		housingCensus(), housingLong(),
		vacancySource("commune", `communes?`, "CODGEO_29", "CODGEO_28", "CODGEO_27", "CODGEO_26", "CODGEO_25",
			"CODGEO_24"),
		vacancySource("departement", `d[eé]p(artements?)?`, "DEP")}
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
	s.Origins = socialOrigins
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
