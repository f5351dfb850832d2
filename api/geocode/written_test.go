package geocode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
)

// firstWords are the article and the first word of a name that has an article and two
// words or more: "Le Touquet"; "" for another.
func firstWords(name string) string {
	article := ""
	for _, a := range []string{"Le ", "La ", "Les "} {
		if strings.HasPrefix(name, a) {
			article = a
		}
	}
	end := strings.IndexAny(name[len(article):], " -'’")
	if article == "" || end < 0 {
		return ""
	}
	return name[:len(article)+end]
}

// A commune whose name begins with an article is called by the first word after it, when the name is long:
// a query for Le Touquet means Le Touquet-Paris-Plage. Where only one commune begins so, it is the first
// answer, or the second after one that has those letters as its name.
func TestCommunesAreFoundByTheirFirstWords(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	begin := map[string]int{} // communes by how their names begin
	for _, c := range in.Communes {
		for i, r := range c.Name + " " {
			if strings.ContainsRune(" -'’", r) {
				begin[strings.ToLower(c.Name[:i])]++
			}
		}
	}
	var asked tally
	second := 0
	for _, c := range in.Communes {
		q := strings.ToLower(firstWords(c.Name))
		if q == "" || begin[q] != 1 {
			continue
		}
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		asked.add(r, c.Code)
		if slices.Contains(communeCodes(r)[:min(2, len(r.Data))], c.Code) {
			second++
			continue
		}
		t.Logf("%q does not find %s first or second but %v", q, c.Name, describeScores(r))
	}
	asked.reportShares(t, "article and first word", 80, 98)
	if share := 100 * float64(second) / float64(max(1, asked.asked)); asked.asked < 150 || share < 95 {
		t.Errorf("%d of %d communes are the first or second answer: %.1f %%; want 95 %% of 150 or more", second, asked.asked, share)
	}
	for q, want := range map[string]string{
		"touquet": "62826", "le touquet paris": "62826", "le touquet 62": "62826", "12 rue de la plage le touquet": "62826", "kremlin": "94043",
		"la garenne": "92035", "les pennes": "13071", "les ancizes": "63004", "levallois": "92044", "la seyne": "83126", "le perreux": "94058",
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v; want %s", q, describeScores(r), want)
		}
	}
}

// normalizeName is a name but for case, accents, hyphens and apostrophes.
func normalizeName(name string) string {
	var words []string
	for _, p := range layout.Split(name) {
		words = append(words, layout.PlaceWord(p))
	}
	return strings.Join(words, " ")
}

// What is named as written comes first: La Grange before Lagrange, however many people live
// there, near or far. A commune of today does not come after one that was once called as it
// is, where the article of both is left out.
func TestNamesAsWrittenComeFirst(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	bears := map[string]map[string]bool{} // communes by the names that they bear or bore
	bear := func(name, code string) {
		if bears[normalizeName(name)] == nil {
			bears[normalizeName(name)] = map[string]bool{}
		}
		bears[normalizeName(name)][code] = true
	}
	for _, c := range in.Communes {
		bear(c.Name, c.Code)
	}
	for _, p := range in.Parts {
		bear(p.Name, p.Commune)
	}
	otherwise, former := 0, 0
	for _, c := range in.Communes {
		for _, near := range []*geocode.Point{nil, {Lat: 43.1, Lon: 0.4}} {
			r := x.Search(geocode.Request{Query: strings.ToLower(c.Name), Limit: 5, Near: near})
			if len(r.Data) == 0 || !bears[normalizeName(c.Name)][r.Data[0].CodeInsee] {
				if otherwise++; otherwise < 10 {
					t.Logf("%q: %v", c.Name, describeScores(r))
				}
			}
		}
		name := articles.Replace(c.Name)
		if name == c.Name {
			continue
		}
		for _, f := range x.Search(geocode.Request{Query: name, Limit: 5}).Data {
			if f.CodeInsee == c.Code {
				break
			}
			if strings.Contains(f.Label, "("+c.Name+")") {
				if former++; former < 10 {
					t.Logf("%q: %.4f %s before %s", name, f.Score, f.Label, c.Name)
				}
				break
			}
		}
	}
	if otherwise > 0 || former > 0 {
		t.Errorf("%d times what is spelt otherwise is first, %d times a former name is before that of today", otherwise, former)
	}
}

// firstWordsOf is the first words of a name, an article and the word saint not counted;
// empty: the name has no more words than that.
func firstWordsOf(name string, count int) string {
	ps := layout.Split(name)
	skip := 0
	if word := layout.PlaceWord(ps[0]); slices.Contains([]string{"l", "le", "la", "les", "saint", "sainte", "saints", "saintes"}, word) {
		skip = 1
	}
	if len(ps) <= skip+count || len(ps[skip].Text) == 1 {
		return ""
	}
	var words []string
	for _, p := range ps[:skip+count] {
		words = append(words, p.Text)
	}
	return strings.Join(words, " ")
}

