// Package geocode finds addresses and places as people type them, typing errors included, in a file that it
// reads in place. It bounds what one query may cost, and searches by hand-made indexes: no library does all
// of French abbreviations, misspellings and places within a millisecond.
package geocode

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"arpent/api/geocode/layout"
)

// What one query may cost: so many streets, names and terms are compared at
// most, then the best so far are the answer.
const (
	streetBudget = 20_000
	nameBudget   = 5_000
	termBudget   = 1_500_000 // terms compared with words that may be misspelt
	wordsUsual   = 10        // words of a query up to which the budgets hold in full
	maxScan      = 8_192     // streets of a place that are all looked at
	bestNames    = 48        // names whose streets everywhere are looked at
	maxKept      = 64        // answers whose numbers are looked up
	sureScore    = 0.75      // above which an answer that explains the whole query is it
	goodScore    = 0.86      // a score at which nothing better is looked for elsewhere
	minScore     = 0.3       // below this an answer is no answer
)

// Point is a position in degrees.
type Point = layout.Point

// Request is a search: what to look for, how many answers, and near what.
type Request struct {
	Query string // as CheckQuery gives it
	Limit int
	Near  *Point
	// Typing says that the last word may be only the beginning of one. Words
	// that are spelt otherwise are then looked for only where little begins so.
	Typing bool
}

// search is the work on one query.
type search struct {
	x      *Index
	q      *query
	ask    Request
	t      territory
	best   []answer // streets
	places []answer // and places

	worst int // its place in best, once that is full

	named wordSet // words that are the exact name of a place
	kinds wordSet // words for kinds of streets
	nouns wordSet // words for what is looked for in the town that the query names
	// beginning has, for each letter, the words that begin with it; single those that are only it.
	beginning, single [26]wordSet
	letters           wordSet // all that are one letter

	informativeWords wordSet // that distinguish streets, numbers aside
	nonNameWords     wordSet // that something else than the name of a street may explain

	hitOf map[uint32]int32
	// possible has a bit for each term, set for those in hitOf: most terms are not, and this is faster to see.
	possible []uint64
	hits     []hit
	near     []nearTerm
	looked   []lookedUp
	// seen has a bit for each name that was compared, seenNames are these.
	seen      []uint64
	seenNames []uint32

	streetsLeft, namesLeft, termsLeft int
	budgets, spent                    workCounts
}

// workCounts is what a search has compared.
type workCounts struct{ streets, names, terms int }

// recordWork adds what a pass has spent to the total.
func (s *search) recordWork() {
	s.spent.streets += s.budgets.streets - s.streetsLeft
	s.spent.names += s.budgets.names - s.namesLeft
	s.spent.terms += s.budgets.terms - s.termsLeft
}

// setBudgets sets how many comparisons one pass may make: fewer for long queries, whose comparisons cost
// more, and half the names in the pass without misspellings, in which few names match.
func (s *search) setBudgets(misspelt bool) {
	allowed := func(budget int) int { return budget * wordsUsual / max(wordsUsual, len(s.q.words)) }
	s.budgets = workCounts{allowed(streetBudget), allowed(nameBudget), allowed(termBudget)}
	if !misspelt {
		s.budgets.names /= 2
	}
	s.streetsLeft, s.namesLeft, s.termsLeft = s.budgets.streets, s.budgets.names, s.budgets.terms
}

var searchPool = sync.Pool{New: func() any {
	return &search{hitOf: map[uint32]int32{}}
}}

// Search finds what the query means, best first.
func (x *Index) Search(ask Request) FoundPlaces {
	found, _ := x.search(ask)
	return found
}

