// Package cog knows the codes of the code officiel géographique of INSEE.
package cog

// Index finds what has the code of a commune or of an arrondissement:
// one look at memory, where a map takes four.
type Index []int32 // by number of the code: place of what has it, from 1; 0: there is none

// NewIndex is empty. It takes 480 kB.
func NewIndex() Index { return make(Index, codeNumbers) }

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

// Find gives what Set was given for the code.
func (x Index) Find(code string) (index int32, ok bool) {
	n, ok := numberOf(code)
	if !ok || x[n] == 0 {
		return 0, false
	}
	return x[n] - 1, true
}

// Set reports whether it is a code.
func (x Index) Set(code string, index int32) (ok bool) {
	n, ok := numberOf(code)
	if ok {
		x[n] = index + 1
	}
	return ok
}