// isLink reports whether words end with one that joins what follows: no place is called Villeneuve sur.
func isLink(words string) bool {
	last := words[strings.LastIndexByte(words, ' ')+1:]
	return slices.Contains(strings.Fields("sur en de du des d les lez sous aux a au l la le pres et devant"), last)
}

// Each commune of France whose name begins with a word that no other's begins with is found by that word:
// first, or it is said that several places are called so.
func TestEveryCommuneByItsFirstWord(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	firsts := map[string]int{}
	for _, c := range in.Communes {
		firsts[firstWordsOf(c.Name+" x", 1)]++
	}
	asked := 0
	for _, c := range in.Communes {
		q := firstWordsOf(c.Name, 1)
		if q == "" || firsts[q] != 1 || isLink(q) {
			continue
		}
		asked++
		foundOrAmbiguous(t, x, q, c)
	}
	t.Logf("%d communes asked for by their first word", asked)
	if asked < 2500 {
		t.Errorf("only %d communes have a first word of their own", asked)
	}
}

// A commune of 2 000 inhabitants or more is found by its first word and by its first two, and with a typing
// error in its name: it is the first answer, or the answer says that several are called so.
func TestCommunesOfSomeSizeByTheirFirstWords(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	dice := rand.New(rand.NewPCG(3, 4))
	var slips tally
	asked, lost := 0, 0
	for _, c := range in.Communes {
		if c.Population < 2000 {
			continue
		}
		for count := 1; count <= 2; count++ {
			if q := firstWordsOf(c.Name, count); q != "" && !isLink(q) {
				asked++
				foundOrAmbiguous(t, x, q, c)
			}
		}
		if wrong := addTypo(dice, c.Name); wrong != "" {
			r := x.Search(geocode.Request{Query: wrong, Limit: 5})
			slips.asked++
			if len(r.Data) > 0 && (r.Data[0].CodeInsee == c.Code || r.Ambiguous) {
				slips.first++
			} else if lost++; lost < 20 {
				t.Logf("%q: %v; want %s", wrong, describeScores(r), c.Name)
			}
		}
	}
	slips.five = slips.first
	slips.reportShares(t, "one typing error", 95, 95)
	t.Logf("%d asked for by the beginning of their name", asked)
}

func foundOrAmbiguous(t *testing.T, x *geocode.Index, q string, c build.Commune) {
	t.Helper()
	r := x.Search(geocode.Request{Query: q, Limit: 5})
	if len(r.Data) == 0 || r.Data[0].CodeInsee != c.Code && !r.Ambiguous {
		t.Errorf("%q: %v, ambiguous %v; want %s (%s)", q, describeScores(r), r.Ambiguous, c.Name, c.Code)
	}
}

// Where several places are called so the greatest comes first, the answer says how many there are, and none
// of them scores above 0.8; what says which is meant makes one of them sure. One that alone has the name is
// sure where large ones begin so; a name of which only the beginning was said is not.
func TestPlacesOfOneName(t *testing.T) {
	t.Parallel()
	_, x := countryIndex(t)
	for q, want := range map[string]struct {
		first           string
		ambiguous, sure bool
	}{
		"Boulogne": {"92012", true, false}, "Champigny": {"", true, false}, "Villefranche": {"", true, false}, "Fontenay": {"", true, false}, "Aix": {"", true, false},
		"Conflans": {"78172", true, false}, "Nuits": {"89280", true, false}, "Montereau": {"45213", true, false}, "Saint-Denis": {"97411", true, false},
		"Chamonix": {"74056", false, false}, "Oloron": {"64422", false, false}, "Montbonnot": {"38249", false, false}, "Paris": {"75056", false, true},
		"Bordeaux": {"33063", false, true}, "Lyon": {"69123", false, true}, "Clichy": {"92024", true, true}, "Cannes": {"06029", true, true}, "Le Havre": {"76351", false, true}, "Nuits 89": {"89280", false, true},
		"Boulogne 62": {"62160", false, false}, "92100 Boulogne": {"92012", false, false}, "Conflans Sainte Honorine": {"78172", false, true}, "01400": {"", true, false}, "93140": {"93010", false, true},
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing", q)
			continue
		}
		f := r.Data[0]
		if want.first != "" && f.CodeInsee != want.first || r.Ambiguous != want.ambiguous || r.Ambiguous != (r.Namesakes > 1) || (f.Score > 0.8) != want.sure {
			t.Errorf("%q: %v, ambiguous %v, %d called so; want %+v", q, describeScores(r), r.Ambiguous, r.Namesakes, want)
		}
	}
	if r := x.Search(geocode.Request{Query: "Boulogne-Billancourt", Limit: 5}); len(r.Data) != 1 || r.Namesakes != 1 {
		t.Errorf("%v: %d called so", describeScores(r), r.Namesakes)
	}
}

