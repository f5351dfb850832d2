package stats_test

import (
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/api/stats"
)

const (
	mayorsHeader = "Code du département;Libellé du département;Code de la collectivité à statut particulier;Libellé de la collectivité à statut particulier;Code de la commune;Libellé de la commune;Nom de l'élu;Prénom de l'élu;Code sexe;Date de naissance;Code de la catégorie socio-professionnelle;Libellé de la catégorie socio-professionnelle;Date de début du mandat;Date de début de la fonction\n"
	// Bondy has two rows, Abbéville-la-Rivière is two communes yet.
	mayorLines = "93;S;;;93010;Bondy;AVANT;Éva;F;04/03/1951;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"93;S;;;93010;Bondy;MARTIN;Anne-Sophie;F;05/04/1961;;Employée;28/06/2020;10/10/2021\n" +
		"91;E;;;91001;A;UN;Jean;M;01/01/1950;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"91;E;;;91999;B;DEUX;Jean;M;01/01/1950;74;Ancien cadre;18/05/2020;26/05/2020\n" +
		"974;R;;;97411;Saint-Denis;TROIS;Élie;M;01/01/1950;74;Ancien cadre;18/09/2021;26/09/2021\n"
	mayorsPath = "rne/rne-maires.csv"
)

func latin1(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteByte(byte(r))
	}
	return b.String()
}

// The mayor who took office last is told, from both layouts of the register; his date of birth is nowhere.
func TestMayor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("mayors", mayorsPath, latin1(mayorsHeader+mayorLines))
	const want = `{"source":"Ministère de l'Intérieur, Répertoire national des élus : maires","year":2021,"firstName":"Anne-Sophie","lastName":"MARTIN","gender":"F",
		"birthYear":1961,"occupation":"Employée","mandateStart":"2020-06-28","functionStart":"2021-10-10","mandate":"2020-2026","mandateOver":null,"list":null,"asOf":"2021-10-10"}`
	b.wants(stats.Commune, "93010", "maire", want)
	b.wants(stats.Commune, "91001", "maire", "null")
	b.wants(stats.Commune, "93066", "maire", "null")
	var kept int
	if err := b.db.QueryRow(t.Context(), `SELECT count(*) FROM geo.mayor m WHERE m::text LIKE '%1961-04%' OR m::text LIKE '%04/1961%'`).Scan(&kept); err != nil || kept > 0 {
		t.Errorf("%d dates of birth are kept, %v", kept, err)
	}

	iso := strings.NewReplacer("04/03/1951", "1951-03-04", "05/04/1961", "1961-04-05", "01/01/1950", "1950-01-01", "18/05/2020", "2020-05-18", "26/05/2020", "2020-05-26",
		"28/06/2020", "2020-06-28", "10/10/2021", "2021-10-10", "18/09/2021", "2021-09-18", "26/09/2021", "2021-09-26")
	b.load("mayors", mayorsPath, mayorsHeader+iso.Replace(mayorLines))
	b.wants(stats.Commune, "93010", "maire", want)

	// Elections have taken place since: the answer says so.
	b.load("election-municipales-2026", municipal2026, municipalities)
	b.wants(stats.Commune, "93010", "maire", strings.Replace(want, `"mandateOver":null`, `"mandateOver":true`, 1))
	// A register that has somebody no more has him no more.
	b.load("mayors", mayorsPath, mayorsHeader+iso.Replace(strings.SplitAfter(mayorLines, "\n")[4]))
	b.wants(stats.Commune, "93010", "maire", "null")
}

// The list is told when its head bears the mayor's names, and was elected for the mayor's mandate.
func TestMayorsList(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("mayors", mayorsPath, latin1(mayorsHeader+mayorLines))
	b.loadAggregated(municipalLine(2020, "t1", "93010", map[string]int{"LSOC": 600, "LLR": 400}), municipalLine(2020, "t1", "97411", map[string]int{"LSOC": 600}))
	if got := b.block(stats.Commune, "93010", "maire"); !strings.Contains(got, `"mandateOver":false,"list":{"nuance":"LSOC","label":"LISTE LSOC"}`) {
		t.Errorf("the mayor of Bondy is %s", got)
	}
	// The mayor of Saint-Denis bears another name, and entered the council between the elections.
	if got := b.block(stats.Commune, "97411", "maire"); !strings.Contains(got, `"list":null`) {
		t.Errorf("the mayor of Saint-Denis is %s", got)
	}
	// Nobody won yet.
	b.loadAggregated(municipalLine(2020, "t1", "93010", map[string]int{"LSOC": 500, "LLR": 400, "LRN": 300}))
	if got := b.block(stats.Commune, "93010", "maire"); !strings.Contains(got, `"list":null`) {
		t.Errorf("the mayor of Bondy is %s", got)
	}
}

// A file that is no register of mayors is refused, and those that were there stay.
func TestMayorsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("mayors", mayorsPath, mayorsHeader+mayorLines)
	before := b.block(stats.Commune, "93010", "maire")
	for name, c := range map[string]struct{ content, reason string }{
		"wrong header":     {strings.Replace(mayorsHeader, "Nom de l'élu", "Nom", 1) + mayorLines, "last_name"},
		"councillors":      {strings.Replace(mayorsHeader, "Code de la commune", "Code du canton", 1) + mayorLines, "code"},
		"no dates":         {mayorsHeader + strings.NewReplacer("04/03/1951", "", "05/04/1961", "", "01/01/1950", "").Replace(mayorLines), "date of birth"},
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
