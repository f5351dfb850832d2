package mobility

import "arpent/internal/opendata/source"

// NetworksKind is the kind of fact for the mobile networks of a commune.
const NetworksKind = "mobile"

// mobileSupports counts the supports in a commune. A support has antennas of
// several operators and bands, with one row each.
func mobileSupports() source.Source {
	masts := mobileMasts()
	return source.Source{
		Name: "mobile-supports", Group: "stats", Title: "Observatoire 2G, 3G, 4G et 5G", Producer: "ANFR",
		Licence:  source.LicenceOuverte,
		Homepage: masts.Homepage,
		After:    []string{"cog-communes"},
		Files:    masts.Files,
		Origins:  masts.Origins,
		Read:     source.Read{Format: source.CSV, Encoding: "sniff", Separator: ";"},
		Columns: []source.Column{
			{Name: "support", From: []string{"sup_id"}, Required: true},
			{Name: "operator", From: []string{"adm_lb_nom"}, Required: true},
			{Name: "generation", Required: true, Match: `[2-6][gG]`},
			{Name: "system", From: []string{"emr_lb_systeme"}},
			{Name: "status", From: []string{"statut"}},
			{Name: "commune", From: []string{"com_cd_insee"}, Match: `[0-9][0-9AB][0-9]{3}`},
			// the arrondissement, if any
			{Name: "district", From: []string{"code_insee"}, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "updated", From: []string{"date_maj"}},
			source.FromPath("vintage"),
		},
		Drop: []string{
			// The second is how most of 5G is listed.
			"status IS NOT NULL AND status !~* '^(en service|techniquement op)'",
			"coalesce(commune, district) LIKE '98%'", // Pacific territories
		},
		Reject: []source.Rule{
			{When: "coalesce(commune, district) IS NULL", Reason: "'it does not say in which commune it is'"},
			{When: `coalesce(commune, district) IN (SELECT c.code FROM (SELECT DISTINCT coalesce(commune, district) AS code FROM stage OFFSET 0) c
				WHERE geo.commune_today(c.code) IS NULL)`, Reason: "'no commune has code ' || coalesce(commune, district)"},
		},
		Checks: source.Checks{MinRows: 200000, MaxRefused: 0.02},
		Rows:   mobileRows,
		Target: source.FactTarget,
		Note: "The weekly file of the observatory, in full. The file was not at hand when it was described. Where a file has rows of every " +
			"département, a commune without any has no support.",
	}
}

// mobileRows is the query for one fact a commune: for all communes if the file has the whole country.
const mobileRows = `
WITH place AS (
	SELECT c.code, coalesce(k.commune_code, t.today) AS today
	FROM (SELECT DISTINCT coalesce(commune, district) AS code FROM stage OFFSET 0) c
	CROSS JOIN LATERAL (SELECT geo.commune_today(c.code) AS today) t
	LEFT JOIN geo.commune k ON k.code = t.today AND k.type = 'arrondissement-municipal'),
emitter AS MATERIALIZED (
	SELECT p.today AS code, s.support, s.operator, upper(s.generation) AS generation, s.system ~* '3500' AS wide
	FROM stage s JOIN place p ON p.code = coalesce(s.commune, s.district)),
operator AS (
	SELECT code, operator, count(DISTINCT support) AS supports, count(DISTINCT support) FILTER (WHERE generation = '4G') AS g4,
		count(DISTINCT support) FILTER (WHERE generation = '5G') AS g5
	FROM emitter GROUP BY code, operator),
listed AS (
	SELECT code, jsonb_agg(jsonb_build_object('name', operator, 'supports', supports, 'supports4g', g4, 'supports5g', g5)
		ORDER BY supports DESC, operator) AS operators
	FROM operator GROUP BY code),
counted AS (
	SELECT code, count(DISTINCT support) AS supports, count(DISTINCT support) FILTER (WHERE generation = '2G') AS g2,
		count(DISTINCT support) FILTER (WHERE generation = '3G') AS g3, count(DISTINCT support) FILTER (WHERE generation = '4G') AS g4,
		count(DISTINCT support) FILTER (WHERE generation = '5G') AS g5, bool_or(generation = '5G' AND wide) AS wide5
	FROM emitter GROUP BY code),
whole AS (
	SELECT NOT EXISTS (SELECT FROM geo.departement d WHERE NOT EXISTS (
		SELECT FROM counted c JOIN geo.commune k ON k.code = c.code AND k.type = 'commune-actuelle' WHERE k.departement_code = d.code)) AS country),
day AS (
	SELECT coalesce(max(CASE WHEN updated ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' THEN left(updated, 10)
		WHEN updated ~ '^[0-9]{2}/[0-9]{2}/[0-9]{4}' THEN substr(updated, 7, 4) || '-' || substr(updated, 4, 2) || '-' || left(updated, 2) END),
		max(vintage), '') AS day
	FROM stage)
SELECT 'commune' AS level, k.code, '` + NetworksKind + `' AS kind, d.day AS period,
	jsonb_build_object('supports', coalesce(c.supports, 0), 'byGeneration', jsonb_build_object('g2', coalesce(c.g2, 0), 'g3', coalesce(c.g3, 0),
		'g4', coalesce(c.g4, 0), 'g5', coalesce(c.g5, 0)), 'operators', coalesce(l.operators, '[]'), 'has5g', coalesce(c.g5 > 0, false),
		'has5g3500', coalesce(c.wide5, false)) AS attrs
FROM geo.commune k CROSS JOIN day d CROSS JOIN whole w
LEFT JOIN counted c ON c.code = k.code LEFT JOIN listed l ON l.code = k.code
WHERE k.type = 'commune-actuelle' AND (c.code IS NOT NULL OR w.country AND k.departement_code IS NOT NULL)`
