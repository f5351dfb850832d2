package geocode

import (
	"cmp"
	"slices"

	"arpent/api/geocode/layout"
)

const (
	maxNearTerms   = 300 // words with typing errors that a word of a query may mean
	maxLongerTerms = 60  // words that the last word of a query may be the beginning of
	// of all words of a query that are gathered before the best are kept; there are never so many
	maxSpellings     = 1 << 16
	readingTrust     = 0.97
	joinedTrust      = 0.97
	initialTrust     = 0.75
	otherFirstLetter = 0.04
)

// hit says that a term may be meant by a word of the query, or by two in a row.
type hit struct {
	word   int8
	joined bool // together with the word after it
	half   half
	trust  float32
	next   int32 // the next hit of the same term, in search.hits; -1: none
}

// half says that the term is only a part of the word: "belair" for "Bel Air".
type half uint8

const (
	fullWord half = iota
	firstHalf
	secondHalf
)

// expandWords finds the terms that the words of the query may mean, misspelt or begun if that is allowed.
func (s *search) expandWords(misspelt bool) {
	for i := range s.q.words {
		w := &s.q.words[i]
		exact := s.addReadings(i, w.Text)
		if i+1 < len(s.q.words) && !s.q.postcodes.has(i) {
			s.addJoined(i, w.Text, s.q.words[i+1].Text, misspelt)
		}
		if layout.IsDigit(w.Text[0]) {
			continue
		}
		if s.ask.Typing && i == len(s.q.words)-1 {
			s.addBegun(i, w.Text)
		}
		s.addDivided(i, w.Text, misspelt)
		if !misspelt || (s.q.facilityWords | s.nouns).has(i) {
			continue
		}
		if !exact || w.weight >= layout.LookupWeight {
			s.addMisspellings(i, w.Text, exact)
			s.phoneticVariants(i, w.Text)
		}
		if i == len(s.q.words)-1 && len(w.Text) >= 3 {
			s.x.terms.Beginning(w.Text, maxLongerTerms, func(term uint32) {
				s.addHit(term, hit{word: int8(i), trust: 0.6 + 0.35*float32(len(w.Text))/float32(
					len(s.x.terms.Word(term)))})
			})
		}
	}
}

// addReadings adds the word itself and what it may be short for; exact
// reports whether the word itself is a term.
func (s *search) addReadings(i int, text string) (exact bool) {
	add := func(reading string, trust float32) bool {
		term, ok := s.x.terms.Find(reading)
		if ok {
			s.addHit(term, hit{word: int8(i), trust: trust})
		}
		return ok
	}
	exact = add(text, 1)
	if full, ok := layout.Kinds[text]; ok {
		add(full, 1)
	}
	if full, ok := layout.Titles[text]; ok {
		add(full, 1)
	}
	for _, other := range otherReadings[text] {
		add(other, readingTrust)
	}
	if s.q.words[i].Slashed && text == "s" {
		add("sur", 1)
	}
	return exact
}

// addMisspellings adds the terms that differ from the word by a typing error or two. A word that is a term
// may still be another one misspelt, but only by one error.
func (s *search) addMisspellings(i int, text string, exact bool) {
	most := layout.Tolerance(len(text))
	if exact {
		most = min(most, 1)
	}
	if most == 0 || s.termsLeft <= 0 {
		return
	}
	for _, n := range s.findNearTerms(text, most) {
		trust := errorTrust(n.errors, len(text))
		if s.x.terms.Word(n.term)[0] != text[0] {
			trust -= otherFirstLetter
		}
		if exact {
			trust -= 0.1
		}
		s.addHit(n.term, hit{word: int8(i), trust: trust})
	}
}

// findNearTerms are the terms within so many errors of a word. A word that
// stands in the query twice is looked up once.
func (s *search) findNearTerms(text string, most int) []nearTerm {
	for _, l := range s.looked {
		if l.word == text {
			return s.near[l.from:l.to]
		}
	}
	from := len(s.near)
	s.termsLeft -= s.x.terms.Near(text, most, func(term uint32, errors int) {
		if len(s.near) < maxSpellings {
			s.near = append(s.near, nearTerm{term, errors})
		}
	})
	if found := s.near[from:]; len(found) > maxNearTerms {
		slices.SortFunc(found, func(a, b nearTerm) int {
			return cmp.Or(cmp.Compare(a.errors, b.errors), cmp.Compare(a.term, b.term))
		})
		s.near = s.near[:from+maxNearTerms]
	}
	s.looked = append(s.looked, lookedUp{text, from, len(s.near)})
	return s.near[from:]
}

