package geocode

import (
	"maps"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
	"arpent/internal/snapshot"
)

// For tests.
var (
	Words     = layout.Words
	Signature = layout.Signature
	Apart     = layout.SignaturesApart
)

// Compact is the name of a place as one word: how it is divided by blanks and hyphens does not count.
func Compact(name string) string {
	var b strings.Builder
	for _, p := range layout.Split(name) {
		b.WriteString(layout.PlaceWord(p))
	}
	return b.String()
}

// Work is what a search compared, and the most that it may: twice, for words as they stand and misspelt, each
// budget; the last word that the terms are compared with may go beyond theirs.
func (x *Index) Work(ask Request) (done, most [3]int) {
	_, w := x.search(ask)
	return [3]int{w.streets, w.names, w.terms},
		[3]int{2 * streetBudget, 2 * nameBudget, 2*termBudget + len(x.terms.End) + maxNearPhrases*len(x.aliases.End)}
}

// Distance is that of two words.
func Distance(a, b string, most int) int {
	var p layout.Pattern
	p.Set(a)
	return p.Distance(b, most)
}

// Asked is what parse makes of a query, for people: words, with < > around postcodes and [ ] around numbers.
func Asked(q string) (out []string) {
	p := parseParts(layout.Split(q))
	for i, w := range p.words {
		text := w.Text
		switch {
		case p.postcodes.has(i):
			text = "<" + text + ">"
		case p.numbers.has(i):
			suffix, said := p.suffixAfter(i)
			if said != 0 {
				suffix = "+" + suffix
			}
			text = "[" + text + suffix + "]"
			if w.suffix != "" {
				text = "[" + text[1:len(text)-1-len(w.suffix)] + "]"
			}
		}
		out = append(out, text)
	}
	return out
}

// Houses writes numbers as the file holds them and reads them again.
func Houses(numbers []int, suffixes []string, lat, lon []int32) (outNumbers []int, outSuffixes []string, outLat, outLon []int32) {
	var list []layout.House
	for i := range numbers {
		list = append(list, layout.House{Number: numbers[i], Suffix: layout.SuffixOf(suffixes[i]), Lat: lat[i], Lon: lon[i]})
	}
	b := layout.AppendHouses(nil, list, 0, 0)
	r := layout.HouseReader{B: b, Left: len(list)}
	for r.Next() {
		outNumbers, outSuffixes = append(outNumbers, r.House.Number), append(outSuffixes, r.House.Suffix)
		outLat, outLon = append(outLat, r.House.Lat), append(outLon, r.House.Lon)
	}
	return outNumbers, outSuffixes, outLat, outLon
}

// ReadHouses reads bytes as numbers of a street and counts them.
func ReadHouses(b []byte, left int) (n int) {
	for r := (layout.HouseReader{B: b, Left: left}); r.Next(); {
		n++
	}
	return n
}

// Open serves searches from an index file.
func Open(path string) (*Index, error) {
	f, err := snapshot.Open(path, layout.Format)
	if err != nil {
		return nil, err
	}
	return readIndex(f)
}

// GeneralNouns returns the words for what people look for in a town.
func GeneralNouns() []string { return slices.Sorted(maps.Keys(generalNouns)) }
