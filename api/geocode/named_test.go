package geocode_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// partial is a country of which the streets of a few communes are loaded, as they mostly are.
type partial struct {
	x       *geocode.Index
	bare    []build.Commune // that have no streets
	loaded  []build.Address
	streets []string                   // their names, each once
	bearers map[string]map[string]bool // communes by each name that they, or what is in them, bear
	dice    *rand.Rand
}

func newPartial(t *testing.T) *partial {
	in, x := boxIndex(t)
	p := &partial{x: x, loaded: readAddresses(t, false), bearers: map[string]map[string]bool{}, dice: rand.New(rand.NewPCG(18, 1))}
	hasStreets, known := map[string]bool{}, map[string]bool{}
	for _, a := range p.loaded {
		hasStreets[a.Code] = true
		if !known[a.Name] && a.Name != "" {
			known[a.Name] = true
			p.streets = append(p.streets, a.Name)
		}
	}
	for _, c := range in.Communes {
		p.addBearer(c.Code, c.Name)
		if !hasStreets[c.Code] && len(c.Postcodes) > 0 {
			p.bare = append(p.bare, c)
		}
	}
	for _, s := range in.Parts {
		p.addBearer(s.Commune, s.Name)
	}
	for _, s := range in.Postal {
		p.addBearer(s.Commune, s.Name)
	}
	return p
}

func (p *partial) addBearer(code, name string) {
	name = geocode.Compact(name)
	if p.bearers[name] == nil {
		p.bearers[name] = map[string]bool{}
	}
	p.bearers[name][code] = true
}

// uniqueQuery is how a commune is asked for so that no other can be meant: by its
// name, and its postcode where others share that.
func (p *partial) uniqueQuery(c build.Commune) string {
	if len(p.bearers[geocode.Compact(c.Name)]) > 1 {
		return c.Postcodes[0] + " " + c.Name
	}
	return c.Name
}

func pickRandom[T any](dice *rand.Rand, list []T) T { return list[dice.IntN(len(list))] }

// checkFirst counts how often the commune that was asked for comes
// first, of so many times that ask makes a query.
func (p *partial) checkFirst(t *testing.T, what string, times int, ask func() (query, code string)) {
	t.Helper()
	var c tally
	for range times {
		q, code := ask()
		r := p.x.Search(geocode.Request{Query: q, Limit: 5})
		c.add(r, code)
		if len(r.Data) == 0 || r.Data[0].CodeInsee != code {
			if c.asked-c.first < 12 {
				t.Logf("%q is in %s: %v", q, code, describeScores(r))
			}
		}
	}
	c.reportShares(t, what, 99.5, 99.5)
}

func describeScores(r geocode.FoundPlaces) (out []string) {
	for _, f := range r.Data {
		out = append(out, fmt.Sprintf("%.2f %s %s", f.Score, f.CodeInsee, f.Label))
	}
	return out
}

// Where data is partial the answer is less than was asked for, and never something else: the commune that is
// named comes first whatever stands before it, and what scores above 0.8 is what was asked for.
func TestPartialData(t *testing.T) {
	t.Parallel()
	p := newPartial(t)
	p.checkFirst(t, "address in a commune without streets", 1000, func() (string, string) {
		c := pickRandom(p.dice, p.bare)
		return fmt.Sprintf("%d %s %s", 1+p.dice.IntN(99), pickRandom(p.dice, p.streets), p.uniqueQuery(c)), c.Code
	})
	forms := []string{"12 rue de %s %s", "rue de %s %s", "5 avenue de %s, %s", "3 bis place %s %s", "%[2]s, 12 rue de %[1]s", "7 %s %s"}
	p.checkFirst(t, "street that is elsewhere a commune", 1000, func() (string, string) {
		c := pickRandom(p.dice, p.bare)
		return fmt.Sprintf(pickRandom(p.dice, forms), pickRandom(p.dice, p.bare).Name, p.uniqueQuery(c)), c.Code
	})
	p.checkSureAnswers(t)
}

