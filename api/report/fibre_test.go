package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

const fibreHeader = "x,y,imb_id,num_voie,cp_no_voie,type_voie,nom_voie,batiment,code_insee,code_poste,nom_com,catg_loc_imb,imb_etat,pm_ref,pm_etat,code_l331,geom_mod,type_imb\n"

func fibreRow(x, y, id, state string) string {
	return x + "," + y + "," + id + ",1,,RUE,HAUTE,,93010,93140,BONDY,AUTRE," + state + ",FI-93010-0001,deploye,ORAN,2023-01-01,pavillon\n"
}

// The nearest building is found in metres, not in degrees: one to the east looks farther in degrees than it is.
func TestFibreNearest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("fibre", "fibre/ipe_93010.csv", fibreHeader+
		fibreRow("2.4805", "48.90135", "IMB/93010/X/NORTH", "cible")+
		fibreRow("2.48145", "48.9005", "IMB/93010/X/EAST", "deploye"))
	east := math.Round(apart(2.481, 48.9005, 2.48145, 48.9005))
	b.wants("fibre", fmt.Sprintf(`{"status":"deploye","operator":"ORAN","buildingId":"IMB/93010/X/EAST","node":"FI-93010-0001",
		"nodeStatus":"deploye","kind":"pavillon","completedOn":null,"distanceM":%g}`, east))
}

func TestFibreNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.wants("fibre", "null")
	b.load("fibre", "fibre/ipe_93010.csv", fibreHeader+fibreRow("2.4817", "48.9005", "IMB/93010/X/FAR", "deploye"))
	b.wants("fibre", "null") // 51 m
}

// One edition has semicolons and Windows-1252.
func TestFibreSemicolons(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := strings.ReplaceAll(fibreHeader+fibreRow("2.4805", "48.9005", "IMB/93010/X/1", "raccordable demande"), ",", ";")
	b.load("fibre", "fibre/base_imb_2023T4_93010.csv", strings.Replace(rows, "HAUTE", "DU CH\xc2TEAU", 1))
	b.wants("fibre", `{"status":"raccordable demande","operator":"ORAN","buildingId":"IMB/93010/X/1","node":"FI-93010-0001",
		"nodeStatus":"deploye","kind":"pavillon","completedOn":null,"distanceM":0}`)
}
