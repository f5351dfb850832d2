package report_test

import (
	"fmt"
	"math"
	"testing"
)

// The tables of ANFR tell operator, generation and place apart from one another: in degrees, minutes and seconds, in
// Latin-1. Television, trains and what is not in service are no mobile masts.
func TestMobileMastsOfTables(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("anfr/SUP_SUPPORT.txt", "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;"+
		"COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU\n"+
		"100;0930000001;11;48;54;2;N;2;29;6;E;32,5;1;Ch\xe2teau d'eau\n"+
		"100;0930000002;11;48;54;2;N;2;29;6;E;32,5;1;\n"+
		"200;0930000003;11;48;54;2;N;2;28;55;E;10;1;\n"+ // television
		"300;0930000004;11;48;54;2;N;2;28;55;E;10;1;\n"+ // not in service
		"400;0930000005;11;;;;;;;;;10;1;\n")
	b.write("anfr/SUP_STATION.txt", "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE\n"+
		"0930000001;23;1;01/01/2010;01/01/2010;01/01/2010\n0930000002;137;1;01/01/2010;01/01/2010;01/01/2010\n"+
		"0930000003;23;1;01/01/2010;01/01/2010;01/01/2010\n0930000004;23;1;01/01/2010;01/01/2010;\n")
	b.write("anfr/SUP_EMETTEUR.txt", "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE\n"+
		"1;LTE 700;0930000001;1;\n2;LTE 800;0930000001;1;\n3;5G NR 3500;0930000002;1;\n4;TNT;0930000003;1;\n"+
		"5;GSM R;0930000003;1;\n6;LTE 800;0930000004;1;\n")
	b.write("anfr/SUP_EXPLOITANT.txt", "ADM_ID;ADM_LB_NOM\n23;ORANGE\n137;FREE MOBILE\n")
	loaded(t, b.loadSource("anfr-operators"), 2, 0)
	loaded(t, b.loadSource("anfr-emitters"), 3, 0)
	loaded(t, b.loadSource("anfr-stations"), 3, 0)
	loaded(t, b.loadSource("anfr-supports"), 4, 0)
	lon, lat := 2+29./60+6./3600, 48+54./60+2./3600
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"100","operators":["FREE MOBILE","ORANGE"],"generations":["4G","5G"],"heightM":32.5,"distanceM":%d}`,
		int(math.Round(apart(2.481, lat, lon, lat)))))
}

// Positions alone do not say that there is no mast.
func TestMobileSupportsAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("anfr-supports", "anfr/SUP_SUPPORT.txt", "SUP_ID;STA_NM_ANFR;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;"+
		"COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT\n100;0930000001;48;54;2;N;2;29;6;E;32,5\n")
	if b.covers("mobile_mast") {
		t.Error("supports without emitters cover a layer")
	}
	b.wants("nearestMobile", "null")
}
