package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	municipal2026    = "elections/municipales-2026-t1-communes.jsonl"
	presidential2017 = "elections/presidentielle-2017-t1-communes.csv"
)

// municipalities has Bondy, where seats are given out, Saint-Denis of La Réunion, where they are not, Paris
// with the rows of sectors that repeat a part of it, and Porto-Vecchio, whose count went wrong.
const municipalities = `{"codeDepartement":"93","codeCommune":"93010","inscrits":1000,"votants":500,"exprimes":480,"blancs":12,"nuls":8,"candidats":[{"numero":1,"nuance":"LDVG","libelleAbrege":"BV","libelleListe":"BONDY VILLE","voix":180,"elu":false,"siegesCM":8},{"numero":2,"nuance":"","libelleAbrege":"ENSEMBLE","libelleListe":"","voix":300,"elu":false,"siegesCM":27}]}
{"codeDepartement":"974","codeCommune":"97411","inscrits":2000,"votants":900,"exprimes":880,"blancs":10,"nuls":10,"candidats":[{"numero":1,"nuance":"LRN","libelleAbrege":"RD","libelleListe":"RASSEMBLEMENT","voix":440,"elu":false,"siegesCM":0},{"numero":2,"nuance":"LDVC","libelleAbrege":"C","libelleListe":"CENTRE","voix":440,"elu":false,"siegesCM":0}]}
{"codeDepartement":"75","codeCommune":"75056","inscrits":100,"votants":60,"exprimes":60,"blancs":0,"nuls":0,"candidats":[{"numero":1,"nuance":"LUG","libelleAbrege":"U","libelleListe":"UNION","voix":60,"elu":false,"siegesCM":0}]}
{"codeDepartement":"75","codeCommune":"75101","sectorCode":"75056SR01","inscrits":40,"votants":20,"exprimes":20,"blancs":0,"nuls":0,"candidats":[]}
{"codeDepartement":"75","codeCommune":"75118","sectorCode":"75056SR01","inscrits":40,"votants":20,"exprimes":20,"blancs":0,"nuls":0,"candidats":[]}
{"codeDepartement":"2A","codeCommune":"2A247","inscrits":157,"votants":0,"exprimes":79,"blancs":5,"nuls":-84,"candidats":[{"numero":1,"nuance":"","libelleAbrege":"T","libelleListe":"TOUS","voix":79,"elu":false,"siegesCM":11}]}
`

// Municipal lists are served with their votes; cities count once though their
// sectors are listed next to them.
func TestMunicipalElection(t *testing.T) {
	b := newFixture(t)
	b.load("election-municipales-2026", municipal2026, municipalities)
	const source = `"source":"Ministère de l'Intérieur, Élections municipales 2026, premier tour, fichier provisoire du 16 mars 2026 (dérivé par AzukiGPT/elections-municipales-2026)"`
	b.wants(stats.Commune, "93010", "election", `{`+source+`,"year":2026,"presidential":null,"legislative":null,"european":null,
		"municipal":{"year":2026,`+source+`,"provisional":true,"round":1,"decisiveRound":1,"registered":1000,"voters":500,"turnoutPct":50,"allDepartementsTurnoutPct":null,"blank":12,"spoiled":8,"expressed":480,"results":[
		{"list":"ENSEMBLE","nuance":null,"bloc":null,"votes":300,"sharePct":62.5,"seats":27,"elected":null},
		{"list":"BONDY VILLE","nuance":"LDVG","bloc":"left","votes":180,"sharePct":37.5,"seats":8,"elected":null}]},
		"notLoaded":[{"kind":"presidential","year":2022,"source":"election-presidentielle-2022-communes"},
			{"kind":"legislative","year":2024,"source":"election-agregee-candidats"},{"kind":"european","year":2024,"source":"election-agregee-candidats"}]}`)
	d := b.read()
	for _, c := range []struct{ level, code, has string }{
		// No list has a seat: they are not given out yet.
		{"commune", "97411", `"votes":440,"sharePct":50,"seats":null`},
		{"commune", "97411", `"round":1,"decisiveRound":null`},
		{"departement", "93", `"round":1,"decisiveRound":null`},
		{"departement", "75", `"registered":100,"voters":60,"turnoutPct":60,"blank":0,"spoiled":0,"expressed":60`},
		// Below zero, and fewer voters than votes, is no count.
		{"commune", "2A247", `"registered":157,"voters":null,"turnoutPct":null,"blank":5,"spoiled":null,"expressed":79`},
		{"departement", "93", `{"list":null,"nuance":"LDVG","bloc":"left","votes":180,"sharePct":37.5,"seats":null,"elected":null}`},
	} {
		hasParts(t, c.code, blockOf(t, d, stats.Level(c.level), c.code, "election"), c.has)
	}
	b.wants(stats.Commune, "93066", "election", "null")
	b.wants(stats.Commune, "69123", "politicalScore", "null")
	if _, there := b.states(stats.Commune, "93010")["election.municipal.results.sharePct"]; there {
		t.Error("the shares of Bondy are there, and have a state")
	}
	// More votes than were expressed: there are no shares, and the states say why.
	b.load("election-municipales-2026", municipal2026, strings.Replace(municipalities, `"voix":180`, `"voix":181`, 1))
	if s := b.states(stats.Commune, "93010")["election.municipal.results.sharePct"]; s.State != state.NotCovered || !strings.Contains(s.Reason, "more votes than were expressed") {
		t.Errorf("without shares the state is %+v", s)
	}
}