func (x *Index) search(ask Request) (FoundPlaces, workCounts) {
	if at := Coordinates(ask.Query); at != nil {
		return FoundPlaces{Query: strings.Clone(ask.Query), Data: []FoundPlace{}, Hint: coordinatesHint(*at)},
			workCounts{}
	}
	s := searchPool.Get().(*search)
	defer func() {
		s.resetHits()
		s.best, s.places = s.best[:0], s.places[:0]
		s.x, s.q, s.t = nil, nil, territory{}
		searchPool.Put(s)
	}()
	defer runtime.KeepAlive(x)
	place, isAround := cutAround(ask.Query)
	s.x, s.ask, s.q = x, ask, parseParts(x.rewriteParts(layout.Split(place)))
	s.worst, s.spent = -1, workCounts{}
	if n := len(x.terms.End)/64 + 1; len(s.possible) < n {
		s.possible = make([]uint64, n)
	}
	if n := len(x.nameText)/64 + 1; len(s.seen) < n {
		s.seen = make([]uint64, n)
	}
	if len(s.q.words) > 0 {
		if len([]rune(place)) < shortQuery {
			s.searchShort()
		} else {
			s.runPasses()
		}
	}
	found := s.buildResult()
	if isAround {
		found.sayAround()
	}
	return found, s.spent
}

// searchShort finds communes of exactly this name, and those whose first word it is.
func (s *search) searchShort() {
	s.x.locateByName(s.q, &s.t)
	for i := range s.t.candidates {
		c := &s.t.candidates[i]
		called := c.class == layout.ByName || c.class == layout.ByHead
		if called && s.x.places[c.place].Kind == layout.Commune && c.words == s.q.allWords() {
			s.x.weighCandidate(s.q, &s.t, c)
			c.asked = true
			s.addPlace(c)
		}
	}
}

func (s *search) runPasses() {
	s.runPass(false)
	enough := s.hasFullAnswer()
	if s.ask.Typing {
		enough = len(s.best)+len(s.places) >= enoughBegun
	}
	if enough {
		return
	}
	s.best, s.places = s.best[:0], s.places[:0]
	s.resetHits()
	s.runPass(true)
}

// resetHits takes back what the words were expanded to.
func (s *search) resetHits() {
	for term := range s.hitOf {
		s.possible[term/64] = 0
	}
	clear(s.hitOf)
	for _, name := range s.seenNames {
		s.seen[name/64] = 0
	}
	s.seenNames = s.seenNames[:0]
	s.hits, s.near, s.looked = s.hits[:0], s.near[:0], s.looked[:0]
}

// hasFullAnswer reports whether an answer explains the whole query.
func (s *search) hasFullAnswer() bool {
	whole := func(a answer) bool { return a.full && a.score > sureScore }
	return slices.ContainsFunc(s.best, whole) || slices.ContainsFunc(s.places, whole)
}

// runPass finds answers to the words as they stand, and also as they may be misspelt if that is allowed.
func (s *search) runPass(misspelt bool) {
	s.setBudgets(misspelt)
	defer s.recordWork()
	s.worst = -1
	s.t = s.x.locatePlaces(s.q, misspelt, &s.termsLeft)
	if s.ask.Typing {
		s.x.locateBegun(s.q, &s.t)
	}
	s.findNouns()
	s.expandWords(misspelt)
	s.classifyWords()
	s.findAsked()
	for i := range s.t.candidates {
		s.addPlace(&s.t.candidates[i])
	}
	for i := range s.t.candidates {
		s.matchStreets(&s.t.candidates[i])
	}
	if misspelt && !s.ask.Typing {
		for i := range s.t.candidates {
			s.matchWholeNames(&s.t.candidates[i])
		}
	}
	if !s.hasGoodAnswer() {
		s.searchCountry()
	}
}

