// Package employment declares the data on activity and unemployment.
package employment

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Activity of those aged 15 to 64 as defined by the census, and localised unemployment as defined by the ILO.
// The two are never mixed: the census figure is structurally higher.
const (
	EmploymentPopulation = "employment.population1564"
	EmploymentActive     = "employment.active1564"
	EmploymentEmployed   = "employment.employed1564"
	EmploymentUnemployed = "employment.unemployed1564"
	EmploymentJobs       = "employment.jobs"
	UnemploymentRate     = "unemployment.rate" // localised, quarter by quarter
)

// ZoneKind is the kind of fact that describes the zone d'emploi of a
// commune (code), and the name of a zone (name).
const ZoneKind = "zone"

var measures = append(source.MeasuresOf(source.Sum, EmploymentPopulation, EmploymentActive, EmploymentEmployed,
	EmploymentUnemployed, EmploymentJobs), source.MeasuresOf(source.Official, UnemploymentRate)...)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{
		comparatorEmployment(), employmentCensus(), employmentMelodi(),
		zoneRates(), zoneFactsOfCopy(), zoneRatesOfINSEE(), zoneNamesOfINSEE(), zoneCommunesOfINSEE(),
		localisedRates("departement", "départements", `(?i)d[ée]partements?`, 96), localisedRates("region",
			"régions", `(?i)r[ée]gions?`, 13),
	}
}

func comparatorEmployment() source.Source {
	s := source.Comparator("comparateur-emploi", "Comparateur de territoires, activité des 15 à 64 ans",
		measures, []source.Unpivot{
			{Column: `pop_15_64_totale_(?P<year>20\d\d)`, Measure: EmploymentPopulation, Period: "{year}"},
			{Column: `pop_15_64_active_(?P<year>20\d\d)`, Measure: EmploymentActive, Period: "{year}"},
			{Column: `pop_15_64_chomage_(?P<year>20\d\d)`, Measure: EmploymentUnemployed, Period: "{year}"},
		}, source.SplitIn2024, source.NewestIsNamed, partsOfActive)
	s.Drop = append(s.Drop, source.NotMayotte)
	return s
}

// partsOfActive rejects columns that are not what their names say.
const partsOfActive = `SELECT 'of ' || p.value || ' inhabitants of ' || p.code || ' aged 15 to 64 ' || a.value || ' are active and ' || u.value || ' unemployed'
	FROM stage p JOIN stage a USING (code, period) JOIN stage u USING (code, period)
	WHERE p.measure = '` + EmploymentPopulation + `' AND a.measure = '` + EmploymentActive + `' AND u.measure = '` + EmploymentUnemployed + `'
	AND (a.value > p.value + 1 OR u.value > a.value + 1) LIMIT 1`

// employmentCensus declares the census table, whose columns begin with
// the year: three censuses five years apart.
func employmentCensus() source.Source {
	s := source.Source{
		Name: "rp-emploi", Title: "Recensement, emploi et population active", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/8581444",
		Files:    []source.Files{{Path: `(?i)(^|/)base-cc-emploi-pop-active-(?P<scope>20\d\d)(_v\d+)?(_csv)?\.(zip|csv|csv\.gz)$`}},
		Origins:  censusOrigins(),
		Read: source.Read{
			Format: source.CSV, Separator: ";", Member: `(?i)(^|/)base-cc-emploi-pop-active-20\d\d(_v\d+)?\.csv$`,
			Missing: map[string]string{"s": "secret", "nd": "unavailable"},
			Unpivot: []source.Unpivot{
				{Column: `P(?P<yy>\d\d)_POP1564`, Measure: EmploymentPopulation, Period: "{yy}"},
				{Column: `P(?P<yy>\d\d)_ACT1564`, Measure: EmploymentActive, Period: "{yy}"},
				{Column: `P(?P<yy>\d\d)_ACTOCC1564`, Measure: EmploymentEmployed, Period: "{yy}"},
				{Column: `P(?P<yy>\d\d)_CHOM1564`, Measure: EmploymentUnemployed, Period: "{yy}"},
				{Column: `P(?P<yy>\d\d)_EMPLT`, Measure: EmploymentJobs, Period: "{yy}"},
			},
		},
		Columns: append(source.FigureColumns("CODGEO"), source.Named),
		Vintage: "max(period)",
		Checks:  source.Checks{MinRows: 150000, Queries: []string{source.NewestIsNamed, partsOfActive}},
		Note:    "base-cc-emploi-pop-active-2021.CSV, or the archive it comes in. No file was at hand when this was written; the columns are those that others read.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures,
		Since: "(SELECT max(period)::integer + 3 FROM stage)", Rank: 10})
}