// A name of two words, one letter missing in one of them and two in the other, is among the first answers.
func TestNamesWithEachWordMisspelt(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	misspell := func(word string) string {
		if len(word) >= 10 {
			word = word[:len(word)-1]
		}
		return word[:3] + word[4:]
	}
	asked := 0
	for _, c := range in.Communes {
		words := layout.Words(c.Name)
		if c.Population < 2000 || len(words) != 2 || min(len(words[0]), len(words[1])) < 5 ||
			(len(words[0]) >= 10) == (len(words[1]) >= 10) {
			continue
		}
		asked++
		q := misspell(words[0]) + " " + misspell(words[1])
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); !slices.Contains(communeCodes(r), c.Code) {
			t.Errorf("%q: %v; want %s %s", q, describeScores(r), c.Code, c.Name)
		}
	}
	if asked < 50 {
		t.Errorf("%d names", asked)
	}
	for q, code := range map[string]string{"charlevil meziere": "08105", "clermon feran": "63113"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); !slices.Contains(communeCodes(r), code) {
			t.Errorf("%q: %v; want %s", q, describeScores(r), code)
		}
	}
}

// The name of a town of two words is found when each word lacks a letter, and when both lack their last
// letter and one another one, too: unless another name is nearer to the query.
func TestTownsWithLettersMissingInEachWord(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	nearer := map[string]string{"sant pal": "Saint-Pal-de-Mons", "sain pau": "Pau", "saint mari": "Saint-Mard"}
	asked := 0
	for _, c := range in.Communes {
		words := layout.Words(c.Name)
		if c.Population < 20_000 || len(words) != 2 || min(len(words[0]), len(words[1])) < 4 {
			continue
		}
		asked++
		drop := func(word string, at int) string { return word[:at] + word[at+1:] }
		queries := []string{drop(words[0], len(words[0])/2) + " " + drop(words[1], len(words[1])/2),
			drop(words[0], len(words[0])-1) + " " + drop(words[1], len(words[1])-1)}
		if begun := drop(words[1], len(words[1])-1); min(len(words[0]), len(words[1])) >= 6 {
			queries = append(queries, drop(words[0], len(words[0])-1)+" "+drop(begun, len(begun)/2))
		}
		for _, q := range queries {
			r := x.Search(geocode.Request{Query: q, Limit: 5})
			if other := nearer[q]; other != "" && len(r.Data) > 0 && r.Data[0].Commune == other {
				continue
			}
			if !slices.Contains(communeCodes(r), c.Code) {
				t.Errorf("%q: %v; want %s %s", q, describeScores(r), c.Code, c.Name)
			}
		}
	}
	if asked < 50 {
		t.Errorf("%d names", asked)
	}
}

// A name that lacks two letters, one of two equal ones and the last, is among the first three; the number or
// the name of the département narrows it.
func TestNamesThatLackTwoLetters(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	type shortened struct{ q, code, name, departement string }
	var all []shortened
	for _, c := range in.Communes {
		name := strings.Join(layout.Words(c.Name), " ")
		for i := 1; i < len(name)-1; i++ {
			if name[i] == name[i-1] && len(name) >= 7 {
				all = append(all, shortened{name[:i] + name[i+1:len(name)-1], c.Code, c.Name, c.Code[:2]})
				break
			}
		}
	}
	if len(all) < 3000 {
		t.Fatalf("%d names have two equal letters", len(all))
	}
	found, narrowed := 0, 0
	for _, c := range spread(all, 300) {
		first := func(q string) bool {
			return slices.Contains(communeCodes(x.Search(geocode.Request{Query: q, Limit: 3})), c.code)
		}
		if first(c.q) {
			found++
		} else {
			t.Logf("%q: %v; want %s %s", c.q, describeScores(x.Search(geocode.Request{Query: c.q, Limit: 3})), c.code, c.name)
		}
		if first(c.q + " " + c.departement) {
			narrowed++
		}
	}
	if t.Logf("%d of 300, %d of 300 with the département", found, narrowed); found < 270 || narrowed < 285 {
		t.Errorf("%d of 300 are found, %d with the département", found, narrowed)
	}
	for _, q := range []string{"Rousine", "Rousine 36", "Rousine Indre", "Rousines", "Roussine 36", "36170 Rousine"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 3}); len(r.Data) == 0 || r.Data[0].CodeInsee != "36174" {
			t.Errorf("%q: %v; want Roussines first", q, describeScores(r))
		}
	}
}
