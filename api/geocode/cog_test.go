package geocode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/app/dev/testkit"
)

// tally counts how often the wanted commune was found.
type tally struct{ asked, first, five int }

func (c *tally) add(r geocode.FoundPlaces, want string) (found bool) {
	c.asked++
	at := slices.Index(communeCodes(r), want)
	if at == 0 {
		c.first++
	}
	if at >= 0 {
		c.five++
	}
	return at >= 0
}

func (c *tally) reportShares(t *testing.T, what string, first, five float64) {
	t.Helper()
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, c.asked)) }
	t.Logf("%s: %d asked, first %.2f %%, among five %.2f %%", what, c.asked, share(c.first), share(c.five))
	if share(c.first) < first || share(c.five) < five {
		t.Errorf("%s: first %.2f %%, among five %.2f %%; want %.1f %% and %.1f %%", what, share(c.first), share(c.five), first, five)
	}
}

// uniqueNames are the names that one commune only has, in lower case.
func uniqueNames(communes []build.Commune) map[string]bool {
	out := map[string]bool{}
	for _, c := range communes {
		name := strings.ToLower(c.Name)
		_, seen := out[name]
		out[name] = !seen
	}
	return out
}

// finder asks for communes and keeps the score of each way of asking.
type finder struct {
	t       *testing.T
	x       *geocode.Index
	tallies map[string]*tally
}

func newFinder(t *testing.T, x *geocode.Index) *finder { return &finder{t, x, map[string]*tally{}} }

func (f *finder) askCommune(way, query, want string) {
	c := f.tallies[way]
	if c == nil {
		c = &tally{}
		f.tallies[way] = c
	}
	if r := f.x.Search(geocode.Request{Query: query, Limit: 5}); !c.add(r, want) && c.asked-c.five < 10 {
		f.t.Logf("%s: %q does not find %s but %v", way, query, want, resultLabels(r))
	}
}

// checkShares fails when a share of the answers, in percent, is below what is promised.
func (f *finder) checkShares(way string, first, five float64) {
	f.t.Helper()
	c := f.tallies[way]
	if c == nil {
		f.t.Errorf("%s: nothing asked", way)
		return
	}
	c.reportShares(f.t, way, first, five)
}

// A query with the name of a commune of France and its département finds
// it; one slip of the finger does not matter. make soak asks for every commune.
func TestEveryCommuneIsFound(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	f := newFinder(t, x)
	departement := map[string]string{}
	for _, d := range in.Departements {
		departement[d.Code] = d.Name
	}
	only := uniqueNames(in.Communes)
	dice := rand.New(rand.NewPCG(1, 2))
	for _, c := range spread(in.Communes, testkit.Rounds(2000, len(in.Communes))) {
		f.askCommune("exact name and code of the département", c.Name+" "+c.Departement, c.Code)
		f.askCommune("exact name and name of the département", c.Name+", "+departement[c.Departement], c.Code)
		wrong := addTypo(dice, c.Name)
		if wrong != "" {
			f.askCommune("one typing error, with the code of the département", wrong+" "+c.Departement, c.Code)
		}
		if !only[strings.ToLower(c.Name)] {
			continue
		}
		f.askCommune("name that is unique, with the code of the département", c.Name+" "+c.Departement, c.Code)
		f.askCommune("name that is unique, alone", c.Name, c.Code)
		if wrong != "" {
			f.askCommune("name that is unique with one typing error, alone", wrong, c.Code)
		}
		if wrong != "" && len(c.Name) >= 10 {
			f.askCommune("long name with two typing errors, with the code of the département", addTypo(dice, wrong)+" "+c.Departement, c.Code)
		}
	}
	f.checkShares("exact name and code of the département", 99, 100)
	f.checkShares("exact name and name of the département", 99, 100)
	f.checkShares("name that is unique, with the code of the département", 99, 100)
	f.checkShares("name that is unique, alone", 97, 99.9)
	f.checkShares("one typing error, with the code of the département", 95, 95)
	f.checkShares("name that is unique with one typing error, alone", 85, 95)
	f.checkShares("long name with two typing errors, with the code of the département", 80, 80)
}

