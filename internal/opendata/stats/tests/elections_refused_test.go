package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// A file that is not what its name says is refused with the reason, and what was loaded before stays.
func TestElectionFilesRefused(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-actuelle', '69001', 'Affoux', '69', '84', '69001', '{}')`)
	b.load("election-municipales-2026", municipal2026, municipalities)
	b.load("election-presidentielle-2017-communes", presidential2017, header2017+line2017("93010", 300, 200, 100))
	before := b.block(stats.Commune, "93010", "election")
	swapped := strings.Replace(header2017, "nb_voix3;nb_voix4", "nb_voix4;nb_voix3", 1)
	paris := "75056;75;Paris;1301637;1091437;1076559;53719;210548;375006;284744;17997;5490;109550;8337;6799;2897;1472;0;210200;4251\n"
	for name, c := range map[string]struct{ source, path, content, reason string }{
		"sectors that are not marked as such": {"election-municipales-2026", municipal2026, strings.ReplaceAll(municipalities, `"sectorCode"`, `"secteur"`), "both as a whole and by arrondissement"},
		"a commune twice":                     {"election-municipales-2026", municipal2026, municipalities + strings.SplitAfter(municipalities, "\n")[0], "93010 twice"},
		"votes that do not add up":            {"election-municipales-2026", municipal2026, strings.NewReplacer(`"voix":300`, `"voix":30`, `"voix":60`, `"voix":6`).Replace(municipalities), "do not add up"},
		"cut off":                             {"election-municipales-2026", municipal2026, municipalities[:len(municipalities)-30], "cut off"},
		"candidates in another order":         {"election-presidentielle-2017-communes", presidential2017, swapped + paris, "in 75056 candidate 3 had 375006 votes"},
		"a code that no commune had":          {"election-presidentielle-2017-communes", presidential2017, header2017 + line2017("93999", 300, 200), "no commune has code 93999"},
		"not the votes of all":                {"election-presidentielle-2017-communes", presidential2017, header2017 + strings.Replace(line2017("93010", 300, 200, 90), ";90;", ";80;", 1), "do not add up to the 200 expressed"},
		"no header":                           {"election-presidentielle-2017-communes", presidential2017, line2017("93010", 300, 200), "no column of figures"},
		"the legislative election of 2022":    {"election-legislatives-2024", "elections/legislatives-2024-circonscriptions-candidats.csv", legislativeHeader + legislativeLine("93", "9301", 1, "NUP", 100, 100), "no candidate of the nuance UG"},
	} {
		b.write(c.path, c.content)
		out, err := b.try(c.source, func(s *source.Source) { s.Checks.MinRows = 0 })
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: state %s, %v; expected %q", name, out.State, err, c.reason)
		}
	}
	same(t, "after refused files", b.block(stats.Commune, "93010", "election"), before)
}

const (
	turnoutHeader   = "id_election;id_brut_miom;code_departement;libelle_departement;code_canton;libelle_canton;code_commune;libelle_commune;code_circonscription;libelle_circonscription;code_bv;inscrits;abstentions;votants;blancs;nuls;exprimes;ratio_abstentions_inscrits\n"
	candidateHeader = "id_election;id_brut_miom;code_departement;code_commune;code_bv;no_panneau;voix;ratio_voix_inscrits;ratio_voix_exprimes;nuance;sexe;nom;prenom;liste;libelle_abrege_liste;libelle_etendu_liste;nom_tete_liste;binome\n"
)

// aggregatedTurnout and aggregatedVotes are lines of the ministry's aggregated files.
func aggregatedTurnout(election, commune, station string, registered, expressed int) string {
	return fmt.Sprintf("%s;x;93;D;;;%s;C;;;%s;%d;%d;%d;0;0;%d;1,5\n", election, commune, station, registered, registered-expressed, expressed, expressed)
}

func aggregatedVotes(election, commune, station string, n, votes int, nuance, name, given, list, head string) string {
	return fmt.Sprintf("%s;x;93;%s;%s;%d;%d;1,5;1,5;%s;M;%s;%s;;;%s;%s;\n", election, commune, station, n, votes, nuance, name, given, list, head)
}

