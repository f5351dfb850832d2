package health

import (
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Life expectancy at birth by sex. There is no official figure for both together.
const (
	LifeMen   = "life.men"
	LifeWomen = "life.women"
)

var lifeMeasures = source.MeasuresOf(source.Official, LifeMen, LifeWomen)

// lifeMelodi declares the series of the catalogue, of which those by month and at other ages are left out.
func lifeMelodi() source.Source {
	s := source.MelodiSource("life-expectancy-melodi", "Espérance de vie à la naissance (catalogue)",
		source.Melodi{Measures: lifeMeasures, Dataset: "DS_DECES_MORTALITE_SERIES", Measure: "SEX",
			Keep: map[string]string{"GEO_OBJECT": "DEP|REG", "EC_MEASURE": "LEXPEC", "AGE": "Y0", "FREQ": "A",
				"SEX": "F|M"},
			Is: `CASE what WHEN 'M' THEN '` + LifeMen + `' WHEN 'F' THEN '` + LifeWomen + `' END`})
	s.Origins[0].Derived = true
	s.Levels = []string{"departement", "region"}
	s.Checks.MinRows = 180
	return s
}

// GDPKind is the kind of facts for the gross domestic product of a région in a year. A fact holds millionEur,
// perCapitaEur and status, each of which may be null.
const GDPKind = "gdp"

// gdpSource completes a source with one row an observation. Its rows are staged as code, period, unit
// ("million" or "capita"), value in euros or millions of euros, and status.
func gdpSource(s source.Source, rows string, rank int) source.Source {
	s.Group = "stats"
	s.After = []string{"cog-regions"}
	s.Target = source.FactTarget
	s.Target.Rank = rank
	s.Vintage = "make_date(max(left(period, 4))::integer, 12, 31)"
	s.Rows = `
	WITH told AS (` + rows + `)
	SELECT 'region' AS level, t.code, '` + GDPKind + `' AS kind, t.period,
		jsonb_build_object('millionEur', max(t.value) FILTER (WHERE t.unit = 'million'), 'perCapitaEur', max(t.value) FILTER (WHERE t.unit = 'capita'),
			'status', max(t.status)) AS attrs
	FROM told t JOIN geo.region r ON r.code = t.code WHERE t.value IS NOT NULL AND t.unit IS NOT NULL GROUP BY t.code, t.period`
	s.Checks.Queries = []string{
		`SELECT 'it has no gross domestic product of a région' WHERE NOT EXISTS (SELECT FROM (` + rows +
			`) t JOIN geo.region USING (code) WHERE t.unit = 'million')`,
		`SELECT 'the gross domestic product of ' || code || ' in ' || period || ' is ' || value || ' million euros' FROM (` + rows + `) t
		JOIN geo.region USING (code) WHERE t.unit = 'million' AND value NOT BETWEEN 100 AND 5000000 LIMIT 1`,
	}
	return s
}

// regionalAccounts declares INSEE's long file of regional accounts: gross
// domestic product (B1GQ) in current prices.
func regionalAccounts() source.Source {
	s := source.Source{
		Name: "comptes-regionaux", Title: "Comptes régionaux", Producer: "INSEE", Licence: source.LicenceOuverte,
		Homepage: "https://catalogue-donnees.insee.fr/fr/catalogue/recherche/DS_COMPTES_REGIONAUX",
		Files:    []source.Files{{Path: `(^|/)DS_COMPTES_REGIONAUX[^/]*\.(zip|csv|csv\.gz)$`}},
		Origins:  []fetch.Origin{source.MelodiOrigin("DS_COMPTES_REGIONAUX", 0)},
		Read:     source.Read{Format: source.CSV, Member: `_data\.csv$`, Separator: ";"},
		Columns: []source.Column{
			{Name: "geo", From: []string{"GEO"}, Required: true},
			{Name: "object", From: []string{"GEO_OBJECT"}},
			{Name: "operation", From: []string{"STO"}, Required: true},
			{Name: "activity", From: []string{"ACTIVITY"}},
			{Name: "entry", From: []string{"ACCOUNTING_ENTRY"}},
			{Name: "unit", From: []string{"UNIT_MEASURE"}, Required: true},
			{Name: "power", From: []string{"UNIT_MULT"}, Kind: source.Integer},
			{Name: "prices", From: []string{"PRICES", "PRICE_BASE"}},
			{Name: "told_status", From: []string{"OBS_STATUS_FR", "OBS_STATUS"}},
			{Name: "period", From: []string{"TIME_PERIOD"}, Required: true, Match: `(19|20)[0-9]{2}`},
			{Name: "value", From: []string{"OBS_VALUE", "OBS_VALUE_NIVEAU"}, Kind: source.Number},
		},
		Drop: []string{"operation <> 'B1GQ'", "activity <> '_T'", "prices <> 'V'", "entry <> 'B'",
			"object <> 'REG' AND NOT " + guadeloupe},
		Note: "The file was not at hand: dimensions as users of the interface of the same name read them. Guadeloupe is published together with Saint-Martin.",
	}
	s.Origins[0].Derived = true
	return gdpSource(s, `SELECT CASE WHEN `+guadeloupe+` THEN '01' ELSE right(geo, 2) END AS code, period,
		CASE WHEN unit IN ('XDC', 'EUR') THEN 'million' WHEN unit IN ('XDC_PS', 'EUR_PS', 'EUR_HAB', 'XDC_HAB') THEN 'capita' END AS unit,
		CASE WHEN unit IN ('XDC', 'EUR') THEN value * 10 ^ (coalesce(power, 0) - 6) ELSE value * 10 ^ coalesce(power, 0) END AS value,
		CASE told_status WHEN 'D' THEN 'final' WHEN 'SD' THEN 'semiFinal' WHEN 'PROV' THEN 'provisional' WHEN 'P' THEN 'provisional' END AS status
		FROM stage`, 10)
}

// guadeloupe is SQL for the rows of Guadeloupe, which is published together
// with Saint-Martin under a code of its own.
const guadeloupe = `geo ~ '(^|-)01_'`

// nuts maps the codes of Eurostat to régions.
var nuts = []struct{ code, region string }{
	{"FR1", "11"}, {"FRB", "24"}, {"FRC", "27"}, {"FRD", "28"}, {"FRE", "32"}, {"FRF", "44"}, {"FRG", "52"},
	{"FRH", "53"},
	{"FRI", "75"}, {"FRJ", "76"}, {"FRK", "84"}, {"FRL", "93"}, {"FRM", "94"},
	{"FRY1", "01"}, {"FRY2", "02"}, {"FRY3", "03"}, {"FRY4", "04"}, {"FRY5", "06"},
}

// eurostatAccounts declares Eurostat's table in CSV, for all of Europe or France only. A région that is one
// NUTS 2 area has two codes, one with a trailing zero.
func eurostatAccounts() source.Source {
	var pairs []string
	for _, n := range nuts {
		pairs = append(pairs, fmt.Sprintf("('%s', '%s')", n.code, n.region))
	}
	s := source.Source{
		Name: "eurostat-gdp", Title: "nama_10r_2gdp", Producer: "Eurostat",
		Licence:  source.Licence{Name: "CC BY 4.0 (Eurostat)", Open: true},
		Homepage: "https://ec.europa.eu/eurostat/databrowser/view/nama_10r_2gdp",
		Files:    []source.Files{{Path: `(?i)(^|/)(estat_)?nama_10r_2gdp[^/]*\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://ec.europa.eu/eurostat/api/dissemination/sdmx/2.1/data/nama_10r_2gdp?format=SDMX-CSV&compressed=true"},
			As:   "nama_10r_2gdp.csv.gz", Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.CSV},
		Columns: []source.Column{
			{Name: "geo", Required: true},
			{Name: "unit", Required: true},
			{Name: "period", From: []string{"TIME_PERIOD"}, Required: true, Match: `(19|20)[0-9]{2}`},
			{Name: "value", From: []string{"OBS_VALUE"}, Kind: source.Number},
			{Name: "flag", From: []string{"OBS_FLAG"}},
		},
		Drop: []string{"geo !~ '^FR'", "unit NOT IN ('MIO_EUR', 'EUR_HAB')"},
		Note: "Used for years that INSEE's regional accounts do not tell. The file was not at hand: columns are those of Eurostat's CSV exports (SDMX-CSV).",
	}
	// FRM0 is FRM, FRY10 is FRY1; FR10 is FR1.
	return gdpSource(s, `SELECT DISTINCT n.region AS code, s.period, CASE s.unit WHEN 'MIO_EUR' THEN 'million' ELSE 'capita' END AS unit, s.value,
		CASE WHEN s.flag LIKE '%p%' OR s.flag LIKE '%e%' THEN 'provisional' END AS status
		FROM stage s JOIN (VALUES `+strings.Join(pairs, ", ")+`) AS n(code, region) ON s.geo IN (n.code, n.code || '0')`, 5)
}
