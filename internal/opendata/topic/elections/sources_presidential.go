package elections

import (
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// presidentialCandidates lists the candidates of the known elections, by last and first name. They identify
// an election: file names are easily changed.
var presidentialCandidates = map[string][][2]string{
	"2017_pres_t1": {{"LE PEN", "Marine"}, {"MÉLENCHON", "Jean-Luc"}, {"MACRON", "Emmanuel"},
		{"FILLON", "François"},
		{"DUPONT-AIGNAN", "Nicolas"}, {"LASSALLE", "Jean"}, {"HAMON", "Benoît"}, {"ASSELINEAU", "François"},
		{"POUTOU", "Philippe"}, {"ARTHAUD", "Nathalie"}, {"CHEMINADE", "Jacques"}},
	"2022_pres_t1": {{"ARTHAUD", "Nathalie"}, {"ROUSSEL", "Fabien"}, {"MACRON", "Emmanuel"},
		{"LASSALLE", "Jean"},
		{"LE PEN", "Marine"}, {"ZEMMOUR", "Éric"}, {"MÉLENCHON", "Jean-Luc"}, {"HIDALGO", "Anne"},
		{"JADOT", "Yannick"}, {"PÉCRESSE", "Valérie"}, {"POUTOU", "Philippe"}, {"DUPONT-AIGNAN", "Nicolas"}},
	"2017_pres_t2": {{"MACRON", "Emmanuel"}, {"LE PEN", "Marine"}},
	"2022_pres_t2": {{"MACRON", "Emmanuel"}, {"LE PEN", "Marine"}},
}

// presidentialChecks reject a file of another election than its name says, or with missing candidates. Both
// second rounds had the same candidates: there the figure of one place distinguishes the years.
func presidentialChecks(spot ...string) []string {
	var expected []string
	for _, election := range []string{"2017_pres_t1", "2022_pres_t1", "2017_pres_t2", "2022_pres_t2"} {
		for _, c := range presidentialCandidates[election] {
			expected = append(expected, fmt.Sprintf("('%s', '%s')", election, c[0]))
		}
	}
	sql := `WITH expected(election, name) AS (VALUES ` + strings.Join(expected, ", ") + `), found AS (SELECT DISTINCT election, name FROM stage)
		SELECT name || ' was no candidate in ' || election FROM (TABLE found EXCEPT TABLE expected) f
		UNION ALL SELECT 'it lacks the candidate ' || name || ' of ' || election
		FROM (SELECT * FROM expected WHERE election IN (SELECT election FROM found) EXCEPT TABLE found) e`
	out := []string{sql,
		`SELECT 'line ' || _line || ': the votes do not add up to the ' || min(expressed) || ' expressed' FROM stage
			GROUP BY _file, _line HAVING sum(votes) <> min(expressed)`,
		`SELECT 'line ' || _line || ': ' || voters || ' voters of ' || registered || ' registered, ' || expressed || ' votes expressed'
			FROM stage WHERE NOT (registered >= voters AND voters >= expressed AND expressed >= 0) GROUP BY 1`,
	}
	for _, s := range spot {
		out = append(out, `WITH spot(election, code, name, votes) AS (VALUES `+s+`)
			SELECT 'in ' || election || ' ' || name || ' had ' || spot.votes || ' votes in ' || code || ', not ' || sum(s.votes)
			FROM spot JOIN stage s USING (election, code, name) GROUP BY election, code, name, spot.votes HAVING sum(s.votes) <> spot.votes`)
	}
	return out
}

// onePoll returns the two queries for staged rows of one candidate
// each, which repeat the turnout of their line.
func onePoll(b ballots) ballots {
	b.turnout = `SELECT DISTINCT ON (_file, _line) code, election, registered, voters, blank, spoiled, expressed FROM stage ORDER BY _file, _line`
	b.results = `SELECT code, election, place, name, given, NULL::text AS list, NULL::text AS nuance, votes, NULL::integer AS seats,
		NULL::boolean AS elected FROM stage`
	return b
}

// presidential2017 declares a file with candidates in numbered columns: their
// order was derived from the national shares.
func presidential2017() source.Source {
	const election = "2017_pres_t1"
	var names []string
	for i, c := range presidentialCandidates[election] {
		names = append(names, fmt.Sprintf("(%d, '%s', '%s')", i+1, c[0], c[1]))
	}
	s := source.Source{
		Name:    "election-presidentielle-2017-communes",
		Title:   "Élection présidentielle 2017, premier tour, par commune (dérivé par jmlahire/CartoPresidentielles)",
		Files:   []source.Files{{Path: `(^|/)elections/presidentielle-2017-t1-communes\.csv(\.gz)?$`}},
		Origins: supersededOrigins, Earlier: true,
		Read: source.Read{Format: source.CSV, Separator: ";",
			Unpivot: []source.Unpivot{{Column: `nb_voix(?P<place>[1-9]|1[01])`, Measure: "{place}"}}},
		Columns: []source.Column{
			{Name: "code", From: []string{"insee"}, Required: true, Match: `[0-9Z][0-9A-Z][0-9]{3}`},
			{Name: "registered", From: []string{"nb_inscrits"}, Kind: source.Integer, Required: true},
			{Name: "voters", From: []string{"nb_votants"}, Kind: source.Integer, Required: true},
			{Name: "expressed", From: []string{"nb_exprimes"}, Kind: source.Integer, Required: true},
			{Name: "abstained", From: []string{"nb_voix13"}, Kind: source.Integer, Required: true},
			{Name: "spoiled", From: []string{"nb_voix14"}, Kind: source.Integer, Required: true},
			{Name: "place", From: []string{"_measure"}, Kind: source.Integer, Required: true},
			{Name: "votes", From: []string{"_value"}, Kind: source.Integer, Required: true},
			{Name: "election", Template: election, Required: true},
		},
		Checks: source.Checks{MinRows: 380000, Queries: []string{
			`SELECT 'line ' || _line || ': the votes do not add up to the ' || min(expressed) || ' expressed' FROM stage
				GROUP BY _file, _line HAVING sum(votes) <> min(expressed) OR count(*) <> 11`,
			"SELECT 'line ' || _line || ': those who voted and those who did not are not the registered' FROM stage WHERE voters + abstained <> registered GROUP BY _line",
			"SELECT code || ' has ' || spoiled || ' spoiled votes, more than were not expressed' FROM stage WHERE spoiled < 0 OR spoiled > voters - expressed GROUP BY code, spoiled",
			// The order of the candidates, checked by three that came first in different places.
			`SELECT 'in ' || code || ' candidate ' || v.place || ' had ' || v.votes || ' votes, not ' || s.votes FROM
				(VALUES ('75056', 3, 375006), ('13055', 2, 90847), ('75056', 4, 284744), ('2A004', 1, 7173)) v(code, place, votes)
				JOIN stage s USING (code, place) WHERE s.votes <> v.votes`,
		}},
		Note: "Blank votes are what is left of the voters once the spoiled and the expressed votes are taken off.",
	}
	return electionSource(s, rankDerived, ballots{
		allFrance: true,
		turnout: `SELECT DISTINCT ON (_file, _line) code, election, registered, voters, voters - expressed - spoiled AS blank, spoiled, expressed
			FROM stage ORDER BY _file, _line`,
		results: `SELECT s.code, s.election, s.place, c.name, c.given, NULL::text AS list, NULL::text AS nuance, s.votes, NULL::integer AS seats,
			NULL::boolean AS elected FROM stage s JOIN (VALUES ` + strings.Join(names, ", ") + `) c(place, name, given) USING (place)`,
	})
}

// turnoutColumns are the staged columns of the counts of a poll, by their names in the file: registered,
// voters, blank, spoiled, expressed.
func turnoutColumns(names ...string) []source.Column {
	var all []source.Column
	for i, count := range []string{"registered", "voters", "blank", "spoiled", "expressed"} {
		all = append(all, source.Column{Name: count, From: []string{names[i]}, Kind: source.Integer,
			Required: count != "blank" && count != "spoiled"})
	}
	return all
}

// ministryCounts are the headers of the counts in files of the ministry.
var ministryCounts = []string{"Inscrits", "Votants", "Blancs", "Nuls", "Exprimés"}

func candidateColumns() []source.Column {
	return []source.Column{
		{Name: "place", From: []string{"_group"}, Kind: source.Integer, Required: true},
		{Name: "name", From: []string{"Nom"}, Required: true},
		{Name: "given", From: []string{"Prénom"}},
		{Name: "votes", From: []string{"Voix"}, Kind: source.Integer, Required: true},
	}
}

const addsUp = `SELECT 'line ' || _line || ': blank, spoiled and expressed votes do not add up to the ' || voters || ' voters'
	FROM stage WHERE blank + spoiled + expressed <> voters GROUP BY _line, voters`

// secondRoundsByDepartement is the source of the second rounds by département.
const secondRoundsByDepartement = "election-presidentielle-departements-t2"

// presidentialDepartements declares a file with one column a candidate.
func presidentialDepartements(round string, rows int64) source.Source {
	s := source.Source{
		Name: "election-presidentielle-departements-" + round, Levels: []string{"departement", "region"},
		Title: "Élection présidentielle, " + map[string]string{"t1": "premier", "t2": "second"}[round] +
			" tour, par département (dérivé par tguerra/presidentielle2022)",
		Files: []source.Files{{Path: `(^|/)elections/presidentielle-(?P<scope>(?P<year>2017|2022)-` + round +
			`)-departements\.csv(\.gz)?$`}},
		Origins: supersededOrigins,
		Read: source.Read{Format: source.CSV, Unpivot: []source.Unpivot{{Column: `(?P<name>[A-ZÉÈ][A-ZÉÈ' -]+)`,
			Measure: "{name}"}}},
		Columns: append([]source.Column{
			{Name: "code", From: []string{"CodeDépartement"}, Required: true, Match: `[0-9][0-9AB]|Z[A-Z]`},
			{Name: "election", Template: "{year}_pres_" + round, Required: true},
			{Name: "name", From: []string{"_measure"}, Required: true},
			{Name: "votes", From: []string{"_value"}, Kind: source.Integer, Required: true},
		}, turnoutColumns(ministryCounts...)...),
		Checks: source.Checks{MinRows: rows, Queries: append(presidentialChecks(
			`('2017_pres_t2', '01', 'MACRON', 173809), ('2022_pres_t2', '01', 'MACRON', 166635)`), addsUp)},
	}
	b := onePoll(ballots{departements: true, allFrance: true})
	b.results = `SELECT code, election, row_number() OVER (PARTITION BY _file, _line ORDER BY votes DESC, name)::integer AS place, name, NULL::text AS given,
		NULL::text AS list, NULL::text AS nuance, votes, NULL::integer AS seats, NULL::boolean AS elected FROM stage`
	return electionSource(s, rankOwnRows, b)
}

// presidentialWorkbook declares the ministry's workbook, in which only the
// columns of the first candidate have names.
func presidentialWorkbook() source.Source {
	s := source.Source{
		Name: "election-presidentielle-2022-departements", Levels: []string{"departement", "region"},
		Title:    "Élection présidentielle 2022, premier tour, par département",
		Homepage: "https://www.data.gouv.fr/datasets/election-presidentielle-des-10-et-24-avril-2022-resultats-definitifs-du-1er-tour",
		Files:    []source.Files{{Path: `(^|/)resultats-par-niveau-dpt-t1-(2022|france-entiere)\.xlsx(\.gz)?$`}},
		Origins: []fetch.Origin{
			presidentialOrigin(firstRound, "18847484-f622-4ccc-baa9-e6b12f749514",
				"resultats-par-niveau-dpt-t1-france-entiere.xlsx", 0),
		},
		Read: source.Read{Format: source.Spreadsheet, Repeat: &source.Repeat{From: "Sexe",
			Names: []string{"Sexe", "Nom", "Prénom", "Voix", "% Voix/Ins", "% Voix/Exp"}}},
		Columns: append(append([]source.Column{
			{Name: "code", From: []string{"Code du département"}, Required: true, Pad: 2,
				Match: `[0-9][0-9AB]|Z[A-Z]`},
			{Name: "election", Template: "2022_pres_t1", Required: true},
		}, turnoutColumns(ministryCounts...)...), candidateColumns()...),
		Checks: source.Checks{MinRows: 1200, Queries: append(presidentialChecks(), addsUp)},
	}
	return electionSource(s, rankOfficial, onePoll(ballots{departements: true, allFrance: true}))
}

// presidentialCommunes2022 declares the ministry's text file by commune.
func presidentialCommunes2022() source.Source {
	s := source.Source{
		Name: "election-presidentielle-2022-communes", Title: "Élection présidentielle 2022, par commune",
		Homepage: "https://www.data.gouv.fr/datasets/election-presidentielle-des-10-et-24-avril-2022-resultats-definitifs-du-1er-tour",
		Files:    []source.Files{{Path: `(^|/)resultats-par-niveau-subcom-(?P<scope>(?P<round>t[12]))-france-entiere\.txt(\.gz)?$`}},
		Origins: []fetch.Origin{
			presidentialOrigin(firstRound, "aae19572-df6d-4e05-ab09-06430ca8acde",
				"resultats-par-niveau-subcom-t1-france-entiere.txt", 16_900_000),
			presidentialOrigin(secondRound, "11a736be-748f-470b-b2c6-b8ba09b48938",
				"resultats-par-niveau-subcom-t2-france-entiere.txt", 5_800_000),
		},
		Read: source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff", Decimal: ",",
			Repeat: &source.Repeat{From: "N°Panneau", Names: []string{"N°Panneau", "Sexe", "Nom", "Prénom", "Voix",
				"% Voix/Ins", "% Voix/Exp"}}},
		Columns: append(append([]source.Column{
			{Name: "code", Template: "{Code du département:2}{Code de la commune:3}", Required: true,
				Match: `[0-9Z][0-9A-Z][0-9]{3}`},
			{Name: "election", Template: "2022_pres_{round}", Required: true},
		}, turnoutColumns(ministryCounts...)...), candidateColumns()...),
		Checks: source.Checks{MinRows: 68000, Queries: append(presidentialChecks(), addsUp)},
		Note:   "The file was not at hand when this was written: its columns are those of the workbook by département and of the public code that reads it.",
	}
	return electionSource(s, rankOfficial, onePoll(ballots{allFrance: true}))
}