// line2017 is a line of the file of 2017: votes are those of the fourth
// candidate and the next, what is left the third's.
func line2017(code string, registered, expressed int, votes ...int) string {
	rest := expressed
	for _, v := range votes {
		rest -= v
	}
	cells := []string{code, "00", "Nom", fmt.Sprint(registered), fmt.Sprint(expressed + 3), fmt.Sprint(expressed)}
	all := append([]int{0, 0, rest}, make([]int, 9)...)
	for i, v := range votes {
		all[i+3] = v
	}
	all = append(all, registered-expressed-3, 1)
	for _, v := range all {
		cells = append(cells, fmt.Sprint(v))
	}
	return strings.Join(cells, ";") + "\n"
}

const header2017 = "insee;dep;nom;nb_inscrits;nb_votants;nb_exprimes;nb_voix1;nb_voix2;nb_voix3;nb_voix4;nb_voix5;nb_voix6;nb_voix7;nb_voix8;nb_voix9;nb_voix10;nb_voix11;nb_voix12;nb_voix13;nb_voix14\n"

// Merged communes are added up if all are there, split ones have nothing of before, the ministry's overseas
// codes become INSEE's, and the French abroad count for the nation alone.
func TestPresidentialCommunes(t *testing.T) {
	b := newFixture(t)
	b.load("election-presidentielle-2017-communes", presidential2017, header2017+
		line2017("91001", 100, 80, 30)+line2017("91999", 50, 40, 15)+line2017("15141", 300, 200, 50)+
		line2017("ZD411", 500, 400, 100)+line2017("ZZ001", 70, 60, 10)+line2017("93010", 10, 5))
	d := b.read()
	for _, c := range []struct {
		level stats.Level
		code  string
		has   string
	}{
		{stats.Commune, "91001", `"registered":150,"voters":126,"turnoutPct":84,"blank":4,"spoiled":2,"expressed":120`},
		{stats.Commune, "91001", `{"key":"MACRON","name":"Emmanuel MACRON","party":"En marche","nuance":null,"bloc":"centre","votes":75,"sharePct":62.5,"franceSharePct":73.89}`},
		{stats.Commune, "97411", `{"key":"FILLON","name":"François FILLON","party":"Les Républicains","nuance":null,"bloc":"right","votes":100,"sharePct":25,"franceSharePct":26.11}`},
		// What a commune gave away does not change what its département voted.
		{stats.Departement, "15", `"registered":300`},
		{stats.Departement, "974", `"registered":500`},
		{stats.Region, "04", `"turnout":[{"electionId":"2017_pres_t1","year":2017,`},
	} {
		hasParts(t, c.code, blockOf(t, d, c.level, c.code, "election"), c.has)
	}
	// What is not loaded is named.
	const others = `{"kind":"legislative","year":2024,"source":"election-agregee-candidats"},{"kind":"european","year":2024,"source":"election-agregee-candidats"},` +
		`{"kind":"municipal","year":2026,"source":"election-municipales-2026"}]`
	same(t, "elections that are not loaded", blockOf(t, d, stats.Commune, "91001", "election.notLoaded"),
		`[{"kind":"presidential","year":2022,"source":"election-presidentielle-2022-communes"},`+others)
	for _, code := range []string{"15141", "15031", "93066"} {
		same(t, "election", blockOf(t, d, stats.Commune, code, "election"), "null")
	}
	// Bondy: 5 votes are no measure.
	same(t, "politicalScore", blockOf(t, d, stats.Commune, "93010", "politicalScore"), "null")
	// 120 votes: 75 centre, 45 right. The nation: 240 right of 785, of which the French abroad 10 of 60.
	score := blockOf(t, d, stats.Commune, "91001", "politicalScore")
	same(t, "politicalScore", score, `{"source":"Ministère de l'Intérieur, Élection présidentielle 2017, premier tour, par commune (dérivé par jmlahire/CartoPresidentielles)",
		"year":2017,"value":0.188,"label":"centre-right","largestBloc":"centre","confidence":1,
		"blocs":{"farLeftPct":0,"leftPct":0,"centrePct":62.5,"rightPct":37.5,"farRightPct":0,"otherPct":0},
		"elections":[{"electionId":"2017_pres_t1","score":0.188,"weight":1,"coverage":1,"expressed":120,"smallBase":true}],
		"nationalValue":0.131,"deviationFromNational":0.057,"blocTableVersion":"2026-1","method":"v1",
		"definition":{"link":"/methods#politics","text":"Mean position of the votes expressed in the first rounds listed in elections, on a scale of five blocs from -1 (far left) to +1 (far right). The scale is a convention of this service; it says where votes went, nothing of persons."}}`)

	// One of the two merged communes is missing: what is there is not the whole.
	b.load("election-presidentielle-2017-communes", presidential2017, header2017+line2017("91001", 100, 80, 30))
	b.wants(stats.Commune, "91001", "election", "null")
	b.hasParts(stats.Departement, "91", "election", `"registered":100`) // the département of the missing commune
	// Half of Île-de-France is missing: it is not added up.
	b.wants(stats.Region, "11", "election", "null")
}

