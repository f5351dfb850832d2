package source

// Pests is the kind of fact that tells which pests were reported in a commune.
const Pests = "pests"

func pestsSources() []Source { return []Source{pestReports()} }

// pestReports is a format of ours: every species has observers of its own, who publish lists or points. One row of ours
// is what one of them reports of a species in a commune and a year.
func pestReports() Source {
	return Source{
		Name: "pest-reports", Group: "stats", Title: "Reports of pests by commune", Producer: "operator of the service, from the observers named",
		Licence: ofOperator,
		After:   []string{"cog-communes"},
		Files:   []Files{{Path: `(?i)(^|/)pest[-_]reports[^/]*\.csv(\.gz)?$`, Together: true}},
		Read:    Read{Format: CSV, Separator: ";"},
		Columns: []Column{
			{Name: "code", From: []string{"commune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "species", Required: true},
			{Name: "label", Required: true},
			{Name: "year", Kind: Integer, Required: true, Match: `(19|20)[0-9]{2}`},
			{Name: "reports", Kind: Integer},
			{Name: "status", Required: true, Match: "reported|colonised"},
			{Name: "observer", From: []string{"source"}, Required: true},
		},
		// That nobody saw it does not say that it is not there.
		Drop:   []string{"reports = 0 AND status = 'reported'"},
		Reject: []Rule{riskUnknown, {When: "reports < 0", Reason: "'it has a number of reports below zero'"}},
		Dedupe: Dedupe{Key: []string{"code", "species", "year", "observer"}},
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
		Target: statFactTarget,
		Note: "A format of ours: pest-reports.csv, separated by semicolons, with the columns commune (INSEE code), species (scientific name), label, year, " +
			"reports (number, may be empty), status (reported or colonised) and source (who observed). Files of several years stand side by side.",
	}
}
