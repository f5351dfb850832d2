package income

import "arpent/api/source"

// incomeObservatory declares the départements of an observatory, which has the poverty rates missing in the available
// official files. Where those have a figure too, it must be equal: this checks the years in the column names.
func incomeObservatory() source.Source {
	s := source.Source{
		Name: "filosofi-observatory-departements", Title: "Filosofi, départements (dérivé par vincentroue/ptod-observatoire-territorial)",
		Producer: "INSEE-DGFiP-Cnaf-Cnav-CCMSA",
		Homepage: "https://www.insee.fr/fr/statistiques/7756855",
		Files:    []source.Files{{Path: `(^|/)insee-rp/agg_dep\.json(\.gz)?$`}},
		Origins:  copyOrigins("filosofi-departements"),
		Read: source.Read{Format: source.JSON, Unpivot: []source.Unpivot{
			{Column: `rev_med_(?P<yy>[0-9]{2})`, Measure: IncomeMedian, Period: "{yy}"},
			{Column: `rev_txpauv_(?P<yy>[0-9]{2})`, Measure: IncomePovertyRate, Period: "{yy}"},
			{Column: `rev_d9_(?P<yy>[0-9]{2})`, Measure: IncomeD9, Period: "{yy}"},
			{Column: `rev_ird9d1_(?P<yy>[0-9]{2})`, Measure: IncomeRatio, Period: "{yy}"},
			{Column: `rev_prestasoc_(?P<yy>[0-9]{2})`, Measure: IncomeSocialBenefits, Period: "{yy}"},
		}},
		Columns: source.FigureColumns("code"),
		Checks: source.Checks{MinRows: 480, MaxRows: 1020, Queries: append([]string{
			source.Lacks(IncomeMedian, IncomePovertyRate, IncomeD9, IncomeRatio), officialIncome, aboveMedian,
		}, incomeChecks[1:3]...),
			Known: []source.Known{{Code: "code", Query: "SELECT code FROM geo.departement UNION ALL SELECT '00FR'", Reason: "'no departement has code ' || code"}},
		},
		Vintage: "max(period)",
		Note:    "Mainland and Corsica, by a third party. The figures of France are the producer's national ones; the census columns are not read. The official file of a year comes first.",
	}
	s.Columns[0].Pad, s.Columns[0].Match = 0, `00FR|[0-9][0-9AB]`
	s.After = []string{"filosofi-departements", "filosofi-distribution-departements", "cog-departements"}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Level: "'departement'", From: source.DepartementsAndFrance})
}

// officialIncome reports figures that differ from those of the official files of the level.
const officialIncome = `SELECT 'its ' || s.measure || ' of ' || s.code || ' in ' || s.period || ' is ' || s.value || ', that of the producer ' || v.value
	FROM stage s JOIN geo.stat_value v ON v.level = 'departement' AND v.code = s.code AND v.measure = s.measure AND v.period = s.period
	WHERE (v.part LIKE 'filosofi-departements%' OR v.part LIKE 'filosofi-distribution-departements%') AND abs(v.value - s.value) > 0.1
	ORDER BY s.code, s.measure LIMIT 1`

const aboveMedian = `SELECT 'the ninth decile of ' || m.code || ', ' || d.value || ' euros, is below its median of ' || m.value
	FROM stage m JOIN stage d USING (code, period) WHERE m.measure = '` + IncomeMedian + `' AND d.measure = '` + IncomeD9 + `' AND d.value < m.value LIMIT 1`
