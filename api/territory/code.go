package territory

// codeIndex finds a commune by its code: one look at memory, where a map takes four.
type codeIndex []int32 // by number of the code: index of the commune, from 1; 0: there is none

// Codes are five digits, of which the second is A or B in Corse.
const codeNumbers = 10 * 12 * 1000

// numberOf is the number of a code; false: it is none.
func numberOf(code string) (n int, ok bool) {
	if len(code) != 5 {
		return 0, false
	}
	for i := range len(code) {
		digit, base := int(code[i]-'0'), 10
		if i == 1 {
			base = 12
			if code[i] == 'A' || code[i] == 'B' {
				digit = int(code[i]-'A') + 10
			}
		}
		if digit >= base {
			return 0, false
		}
		n = n*base + digit
	}
	return n, true
}

func (x codeIndex) find(code string) (index int32, ok bool) {
	n, ok := numberOf(code)
	if !ok || x[n] == 0 {
		return 0, false
	}
	return x[n] - 1, true
}

// set reports whether it is a code.
func (x codeIndex) set(code string, index int32) (ok bool) {
	n, ok := numberOf(code)
	if ok {
		x[n] = index + 1
	}
	return ok
}
