package source

// Filosofi, INSEE with DGFiP, Cnaf, Cnav and CCMSA: disposable income per consumption unit. Medians, deciles and rates
// are the producer's own at each level. The series of 2023 is another one than that until 2021.
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

var incomeMeasures = []Measure{
	{Name: IncomeMedian, Unit: "EUR a year per consumption unit"},
	{Name: IncomePovertyRate, Unit: "% of the inhabitants"},
	{Name: IncomeD1, Unit: "EUR a year per consumption unit"},
	{Name: IncomeD9, Unit: "EUR a year per consumption unit"},
	{Name: IncomeRatio, Unit: "D9/D1"},
	{Name: IncomeGini, Unit: "0 to 1"},
	{Name: IncomeTaxed, Unit: "% of the households"},
	{Name: IncomeSocialBenefits, Unit: "% of disposable income"},
	{Name: IncomeSocialMinima, Unit: "% of disposable income"},
}

func incomeSources() []Source {
	return []Source{
		incomeKey("communes", "COM"), incomeKey("departements", "DEP"), incomeKey("regions", "REG"),
		incomeDetail("communes", "COM"), incomeDetail("departements", "DEP"), incomeDetail("regions", "REG"),
		incomeMelodi(), incomeMinima(), incomeObservatory(),
	}
}