// The aggregated files are read for the elections that are served, added up from
// polling stations, and stand above the others.
func TestAggregatedElections(t *testing.T) {
	b := newFixture(t)
	b.load("election-presidentielle-2017-communes", presidential2017, header2017+line2017("93010", 300, 200, 100))
	b.load("election-agregee-participation", "general_results.csv", turnoutHeader+
		aggregatedTurnout("2017_pres_t1", "93010", "0001", 600, 400)+aggregatedTurnout("2017_pres_t1", "93010", "0002", 400, 300)+
		aggregatedTurnout("1999_euro_t1", "93010", "0001", 1, 1)+aggregatedTurnout("2024_euro_t1", "93010", "0001", 900, 450))
	b.load("election-agregee-candidats", "candidats_results.csv", candidateHeader+
		aggregatedVotes("2017_pres_t1", "93010", "0001", 1, 250, "", "LE PEN", "Marine", "", "")+aggregatedVotes("2017_pres_t1", "93010", "0001", 2, 150, "", "HAMON", "Benoît", "", "")+
		aggregatedVotes("2017_pres_t1", "93010", "0002", 1, 300, "", "LE PEN", "Marine", "", "")+
		aggregatedVotes("1999_euro_t1", "93010", "0001", 1, 1, "", "", "", "OLD", "")+
		aggregatedVotes("2024_euro_t1", "93010", "0001", 1, 450, "LRN", "", "", "LA FRANCE REVIENT", "BARDELLA Jordan"))
	const from = "Ministère de l'Intérieur, Données des élections agrégées, résultats généraux; Ministère de l'Intérieur, Données des élections agrégées, résultats par candidat"
	b.wants(stats.Commune, "93010", "election", `{"source":"`+from+`","year":2024,"notLoaded":[{"kind":"presidential","source":"election-presidentielle-2022-communes","year":2022},{"kind":"municipal","source":"election-municipales-2026","year":2026}],
		"presidential":{"year":2017,"source":"`+from+`","round1":{"registered":1000,"voters":700,"turnoutPct":70,"allDepartementsTurnoutPct":null,"blank":0,"spoiled":0,"expressed":700,"results":[
			{"key":"LEPEN","name":"Marine LE PEN","party":"Front national","nuance":null,"bloc":"farRight","votes":550,"sharePct":78.57},
			{"key":"HAMON","name":"Benoît HAMON","party":"Parti socialiste","nuance":null,"bloc":"left","votes":150,"sharePct":21.43}]},"round2":null},
		"legislative":null,
		"european":{"year":2024,"source":"`+from+`","round1":{"registered":900,"voters":450,"turnoutPct":50,"allDepartementsTurnoutPct":null,"blank":0,"spoiled":0,"expressed":450,"results":[
			{"name":"LA FRANCE REVIENT","party":"Rassemblement national","nuance":"LRN","bloc":"farRight","votes":450,"sharePct":100}]},"round2":null},
		"municipal":null}`)
}

// The ministry's text file of 2022 names the columns of its first candidate alone.
func TestUnnamedCandidates(t *testing.T) {
	b := newFixture(t)
	const path = "resultats-par-niveau-subcom-t1-france-entiere.txt"
	header := "Code du département;Libellé du département;Code de la commune;Libellé de la commune;Etat saisie;Inscrits;Abstentions;% Abs/Ins;Votants;% Vot/Ins;Blancs;% Blancs/Ins;% Blancs/Vot;Nuls;% Nuls/Ins;% Nuls/Vot;Exprimés;% Exp/Ins;% Exp/Vot;N°Panneau;Sexe;Nom;Prénom;Voix;% Voix/Ins;% Voix/Exp\n"
	line := "93;Seine-Saint-Denis;010;Bondy;Complet;1000;300;30,00;700;70,00;6;0,60;0,86;4;0,40;0,57;690;69,00;98,57"
	for i, name := range []string{"ARTHAUD", "ROUSSEL", "MACRON", "LASSALLE", "LE PEN", "ZEMMOUR", "MÉLENCHON", "HIDALGO", "JADOT", "PÉCRESSE", "POUTOU", "DUPONT-AIGNAN"} {
		votes := 10
		if name == "HIDALGO" {
			votes = 580
		}
		line += fmt.Sprintf(";%d;M;%s;X;%d;1,00;1,00", i+1, name, votes)
	}
	b.load("election-presidentielle-2022-communes", path, latin1(header+line+"\n"))
	got := b.block(stats.Commune, "93010", "election")
	for _, has := range []string{`"registered":1000,"voters":700,"turnoutPct":70,"blank":6,"spoiled":4,"expressed":690`, `{"key":"HIDALGO","name":"Anne HIDALGO","party":"Parti socialiste","nuance":null,"bloc":"left","votes":580,"sharePct":84.06}`} {
		if !strings.Contains(got, has) {
			t.Errorf("%s is without %s", got, has)
		}
	}
	b.write(path, latin1(header+strings.Split(line, ";12;M;")[0]+"\n"))
	if _, err := b.try("election-presidentielle-2022-communes", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), "it lacks the candidate DUPONT-AIGNAN") {
		t.Errorf("a file without a candidate is taken: %v", err)
	}
}
