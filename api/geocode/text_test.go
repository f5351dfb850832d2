package geocode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
)

// A name is found however its accents, hyphens, apostrophes and abbreviations are written.
func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Rue de l’Église":                "rue de l eglise",
		"RUE DE L'EGLISE":                "rue de l eglise",
		"Av. du Gal Leclerc":             "avenue du general leclerc",
		"Bd St-Michel":                   "boulevard saint michel",
		"Allées Jean-Jaurès":             "allee jean jaures",
		"Rue du Bd Extérieur":            "rue du bd exterieur",
		"Pl. du 8 Mai 1945":              "place du 8 mai 1945",
		"1ère Avenue":                    "1e avenue",
		"Rue du 1er Mai":                 "rue du 1e mai",
		"Quai Œuvre d'Ænéas":             "quai oeuvre d aeneas",
		"Villers s/ Marne":               "villers sur marne",
		"ZI Nord":                        "zone industrielle nord",
		"Chemin D14":                     "chemin d 14",
		"Rue N.D. des Champs":            "rue n d des champs",
		"R":                              "r",
		"":                               "",
		"  ,;  ":                         "",
		"Straße":                         "strasse",
		"Rue " + strings.Repeat("a", 60): "rue " + strings.Repeat("a", 30),
	} {
		if got := strings.Join(geocode.Words(name), " "); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
}

// Names of places are compared without regard to how they are divided.
func TestCompact(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"L'Haÿ-les-Roses": "lhaylesroses", "lhay les roses": "lhaylesroses", "St Denis": "saintdenis", "Ste-Foy": "saintefoy",
		"Vitry s/ Seine": "vitrysurseine", "Oô": "oo", "Paris 18ème": "paris18e", "Mont-Bonvillers": "montbonvillers",
	} {
		if got := geocode.Compact(name); got != want {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
}

// Numbers with their suffixes and postcodes are distinguished from
// words; what only leads letters is left out.
func TestParse(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"12 rue x":                  "[12] rue x",
		"12bis rue x 93140 Bondy":   "[12+bis] bis rue x <93140> bondy",
		"12 bis, rue x":             "[12+bis] bis rue x",
		"12 rue x bis":              "[12+bis] rue x bis",
		"12 rue 14 bis":             "[12] rue [14+bis] bis",
		"1er etage 36 rue x":        "1e etage [36] rue x",
		"etage 3 12 rue x":          "etage 3 [12] rue x",
		"appt 5 12 rue x":           "appt 5 [12] rue x",
		"12b rue x":                 "[12b] rue x",
		"12 r de paris":             "[12] r de paris",
		"12 l'eglise":               "[12] l eglise",
		"n°12 rue x":                "[12] rue x",
		"rue x 93140 bondy cedex 9": "rue x <93140> bondy",
		"bp 123 rue x 93140 cedex":  "rue x <93140>",
		"F-75018 Paris":             "<75018> paris",
		"rue x Paris France":        "rue x paris",
		"france":                    "france",
		"Roissy en France":          "roissy en france",
		"cedex":                     "cedex",
		"Paris 18ème":               "paris [18e]",
		"rue du 8 mai 1945":         "rue du [8] mai [1945]",
		"123456":                    "123456",
		"0":                         "0",
		"😀":                         "",
		strings.Repeat("a ", 40):    strings.TrimSpace(strings.Repeat("a ", 24)),
	} {
		if got := strings.Join(geocode.Asked(q), " "); got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}

// A query is 1 to 200 characters without control characters.
func TestCheckQuery(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]bool{
		"a": true, " a ": true, strings.Repeat("é", 200): true, strings.Repeat("é", 201): false, "": false, "   ": false, "a\x00b": false,
		"a\nb": false, "a\u0085b": false, "\xff": false, "a\u007f": false, strings.Repeat(" ", 300) + "x": true,
	} {
		if _, ok := geocode.CheckQuery(q); ok != want {
			t.Errorf("%q: %v; want %v", q, ok, want)
		}
	}
}

// The distance is that of Damerau and Levenshtein as written down in the plainest way, and
// signatures never hide a word that is near enough.
func TestDistance(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		b := make([]byte, dice.IntN(9))
		for i := range b {
			b[i] = "abc1"[dice.IntN(4)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b, most := word(), word(), dice.IntN(4)
		want := min(plainDistance(a, b), most+1)
		if got := geocode.Distance(a, b, most); got != want {
			t.Fatalf("%q to %q, at most %d: %d; want %d", a, b, most, got, want)
		}
		if want <= most && geocode.Apart(geocode.Signature(a), geocode.Signature(b)) > 2*want-max(len(a)-len(b), len(b)-len(a)) {
			t.Fatalf("%q and %q are %d apart; their signatures hide it", a, b, want)
		}
	}
}

func plainDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				same := 1
				if a[i-1] == b[j-1] {
					same = 0
				}
				d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+same)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d[len(a)][len(b)]
}

// Numbers, suffixes and positions come back from the file as they went in.
func TestHouses(t *testing.T) {
	t.Parallel()
	numbers, suffixes := []int{1, 2, 2, 2, 9, 10_000}, []string{"", "", "bis", "b", "zut alors", ""}
	lat, lon := []int32{48_900_000, 48_900_100, -21_000_000, 0, 1, 2}, []int32{2_480_000, 2_480_001, 55_000_000, -61_000_000, 5, 6}
	n, s, y, x := geocode.Houses(numbers, suffixes, lat, lon)
	if !slices.Equal(n, numbers) || !slices.Equal(s, []string{"", "", "bis", "b", "zut alors", ""}) || !slices.Equal(y, lat) || !slices.Equal(x, lon) {
		t.Errorf("%v %q %v %v", n, s, y, x)
	}
}

// Bytes that are no numbers end the reading, whatever they are.
func FuzzHouses(f *testing.F) {
	f.Add([]byte{2, 0, 0}, 1)
	f.Add([]byte{3, 0xff, 200, 1}, 5)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 3)
	f.Fuzz(func(t *testing.T, b []byte, left int) {
		if n := geocode.ReadHouses(b, left&0xff); n > len(b) {
			t.Errorf("%d numbers in %d bytes", n, len(b))
		}
	})
}

// Whatever is typed, it is taken apart without a panic into a bounded number of words.
func FuzzParse(f *testing.F) {
	for _, q := range []string{"12 bis rue x 93140 cedex", "n°", "ẞ 1ère", "\xff\xfe", "ﷺ", "é́́́"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if n := len(geocode.Asked(q)); n > 24 {
			t.Errorf("%d words", n)
		}
		geocode.Compact(q)
	})
}
