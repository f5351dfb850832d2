// Package finances declares the data on the accounts of local authorities.
package finances

import (
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Accounts of local authorities, published by OFGL from data of DGFiP: main and annex budgets consolidated.
// An aggregate is identified by its exact label.

// Account is an aggregate that is served.
type Account struct {
	Measure string
	Label   string // as published, without the accent that some editions have on its first letter
}

// The aggregates. FinancesPopulation is the population used by OFGL for amounts per inhabitant.
const (
	FinancesPopulation         = "finances.population"
	FinancesOperatingRevenue   = "finances.operatingRevenue"
	FinancesOperatingSpending  = "finances.operatingExpenditure"
	FinancesInvestmentSpending = "finances.investmentExpenditure"
	FinancesGrossSaving        = "finances.grossSaving"
	FinancesNetSaving          = "finances.netSaving"
	FinancesDebt               = "finances.debt"
	FinancesDebtService        = "finances.debtService"
	FinancesStaffCosts         = "finances.staffCosts"
	FinancesLocalTaxes         = "finances.localTaxes"
)

var accounts = []Account{
	{FinancesOperatingRevenue, "Recettes de fonctionnement"},
	{FinancesOperatingSpending, "Dépenses de fonctionnement"},
	{FinancesInvestmentSpending, "Dépenses d'investissement"},
	{FinancesGrossSaving, "Epargne brute"},
	{FinancesNetSaving, "Epargne nette"},
	{FinancesDebt, "Encours de dette"},
	{FinancesDebtService, "Annuité de la dette"},
	{FinancesStaffCosts, "Frais de personnel"},
	{FinancesLocalTaxes, "Impôts locaux"},
}

var measures = append(source.MeasuresOf(source.Own, FinancesPopulation),
	source.MeasuresOf(source.Own, accountMeasures...)...)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{financesCommunes(), financesDepartements(), financesRegions()}
}

// financeLabel is SQL for the label of a staged row as accounts spells it.
const financeLabel = `replace(translate(agregat, 'É’', 'E'''), '  ', ' ')`

// financesSource declares an export of one of the consolidated databases: one row a year, authority and
// aggregate, under technical column names or under labels, which contain the year of their geography.
func financesSource(level, plural, code, label string) source.Source {
	codes := []string{code}
	for year := 2027; year >= 2017; year-- {
		codes = append(codes, fmt.Sprintf("Code Insee %d %s", year, label))
	}
	s := source.Source{
		Name: "finances-" + plural, Title: "Base consolidée des comptes des " + plural,
		Producer: "OFGL (d'après DGFiP)",
		Homepage: "https://data.ofgl.fr/explore/dataset/ofgl-base-" + plural + "-consolidee/",
		Files: []source.Files{{Path: `(^|/)ofgl-base-` + plural +
			`-consolidee([-_](?P<scope>20[0-9]{2}))?\.csv(\.gz)?$`}},
		Read: source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "code", From: codes, Required: true},
			{Name: "siren", From: []string{"siren", "Code Siren Collectivité", "Code Siren"}, Required: true},
			{Name: "year", From: []string{"exer", "Exercice"}, Required: true, Match: `20[0-9]{2}(-01-01.*)?`},
			{Name: "agregat", From: []string{"agregat", "Agrégat"}, Required: true},
			{Name: "amount", From: []string{"montant", "Montant"}, Kind: source.Number},
			{Name: "inhabitants", From: []string{"ptot", "Population totale"}, Kind: source.Number},
			{Name: "budget", From: []string{"type_de_budget", "Type de budget"}},
			{Name: "named", Template: "{scope}"},
		},
		Drop: []string{financeLabel + " NOT IN (" +
			joinLabels(func(l string) string { return "'" + source.Quoted(l) + "'" }) + ")"},
		Dedupe:  source.Dedupe{Key: []string{"code", "siren", "year", "agregat"}},
		Vintage: "make_date(max(left(year, 4))::integer, 12, 31)",
		Note: "The file was not at hand: columns as loaders of others read them. An export of the nine aggregates that are served is enough: " +
			joinLabels(func(l string) string { return l }) + ".",
	}
	s.Levels = []string{level}
	s.Checks.Queries = financesChecks
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, From: financesRows(level)})
}

// accountMeasure returns SQL for the measure of a staged row.
func accountMeasure() string {
	out := "CASE " + financeLabel
	for _, a := range accounts {
		out += fmt.Sprintf(" WHEN '%s' THEN '%s'", source.Quoted(a.Label), a.Measure)
	}
	return out + " END"
}

// joinLabels joins the labels of the accounts, each as write gives it.
func joinLabels(write func(label string) string) string {
	var labels []string
	for _, a := range accounts {
		labels = append(labels, write(a.Label))
	}
	return strings.Join(labels, ", ")
}

