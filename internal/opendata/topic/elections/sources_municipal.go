package elections

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// municipal2026 declares the first round of 15 March 2026, as compiled by a third party. Sectors of Paris,
// Lyon and Marseille are listed under the code of each of their arrondissements, next to the cities.
func municipal2026() source.Source {
	s := source.Source{
		Name: "election-municipales-2026", Title: "Élections municipales 2026, premier tour, fichier provisoire du 16 mars 2026 (dérivé par AzukiGPT/elections-municipales-2026)",
		Files:       []source.Files{{Path: `(^|/)elections/municipales-2026-t1-communes\.jsonl(\.gz)?$`}},
		Provisional: true,
		Origins:     supersededOrigins,
		Read:        source.Read{Format: source.JSONLines},
		Columns: slices.Concat([]source.Column{
			{Name: "code", From: []string{"codeCommune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "sector", From: []string{"sectorCode"}},
		}, turnoutColumns("inscrits", "votants", "blancs", "nuls", "exprimes"), []source.Column{
			{Name: "lists", From: []string{"candidats"}, Required: true, Match: `(?s)\[.*\]`},
			{Name: "election", Template: "2026_muni_t1", Required: true},
		}),
		Drop: []string{"sector IS NOT NULL"},
		Checks: source.Checks{MinRows: 34000, MaxRows: 36000, Queries: []string{
			"SELECT 'it has ' || code || ' twice' FROM stage GROUP BY code HAVING count(*) > 1",
			// The file is provisional: the votes of some communes do not add up.
			`SELECT 'the votes of ' || wrong || ' of ' || total || ' communes do not add up to those expressed' FROM (
				SELECT count(*) AS total, count(*) FILTER (WHERE s.expressed <> (SELECT sum((l->>'voix')::integer) FROM jsonb_array_elements(s.lists::jsonb) l)) AS wrong
				FROM stage s) c WHERE wrong > greatest(1, total / 100)`,
			`SELECT wrong || ' of ' || total || ' communes have more voters than registered, or more votes than voters' FROM (
				SELECT count(*) AS total, count(*) FILTER (WHERE NOT (registered >= voters AND voters >= expressed AND expressed >= 0)) AS wrong
				FROM stage) c WHERE wrong > greatest(1, total / 1000)`,
		}},
		Note: "The ministry's definitive results take its place: see election-agregee-participation and election-agregee-candidats.",
	}
	return electionSource(s, rankDerived, ballots{
		allFrance: true,
		// A negative count is a clerical error.
		turnout: `SELECT code, election, registered, voters, CASE WHEN blank >= 0 THEN blank END AS blank,
			CASE WHEN spoiled >= 0 THEN spoiled END AS spoiled, expressed FROM stage`,
		// Without seats for any list they are not allocated yet. The file does not say which list was elected.
		results: `SELECT s.code, s.election, (l->>'numero')::integer AS place, NULL::text AS name, NULL::text AS given,
			coalesce(nullif(l->>'libelleListe', ''), nullif(l->>'libelleAbrege', '')) AS list, nullif(l->>'nuance', '') AS nuance,
			(l->>'voix')::integer AS votes,
			CASE WHEN sum((l->>'siegesCM')::integer) OVER (PARTITION BY s.code) > 0 THEN (l->>'siegesCM')::integer END AS seats,
			NULL::boolean AS elected
			FROM stage s, jsonb_array_elements(s.lists::jsonb) l`,
	})
}

// mayorRegister declares the national register of mayors. It is replaced as a whole: mayors who left it or
// were removed are deleted. Only the year of dates of birth is kept.
func mayorRegister() source.Source {
	return source.Source{
		Name: "mayors", Group: "elections", Title: "Répertoire national des élus : maires",
		Producer: "Ministère de l'Intérieur",
		Licence:  source.LicenceOuverte, Homepage: "https://www.data.gouv.fr/datasets/repertoire-national-des-elus-1",
		After: []string{"cog-communes", "cog-movements"},
		Files: []source.Files{{Path: `(^|/)(rne/rne-maires|elus-maires?(-mai)?)\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "repertoire-national-des-elus-1",
				Resource: "2876a346-d50c-4911-934e-19ee07b0e503", File: `^elus-maires?-mai\.csv$`},
			Bytes: 4_257_507, Rhythm: "quarterly",
		}},
		// UTF-8 and ISO dates since 2025, Latin 1 and dd/mm/yyyy before.
		Read: source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "code", From: []string{"Code de la commune"}, Required: true, Pad: 5,
				Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "last_name", From: []string{"Nom de l'élu"}, Required: true},
			{Name: "first_name", From: []string{"Prénom de l'élu"}, Required: true},
			{Name: "gender", From: []string{"Code sexe"}, Match: `[MF]`},
			{Name: "born", From: []string{"Date de naissance"}, Kind: source.Date},
			{Name: "occupation", From: []string{"Libellé de la catégorie socio-professionnelle"}},
			{Name: "mandate_start", From: []string{"Date de début du mandat"}, Kind: source.Date},
			{Name: "function_start", From: []string{"Date de début de la fonction"}, Kind: source.Date},
		},
		Reject: []source.Rule{source.UnknownCommune},
		// Current communes that the register still lists as several are skipped: none of those
		// mayors is the mayor of the whole. So are those that were split while a mayor was in
		// office, who was that of all of it.
		Rows: `WITH known AS (SELECT s.*, t.today FROM (SELECT code, geo.commune_today(code) AS today FROM
				(SELECT DISTINCT code FROM stage OFFSET 0) c OFFSET 0) t JOIN stage s USING (code)),
			split AS MATERIALIZED (SELECT geo.commune_today(code_after) AS code, day FROM geo.commune_movement
				WHERE kind IN (20, 21) AND type_before = 'COM' AND type_after = 'COM')
			SELECT DISTINCT ON (today) today AS commune, last_name, first_name, gender,
				extract(year FROM born)::integer AS birth_year, occupation, mandate_start, function_start
			FROM known WHERE today IN (SELECT today FROM known GROUP BY today HAVING count(DISTINCT code) = 1)
				AND NOT EXISTS (SELECT FROM split p WHERE p.code = known.today AND p.day > known.function_start)
			ORDER BY today, function_start DESC NULLS LAST, last_name, first_name`,
		Vintage: "max(function_start)",
		Checks: source.Checks{MinRows: 33000, MaxRows: 37000, Queries: []string{
			`SELECT wrong || ' of ' || total || ' mayors took office before their mandate began' FROM (
				SELECT count(*) AS total, count(*) FILTER (WHERE function_start < mandate_start) AS wrong FROM stage) c WHERE wrong > total / 100`,
		}},
		Target: source.Target{Table: "geo.mayor", Key: []string{"commune"}, Create: tables},
		Note: "The date of the register is not in the file: it is taken for that of the newest mayor in it. Registers of before the elections of March 2026 " +
			"name the mayors of the mandate 2020-2026.",
	}
}
