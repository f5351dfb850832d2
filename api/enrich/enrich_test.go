package enrich_test

import (
	"testing"

	"arpent/api/enrich"
)

// A customer finds every key of the contract, once, in its order, with its meaning.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	if err := enrich.OutOfContract(); err != nil {
		t.Error(err)
	}
}

// Without sources every key is null: nothing is made up, and nothing looks like "looked for and not found".
func TestNothingLoaded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, k := range enrich.Keys() {
		if got := b.value(k.Name); got != "null" {
			t.Errorf("%s is %s", k.Name, got)
		}
	}
}
