package report

import (
	"sync"
	"testing"
)

func TestReadableName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Peugeot-Talbot NCA Concess , NCA":  "Peugeot-Talbot NCA Concess, NCA",
		"COLLEGE BROSSOLETTE":               "Collège Brossolette",
		"HOPITAL JEAN VERDIER (AP-HP)":      "Hôpital Jean Verdier (AP-HP)",
		"ECOLE PRIMAIRE DE L'EGLISE":        "École primaire de l'Eglise",
		"LYCEE GENERAL JEAN-RENOIR":         "Lycée général Jean-Renoir",
		"CHRU DE LILLE":                     "CHRU de Lille",
		"Gare de Bondy":                     "Gare de Bondy",
		"PEUGEOT-TALBOT NCA CONCESS":        "Peugeot-Talbot NCA Concess",
		"LE RAINCY VILLEMOMBLE MONTFERMEIL": "Le Raincy Villemomble Montfermeil",
		"":                                  "",
	} {
		if got := readableName(name); got != want {
			t.Errorf("%q is read %q, want %q", name, got, want)
		}
	}
}

// Two visitors who read reports at the same time read their own names: no state is shared between them.
func TestConcurrentNamesAreNotMixed(t *testing.T) {
	t.Parallel()
	var readers sync.WaitGroup
	for name, want := range map[string]string{"COLLEGE BROSSOLETTE": "Collège Brossolette",
		"LE RAINCY VILLEMOMBLE MONTFERMEIL": "Le Raincy Villemomble Montfermeil", "PEUGEOT-TALBOT NCA CONCESS": "Peugeot-Talbot NCA Concess"} {
		for range 4 {
			readers.Go(func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%q: %v", name, p)
					}
				}()
				for range 5000 {
					if got := readableName(name); got != want {
						t.Errorf("%q is read %q, want %q", name, got, want)
						return
					}
				}
			})
		}
	}
	readers.Wait()
}
