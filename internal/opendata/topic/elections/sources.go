// Package elections declares the data on elections and those who were elected.
package elections

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"arpent/internal/opendata/source"
)

//go:embed tables.sql
var tables string

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat([]source.Source{municipal2026(),
		presidential2017(), presidentialDepartements("t1", 1100), presidentialDepartements("t2", 212),
		presidentialWorkbook(), presidentialCommunes2022(),
		legislative2024()}, aggregatedElections(), []source.Source{mayorRegister()})
}

// Rounds are named as the ministry names them: year, kind and round ("2017_pres_t1").

// ballots declares how the staged rows of a source become elections. Codes are the
// ministry's: overseas "ZA101", abroad "ZZ…".
type ballots struct {
	// turnout is a query that returns code, election, registered, voters, blank, spoiled
	// and expressed, one row or more a code.
	turnout string
	// results is a query that returns code, election, place, name, given,
	// list, nuance, votes, seats and elected.
	results string
	// departements: the codes are those of départements. Otherwise they are those of communes.
	departements bool
	// allFrance: the file has all of France, so that its communes can be summed to départements, and to the
	// nation if the French abroad are included or do not vote.
	allFrance bool
}

// overseasCodes maps the first three characters of the ministry's codes of overseas communes.
// Wallis-et-Futuna (ZW) and the French abroad (ZZ) have no communes.
var overseasCodes = [][2]string{
	{"ZA1", "971"}, {"ZB2", "972"}, {"ZC3", "973"}, {"ZD4", "974"},
	{"ZM5", "976"}, // ZM501 is 97601: 975 is Saint-Pierre-et-Miquelon
	{"ZS5", "975"}, {"ZX7", "977"}, {"ZX8", "978"}, {"ZN8", "988"}, {"ZP0", "987"},
}

// overseasDepartements maps the ministry's codes of overseas départements.
var overseasDepartements = [][2]string{{"ZA", "971"}, {"ZB", "972"}, {"ZC", "973"}, {"ZD", "974"},
	{"ZM", "976"}}

func sqlValues(pairs [][2]string) string {
	rows := make([]string, len(pairs))
	for i, p := range pairs {
		rows[i] = "('" + p[0] + "', '" + p[1] + "')"
	}
	return "(VALUES " + strings.Join(rows, ", ") + ")"
}

// inseeCode returns SQL for the INSEE code of a ministry commune code.
func inseeCode(code string) string {
	return fmt.Sprintf("coalesce((SELECT o.insee || substr(%[1]s, 4) FROM %[2]s o(start, insee) WHERE o.start = left(%[1]s, 3)), %[1]s)",
		code, sqlValues(overseasCodes))
}

// unknownCodeRule rejects codes that no commune ever had. Wallis-et-Futuna and the French abroad have
// no communes: they only count for the nation.
var unknownCodeRule = source.Rule{
	When: `code IN (SELECT c.code FROM (SELECT DISTINCT s.code FROM stage s
		WHERE s.code NOT IN (SELECT k.code FROM geo.commune k WHERE k.commune_code IS NOT NULL) OFFSET 0) c
		WHERE c.code !~ '^Z[WZ]' AND geo.commune_today(` + inseeCode("c.code") + `) IS NULL)`,
	Reason: "'no commune has code ' || code",
}

// duplicateCities rejects a file that has Paris, Lyon or Marseille both as a whole and by arrondissement.
const duplicateCities = `SELECT 'it has ' || c.code || ' both as a whole and by arrondissement, in ' || c.election FROM
	(SELECT DISTINCT code, election FROM stage WHERE code IN ('75056', '69123', '13055')) c WHERE EXISTS (
	SELECT FROM stage s WHERE s.code ~ '^(751|6938|132)' AND s.election = c.election AND s.code ~ CASE c.code WHEN '75056' THEN '^751' WHEN '69123' THEN '^6938' ELSE '^132' END)`

// placeQuery returns the query that maps each code of "poll" to its current commune and département.
//
// Codes follow the code officiel géographique of the year of the election. Communes that were merged since
// are summed if none is missing; communes that gave territory away have no figure from before. Départements
// and the nation are summed from the codes of the file, whatever became of the communes.
func (b ballots) placeQuery() string {
	if b.departements {
		return fmt.Sprintf(`place AS (SELECT c.code, d.code AS departement FROM (SELECT DISTINCT code FROM poll) c
			LEFT JOIN %s o(start, insee) ON o.start = c.code
			LEFT JOIN geo.departement d ON d.code = coalesce(o.insee, c.code))`, sqlValues(overseasDepartements))
	}
	return fmt.Sprintf(`
place AS (
	SELECT c.code, CASE k.type WHEN 'arrondissement-municipal' THEN k.commune_code ELSE c.today END AS today, d.code AS departement
	FROM (SELECT i.code, i.insee, CASE n.type WHEN 'commune-actuelle' THEN n.commune_code WHEN 'arrondissement-municipal' THEN n.code
			ELSE geo.commune_today(i.insee) END AS today
		FROM (SELECT code, %s AS insee FROM (SELECT DISTINCT code FROM poll) p OFFSET 0) i
		LEFT JOIN geo.commune n ON n.code = i.insee AND n.type IN ('commune-actuelle', 'arrondissement-municipal') OFFSET 0) c
	LEFT JOIN geo.commune k ON k.code = c.today AND k.type IN ('commune-actuelle', 'arrondissement-municipal')
	LEFT JOIN geo.departement d ON d.code = left(c.insee, CASE left(c.insee, 2) WHEN '97' THEN 3 ELSE 2 END)),
changed AS (
	SELECT e.election, c.* FROM (SELECT DISTINCT election FROM poll) e
	CROSS JOIN LATERAL geo.commune_changes(make_date(left(e.election, 4)::integer, 1, 1)) c)`, inseeCode("p.code"))
}

