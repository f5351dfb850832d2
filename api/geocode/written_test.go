package geocode_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/layout"
)

// firstWords are the article and the first word of a name that has an article and two words or more: "Le Touquet"; "" for another.
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

// A commune whose name begins with an article is called by the first word after it, when the name is long: whoever asks for Le
// Touquet means Le Touquet-Paris-Plage. Where only one commune begins so, it is the first answer, or the second after one that has
// those letters as its name.
func TestCommunesAreFoundByTheirFirstWords(t *testing.T) {
	t.Parallel()
	in := country(t)
	x := newIndex(t, in)
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
		if slices.Contains(codes(r)[:min(2, len(r.Data))], c.Code) {
			second++
			continue
		}
		t.Logf("%q does not find %s first or second but %v", q, c.Name, scored(r))
	}
	asked.report(t, "article and first word", 80, 98)
	if share := 100 * float64(second) / float64(max(1, asked.asked)); asked.asked < 150 || share < 95 {
		t.Errorf("%d of %d communes are the first or second answer: %.1f %%; want 95 %% of 150 or more", second, asked.asked, share)
	}
	for q, want := range map[string]string{
		"touquet": "62826", "le touquet paris": "62826", "le touquet 62": "62826", "12 rue de la plage le touquet": "62826", "kremlin": "94043",
		"la garenne": "92035", "les pennes": "13071", "les ancizes": "63004", "levallois": "92044", "la seyne": "83126", "le perreux": "94058",
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v; want %s", q, scored(r), want)
		}
	}
}

// spelt is a name but for case, accents, hyphens and apostrophes.
func spelt(name string) string {
	var words []string
	for _, p := range layout.Split(name) {
		words = append(words, layout.PlaceWord(p))
	}
	return strings.Join(words, " ")
}

// What is named as written comes first: La Grange before Lagrange, however many people live there, near or far. A commune of
// today does not come after one that was once called as it is, where the article of both is left out.
func TestNamesAsWrittenComeFirst(t *testing.T) {
	t.Parallel()
	in := country(t)
	x := newIndex(t, in)
	bears := map[string]map[string]bool{} // communes by the names that they bear or bore
	bear := func(name, code string) {
		if bears[spelt(name)] == nil {
			bears[spelt(name)] = map[string]bool{}
		}
		bears[spelt(name)][code] = true
	}
	for _, c := range in.Communes {
		bear(c.Name, c.Code)
	}
	for _, p := range in.Parts {
		bear(p.Name, p.Commune)
	}
	otherwise, former := 0, 0
	for _, c := range sampled(in.Communes) {
		for _, near := range []*geocode.Point{nil, {Lat: 43.1, Lon: 0.4}} {
			r := x.Search(geocode.Request{Query: strings.ToLower(c.Name), Limit: 5, Near: near})
			if len(r.Data) == 0 || !bears[spelt(c.Name)][r.Data[0].CodeInsee] {
				if otherwise++; otherwise < 10 {
					t.Logf("%q: %v", c.Name, scored(r))
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
