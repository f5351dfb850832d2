package reportkit

import (
	"fmt"
	"strings"
)

// Lines joins lines the way the producers' systems do.
func Lines(all ...string) string { return strings.Join(all, "\r\n") + "\r\n" }

// RiskPlanHeader is the header of the plans of risks of GASPAR, with
// a place for the name of its third column.
const RiskPlanHeader = "CODE MODELE;LIBELLE MODELE;%s;LIBELLE PROCEDURE;BASSIN RISQUE;CODE INSEE COMMUNE;NOM COMMUNE;CODE RISQUE 1;LIBELLE RISQUE 1;CODE RISQUE 2;LIBELLE RISQUE 2;CODE RISQUE 2;LIBELLE RISQUE 3;PRESCRIPTION;APPROBATION;ANNULATION;ABROGATION;LIBELLE ETAT;DATE ETAT;LIBELLE SOUS-ETAT;DATE SOUS-ETAT;DATE DERNIERE MISE A JOUR"

// TrafficHeader is the header of the counts of traffic.
const TrafficHeader = "dateReferentiel;route;longueur;prD;depPrD;absD;xD;yD;zD;xF;yF;zF;cote;anneeMesureTrafic;TMJA;ratio_PL\n"

// TrafficSegment is a line of the counts of traffic: a stretch from south to north at a longitude.
func (f *Fixture) TrafficSegment(route string, pr int, lon, south, north float64, year int, aadt,
	heavy string) string {
	f.T.Helper()
	return fmt.Sprintf("01/01/2024;%s;1000;%d;93;0;%s;0;%s;0;D;%d;%s;%s\n", route, pr, f.Lambert(lon, south),
		f.Lambert(lon, north), year, aadt, heavy)
}
