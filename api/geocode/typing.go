package geocode

import (
	"cmp"
	"slices"

	"arpent/api/geocode/layout"
)

// What the last word of a query that is being typed may be the beginning of. A place or street that goes on
// is hardly less likely to be meant than one that ends there: importance decides.
const (
	minBegun       = 2      // letters of such a word
	minBegunPlace  = 3      // letters of the beginning of a place
	begunTrust     = 0.97   // of a beginning; the rest grows with the share of the word that is there
	maxBegunPlaces = 12     // places that a query is tried with
	maxBegunTerms  = 48     // words that streets are looked up by
	enoughBegun    = 3      // answers with which nothing that is spelt otherwise is looked for
	maxBegunLooked = 16_384 // words and names that begin so, the first of the alphabet
)

// locateBegun adds the greatest places whose name goes on as the last words of the query begin.
func (x *Index) locateBegun(q *query, t *territory) {
	for from := max(0, len(q.words)-maxPlaceWords); from < len(q.words); from++ {
		if q.postcodes.has(from) || q.numbers.has(from) {
			continue
		}
		begun := q.joinWords(from, len(q.words))
		if len(begun) < minBegunPlace {
			continue
		}
		var found []candidate
		words := q.allWords() &^ (wordBit(from) - 1)
		x.aliases.Beginning(begun, maxBegunLooked, func(alias uint32) {
			trust := begunShare(begun, x.aliases.Word(alias))
			for _, entry := range x.aliasPlaces.listAt(alias) {
				id, class := entry&(1<<layout.AliasShift-1), layout.AliasClass(entry>>layout.AliasShift)
				// The whole name begins as its head does.
				if x.places[id].Kind >= layout.Departement || class == layout.ByPostal || class == layout.ByHead {
					continue
				}
				c := candidate{place: id, alias: alias, words: words, begun: true, class: class,
					quality: layout.Quality[class] * trust}
				found = keepGreatest(found, c, maxBegunPlaces, x.compareBegun)
			}
		})
		for i := range found {
			x.weighCandidate(q, t, &found[i])
		}
		t.candidates = append(t.candidates, found...)
	}
}

// compareBegun orders candidates, the greatest place first.
func (x *Index) compareBegun(a, b candidate) int {
	return cmp.Or(cmp.Compare(x.places[b.place].Population, x.places[a.place].Population),
		cmp.Compare(a.place, b.place))
}

// addBegun adds the terms that the last word may be the beginning of, those that most names have.
func (s *search) addBegun(word int, text string) {
	if len(text) < minBegun {
		return
	}
	var found []uint32
	names := func(term uint32) int { return len(s.x.termNames.listAt(term)) }
	s.x.terms.Beginning(text, maxBegunLooked, func(term uint32) {
		found = keepGreatest(found, term, maxBegunTerms, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(names(b), names(a)), cmp.Compare(a, b))
		})
	})
	for _, term := range found {
		s.addHit(term, hit{word: int8(word), trust: begunShare(text, s.x.terms.Word(term))})
	}
}

// begunShare is how much the beginning of a word is believed to mean it.
func begunShare(begun, word string) float32 {
	return begunTrust + (1-begunTrust)*float32(len(begun))/float32(len(word))
}

// keepGreatest adds to a sorted list of at most limit items.
func keepGreatest[T any](list []T, item T, limit int, compare func(a, b T) int) []T {
	at, found := slices.BinarySearchFunc(list, item, compare)
	if found || at == limit {
		return list
	}
	if len(list) == limit {
		list = list[:limit-1]
	}
	return slices.Insert(list, at, item)
}
