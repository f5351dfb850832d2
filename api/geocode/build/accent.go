package build

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"arpent/api/geocode/layout"
)

// accents are spellings of streets from which those that lack accents take them, by commune and folded name.
type accents map[spellingKey]string

type spellingKey struct {
	commune uint32
	folded  string
}

// add takes a spelling. Of several of one street the first counts, with the accents
// that only the others have.
func (a accents) add(commune uint32, name string) {
	key := spellingKey{commune, foldName(name)}
	if known, ok := a[key]; ok {
		name = withAccents(known, name)
	}
	a[key] = name
}

// restoreAccents gives a name the accents that it lacks.
func (a accents) restoreAccents(commune uint32, name string) string {
	if len(a) == 0 {
		return name
	}
	if other, ok := a[spellingKey{commune, foldName(name)}]; ok {
		return withAccents(name, other)
	}
	return name
}

// foldName returns a name without accents, case and separators.
func foldName(name string) string {
	var b strings.Builder
	for _, r := range name {
		b.WriteString(layout.Folded(r))
	}
	return b.String()
}

// withAccents gives the letters of a name the accents that they have in another spelling of it. Case,
// apostrophes, hyphens and ligatures stay as they are.
func withAccents(name, other string) string {
	var letters []rune // for each letter of the folded name; 0: one of a ligature
	for _, r := range other {
		switch f := layout.Folded(r); len(f) {
		case 0:
		case 1:
			letters = append(letters, r)
		default:
			letters = append(letters, make([]rune, len(f))...)
		}
	}
	var b strings.Builder
	at := 0
	for _, r := range name {
		f := layout.Folded(r)
		if len(f) == 1 && r < utf8.RuneSelf && at < len(letters) && letters[at] >= utf8.RuneSelf &&
			unicode.IsLetter(letters[at]) {
			lower := unicode.IsLower(r)
			if r = unicode.ToUpper(letters[at]); lower {
				r = unicode.ToLower(r)
			}
		}
		at += len(f)
		b.WriteRune(r)
	}
	return b.String()
}
