package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonWords are the words of names of facilities that French writes with accents or without a capital. What
// else is in a name, an accent may be missing of: no file has it.
var commonWords = map[string]string{
	"college": "collège", "lycee": "lycée", "ecole": "école", "hopital": "hôpital", "elementaire": "élémentaire",
	"maternelle": "maternelle",
	"primaire":   "primaire", "general": "général", "generale": "générale", "privee": "privée", "prive": "privé",
	"publique":   "publique",
	"polyvalent": "polyvalent", "professionnel": "professionnel", "clinique": "clinique", "centre": "centre",
	"hospitalier": "hospitalier",
	"de":          "de", "du": "du", "des": "des", "la": "la", "le": "le", "les": "les", "et": "et", "en": "en",
	"sur": "sur", "sous": "sous",
	"au": "au", "aux": "aux", "d": "d", "l": "l",
}

// abbreviations are those of four letters and more in names of schools, hospitals and stations.
var abbreviations = []string{"CHRU", "EHPAD", "EREA", "ESAT", "LEGTA", "SEGPA", "SNCF"}

// readableName writes a name that its producer has in capitals as it is read: COLLEGE BROSSOLETTE is Collège
// Brossolette. A name with a small letter stays, and so do short words, which may be abbreviations.
func readableName(name string) string {
	name = strings.ReplaceAll(name, " ,", ",") // as some sites are written
	if strings.ContainsFunc(name, unicode.IsLower) {
		return name
	}
	words := strings.FieldsFunc(name, isBetweenWords)
	var b strings.Builder
	rest := name
	for i, word := range words {
		at := strings.Index(rest, word)
		b.WriteString(rest[:at])
		rest = rest[at+len(word):]
		b.WriteString(readableWord(word, i == 0))
	}
	return b.String() + rest
}

func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func readableWord(word string, first bool) string {
	const abbreviation = 3 // letters at most
	common, known := commonWords[strings.ToLower(word)]
	switch {
	case known && first:
		return capitalizeWord(common)
	case known:
		return common
	case len(word) <= abbreviation || slices.Contains(abbreviations, word) || !strings.ContainsAny(word,
		"AEIOUYÉÈÊ"):
		return word
	}
	return capitalizeWord(word)
}

// capitalizeWord writes a word with a capital and small letters.
func capitalizeWord(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + strings.ToLower(word[size:])
}
