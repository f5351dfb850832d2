package employment

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Zones d'emploi of 2020: their unemployment rate by quarter, their names, and the communes in
// them. Mayotte and most of Guyane have no rate.

// zoneFile declares the available copy. It is one object: the quarters, the zones with a rate for each
// quarter, the zone of each commune. Its national series is an unweighted mean and is not read.
func zoneFile(name, title string) source.Source {
	return source.Source{
		Name: name, Title: title + " (dérivé par bpineau/gazetteer)", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/1893230",
		Files:    []source.Files{{Path: `(^|/)chomage_zones_emploi_(?P<first>20\d\d)-(?P<vintage>20\d\d)\.json(\.gz)?$`}},
		Origins:  source.NotFetched("The copy of a third party is not fetched. It was made from the files of chomage-zones-insee and zones-emploi-communes."),
		Read:     source.Read{Format: source.JSONLines},
		Columns: []source.Column{
			{Name: "first", Template: "{first}", Required: true},
			{Name: "last", Template: "{vintage}", Required: true},
			{Name: "quarters", Kind: source.TextList, Required: true},
			{Name: "zones", From: []string{"zes"}, Required: true},
			{Name: "communes", Required: true},
		},
		Checks: source.Checks{MinRows: 1, MaxRows: 1, Queries: []string{
			`SELECT 'its quarters are ' || quarters[1] || ' to ' || quarters[cardinality(quarters)] || ', its name says ' || first || ' to ' || last
			FROM stage WHERE left(quarters[1], 4) <> first OR left(quarters[cardinality(quarters)], 4) <> last
			OR EXISTS (SELECT FROM unnest(quarters) q WHERE q !~ '^20\d\d-T[1-4]$')`,
			`SELECT 'zone ' || z.key || ' has ' || coalesce(jsonb_array_length(z.value -> 'rate_pct'), 0) || ' rates for ' || cardinality(quarters) || ' quarters'
			FROM stage, jsonb_each(zones::jsonb) z WHERE coalesce(jsonb_array_length(z.value -> 'rate_pct'), 0) <> cardinality(quarters) LIMIT 1`,
			`SELECT 'zone ' || z.key || ' has no name' FROM stage, jsonb_each(zones::jsonb) z WHERE coalesce(z.value ->> 'label', '') = '' LIMIT 1`,
			`SELECT 'it has ' || n || ' zones; expected about 300' FROM (SELECT count(*) AS n FROM stage, jsonb_each(zones::jsonb)) t
			WHERE n NOT BETWEEN 280 AND 320 AND (SELECT count(*) FROM stage, jsonb_each(communes::jsonb)) > 1000`,
		}},
		Note: "A copy by a third party with the last quarters only.",
	}
}

func zoneRates() source.Source {
	s := zoneFile("chomage-zones", "Taux de chômage localisés, zones d'emploi")
	s.Checks.Queries = append(s.Checks.Queries, `SELECT 'a rate of ' || r || ' % in zone ' || z.key || ' is not one'
		FROM stage, jsonb_each(zones::jsonb) z, jsonb_array_elements_text(z.value -> 'rate_pct') r WHERE r::double precision NOT BETWEEN 0 AND 60 LIMIT 1`)
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, From: `
		SELECT 'zone' AS level, z.key AS code, '` + UnemploymentRate + `' AS measure, q.quarter AS period,
			(z.value -> 'rate_pct' ->> (q.n - 1)::integer)::double precision AS value, NULL::text AS missing
		FROM stage, jsonb_each(zones::jsonb) z, unnest(quarters) WITH ORDINALITY AS q(quarter, n)`})
}

// zoneFacts returns a query for the zone of each current commune that has
// one, from a query that returns code and zone.
func zoneFacts(from string) string {
	return `
SELECT 'commune' AS level, t.today AS code, '` + ZoneKind + `' AS kind, '2020' AS period, jsonb_build_object('code', min(c.zone)) AS attrs
FROM (` + from + `) c CROSS JOIN LATERAL (SELECT geo.commune_today(c.code) AS today) t
WHERE t.today IS NOT NULL AND c.zone ~ '^[0-9]{4}$' GROUP BY t.today HAVING count(DISTINCT c.zone) = 1`
}

// zoneNamesOf returns a query for the names, from a query that returns code and name.
func zoneNamesOf(from string) string {
	return `
SELECT 'zone' AS level, n.code, '` + ZoneKind + `' AS kind, '2020' AS period, jsonb_build_object('name', n.name) AS attrs
FROM (` + from + `) n WHERE n.name IS NOT NULL`
}

