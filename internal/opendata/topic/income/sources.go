// Package income declares the data on incomes.
package income

import (
	"cmp"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// Filosofi, INSEE with DGFiP, Cnaf, Cnav and CCMSA: disposable income per consumption unit. Medians, deciles
// and rates are published at each level. The series of 2023 is not comparable with that until 2021.
const (
	IncomeMedian         = "income.median"
	IncomePovertyRate    = "income.povertyRate" // below 60 % of the national median
	IncomeD1             = "income.d1"
	IncomeD9             = "income.d9"
	IncomeRatio          = "income.interdecileRatio"
	IncomeGini           = "income.gini"
	IncomeTaxed          = "income.taxedHouseholds"
	IncomeSocialBenefits = "income.socialBenefits"
	IncomeSocialMinima   = "income.socialMinima"
)

var measures = source.MeasuresOf(source.Official, IncomeMedian, IncomePovertyRate, IncomeD1, IncomeD9, IncomeRatio,
	IncomeGini, IncomeTaxed, IncomeSocialBenefits, IncomeSocialMinima)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{
		incomeKey("communes", "COM"), incomeKey("departements", "DEP"), incomeKey("regions", "REG"),
		incomeDetail("communes", "COM"), incomeDetail("departements", "DEP"), incomeDetail("regions", "REG"),
		incomeMelodi(),
	}
}

// incomeColumns are the columns that both layouts have. Their names end with the year.
var incomeColumns = []source.Unpivot{
	{Column: `(MED|Q2)(?P<yy>\d\d)`, Measure: IncomeMedian, Period: "{yy}"},
	{Column: `TP60(?P<yy>\d\d)`, Measure: IncomePovertyRate, Period: "{yy}"},
	{Column: `D1(?P<yy>\d\d)`, Measure: IncomeD1, Period: "{yy}"},
	{Column: `D9(?P<yy>\d\d)`, Measure: IncomeD9, Period: "{yy}"},
	{Column: `RD(?P<yy>\d\d)`, Measure: IncomeRatio, Period: "{yy}"},
	{Column: `RD`, Measure: IncomeRatio, Period: "{scope}"},
	{Column: `GI(?P<yy>\d\d)`, Measure: IncomeGini, Period: "{yy}"},
	{Column: `PIMP(?P<yy>\d\d)`, Measure: IncomeTaxed, Period: "{yy}"},
	{Column: `PPSOC(?P<yy>\d\d)`, Measure: IncomeSocialBenefits, Period: "{yy}"},
	{Column: `PPMINI(?P<yy>\d\d)`, Measure: IncomeSocialMinima, Period: "{yy}"},
}

// incomeChecks reject a file of another year, and one whose columns are not what their names say.
var incomeChecks = []string{
	`SELECT 'it has figures of ' || period || ', its name says ' || named FROM stage WHERE period <> named LIMIT 1`,
	`SELECT 'a median of ' || value || ' euros in ' || code || ' is not one' FROM stage WHERE measure = '` +
		IncomeMedian + `' AND value NOT BETWEEN 4000 AND 200000 LIMIT 1`,
	`SELECT 'a rate of ' || value || ' % in ' || code || ' is not one' FROM stage WHERE measure IN ('` +
		IncomePovertyRate + `', '` + IncomeTaxed + `') AND value NOT BETWEEN 0 AND 100 LIMIT 1`,
	`SELECT 'the deciles of ' || d1.code || ' are ' || d1.value || ' and ' || d9.value || ', their ratio is not ' || r.value
		FROM stage d1 JOIN stage d9 USING (code, period) JOIN stage r USING (code, period)
		WHERE d1.measure = '` + IncomeD1 + `' AND d9.measure = '` + IncomeD9 + `' AND r.measure = '` + IncomeRatio + `'
		AND abs(d9.value / nullif(d1.value, 0) - r.value) > 0.15 LIMIT 1`,
}

func incomeSource(s source.Source, level string) source.Source {
	s.Producer = "INSEE-DGFiP-Cnaf-Cnav-CCMSA"
	s.Read.Format, s.Read.Separator, s.Read.Decimal, s.Read.Unpivot = source.CSV, cmp.Or(s.Read.Separator, ";"),
		",", incomeColumns
	s.Read.Missing = map[string]string{"s": "secret", "nd": "unavailable"}
	s.Columns = append(source.FigureColumns("CODGEO"), source.Named)
	s.Vintage = "max(period)"
	s.Checks = incomeRows[level]
	s.Checks.Queries = incomeChecks
	if level == "COM" {
		s.Levels = []string{"commune"}
		s = source.FigureSource(s, source.Figures{Measures: measures, Since: incomeGeography,
			SplitSince: "least(2023, " + incomeGeography + ")"})
		s.Target.Rank = 10
		return s
	}
	table := map[string]string{"DEP": "departement", "REG": "region"}[level]
	s.Columns[0].Pad, s.Columns[0].Match = 2, ""
	s.Reject = []source.Rule{{When: "code NOT IN (SELECT code FROM geo." + table + ")", Reason: "'no " + table +
		" has code ' || code"}}
	s = source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Level: "'" + table + "'"})
	s.After = append(s.After, "cog-departements", "cog-regions")
	s.Target.Rank = 10
	return s
}

