package parcel

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

// Written is a cadastral reference as deeds, plans and people write it: "93010 J 236", "section AY n° 71
// Bondy", "AB 58 Bondy (93140)".
type Written struct {
	Code    string // of the commune, or its postcode; empty: Place alone says it
	Place   string // the name of the commune; empty: Code is that of the commune
	After   string // what Place may be instead, without the words before the reference; empty: nothing
	Prefix  string // three digits; empty: none is written, as where a commune has no other than 000
	Section string // two characters
	Number  string // four digits
	Lot     string // the lot that is named next to it, as in LOT 3; empty: none
}

// maxWritten is the greatest number of bytes of a reference as it is written.
const maxWritten = 120

const (
	codePattern    = `((?:[013-9][0-9]|2[0-9AB]) ?[0-9]{3}|97[1-6] ?[0-9]{2})`
	sectionPattern = `(0?[A-Z]|[A-Z]{2})`
	numberPattern  = `([0-9]{1,4})`
)

var (
	// writtenForm is a reference with the code of the commune: prefix if it is not 000; capitals and zeros
	// before section and number are left out as often as not. Sections with digits alone are those of Alsace and
	// Moselle.
	writtenForm = regexp.MustCompile(`^` + codePattern + ` ?([0-9]{3})? ?` + sectionPattern + ` ?` +
		numberPattern + `$|` +
		`^` + codePattern + ` ?([0-9]{3})? ([0-9]{1,2}) ([0-9]{1,4})$`)

	// missingZeroForm is a whole reference that lost its first zero, as spreadsheets take it from those of the
	// départements 01 to 09. With one letter in the section it could be another, of a section without its
	// zero.
	missingZeroForm = regexp.MustCompile(`^[1-9][0-9]{6}[A-Z]{2}[0-9]{4}$`)

	// within is section and number in a longer text, with the prefix before them.
	within = regexp.MustCompile(`(?:^| )(?:([0-9]{3}) )?` + sectionPattern + ` ?` + numberPattern + `(?: |$)`)

	// sectionAndNumber is a reference without its commune; several is one with more than one number, which may
	// repeat the section.
	sectionAndNumber = regexp.MustCompile(`^(?:[0-9]{3} )?` + sectionPattern + ` ?` + numberPattern + `$`)
	several          = regexp.MustCompile(`(?:^| )` + sectionPattern + ` ?` + numberPattern +
		` (?:(?:ET|AND|OU|OR|A|AU|TO) )*(?:N |NO |NUMERO )?(?:` + sectionPattern + ` ?)?` + numberPattern + `(?: |$)`)

	// noise is what says that a reference follows, and in which order its parts come.
	noise = regexp.MustCompile(`(?:^| )(?:(?:LA |THE )?(?:PARCELLES?|PARCELS?|PLOTS?)|(?:LA )?SECTION|SECT|` +
		`CAD|CADASTR(?:E|AL|ALE|ALES|AUX|EE|EES)|REFS?|REFERENCES?|IDU|FEUILLE [0-9]{1,2}|[0-9]+ M2)(?: |$)`)
	// numberFirst is a number before its section, lots are parts of a building.
	numberFirst = regexp.MustCompile(`(?:^| )(?:(?:N|NO|NUM|NUMERO|NUMBER) )?([0-9]{1,4}) (?:(?:OF|DE|DU|IN|EN) )?` +
		`(?:(?:LA|THE) )?(?:SECTION|SECT) (0?[A-Z]|[A-Z]{2})(?: |$)`)
	numberNext = regexp.MustCompile(`^(?:(?:PARCELLE|PARCEL|PLOT|N|NO|NUM|NUMERO|NUMBER) )*[0-9]{1,4}(?: |$)`)
	lots       = regexp.MustCompile(`(?:^| )(LOTS? [0-9]{1,4}(?:(?: ET| AND)? [0-9]{1,3})*)(?: |$)`)
	// before is the word before the number of a parcel, which the section N must not be taken for.
	before = regexp.MustCompile(`((?:^| )(?:0?[A-Z]|[A-Z]{2}|[0-9]{1,2})) (?:N|NO|NUM|NUMERO|NUMBER) ([0-9])`)
	// sayWhere is what stands before the name of the commune.
	sayWhere = regexp.MustCompile(`^(?:(?:A|AU|DE|DU|D|(?:LA )?COMMUNE|IN|OF|SISE?|SITUEE?) )+`)
	inDigits = regexp.MustCompile(`(?:^| )((?:[013-9][0-9]|2[0-9AB])(?:[0-9]{3})?|97[1-6])(?: |$)`)
	zeros    = regexp.MustCompile(`^[0-9O]*[0-9][0-9O]*$`)
	// arrondissement is the name of a city with a number written onto it: Paris18.
	arrondissement = regexp.MustCompile(`^(PARIS|LYON|MARSEILLE)([0-9]{1,2}(?:E|EME|ER)?)$`)
	// apart is an ordinal in two words. E and ER may be a section, unless nothing follows them.
	apart = regexp.MustCompile(`\b([0-9]{1,2}) (I?EME)\b|\b((?:PARIS|LYON|MARSEILLE) [0-9]{1,2}) (ERE?|E)$`)
)