// foreignPlaces are cities that are not in France, and what is nowhere.
var foreignPlaces = strings.Split("Bruxelles|Genève|Londres|Berlin|Madrid|Barcelone|Turin|Milan|Rome|Lisbonne|Porto|Amsterdam|Anvers|Liège|Charleroi|Namur|Lausanne|"+
	"Zurich|Bâle|Cologne|Francfort|Munich|Hambourg|Stuttgart|Vienne Autriche|Prague|Varsovie|Budapest|Bucarest|Athènes|Istanbul|Moscou|Kiev|Dublin|Édimbourg|"+
	"Manchester|Liverpool|New York|Boston|Chicago|Los Angeles|Montréal|Québec|Toronto|Dakar|Abidjan|Alger|Oran|Tunis|Casablanca|Rabat|Marrakech|Le Caire|Beyrouth|"+
	"Tokyo|Pékin|Shanghai|Bangkok|Sydney|Melbourne|Brazzaville|Kinshasa|Luxembourg|Monaco|Andorre|Saint-Marin|Sarrebruck|Trêves|Mons|Tournai|Courtrai|Gand|Bruges|"+
	"Fribourg|Neuchâtel|Sion|Montreux|Nyon|Aoste|Vintimille|San Sebastian|Gérone|Bilbao|Pampelune|10 Downing Street London|Rue de la Loi Bruxelles|Grand-Place Bruxelles|"+
	"Rue du Rhône Genève|Fifth Avenue New York|Calle Mayor Madrid|Unter den Linden Berlin|Via Roma Torino", "|")

// checkSureAnswers asks for what is there, what is misspelt and what is not, and
// counts the answers above 0.8 that are wrong.
func (p *partial) checkSureAnswers(t *testing.T) {
	t.Helper()
	var asked, above, wrong int
	ask := func(q string, right func(geocode.FoundPlace) bool) {
		asked++
		for _, f := range p.x.Search(geocode.Request{Query: q, Limit: 5}).Data {
			if f.Score <= 0.8 {
				continue
			}
			if above++; !right(f) {
				if wrong++; wrong < 25 {
					t.Logf("%q: %.2f %s %s", q, f.Score, f.CodeInsee, f.Label)
				}
			}
		}
	}
	bears := func(name string) func(geocode.FoundPlace) bool {
		all := p.bearers[geocode.Compact(name)]
		return func(f geocode.FoundPlace) bool { return f.Kind == "commune" && all[f.CodeInsee] }
	}
	times := 1500
	for range times {
		c, other, a := pickRandom(p.dice, p.bare), pickRandom(p.dice, p.bare), pickRandom(p.dice, p.loaded)
		ask(c.Name, bears(c.Name))
		ask(p.uniqueQuery(c), bears(c.Name))
		if wrong := addTypo(p.dice, c.Name); wrong != "" {
			ask(wrong, bears(wrong))
		}
		nothing := func(geocode.FoundPlace) bool { return false }
		ask(fmt.Sprintf("%d %s %s", 1+p.dice.IntN(99), pickRandom(p.dice, p.streets), p.uniqueQuery(c)), nothing)
		ask("rue de "+other.Name+" "+p.uniqueQuery(c), nothing)
		ask(nonsenseQuery(p.dice), nothing)
		ask(fmt.Sprintf("%d%s %s %s", a.Number, a.Suffix, a.Name, a.Code), func(f geocode.FoundPlace) bool {
			return f.CodeInsee == a.Code && f.Street != nil && strings.EqualFold(*f.Street, a.Name)
		})
	}
	for _, city := range foreignPlaces {
		ask(city, bears(city))
	}
	t.Logf("%d queries, %d answers above 0.8, wrong %d: %.3f %%", asked, above, wrong, 100*float64(wrong)/float64(max(1, above)))
	if above < asked/4 || wrong*1000 > above {
		t.Errorf("%d of %d answers above 0.8 are wrong, of %d queries; want less than one of 1000", wrong, above, asked)
	}
}

// nonsenseQuery is one to three words that nothing is called by.
func nonsenseQuery(dice *rand.Rand) string {
	var words []string
	for range 1 + dice.IntN(3) {
		word := make([]byte, 6+dice.IntN(5))
		for i := range word {
			word[i] = "aeioubcdfgklmnprstvxz"[dice.IntN(21)]
		}
		words = append(words, string(word))
	}
	return strings.Join(words, " ")
}

