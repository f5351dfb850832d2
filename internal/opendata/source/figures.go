package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Figures describes how a source of figures becomes rows of current communes, one row a figure. The source
// stages the columns level, code, measure, period, value and missing.
type Figures struct {
	Measures []Measure // the measures of the topic
	Cog      int       // year whose code officiel géographique the codes follow
	Since    string    // SQL for that year in place of Cog, for files that name it
	// SplitSince is SQL for an earlier year: of communes that were split between it and that of the
	// codes, the file still has the former figures under the old code, and nothing or 0 under the new
	// ones. Neither is published; sums have both.
	SplitSince string
	OwnSums    bool // the file has départements and régions of the producer's own
	Cities     cities
	Level      string // SQL over a staged row for the level of its code; default 'commune'
	Rank       int    // of its target
	// query in place of the staged rows, returning level, code, measure, period, value, missing
	From string
}

// cities is how a source publishes Paris, Lyon and Marseille.
type cities uint8

const (
	asCommunes        cities = iota // or not at all; rows of arrondissements stay separate
	AsArrondissements               // only: the commune is computed from them
)

// FigureColumns returns the staged columns of a source with one figure a column
// (Read.Unpivot). code names the column of the commune.
func FigureColumns(code ...string) []Column {
	return []Column{
		{Name: "code", From: code, Required: true, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`},
		{Name: "measure", From: []string{"_measure"}, Required: true},
		{Name: "period", From: []string{"_period"}, Required: true},
		{Name: "value", From: []string{"_value"}, Kind: Number},
		{Name: "missing", From: []string{"_missing"}},
	}
}

// FigureTarget is the table of figures. The key continues with its
// most selective columns: rows are sorted by it.
var FigureTarget = Target{Table: "geo.stat_value", Key: []string{"part", "code", "measure", "period",
	"level"}, Part: true}

// FigureSource fills in what all sources of figures have in common.
func FigureSource(s Source, f Figures) Source {
	s.Licence = LicenceOuverte
	s.Group = "stats"
	if f.Level == "'departement'" || f.Level == "'region'" {
		s.Levels = []string{strings.Trim(f.Level, "'")}
	}
	s.After = append(s.After, "cog-communes", "cog-movements")
	s.Target = FigureTarget
	s.Target.Rank = f.Rank
	s.Sums = f.hasSums()
	s.Rows = f.rowsQuery()
	if f.Level == "" && f.From == "" {
		s.Reject = append(s.Reject, UnknownCommune)
	}
	s.Checks.Queries = append(s.Checks.Queries, f.citiesCheck()...)
	return s
}

// citiesCheck rejects a file that publishes the three cities in another way than declared:
// they would be counted twice, or not at all.
func (f Figures) citiesCheck() []string {
	if f.Cities == asCommunes {
		return nil
	}
	return []string{`SELECT 'it has figures of the whole of ' || code || ', which it is said to give by arrondissement only'
		FROM stage WHERE code IN ('75056', '69123', '13055') GROUP BY code`}
}

// hasSums reports whether the départements are added up from the rows of the file.
func (f Figures) hasSums() bool {
	return !f.OwnSums && f.Level == "" && len(namesOf(f.Measures, Sum)) > 0
}

// rowsQuery returns the query that computes the figures of current communes.
//
// For communes that were merged since, additive measures are summed if no part is missing; any
// other measure is null, because the producer has not published it. Communes that gave territory
// away, and those that were made of it, have no figure from before. Départements have the sum of
// all rows of the file by the département that the code had, whatever became of its communes; the
// statistics add how much of them is in it (coverage).
func (f Figures) rowsQuery() string {
	from := cmp.Or(f.From, "SELECT "+cmp.Or(f.Level, "'commune'")+
		" AS level, code, measure, period, value, missing FROM stage")
	geography := cmp.Or(f.Since, strconv.Itoa(f.Cog))
	return fmt.Sprintf(`
WITH figure AS (%[1]s),
known AS MATERIALIZED (
	SELECT t.code, t.today, k.commune_code AS city
	FROM (SELECT c.code, coalesce(n.code, geo.commune_today(c.code)) AS today
		FROM (SELECT DISTINCT code FROM figure WHERE level = 'commune' OFFSET 0) c
		LEFT JOIN geo.commune n ON n.code = c.code AND n.type IN ('commune-actuelle', 'arrondissement-municipal') OFFSET 0) t
	LEFT JOIN geo.commune k ON k.code = t.today AND k.type = 'arrondissement-municipal'),
changed AS (SELECT * FROM geo.commune_changes(make_date(%[2]s, 1, 1))),
%[3]s
placed AS (
	SELECT CASE WHEN k.city IS NULL THEN 'commune' ELSE 'arrondissement' END AS level, k.today AS code, f.measure, f.period, f.value, f.missing
	FROM figure f JOIN known k ON k.code = f.code WHERE f.level = 'commune'
	%[4]s),
gathered AS (
	SELECT p.level, p.code, p.measure, p.period, sum(p.value) AS total, count(*) AS pieces, count(p.value) AS told,
		min(p.missing) AS missing, p.measure = ANY (%[5]s) AS additive
	FROM placed p GROUP BY p.level, p.code, p.measure, p.period),
judged AS (
	SELECT g.*, CASE
		WHEN g.told = 0 THEN coalesce(g.missing, 'unavailable')
		WHEN s.code IS NOT NULL THEN 'split'
		WHEN NOT g.additive AND (g.pieces > 1 OR c.merged) THEN 'merged'
		WHEN g.told < g.pieces THEN coalesce(g.missing, 'unavailable')
		WHEN g.additive AND g.pieces < c.pieces THEN 'partial'
		ELSE 'ok' END AS status
	FROM gathered g LEFT JOIN changed c ON c.code = g.code AND g.level = 'commune'
	LEFT JOIN (SELECT DISTINCT code FROM split) s ON s.code = g.code AND g.level = 'commune')
SELECT level, code, measure, period, CASE status WHEN 'ok' THEN total END AS value, status FROM judged
UNION ALL
SELECT level, code, measure, period, value, CASE WHEN value IS NULL THEN coalesce(missing, 'unavailable') ELSE 'ok' END
FROM figure WHERE level <> 'commune'%[6]s`, from, geography, splitSince(cmp.Or(f.SplitSince, geography)), f.cityRows(),
		SQLList(namesOf(f.Measures, Sum, Own)), f.sumRows())
}

// splitSince returns the common table expression of the communes of today that were made of a part
// of a former one, with the code that it had.
func splitSince(year string) string {
	return fmt.Sprintf(`split AS MATERIALIZED (
	SELECT DISTINCT geo.commune_today(m.code_after) AS code, m.code_before AS former FROM geo.commune_movement m
	WHERE m.day > make_date(%s, 1, 1) AND m.kind IN (20, 21) AND m.type_before = 'COM' AND m.type_after = 'COM'),`, year)
}

// sumRows returns the query that adds the communes of départements up, and says of communes without
// a row that they were made of one that is in the sum. Where a file has both the three cities and
// their arrondissements, only the cities count.
func (f Figures) sumRows() string {
	if !f.hasSums() {
		return ""
	}
	arrondissements := " AND code NOT IN (SELECT code FROM known WHERE city IS NOT NULL)"
	if f.Cities == AsArrondissements {
		arrondissements = ""
	}
	// Added up before it is joined: the planner takes the filtered figures for a few.
	return fmt.Sprintf(`
UNION ALL
SELECT DISTINCT 'commune', s.code, f.measure, f.period, NULL::float8, 'split'
FROM split s JOIN figure f ON f.code = s.former AND f.level = 'commune' AND f.measure = ANY (%[1]s)
WHERE s.code NOT IN (SELECT today FROM known WHERE today IS NOT NULL)
UNION ALL
SELECT 'departement', d.code, s.measure, s.period, s.value, 'ok'
FROM (SELECT left(code, CASE WHEN code LIKE '97%%' THEN 3 ELSE 2 END) AS departement, measure, period, sum(value) AS value
	FROM figure WHERE level = 'commune' AND measure = ANY (%[1]s)%[2]s GROUP BY 1, 2, 3 HAVING count(value) > 0) s
JOIN geo.departement d ON d.code = s.departement`, SQLList(namesOf(f.Measures, Sum)), arrondissements)
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
var FactTarget = Target{Table: "geo.stat_fact", Key: []string{"part", "level", "code", "kind", "period"},
	Part: true}

// Measure is a quantity measured for territories, from which the statistics are computed.
type Measure struct {
	Name  string // "income.median": topic, then what it is
	Class Class
	// Weight names the measure by which a Mean is weighted.
	Weight string
}

// MeasuresOf returns measures of one class.
func MeasuresOf(class Class, names ...string) []Measure {
	out := make([]Measure, len(names))
	for i, name := range names {
		out[i] = Measure{Name: name, Class: class}
	}
	return out
}

// Class is how the figure of a département or région is obtained.
type Class uint8

// The classes.
const (
	// Official figures are published by the producer: medians, rates and the like, which cannot be added up.
	Official Class = iota
	// Sum figures are added up from the communes where the producer publishes none, if the communes with a
	// figure are home to at least 95 % of the inhabitants.
	Sum
	// Mean figures are averages over the communes, weighted by another measure.
	Mean
	// Own figures are added up over merged communes, but never to larger territories, which have their own.
	Own
)

func namesOf(measures []Measure, classes ...Class) (names []string) {
	for _, m := range measures {
		if slices.Contains(classes, m.Class) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Measures of population that several topics read.
const (
	PopulationMunicipal = "population.municipal"
	PopulationBirths    = "population.births" // in a year, by residence of the mother
	PopulationDeaths    = "population.deaths" // in a year, by residence of the deceased
)

// LandArea is the measure of the land area of communes, and LandAreaSource the source that fills it: the
// territory gives it too.
const (
	LandArea       = "area.land"
	LandAreaSource = "comparateur-superficie"
)

// EPCISource and EPTSource have the intercommunal bodies of communes as facts. The territory lists these
// communes.
const (
	EPCISource = "cog-epci-communes"
	EPTSource  = "cog-ept-communes"
)
