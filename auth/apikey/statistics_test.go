package apikey_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"arpent/auth/apikey"
)

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Every character of a key is drawn evenly, at every place: chi-square with 61 degrees of freedom, which even
// draws exceed at one of 32 places once in a million runs. A generator that forgets to draw again above 248
// makes eight letters come up a fifth more often, which this number of keys always shows.
func TestCharactersAreEven(t *testing.T) {
	t.Parallel()
	const keys, limit = 31_000, 155.0
	var seen [32][62]int
	for range keys {
		secret, _ := apikey.New()
		for i := range 32 {
			seen[i][strings.IndexByte(letters, secret[4+i])]++
		}
	}
	for i, counts := range seen {
		sum := 0.0
		for _, n := range counts {
			d := float64(n) - keys/62.0
			sum += d * d / (keys / 62.0)
		}
		if sum > limit {
			t.Errorf("place %d: chi-square %.1f", i, sum)
		}
	}
}

// The checksum finds every wrong letter and every pair of neighbours that changed places, and of keys that
// somebody makes up one in 2^32 passes: none of these.
func TestChecksumFindsMistakes(t *testing.T) {
	t.Parallel()
	secret, _ := apikey.New()
	accepted := func(s string) bool { _, ok := apikey.Parse(s); return ok }
	for i := 4; i < len(secret); i++ {
		for _, c := range []byte(letters) {
			if c != secret[i] && accepted(secret[:i]+string(c)+secret[i+1:]) {
				t.Errorf("letter %d replaced by %c is accepted", i, c)
			}
		}
		if i+1 < len(secret) && secret[i] != secret[i+1] && accepted(secret[:i]+string(secret[i+1])+string(secret[i])+secret[i+2:]) {
			t.Errorf("letters %d and %d may change places", i, i+1)
		}
	}
	made := []byte("arp_" + strings.Repeat("0", 38))
	for range 200_000 {
		for i := 4; i < len(made); i++ {
			made[i] = letters[rand.IntN(62)]
		}
		if accepted(string(made)) {
			t.Errorf("%s was made up and is accepted", made)
		}
	}
}
