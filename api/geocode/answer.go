package geocode

import (
	"math"
	"slices"

	"arpent/api/geocode/layout"
)

const (
	noPlace = ^uint32(0) // a candidate that is no place: the query names none, or it is not looked at

	// A place is an answer, if not a full one, to a query for a street in it that is not known.
	placePower        = 0.75
	otherKindFactor   = 0.9  // an avenue, when a street was asked for
	fullShare         = 0.97 // of the weight of the words, that is as good as all
	unexplainedFactor = 0.75 // a street that has not all informative words
	elsewhereFactor   = 0.6  // a street elsewhere, when the query names a place exactly
	nameOnlyTrust     = 0.9  // of a street that only its name speaks for
	postcodeTrust     = 0.93 // of a commune that only its postcode speaks for
	// What the score loses where a place has no importance, and is far from the
	// one who asks if that position is known.
	importanceShare     = 0.05
	nearImportanceShare = 0.02
	nearShare           = 0.1
	nearKm, farKm       = 2, 40 // distances at which half of the two halves of nearness are lost
	suffixFactor        = 0.3   // what "12 bis" is worth when 12 was asked for, and the reverse
)

// answer is something that was found, before its texts are made.
type answer struct {
	street     uint32 // nowhere: a place
	candidate  *candidate
	m          match
	score      float32
	full       bool         // it explains the whole query
	understood wordSet      // words of the query that it has
	differ     wordSet      // of these, that it has spelt otherwise
	bareNumber wordSet      // the number in one word with a suffix that it does not have
	written    bool         // nothing in it is spelt otherwise, or more than was asked for
	sure       bool         // and nothing was asked for that it does not have
	house      layout.House // number 0: none
}

// addPlace takes a place as an answer. Places are few: all are kept, and none gets lost among streets.
func (s *search) addPlace(c *candidate) {
	p := &s.x.places[c.place]
	taken := c.words | c.postcode
	claim := s.departementWords(p.Departement, taken)
	explained := c.explained + s.q.totalWeight(claim)
	excused := s.q.ignoredWeight(taken)
	text := float32(math.Pow(float64(min(1, explained/(s.q.total-excused))), placePower))
	if excused > 0 {
		text *= facilityFactor
	}
	if c.words == 0 {
		text *= postcodeTrust
	}
	if s.ranksBelow(c) {
		text *= s.tieFactor()
	}
	if s.q.facilityWords != 0 && s.named&^(taken|claim) != 0 {
		text *= elsewhereFactor // the facility is called so: "église Saint-Pierre, Bondy"
	}
	at := s.x.arrondissementOf(s.q, c)
	if s.isStreetName(c) {
		text *= elsewhereFactor
	}
	a := answer{street: noPlace, candidate: c, score: s.combineScore(text, p, at.Lat, at.Lon),
		full:       explained >= fullShare*s.q.total,
		understood: taken | claim, differ: s.misspeltWords(c), written: c.written && s.isFullMatch(c)}
	if c.asked && c.words != 0 {
		a.score = max(a.score, minScore*(1+0.1*c.quality)) // however much else was asked for
	}
	s.places = append(s.places, a)
}

// isStreetName reports whether the name of a place is that of a street of another place, which the query
// names after it with a typing error: the Paris of "rue de Paris, Limogse".
func (s *search) isStreetName(c *candidate) bool {
	if c.words == 0 || !s.followsStreetKind(c.words.first()) {
		return false
	}
	after := s.q.allWords() &^ (wordBit(c.words.first()+c.words.count()) - 1)
	return slices.ContainsFunc(s.t.candidates, func(other candidate) bool {
		return other.words != 0 && other.words&^after == 0 && s.isPlacePosition(other.words)
	})
}

// addStreet takes a street as an answer, as if the number that the query asks for were there.
func (s *search) addStreet(id uint32, c *candidate, m match) {
	a := answer{street: id, candidate: c, m: m}
	st := &s.x.streets[id]
	a.score = s.scoreStreet(&a, st.Count > 1)
	s.keepBest(a)
}

