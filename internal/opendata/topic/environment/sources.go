// Package environment declares the data on temperatures, the air and reported pests.
package environment

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{monthlyTemperatures(), communeAir(), communeOzone(), pestReports()}
}

// Annual means of the pollutants in communes, in µg/m³.
const (
	AirNO2  = "air.no2"
	AirPM10 = "air.pm10"
	AirPM25 = "air.pm25"
)

// AirOzone is the kind of fact for ozone.
const AirOzone = "air-ozone"

var measures = source.MeasuresOf(source.Official, AirNO2, AirPM10, AirPM25)

// communeAir declares the estimates for communes. Their ozone is an annual mean or a sum, not
// the peak-season mean: it is not read, and neither are means weighted by the population. A
// line with the title stands above the header.
func communeAir() source.Source {
	mean := func(pollutant, measure string) source.Unpivot {
		return source.Unpivot{Column: `(?i)Moyenne annuelle de concentration (de|en) ` + pollutant + ` \(.g/m3\)`,
			Measure: measure, Period: "{scope}"}
	}
	s := source.Source{
		Name: "air-communes", Levels: []string{"commune"},
		Title: "Indicateurs annuels de la qualité de l'air par commune", Producer: "INERIS et LCSQA",
		Homepage: "https://www.ineris.fr/fr/recherche-appui/risques-chroniques/mesure-prevision-qualite-air/qualite-air-france-metropolitaine",
		Files: []source.Files{
			{Path: `(?i)(^|/)[^/]*qualite_?-?(de_?-?l)?_?-?air[^/]*commune[^/]*?(?P<scope>20[0-3][0-9])[^/]*\.csv(\.gz)?$`},
			// 2020 of v.Sep2020 is that of the edition
			{Path: `(?i)(^|/)[^/]*ineris[^/]*[_-](?P<scope>20[0-3][0-9])[^/]*\.csv(\.gz)?$`},
			// The archive of all years, of which the newest is read.
			{Path: `(?i)(^|/)[^/]*qualiteair[^/]*commune_2000-(?P<scope>2015)_[^/]*\.zip$`},
		},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://zenodo.org/records/5043645/files/Indicateurs_QualiteAir_France_Commune_2000-2015_Ineris_v.Sep2020.zip?download=1"},
			As:   "Indicateurs_QualiteAir_France_Commune_2000-2015_Ineris_v.Sep2020.zip", Rhythm: "once",
			Note: "Of the archive the newest year, 2015, is read. The years since can be given as Indicateurs_QualiteAir_France_Commune_<year>_Ineris_v.Dec2024.csv, " +
				"from the page of INERIS: their address was not found.",
		}},
		Read: source.Read{Format: source.CSV, Member: `(?i)commune_2015_[^/]*\.csv$`, Encoding: "sniff",
			Separator: ",", Skip: 1, Nulls: []string{"NA", "nd"},
			Unpivot: []source.Unpivot{mean("NO2", AirNO2), mean("PM ?10", AirPM10), mean("PM ?2[.,]?5", AirPM25)}},
		Columns: source.FigureColumns("COM Insee", "COM_Insee", "Code INSEE", "insee"),
		Reject:  []source.Rule{{When: "value <= 0 OR value > 300", Reason: "value || ' µg/m³ is no yearly mean'"}},
		Checks:  source.Checks{MinRows: 60000},
		Note: "A file a year, with the year in its name, or the archive of 2000 to 2015. The file was not at hand when it was described: its layout is " +
			"that of programs that read it. " +
			"What became of communes that were merged after the file was made is left out.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures, Since: oldestCode})
}

// oldestCode is the year of the geography of a file that does not name it: the year before the first
// commune change it does not reflect, because it still has a merged commune or lacks a restored one. A
// file with the current communes is of today.
const oldestCode = `(SELECT coalesce(min(extract(year FROM m.day))::integer - 1, 2100) FROM geo.commune_movement m
	WHERE m.code_before <> m.code_after AND m.type_before = 'COM' AND m.type_after = 'COM'
	AND m.code_before IN (SELECT code FROM stage) AND CASE
	WHEN m.kind IN (31, 32, 33) THEN NOT EXISTS (SELECT FROM geo.commune k WHERE k.code = m.code_before AND k.type = 'commune-actuelle')
	WHEN m.kind IN (20, 21) THEN m.code_after NOT IN (SELECT code FROM stage)
		AND EXISTS (SELECT FROM geo.commune k WHERE k.code = m.code_after AND k.type = 'commune-actuelle') END)`

