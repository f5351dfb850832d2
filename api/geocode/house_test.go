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

// Nothing that was asked for gets lost: a suffix that is not known is not matched, written onto the number or behind it; a number
// behind the street that is the code of the département is that where the street does not have it.
func TestWordsOfNumbers(t *testing.T) {
	t.Parallel()
	in := country(t)
	in.Addresses = stream(addresses(t, false))
	x := newIndex(t, in)
	for q, want := range map[string]string{
		"12 bis allee des roses bondy":  "12 Allee des Roses; bis",
		"12bis allee des roses bondy":   "12 Allee des Roses; bis",
		"12b allee des roses bondy":     "12 Allee des Roses; b",
		"12Z allee des roses bondy":     "12 Allee des Roses; z",
		"12 z allee des roses bondy":    "12 Allee des Roses; z",
		"12 allee des roses bondy":      "12 Allee des Roses; ",
		"999b allee des roses bondy":    " Allee des Roses; 999b",
		"place albert thomas 93 bondy":  "93 Place Albert Thomas; ",
		"place albert thomas 93 93140":  "93 Place Albert Thomas; ",
		"Bondy Place Albert Thomas 93":  "93 Place Albert Thomas; ",
		"93 place albert thomas, bondy": "93 Place Albert Thomas; ",
		"place albert thomas bondy 93":  " Place Albert Thomas; ",
		"allee des roses 93 bondy":      " Allee des Roses; ",
		"12 allee des roses 93 bondy":   "12 Allee des Roses; ",
		"93 bondy allee des roses":      " Allee des Roses; ",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 1})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing; want %s", q, want)
			continue
		}
		f := r.Data[0]
		if got := text(f.HouseNumber) + " " + text(f.Street) + "; " + strings.Join(f.Unmatched, " "); got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
		if all := len(f.Matched) + len(f.Unmatched); strings.HasPrefix(q, "12b ") && (all != 6 || f.Matched[0] != "12") {
			t.Errorf("%q: %q are matched and %q are not", q, f.Matched, f.Unmatched)
		}
	}
}
