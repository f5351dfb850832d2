package stats_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/elections"
)

// ballotLine is one commune's round for the aggregated files: votes by name or nuance.
type ballotLine struct {
	election, commune     string
	registered, expressed int
	votes                 map[string]int // of candidates by last name, of lists by nuance
}

// loadAggregated writes both aggregated files.
func (b *fixture) loadAggregated(lines ...ballotLine) {
	b.t.Helper()
	turnout, votes := turnoutHeader, candidateHeader
	for _, l := range lines {
		turnout += aggregatedTurnout(l.election, l.commune, "0001", l.registered, l.expressed)
		n := 0
		for _, who := range slices.Sorted(maps.Keys(l.votes)) {
			n++
			name, nuance, list, head := who, "", "", ""
			if !strings.Contains(l.election, "pres") {
				name, nuance, list, head = "", who, "LISTE "+who, "MARTIN Anne-Sophie"
			}
			votes += aggregatedVotes(l.election, l.commune, "0001", n, l.votes[who], nuance, name, "", list, head)
		}
	}
	b.load("election-agregee-participation", "general_results.csv", turnout)
	b.load("election-agregee-candidats", "candidats_results.csv", votes)
}

// A score in the middle names the bloc with most votes: it may be far from the centre.
func TestScoreNamesTheLargestBloc(t *testing.T) {
	b := newFixture(t)
	b.loadAggregated(ballotLine{"2012_pres_t1", "93010", 1000, 600, map[string]int{"HOLLANDE": 400, "LE PEN": 200}})
	b.hasParts(stats.Commune, "93010", "politicalScore", `"value":0,"label":"centre","largestBloc":"left","confidence":1`)
}

// Three presidential elections make a wave against the nation; with two there is none.
func TestPresidentialWave(t *testing.T) {
	b := newFixture(t)
	lines := []ballotLine{
		// Bondy: -0.5, 0, 1. The nation, with as many abroad: -0.25, 0, 0.5.
		{"2012_pres_t1", "93010", 1000, 600, map[string]int{"HOLLANDE": 600}}, {"2012_pres_t1", "ZZ001", 1000, 600, map[string]int{"BAYROU": 600}},
		{"2017_pres_t1", "93010", 1000, 500, map[string]int{"MACRON": 500}}, {"2017_pres_t1", "ZZ001", 1000, 500, map[string]int{"MACRON": 500}},
		{"2022_pres_t1", "93010", 1000, 400, map[string]int{"LE PEN": 300, "LASSALLE": 100}}, {"2022_pres_t1", "ZZ001", 1000, 600, map[string]int{"MACRON": 300, "LASSALLE": 300}},
	}
	lines[5].votes = map[string]int{"MACRON": 300, "LASSALLE": 100}
	lines[5].expressed = 400
	b.loadAggregated(lines...)
	got := b.block(stats.Commune, "93010", "presidentialWave")
	for _, has := range []string{`"year":2022`, `"trendPerElection":0.375,"acceleration":0.25,"turnoutTrend":0,"direction":"right"`,
		`{"year":2012,"score":-0.5,"relativeScore":-0.25,"turnoutPct":60,"registered":1000,"expressed":600,"winner":"François HOLLANDE","blocs":{"farLeftPct":0,"leftPct":100,`,
		`{"year":2022,"score":1,"relativeScore":0.5,"turnoutPct":40,"registered":1000,"expressed":400,"winner":"Marine LE PEN"`, `"farRightPct":75,"otherPct":25`} {
		if !strings.Contains(got, has) {
			t.Errorf("%s is without %s", got, has)
		}
	}
	b.hasParts(stats.Departement, "93", "presidentialWave", `"direction":"right"`)
	b.loadAggregated(lines[2:]...)
	b.wants(stats.Commune, "93010", "presidentialWave", "null")
	b.hasParts(stats.Commune, "93010", "politicalScore", `"value":1,"label":"right","largestBloc":"farRight","confidence":0.75`)
	// So few votes make no score, although the files list the place.
	b.loadAggregated(append(lines[2:], ballotLine{"2022_pres_t1", "93066", 40, 20, map[string]int{"MACRON": 20}})...)
	if got := b.states(stats.Commune, "93066")["politicalScore"]; got.State != state.NotCovered || got.Reason != "The loaded files list this place without it." {
		t.Errorf("without a score the state is %+v", got)
	}
}