// scoreStreet adds up what the query says and the street explains. hopeful: its number counts as found.
func (s *search) scoreStreet(a *answer, hopeful bool) float32 {
	st := &s.x.streets[a.street]
	in := &s.x.places[st.Place]
	explained := a.m.explained + a.candidate.explained
	taken := a.m.words | a.candidate.words | a.candidate.postcode
	placed := a.candidate.place != noPlace
	if code, words := s.postcodeFits(a, st, in); words != 0 {
		explained += code
		placed = placed || code > 0
	}
	number, said := s.findNumber(a, taken, in.Departement)
	claim := s.departementWords(in.Departement, taken|said)
	if claim != 0 {
		explained += s.q.totalWeight(claim)
		placed = true
	}
	if said != 0 && (hopeful || a.house.Number != 0) {
		explained += s.numberWeight(a, number, said, hopeful)
	} else if other := s.departementWords(in.Departement, taken|claim); other != 0 &&
		a.m.words&(said<<1|other<<1) == 0 {
		explained += s.q.totalWeight(other)
		placed = true
		claim |= other
	}
	a.full = explained >= fullShare*s.q.total && !a.m.otherKind
	if !hopeful {
		s.markUnderstood(a, st, taken|claim, said)
	}
	excused, strange := float32(0), s.informativeWords&^(taken|said|claim)
	if strange&^s.q.facilityWords == 0 {
		excused = s.q.ignoredWeight(taken)
	}
	text := min(1, explained/(s.q.total-excused)) * a.m.nameFactor()
	if excused > 0 {
		text *= facilityFactor
	}
	if !placed {
		text *= nameOnlyTrust
	}
	if s.isElsewhere(a, taken|claim) {
		text *= elsewhereFactor
	}
	if a.m.otherKind {
		text *= otherKindFactor
	}
	if strange != 0 {
		text *= unexplainedFactor
	}
	if a.candidate.place != noPlace && s.x.places[a.candidate.place].Kind == layout.Former &&
		st.Place != a.candidate.place {
		text *= 0.98
	}
	lat, lon := st.Lat, st.Lon
	return s.combineScore(text, &s.x.places[in.Parent], lat, lon)
}

// markUnderstood notes which words a street has: those for its number only where that is there. A letter for
// a suffix that is not known is not understood.
func (s *search) markUnderstood(a *answer, st *layout.Street, words, number wordSet) {
	a.differ = a.m.differ
	if a.candidate.place != noPlace {
		a.differ |= s.misspeltWords(a.candidate)
	}
	a.written = a.m.written && !a.m.otherKind && (a.candidate.place == noPlace || a.candidate.written &&
		s.isFullMatch(a.candidate))
	for left := s.q.postcodes; left != 0; left = left.rest() {
		i := left.first()
		if st.Postcode == layout.PostcodeNumber(s.q.words[i].Text) {
			words |= wordBit(i)
		} else if a.candidate.postcode.has(i) && st.Postcode != 0 {
			a.written = false
		}
	}
	a.written = a.written && !s.isInOtherPart(a)
	if number != 0 && a.house.Number != 0 {
		suffix := s.q.words[number.first()].suffix
		if number.rest() != 0 {
			suffix, _ = s.suffixAsked(a, number.first())
		}
		a.written = a.written && sameSuffix(suffix, a.house.Suffix)
		switch {
		case sameSuffix(suffix, a.house.Suffix):
			words |= number
		case number.rest() == 0 && suffix != "":
			a.bareNumber = number
		default:
			words |= number &^ number.rest()
		}
	}
	a.understood = words
}

// isInOtherPart reports whether a street is known to lie in another former commune than the one that the
// query names. The name of a commune before it was merged may also stand for all of it.
func (s *search) isInOtherPart(a *answer) bool {
	if a.candidate.place == noPlace {
		return false
	}
	named, in := &s.x.places[a.candidate.place], &s.x.places[s.x.streets[a.street].Place]
	return named.Kind == layout.Former && in.Kind == layout.Former && named.Code != in.Code &&
		named.Code != [8]byte{} &&
		(named.Code != s.x.places[named.Parent].Code || named.Streets.Length() > 0)
}

