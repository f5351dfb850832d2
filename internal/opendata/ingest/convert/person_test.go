package convert_test

import (
	"testing"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
)

// No answer has the name of a natural person: what is not known to name an organisation is not served. The
// forms are those of the registers: BASIAS writes "NAME (M.)", that of classified installations "NAME First
// name".
func TestNamesOfPersonsAreNotServed(t *testing.T) {
	t.Parallel()
	for rule, names := range map[source.Persons]map[string]bool{
		source.OrganisationName: {
			"DUPONT (M.)": false, "DUPONT (Mme)": false, "DUPONT (Mme Vve)": false, "M. Dupont Jean": false, "Mme Durand": false, "Monsieur DURAND": false,
			"MM. DURAND": false, "DURAND Jean": false, "DURAND JEAN-PIERRE": false, "Jean Durand": false, "J. DURAND": false, "DURAND J.": false,
			"DE LA TOUR Jean": false, "LE GOFF Anne Marie": false, "Durand Jean, Durand Paul": false, "GARAGE DU NORD, DURAND Jean": false,
			"GARAGE DURAND (M.)": false, "DURAND Jean EI": false, "Éléonore Béranger": false, "d'Artagnan Charles": false, "Dr DURAND": false,
			"SARL Monsieur Propre": true, "DURAND (SARL)": true, "DURAND JEAN S.A.R.L.": true, "SEGRO FRANCE S.A.": true, "GAEC DURAND PERE ET FILS": true,
			"ACME": true, "AXTO": true, "ETS DURAND": true, "DURAND ET CIE": true, "DURAND & Fils": true, "GARAGE BECQUEREL": true, "AUTO FORUM 93": true,
			"OPHLM de la VILLE de BONDY": true, "Société ARIC - SA": true, "SODEG - SYNDICAT MIXTE pour la PRODUCTION et la DISTRIBUTION de CHALEUR": true,
			"CADENCE ex GACD": true, "WIAME VRD": true, "Commune de Bondy": true, "L'IMPRIMERIE": true, "BÉTON SOLUTIONS MOBILES": true,
			"CHRIS , STATION ESSO": true, "Dépôt": true, "CARREFOUR MARKET": true,
		},
		source.PlaceName: {
			"Cave de M. Durand": false, "chez Mme Durand": false, "M. DURAND": false, "MR DURAND": false, "Les Prés": true, "Rue Jean Jaurès": true, "La Boye, nord": true,
			"Place M": true, "Carrière Durand": true,
		},
		source.KnownOrganisationName: {
			"DUPONT": false, "DUPONT, MARTIN": false, "Dupont-Martin": false, "DURAND Jean": false, "SARL DUPONT": true,
			"IMMOBILIER": true, "IMMOBILIER DUPONT,": true,
		},
		source.LegalPersonName: {
			"INDIVISION DUPONT JEAN": false, "SUCCESSION MARTIN": false, "CONSORTS DUPONT": false,
			"M DUPONT JEAN": false, "M. DUPONT JEAN": false, "MME MARTIN": false, "DUPONT JEAN EI": false,
			"DUPONT (M)": false, "MARTIN JEAN, ENTREPRENEUR INDIVIDUEL": false, "LES HÉRITIERS DE DUPONT": false,
			"DUPONT JEAN E.I.": false, "E.I. DUPONT JEAN": false, "DUPONT EIRL": false, "SCI A - M DUPONT": false,
			"SCI DUPONT": true, "EDF": true, "COMMUNE DE BONDY": true, "SCI MM": true, "Résidence de l'Essai": true,
			"COMMUNE DE\nBONDY": true,
		},
		"": {"M. Dupont Jean": true},
	} {
		for name, served := range names {
			want := ""
			if served {
				want = name
			}
			if got := convert.WithoutPerson(rule, name); got != want {
				t.Errorf("%s: %q is served as %q; want %q", rule, name, got, want)
			}
		}
	}
}
