package layout

import "math/bits"

// Signature is a set of letters and digits with some of their second occurrences. An edit changes at most two
// of its bits, so that two words further apart than 2n bits are more than n edits apart.
func Signature(word string) uint64 {
	var once, twice uint64
	for i := range len(word) {
		var bit uint64
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			bit = 1 << (c - 'a')
		case IsDigit(c):
			bit = 1 << (26 + c - '0')
		}
		twice |= once & bit
		once |= bit
	}
	return once | (twice&(1<<26-1))<<36
}

func SignaturesApart(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Pattern is a word that many others are compared with: for each letter and digit, where it stands.
type Pattern struct {
	word string
	at   [128]uint64
}

func (p *Pattern) Set(word string) {
	for i := range len(p.word) {
		p.at[p.word[i]&127] = 0
	}
	p.word = word
	for i := range len(word) {
		p.at[word[i]&127] |= 1 << i
	}
}

// Distance counts the letters to insert, delete, replace, or exchange with their neighbour, to make the word
// from the other; more than most is most+1. A column of the table of distances is two machine words, one of
// the steps up and one of the steps down (Hyyrö, "A bit-vector algorithm for computing Levenshtein and
// Damerau edit distances", 2003). The word has at most MaxDistance letters.
func (p *Pattern) Distance(other string, most int) int {
	length := len(p.word)
	if length == 0 {
		return min(len(other), most+1)
	}
	if max(length, len(other))-min(length, len(other)) > most {
		return most + 1
	}
	up, down, same, before := ^uint64(0), uint64(0), uint64(0), uint64(0)
	last, d := uint64(1)<<(length-1), length
	for i := range len(other) {
		here := p.at[other[i]&127]
		same = ((here & up) + up) ^ up | here | down | (^same&here)<<1&before
		rise, fall := down|^(same|up), same&up
		if rise&last != 0 {
			d++
		}
		if fall&last != 0 {
			d--
		}
		if d-(len(other)-1-i) > most {
			return most + 1
		}
		rise, fall = rise<<1|1, fall<<1
		up, down, before = fall|^(same|rise), rise&same, here
	}
	return min(d, most+1)
}

// MaxDistance is the longest word, or name of a place in one word, that a typing error is looked for in.
const MaxDistance = 63

// Tolerance is how many errors a word of this length may hold and still be known.
func Tolerance(length int) int {
	switch {
	case length < 4:
		return 0
	case length < 8:
		return 1
	default:
		return 2
	}
}

// LacksLetters reports whether a word of five letters or more becomes another one when so many letters are
// added to it, none of them in front: rousine lacks two of roussines.
func LacksLetters(word, full string, letters int) bool {
	if len(word) < 5 || len(full) != len(word)+letters || word[0] != full[0] {
		return false
	}
	matched := 0
	for i := 0; i < len(full) && matched < len(word); i++ {
		if full[i] == word[matched] {
			matched++
		}
	}
	return matched == len(word)
}

// KeepsBeginning reports whether a word is the beginning of a longer one but for letters that are doubled in
// one of the two: rousines and rousine of roussines.
func KeepsBeginning(word, full string) bool {
	if len(word) >= len(full) {
		return false
	}
	i, j := 0, 0
	for i < len(word) && j < len(full) && word[i] == full[j] {
		for c := word[i]; i < len(word) && word[i] == c; {
			i++
		}
		for c := full[j]; j < len(full) && full[j] == c; {
			j++
		}
	}
	return i == len(word)
}
