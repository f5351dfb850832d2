package geocode

import (
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

const (
	// Share of the informative words of a name, by weight, that must be matched for the name to count: one of
	// three, which may have a typing error.
	minShare = 0.27
	minPlain = 0.7 // of all words, in a name that has none of these: Grande Rue

	// A name that is compared as a whole has so many letters at least, and for each typing error so many. It may
	// begin with one of so many words.
	minWhole, lettersPerError, maxBegins = 8, 4, 4
)

// match is how well words of the query fit a name.
type match struct {
	words     wordSet // of the query, that are in the name
	differ    wordSet // of these, that are spelt otherwise there
	explained float32 // their weight, by how sure each is
	cover     float32 // share of the name that was named, 0…1
	order     float32 // share of the words that follow each other as in the name, 0…1
	otherKind bool    // the query names a kind of street, and it is not the name's
	written   bool    // all of the name but its fillers is in the query, as written or by a known variant
}

// matchName compares a name with the words of the query that are free. ok is false when too
// little of the name is there for it to be meant.
func (s *search) matchName(name uint32, free wordSet) (m match, ok bool) {
	terms := s.x.nameTerms.listAt(name)
	terms = terms[:min(len(terms), len(comparison{}.missed))]
	if !s.mayMatch(terms) {
		return m, false
	}
	c := comparison{last: -1, half: -1}
	m.written = true
	for _, term := range terms {
		term &^= layout.InformativeBit
		w := s.x.termWeight[term]
		c.total.add(w, w)
		if h := s.bestHit(term, free&^m.words, c.last, c.half); h != nil {
			m.addHit(s.q, h)
			c.addHit(w, h)
			m.written = m.written && h.trust >= readingTrust
			continue
		}
		c.half = -1
		m.written = m.written && w <= layout.FillerWeight
		c.missed[c.misses] = term
		c.misses++
		c.kindMissed = c.kindMissed || w == layout.KindWeight
	}
	if c.found == 0 {
		return m, false
	}
	for _, term := range c.missed[:c.misses] {
		if w := s.matchInitial(term, free&^m.words, &m); w > 0 {
			c.matched.add(s.x.termWeight[term], w)
		}
	}
	if c.total.informative > 0 && c.matched.informative < minShare*c.total.informative ||
		c.total.informative == 0 && c.matched.all < minPlain*c.total.all {
		return m, false
	}
	m.otherKind = c.kindMissed && s.kinds&free&^m.words != 0
	m.cover = c.matched.all / c.total.all
	m.order = float32(c.inOrder) / float32(c.found)
	return m, true
}

// mayMatch reports quickly whether nearly all names do not match: none of their informative words is meant.
func (s *search) mayMatch(terms []uint32) bool {
	informative := false
	for _, term := range terms {
		at := term &^ layout.InformativeBit
		if term != at {
			if s.possible[at/64]&(1<<(at%64)) != 0 {
				return true
			}
			informative = true
		}
	}
	return !informative
}

// comparison is how far the words of a name have been matched.
type comparison struct {
	total, matched weights
	found, inOrder int
	last, half     int // the word that was matched last, and that whose first half was; -1: none
	missed         [32]uint32
	misses         int
	kindMissed     bool
}

// weights are sums of weights, of all words and of the informative ones.
type weights struct{ all, informative float32 }

// add adds as much of a word of this weight as is sure.
func (s *weights) add(weight, sure float32) {
	s.all += sure
	if weight >= layout.InformativeWeight {
		s.informative += sure
	}
}

func (c *comparison) addHit(w float32, h *hit) {
	at := int(h.word)
	c.matched.add(w, w*h.trust)
	if at > c.last || h.half == secondHalf {
		c.inOrder++
	}
	c.half = -1
	if h.half == firstHalf {
		c.half = at
	}
	c.found++
	c.last = at
}

func (m *match) addHit(q *query, h *hit) {
	taken := wordBit(int(h.word))
	if h.joined {
		taken |= taken << 1
	}
	m.words |= taken
	if h.trust < readingTrust {
		m.differ |= taken
	}
	if h.half != fullWord {
		m.explained += 0.5 * q.words[h.word].weight * h.trust
		return
	}
	m.explained += q.words[h.word].weight * h.trust
	if h.joined {
		m.explained += q.words[h.word+1].weight * h.trust
	}
}

// bestHit is the surest free word for a term; among equal ones the first after the word before. half is the
// word whose first half the term before was.
func (s *search) bestHit(term uint32, free wordSet, last, half int) *hit {
	if s.possible[term/64]&(1<<(term%64)) == 0 {
		return nil
	}
	first := s.hitOf[term]
	var best *hit
	for i := first; i >= 0; i = s.hits[i].next {
		h := &s.hits[i]
		at := int(h.word)
		if h.half == secondHalf && at == half {
			return h
		}
		if h.half == secondHalf || !free.has(at) || h.joined && !free.has(at+1) {
			continue
		}
		if best == nil || h.trust > best.trust || h.trust == best.trust && isNearer(at, int(best.word), last) {
			best = h
		}
	}
	return best
}

// isNearer reports whether word a is more likely than b to come after word last.
func isNearer(a, b, last int) bool {
	if (a > last) != (b > last) {
		return a > last
	}
	return a < b
}

// matchInitial matches a word of the name that is written, here or there, by its first letter only. It gives
// the weight of the word in the name, by how sure it is.
func (s *search) matchInitial(term uint32, free wordSet, m *match) float32 {
	w := s.x.termWeight[term]
	if w < layout.InformativeWeight && w != layout.LetterWeight || w != layout.LetterWeight &&
		s.letters&free == 0 {
		return 0
	}
	text := s.x.terms.Word(term)
	if !isLetter(text[0]) {
		return 0
	}
	words := s.single[text[0]-'a']
	if len(text) == 1 {
		words = s.beginning[text[0]-'a']
	}
	if words &= free; words == 0 {
		return 0
	}
	m.words |= wordBit(words.first())
	m.differ |= wordBit(words.first())
	m.explained += s.q.words[words.first()].weight * initialTrust
	return w * initialTrust
}

// matchWholeNames compares what the query says of a street in a candidate, as one word, with the whole names
// of its streets: the words of "jan jaque rouseau" have more typing errors each than a word may have, the name
// has not. The name may begin with any of the words: rouseau jan jaque. It does nothing where a street of the
// candidate has all these words.
func (s *search) matchWholeNames(c *candidate) {
	said := s.informativeWords &^ (c.words | s.q.facilityWords)
	said &^= s.departementWords(s.x.places[c.place].Departement, c.words)
	text, in := "", s.x.streetsIn(c)
	var begins []int // where the words begin in text
	for left := said; left != 0; left = left.rest() {
		begins = append(begins, len(text))
		text += s.q.words[left.first()].Text
	}
	if len(text) < minWhole || len(text) > layout.MaxDistance || in.Length() > min(maxScan, s.streetsLeft) ||
		slices.ContainsFunc(s.best, func(a answer) bool { return a.candidate == c && said&^a.m.words == 0 }) {
		return
	}
	s.streetsLeft -= in.Length()
	patterns := make([]layout.Pattern, min(len(begins), maxBegins))
	for i := range patterns {
		patterns[i].Set(text[begins[i]:] + text[:begins[i]])
	}
	for i := in.From; i < in.To; i++ {
		var name strings.Builder
		terms := s.x.nameTerms.listAt(s.x.streets[i].Name)
		for _, term := range terms {
			if term&layout.InformativeBit != 0 {
				name.WriteString(s.x.terms.Word(term &^ layout.InformativeBit))
			}
		}
		most := max(name.Len(), len(text)) / lettersPerError
		errors := most + 1
		for p := range patterns {
			errors = min(errors, patterns[p].Distance(name.String(), most))
		}
		if errors <= most {
			s.addStreet(i, c, s.matchWhole(terms, said, s.q.allWords()&^(c.words|c.postcode),
				errorTrust(errors, name.Len())))
		}
	}
}

// matchWhole is the match of a name that is so much like all that is said of it.
func (s *search) matchWhole(terms []uint32, said, free wordSet, trust float32) match {
	m := match{words: said, explained: s.q.totalWeight(said) * trust, order: 1}
	for left := said; left != 0; left = left.rest() {
		term, ok := s.x.terms.Find(s.q.words[left.first()].Text)
		if !ok || !slices.Contains(terms, term|layout.InformativeBit) {
			m.differ |= wordBit(left.first())
		}
	}
	var total, matched float32
	for _, term := range terms {
		w := s.x.termWeight[term&^layout.InformativeBit]
		total += w
		if term&layout.InformativeBit != 0 {
			matched += w * trust
		} else if h := s.bestHit(term, free&^m.words, -1, -1); h != nil {
			m.addHit(s.q, h)
			matched += w * h.trust
		} else if w == layout.KindWeight {
			m.otherKind = s.kinds&free&^m.words != 0
		}
	}
	m.cover = matched / total
	return m
}