// communeOzone declares a CSV that the operator computes: no public source has ozone by commune.
func communeOzone() source.Source {
	return source.Source{
		Name: "air-ozone", Group: "stats", Title: "Ozone in the peak season", Producer: "operator of the service",
		Licence: source.OfOperator,
		After:   []string{"cog-communes"},
		Files:   []source.Files{{Path: `(?i)(^|/)ozone[-_]peak[-_]season[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins: source.OwnFormat,
		Read:    source.Read{Format: source.CSV, Separator: ";"},
		Columns: append(source.OwnColumns(AirOzone),
			source.Column{Name: "period", From: []string{"year"}, Required: true, Match: `20[0-9]{2}`},
			source.Column{Name: "mda8", From: []string{"mda8_ug_m3"}, Kind: source.Number, Required: true,
				Internal: true},
			source.Column{Name: "season", Internal: true, Match: `[0-9]{2}-[0-9]{2}`},
			source.Column{Name: "method", Required: true, Internal: true, Match: "modelled|nearestStation"},
			source.Attrs("'mda8', mda8, 'season', season, 'method', method")),
		Reject: []source.Rule{source.NotOfToday, {When: "mda8 <= 0 OR mda8 > 300",
			Reason: "mda8 || ' µg/m³ is no mean of a season'"}},
		Dedupe: source.Dedupe{Key: []string{"code", "period"}},
		Target: source.FactTarget,
		Note: "No public source for communes was found. A format of ours: ozone-peak-season.csv, separated by semicolons, with the columns commune (INSEE " +
			"code of today), year, mda8_ug_m3 (the greatest mean of six months in a row of the daily maxima of 8-hour means), season (its first " +
			"and last month, 04-09) and method (modelled or nearestStation). Yearly means, SOMO35 and daily maxima of hourly means are none of it.",
	}
}

// Pests is the kind of fact for the pests reported in a commune.
const Pests = "pests"

// pestReports is in a format of ours: every species has its own observers, who publish lists or points. A row
// is what one of them reports of a species in a commune and a year.
func pestReports() source.Source {
	return source.Source{
		Name: "pest-reports", Group: "stats", Title: "Reports of pests by commune",
		Producer: "operator of the service, from the observers named",
		Licence:  source.OfOperator,
		After:    []string{"cog-communes"},
		Files:    []source.Files{{Path: `(?i)(^|/)pest[-_]reports[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins:  source.OwnFormat,
		Read:     source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "code", From: []string{"commune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "species", Required: true},
			{Name: "label", Required: true},
			{Name: "year", Kind: source.Integer, Required: true, Match: `(19|20)[0-9]{2}`},
			{Name: "reports", Kind: source.Integer},
			{Name: "status", Required: true, Match: "reported|colonised"},
			{Name: "observer", From: []string{"source"}, Required: true},
		},
		// No report does not mean that the species is absent.
		Drop: []string{"reports = 0 AND status = 'reported'"},
		Reject: []source.Rule{source.UnknownCommune, {When: "reports < 0",
			Reason: "'it has a number of reports below zero'"}},
		Dedupe: source.Dedupe{Key: []string{"code", "species", "year", "observer"}},
		Rows: `
SELECT 'commune' AS level, code, '` + Pests + `' AS kind, max(year)::text AS period,
	jsonb_build_object('species', jsonb_agg(jsonb_build_object('species', species, 'label', label, 'reports', reports, 'lastYear', year,
		'status', CASE WHEN colonised THEN 'colonised' ELSE 'reported' END, 'source', observer) ORDER BY species, observer)) AS attrs
FROM (
	SELECT coalesce(k.commune_code, t.today) AS code, s.species, s.observer, min(s.label) AS label, sum(s.reports) AS reports,
		max(s.year) AS year, bool_or(s.status = 'colonised') AS colonised
	FROM stage s
	JOIN (SELECT c.code, geo.commune_today(c.code) AS today FROM (SELECT DISTINCT code FROM stage OFFSET 0) c OFFSET 0) t ON t.code = s.code
	LEFT JOIN geo.commune k ON k.code = t.today AND k.type = 'arrondissement-municipal'
	GROUP BY 1, 2, 3) seen
GROUP BY code`,
		Target: source.FactTarget,
		Note: "A format of ours: pest-reports.csv, separated by semicolons, with the columns commune (INSEE code), species (scientific name), label, year, " +
			"reports (number, may be empty), status (reported or colonised) and source (who observed). Files of several years stand side by side.",
	}
}