// What was seen to go wrong: a street that is not loaded answers the commune that was asked in, also by its
// postcode alone; what is spelt otherwise never scores above 0.8, and a city abroad is at most a poor
// guess. Each answer says which words it has.
func TestWordsOfPartialData(t *testing.T) {
	t.Parallel()
	p := newPartial(t)
	for q, want := range map[string]string{
		"10 rue de Rivoli Paris":              "commune 75056 Paris; without 10 rue de rivoli",
		"10 rue Sainte-Catherine Bordeaux":    "commune 33063 Bordeaux, Gironde; without 10 rue sainte catherine",
		"10 rue de Rivoli, 75001":             "commune 75056 75001 Paris; without 10 rue de rivoli",
		"rue de Bordeaux Limoges":             "commune 87085 Limoges, Haute-Vienne; without rue de bordeaux",
		"Limoges, 12 rue de Bordeaux":         "commune 87085 Limoges, Haute-Vienne; without 12 rue de bordeaux",
		"10 rue Foch Bondy Seine-Saint-Denis": "commune 93010 Bondy, Seine-Saint-Denis; without 10 rue foch",
		"Bordeaux":                            "commune 33063 Bordeaux, Gironde; without ",
		"St Denis 93":                         "commune 93066 Saint-Denis, Seine-Saint-Denis; without ",
		"6000 Nice":                           "commune 06088 06000 Nice, Alpes-Maritimes; without ",
		"1000 bourg en bresse":                "commune 01053 01000 Bourg-en-Bresse, Ain; without ",
		"12 rue Inconnue 6300 Nice":           "commune 06088 06300 Nice, Alpes-Maritimes; without 12 rue inconnue",
	} {
		r := p.x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing; want %s", q, want)
			continue
		}
		if got := describePlace(r.Data[0]) + "; without " + strings.Join(r.Data[0].Unmatched, " "); got != want {
			t.Errorf("%q: %s %v; want %s", q, got, describeScores(r), want)
		}
		for _, f := range r.Data {
			if (f.Score > 0.8) != (len(f.Unmatched) == 0 && f.CodeInsee == r.Data[0].CodeInsee) {
				t.Errorf("%q: %.2f for %s, without %v", q, f.Score, f.Label, f.Unmatched)
			}
		}
	}
	for _, f := range p.x.Search(geocode.Request{Query: "Bruxelles", Limit: 5}).Data {
		if f.Score >= 0.5 {
			t.Errorf("Bruxelles: %.2f for %s", f.Score, f.Label)
		}
	}
}

// A customer who writes the name of a street and that of its town with typing errors finds the address, marked
// as a guess with the words that are spelt otherwise, in whichever order the words stand.
func TestStreetAndTownBothMisspelt(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	const rousseau = "22 Rue Jean Jacques Rousseau, 93140 Bondy"
	for q, want := range map[string]string{
		"22 rue jan jaque rouseau bondi": rousseau, "22 rue jan jaque rouseau bondy": rousseau,
		"bondi 22 rue jan jaque rouseau": rousseau, "22 rue jan jaque rouseau 93140 bondi": rousseau,
		"22rue jan jaque rouseau bondi": rousseau, "22, r. jan-jaque rouseau bondi": rousseau,
		"22 rue rouseau jan jaque bondi": rousseau,
		"rue louis ogust blanki bondi":   "Rue Louis Auguste Blanqui, 93140 Bondy",
		"rue filéas colardo bondi":       "Rue Philéas Collardeau, 93140 Bondy",
		"av henri barbus bondi":          "Avenue Henri Barbusse, 93140 Bondy", "rue rouseau bondi": "Rue Jean Jacques Rousseau, 93140 Bondy",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 3})
		if len(r.Data) == 0 || r.Data[0].Label != want || !r.Data[0].Fuzzy || r.Data[0].Score > 0.8 ||
			len(r.Data[0].Unmatched) < 2 {
			t.Errorf("%q: %v; want %s as a guess", q, describeScores(r), want)
		}
	}
	for q, want := range map[string]string{
		"av rep bondy": "Avenue de la République, 93140 Bondy", "22 rue jj rousseau bondy": rousseau,
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 1}); len(r.Data) == 0 || r.Data[0].Label != want || r.Data[0].Fuzzy {
			t.Errorf("%q: %v; want %s", q, describeScores(r), want)
		}
	}
	// Another name is no typing error: it is said which town may be meant.
	r := x.Search(geocode.Request{Query: "rue maximilien robespierre bondi", Limit: 1})
	if len(r.Data) > 0 || !strings.Contains(textOrEmpty(r.Hint), "Bondy (93010) may be meant") {
		t.Errorf("another name: %v, %s", describeScores(r), textOrEmpty(r.Hint))
	}
}
