package territory

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/api/geocode/layout"
)

// arrondissementWritten gives the code of the arrondissement that a text names: Paris 18e, Paris 18, 18e
// arrondissement de Paris, Paris 75018. Empty: it names none, or the number may be that of the département
// of the city: Marseille 13.
func (s *Snapshot) arrondissementWritten(text string) string {
	name := s.trimPostal(text)
	if first, rest, _ := strings.Cut(name, " "); postcodeForm.MatchString(first) {
		name = rest + " " + first
	}
	if a, ordinal := s.findNumbered(name); a != nil && (ordinal || !strings.HasSuffix(name, " "+s.places[a.commune].CodeDep)) {
		return a.code
	}
	at := max(0, strings.LastIndexByte(name, ' '))
	a := s.findTown(s.arrondissementServed(strings.TrimSpace(name[at:])))
	if a == nil || FoldName(s.places[a.commune].CommuneName) != name[:at] {
		return ""
	}
	return a.code
}

// findNumbered finds the arrondissement of whose city and number a folded name is made, and whether the
// number is written as an ordinal; nil: there is none.
func (s *Snapshot) findNumbered(name string) (a *town, isOrdinal bool) {
	name = replaceRoman(name)
	parts := arrondissementForm.FindStringSubmatch(cityLast.ReplaceAllString(name, "$2 $1"))
	if parts == nil {
		return nil, false
	}
	for _, f := range s.arrondissementsNumbered(parts[1], parts[2]) {
		return s.findTown(f.code), parts[3] != ""
	}
	return nil, false
}

// replaceRoman writes the numbers of arrondissements in a folded name in digits.
func replaceRoman(name string) string {
	return romanForm.ReplaceAllStringFunc(name, func(word string) string {
		parts := romanForm.FindStringSubmatch(word)
		number := layout.RomanNumber(parts[2])
		if number == 0 {
			return word
		}
		return parts[1] + strconv.Itoa(number) + parts[3]
	})
}

// arrondissementServed gives the code of the arrondissement that a postcode serves, whose last digits are its
// number: 75018, and also 75116. Empty: it serves none.
func (s *Snapshot) arrondissementServed(postcode string) string {
	for _, at := range s.postcodes[postcode] {
		found := s.arrondissementsNumbered(FoldName(s.places[at].CommuneName), strings.TrimLeft(postcode[3:], "0"))
		for _, f := range found {
			return f.code
		}
	}
	return ""
}

// arrondissementsNumbered gives the arrondissement of a city, whose name is as FoldName has it, by its
// number.
func (s *Snapshot) arrondissementsNumbered(city, number string) []formerCode {
	return slices.Concat(s.arrondissementNames[city+" "+number+"e"], s.arrondissementNames[city+" "+number+"er"])
}

// arrondissementForm is how the name of an arrondissement is written, as FoldName has it, cityLast the same
// with its city after it.
var (
	arrondissementForm = regexp.MustCompile(`^(.+) 0?([0-9]{1,2})((?: ?(?:e|er|eme|ieme))?(?: arr(?:ondissement|dt)?)?)$`)
	cityLast           = regexp.MustCompile(`^([0-9]{1,2} ?(?:e|er|eme|ieme)(?: arr(?:ondissement|dt)?)?) (?:de |a )?(.+)$`)
	romanForm          = regexp.MustCompile(`(^| )([ivx]+)(e|er|eme|ieme)?\b`)
	postcodeForm       = regexp.MustCompile(`^[0-9]{5}$`)
)