// silentLetters are letters that end many French words and are silent: where two words are written as one, or
// one as two, they get lost ("Charlemagne" for "Charles Magne", "Mon Plaisir" for "Montplaisir").
var silentLetters = [...]string{"", "s", "t", "e", "x"}

// joinLetters are the letters that may be missing where words meet.
func joinLetters(misspelt bool) []string {
	if misspelt {
		return silentLetters[:]
	}
	return silentLetters[:1]
}

func joinTrust(letters ...string) float32 {
	trust := float32(joinedTrust)
	for _, l := range letters {
		trust -= 0.08 * float32(len(l))
	}
	return trust
}

// addJoined adds the terms that two words in a row are when they are written as one.
func (s *search) addJoined(i int, first, second string, misspelt bool) {
	for _, seam := range joinLetters(misspelt && len(first) >= 3 && len(second) >= 4) {
		if term, ok := s.x.terms.Find(first + seam + second); ok {
			s.addHit(term, hit{word: int8(i), joined: true, trust: joinTrust(seam)})
		}
	}
}

// addDivided adds the pairs of terms that the word is when they are written as one. Letters that got lost
// between them count only where the words on both sides are long enough.
func (s *search) addDivided(i int, text string, misspelt bool) {
	for at := 2; at <= len(text)-2; at++ {
		second, ok := s.x.terms.Find(text[at:])
		if !ok {
			continue
		}
		for _, seam := range joinLetters(misspelt && at >= 3 && len(text)-at >= 4) {
			if first, ok := s.x.terms.Find(text[:at] + seam); ok {
				s.addHit(first, hit{word: int8(i), half: firstHalf, trust: joinTrust(seam)})
				s.addHit(second, hit{word: int8(i), half: secondHalf, trust: joinTrust(seam)})
			}
		}
	}
}

// lookedUp says where the spellings of a word lie in search.near.
type lookedUp struct {
	word     string
	from, to int
}

type nearTerm struct {
	term   uint32
	errors int
}

func (s *search) addHit(term uint32, h hit) {
	h.next = -1
	if first, ok := s.hitOf[term]; ok {
		h.next = first
	}
	s.hitOf[term] = int32(len(s.hits))
	s.possible[term/64] |= 1 << (term % 64)
	s.hits = append(s.hits, h)
}

// otherReadings are further readings of a word of a query, in addition to itself and those above.
var otherReadings = map[string][]string{
	"ch": {"charles", "chateau"}, "pt": {"petit", "pont"}, "pte": {"petite", "porte"}, "f": {"francois"},
	"gd": {"grande"}, "grd": {"grande"}, "chat": {"chateau"}, "cd": {"chemin"}, "rn": {"route", "nationale"},
	"rd":  {"route", "departementale"},
	"mar": {"marechal"}, "gale": {"generale"}, "eg": {"eglise"}, "sr": {"soeur"}, "pce": {"prince"},
	"rep": {"republique"}, "lib": {"liberation", "liberte"}, "jj": {"jean"}, "jo": {"joseph"}, "cpt": {"capitaine"},
	"faub": {"faubourg"}, "bat": {"batiment"}, "mmes": {"mesdames"}, "saints": {"saint"}, "saint": {"saints"},
	"un": {"1"}, "deux": {"2"}, "trois": {"3"}, "quatre": {"4"}, "cinq": {"5"}, "six": {"6"}, "sept": {"7"},
	"huit": {"8"}, "neuf": {"9"},
	"dix": {"10"}, "onze": {"11"}, "douze": {"12"}, "treize": {"13"}, "quatorze": {"14"}, "quinze": {"15"},
	"seize": {"16"}, "vingt": {"20"},
	"1": {"un", "1e"}, "2": {"deux"}, "3": {"trois"}, "4": {"quatre"}, "5": {"cinq"}, "6": {"six"},
	"7": {"sept"}, "8": {"huit"}, "9": {"neuf"},
	"10": {"dix"}, "11": {"onze"}, "12": {"douze"}, "13": {"treize"}, "14": {"quatorze"}, "15": {"quinze"},
	"16": {"seize"}, "20": {"vingt"},
	"premier": {"1e", "1"}, "premiere": {"1e"}, "1e": {"premier", "premiere", "1"}, "2e": {"deuxieme", "2"},
	"deuxieme": {"2e"},
	"3e":       {"troisieme", "3"}, "troisieme": {"3e"}, "1ere": {"premiere"},
}
