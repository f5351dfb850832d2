package source

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Figures describes how a source of figures becomes rows of current communes, one row a figure. The source stages the
// columns level, code, measure, period, value and missing.
type Figures struct {
	Measures []Measure // the measures of the topic
	Cog      int       // year whose code officiel géographique the codes follow
	Since    string    // SQL for that year in place of Cog, for files that name it
	Cities   cities
	Level    string // SQL over a staged row for the level of its code; default 'commune'
	From     string // query in place of the staged rows, returning level, code, measure, period, value, missing
}

// cities is how a source publishes Paris, Lyon and Marseille.
type cities uint8

const (
	asCommunes        cities = iota // or not at all; rows of arrondissements stay separate
	AsArrondissements               // only: the commune is computed from them
)

// FigureColumns returns the staged columns of a source with one figure a column (Read.Unpivot). code names the column
// of the commune.
func FigureColumns(code ...string) []Column {
	return []Column{
		{Name: "code", From: code, Required: true, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`},
		{Name: "measure", From: []string{"_measure"}, Required: true},
		{Name: "period", From: []string{"_period"}, Required: true},
		{Name: "value", From: []string{"_value"}, Kind: Number},
		{Name: "missing", From: []string{"_missing"}},
	}
}

// FigureTarget is the table of figures. The key continues with its most selective columns: rows are sorted by it.
var FigureTarget = Target{Table: "geo.stat_value", Key: []string{"part", "code", "measure", "period", "level"}, Part: true}

// FigureSource fills in what all sources of figures have in common.
func FigureSource(s Source, f Figures) Source {
	s.Licence = LicenceOuverte
	s.Group = "stats"
	if f.Level == "'departement'" || f.Level == "'region'" {
		s.Levels = []string{strings.Trim(f.Level, "'")}
	}
	s.After = append(s.After, "cog-communes", "cog-movements")
	s.Target = FigureTarget
	s.Rows = f.rows()
	if f.Level == "" && f.From == "" {
		s.Reject = append(s.Reject, UnknownCommune)
	}
	s.Checks.Queries = append(s.Checks.Queries, f.citiesCheck()...)
	return s
}

// citiesCheck rejects a file that publishes the three cities in another way than declared: they would be counted twice,
// or not at all.
func (f Figures) citiesCheck() []string {
	if f.Cities == asCommunes {
		return nil
	}
	return []string{`SELECT 'it has figures of the whole of ' || code || ', which it is said to give by arrondissement only'
		FROM stage WHERE code IN ('75056', '69123', '13055') GROUP BY code`}
}

// rows returns the query that computes the figures of current communes.
//
// For communes that were merged since, additive measures are summed if no part is missing; any other measure is null,
// because the producer has not published it. Communes that gave territory away have no figure from before.
func (f Figures) rows() string {
	from := f.From
	if from == "" {
		from = "SELECT " + cmp.Or(f.Level, "'commune'") + " AS level, code, measure, period, value, missing FROM stage"
	}
	return fmt.Sprintf(`
WITH figure AS (%[1]s),
known AS MATERIALIZED (
	SELECT t.code, t.today, k.commune_code AS city
	FROM (SELECT c.code, coalesce(n.code, geo.commune_today(c.code)) AS today
		FROM (SELECT DISTINCT code FROM figure WHERE level = 'commune' OFFSET 0) c
		LEFT JOIN geo.commune n ON n.code = c.code AND n.type IN ('commune-actuelle', 'arrondissement-municipal') OFFSET 0) t
	LEFT JOIN geo.commune k ON k.code = t.today AND k.type = 'arrondissement-municipal'),
changed AS (SELECT * FROM geo.commune_changes(make_date(%[2]s, 1, 1))),
placed AS (
	SELECT CASE WHEN k.city IS NULL THEN 'commune' ELSE 'arrondissement' END AS level, k.today AS code, f.measure, f.period, f.value, f.missing
	FROM figure f JOIN known k ON k.code = f.code WHERE f.level = 'commune'
	%[3]s),
gathered AS (
	SELECT p.level, p.code, p.measure, p.period, sum(p.value) AS total, count(*) AS pieces, count(p.value) AS told,
		min(p.missing) AS missing, p.measure = ANY (%[4]s) AS additive
	FROM placed p GROUP BY p.level, p.code, p.measure, p.period),
judged AS (
	SELECT g.*, CASE
		WHEN g.told < g.pieces THEN coalesce(g.missing, 'unavailable')
		WHEN c.split THEN 'split'
		WHEN g.additive AND g.pieces < c.pieces THEN 'partial'
		WHEN NOT g.additive AND (g.pieces > 1 OR c.merged) THEN 'merged'
		ELSE 'ok' END AS status
	FROM gathered g LEFT JOIN changed c ON c.code = g.code AND g.level = 'commune')
SELECT level, code, measure, period, CASE status WHEN 'ok' THEN total END AS value, status FROM judged
UNION ALL
SELECT level, code, measure, period, value, CASE WHEN value IS NULL THEN coalesce(missing, 'unavailable') ELSE 'ok' END
FROM figure WHERE level <> 'commune'`, from, cmp.Or(f.Since, strconv.Itoa(f.Cog)), f.cityRows(), SQLList(namesOf(f.Measures, Sum, Own)))
}

// cityRows returns the query that adds the arrondissements to their commune.
func (f Figures) cityRows() string {
	if f.Cities != AsArrondissements {
		return ""
	}
	return `UNION ALL
	SELECT 'commune', k.city, f.measure, f.period, f.value, f.missing
	FROM figure f JOIN known k ON k.code = f.code WHERE f.level = 'commune' AND k.city IS NOT NULL`
}

// FactTarget is the table of facts that are not figures.
var FactTarget = Target{Table: "geo.stat_fact", Key: []string{"part", "level", "code", "kind", "period"}, Part: true}
