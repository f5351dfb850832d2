package ingest_test

import (
	"testing"

	"arpent/api/ingest"
)

// Streets are found under their names, also where a file was encoded twice; right names stay as they are.
func TestMended(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Rue de la Paix":        "Rue de la Paix",
		"AllÃ©e des ChÃªnes":    "Allée des Chênes",
		"Rue d\u2019Ã\u0089vry": "Rue d\u2019Ã\u0089vry", // half of it only: left alone
		"Place de lâ€™Ã‰glise":  "Place de l’Église",
		"CÅ“ur":                 "Cœur",
		"Château d'Âne, Ãa":     "Château d'Âne, Ãa",
		"Rue Ã\u00a0 gauche":    "Rue à gauche",
		"Allée des Chênes":      "Allée des Chênes",
		"Île Ā":                 "Île Ā",
	} {
		if got := ingest.Mended(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
