package parcel

import (
	"regexp"
	"strings"

	"arpent/app/base/fault"
)

// IDUPattern is the form of a cadastral reference: commune (Corsica has 2A and 2B), prefix, section, number.
const IDUPattern = `^([013-9][0-9]|2[0-9AB])[0-9]{6}[0-9A-Z]{2}[0-9]{4}$`

// IDUExpected describes that form in a message.
const IDUExpected = "a cadastral reference of 14 characters such as 930100000A0224: commune code, 3-digit prefix, " +
	"2-character section, 4-digit number, in capitals"

// IDU is a well-formed cadastral reference.
type IDU string

// ParseIDU checks the form of a reference.
func ParseIDU(s string) (IDU, error) {
	if !wellFormed(s) {
		return "", fault.Invalid("idu is %q; expected %s", fault.Excerpt(s), IDUExpected)
	}
	return IDU(s), nil
}

// written is a reference as deeds and plans have it: commune, prefix if it is not 000, section, number; capitals and zeros
// before section and number are left out as often as not.
var written = regexp.MustCompile(`^((?:[013-9][0-9]|2[0-9AB])[0-9]{3}) ?([0-9]{3})? ?(0?[A-Z]|[A-Z]{2}) ?([0-9]{1,4})$|` +
	`^((?:[013-9][0-9]|2[0-9AB])[0-9]{3}) ?([0-9]{3})? ([0-9]{1,2}) ([0-9]{1,4})$`) // sections with digits alone: Alsace and Moselle

// unpadded is a whole reference that lost its first zero, as spreadsheets take it from those of the départements 01 to 09. With one
// letter in the section it could be another, of a section without its zero.
var unpadded = regexp.MustCompile(`^[1-9][0-9]{6}[A-Z]{2}[0-9]{4}$`)

// Read gives the reference that is meant by one in another form, such as "93010 A 224"; false: it means none.
func Read(text string) (IDU, bool) {
	if len(text) > 40 {
		return "", false
	}
	words := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return strings.ContainsRune(" -_./\u00a0\u202f", r) })
	if len(words) == 1 && unpadded.MatchString(words[0]) {
		return IDU("0" + words[0]), true
	}
	parts := written.FindStringSubmatch(strings.Join(words, " "))
	if parts == nil {
		return "", false
	}
	parts = parts[1:]
	if parts[0] == "" {
		parts = parts[4:]
	}
	pad := func(s string, n int) string { return strings.Repeat("0", n-len(s)) + s }
	id := IDU(parts[0] + pad(parts[1], 3) + pad(parts[2], 2) + pad(parts[3], 4))
	return id, wellFormed(string(id))
}

// wellFormed reports whether s matches IDUPattern, in a fraction of its time.
func wellFormed(s string) bool {
	if len(s) != 14 {
		return false
	}
	for i := range len(s) {
		digit := s[i] >= '0' && s[i] <= '9'
		switch {
		case digit:
		case i == 1 && s[0] == '2' && (s[i] == 'A' || s[i] == 'B'):
		case (i == 8 || i == 9) && s[i] >= 'A' && s[i] <= 'Z':
		default:
			return false
		}
	}
	return true
}

// Commune is the code of the commune or, in Paris, Lyon and Marseille, of the arrondissement.
func (i IDU) Commune() string { return string(i[:5]) }

// Prefix is 000, or the last three digits of the code of a merged commune.
func (i IDU) Prefix() string { return string(i[5:8]) }

// Section is the section of the plan, padded with 0.
func (i IDU) Section() string { return string(i[8:10]) }

// Number is the number within the section, padded with 0.
func (i IDU) Number() string { return string(i[10:]) }