// Read returns the reference that a text in another form with the code of the commune means, such as "93010 A
// 224"; false: it means none.
func Read(text string) (IDU, bool) {
	w, ok := ReadWritten(text)
	if !ok || w.Place != "" {
		return "", false
	}
	return w.IDU(w.Code)
}

// ReadWritten takes a text for a cadastral reference; false: it is none.
func ReadWritten(text string) (w Written, ok bool) {
	if len(text) > maxWritten {
		return w, false
	}
	words := splitWords(text)
	for _, word := range words {
		if id, ok := whole(word); ok && (len(words) == 1 || len(word) == 14) {
			return Written{Code: id.Commune(), Prefix: id.Prefix(), Section: id.Section(), Number: id.Number()}, true
		}
	}
	bare, announced := trimNoise(words)
	bare, w.Lot = trimLot(bare)
	if parts := writtenForm.FindStringSubmatch(bare); parts != nil {
		if parts = parts[1:]; parts[0] == "" {
			parts = parts[4:]
		}
		w.take(parts[1], parts[2], parts[3])
		w.Code = strings.ReplaceAll(parts[0], " ", "")
		return w, true
	}
	return w, w.readPlace(bare, announced)
}

// trimLot takes the lots out of a text, which are parts of a building and of no reference. LOT 46 may be the
// département.
func trimLot(text string) (rest, lot string) {
	at := lots.FindStringSubmatchIndex(text)
	if at == nil || text[at[2]:at[3]] == "LOT 46" {
		return text, ""
	}
	return strings.TrimSpace(text[:at[0]] + " " + text[at[1]:]), text[at[2]:at[3]]
}

// splitWords gives the words of a text in capitals without accents.
func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToUpper(unaccented.Replace(text)), func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z')
	})
}

// trimNoise joins the words of a text, without those that say that a reference follows. announced: there are
// some.
func trimNoise(words []string) (bare string, announced bool) {
	for i, word := range words {
		if zeros.MatchString(word) {
			words[i] = strings.ReplaceAll(word, "O", "0")
		}
		words[i] = arrondissement.ReplaceAllString(words[i], "$1 $2")
	}
	bare = apart.ReplaceAllString(strings.Join(words, " "), "$1$3$2$4")
	if at := numberFirst.FindStringSubmatchIndex(bare); at != nil && !numberNext.MatchString(bare[at[1]:]) {
		bare = bare[:at[0]] + " SECTION " + bare[at[4]:at[5]] + " " + bare[at[2]:at[3]] + " " + bare[at[1]:]
	}
	for next := noise.ReplaceAllString(bare, " "); next != bare; next = noise.ReplaceAllString(bare, " ") {
		bare = next
	}
	announced = bare != strings.Join(words, " ")
	return before.ReplaceAllString(strings.TrimSpace(bare), "$1 $2"), announced
}

// ExplainUnread says in a sentence why a text with a section and a number is not the reference of one parcel:
// it has several numbers, or no commune. Empty: neither is so.
func ExplainUnread(text string) string {
	if len(text) > maxWritten {
		return ""
	}
	bare, _ := trimNoise(splitWords(text))
	bare, _ = trimLot(bare)
	switch {
	case several.MatchString(bare):
		return "If it means several parcels, ask for one at a time."
	case sectionAndNumber.MatchString(bare):
		return "The commune is missing: add its name or its code, as in " + bare + " Bondy."
	}
	return ""
}

// SplitSeveral gives the texts of the references of two parcels that a text names with one commune, such as
// Bondy AY n° 71-72; nil: it names no two.
func SplitSeveral(text string) []string {
	if len(text) > maxWritten {
		return nil
	}
	bare, _ := trimNoise(splitWords(text))
	bare, _ = trimLot(bare)
	at := several.FindStringSubmatchIndex(bare)
	if at == nil {
		return nil
	}
	part := func(n int) string {
		if at[2*n] < 0 {
			return ""
		}
		return bare[at[2*n]:at[2*n+1]]
	}
	before, after := strings.TrimSpace(bare[:at[0]]), strings.TrimSpace(bare[at[1]:])
	join := func(section, number string) string {
		return strings.TrimSpace(before + " " + section + " " + number + " " + after)
	}
	return []string{join(part(1), part(2)), join(cmp.Or(part(3), part(1)), part(4))}
}

// whole reads a reference in one word: of 14 characters, with the letter O for a zero, or without its first
// zero.
func whole(word string) (IDU, bool) {
	if missingZeroForm.MatchString(word) {
		return IDU("0" + word), true
	}
	if len(word) != 14 {
		return "", false
	}
	digits := strings.ReplaceAll(word, "O", "0")
	id := IDU(digits[:8] + word[8:10] + digits[10:])
	return id, isWellFormed(string(id))
}

func (w *Written) take(prefix, section, number string) {
	pad := func(s string, n int) string { return strings.Repeat("0", n-len(s)) + s }
	w.Prefix, w.Section, w.Number = prefix, pad(section, 2), pad(number, 4)
}