const legislativeHeader = "Departement,CodCirElec,LibCirElec,NbSap,NbSiePourvus,Inscrits,Abstentions,Votants,Blancs,Nuls,Exprimes,NumPanneauCand,NomPsn,PrenomPsn,CivilitePsn,CodNuaCand,LibNuaCand,NbVoix,RapportExprimes,RapportInscrits,Elu\n"

func legislativeLine(departement, constituency string, n int, nuance string, votes, expressed int) string {
	return fmt.Sprintf("%s,%s,1,1,0,%d,0,%d,0,0,%d,%d,NOM,Pr\x82nom,M.,%s,X,%d,\"1,0\",\"1,0\",NON\n",
		departement, constituency, expressed*2, expressed, expressed, n, nuance, votes)
}

// Constituencies are added up to départements, by nuance, and count in the score by their weight.
func TestLegislativeElection(t *testing.T) {
	b := newFixture(t)
	b.load("election-legislatives-2024", "elections/legislatives-2024-circonscriptions-candidats.csv", legislativeHeader+
		legislativeLine("93", "9301", 1, "UG", 60, 100)+legislativeLine("93", "9301", 2, "UXD", 40, 100)+
		legislativeLine("93", "9302", 1, "UG", 50, 100)+legislativeLine("93", "9302", 2, "ENS", 30, 100)+legislativeLine("93", "9302", 3, "DIV", 20, 100)+
		legislativeLine("97", "97401", 1, "DIV", 50, 100)+legislativeLine("97", "97401", 2, "UG", 50, 100)+
		legislativeLine("ZZ", "ZZ01", 1, "ENS", 100, 100))
	b.load("election-presidentielle-2017-communes", presidential2017, header2017+line2017("93010", 300, 200, 100)+line2017("ZZ001", 300, 200, 100))
	got := b.block(stats.Departement, "93", "election")
	if want := `"registered":400,"voters":200,"turnoutPct":50,"blank":0,"spoiled":0,"expressed":200,"results":[` +
		`{"key":"UG","name":null,"party":"Union de la gauche","nuance":"UG","bloc":"left","votes":110,"sharePct":55},`; !strings.Contains(got, want) {
		t.Errorf("%s is without %s", got, want)
	}
	// The commune lacks the newest elections, and says which of them its département has.
	same(t, "elections that are not loaded", b.block(stats.Commune, "93010", "election.notLoaded"), `[
		{"kind":"presidential","year":2022,"source":"election-presidentielle-2022-communes"},
		{"kind":"legislative","year":2024,"source":"election-agregee-candidats","reason":"Its département has it: 93 with fields=election.legislative."},
		{"kind":"european","year":2024,"source":"election-agregee-candidats"},{"kind":"municipal","year":2026,"source":"election-municipales-2026"}]`)
	// Legislative: (110 × -0.5 + 40 × 1 + 30 × 0) / 180 = -0.083,
	// presidential: 0.25. Weights 3/8 and 5/8: 0.125.
	score := b.block(stats.Departement, "93", "politicalScore")
	for _, has := range []string{`"value":0.125,"label":"centre-right","largestBloc":"centre","confidence":0.962`, `"weight":0.625,"coverage":1,"expressed":200}`, `{"electionId":"2024_legi_t1","score":-0.083,"weight":0.375,"coverage":0.9,"expressed":200}`, `"otherPct":3.75`} {
		if !strings.Contains(score, has) {
			t.Errorf("%s is without %s", score, has)
		}
	}
	// Half of the votes of La Réunion have no place on the scale.
	b.wants(stats.Departement, "974", "politicalScore", "null")
}

