// Package health declares the data on doctors, life expectancy and regional wealth.
package health

import (
	"fmt"
	"strconv"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	var all []source.Source
	for year := 2021; year <= 2027; year++ {
		all = append(all, doctorsYear(strconv.Itoa(year), year))
	}
	return append(all, lifeMelodi(), regionalAccounts(), eurostatAccounts())
}

// Accessibility of general practitioners, DREES: accessible consultations per standardised
// inhabitant per year, for all practitioners and up to an age. A mean of communes is
// weighted by their standardised population.
const (
	DoctorsAll          = "doctors.all"
	DoctorsUnder65      = "doctors.under65"
	DoctorsUnder62      = "doctors.under62"
	DoctorsUnder60      = "doctors.under60"
	DoctorsStandardised = "doctors.standardised"
	DoctorsPopulation   = "doctors.population"
)

var doctorsMeasures = []source.Measure{
	{Name: DoctorsAll, Class: source.Mean, Weight: DoctorsStandardised},
	{Name: DoctorsUnder65, Class: source.Mean, Weight: DoctorsStandardised},
	{Name: DoctorsUnder62, Class: source.Mean, Weight: DoctorsStandardised},
	{Name: DoctorsUnder60, Class: source.Mean, Weight: DoctorsStandardised},
	{Name: DoctorsStandardised, Class: source.Sum},
	{Name: DoctorsPopulation, Class: source.Sum},
}

// doctorsYear declares a sheet: a workbook holds several years, one a sheet, and each is a source of its own.
// It reads its sheet from whichever workbook has it: the newest edition lacks the older years. Its header is
// below a title of several lines, and a line of units follows it, which is rejected, as is the line of the
// total.
func doctorsYear(period string, year int) source.Source {
	column := func(expr, measure string) source.Unpivot {
		return source.Unpivot{Column: `(?i)` + expr, Measure: measure, Period: period}
	}
	origins := doctorsOrigin(`(?i)^indicateur[ _]d['’_]apl[ _]aux[ _]m[ée]decins[ _]g[ée]n[ée]ralistes`,
		"apl_medecins_generalistes.xlsx", "yearly")
	if year == 2021 {
		origins = doctorsOrigin(`(?i)^indicateur[ _]d['’_]accessibilit[ée][ _]potentielle[ _]localis[ée]e[ _]\(?apl\)?[ _]aux[ _]m[ée]decins[ _]g[ée]n[ée]ralistes`,
			"apl_medecins_generalistes_2021.xlsx", "once")
	}
	s := source.Source{
		Name: "apl-" + period, Title: "Accessibilité potentielle localisée aux médecins généralistes " + period,
		Producer: "DREES",
		Homepage: "https://data.drees.solidarites-sante.gouv.fr/explore/dataset/530_l-accessibilite-potentielle-localisee-apl/",
		Files:    []source.Files{{Path: `(?i)(^|/)[^/]*APL[^/]*(m.{1,3}decins|g.{1,3}n.{1,3}ralistes|med_?gen)[^/]*\.xlsx?(\.gz)?$`, GroupByScope: true}},
		Origins:  origins,
		Read: source.Read{Format: source.Spreadsheet, Sheet: `(?i)APL[ _]` + period,
			HeaderCell: `(?i)code\s+commune(\s+insee)?`, Optional: true, Nulls: []string{"NA", "nd"},
			Unpivot: []source.Unpivot{
				column(`APL\s+aux\s+médecins\s+généralistes(\s+\(.*)?`, DoctorsAll),
				column(`APL\s+aux\s+médecins\s+généralistes\s+.*65\s+ans.*`, DoctorsUnder65),
				column(`APL\s+aux\s+médecins\s+généralistes\s+.*62\s+ans.*`, DoctorsUnder62),
				column(`APL\s+aux\s+médecins\s+généralistes\s+.*60\s+ans.*`, DoctorsUnder60),
				column(`Population\s+standardisée.*`, DoctorsStandardised),
				column(`Population\s+totale.*`, DoctorsPopulation),
			}},
		Columns: source.FigureColumns("Code commune INSEE", "Code commune"),
		Dedupe:  source.Dedupe{Key: []string{"code", "measure"}},
		Reject: []source.Rule{source.UnknownCommune,
			{When: "value < 0 OR measure NOT IN ('doctors.standardised', 'doctors.population') AND value > 1000",
				Reason: "'it has ' || value || ' as ' || measure"}},
		Checks: source.Checks{Queries: []string{
			`SELECT 'it has ' || count(*) || ' rows; expected at least ` + strconv.Itoa(minDoctorRows) +
				`' FROM stage HAVING count(*) BETWEEN 1 AND ` + strconv.Itoa(minDoctorRows-1),
			`SELECT 'the mean accessibility is ' || avg(value) || ': expected 0.5 to 10' FROM stage WHERE measure = 'doctors.all'
			HAVING avg(value) NOT BETWEEN 0.5 AND 10`,
			`SELECT 'it has no column of ' || m FROM unnest(ARRAY['doctors.all', 'doctors.standardised', 'doctors.population']) AS m
			WHERE EXISTS (SELECT FROM stage) AND NOT EXISTS (SELECT FROM stage WHERE measure = m)`,
			// A newer workbook lacks old years, and another kind of workbook lacks all: the loaded years
			// stay.
			`SELECT 'it has no sheet of ` + period + `, of which figures are served: they stay' WHERE NOT EXISTS (SELECT FROM stage)
			AND EXISTS (SELECT FROM geo.stat_value WHERE part = 'apl-` + period + `')`,
		}},
		Note: "The workbook was not at hand: sheets and columns as loaders of others read them. Sheets of years that it lacks are loads of no rows, " +
			"and refused when figures of the year are served. It has no Mayotte.",
	}
	return source.FigureSource(s, source.Figures{Measures: doctorsMeasures, Cog: year, From: doctorsRows()})
}

// minDoctorRows is part of the rows of a sheet with 34 900 communes and six columns.
const minDoctorRows = 100_000

// doctorsRows adds the cities that are published by arrondissement only: the
// mean weighted by the standardised population.
func doctorsRows() string {
	return fmt.Sprintf(`
	SELECT 'commune' AS level, code, measure, period, value, missing FROM stage
	UNION ALL
	SELECT 'commune', k.commune_code, s.measure, s.period,
		CASE WHEN s.measure IN ('%[1]s', '%[2]s') THEN sum(s.value) ELSE sum(s.value * w.value) / nullif(sum(w.value), 0) END, NULL
	FROM stage s
	JOIN geo.commune k ON k.code = s.code AND k.type = 'arrondissement-municipal'
	JOIN stage w ON w.code = s.code AND w.period = s.period AND w.measure = '%[1]s'
	WHERE k.commune_code NOT IN (SELECT code FROM stage)
	GROUP BY k.commune_code, s.measure, s.period
	HAVING count(s.value * w.value) = (SELECT count(*) FROM geo.commune a WHERE a.type = 'arrondissement-municipal' AND a.commune_code = k.commune_code)`,
		DoctorsStandardised, DoctorsPopulation)
}

// doctorsOrigin is a workbook attached to the dataset, whose export as a table is empty. A workbook has a
// sheet for each of its years; that of an edition may be withdrawn with the next.
func doctorsOrigin(title, as, rhythm string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.Attachment{Host: "data.drees.solidarites-sante.gouv.fr",
			Dataset: "530_l-accessibilite-potentielle-localisee-apl", Title: title},
		As: as, Rhythm: rhythm,
	}}
}
