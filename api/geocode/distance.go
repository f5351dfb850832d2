package geocode

import "math/bits"

// signature is a set of letters and digits with some of their second occurrences. An edit changes at most two of its
// bits, so that two words further apart than 2n bits are more than n edits apart.
func signature(word string) uint64 {
	var once, twice uint64
	for i := range len(word) {
		var bit uint64
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			bit = 1 << (c - 'a')
		case isDigit(c):
			bit = 1 << (26 + c - '0')
		}
		twice |= once & bit
		once |= bit
	}
	return once | (twice&(1<<26-1))<<36
}

func signaturesApart(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// distance counts the letters to insert, delete, replace, or exchange with their neighbour; more than most is most+1.
func distance(a, b string, most int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most || len(b) > distanceMost {
		return most + 1
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 {
		return min(len(b), most+1)
	}
	var rows [3][distanceMost + 1]uint8
	before, last, now := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		now[0] = uint8(i)
		least := now[0]
		for j := 1; j <= len(b); j++ {
			cost := uint8(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			v := min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				v = min(v, before[j-2]+1)
			}
			now[j] = v
			least = min(least, v)
		}
		if int(least) > most {
			return most + 1
		}
		before, last, now = last, now, before
	}
	return min(int(last[len(b)]), most+1)
}

// distanceMost is the longest word, or name of a place in one word, that a typing error is looked for in.
const distanceMost = 63

// tolerance is how many errors a word of this length may hold and still be known.
func tolerance(length int) int {
	switch {
	case length < 4:
		return 0
	case length < 8:
		return 1
	default:
		return 2
	}
}