func municipalLine(year int, round, commune string, votes map[string]int) ballotLine {
	total := 0
	for _, n := range votes {
		total += n
	}
	return ballotLine{fmt.Sprintf("%d_muni_%s", year, round), commune, 2 * total, total, votes}
}

// Two municipal elections with nuances make a commune's wave; the winner is that of the round that decided.
// Beyond it only communes with all three count, if half of the inhabitants live there.
func TestMunicipalWave(t *testing.T) {
	b := newFixture(t)
	lines := []ballotLine{
		municipalLine(2014, "t1", "93010", map[string]int{"LSOC": 600, "LUMP": 400}),
		municipalLine(2020, "t1", "93010", map[string]int{"LSOC": 450, "LUMP": 550}),
		municipalLine(2026, "t1", "93010", map[string]int{"LSOC": 400, "LLR": 400, "LRN": 200}),
		municipalLine(2026, "t2", "93010", map[string]int{"LSOC": 500, "LLR": 510}),
		// Saint-Denis had no nuances in 2014.
		municipalLine(2014, "t1", "93066", map[string]int{"LDIV": 500}),
		municipalLine(2020, "t1", "93066", map[string]int{"LCOM": 500}),
		municipalLine(2026, "t1", "93066", map[string]int{"LFI": 500}),
		municipalLine(2026, "t1", "2A247", map[string]int{"LREG": 500}),
	}
	b.loadAggregated(lines...)
	got := b.block(stats.Commune, "93010", "municipalWave")
	// -0.1, 0.05, 0.2: 0.15 an election. 550 of 1000 won in 2020, the second round in 2026.
	for _, has := range []string{`{"year":2014,"round":1,"score":-0.1,"coverage":1,"winnerNuance":"LSOC","winnerBloc":"left","turnoutPct":50,"registered":2000,"expressed":1000}`,
		`{"year":2026,"round":2,"score":0.2,"coverage":1,"winnerNuance":"LLR","winnerBloc":"right","turnoutPct":50,"registered":2000,"expressed":1000}`,
		`"trendPerElection":0.15,"direction":"right","continuity":"same","panelPopulationShare":null`} {
		if !strings.Contains(got, has) {
			t.Errorf("%s is without %s", got, has)
		}
	}
	got = b.block(stats.Commune, "93066", "municipalWave")
	for _, has := range []string{`{"year":2014,"round":1,"score":null,"coverage":0,"winnerNuance":"LDIV","winnerBloc":null,"turnoutPct":50,"registered":1000,"expressed":500}`, `"trendPerElection":0,"direction":"stable","continuity":"same"`} {
		if !strings.Contains(got, has) {
			t.Errorf("%s is without %s", got, has)
		}
	}
	b.wants(stats.Commune, "2A247", "municipalWave", "null")
	b.wants(stats.Departement, "93", "municipalWave", "null") // where no inhabitant is known
	for code, inhabitants := range map[string]int{"93010": 60, "93066": 40} {
		b.exec(`INSERT INTO geo.stat_value VALUES ('population-reference', 'commune', $1, 'population.municipal', '2023', $2, 'ok')`, code, inhabitants)
	}
	b.exec(`INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('population-reference', 'INSEE', 'Populations', 'x', '[]', '', 2, 0, '[]', now(), now(), true)`)
	got = b.block(stats.Departement, "93", "municipalWave")
	if want := `"trendPerElection":0.15,"direction":"right","continuity":null,"panelPopulationShare":0.6`; !strings.Contains(got, want) {
		t.Errorf("%s is without %s", got, want)
	}
	b.exec(`UPDATE geo.stat_value SET value = 61 WHERE code = '93066'`)
	b.exec(`UPDATE geo.stat_value SET value = 60 WHERE code = '93010'`)
	b.wants(stats.Departement, "93", "municipalWave", "null")
}