// isElsewhere reports whether the query names another place than that of the street. Words for a facility
// have names after them that are also those of places: "église Sainte-Marie, Bondy" is not in Sainte-Marie.
func (s *search) isElsewhere(a *answer, taken wordSet) bool {
	if a.candidate.place == noPlace {
		return s.named&^a.m.words != 0
	}
	return s.q.facilityWords != 0 && s.named&^taken != 0
}

// postcodeFits gives what the postcodes of the query are worth for a
// street, in addition to what its place was given for them.
func (s *search) postcodeFits(a *answer, st *layout.Street, in *layout.Place) (worth float32, words wordSet) {
	for left := s.q.postcodes &^ a.candidate.words; left != 0; left = left.rest() {
		i := left.first()
		code := layout.PostcodeNumber(s.q.words[i].Text)
		fits := st.Postcode == code
		switch {
		case a.candidate.postcode.has(i):
			if !fits && st.Postcode != 0 {
				worth -= 0.2 * postcodeWeight
			}
		case a.candidate.place != noPlace:
		case fits:
			worth += postcodeWeight
		case s.x.hasDepartementPrefix(s.q, i, in.Departement):
			worth += 0.4 * postcodeWeight
		}
		words |= wordBit(i)
	}
	return worth, words
}

// combineScore is between 0 and 1: mostly how well the text fits,
// then how important the place is and how near.
func (s *search) combineScore(text float32, p *layout.Place, lat, lon int32) float32 {
	if s.ask.Near == nil {
		return text * (1 - importanceShare*(1-p.Importance))
	}
	return text * (1 - nearImportanceShare*(1-p.Importance) - nearShare*(1-s.proximityScore(lat, lon)))
}

// tieFactor is the share of its score that a place keeps which comes after another of the same words: less
// than the importance and the nearness of the other can cost that.
func (s *search) tieFactor() float32 {
	if s.ask.Near == nil {
		return 1 - importanceShare
	}
	return 1 - nearImportanceShare - nearShare
}

// proximityScore is 1 at the point that the one who asks named, and falls with the distance.
func (s *search) proximityScore(lat, lon int32) float32 {
	if lat == layout.NoPosition {
		return 0
	}
	dy := (float64(lat)/1e6 - s.ask.Near.Lat) * 111.2
	dx := math.Remainder(float64(lon)/1e6-s.ask.Near.Lon, 360) * 111.2 * math.Cos(s.ask.Near.Lat*math.Pi/180)
	km := math.Hypot(dx, dy)
	return float32(0.5*nearKm/(nearKm+km) + 0.5*farKm/(farKm+km))
}

// keepBest holds the best answers.
func (s *search) keepBest(a answer) {
	if a.score < minScore {
		return
	}
	switch {
	case len(s.best) < maxKept:
		s.best = append(s.best, a)
		if len(s.best) < maxKept {
			return
		}
	case a.score > s.best[s.worst].score:
		s.best[s.worst] = a
	default:
		return
	}
	s.worst = 0
	for i := range s.best {
		if s.best[i].score < s.best[s.worst].score {
			s.worst = i
		}
	}
}

// canRank reports whether a street with this name can still be among
// the best, whatever is found out about it.
func (s *search) canRank(c *candidate, m match) bool {
	text := s.maxScore(c, m)
	return text >= minScore && (s.worst < 0 || text > s.best[s.worst].score)
}

// maxScore is the best that the text of a street with this name can be worth.
func (s *search) maxScore(c *candidate, m match) float32 {
	explained := m.explained + c.explained + s.q.totalWeight(s.nonNameWords&^m.words&^c.words&^c.postcode)
	return min(1, explained/(s.q.total-s.q.ignoredWeight(m.words|c.words))) * m.nameFactor()
}

// nameFactor returns the factor by which the match of the name reduces the score.
func (m *match) nameFactor() float32 { return (0.8 + 0.2*m.cover) * (0.94 + 0.06*m.order) }
