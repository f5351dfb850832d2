package geocode

import (
	"slices"

	"arpent/api/geocode/layout"
)

// isHouseNumber reports whether the code of a département is the number of a house: the query
// begins with it, and a word for a kind of street follows, unless all that follows is the
// name of a commune there ("41 Cour-Cheverny").
func (x *Index) isHouseNumber(q *query, t *territory, i int, departement uint32) bool {
	_, suffix := q.suffixAfter(i)
	street := i + 1
	if suffix.has(street) {
		street++
	}
	if i > 0 || !q.numbers.has(i) || street >= len(q.words) || q.words[street].weight != layout.KindWeight {
		return false
	}
	return !slices.ContainsFunc(t.candidates, func(c candidate) bool {
		return c.words == q.allWords()&^wordBit(i) && x.places[c.place].Departement == departement
	})
}

// findNumber finds the word that asks for a number: the first that nothing else explains, and the words of
// its suffix. One that names the département counts only where a number stands: at the beginning, before the
// street, or behind it where something else says in which place that is.
func (s *search) findNumber(a *answer, taken wordSet, departement uint32) (at int, said wordSet) {
	for left := s.q.numbers &^ taken; left != 0; left = left.rest() {
		i := left.first()
		_, suffix := s.suffixAsked(a, i)
		after := i + 1
		if suffix&taken != 0 {
			suffix = 0
		}
		for suffix.has(after) {
			after++
		}
		if i > 0 && !a.m.words.has(after) && s.namesDepartement(i, departement) && !a.isAfterStreet(i) {
			continue
		}
		return i, wordBit(i) | suffix
	}
	return 0, 0
}

// isAfterStreet reports whether a number stands behind the name of the street, and the query names the place
// in other words: "place Albert Thomas 93 Bondy".
func (a *answer) isAfterStreet(number int) bool {
	return number > 0 && a.m.words.has(number-1) && a.candidate.words|a.candidate.postcode != 0
}

func (s *search) namesDepartement(i int, departement uint32) bool {
	return slices.Contains(s.t.departements, placeClaim{words: wordBit(i), place: departement})
}

// numberWeight returns how much the number that was found adds to the score.
func (s *search) numberWeight(a *answer, at int, said wordSet, hopeful bool) float32 {
	w := s.q.totalWeight(said)
	if hopeful {
		return w
	}
	suffix, _ := s.suffixAsked(a, at)
	if said == wordBit(at) && s.q.words[at].suffix == "" {
		suffix = ""
	}
	if !sameSuffix(suffix, a.house.Suffix) {
		return w * suffixFactor
	}
	return w
}

// suffixAsked finds the suffix of the number at a place, in two words where the number that was found has
// such a one.
func (s *search) suffixAsked(a *answer, at int) (suffix string, said wordSet) {
	if long, said := s.q.longSuffixAfter(at); long != "" && a.house.Suffix == long {
		return long, said
	}
	return s.q.suffixAfter(at)
}

// sameSuffix: b is how many write bis.
func sameSuffix(asked, have string) bool {
	if asked == have {
		return true
	}
	long := map[string]string{"b": "bis", "t": "ter", "q": "quater"}
	return long[asked] == have && have != "" || long[have] == asked && asked != ""
}

// sameHouse is the rank from which on a number is the one that was asked for, with its suffix.
const sameHouse = 3

// findHouse looks the number up that the query asks for.
func (s *search) findHouse(a *answer) {
	taken := a.m.words | a.candidate.words | a.candidate.postcode
	departement := s.x.places[s.x.streets[a.street].Place].Departement
	at, said := s.findNumber(a, taken, departement)
	if said == 0 {
		return
	}
	suffix := s.q.words[at].suffix
	if said != wordBit(at) {
		suffix, _ = s.q.suffixAfter(at)
	}
	long, _ := s.q.longSuffixAfter(at)
	r := s.x.houseReader(&s.x.streets[a.street])
	rank := 0
	for r.Next() && r.House.Number <= s.q.words[at].number {
		if r.House.Number != s.q.words[at].number {
			continue
		}
		now := 1
		switch {
		case long != "" && r.House.Suffix == long:
			now = 5
		case r.House.Suffix == suffix:
			now = 4
		case sameSuffix(suffix, r.House.Suffix):
			now = sameHouse
		case r.House.Suffix == "":
			now = 2
		}
		if now > rank {
			rank, a.house = now, r.House
		}
	}
	if rank < sameHouse && a.isAfterStreet(at) && s.namesDepartement(at, departement) {
		a.house = layout.House{} // then it is the département
	}
}
