package elections

import "arpent/internal/opendata/source"

// municipal2026 declares the first round of 15 March 2026, as compiled by a third party. Sectors of Paris,
// Lyon and Marseille are listed under the code of each of their arrondissements, next to the cities.
func municipal2026() source.Source {
	s := source.Source{
		Name: "election-municipales-2026", Title: "Élections municipales 2026, premier tour, fichier provisoire du 16 mars 2026 (dérivé par AzukiGPT/elections-municipales-2026)",
		Files:       []source.Files{{Path: `(^|/)elections/municipales-2026-t1-communes\.jsonl(\.gz)?$`}},
		Provisional: true,
		Origins:     supersededOrigins,
		Read:        source.Read{Format: source.JSONLines},
		Columns: []source.Column{
			{Name: "code", From: []string{"codeCommune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "sector", From: []string{"sectorCode"}},
			{Name: "registered", From: []string{"inscrits"}, Kind: source.Integer, Required: true},
			{Name: "voters", From: []string{"votants"}, Kind: source.Integer, Required: true},
			{Name: "blank", From: []string{"blancs"}, Kind: source.Integer},
			{Name: "spoiled", From: []string{"nuls"}, Kind: source.Integer},
			{Name: "expressed", From: []string{"exprimes"}, Kind: source.Integer, Required: true},
			{Name: "lists", From: []string{"candidats"}, Required: true, Match: `(?s)\[.*\]`},
			{Name: "election", Template: "2026_muni_t1", Required: true},
		},
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
