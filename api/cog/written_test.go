package cog_test

import (
	"testing"

	"arpent/api/cog"
)

// Codes are found as lists and road maps write them: with a letter before them, or without the zeros of
// Corsica.
func TestCompleteCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"D21": "21", "F-93010": "93010", "R27": "27", "d2a": "2A", "20A": "2A", "20b": "2B", "2A4": "2A004", "2b033": "2B033", "D20A": "2A", "R 27": "27",
		"93010": "93010", "2A": "2A", "2A004": "2A004", "A21": "A21", "D": "D", "20A12": "20A12", "Dole": "Dole", "R270000": "R270000", "": "",
	} {
		if got := cog.CompleteCode(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