// The table that answers cite is whole: each nuance and candidate stands on the published scale or has
// a reason not to, and no name stands twice.
func TestBlocTable(t *testing.T) {
	t.Parallel()
	table := elections.Blocs()
	if table.Version == "" || table.Method == "" || len(table.Notes) == 0 {
		t.Errorf("version %q, method %q, %d notes", table.Version, table.Method, len(table.Notes))
	}
	positions := map[string]float64{}
	for _, b := range table.Blocs {
		positions[b.Bloc] = b.Position
	}
	for bloc, want := range map[string]float64{"farLeft": -1, "left": -0.5, "centre": 0, "right": 0.5, "farRight": 1} {
		if got, there := positions[bloc]; !there || got != want {
			t.Errorf("%s stands at %g, expected %g", bloc, got, want)
		}
	}
	seen := map[string]bool{}
	check := func(what string, bloc *string) {
		if seen[what] {
			t.Errorf("%s is listed twice", what)
		}
		seen[what] = true
		if bloc == nil {
			return
		}
		if _, there := positions[*bloc]; !there {
			t.Errorf("%s stands in %s, which is no bloc", what, *bloc)
		}
	}
	debatable := map[string]bool{"FI": true, "ECO": true, "REG": true, "DSV": true, "UDI": true}
	for _, n := range table.Nuances {
		check(n.Code, n.Bloc)
		if debatable[n.Code] && n.Why == "" {
			t.Errorf("%s is debatable and has no reason", n.Code)
		}
	}
	for _, c := range table.Candidates {
		check(fmt.Sprint(c.Year, c.Surname), c.Bloc)
		if c.Bloc == nil && c.Why == "" {
			t.Errorf("%s has no place in %d and no reason", c.Surname, c.Year)
		}
	}
	total := 0.0
	for _, w := range table.Weights {
		total += w
	}
	if total != 1 {
		t.Errorf("the weights add up to %g", total)
	}
}

const (
	mayorsHeader = "Code du département;Libellé du département;Code de la collectivité à statut particulier;Libellé de la collectivité à statut particulier;Code de la commune;Libellé de la commune;Nom de l'élu;Prénom de l'élu;Code sexe;Date de naissance;Code de la catégorie socio-professionnelle;Libellé de la catégorie socio-professionnelle;Date de début du mandat;Date de début de la fonction\n"
	// Bondy has two rows, Abbéville-la-Rivière is two communes yet, Neussargues has not been split.
	mayorLines = "93;S;;;93010;Bondy;AVANT;Éva;F;04/03/1951;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"93;S;;;93010;Bondy;MARTIN;Anne-Sophie;F;05/04/1961;;Employée;28/06/2020;10/10/2021\n" +
		"91;E;;;91001;A;UN;Jean;M;01/01/1950;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"91;E;;;91999;B;DEUX;Jean;M;01/01/1950;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"974;R;;;97411;Saint-Denis;TROIS;Élie;M;01/01/1950;74;Ancien cadre;18/09/2021;26/09/2021\n" +
		"15;C;;;15141;Neussargues en Pinatelle;QUATRE;Luc;M;01/01/1950;74;Ancien cadre;18/05/2020;26/05/2020\n"
	mayorsPath = "rne/rne-maires.csv"
)

func latin1(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
	}
	return b.String()
}

