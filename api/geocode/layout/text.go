package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A word longer than this is cut: the edit distance is counted in one machine word, and nothing is called so.
const maxWordLength = 30

// Part is a word as it stands in a text, folded: lower case, without accents.
type Part struct {
	Text    string
	Elided  bool // an apostrophe follows: the d of "d'Aulnay"
	Slashed bool // a slash follows: the s of "Villers s/ Marne"
}

// Split cuts a text into folded words. Everything that is neither letter nor digit separates; a letter before
// a digit does too ("D14"), and so does the suffix of a number that is a word of its own ("12bis").
func Split(s string) []Part {
	var out []Part
	var word []byte
	end := func() {
		if len(word) > 0 {
			out = appendWord(out, strings.ToValidUTF8(string(word[:min(len(word), maxWordLength)]), ""))
			word = word[:0]
		}
	}
	for _, r := range norm.NFKD.String(s) {
		switch letters := foldRune(r); {
		case letters != "":
			if len(word) > 0 && IsDigit(letters[0]) && !IsDigit(word[len(word)-1]) {
				end()
			}
			word = append(word, letters...)
		case unicode.Is(unicode.Mn, r):
		case unicode.In(r, unicode.Lo, unicode.Ll, unicode.Lu): // of another script: nothing here is written so
			word = utf8.AppendRune(word, unicode.ToLower(r))
		default:
			begun := len(word) > 0
			end()
			if begun {
				last := &out[len(out)-1]
				last.Elided = r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '`' || r == '´'
				last.Slashed = r == '/'
			}
		}
	}
	end()
	return out
}

// Folded gives the lower-case letters without accent, or the digit, that a rune stands for; "" for others.
func Folded(r rune) string {
	if r < utf8.RuneSelf {
		return foldRune(r)
	}
	out := ""
	for _, part := range norm.NFKD.String(string(r)) {
		out += foldRune(part)
	}
	return out
}

// foldRune gives the lower-case letters without accent, or the digit, that a decomposed rune stands for; ""
// for others.
func foldRune(r rune) string {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		return asciiText[r : r+1]
	case r >= 'A' && r <= 'Z':
		r += 'a' - 'A'
		return asciiText[r : r+1]
	case r < utf8.RuneSelf:
		return ""
	}
	switch r {
	case 'œ', 'Œ':
		return "oe"
	case 'æ', 'Æ':
		return "ae"
	case 'ß', 'ẞ':
		return "ss"
	case 'ø', 'Ø':
		return "o"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'ł', 'Ł':
		return "l"
	case 'ı':
		return "i"
	}
	return ""
}

// asciiText lets fold give strings without allocating.
var asciiText = func() string {
	b := make([]byte, utf8.RuneSelf)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// LeadingDigits counts them.
func LeadingDigits(s string) int {
	n := 0
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

var (
	NumberSuffixes  = map[string]bool{"bis": true, "ter": true, "quater": true, "quinquies": true}
	ordinalSuffixes = map[string]bool{"e": true, "er": true, "ere": true, "eme": true, "ieme": true, "nd": true,
		"nde": true, "re": true}
)

// appendWord gives ordinals one form ("18ème" is "18e", "1er" is "1e") and parts a number from its suffix.
func appendWord(out []Part, word string) []Part {
	n := LeadingDigits(word)
	if n == 0 || n == len(word) {
		return append(out, Part{Text: word})
	}
	switch suffix := word[n:]; {
	case ordinalSuffixes[suffix]:
		return append(out, Part{Text: word[:n] + "e"})
	case len(suffix) == 1:
		return append(out, Part{Text: word})
	default:
		return append(out, Part{Text: word[:n]}, Part{Text: suffix})
	}
}

// Words are the words of a name in the form in which they are indexed: common abbreviations written out,
// those of kinds of streets only where they begin the name.
func Words(name string) []string { return WordsOf(Split(name)) }

// WordsOf are the words of a name that is split already.
func WordsOf(parts []Part) []string {
	out := make([]string, 0, len(parts))
	for i, p := range parts {
		if several, ok := Phrases[p.Text]; ok {
			out = append(out, several...)
			continue
		}
		if full, ok := Kinds[p.Text]; ok && i == 0 && len(parts) > 1 {
			out = append(out, full)
			continue
		}
		if full, ok := Titles[p.Text]; ok {
			out = append(out, full)
			continue
		}
		if p.Text == "s" && p.Slashed {
			out = append(out, "sur")
			continue
		}
		out = append(out, p.Text)
	}
	return out
}

// PlaceWord is the form that a word has in names of places.
func PlaceWord(p Part) string {
	switch p.Text {
	case "st":
		return "saint"
	case "ste":
		return "sainte"
	case "sts":
		return "saints"
	case "stes":
		return "saintes"
	case "ss":
		return "sous"
	case "s":
		if p.Slashed {
			return "sur"
		}
	}
	return p.Text
}

// PostcodeNumber returns a postcode as a number; 0 for any other text.
func PostcodeNumber(s string) uint32 {
	if len(s) != 5 || LeadingDigits(s) != 5 {
		return 0
	}
	var n uint32
	for i := range len(s) {
		n = n*10 + uint32(s[i]-'0')
	}
	return n
}

// minLarge is the least population of a commune that is much larger than another one, muchLarger how many
// times larger it is. These limits concern 179 of the 10 393 words with which names of communes begin and
// which are not names.
const minLarge, muchLarger = 5000, 20

// IsMuchLarger reports whether a population is so much larger than another that what begins like the name of
// the smaller commune may well be that of the larger one with a typing error: Lyons, of Lyons-la-Forêt and
// Lyon.
func IsMuchLarger[T int32 | uint32](population, other T) bool {
	return population >= minLarge && population/muchLarger >= other
}

// romanNumbers are the numbers of arrondissements, from 1, as some write them: XVIIIe.
var romanNumbers = strings.Fields("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")

// RomanNumber gives the number that a word in lower case is in Roman numerals, up to 20; 0: it is none.
func RomanNumber(word string) int { return slices.Index(romanNumbers, word) + 1 }