// readPlace reads section and number next to the name of a commune, with its postcode, its code or its
// département if they are there. announced: the text said that a reference follows.
func (w *Written) readPlace(text string, announced bool) bool {
	at := within.FindStringSubmatchIndex(text)
	if at == nil || within.MatchString(text[at[1]-1:]) {
		return false // none, or several
	}
	part := func(n int) string {
		if at[2*n] < 0 {
			return ""
		}
		return text[at[2*n]:at[2*n+1]]
	}
	w.take(part(1), part(2), part(3))
	first, last := strings.TrimSpace(text[:at[0]]), text[at[1]:]
	w.Place, w.Code = splitPlace(first + " " + last)
	if first != "" && !isAddress(first) && (announced || sayWhere.MatchString(last)) {
		w.After, _ = splitPlace(last)
	}
	return w.Place != "" && !strings.ContainsAny(w.Place[:1], "0123456789") || w.Place == "" && len(w.Code) == 5
}

// splitPlace gives the name of a commune and the digits next to it, where there are some once.
func splitPlace(text string) (name, code string) {
	name = strings.TrimSpace(text)
	if digits := inDigits.FindAllStringSubmatchIndex(name, 2); len(digits) == 1 {
		d := digits[0]
		name, code = strings.TrimSpace(name[:d[0]]+" "+name[d[1]:]), name[d[2]:d[3]]
	}
	return strings.TrimSpace(sayWhere.ReplaceAllString(name, "")), code
}

// isAddress reports whether words before a letter and a number may be of an address, so that these are not a
// section and a parcel: "12 rue Borel bâtiment A 3 à Bondy".
func isAddress(words string) bool {
	return strings.ContainsAny(words, "0123456789") ||
		slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(word string) bool {
			return layout.Kinds[word] != "" || layout.Weight(word) == layout.KindWeight || layout.IndoorsWords[word]
		})
}

// IDU is the reference in a commune or arrondissement, with the prefix 000 unless another one is written;
// false: that is no code.
func (w *Written) IDU(commune string) (IDU, bool) {
	prefix := w.Prefix
	if prefix == "" {
		prefix = "000"
	}
	id := commune + prefix + w.Section + w.Number
	return IDU(id), isWellFormed(id)
}

// unaccented makes capitals without accents of letters with them, so that a name is one word.
var unaccented = strings.NewReplacer("à", "A", "â", "A", "ä", "A", "ç", "C", "é", "E", "è", "E", "ê", "E",
	"ë", "E", "î", "I", "ï", "I", "ô", "O", "ö", "O",
	"ù", "U", "û", "U", "ü", "U", "ÿ", "Y", "œ", "OE", "æ", "AE", "À", "A", "Â", "A", "Ç", "C", "É", "E", "È",
	"E", "Ê", "E", "Ë", "E", "Î", "I", "Ï", "I",
	"Ô", "O", "Ù", "U", "Û", "U", "Ü", "U", "Ÿ", "Y", "Œ", "OE", "N°", " N ", "n°", " N ", "№", " N ",
	"nº", " N ", "²", "2")

// InWords reports whether a text is a reference in several words, whatever is between them, or one with the
// letter O for a zero, rather than one in a single word that lacks characters or capitals.
func InWords(text string) bool {
	text = strings.TrimSpace(text)
	return strings.ContainsAny(text, " \u00a0\u202f-/_.,;") || len(text) == 14 && strings.Contains(text, "O")
}

// Meant returns the parcels of the file that a reference may mean in a commune or arrondissement: that one,
// or where no prefix is written those with the same section and number behind another.
func (x *Index) Meant(w *Written, commune string) (ids []IDU) {
	id, ok := w.IDU(commune)
	if !ok {
		return nil
	}
	if x.hasParcel(id) {
		return []IDU{id}
	}
	if zero, ok := id.withZeroSection(); ok && x.hasParcel(zero) {
		return []IDU{zero}
	}
	if w.Prefix == "" {
		return x.alike(id)
	}
	return nil
}

// alike returns the parcels of the commune of a reference that have its section and number behind another
// prefix.
func (x *Index) alike(id IDU) (ids []IDU) {
	for _, s := range x.Sections(id.Commune()) {
		if other := id[:5] + IDU(s.Prefix) + id[8:]; s.Name == id.Section() && s.Prefix != id.Prefix() &&
			x.hasParcel(other) {
			ids = append(ids, other)
		}
	}
	return ids
}

// Spelled returns a reference with a zero in place of the letter O that its section begins with, where only
// that one is served; others as they are.
func (s *Store) Spelled(reference string) string {
	id, err := ParseIDU(reference)
	x := s.index()
	if err != nil || x == nil {
		return reference
	}
	if zero, ok := id.withZeroSection(); ok && !x.hasParcel(id) && x.hasParcel(zero) {
		return string(zero)
	}
	return reference
}

// Index is the file that parcels are read from; nil while there is none.
func (s *Store) Index() *Index { return s.index() }