// The mayor who took office last is served, from both layouts of the register; his date of birth is nowhere.
func TestMayor(t *testing.T) {
	b := newFixture(t)
	b.load("mayors", mayorsPath, latin1(mayorsHeader+mayorLines))
	const want = `{"source":"Ministère de l'Intérieur, Répertoire national des élus : maires","year":2021,"firstName":"Anne-Sophie","lastName":"MARTIN","gender":"F",
		"birthYear":1961,"occupation":"Employée","mandateStart":"2020-06-28","functionStart":"2021-10-10","mandate":"2020-2026","mandateOver":null,"list":null,"asOf":"2021-10-10",
		"note":"functionStart is the first day of the present term as mayor: the register does not say who was mayor before it."}`
	b.wants(stats.Commune, "93010", "maire", want)
	for _, code := range []string{"91001", "15141", "15031", "93066"} {
		b.wants(stats.Commune, code, "maire", "null")
	}
	for code, reason := range map[string]string{"15141": "territory of today", "15031": "territory of today", "91001": "do not list this place",
		"93066": "do not list this place"} {
		if got := b.states(stats.Commune, code)["maire"]; got.State != state.NotCovered || !strings.Contains(got.Reason, reason) {
			t.Errorf("the mayor of %s: %+v, want %s", code, got, reason)
		}
	}
	var kept int
	if err := b.db.QueryRow(t.Context(), `SELECT count(*) FROM geo.mayor m WHERE m::text LIKE '%1961-04%' OR m::text LIKE '%04/1961%'`).Scan(&kept); err != nil || kept > 0 {
		t.Errorf("%d dates of birth are kept, %v", kept, err)
	}

	iso := strings.NewReplacer("04/03/1951", "1951-03-04", "05/04/1961", "1961-04-05", "01/01/1950", "1950-01-01", "18/05/2020", "2020-05-18", "26/05/2020", "2020-05-26",
		"28/06/2020", "2020-06-28", "10/10/2021", "2021-10-10", "18/09/2021", "2021-09-18", "26/09/2021", "2021-09-26")
	b.load("mayors", mayorsPath, mayorsHeader+iso.Replace(mayorLines))
	b.wants(stats.Commune, "93010", "maire", want)

	b.load("mayors", mayorsPath, mayorsHeader+strings.ReplaceAll(iso.Replace(mayorLines), "1961-04-05", ""))
	b.hasParts(stats.Commune, "93010", "maire", `"birthYear":null`, "before it. The loaded copy of the register has no dates of birth.")
	b.load("mayors", mayorsPath, mayorsHeader+iso.Replace(mayorLines))

	// Elections have taken place since: mandateOver is true, the vote is pointed to, and the note says it in lists.
	b.load("election-municipales-2026", municipal2026, municipalities)
	b.wants(stats.Commune, "93010", "maire", strings.NewReplacer(`"mandateOver":null`, `"mandateOver":true`,
		`"asOf":"2021-10-10"`, `"asOf":"2021-10-10","laterVote":"election.municipal has the vote of 2026."`,
		"before it.", "before it. It is of 2021-10-10, before the municipal elections of 2026: another person may be in office.").Replace(want))
	// A register that has somebody no more has him no more.
	b.load("mayors", mayorsPath, mayorsHeader+iso.Replace(strings.SplitAfter(mayorLines, "\n")[4]))
	b.wants(stats.Commune, "93010", "maire", "null")
	if got, want := b.states(stats.Commune, "93010")["maire"].Reason, "The loaded files do not list this place. election.municipal has the vote of 2026."; got != want {
		t.Errorf("without a mayor the reason is %q, want %q", got, want)
	}
}

// The list is served when its head bears the mayor's names, and was elected for the mayor's mandate.
func TestMayorsList(t *testing.T) {
	b := newFixture(t)
	b.load("mayors", mayorsPath, latin1(mayorsHeader+mayorLines))
	b.loadAggregated(municipalLine(2020, "t1", "93010", map[string]int{"LSOC": 600, "LLR": 400}), municipalLine(2020, "t1", "97411", map[string]int{"LSOC": 600}))
	b.hasParts(stats.Commune, "93010", "maire", `"mandateOver":false,"list":{"nuance":"LSOC","label":"LISTE LSOC"}`)
	// The mayor of Saint-Denis bears another name, and entered the council between the elections.
	b.hasParts(stats.Commune, "97411", "maire", `"list":null`)
	// No list has won yet.
	b.loadAggregated(municipalLine(2020, "t1", "93010", map[string]int{"LSOC": 500, "LLR": 400, "LRN": 300}))
	b.hasParts(stats.Commune, "93010", "maire", `"list":null`)
}

// A file that is no register of mayors is refused, and those that were there stay.
func TestMayorsRefused(t *testing.T) {
	b := newFixture(t)
	b.load("mayors", mayorsPath, mayorsHeader+mayorLines)
	before := b.block(stats.Commune, "93010", "maire")
	for name, c := range map[string]struct{ content, reason string }{
		"wrong header":     {strings.Replace(mayorsHeader, "Nom de l'élu", "Nom", 1) + mayorLines, "last_name"},
		"councillors":      {strings.Replace(mayorsHeader, "Code de la commune", "Code du canton", 1) + mayorLines, "code"},
		"unknown commune":  {mayorsHeader + strings.Replace(mayorLines, ";97411;", ";97999;", 1), "97999"},
		"wrong date order": {mayorsHeader + strings.Replace(mayorLines, "04/03/1951", "03/24/1951", 1), "date"},
	} {
		b.write(mayorsPath, c.content)
		out, err := b.try("mayors", func(s *source.Source) { s.Checks.MinRows = 0 })
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: state %s, %v; expected %q", name, out.State, err, c.reason)
		}
	}
	b.write(mayorsPath, mayorsHeader+mayorLines)
	if _, err := b.try("mayors", nil); err == nil {
		t.Error("a register of five mayors is taken")
	}
	same(t, "after refused files", b.block(stats.Commune, "93010", "maire"), before)
}
