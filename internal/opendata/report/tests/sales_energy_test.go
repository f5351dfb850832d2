package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest"
)

const dpeHeader = "numero_dpe,numero_dpe_remplace,date_etablissement_dpe,date_fin_validite_dpe,type_batiment,annee_construction," +
	"periode_construction,surface_habitable_logement,etiquette_dpe,etiquette_ges,conso_5_usages_par_m2_ep,emission_ges_5_usages_par_m2," +
	"identifiant_ban,code_insee_ban,code_postal_brut,_geopoint\n"

// dpeRow is a diagnostic; point is "lat,lon".
func dpeRow(id, replaces, date, address, commune, postcode, point string) string {
	return fmt.Sprintf("%s,%s,%s,2033-01-01,maison,1954,1948-1974,95.5,D,B,212,9.4,%s,%s,%s,\"%s\"\n",
		id, replaces, date, address, commune, postcode, point)
}

func diagnostic(id, date, match string, metres string) string {
	return `{"id":"` + id + `","date":"` + date + `","validUntil":"2033-01-01","energyClass":"D","ghgClass":"B","consumptionKwhM2":212,` +
		`"emissionsKgM2":9.4,"buildingType":"maison","builtYear":1954,"builtPeriod":"1948-1974","livingAreaM2":95.5,"match":"` + match +
		`","distanceM":` + metres + `}`
}

// The diagnostics of the parcel's addresses are returned alone,
// however near others are, without replaced ones.
func TestDiagnosticsOfTheAddresses(t *testing.T) {
	b := newFixture(t)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+banRow("93010_1_00012", "12", "", "2.4805;48.9005", "entrée", "1", ""))
	b.Load("dpe", "dpe/dpe03existant-93010.csv", dpeHeader+
		dpeRow("A1", "", "2022-01-05", "93010_1_00012", "93010", "93140", "48.9005,2.4805")+
		dpeRow("A2", "A1", "2023-01-05", "93010_1_00012", "93010", "93140", "48.9005,2.4805")+
		dpeRow("A3", "", "2024-01-05", "93010_1_00012", "93010", "93140", "")+
		dpeRow("B1", "", "2024-02-05", "93010_1_00014", "93010", "93140", "48.9005,2.4806"))
	b.wants("dpe", "["+diagnostic("A3", "2024-01-05", "address", "null")+","+diagnostic("A2", "2023-01-05", "address", "0")+"]")
}

// Without one of its addresses, those within 50 m are returned, with their distance.
func TestDiagnosticsNear(t *testing.T) {
	b := newFixture(t)
	b.Load("dpe", "dpe/dpe03existant-93010.csv", dpeHeader+
		dpeRow("A1", "", "2022-01-05", "93010_1_00012", "93010", "93140", "48.9005,2.4815")+
		dpeRow("A2", "", "2022-01-06", "93010_1_00012", "93010", "93140", "48.9005,2.4817"))
	near := math.Round(apart(2.481, 48.9005, 2.4815, 48.9005))
	b.wants("dpe", "["+diagnostic("A1", "2022-01-05", "near", fmt.Sprint(near))+"]") // the other is 51 m away
}

func TestDiagnosticsNone(t *testing.T) {
	b := newFixture(t)
	b.wants("dpe", "null")
	b.Load("dpe", "dpe/dpe03existant-93010.csv", dpeHeader+
		dpeRow("A1", "", "2022-01-05", "", "93010", "93140", "48.9105,2.4815"))
	b.wants("dpe", "[]")
}

// A home of La Réunion that was looked up in the mainland is no parcel's neighbour there.
func TestDiagnosticsFromOverseas(t *testing.T) {
	b := newFixture(t)
	var good strings.Builder
	for i := range 40 {
		good.WriteString(dpeRow(fmt.Sprintf("G%d", i), "", "2022-01-05", "", "93010", "93140", "48.9105,2.4815"))
	}
	out := b.Load("dpe", "dpe/dpe03existant-93010.csv", dpeHeader+good.String()+
		dpeRow("R1", "", "2022-01-05", "", "93010", "97400", "48.9005,2.4805")+
		dpeRow("R2", "", "2022-01-05", "", "97411", "97400", "48.9005,2.4805"))
	if out.Refused != 2 {
		t.Errorf("%d rows are refused: %v", out.Refused, out.Rejections)
	}
	b.wants("dpe", "[]")
}

// The method and the columns of before July 2021 are others: such a file is not mixed in.
func TestDiagnosticsOfTheOldMethod(t *testing.T) {
	b := newFixture(t)
	b.Write("dpe/dpe03existant-93010.csv", "numero_dpe,date_etablissement_dpe,classe_consommation_energie,latitude,longitude\n"+
		"1993V1,2015-01-05,D,48.9005,2.4805\n")
	if out := b.TryLoad("dpe"); out.State != ingest.Refused {
		t.Errorf("the load is %s", out.State)
	}
	b.wants("dpe", "null")
}
