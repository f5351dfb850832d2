package population

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// populationHistory declares the series of all censuses, in the geography of the newest.
func populationHistory() source.Source {
	s := source.Source{
		Name: historySource, Title: "Historique des populations communales", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/3698339",
		Files:    []source.Files{{Path: `(^|/)base-pop-historiques-1876-(?P<scope>20\d\d)\.xlsx(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/3698339/base-pop-historiques-1876-{year}.xlsx"},
			As:   "base-pop-historiques-1876-{year}.xlsx", Bytes: 6_700_000, Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.Spreadsheet, Sheet: `(?i)(pop_1876_20\d\d|COM|communes)`,
			HeaderCell: "CODGEO", Unpivot: []source.Unpivot{
				{Column: `PMUN(?P<yy>\d\d)`, Measure: source.PopulationMunicipal, Period: "{yy}"},
				{Column: `PMUN(?P<year>20\d\d)`, Measure: source.PopulationMunicipal, Period: "{year}"},
				{Column: `(PSDC|PTOT)(?P<year>1[89]\d\d)`, Measure: PopulationCensus, Period: "{year}"},
				// 1936 has two digits, like 1999.
				{Column: `(PSDC|PTOT)(?P<last>[3-9]\d)`, Measure: PopulationCensus, Period: "19{last}"},
			}},
		Columns: append(source.FigureColumns("CODGEO"), source.Named),
		Vintage: "max(period)",
		Checks:  source.Checks{MinRows: 500000, Queries: []string{source.NewestIsNamed}},
		Note:    "base-pop-historiques-1876-2023.xlsx. No file was at hand when this was written; the columns are those of copies.",
	}
	s = source.FigureSource(s, source.Figures{Measures: measures,
		Since: "(SELECT max(period)::integer + 2 FROM stage)", From: withCities})
	s.Reject, s.Target.Rank = append(s.Reject, source.UnknownCommune), 5
	return s
}

// withCities computes Paris, Lyon and Marseille from their arrondissements in
// files that may or may not have the cities.
const withCities = `SELECT 'commune' AS level, code, measure, period, value, missing FROM stage WHERE code !~ '^(751|132|6938)'
	UNION ALL
	SELECT 'commune', CASE left(code, 2) WHEN '75' THEN '75056' WHEN '13' THEN '13055' ELSE '69123' END, measure, period,
		CASE WHEN count(value) = count(*) THEN sum(value) END, min(missing)
	FROM stage s WHERE code ~ '^(751|132|6938)' AND NOT EXISTS (SELECT FROM stage c
		WHERE c.code IN ('75056', '13055', '69123') AND left(c.code, 2) = left(s.code, 2) AND c.measure = s.measure AND c.period = s.period)
	GROUP BY left(code, 2), measure, period`

// catalogueSources declares the data sets of the catalogue. Births and deaths are by residence, not by where
// they happened.
func catalogueSources() []source.Source {
	return []source.Source{
		source.MelodiSource("population-melodi", "Populations de référence (catalogue)",
			source.Melodi{Measures: measures, Dataset: "DS_POPULATIONS_REFERENCE", Measure: "POPREF_MEASURE",
				Keep: map[string]string{"POPREF_MEASURE": "PMUN|PTOT"},
				Is: `CASE what WHEN 'PMUN' THEN '` + source.PopulationMunicipal + `' WHEN 'PTOT' THEN '` +
					PopulationTotal + `' END`, Lag: 2}),
		source.MelodiSource("births-melodi", "Naissances domiciliées par commune",
			source.Melodi{Measures: measures, Dataset: "DS_ETAT_CIVIL_NAIS_COMMUNES", Bytes: 3 << 20, Lag: 1,
				Measure: "EC_MEASURE", Keep: map[string]string{"EC_MEASURE": "LVB|LVB_PLACE_RES"},
				Is: `'` + source.PopulationBirths + `'::text`}),
		source.MelodiSource("deaths-melodi", "Décès domiciliés par commune",
			source.Melodi{Measures: measures, Dataset: "DS_ETAT_CIVIL_DECES_COMMUNES", Bytes: 3 << 20, Lag: 1,
				Measure: "EC_MEASURE", Keep: map[string]string{"EC_MEASURE": "DTH|DTH_PLACE_RES"},
				Is: `'` + source.PopulationDeaths + `'::text`}),
	}
}

// mortalitySource declares the mortality of a level between two censuses. Periods overlap: 1999-2007 and
// 1999-2008. The chain of consecutive periods up to the newest is served.
func mortalitySource(level, plural string) source.Source {
	s := source.Source{
		Name: "rp-evolution-" + level, Title: "Évolution de la population depuis 1968, " + plural,
		Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2008687",
		Files: []source.Files{
			{Path: `(^|/)insee_rp_evol_1968_` + level + `_(?P<scope>20\d\d)\.csv(\.gz)?$`},
			// A file an indicator.
			{Path: `(^|/)insee_rp_evol_1968_` + level + `_tx_(morta|nat)\.csv(\.gz)?$`, GroupByScope: true},
		},
		Origins: rateOrigins(level, map[string]string{"departement": "dep", "region": "reg"}[level]),
		Read: source.Read{Format: source.CSV, Separator: ";", Decimal: ",",
			Nulls: []string{"N/A - résultat non disponible", "-9999"}, Unpivot: []source.Unpivot{
				{Column: `tx_morta(lite)?`, Measure: DemographyDeathRate, Period: "{an}"},
				{Column: `tx_nat(a(lite)?)?`, Measure: DemographyBirthRate, Period: "{an}"},
			}},
		Columns: append(source.FigureColumns("codgeo"), source.Column{Name: "named", Template: "{scope}"}),
		Vintage: "max(right(period, 4))",
		Checks: source.Checks{MinRows: 150, Queries: []string{
			`SELECT 'its newest period ends in ' || max(right(period, 4)) || ', its name says ' || named FROM stage GROUP BY named HAVING max(right(period, 4)) <> named`,
			`SELECT 'a rate of ' || value || ' per 1 000 is not one' FROM stage WHERE value NOT BETWEEN 0 AND 60 LIMIT 1`,
			`SELECT 'no ` + level + ` has code ' || code FROM stage WHERE code NOT IN (SELECT code FROM geo.` + level +
				`) LIMIT 1`,
		}},
		Note: "The part of the file with the mortality was at hand, that with the birth rate was not.",
	}
	s.Columns[0].Pad, s.Columns[0].Match = 2, ""
	s.Columns[2].Match = `(19|20)\d\d-(19|20)\d\d`
	s = source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Level: "'" + level + "'"})
	s.After = append(s.After, "cog-departements", "cog-regions")
	s.Target.Rank = 10
	return s
}

// rateOrigins are the tables of a level, one an indicator. nivgeo is the level as the address spells it.
func rateOrigins(level, nivgeo string) (out []fetch.Origin) {
	for _, indicator := range []string{"tx_morta", "tx_nat"} {
		out = append(out, fetch.Origin{
			From: producer.At{Address: "https://www.observatoire-des-territoires.gouv.fr/outils/cartographie-interactive/api/v1/functions/GC_API_download.php" +
				"?type=stat&nivgeo=" + nivgeo + "&dataset=insee_rp_evol_1968&indic=" + indicator + "&format=csv"},
			As: "insee_rp_evol_1968_" + level + "_" + indicator + ".csv", Rhythm: "yearly",
			Derived: true,
			Note:    "A wrong code of the indicator is answered with status 500.",
		})
	}
	return out
}