// incomeRows bounds the number of figures in a file: at least 31 000 communes with a median each; 98
// départements or 15 régions with seven to nine figures. All codes of régions are codes of départements too,
// so that the number of rows distinguishes them.
var incomeRows = map[string]source.Checks{"COM": {MinRows: 50000}, "DEP": {MinRows: 600, MaxRows: 1000},
	"REG": {MinRows: 80, MaxRows: 200}}

// incomeGeography is the year of the geography of a file: the year after the incomes, except for those of
// 2021, which were republished in that of 2024.
const incomeGeography = `(SELECT CASE max(period) WHEN '2021' THEN 2024 ELSE max(period)::integer + 1 END FROM stage)`

// incomeKey declares the key figures: median, poverty rate, first and last decile.
func incomeKey(name, level string) source.Source {
	read := source.Read{Member: `(?i)(^|/)cc_filosofi_20\d\d_` + level + `\.csv$`}
	if level != "COM" {
		read.Separator = "sniff" // programs that read these files disagree on it
	}
	return incomeSource(source.Source{
		Name: "filosofi-" + name, Title: "Filosofi, chiffres clés",
		Homepage: "https://www.insee.fr/fr/statistiques/7756729",
		Files: []source.Files{
			{Path: `(^|/)cc_filosofi_(?P<scope>20\d\d)_` + level + `\.csv(\.gz)?$`},
			// The archives of later geographies have another layout.
			{Path: `(^|/)base-cc-filosofi-(?P<scope>20\d\d)-geo2024_csv\.zip$`},
		},
		// The last archive of its series; it has a member for each level.
		Origins: []fetch.Origin{
			source.InseeFile(7756729, "base-cc-filosofi-2021-geo2024_csv.zip"),
		},
		Read: read,
		Note: "cc_filosofi_2021_" + level + ".csv, or the archive of key figures that it comes in; the year in the name is that of the incomes.",
	}, level)
}

// incomeDetail declares the whole distribution, without the poverty rate.
func incomeDetail(name, level string) source.Source {
	territories := "SUPRA" // all that are larger than a commune
	if level == "COM" {
		territories = "COMMUNES"
	}
	return incomeSource(source.Source{
		Name: "filosofi-distribution-" + name, Title: "Filosofi, distribution des revenus disponibles",
		Homepage: "https://www.insee.fr/fr/statistiques/6036907",
		Files: []source.Files{
			{Path: `(^|/)FILO(?P<scope>20\d\d)_DISP_` + level + `\.csv(\.gz)?$`},
			{Path: `(^|/)indic-struct-distrib-revenu-(?P<scope>20\d\d)-` + territories + `_csv\.zip$`},
		},
		Origins: detailOrigins(territories),
		Read:    source.Read{Member: `(?i)(^|/)FILO20\d\d_DISP_` + level + `\.csv$`},
		Note:    "FILO2019_DISP_" + level + ".csv, or the archive that it comes in; the year in the name is that of the incomes. An empty cell is a secret one.",
	}, level)
}

func incomeMelodi() source.Source {
	s := source.MelodiSource("filosofi-melodi", "Filosofi (catalogue)", source.Melodi{Measures: measures,
		Dataset: "DS_FILOSOFI_CC", Bytes: 5_300_000, Measure: "FILOSOFI_MEASURE",
		Keep: map[string]string{"FILOSOFI_MEASURE": "MED_SL|PR_MD60|D1_SL|D9_SL|IR_D9_D1_SL|GI_SL|S_SOC_BEN_DI"},
		// The Gini index is stored from 0 to 1, whatever the file has.
		Is: `CASE what WHEN 'MED_SL' THEN '` + IncomeMedian + `' WHEN 'PR_MD60' THEN '` + IncomePovertyRate + `'
			WHEN 'D1_SL' THEN '` + IncomeD1 + `' WHEN 'D9_SL' THEN '` + IncomeD9 + `' WHEN 'IR_D9_D1_SL' THEN '` + IncomeRatio + `'
			WHEN 'S_SOC_BEN_DI' THEN '` + IncomeSocialBenefits + `' WHEN 'GI_SL' THEN CASE WHEN value <= 1 THEN '` + IncomeGini + `' END END`,
		Lag: 1})
	s.Producer = "INSEE-DGFiP-Cnaf-Cnav-CCMSA"
	return s
}

// detailOrigins are the archives of the distribution, one of communes and one of all larger territories.
func detailOrigins(territories string) []fetch.Origin {
	name := func(year string) string {
		return "indic-struct-distrib-revenu-" + year + "-" + territories + "_csv.zip"
	}
	newest := source.InseeFile(7756855, name("2021"))
	if territories == "SUPRA" {
		newest.Derived = true // from the name of the file of communes
	}
	return []fetch.Origin{newest, source.InseeFile(6036907, name("2019"))}
}
