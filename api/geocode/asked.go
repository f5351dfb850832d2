package geocode

import (
	"cmp"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

const (
	// What is not in the place that the query asks in scores below it, in the order that it would have.
	outsideFactor = 0.95
	// A guess is worth the less the fewer people can have meant the place: few misspell the name of a hamlet.
	guessedLeast, guessedStreet = 0.3, 0.6
	// Above sureLeast every word was found; guesses that would come near it are pressed together below.
	sureLeast, guessFrom, guessSlope = 0.8, 0.7, 0.33
	sureFrom                         = 0.85
	// A street that is asked for without its town has 0.79 at most where other towns may have one of its name
	// that is not loaded.
	townlessSlope = 0.3
)

// isFullMatch reports whether a name is as good as the place's own. One that lacks the article or the end
// is not, nor one of former times or of the post where another place is called so today or a greater one
// begins so, nor a part of what another is called.
func (s *search) isFullMatch(c *candidate) bool {
	if c.class == layout.ByHead || c.class == layout.ByArticle || c.class == layout.ByFormerArticle {
		return false
	}
	return !slices.ContainsFunc(s.t.candidates, func(other candidate) bool {
		switch {
		case !other.written || other.words == 0 || c.words&^other.words != 0:
			return false
		case other.class == layout.ByName:
			return other.words != c.words || c.class > layout.ByRenamed
		}
		return other.class == layout.ByHead && other.words == c.words && c.class > layout.ByArticle &&
			s.x.places[other.place].Population > s.x.places[c.place].Population
	})
}

// ranksBelow reports whether a place comes after another that has the words with more
// right: by a name that is divided into words as they are, by the article before them, or,
// where both lack that, by its name of today.
func (s *search) ranksBelow(c *candidate) bool {
	if !c.written || c.words == 0 {
		return false
	}
	today, article := c.class, s.articleBefore(c.words)
	switch {
	case c.class == layout.ByFormerArticle:
		today = layout.ByArticle
	case c.divided && c.class == layout.ByRenamed:
		today = layout.ByName
	}
	same := today != c.class || c.divided
	return (same || article != 0) && slices.ContainsFunc(s.t.candidates, func(other candidate) bool {
		return other.written && !other.divided && (same && other.class == today && other.words == c.words ||
			other.words == c.words|article && article != 0) &&
			s.explainedWords(c)&^s.explainedWords(&other) == 0
	})
}

// articleBefore is the article that stands before words; none where another word does.
func (s *search) articleBefore(words wordSet) wordSet {
	if at := words.first() - 1; at >= 0 && articles[s.q.words[at].Text] {
		return wordBit(at)
	}
	return 0
}

// explainedWords is the words of the query that a place has: those of
// its name, its postcode and its département.
func (s *search) explainedWords(c *candidate) wordSet {
	taken := c.words | c.postcode
	return taken | s.departementWords(s.x.places[c.place].Departement, taken)
}

// findAsked finds the places that the query asks in: words at one of its ends that are a name as written, and
// do not belong to a street ("rue de Bordeaux"). One whose postcode or département stands next to it comes
// before one at the end, that before one at the beginning. The end of a name with "de" in it may be anything,
// and so may a beginning. Where the name has another postcode, that asks in its own places as well.
func (s *search) findAsked() {
	best, most := wordSet(0), 0
	for i := range s.t.candidates {
		if c := &s.t.candidates[i]; c.written && c.words != 0 {
			if rank := s.askedRank(c); rank > most {
				best, most = c.words, rank
			}
		}
	}
	if most/100 == asksPerhaps {
		best = 0
	}
	fits := slices.ContainsFunc(s.t.candidates, func(c candidate) bool {
		return c.written && c.words == best && c.postcode != 0 && best != 0
	})
	for i := range s.t.candidates {
		c := &s.t.candidates[i]
		if c.words == 0 {
			c.asked = !fits && c.postcode != 0
		} else {
			c.asked = c.written && c.words == best && (!fits || c.postcode != 0)
		}
	}
}

// askedRank rates how surely the words of a candidate name the place to search in; 0: they name none. Among
// equal ones it rates longer names higher: Dom-le-Mesnil, not Le Mesnil.
func (s *search) askedRank(c *candidate) int {
	from := c.words.first()
	to := from + c.words.count()
	claim := s.departementWords(s.x.places[c.place].Departement, c.words)
	aside := s.q.postcodes | claim | s.q.numbers | s.nouns
	after, before := s.q.allWords()&^(wordBit(to)-1), wordBit(from)-1
	place := 0
	switch {
	case c.words&^s.nouns == 0 || s.followsStreetKind(from) || s.isInsideDepartement(c.words) ||
		s.isInsideName(c.words):
		return 0
	case c.class == layout.ByHead && after&^aside != 0:
		return 0
	case c.class == layout.ByHead:
	case c.postcode != 0:
		place = asksByPostcode
	case after&^aside == 0 && claim&after != 0:
		place = asksByDepartement
	case after&^aside == 0 && (from == 0 || !linkWords[s.q.words[from-1].Text]):
		place = asksAtEnd
	case before&^(s.q.postcodes|claim) == 0 && (s.q.numbers | s.q.postcodes | s.kinds).has(to):
		place = asksAtBeginning
	case before == 0:
		place = asksPerhaps
	case after&^aside != 0:
		return 0
	}
	return 100*place + to - from
}

// How words ask in a place, the surest last.
const (
	asksPerhaps = 1 + iota
	asksAtBeginning
	asksAtEnd
	asksByDepartement
	asksByPostcode
)

// linkWords are words between the parts of one name.
var linkWords = layout.Set("de du des d et aux au en sur sous les lez")

var articles = layout.Set("l le la les")

// isInsideName reports whether the words are only a part of a longer name of a place.
func (s *search) isInsideName(words wordSet) bool {
	return slices.ContainsFunc(s.t.candidates, func(c candidate) bool {
		return c.written && c.class != layout.ByHead && words&^c.words == 0 && words != c.words
	})
}

// followsStreetKind reports whether a name that begins at a word follows a word for a kind of street: "12 rue
// de Bordeaux". A kind that ends a name of its own does not count: "Grande Rue Bordeaux".
func (s *search) followsStreetKind(from int) bool {
	at := from - 1
	// "5 place d'Armes à Bondy", "Voie A Bondy"
	for at >= 0 && layout.Fillers[s.q.words[at].Text] && s.q.words[at].Text != "a" {
		at--
	}
	if at < 0 || !s.kinds.has(at) {
		return false
	}
	return at < from-1 || at == 0 || s.q.numbers.has(at-1) || s.q.postcodes.has(at-1) ||
		s.q.words[at-1].weight == suffixWeight
}

// isInsideDepartement reports whether the words are only a part of the name of a département: the
// Saint-Denis of "Bondy, Seine-Saint-Denis".
func (s *search) isInsideDepartement(words wordSet) bool {
	return slices.ContainsFunc(s.t.departements, func(d placeClaim) bool {
		return words&^d.words == 0 && words != d.words
	})
}

// adjustScores gives the answers their scores: an answer outside the place that the query asks in comes after
// that place, unless it has every word of the query; only what has all words scores above 0.8, and where that
// exists guesses are left out. So they are where a street lacks nothing but the number of the house.
func (s *search) adjustScores() {
	top := float32(0)
	for i := range s.best {
		a := &s.best[i]
		if a.score < minScore {
			a.score = 0
		}
		if a.street == noPlace && a.candidate.asked {
			top = max(top, a.score)
		}
	}
	limit, best := outsideFactor*top, -1
	for i := range s.best {
		a := &s.best[i]
		a.sure = a.written && s.unmatchedWords(a) == 0
		if top > 0 && !a.sure && a.score > limit && !s.isInAskedPlace(a) && !s.isFullPlace(a) &&
			!s.isFullStreet(a) {
			a.score = limit * (0.9 + 0.1*a.score)
		}
		if best < 0 || a.score > s.best[best].score {
			best = i
		}
	}
	belief := s.guessFactor(best)
	sure := slices.ContainsFunc(s.best, func(a answer) bool { return a.sure && a.score > 0 })
	isNamed := func(a *answer) bool {
		left := s.unmatchedWords(a)
		return a.score > 0 && a.differ == 0 && (left == 0 || !sure && a.written && left == s.missingNumberWords(a))
	}
	named := slices.ContainsFunc(s.best, func(a answer) bool { return isNamed(&a) && a.written })
	certain := best >= 0 && s.isCertainPlace(&s.best[best])
	for i := range s.best {
		switch a := &s.best[i]; {
		case named && !isNamed(a):
			a.score = 0 // no guesses after what is called so
		case certain && i != best && s.isOtherGuess(a, &s.best[best]):
			a.score = 0 // nor next to the commune that the rest of the query was not found in
		case a.differ != 0 && s.isNameOfStreet(a):
			a.score = 0 // rue de la Paix does not mean Saïx
		case s.ask.Typing: // what goes on is no guess
		case a.sure && a.score > 0:
			a.score = max(a.score, sureLeast+a.score*(sureFrom-sureLeast)/sureFrom)
		case !a.sure:
			a.score = belief * min(a.score, guessFrom+(a.score-guessFrom)*guessSlope)
			if a.differ != 0 && a.score < minScore {
				a.score = 0
			}
		}
		if a := &s.best[i]; !s.ask.Typing && a.score > guessFrom && s.lacksTown(a) {
			a.score = guessFrom + (a.score-guessFrom)*townlessSlope
		}
	}
}

// isCertainPlace reports whether an answer is the commune that the query asks in, by its name as written, and
// the query asks for something in it.
func (s *search) isCertainPlace(a *answer) bool {
	return a.street == noPlace && s.unmatchedWords(a) != 0 && a.candidate.asked && a.candidate.written && a.candidate.words != 0 &&
		s.isFullMatch(a.candidate)
}

// isOtherGuess reports whether an answer is in another commune than a place, and is spelt otherwise than the
// query or the name of a smaller commune that only begins like the place.
func (s *search) isOtherGuess(a, place *answer) bool {
	of, other := &s.x.places[s.x.places[s.placeOf(place)].Parent], &s.x.places[s.x.places[s.placeOf(a)].Parent]
	return of != other && (a.differ != 0 || a.street == noPlace && a.candidate.class == layout.ByHead &&
		a.candidate.words&^place.candidate.words == 0 && other.Population < of.Population)
}

// isNameOfStreet reports whether what was taken for a commune follows a kind of street, so that it is the
// street's name: rue de la Paix.
func (s *search) isNameOfStreet(a *answer) bool {
	if a.street != noPlace || a.candidate.words == 0 {
		return false
	}
	isAfterKind, number := false, wordSet(0)
	for i := range a.candidate.words.first() {
		if _, suffix := s.q.suffixAfter(i); s.q.numbers.has(i) {
			number |= wordBit(i) | suffix
		}
		switch {
		case s.kinds.has(i):
			isAfterKind = true
		case !number.has(i) && !layout.Fillers[s.q.words[i].Text]:
			return false
		}
	}
	return isAfterKind
}

// guessFactor is what guesses are worth where the best of them is a place whose name is spelt
// otherwise, and neither postcode nor département speak for it; or a street of which one word was
// said, which may as well be a place abroad.
func (s *search) guessFactor(best int) float32 {
	if best < 0 {
		return 1
	}
	a := &s.best[best]
	if a.street != noPlace && a.candidate.place == noPlace && a.understood == a.m.words && s.kinds == 0 &&
		s.informativeWords.count() == 1 {
		return guessedStreet
	}
	if a.street != noPlace || a.candidate.written || a.candidate.larger || a.understood != a.candidate.words {
		return 1
	}
	return guessedLeast + (1-guessedLeast)*s.x.places[a.candidate.place].Importance
}

// isInAskedPlace reports whether an answer lies in a place that the query asks in.
func (s *search) isInAskedPlace(a *answer) bool {
	if a.candidate.place != noPlace && a.candidate.asked {
		return true
	}
	in := s.x.places[s.placeOf(a)].Parent
	return a.street != noPlace && slices.ContainsFunc(s.t.candidates, func(c candidate) bool {
		return c.asked && s.x.places[c.place].Parent == in
	})
}

// isFullPlace reports whether the whole query is the name of a place, if spelt
// otherwise: "saint brieux" is not in Brieux.
func (s *search) isFullPlace(a *answer) bool {
	return a.street == noPlace && s.q.allWords()&^(a.understood|s.q.postcodes) == 0
}

// isFullStreet reports whether a street has every word of the query, if spelt otherwise.
func (s *search) isFullStreet(a *answer) bool { return a.street != noPlace && s.unmatchedWords(a) == 0 }

// unmatchedWords is the words that an answer does not have. Fillers do not count where nothing else is
// missing ("à Bondy"), but for the article of a place: Le Canet is not Canet.
func (s *search) unmatchedWords(a *answer) wordSet {
	left := s.q.allWords() &^ a.understood
	for rest := left; rest != 0; rest = rest.rest() {
		if text := s.q.words[rest.first()].Text; !layout.Fillers[text] || a.street == noPlace && articles[text] {
			return left
		}
	}
	return 0
}

// splitWords gives the words that an answer has, and those that it does not have or spells otherwise: of 12b
// the number alone, where the suffix is not known.
func (s *search) splitWords(a *answer) (matched, unmatched []string) {
	left := s.unmatchedWords(a) | a.differ
	matched, unmatched = make([]string, 0, len(s.q.words)), []string{}
	for i := range s.q.words {
		w := &s.q.words[i]
		text := cmp.Or(w.typed, w.Text)
		switch {
		case a.bareNumber.has(i):
			matched, unmatched = append(matched, strings.TrimSuffix(text, w.suffix)), append(unmatched, w.suffix)
		case left.has(i):
			unmatched = append(unmatched, text)
		default:
			matched = append(matched, text)
		}
	}
	return matched, unmatched
}

// largePlace is the population from which on a commune counts that only begins with the name of another.
const largePlace = 2000

// countNamesakes counts the places that the query may mean, the best answer included; 0: there is
// no answer. equal of them it names as well as that: communes that the same words name, or answers
// that have every word where it is a street.
func (s *search) countNamesakes() (count, equal int) {
	switch {
	case len(s.best) == 0 || s.best[0].score == 0:
		return 0, 0
	case s.best[0].street != noPlace:
		count = s.streetsAlike()
	case s.best[0].candidate.words == 0:
		count = s.communesServed(s.best[0].candidate)
	case s.hasMuchLarger():
		count = len(s.listNamed())
	default:
		return s.communesCalled(s.best[0].candidate)
	}
	return count, count
}

// hasMuchLarger reports whether the query begins the names of places and is nearly that of a much larger one.
func (s *search) hasMuchLarger() bool {
	return slices.ContainsFunc(s.t.candidates, func(c candidate) bool { return c.larger })
}

// listNamed lists the places that the whole query names or begins, the much larger ones included, the largest
// first.
func (s *search) listNamed() (places []uint32) {
	for _, c := range s.t.candidates {
		if c.words == s.q.allWords() && (c.written || c.larger) && !slices.Contains(places, c.place) {
			places = append(places, c.place)
		}
	}
	slices.SortStableFunc(places, func(a, b uint32) int {
		return cmp.Compare(s.x.places[b].Population, s.x.places[a].Population)
	})
	return places
}

// communesCalled counts the communes that bear the name which a candidate is named by, and what else the
// query says of the candidate: its postcode, its département. What bears the name as it is written is meant
// rather than what is called by a part of its name, or was called so: unless that is greater, only large ones
// of these count.
func (s *search) communesCalled(best *candidate) (count, equal int) {
	said, population := s.explainedWords(best), s.x.places[best.place].Population
	borne := best.class == layout.ByName && !best.divided
	called := map[uint32]bool{s.x.places[best.place].Parent: true} // and whether equally
	named := 0                                                     // that have the name today
	for _, entry := range s.x.aliasPlaces.listAt(best.alias) {
		if entry>>layout.AliasShift == uint32(layout.ByName) &&
			s.x.places[entry&(1<<layout.AliasShift-1)].Kind == layout.Commune {
			named++
		}
	}
	for _, entry := range s.x.aliasPlaces.listAt(best.alias) {
		id, class := entry&(1<<layout.AliasShift-1), layout.AliasClass(entry>>layout.AliasShift)
		p := &s.x.places[id]
		if p.Kind >= layout.Departement || class == layout.ByPostal && best.class != class {
			continue
		}
		equally := !borne || class == layout.ByName || p.Population > population
		if p.Kind == layout.Former && named > 1 {
			continue // several are called so today
		}
		if !equally && (p.Population < largePlace || p.Kind == layout.Former && class != layout.ByRenamed) {
			continue
		}
		other := candidate{place: id, words: best.words, class: class}
		s.x.weighCandidate(s.q, &s.t, &other)
		if said&^s.explainedWords(&other) == 0 {
			called[p.Parent] = called[p.Parent] || equally
		}
	}
	for _, equally := range called {
		if equally {
			equal++
		}
	}
	return len(called), equal
}

// communesServed counts the communes that have all postcodes of a candidate.
func (s *search) communesServed(best *candidate) int {
	if best.postcode == 0 {
		return 1
	}
	called := map[uint32]bool{}
	for i := range s.t.candidates {
		if c := &s.t.candidates[i]; c.words == 0 && best.postcode&^c.postcode == 0 {
			called[s.x.places[c.place].Parent] = true
		}
	}
	return len(called)
}

// streetsAlike counts the streets that have every word of the query, as the best answer has, or that are
// called like it where all are of another kind than the query asks for.
func (s *search) streetsAlike() int {
	if names := s.otherKinds(&s.best[0]); len(names) > 0 {
		return len(names)
	}
	alike := map[uint32]bool{s.best[0].street: true}
	for i := range s.best {
		if a := &s.best[i]; a.sure && a.street != noPlace && s.best[0].sure {
			alike[a.street] = true
		}
	}
	return len(alike)
}
