//go:build soak

package attack_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"arpent/app/dev/testkit"
)

// A million mutated requests; ARPENT_MUTATIONS says how many others, ARPENT_SEED from where they begin.
func TestSoakHTTPMutations(t *testing.T) {
	number := func(name string, otherwise uint64) uint64 {
		if text := os.Getenv(name); text != "" {
			return testkit.Must(strconv.ParseUint(text, 10, 63))(t)
		}
		return otherwise
	}
	mutations(t, int(number("ARPENT_MUTATIONS", 1_000_000)), number("ARPENT_SEED", 1), 5*time.Second)
}
