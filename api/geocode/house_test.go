package geocode_test

import (
	"strings"
	"testing"

	"arpent/api/geocode"
)

// articles are often left out before the name of a commune.
var articles = strings.NewReplacer("Le ", "", "La ", "", "Les ", "", "L'", "", "L’", "")

// The number before a street is that of a house, also where it is the code of a département in which another commune's name begins
// so: "28 Place de l'Église, Champrond" is not in Champrond-en-Gâtine (28). It names the département where no street follows, and
// where what follows is the name of a commune there.
func TestNumberBeforeAStreetIsNoDepartement(t *testing.T) {
	t.Parallel()
	in := country(t)
	x := newIndex(t, in)
	for q, want := range map[string]string{
		"28 Place de l'Église Champrond": "72057", "28 bis, place de l'église, Champrond": "72057", "28 pl. de l'Eglise 72320 Champrond": "72057",
		"28 Champrond": "28071", "Champrond 28": "28071", "80 Rue": "80688", "41 Cour-Cheverny": "41067", "69 Cours": "69066", "76 Parc d'Anxtot": "76494",
		"2A Rue de l'Église Belvédère": "06013", "2A Belvédère": "2A035",
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v; want %s", q, scored(r), want)
		}
	}
	bearers := map[string]map[string]bool{} // communes of today by the names that they bear or bore
	bears := func(name, code string) {
		for _, name := range []string{geocode.Compact(name), geocode.Compact(articles.Replace(name))} {
			if bearers[name] == nil {
				bearers[name] = map[string]bool{}
			}
			bearers[name][code] = true
		}
	}
	byName := map[string]string{}
	for _, c := range in.Communes {
		bears(c.Name, c.Code)
		byName[c.Name] = c.Code
	}
	for _, p := range in.Parts {
		bears(p.Name, p.Commune)
	}
	f := newFinder(t, x)
	for _, other := range sampled(in.Communes) {
		name, _, longer := strings.Cut(other.Name, "-")
		code := byName[name]
		alone := len(bearers[geocode.Compact(name)]) == 1 && len(bearers[geocode.Compact(articles.Replace(name))]) == 1
		if !longer || !alone || code == "" || strings.HasPrefix(code, other.Departement) || strings.ContainsAny(other.Departement, "0AB") {
			continue
		}
		for _, street := range []string{"Place de la Mairie", "avenue Jean Jaurès,", "r de l'Eglise", "bis chemin du Moulin"} {
			f.ask("house number that is the code of a département", other.Departement+" "+street+" "+name, code)
		}
	}
	f.reached("house number that is the code of a département", 99.5, 99.5)
}