func employmentMelodi() source.Source {
	return source.MelodiSource("rp-emploi-melodi", "Recensement, activité au lieu de résidence (catalogue)",
		source.Melodi{Measures: measures, Dataset: "DS_RP_EMPLOI_LR_PRINC", Measure: "EMPSTA_ENQ",
			Keep: map[string]string{"SEX": "_T", "EDUC": "_T", "AGE": "Y15T64", "EMPSTA_ENQ": "1|2|_T"},
			Is: `CASE what WHEN '_T' THEN '` + EmploymentPopulation + `' WHEN '1' THEN '` + EmploymentEmployed +
				`' WHEN '2' THEN '` + EmploymentUnemployed + `' END`, Lag: 3,
			Made: ` UNION ALL SELECT level, code, '` + EmploymentActive + `', period, CASE WHEN count(value) = 2 THEN sum(value) END, min(missing)
			FROM told WHERE measure IN ('` + EmploymentEmployed + `', '` + EmploymentUnemployed + `') GROUP BY level, code, period HAVING count(*) = 2`,
		})
}

// localisedRates declares the quarterly workbook of a level. It has the quarters of twenty
// years or more, of at least so many places.
func localisedRates(level, plural, sheet string, places int64) source.Source {
	s := source.Source{
		Name: "chomage-" + level + "s", Title: "Taux de chômage localisés, " + plural, Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2012804",
		Files:    []source.Files{{Path: `(^|/)sl_etc_(?P<vintage>20\d\dT[1-4])\.xlsx?(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/2012804/sl_etc_{year}T{quarter}.xls"},
			As:   "sl_etc_{year}T{quarter}.xls", Rhythm: "quarterly",
		}},
		Read: source.Read{Format: source.Spreadsheet, Sheet: sheet, HeaderCell: "Code", Unpivot: quarters},
		Columns: append(source.FigureColumns("Code"), source.Column{Name: "named", Template: "{vintage}",
			Required: true}),
		Reject: []source.Rule{{When: "code NOT IN (SELECT code FROM geo." + level + ")", Reason: "'no " + level +
			" has code ' || code"}},
		Checks: source.Checks{MinRows: places * 80, MaxRefused: 0.2, Queries: []string{
			`SELECT 'its newest quarter is ' || max(period) || ', its name says ' || named FROM stage GROUP BY named HAVING replace(max(period), '-', '') <> named`,
			rateRange,
		}},
		Note: "sl_etc_2025T3.xls: the newest quarter counts, and takes the place of older workbooks. Rows of France and other areas are passed over. No file was at hand when this was written.",
	}
	s.Columns[0].Pad, s.Columns[0].Match = 2, ""
	s = source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Level: "'" + level + "'"})
	s.After = append(s.After, "cog-departements", "cog-regions")
	s.Target.Rank = 10
	return s
}

// quarters are the two naming schemes for the column of a quarter.
var quarters = []source.Unpivot{
	{Column: `(?P<year>(19|20)\d\d)[-_ ]?T(?P<quarter>[1-4])`, Measure: UnemploymentRate,
		Period: "{year}-T{quarter}"},
	{Column: `T(?P<quarter>[1-4])[-_ ]?(?P<year>(19|20)\d\d)`, Measure: UnemploymentRate,
		Period: "{year}-T{quarter}"},
}

const rateRange = `SELECT 'an unemployment rate of ' || value || ' % in ' || code || ' is not one' FROM stage WHERE value NOT BETWEEN 0 AND 60 LIMIT 1`

func censusOrigins() []fetch.Origin {
	newest := source.InseeFile(8581444, "base-cc-emploi-pop-active-2022_csv.zip")
	newest.Note = "The last file of this form: the census of 2023 is in rp-emploi-melodi alone."
	return []fetch.Origin{
		newest,
		source.InseeFile(8202916, "base-cc-emploi-pop-active-2021_csv.zip"),
		source.InseeFile(7632867, "base-cc-emploi-pop-active-2020_csv.zip"),
	}
}
