package geocode

import "strings"

const (
	phoneticTrust      = 0.8 // of a word that is spelled phonetically
	minPhonetic        = 3   // letters of such a word
	maxPhonetic        = 7   // in longer ones two errors are found anyway
	maxPhoneticLookups = 64  // words that are looked up for one word, at most
)

// sounds are letters and others that are read alike, as far as they stand for another at all.
var sounds = [...][2]string{{"z", "s"}, {"s", "z"}, {"k", "c"}, {"k", "qu"}, {"f", "ph"}, {"i", "y"},
	{"y", "i"}, {"an", "en"}, {"en", "an"},
	{"o", "au"}, {"j", "g"}}

// endings are silent endings.
var endings = [...]string{"", "e", "s", "es", "t", "x", "d"}

// phoneticVariants adds the terms that a short word may be when it is spelled phonetically: "roz" for
// "Roses", "karno" for "Carnot". It is for words in which too few typing errors are allowed to find them.
func (s *search) phoneticVariants(i int, text string) {
	if len(text) < minPhonetic || len(text) > maxPhonetic {
		return
	}
	looked := 0
	for _, form := range phoneticForms(text) {
		for _, ending := range endings {
			if looked == maxPhoneticLookups || s.termsLeft <= 0 {
				return
			}
			looked++
			s.termsLeft--
			if term, ok := s.x.terms.Find(form + ending); ok && form+ending != text {
				s.addHit(term, hit{word: int8(i), trust: phoneticTrust})
			}
		}
	}
}

// phoneticForms returns the word, and each form of it with one of its sounds spelt otherwise.
func phoneticForms(text string) []string {
	forms := []string{text}
	for _, pair := range sounds {
		if strings.Contains(text, pair[0]) {
			forms = append(forms, strings.ReplaceAll(text, pair[0], pair[1]))
		}
	}
	return forms
}