// incomeColumns are the columns that both layouts have. Their names end with the year.
var incomeColumns = []Wide{
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

// incomeChecks refuse a file of another year, and one whose columns are not what their names say.
var incomeChecks = []string{
	`SELECT 'it has figures of ' || period || ', its name says ' || named FROM stage WHERE period <> named LIMIT 1`,
	`SELECT 'a median of ' || value || ' euros in ' || code || ' is not one' FROM stage WHERE measure = '` + IncomeMedian + `' AND value NOT BETWEEN 4000 AND 200000 LIMIT 1`,
	`SELECT 'a rate of ' || value || ' % in ' || code || ' is not one' FROM stage WHERE measure IN ('` + IncomePovertyRate + `', '` + IncomeTaxed + `') AND value NOT BETWEEN 0 AND 100 LIMIT 1`,
	`SELECT 'the deciles of ' || d1.code || ' are ' || d1.value || ' and ' || d9.value || ', their ratio is not ' || r.value
		FROM stage d1 JOIN stage d9 USING (code, period) JOIN stage r USING (code, period)
		WHERE d1.measure = '` + IncomeD1 + `' AND d9.measure = '` + IncomeD9 + `' AND r.measure = '` + IncomeRatio + `'
		AND abs(d9.value / nullif(d1.value, 0) - r.value) > 0.15 LIMIT 1`,
}

func incomeSource(s Source, level string) Source {
	s.Producer = "INSEE-DGFiP-Cnaf-Cnav-CCMSA"
	s.Read.Format, s.Read.Separator, s.Read.Decimal, s.Read.Wide = CSV, ";", ",", incomeColumns
	s.Read.Missing = map[string]string{"s": "secret", "nd": "unavailable"}
	s.Columns = append(figureColumns("CODGEO"), named)
	s.Vintage = "max(period)"
	s.Checks = incomeRows[level]
	s.Checks.Queries = incomeChecks
	if level == "COM" {
		s = figureSource(s, figures{since: incomeGeography, from: `SELECT 'commune' AS level, code, measure, period, value, missing FROM (` + beforeSplit + `) t`})
		return ofCommunes(s, 10)
	}
	table := map[string]string{"DEP": "departement", "REG": "region"}[level]
	s.Columns[0].Pad, s.Columns[0].Match = 2, ""
	s.Reject = []Rule{{When: "code NOT IN (SELECT code FROM geo." + table + ")", Reason: "'no " + table + " has code ' || code"}}
	s = figureSource(s, figures{cog: 2025, level: "'" + table + "'"})
	s.After = append(s.After, "cog-departements", "cog-regions")
	s.Target.Rank = 10
	return s
}

// incomeRows are how many figures a file has: 31 000 communes at least, with a median each; 98 départements or 15 régions
// with seven to nine figures. All codes of régions are codes of départements too, so that their number tells them apart.
var incomeRows = map[string]Checks{"COM": {MinRows: 50000}, "DEP": {MinRows: 600, MaxRows: 1000}, "REG": {MinRows: 80, MaxRows: 200}}

// incomeGeography is the year of the geography of a file: that after the incomes, but for those of 2021, which were
// published again in that of 2024.
const incomeGeography = `(SELECT CASE max(period) WHEN '2021' THEN 2024 ELSE max(period)::integer + 1 END FROM stage)`

// incomeKey are the key figures: median, poverty rate, first and last decile.
func incomeKey(name, level string) Source {
	return incomeSource(Source{
		Name: "filosofi-" + name, Title: "Filosofi, chiffres clés",
		Homepage: "https://www.insee.fr/fr/statistiques/7756855",
		Files:    []Files{{Path: `(^|/)cc_filosofi_(?P<scope>20\d\d)_` + level + `\.csv(\.gz)?$`}},
		Note:     "cc_filosofi_2021_" + level + ".csv of the archive of key figures; the year in the name is that of the incomes.",
	}, level)
}

// incomeDetail is the whole distribution, without the poverty rate.
func incomeDetail(name, level string) Source {
	return incomeSource(Source{
		Name: "filosofi-distribution-" + name, Title: "Filosofi, distribution des revenus disponibles",
		Homepage: "https://www.insee.fr/fr/statistiques/6036907",
		Files:    []Files{{Path: `(^|/)FILO(?P<scope>20\d\d)_DISP_` + level + `\.csv(\.gz)?$`}},
		Note:     "FILO2019_DISP_" + level + ".csv; the year in the name is that of the incomes. An empty cell is a secret one.",
	}, level)
}

func incomeMelodi() Source {
	s := melodiSource("filosofi-melodi", "Filosofi (catalogue)", melodi{
		dataset: "DS_FILOSOFI_CC", measure: "FILOSOFI_MEASURE",
		keep: map[string]string{"FILOSOFI_MEASURE": "MED_SL|PR_MD60|D1_SL|D9_SL|IR_D9_D1_SL|GI_SL|S_SOC_BEN_DI"},
		// A Gini index is told from 0 to 1 here, whatever the file has.
		is: `CASE what WHEN 'MED_SL' THEN '` + IncomeMedian + `' WHEN 'PR_MD60' THEN '` + IncomePovertyRate + `'
			WHEN 'D1_SL' THEN '` + IncomeD1 + `' WHEN 'D9_SL' THEN '` + IncomeD9 + `' WHEN 'IR_D9_D1_SL' THEN '` + IncomeRatio + `'
			WHEN 'S_SOC_BEN_DI' THEN '` + IncomeSocialBenefits + `' WHEN 'GI_SL' THEN CASE WHEN value <= 1 THEN '` + IncomeGini + `' END END`,
		lag: 1,
	})
	s.Producer = "INSEE-DGFiP-Cnaf-Cnav-CCMSA"
	return s
}

// incomeMinima is an extract of the key figures, in the geography of 2022. It only tells what the official file lacks.
func incomeMinima() Source {
	s := Source{
		Name: "filosofi-minima", Title: "Filosofi, médianes et minima sociaux par commune (dérivé par bpineau/gazetteer)",
		Producer: "INSEE-DGFiP-Cnaf-Cnav-CCMSA",
		Homepage: "https://www.data.gouv.fr/datasets/revenu-des-francais-a-la-commune",
		Files:    []Files{{Path: `(^|/)filosofi_communes_(?P<scope>20\d\d)_minima\.json(\.gz)?$`}},
		Read: Read{Format: JSON, Keyed: true, Items: []string{"communes"}, Nulls: []string{"-1"}, Wide: []Wide{
			{Column: "median_eur", Measure: IncomeMedian, Period: "{scope}"},
			{Column: "minima_pct", Measure: IncomeSocialMinima, Period: "{scope}"},
		}},
		Columns: figureColumns("_key"),
		Vintage: "max(period)",
		Checks:  Checks{MinRows: 30000, Queries: incomeChecks[1:2]},
		Note:    "An extract by a third party; the official file, when it is there, comes first.",
	}
	return ofCommunes(figureSource(s, figures{since: "(SELECT max(period)::integer + 1 FROM stage)",
		from: `SELECT 'commune' AS level, code, measure, period, value, missing FROM stage`}), 0)
}