// financesRows sums the lines of a territory: a commune nouvelle keeps one for each authority it was formed
// from. An empty amount is not zero, so the sum is then unknown. Inhabitants are counted once an authority.
func financesRows(level string) string {
	return fmt.Sprintf(`
	WITH line AS (
		SELECT code, siren, left(year, 4) AS period, %[1]s AS measure, amount, inhabitants FROM stage),
	authority AS (SELECT code, siren, period, max(inhabitants) AS inhabitants FROM line GROUP BY code, siren, period)
	SELECT '%[2]s' AS level, code, measure, period,
		CASE WHEN count(amount) = count(*) THEN sum(amount) END AS value, 'unavailable' AS missing
	FROM line GROUP BY code, measure, period
	UNION ALL
	SELECT '%[2]s', code, '`+FinancesPopulation+`', period,
		CASE WHEN count(inhabitants) = count(*) THEN sum(inhabitants) END, 'unavailable'
	FROM authority GROUP BY code, period`, accountMeasure(), level)
}

// financesChecks: the year is that of the name, all budgets are consolidated,
// and gross saving is revenue less expenditure.
var financesChecks = []string{
	`SELECT 'it has the exercise ' || min(left(year, 4)) || ', its name says ' || min(named) FROM stage
	WHERE named <> left(year, 4) HAVING count(*) > 0`,
	`SELECT 'it has budgets apart (' || min(budget) || '): this is not the consolidated base' FROM stage
	WHERE budget IS NOT NULL HAVING count(DISTINCT budget) > 1`,
	`SELECT 'gross saving is not operating revenue less expenditure in ' || count(*) FILTER (WHERE abs(r - d - e) > 1 + 0.01 * abs(r)) || ' of ' || count(*) || ' accounts'
	FROM (SELECT code, siren, year, sum(amount) FILTER (WHERE agregat = 'Recettes de fonctionnement') AS r,
		sum(amount) FILTER (WHERE agregat = 'Dépenses de fonctionnement') AS d, sum(amount) FILTER (WHERE ` + financeLabel + ` = 'Epargne brute') AS e
		FROM stage GROUP BY code, siren, year) a WHERE r - d - e IS NOT NULL
	HAVING count(*) FILTER (WHERE abs(r - d - e) > 1 + 0.01 * abs(r)) > 0.05 * count(*)`,
}

func financesCommunes() source.Source {
	s := financesSource("commune", "communes", "com_code", "Commune")
	s.Origins = exportOrigins("communes", "com_code")
	s.Columns[0].Match = `[0-9][0-9AB][0-9]{3}`
	s.Reject = append(s.Reject, source.UnknownCommune)
	s.Checks.MinRows = 150_000
	s.Note += " Codes are read as those of 2025: a commune that was merged since has figures where both are there."
	return s
}

// financesDepartements excludes the authorities whose territory is not that of a département: Rhône without
// the métropole de Lyon since 2015, and Corse and Alsace, which each cover two départements.
func financesDepartements() source.Source {
	s := financesSource("departement", "departements", "dep_code", "Département")
	s.Title = "Base consolidée des comptes des départements"
	s.Origins = exportOrigins("departements", "dep_code")
	s.Drop = append(s.Drop, "code NOT IN (SELECT code FROM geo.departement)",
		"code = '69' AND year >= '2015'", "code IN ('2A', '2B') AND year >= '2018'",
		"code IN ('67', '68') AND year >= '2021'")
	s.Checks.MinRows = 600
	s.Note += " Without accounts of their own, and so null: Paris (its accounts are those of the commune), Rhône since 2015, " +
		"both Corsican départements since 2018, both Alsatian ones since 2021, Martinique and Guyane since 2016."
	return s
}

func financesRegions() source.Source {
	s := financesSource("region", "regions", "reg_code", "Région")
	s.Title = "Base consolidée des comptes des régions"
	s.Origins = exportOrigins("regions", "reg_code")
	s.Origins[0].Derived = true
	s.Columns[0].Pad = 2
	s.Checks.Known = []source.Known{{Code: "code", Query: "SELECT code FROM geo.region",
		Reason: "'no région has code ' || code"}}
	s.Checks.MinRows = 100
	s.Note += " Corse, Martinique and Guyane are collectivités that also do what départements do."
	return s
}

// exportOrigins are those of a consolidated base, one for each of five accounting years, of the aggregates
// and columns that are read. code is the column of the code of the territory.
func exportOrigins(plural, code string) []fetch.Origin {
	var labels []string
	for _, a := range accounts {
		labels = append(labels, `"`+a.Label+`"`)
		if rest, is := strings.CutPrefix(a.Label, "E"); is { // some editions have its accent
			labels = append(labels, `"É`+rest+`"`)
		}
	}
	dataset := "ofgl-base-" + plural + "-consolidee"
	return []fetch.Origin{{
		From: producer.Opendatasoft{
			Host: "data.ofgl.fr", Dataset: dataset, Format: "csv", Select: "exer," + code +
				",siren,agregat,montant,ptot",
			Where: "year(exer)={year} AND agregat IN (" + strings.Join(labels, ", ") + ")", Years: 5,
		},
		As: dataset + "_{year}.csv", Rhythm: "yearly",
	}}
}