// A commune is found by each name that it, or what became part of it, ever had.
func TestEveryFormerNameIsFound(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	f := newFinder(t, x)
	departement := map[string]string{}
	for _, c := range in.Communes {
		departement[c.Code] = c.Departement
	}
	for _, p := range in.Parts {
		d, ok := departement[p.Commune]
		if !ok || p.Arrondissement {
			continue
		}
		f.askCommune("former name and code of the département", p.Name+" "+d, p.Commune)
		f.askCommune("former name alone", p.Name, p.Commune)
	}
	f.checkShares("former name and code of the département", 95, 100)
	f.checkShares("former name alone", 75, 90)
}

// A name of former times leads to the commune of today through whatever happened in between; a name
// whose commune cannot be found leads nowhere.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	communes := []build.Commune{{Code: "14001", Name: "Grandville"}, {Code: "14002", Name: "Moyville"}}
	got := build.FormerNames([]build.Movement{
		{Day: "1950-01-01", CodeBefore: "14002", NameBefore: "Moyville-le-Sec", CodeAfter: "14002", NameAfter: "Moyville"},      // renamed
		{Day: "1960-01-01", CodeBefore: "14008", NameBefore: "Hameau", CodeAfter: "14009", NameAfter: "Bourg"},                  // merged twice
		{Day: "1990-01-01", CodeBefore: "14009", NameBefore: "Bourg", CodeAfter: "14001", NameAfter: "Grandville"},              //
		{Day: "1968-01-01", CodeBefore: "75001", NameBefore: "Grandville", CodeAfter: "14001", NameAfter: "Grandville"},         // another code, the same name
		{Day: "1970-01-01", CodeBefore: "14010", NameBefore: "Perdu", CodeAfter: "14011", NameAfter: "Disparu"},                 // of nothing today
		{Day: "1968-01-01", CodeBefore: "75002", NameBefore: "Moyville-Vieux", CodeAfter: "14002", NameAfter: "Moyville-Vieux"}, // another code, then renamed
		{Day: "1988-01-01", CodeBefore: "14002", NameBefore: "Moyville-Vieux", CodeAfter: "14002", NameAfter: "Moyville"},       //
		{Day: "1980-01-01", CodeBefore: "14020", NameBefore: "Cercle", CodeAfter: "14021", NameAfter: "Rond"},                   // in a circle
		{Day: "1981-01-01", CodeBefore: "14021", NameBefore: "Rond", CodeAfter: "14020", NameAfter: "Cercle"},                   //
		{Day: "1980-01-01", CodeBefore: "14030", NameBefore: "Partagé", CodeAfter: "14001", NameAfter: "Grandville"},            // to two: the last counts
		{Day: "1985-01-01", CodeBefore: "14030", NameBefore: "Partagé", CodeAfter: "14002", NameAfter: "Moyville"},              //
	}, communes)
	var lines []string
	for _, p := range got {
		lines = append(lines, fmt.Sprintf("%s %s %s", p.Commune, p.Code, p.Name))
	}
	want := []string{"14001 14008 Hameau", "14001 14009 Bourg", "14002 14002 Moyville-Vieux", "14002 14002 Moyville-le-Sec", "14002 14030 Partagé"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q; want %q", lines, want)
	}
}

func resultLabels(r geocode.FoundPlaces) []string {
	var out []string
	for _, f := range r.Data {
		out = append(out, f.Label)
	}
	return out
}

// addTypo makes one typing error in a word of four letters or more: a letter too many, too few, another one,
// or two exchanged. It gives "" when there is no such word.
func addTypo(dice *rand.Rand, name string) string {
	letters := []rune(name)
	var at []int
	start := 0
	for i := 0; i <= len(letters); i++ {
		if i == len(letters) || strings.ContainsRune(" -'’", letters[i]) {
			if i-start >= 4 {
				for j := start; j < i; j++ {
					at = append(at, j)
				}
			}
			start = i + 1
		}
	}
	if len(at) == 0 {
		return ""
	}
	i := at[dice.IntN(len(at))]
	other := rune('a' + dice.IntN(26))
	switch dice.IntN(4) {
	case 0:
		return string(slices.Insert(slices.Clone(letters), i, other))
	case 1:
		return string(slices.Delete(slices.Clone(letters), i, i+1))
	case 2:
		out := slices.Clone(letters)
		out[i] = other
		return string(out)
	default:
		out := slices.Clone(letters)
		if i+1 < len(out) && slices.Contains(at, i+1) {
			out[i], out[i+1] = out[i+1], out[i]
		} else {
			out[i] = other
		}
		return string(out)
	}
}
