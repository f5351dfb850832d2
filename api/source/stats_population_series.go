package source

// populationHistory is the series of all censuses, in the geography of the newest.
func populationHistory() Source {
	s := Source{
		Name: "population-history", Title: "Historique des populations communales", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/3698339",
		Files:    []Files{{Path: `(^|/)base-pop-historiques-1876-(?P<scope>20\d\d)\.xlsx(\.gz)?$`}},
		Read: Read{Format: Spreadsheet, Sheet: `(?i)(pop_1876_20\d\d|COM|communes)`, HeaderCell: "CODGEO", Wide: []Wide{
			{Column: `PMUN(?P<yy>\d\d)`, Measure: PopulationMunicipal, Period: "{yy}"},
			{Column: `PMUN(?P<year>20\d\d)`, Measure: PopulationMunicipal, Period: "{year}"},
			{Column: `(PSDC|PTOT)(?P<year>1[89]\d\d)`, Measure: PopulationCensus, Period: "{year}"},
			// 1936 has two digits, like 1999.
			{Column: `(PSDC|PTOT)(?P<last>[3-9]\d)`, Measure: PopulationCensus, Period: "19{last}"},
		}},
		Columns: append(figureColumns("CODGEO"), named),
		Vintage: "max(period)",
		Checks:  Checks{MinRows: 500000, Queries: []string{newestIsNamed}},
		Note:    "base-pop-historiques-1876-2023.xlsx. No file was at hand when this was written; the columns are those of copies.",
	}
	s = figureSource(s, figures{since: "(SELECT max(period)::integer + 2 FROM stage)", from: summed(withCities)})
	return ofCommunes(s, 5)
}

// named is the year that the name of a file tells.
var named = Column{Name: "named", Template: "{scope}", Required: true}

// newestIsNamed refuses a file whose columns are not of the year that its name tells.
const newestIsNamed = `SELECT 'its newest figures are of ' || max(period) || ', its name says ' || named FROM stage
	GROUP BY named HAVING max(period) <> named`

// withCities makes Paris, Lyon and Marseille from their arrondissements in files that may have them or not.
const withCities = `SELECT code, measure, period, value, missing, CASE WHEN code !~ '^(751|132|6938)' THEN value END AS counted
	FROM stage WHERE code !~ '^(751|132|6938)'
	UNION ALL
	SELECT CASE left(code, 2) WHEN '75' THEN '75056' WHEN '13' THEN '13055' ELSE '69123' END, measure, period,
		CASE WHEN count(value) = count(*) THEN sum(value) END, min(missing), CASE WHEN count(value) = count(*) THEN sum(value) END
	FROM stage s WHERE code ~ '^(751|132|6938)' AND NOT EXISTS (SELECT FROM stage c
		WHERE c.code IN ('75056', '13055', '69123') AND left(c.code, 2) = left(s.code, 2) AND c.measure = s.measure AND c.period = s.period)
	GROUP BY left(code, 2), measure, period`

func populationMelodi() Source {
	return melodiSource("population-melodi", "Populations de référence (catalogue)", melodi{
		dataset: "DS_POPULATIONS_REFERENCE", measure: "POPREF_MEASURE", keep: map[string]string{"POPREF_MEASURE": "PMUN|PTOT"},
		is: `CASE what WHEN 'PMUN' THEN '` + PopulationMunicipal + `' WHEN 'PTOT' THEN '` + PopulationTotal + `' END`, lag: 2,
	})
}

// Births and deaths are by where people live, not by where the event was.
func birthsMelodi() Source {
	return melodiSource("births-melodi", "Naissances domiciliées par commune", melodi{
		dataset: "DS_ETAT_CIVIL_NAIS_COMMUNES", measure: "EC_MEASURE", keep: map[string]string{"EC_MEASURE": "LVB|LVB_PLACE_RES"},
		is: `'` + PopulationBirths + `'::text`, lag: 1,
	})
}

func deathsMelodi() Source {
	return melodiSource("deaths-melodi", "Décès domiciliés par commune", melodi{
		dataset: "DS_ETAT_CIVIL_DECES_COMMUNES", measure: "EC_MEASURE", keep: map[string]string{"EC_MEASURE": "DTH|DTH_PLACE_RES"},
		is: `'` + PopulationDeaths + `'::text`, lag: 1,
	})
}

// mortality is the mortality of a level between two censuses. Periods overlap: 1999-2007 and 1999-2008. The chain of
// those that follow each other up to the newest is served.
func mortality(level, plural string) Source {
	s := Source{
		Name: "rp-evolution-" + level, Title: "Évolution de la population depuis 1968, " + plural, Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/2008687",
		Files:    []Files{{Path: `(^|/)insee_rp_evol_1968_` + level + `_(?P<scope>20\d\d)\.csv(\.gz)?$`}},
		Read: Read{Format: CSV, Separator: ";", Decimal: ",", Nulls: []string{"N/A - résultat non disponible"}, Wide: []Wide{
			{Column: `tx_morta(lite)?`, Measure: DemographyDeathRate, Period: "{an}"},
			{Column: `tx_nata(lite)?`, Measure: DemographyBirthRate, Period: "{an}"},
		}},
		Columns: append(figureColumns("codgeo"), named),
		Vintage: "max(named)",
		Checks: Checks{MinRows: 150, Queries: []string{
			`SELECT 'its newest period ends in ' || max(right(period, 4)) || ', its name says ' || named FROM stage GROUP BY named HAVING max(right(period, 4)) <> named`,
			`SELECT 'a rate of ' || value || ' per 1 000 is not one' FROM stage WHERE value NOT BETWEEN 0 AND 60 LIMIT 1`,
			`SELECT 'no ` + level + ` has code ' || code FROM stage WHERE code NOT IN (SELECT code FROM geo.` + level + `) LIMIT 1`,
		}},
		Note: "The part of the file with the mortality was at hand, that with the birth rate was not.",
	}
	s.Columns[0].Pad, s.Columns[0].Match = 2, ""
	s.Columns[2].Match = `(19|20)\d\d-(19|20)\d\d`
	s = figureSource(s, figures{cog: 2025, level: "'" + level + "'"})
	s.After = append(s.After, "cog-departements", "cog-regions")
	s.Target.Rank = 10
	return s
}
