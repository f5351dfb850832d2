package elections

import (
	"regexp"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// legislative2024 declares candidates by constituency: no result of a commune can be derived from it.
func legislative2024() source.Source {
	s := source.Source{
		Name: "election-legislatives-2024", Levels: []string{"departement", "region"},
		Title:    "Élections législatives 2024, premier tour, par circonscription",
		Homepage: "https://www.data.gouv.fr/datasets/elections-legislatives-des-30-juin-et-7-juillet-2024-resultats-definitifs-du-1er-tour",
		Files:    []source.Files{{Path: `(^|/)elections/legislatives-(?P<year>2024)-circonscriptions-candidats\.csv(\.gz)?$`}},
		Origins:  supersededOrigins,
		Read:     source.Read{Format: source.CSV, Encoding: "latin1", Decimal: ","},
		Columns: slices.Concat([]source.Column{
			{Name: "departement", From: []string{"Departement", "CodDpt"}, Required: true,
				Match: `[0-9][0-9AB]|Z[XZ]`},
			{Name: "constituency", From: []string{"CodCirElec"}, Required: true, Match: `[0-9A-Z]{4,5}`},
			{Name: "election", Template: "{year}_legi_t1", Required: true},
		}, turnoutColumns("Inscrits", "Votants", "Blancs", "Nuls", "Exprimes"), []source.Column{
			{Name: "place", From: []string{"NumPanneauCand"}, Kind: source.Integer, Required: true},
			{Name: "nuance", From: []string{"CodNuaCand"}, Required: true, Match: `[A-Z]{2,4}`},
			{Name: "votes", From: []string{"NbVoix"}, Kind: source.Integer, Required: true},
		}),
		Checks: source.Checks{MinRows: 3900, MaxRows: 5000, Queries: []string{
			`SELECT 'constituency ' || constituency || ' has two turnouts' FROM stage GROUP BY constituency
				HAVING count(DISTINCT (registered, voters, expressed)) > 1`,
			`SELECT 'constituency ' || constituency || ': the votes are ' || sum(votes) || ', and ' || min(expressed) || ' expressed' FROM stage
				GROUP BY constituency HAVING abs(sum(votes) - min(expressed)) > greatest(2, min(expressed) / 1000)`,
			addsUp,
			// Alliances identify the year: the Nouveau Front populaire (UG) and the allies of the Rassemblement
			// national (UXD).
			`SELECT 'it has no candidate of the nuance ' || n || ', as the election of 2024 had' FROM (VALUES ('UG'), ('UXD'), ('ENS')) v(n)
				WHERE NOT EXISTS (SELECT FROM stage WHERE nuance = n)`,
		}},
	}
	const departement = "CASE WHEN departement IN ('97', '98') THEN left(constituency, 3) ELSE departement END AS code"
	return electionSource(s, rankOfficial, ballots{
		departements: true, allFrance: true,
		turnout: "SELECT DISTINCT ON (constituency) " + departement +
			", election, registered, voters, blank, spoiled, expressed FROM stage ORDER BY constituency, _line",
		results: "SELECT " + departement + `, election, place, NULL::text AS name, NULL::text AS given, NULL::text AS list, nuance, votes,
			NULL::integer AS seats, NULL::boolean AS elected FROM stage`,
	})
}

// wantedElections are the rounds used by the statistics, of all in the ministry's aggregated files.
const wantedElections = `20(12|17|22|27)_pres_t[12]|20(22|24)_legi_t[12]|20(19|24|29)_euro_t1|20(14|20|26)_muni_t[12]`

const aggregatedNote = "The file was not at hand when this was written: its columns are those of the public code that reads it. " +
	"It holds all elections since 1999 by polling station; those that are served are picked out while it is read. Codes of communes are those of the year of each election."

// aggregatedElections declares the two national files of all elections, turnout and
// votes. They take precedence over all others.
func aggregatedElections() []source.Source {
	code := source.Column{Name: "code", From: []string{"code_commune"}, Required: true, Pad: 5,
		Match: `[0-9Z][0-9A-Z][0-9]{3}`}
	turnout := source.Source{
		Name: "election-agregee-participation", Title: "Données des élections agrégées, résultats généraux",
		Homepage: "https://www.data.gouv.fr/datasets/donnees-des-elections-agregees",
		Files:    []source.Files{{Path: `(^|/)general[-_]results\.csv(\.gz)?$`}},
		Origins:  aggregatedOrigin("b8703c69-a18f-46ab-9e7f-3a8368dcb891", "general_results", 0),
		Read: source.Read{Format: source.CSV, Separator: ";",
			Keep: map[string]string{"id_election": wantedElections}},
		Columns: append([]source.Column{code, {Name: "election", From: []string{"id_election"}, Required: true}},
			turnoutColumns("inscrits", "votants", "blancs", "nuls", "exprimes")...),
		Checks: source.Checks{MinRows: 60000, Queries: []string{
			// A clerical error in one polling station is no reason to reject the others.
			`SELECT wrong || ' of ' || total || ' polling stations have more voters than registered, or more votes than voters' FROM (
				SELECT count(*) AS total, count(*) FILTER (WHERE NOT (registered >= voters AND voters >= expressed AND expressed >= 0)) AS wrong
				FROM stage) c WHERE wrong > total / 1000`}},
		Note: aggregatedNote,
	}
	results := source.Source{
		Name: "election-agregee-candidats", Title: "Données des élections agrégées, résultats par candidat",
		Homepage: turnout.Homepage,
		Files:    []source.Files{{Path: `(^|/)candidats?[-_]results\.csv(\.gz)?$`}},
		Origins:  aggregatedOrigin("52a11762-45b4-414f-b6a2-eaa290217dc6", "candidats_results", 2_100_000_000),
		Read:     turnout.Read,
		Columns: []source.Column{code,
			{Name: "election", From: []string{"id_election"}, Required: true},
			{Name: "place", From: []string{"no_panneau"}, Kind: source.Integer},
			{Name: "votes", From: []string{"voix"}, Kind: source.Integer, Required: true},
			{Name: "nuance", From: []string{"nuance"}},
			{Name: "name", From: []string{"nom"}},
			{Name: "given", From: []string{"prenom"}},
			{Name: "list", From: []string{"libelle_etendu_liste"}},
			{Name: "short", From: []string{"libelle_abrege_liste"}},
			{Name: "other", From: []string{"liste"}},
			{Name: "head", From: []string{"nom_tete_liste"}},
		},
		Checks: source.Checks{MinRows: 400000},
		Note:   aggregatedNote,
	}
	all := ballots{allFrance: true}
	counts, votes := all, all
	counts.turnout = "SELECT code, election, registered, voters, blank, spoiled, expressed FROM stage"
	// For lists the name is that of their head.
	votes.results = `SELECT code, election, coalesce(place, 0) AS place, coalesce(name, head) AS name, given, coalesce(list, short, other) AS list, nuance,
		votes, NULL::integer AS seats, NULL::boolean AS elected FROM stage`
	return []source.Source{electionSource(turnout, rankOfficial, counts), electionSource(results, rankOfficial,
		votes)}
}

// aggregatedOrigin is a resource of the aggregated elections, which keeps its id.
// Each publication of the ministry renews it.
func aggregatedOrigin(resource, file string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataGouv{Dataset: "6481e741d4cf002ec0efec9d", Resource: resource, File: "^" + file +
			`\.csv$`},
		Bytes: bytes, Rhythm: "yearly",
	}}
}

// The legislative elections of 2022 have files of the same names: these are selected by their dataset.
var (
	firstRound  = producer.DataGouv{Dataset: "62581fdf02e05e365ea227a1"}
	secondRound = producer.DataGouv{Dataset: "626a86215fb310e32b48b137"}
)

func presidentialOrigin(dataset producer.DataGouv, resource, file string, bytes int64) fetch.Origin {
	dataset.Resource, dataset.File = resource, "^"+regexp.QuoteMeta(file)+"$"
	return fetch.Origin{From: dataset, As: file, Bytes: bytes, Rhythm: "once"}
}

// supersededOrigins is for files that are not published as they are read: extracts, copies, and
// one whose official form has another layout.
var supersededOrigins = source.NotFetched("Nothing official has this form, and copies of third parties are not fetched: election-agregee-participation and election-agregee-candidats have its results.")