// classifyWords finds which words name a place exactly, and which a kind of street.
func (s *search) classifyWords() {
	s.named, s.kinds, s.informativeWords, s.nonNameWords = 0, 0, 0, s.q.postcodes
	s.beginning, s.single, s.letters = [26]wordSet{}, [26]wordSet{}, 0
	for _, c := range s.t.within {
		s.nonNameWords |= c.words
	}
	for _, c := range s.t.candidates {
		if c.words&^s.nouns != 0 && c.class <= layout.ByFormerArticle &&
			c.quality >= layout.Quality[layout.ByFormerArticle] &&
			s.q.totalWeight(c.words) >= layout.LookupWeight && s.isPlacePosition(c.words) {
			s.named |= c.words
		}
	}
	for i := range s.q.words {
		if _, suffix := s.q.suffixAfter(i); s.q.numbers.has(i) {
			s.nonNameWords |= wordBit(i) | suffix
		}
		s.classifyLetter(i)
		if s.q.words[i].weight == layout.KindWeight {
			s.kinds |= wordBit(i)
		}
		if s.q.words[i].weight >= layout.LookupWeight && !s.q.numbers.has(i) && !s.q.postcodes.has(i) {
			s.informativeWords |= wordBit(i)
		}
	}
}

// classifyLetter finds words that could be initials, or that initials could stand for.
func (s *search) classifyLetter(i int) {
	w := &s.q.words[i]
	switch c := w.Text[0]; {
	case !isLetter(c) || w.Elided || w.weight < layout.LetterWeight:
	case len(w.Text) == 1:
		s.single[c-'a'] |= wordBit(i)
		s.letters |= wordBit(i)
	default:
		s.beginning[c-'a'] |= wordBit(i)
	}
}

// isLetter reports whether a word begins so with a letter, and neither
// with a digit nor with one of another script.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// isPlacePosition: words at the end, what is looked for in the place aside, or set off by a postcode, are
// where a place is named.
func (s *search) isPlacePosition(words wordSet) bool {
	after := (words << 1) &^ words
	end := wordBit(len(s.q.words))
	if s.q.allWords()&^(after-1)&^s.nouns == 0 {
		return true
	}
	return after&end != 0 || after&s.q.postcodes != 0 || after&s.q.numbers != 0 ||
		(words>>1)&^words&s.q.postcodes != 0
}

// hasGoodAnswer reports whether looking for streets elsewhere can give nothing better: an answer is good
// enough, or it is a street in the place that is named and better than a street elsewhere can be.
func (s *search) hasGoodAnswer() bool {
	return slices.ContainsFunc(s.places, func(a answer) bool { return a.score >= goodScore }) ||
		slices.ContainsFunc(s.best, func(a answer) bool {
			return a.score >= goodScore || s.named != 0 && a.score >= elsewhereFactor*nameOnlyTrust
		})
}

// matchStreets compares the streets of a candidate with what the query says apart from its name.
func (s *search) matchStreets(c *candidate) {
	free, in := s.q.allWords()&^c.words&^c.postcode, s.x.streetsIn(c)
	if free == 0 || in.Length() == 0 || len(s.hits) == 0 || in.Length() > min(maxScan, s.streetsLeft) {
		return
	}
	s.streetsLeft -= in.Length()
	for i := in.From; i < in.To; i++ {
		if m, ok := s.matchName(s.x.streets[i].Name, free); ok && s.canRank(c, m) {
			s.addStreet(i, c, m)
		}
	}
}

// streetsIn are the streets of a candidate, of a former commune those of all its commune: not all streets are
// marked with the former commune that they lie in.
func (x *Index) streetsIn(c *candidate) layout.Span {
	if p := &x.places[c.place]; p.Kind != layout.Former {
		return p.Streets
	}
	return x.places[x.places[c.place].Parent].Streets
}

// departementWords gives the words that name a département or its région, apart from those that are taken.
func (s *search) departementWords(d uint32, taken wordSet) (words wordSet) {
	for _, c := range s.t.within {
		if s.x.isWithin(d, c) && c.words&(taken|words) == 0 {
			words |= c.words
		}
	}
	return words
}

// isWithin reports whether a département is the one that words name, or lies in the région that they name.
func (x *Index) isWithin(d uint32, c placeClaim) bool {
	return c.place == d || c.place == x.places[d].Parent
}

func (x *Index) hasDepartementPrefix(q *query, i int, d uint32) bool {
	return strings.HasPrefix(q.words[i].Text, layout.CodeOf(&x.places[d]))
}
