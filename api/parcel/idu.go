package parcel

import "arpent/internal/fault"

// IDUPattern is the form of a cadastral reference: commune (Corsica has 2A and 2B), prefix, section, number.
const IDUPattern = `^([013-9][0-9]|2[0-9AB])[0-9]{6}[0-9A-Z]{2}[0-9]{4}$`

// ExampleIDU is the parcel of documents, tools and pages: that of the starter data whose report has the most
// keys with a value, and whose address lies inside it.
const ExampleIDU = "930100000J0236"

// IDUExpected describes that form in a message.
const IDUExpected = "a cadastral reference of 14 characters such as " + ExampleIDU + ": commune code, 3-digit prefix, " +
	"2-character section, 4-digit number, in capitals"

// IDU is a well-formed cadastral reference.
type IDU string

// ParseIDU checks the form of a reference.
func ParseIDU(s string) (IDU, error) {
	if !isWellFormed(s) {
		return "", fault.Invalid("idu is %q; expected %s", fault.Excerpt(s), IDUExpected)
	}
	return IDU(s), nil
}

// isWellFormed reports whether s matches IDUPattern, in a fraction of its time.
func isWellFormed(s string) bool {
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

// withZeroSection is a reference whose section begins with the letter O in place of a zero; false: it does
// not.
func (i IDU) withZeroSection() (IDU, bool) {
	if i[8] != 'O' || i[9] < 'A' {
		return "", false
	}
	return i[:8] + "0" + i[9:], true
}
