package environment

import "arpent/api/source"

// Pests is the kind of fact for the pests reported in a commune.
const Pests = "pests"

// pestReports is in a format of ours: every species has its own observers, who publish lists or points. A row is what
// one of them reports of a species in a commune and a year.
func pestReports() source.Source {
	return source.Source{
		Name: "pest-reports", Group: "stats", Title: "Reports of pests by commune", Producer: "operator of the service, from the observers named",
		Licence: source.OfOperator,
		After:   []string{"cog-communes"},
		Files:   []source.Files{{Path: `(?i)(^|/)pest[-_]reports[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins: ownOrigins,
		Read:    source.Read{Format: source.CSV, Separator: ";"},
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
		Drop:   []string{"reports = 0 AND status = 'reported'"},
		Reject: []source.Rule{source.UnknownCommune, {When: "reports < 0", Reason: "'it has a number of reports below zero'"}},
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
