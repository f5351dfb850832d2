package report

import "testing"

func TestReadableName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
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
