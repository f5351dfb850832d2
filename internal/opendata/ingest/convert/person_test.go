package convert_test

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"arpent/app/dev/testkit"
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
			"AIR LIQUIDE": true, "COOKSON CLAL": true, "EPUR IDF": true, "R.A.T.P. - DÉPÔT": true, "SCAFA 93": true,
			"VILLE DE PARIS": true, "BIF Boucheries d'île de France": true, "F1 HABILLAGE": true,
			"MOULIN Jean": false, "LECLERC Michel": false, "Marie-France DURAND": false, "DURAND FRANCE": false,
			"FORGET Guy": false, "DURAND JP": false, "DURAND Jean 2": false, "Jean & Marie DURAND": false,
			"L'HOPITAL Jean": false, "DUPONT vve MARTIN Anne": false, "DURAND Chr. Paul": false, "AU Kim": false,
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

// Many surnames are words of trades too: Moulin, Leclerc, Forget. A register of the whole country has
// thousands of sole traders with such a name. Of 35 000 real persons none is taken for an organisation, but
// those whose surname is a legal form.
func TestNamesOfMayorsAreNotServed(t *testing.T) {
	t.Parallel()
	file := testkit.Must(os.Open(filepath.Join(testkit.Box(t), "rne", "rne-maires.csv.gz")))(t)
	defer file.Close()
	text := testkit.Must(gzip.NewReader(file))(t)
	rows := csv.NewReader(text)
	rows.Comma = ';'
	mayors := testkit.Must(rows.ReadAll())(t)
	if len(mayors) < 30_000 {
		t.Fatalf("the file has %d rows", len(mayors))
	}
	for _, m := range mayors[1:] {
		for _, name := range []string{m[1] + " " + m[2], m[2] + " " + m[1]} {
			if m[1] != "SAS" && convert.WithoutPerson(source.OrganisationName, name) != "" {
				t.Errorf("%s is served", name)
			}
		}
	}
}
