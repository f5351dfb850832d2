package geocode

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A word longer than this is cut: the edit distance is counted in one machine word, and nothing is called so.
const wordMost = 30

// part is a word as it stands in a text, folded: lower case, without accents.
type part struct {
	text    string
	elided  bool // an apostrophe follows: the d of "d'Aulnay"
	slashed bool // a slash follows: the s of "Villers s/ Marne"
}

// split cuts a text into folded words. Everything that is neither letter nor digit separates; a letter before a digit
// does too ("D14"), and so does the suffix of a number that is a word of its own ("12bis").
func split(s string) []part {
	var out []part
	var word []byte
	end := func() {
		if len(word) > 0 {
			out = appendWord(out, string(word[:min(len(word), wordMost)]))
			word = word[:0]
		}
	}
	for _, r := range norm.NFKD.String(s) {
		switch letters := fold(r); {
		case letters != "":
			if len(word) > 0 && isDigit(letters[0]) && !isDigit(word[len(word)-1]) {
				end()
			}
			word = append(word, letters...)
		case unicode.Is(unicode.Mn, r):
		default:
			begun := len(word) > 0
			end()
			if begun {
				last := &out[len(out)-1]
				last.elided = r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '`' || r == '´'
				last.slashed = r == '/'
			}
		}
	}
	end()
	return out
}

// fold gives the lower-case letters without accent, or the digit, that a decomposed rune stands for; "" for others.
func fold(r rune) string {
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

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// leadingDigits counts them.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

var (
	numberSuffixes  = map[string]bool{"bis": true, "ter": true, "quater": true, "quinquies": true}
	ordinalSuffixes = map[string]bool{"e": true, "er": true, "ere": true, "eme": true, "ieme": true, "nd": true, "nde": true, "re": true}
)

// appendWord gives ordinals one form ("18ème" is "18e", "1er" is "1e") and parts a number from its suffix.
func appendWord(out []part, word string) []part {
	n := leadingDigits(word)
	if n == 0 || n == len(word) {
		return append(out, part{text: word})
	}
	switch suffix := word[n:]; {
	case ordinalSuffixes[suffix]:
		return append(out, part{text: word[:n] + "e"})
	case len(suffix) == 1:
		return append(out, part{text: word})
	default:
		return append(out, part{text: word[:n]}, part{text: suffix})
	}
}

// words are the words of a name in the form in which they are indexed: common abbreviations written out, those of kinds
// of streets only where they begin the name.
func words(name string) []string {
	parts := split(name)
	out := make([]string, 0, len(parts))
	for i, p := range parts {
		if several, ok := phrases[p.text]; ok {
			out = append(out, several...)
			continue
		}
		if full, ok := kinds[p.text]; ok && i == 0 && len(parts) > 1 {
			out = append(out, full)
			continue
		}
		if full, ok := titles[p.text]; ok {
			out = append(out, full)
			continue
		}
		if p.text == "s" && p.slashed {
			out = append(out, "sur")
			continue
		}
		out = append(out, p.text)
	}
	return out
}

// placeWord is the form that a word has in names of places.
func placeWord(p part) string {
	switch p.text {
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
		if p.slashed {
			return "sur"
		}
	}
	return p.text
}