// Columns of candidates are read whatever their order; a région is the sum of its départements; a file that
// is not what its name says changes nothing.
func TestDepartementsOfPresidentialElection(t *testing.T) {
	b := newFixture(t)
	const path, header = "elections/presidentielle-2022-t2-departements.csv", "\ufeff\"CodeDépartement\",\"Département\",\"Inscrits\",\"Abstentions\",\"Votants\",\"Blancs\",\"Nuls\",\"Exprimés\",\"MACRON\",\"LE PEN\",\"MACRON.ins\",\"LE PEN.ins\"\n"
	rows := `"75","Paris",1000,300,700,10,5,685,600,85,1,1` + "\n" + `"93","Seine-Saint-Denis",2000,800,1200,20,10,1170,800,370,1,1` + "\n" + `"91","Essonne",100,50,50,0,0,50,30,20,1,1` + "\n"
	b.load("election-presidentielle-departements-t2", path, header+rows+`"ZD","La Réunion",10,5,5,0,0,5,2,3,1,1`+"\n")
	const label = "Ministère de l'Intérieur, Élection présidentielle, second tour, par département (dérivé par tguerra/presidentielle2022)"
	b.wants(stats.Region, "11", "election.turnout", `[{"electionId":"2022_pres_t2","year":2022,"source":"`+label+`","registered":3100,"voters":1950,"turnoutPct":62.9,
		"beforeAnnulments":true,"allDepartementsTurnoutPct":null}]`)
	// Of 1 905 votes expressed in its three départements.
	b.wants(stats.Region, "11", "election.presidential", `{"year":2022,"source":"`+label+`; summed from the départements","round1":null,"round2":{
		"registered":3100,"voters":1950,"turnoutPct":62.9,"blank":30,"spoiled":15,"expressed":1905,"beforeAnnulments":true,"allDepartementsTurnoutPct":null,"results":[
		{"key":"MACRON","name":"Emmanuel MACRON","party":"La République en marche","nuance":null,"bloc":"centre","votes":1430,"sharePct":75.07},
		{"key":"LEPEN","name":"Marine LE PEN","party":"Rassemblement national","nuance":null,"bloc":"farRight","votes":475,"sharePct":24.93}]}}`)
	b.wants(stats.Region, "84", "election", "null") // its départements are not loaded
	if s := b.states(stats.Region, "11")["election.turnout.allDepartementsTurnoutPct"]; s.State != state.NotCovered || !strings.Contains(s.Reason, "not loaded of all 101") {
		t.Errorf("why the turnout of all départements is not known: %+v", s)
	}
	// With those that lack, it is that of all of them: 1 955 + 3 × 60 voters of 3 110 + 3 × 100.
	others := ""
	for _, code := range []string{"2A", "15", "69"} {
		others += `"` + code + `","x",100,40,60,0,0,60,30,30,1,1` + "\n"
	}
	b.load("election-presidentielle-departements-t2", path, header+rows+`"ZD","La Réunion",10,5,5,0,0,5,2,3,1,1`+"\n"+others)
	for _, at := range []struct {
		level stats.Level
		code  string
		path  string
	}{{stats.Region, "11", "election.turnout.0"}, {stats.Departement, "93", "election.presidential.round2"}} {
		b.wants(at.level, at.code, at.path+".allDepartementsTurnoutPct", "62.61")
	}
	// MACRON has 1 432 + 3 × 30 of 1 910 + 3 × 60.
	for at, want := range map[stats.Level]string{stats.Region: "[72.82,27.18]", stats.Departement: "[72.82,27.18]"} {
		code := map[stats.Level]string{stats.Region: "11", stats.Departement: "93"}[at]
		b.wants(at, code, "election.presidential.round2.results.#.allDepartementsSharePct", want)
	}
	if got := b.block(stats.Departement, "93", "election.presidential.round2.allDepartementsNote"); !strings.Contains(got, "without the overseas") {
		t.Errorf("the note is %s", got)
	}
	b.wants(stats.Departement, "93", "election.presidential.round2.results.#.franceSharePct", "[]")
	// With the French abroad, 90 of 100, it is the share in France, too: 1 612 of 2 190.
	b.load("election-presidentielle-departements-t2", path, header+rows+`"ZD","La Réunion",10,5,5,0,0,5,2,3,1,1`+"\n"+others+
		`"ZZ","Français établis hors de France",200,100,100,0,0,100,90,10,1,1`+"\n")
	b.wants(stats.Departement, "93", "election.presidential.round2.results.#.franceSharePct", "[73.61,26.39]")
	b.wants(stats.Departement, "93", "election.presidential.round2.results.#.allDepartementsSharePct", "[72.82,27.18]")
	if got := b.block(stats.Departement, "93", "election.presidential.round2.allDepartementsNote"); !strings.HasSuffix(got, `franceSharePct is."`) {
		t.Errorf("the note is %s", got)
	}
	if got, want := b.block(stats.Departement, "974", "election"), `"registered":10,"voters":5`; !strings.Contains(got, want) {
		t.Errorf("%s is without %s", got, want)
	}
	if got := b.block(stats.Departement, "974", "election.notLoaded"); !strings.HasPrefix(got, `[{"kind":"legislative","year":2024,"source":"election-legislatives-2024"},`) {
		t.Errorf("not loaded are %s", got)
	}
	before := b.block(stats.Departement, "75", "election")
	for name, c := range map[string]struct{ content, reason string }{
		"figures of 2017":        {header + `"01","Ain",415950,93130,322820,28852,8738,285230,173809,111421,1,1` + "\n", "173809"},
		"another election":       {strings.ReplaceAll(header, "LE PEN", "FILLON") + rows, "FILLON was no candidate in 2022_pres_t2"},
		"votes that are missing": {header + strings.Replace(rows, "600,85", "60,85", 1), "do not add up"},
		"wrong header":           {strings.ReplaceAll(header, "Inscrits", "Electeurs") + rows, "registered"},
		"another file":           {"a;b\n1;2\n", "no column of figures"},
	} {
		b.write(path, c.content)
		out, err := b.try("election-presidentielle-departements-t2", func(s *source.Source) { s.Checks.MinRows = 0 })
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: state %s, %v; expected %q", name, out.State, err, c.reason)
		}
	}
	b.write(path, header+rows)
	if _, err := b.try("election-presidentielle-departements-t2", nil); err == nil || !strings.Contains(err.Error(), "expected at least") {
		t.Errorf("a cut file is taken: %v", err)
	}
	same(t, "after refused files", b.block(stats.Departement, "75", "election"), before)
}
