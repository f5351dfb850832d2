package addresses

import (
	"cmp"
	"math"
	"slices"

	"arpent/api/geocode/layout"
)

// putAskedFirst puts the address that was asked for before the others, and these by their distance from it.
// Where it is not among them they stay as they are.
func putAskedFirst(asked string, found []Address) {
	words, best, most := layout.Split(asked), -1, 0
	for i := range found {
		if n := found[i].countMatchingWords(words); n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return
	}
	at := found[best]
	copy(found[1:], found[:best])
	found[0] = at
	narrow := math.Cos(at.Lat * math.Pi / 180)
	away := func(a Address) float64 { return math.Hypot((a.Lon-at.Lon)*narrow, a.Lat-at.Lat) }
	slices.SortStableFunc(found[1:], func(a, b Address) int { return cmp.Compare(away(a), away(b)) })
}

// markAsked returns an address with the mark whether it is the one that was asked for, if one was.
func markAsked(asked string, a Address) Address {
	if asked != "" {
		a.Asked = new(a.countMatchingWords(layout.Split(asked)) > 0)
	}
	return a
}

// countMatchingWords reports whether a text begins with the address: its number and its street, then anything
// but the postcode of another place. It counts the words that say so; 0: it does not.
func (a *Address) countMatchingWords(asked []layout.Part) int {
	number := 0
	if a.Housenumber != nil {
		if number = countNumberWords(asked, layout.Split(*a.Housenumber)); number == 0 {
			return 0
		}
	}
	if a.Street == nil {
		return 0
	}
	street, rest := layout.Words(*a.Street), layout.WordsOf(asked[number:])
	if len(street) == 0 || len(rest) < len(street) || !slices.Equal(street, rest[:len(street)]) {
		return 0
	}
	for _, w := range rest[len(street):] {
		if a.Postcode != nil && layout.PostcodeNumber(w) != 0 && w != *a.Postcode {
			return 0
		}
	}
	return number + len(street)
}

// shortSuffixes are how many write the suffix of a number.
var shortSuffixes = map[string]string{"b": "bis", "t": "ter", "q": "quater"}

// countNumberWords counts the words at the beginning of a text that are the number of a house, however it is
// divided: "12bis", "12 bis" and "12 b" are one; 0: they are another number.
func countNumberWords(asked, number []layout.Part) int {
	want, got := joinParts(number), ""
	for i := range min(2, len(asked)) {
		if got = joinParts(asked[:i+1]); got == want {
			return i + 1
		}
	}
	return 0
}

func joinParts(parts []layout.Part) (text string) {
	for _, p := range parts {
		digits := layout.LeadingDigits(p.Text)
		suffix := p.Text[digits:]
		if long, ok := shortSuffixes[suffix]; ok {
			suffix = long
		}
		text += p.Text[:digits] + suffix
	}
	return text
}
