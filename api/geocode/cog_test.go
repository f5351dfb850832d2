package geocode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
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

// Whoever types the name of a commune of France, with its département, finds it; one slip of the finger or a name of
// former times does not matter.
func TestEveryCommuneIsFound(t *testing.T) {
	t.Parallel()
	in := country(t)
	x := build(t, in)
	departement := map[string]string{}
	for _, d := range in.Departements {
		departement[d.Code] = d.Name
	}
	names := map[string]int{}
	for _, c := range in.Communes {
		names[strings.ToLower(c.Name)]++
	}
	dice := rand.New(rand.NewPCG(1, 2))
	var withCode, withName, unique, alone, typo, typoAlone, typoTwice tally
	search := func(q string) geocode.FoundPlaces { return x.Search(geocode.Ask{Query: q, Limit: 5}) }
	for _, c := range in.Communes {
		r := search(c.Name + " " + c.Departement)
		if !withCode.add(r, c.Code) && withCode.asked-withCode.five < 20 {
			t.Logf("not found: %s %s (%s): %v", c.Name, c.Departement, c.Code, labels(r))
		}
		r = search(c.Name + ", " + departement[c.Departement])
		if !withName.add(r, c.Code) && withName.asked-withName.five < 20 || codes(r)[0] != c.Code && dice.IntN(20) == 0 {
			t.Logf("not first: %s %s (%s): %v", c.Name, departement[c.Departement], c.Code, labels(r))
		}
		wrong := misspell(dice, c.Name)
		if wrong == "" {
			continue
		}
		if r := search(wrong + " " + c.Departement); !typo.add(r, c.Code) && typo.asked-typo.five < 20 {
			t.Logf("not found: %s for %s %s: %v", wrong, c.Name, c.Departement, labels(r))
		}
		if names[strings.ToLower(c.Name)] > 1 {
			continue
		}
		if r = search(c.Name + " " + c.Departement); !slices.Equal(codes(r)[:min(1, len(r.Data))], []string{c.Code}) && unique.asked-unique.first < 20 {
			t.Logf("not first: %s %s: %v", c.Name, c.Departement, labels(r))
		}
		unique.add(r, c.Code)
		alone.add(search(c.Name), c.Code)
		typoAlone.add(search(wrong), c.Code)
		if len(c.Name) >= 10 {
			typoTwice.add(search(misspell(dice, wrong)+" "+c.Departement), c.Code)
		}
	}
	withCode.report(t, "name and code of the département", 0, 100)
	withName.report(t, "name and name of the département", 0, 100)
	unique.report(t, "unique name and code of the département", 99, 100)
	alone.report(t, "unique name alone", 97, 99.9)
	typo.report(t, "one typing error, with the code of the département", 0, 95)
	typoAlone.report(t, "unique name with one typing error, alone", 0, 90)
	typoTwice.report(t, "two typing errors in a long name, with the code of the département", 0, 80)
}

// A commune is found by each name that it, or what became part of it, ever had.
func TestEveryFormerNameIsFound(t *testing.T) {
	t.Parallel()
	in := country(t)
	x := build(t, in)
	departement := map[string]string{}
	for _, c := range in.Communes {
		departement[c.Code] = c.Departement
	}
	var found, alone tally
	for _, p := range in.Parts {
		d, ok := departement[p.Commune]
		if !ok || p.Arrondissement {
			continue
		}
		r := x.Search(geocode.Ask{Query: p.Name + " " + d, Limit: 5})
		if !found.add(r, p.Commune) && found.asked-found.five < 20 {
			t.Logf("not found: %s %s (%s): %v", p.Name, d, p.Commune, labels(r))
		}
		alone.add(x.Search(geocode.Ask{Query: p.Name, Limit: 5}), p.Commune)
	}
	found.report(t, "former name and code of the département", 0, 100)
	alone.report(t, "former name alone", 0, 80)
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