// zoneFactSource completes a source of facts about zones.
func zoneFactSource(s source.Source, rows string, rank int) source.Source {
	s.Licence, s.Group = source.LicenceOuverte, "stats"
	s.After = append(s.After, "cog-communes", "cog-movements")
	s.Rows = rows
	s.Target = source.FactTarget
	s.Target.Rank = rank
	return s
}

func zoneFactsOfCopy() source.Source {
	return zoneFactSource(zoneFile("zones-emploi", "Zones d'emploi 2020 et leurs communes"),
		zoneFacts(`SELECT j.key AS code, j.value AS zone FROM stage, jsonb_each_text(communes::jsonb) j`)+
			` UNION ALL `+zoneNamesOf(`SELECT z.key AS code, z.value ->> 'label' AS name FROM stage, jsonb_each(zones::jsonb) z`), 0)
}

// zoneWorkbook declares INSEE's workbook of all quarters.
func zoneWorkbook(name, title string) source.Source {
	return source.Source{
		Name: name, Title: title, Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/statistiques/1893230",
		Files:    []source.Files{{Path: `(?i)(^|/)chomage-zone-t1-2003-t(?P<quarter>[1-4])-(?P<year>20\d\d)\.xlsx(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/1893230/chomage-zone-t1-2003-t{quarter}-{year}.xlsx"},
			As:   "chomage-zone-t1-2003-t{quarter}-{year}.xlsx", Rhythm: "quarterly",
		}},
		Read: source.Read{Format: source.Spreadsheet, Sheet: "txcho_ze", HeaderCell: "ZE2020"},
		Note: "chomage-zone-t1-2003-t4-2025.xlsx, of which the sheet txcho_ze is read. No file was at hand when this was written.",
	}
}

func zoneRatesOfINSEE() source.Source {
	s := zoneWorkbook("chomage-zones-insee", "Taux de chômage localisés, zones d'emploi")
	s.Read.Unpivot = quarters
	s.Columns = append(source.FigureColumns("ZE2020"), source.Column{Name: "named",
		Template: "{year}-T{quarter}", Required: true})
	s.Columns[0].Pad, s.Columns[0].Match = 4, `[0-9]{4}`
	s.Vintage = "max(period)"
	s.Checks = source.Checks{MinRows: 290 * 80, MaxRefused: 0.05, Queries: []string{source.NewestIsNamed,
		rateRange}}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, Level: "'zone'", Rank: 10})
}

func zoneNamesOfINSEE() source.Source {
	s := zoneWorkbook("zones-emploi-noms", "Zones d'emploi 2020")
	s.Columns = []source.Column{
		{Name: "code", From: []string{"ZE2020"}, Required: true, Pad: 4, Match: `[0-9]{4}`},
		{Name: "name", From: []string{"LIBZE2020"}},
	}
	s.Checks = source.Checks{MinRows: 290, MaxRefused: 0.05}
	return zoneFactSource(s, zoneNamesOf(`SELECT code, name FROM stage`), 10)
}

// zoneCommunesOfINSEE declares the yearly table of the areas each commune belongs to.
func zoneCommunesOfINSEE() source.Source {
	s := source.Source{
		Name: "zones-emploi-communes", Levels: []string{"commune"},
		Title: "Table d'appartenance géographique des communes", Producer: "INSEE",
		Homepage: "https://www.insee.fr/fr/information/7671844",
		Files:    []source.Files{{Path: `(?i)(^|/)table-appartenance-geo-communes-(?P<vintage>20\d\d)[^/]*\.(zip|xlsx)$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/7671844/table-appartenance-geo-communes-{year}.zip"},
			As:   "table-appartenance-geo-communes-{year}.zip", Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.Spreadsheet, Member: `(?i)\.xlsx$`, Sheet: "COM",
			HeaderCell: "CODGEO"},
		Columns: []source.Column{
			{Name: "code", From: []string{"CODGEO"}, Required: true, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "zone", From: []string{"ZE2020"}, Required: true, Pad: 4},
		},
		Reject: []source.Rule{source.UnknownCommune},
		Checks: source.Checks{MinRows: 34000},
		Note:   "table-appartenance-geo-communes-2025.zip. No file was at hand when this was written.",
	}
	return zoneFactSource(s, zoneFacts(`SELECT code, zone FROM stage`), 10)
}
