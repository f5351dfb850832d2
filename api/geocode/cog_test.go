package geocode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// tally counts how often the wanted commune was found.
type tally struct{ asked, first, five int }

func (c *tally) add(r geocode.FoundPlaces, want string) (found bool) {
	c.asked++
	at := slices.Index(codes(r), want)
	if at == 0 {
		c.first++
	}
	if at >= 0 {
		c.five++
	}
	return at >= 0
}

func (c *tally) report(t *testing.T, what string, first, five float64) {
	t.Helper()
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, c.asked)) }
	t.Logf("%s: %d asked, first %.2f %%, among five %.2f %%", what, c.asked, share(c.first), share(c.five))
	if share(c.first) < first || share(c.five) < five {
		t.Errorf("%s: first %.2f %%, among five %.2f %%; want %.1f %% and %.1f %%", what, share(c.first), share(c.five), first, five)
	}
}

// sampled is what is asked about: every commune or name; under the race detector each fifteenth, from a fixed one on.
func sampled[T any](all []T) []T {
	if !racing {
		return all
	}
	var out []T
	for i := 7; i < len(all); i += 15 {
		out = append(out, all[i])
	}
	return out
}

// onlyOnes are the names that one commune only has, in lower case.
func onlyOnes(communes []build.Commune) map[string]bool {
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

func (f *finder) ask(way, query, want string) {
	c := f.tallies[way]
	if c == nil {
		c = &tally{}
		f.tallies[way] = c
	}
	if r := f.x.Search(geocode.Request{Query: query, Limit: 5}); !c.add(r, want) && c.asked-c.five < 10 {
		f.t.Logf("%s: %q does not find %s but %v", way, query, want, labels(r))
	}
}

// reached fails when a share of the answers, in percent, is below what is promised.
func (f *finder) reached(way string, first, five float64) {
	f.t.Helper()
	c := f.tallies[way]
	if c == nil {
		f.t.Errorf("%s: nothing asked", way)
		return
	}
	c.report(f.t, way, first, five)
}

// Whoever types the name of a commune of France, with its département, finds it; one slip of the finger does not matter.
func TestEveryCommuneIsFound(t *testing.T) {
	t.Parallel()
	in := country(t)
	f := newFinder(t, newIndex(t, in))
	departement := map[string]string{}
	for _, d := range in.Departements {
		departement[d.Code] = d.Name
	}
	only := onlyOnes(in.Communes)
	dice := rand.New(rand.NewPCG(1, 2))
	for _, c := range sampled(in.Communes) {
		f.ask("exact name and code of the département", c.Name+" "+c.Departement, c.Code)
		f.ask("exact name and name of the département", c.Name+", "+departement[c.Departement], c.Code)
		wrong := misspell(dice, c.Name)
		if wrong != "" {
			f.ask("one typing error, with the code of the département", wrong+" "+c.Departement, c.Code)
		}
		if !only[strings.ToLower(c.Name)] {
			continue
		}
		f.ask("name that is unique, with the code of the département", c.Name+" "+c.Departement, c.Code)
		f.ask("name that is unique, alone", c.Name, c.Code)
		if wrong != "" {
			f.ask("name that is unique with one typing error, alone", wrong, c.Code)
		}
		if wrong != "" && len(c.Name) >= 10 {
			f.ask("long name with two typing errors, with the code of the département", misspell(dice, wrong)+" "+c.Departement, c.Code)
		}
	}
	f.reached("exact name and code of the département", 99, 100)
	f.reached("exact name and name of the département", 99, 100)
	f.reached("name that is unique, with the code of the département", 99, 100)
	f.reached("name that is unique, alone", 97, 99.9)
	f.reached("one typing error, with the code of the département", 95, 95)
	f.reached("name that is unique with one typing error, alone", 85, 95)
	f.reached("long name with two typing errors, with the code of the département", 80, 80)
}

// A commune is found by each name that it, or what became part of it, ever had.
func TestEveryFormerNameIsFound(t *testing.T) {
	t.Parallel()
	in := country(t)
	f := newFinder(t, newIndex(t, in))
	departement := map[string]string{}
	for _, c := range in.Communes {
		departement[c.Code] = c.Departement
	}
	for _, p := range sampled(in.Parts) {
		d, ok := departement[p.Commune]
		if !ok || p.Arrondissement {
			continue
		}
		f.ask("former name and code of the département", p.Name+" "+d, p.Commune)
		f.ask("former name alone", p.Name, p.Commune)
	}
	f.reached("former name and code of the département", 95, 100)
	f.reached("former name alone", 75, 90)
}

func labels(r geocode.FoundPlaces) []string {
	var out []string
	for _, f := range r.Data {
		out = append(out, f.Label)
	}
	return out
}

// misspell makes one typing error in a word of four letters or more: a letter too many, too few, another one, or two
// exchanged. It gives "" when there is no such word.
func misspell(dice *rand.Rand, name string) string {
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