// electionLevel declares the rows of one level: its name, the code of
// a row, and what is joined to "poll" as p.
type electionLevel struct{ name, code, from string }

func (b ballots) electionLevels() []electionLevel {
	var out []electionLevel
	if !b.departements {
		out = append(out, electionLevel{"commune", "k.today",
			"JOIN place k ON k.code = p.code JOIN entire e ON e.today = k.today AND e.election = p.election"})
	}
	if b.allFrance {
		out = append(out, electionLevel{"departement", "k.departement",
			"JOIN place k ON k.code = p.code AND k.departement IS NOT NULL"},
			electionLevel{"nation", "'FR'", "WHERE substr(p.election, 6, 4) = 'muni' OR p.election IN (SELECT a.election FROM poll a WHERE a.code ~ '^ZZ')"})
	}
	return out
}

// commonTables returns the common table expressions that the rows of all levels are computed from. "entire"
// holds the current communes that have results, and from how many codes.
func (b ballots) commonTables(poll string) string {
	sql := "WITH poll AS (" + poll + "), " + b.placeQuery()
	if b.departements {
		return sql
	}
	return sql + `,
entire AS (
	SELECT k.today, p.election, count(*) AS codes
	FROM (SELECT DISTINCT code, election FROM poll) p JOIN place k ON k.code = p.code LEFT JOIN changed c ON c.code = k.today AND c.election = p.election
	WHERE k.today IS NOT NULL AND c.split IS NOT TRUE
	GROUP BY k.today, p.election HAVING count(*) >= coalesce(max(c.pieces), 1))`
}

func (b ballots) turnoutRows() string {
	var sums, parts []string
	for _, column := range []string{"registered", "voters", "blank", "spoiled", "expressed"} {
		sums = append(sums, fmt.Sprintf("CASE WHEN count(p.%[1]s) = count(*) THEN sum(p.%[1]s)::integer END AS %[1]s", column))
	}
	for _, l := range b.electionLevels() {
		parts = append(parts, fmt.Sprintf("SELECT '%s' AS level, %s AS code, p.election, %s FROM poll p %s GROUP BY 1, 2, 3",
			l.name, l.code, strings.Join(sums, ", "), l.from))
	}
	return b.commonTables(b.turnout) + "\n" + strings.Join(parts, "\nUNION ALL\n")
}

// resultRows sums votes for the same candidate or list. For départements and above, municipal and
// legislative elections are summed by nuance, because names differ from place to place. Seats belong to one
// council: a commune formed from several had several.
func (b ballots) resultRows() string {
	var parts []string
	for _, l := range b.electionLevels() {
		who, seats := "p.name, p.given, p.list, p.nuance",
			"CASE WHEN max(e.codes) = 1 THEN sum(p.seats)::integer END, CASE WHEN max(e.codes) = 1 THEN bool_or(p.elected) END"
		if l.name != "commune" {
			of := "CASE WHEN substr(p.election, 6, 4) NOT IN ('muni', 'legi') THEN p."
			who, seats = of+"name END, "+of+"given END, "+of+"list END, p.nuance", "NULL::integer, NULL::boolean"
		}
		parts = append(parts, fmt.Sprintf("SELECT '%s', %s, p.election, %s, min(p.place), sum(p.votes)::integer, %s FROM poll p %s GROUP BY 1, 2, 3, 4, 5, 6, 7",
			l.name, l.code, who, seats, l.from))
	}
	return b.commonTables(b.results) + `,
counted (level, code, election, name, given, list, nuance, first, votes, seats, elected) AS (` + strings.Join(parts, "\nUNION ALL\n") + `)
SELECT level, code, election, row_number() OVER (PARTITION BY code COLLATE "C", election COLLATE "C", level COLLATE "C" ORDER BY first, name COLLATE "C", given COLLATE "C", list COLLATE "C", nuance COLLATE "C")::integer AS place,
	name, given, list, nuance, votes, seats, elected
FROM counted`
}

var (
	turnoutTarget = source.Target{Table: "geo.election_turnout", Key: []string{"part", "code", "election",
		"level"}, Part: true, Create: tables}
	resultTarget = source.Target{Table: "geo.election_result", Key: []string{"part", "code", "election",
		"place", "level"}, Part: true, Create: tables}
)

// electionSource completes a source of elections. Those with both queries fill both tables.
func electionSource(s source.Source, rank int, b ballots) source.Source {
	s.Licence, s.Group = source.LicenceOuverte, "elections"
	s.Producer = "Ministère de l'Intérieur"
	s.Homepage = cmp.Or(s.Homepage, "https://www.data.gouv.fr/pages/donnees-des-elections")
	s.After = append(s.After, "cog-communes", "cog-movements")
	if !b.departements {
		s.Reject = append(s.Reject, unknownCodeRule)
		s.Checks.Queries = append(slices.Clone(s.Checks.Queries), duplicateCities)
	}
	switch {
	case b.turnout == "":
		s.Target, s.Rows = resultTarget, b.resultRows()
	default:
		s.Target, s.Rows = turnoutTarget, b.turnoutRows()
		if b.results != "" {
			s.Derived = append(s.Derived, source.Derived{Name: "results", Query: b.resultRows(), Target: resultTarget})
		}
	}
	s.Target.Rank = rank
	return s
}

// Precedence when two sources have the same election in the same place.
const (
	rankDerived  = 0
	rankOwnRows  = 1 // derived by somebody, but with the ministry's own rows of the level
	rankOfficial = 10
)
