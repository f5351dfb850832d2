package demo

import "math/bits"

// dice draws numbers that depend only on the seed and on what they are for, so that a commune looks the same whatever
// else is made, in whatever order and on however many cores.
type dice uint64

// of gives the dice for the n-th thing of a kind.
func (d dice) of(n uint64) dice {
	// The finaliser of MurmurHash3: neighbours must not resemble each other.
	h := uint64(d) + 0x9e3779b97f4a7c15*(n+1)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return dice(h ^ h>>33)
}

// named gives the dice for the thing of that name.
func (d dice) named(s string) dice {
	for i := range len(s) {
		d = d.of(uint64(s[i]))
	}
	return d
}

// below draws from 0…n-1.
func (d dice) below(n int) int {
	high, _ := bits.Mul64(uint64(d), uint64(n))
	return int(high)
}

// within draws from -most…most.
func (d dice) within(most float64) float64 {
	return (float64(uint64(d)>>11)/(1<<53)*2 - 1) * most
}
