package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/state"
)

// dailyCondominiums is the header of the daily file of the register, as far as it is read and with what is
// personal in it.
const dailyCondominiums = "numero_immatriculation,date_derniere_maj,type_syndic," +
	"identification_representant_legal,raison_sociale_representant_legal,siret_representant_legal," +
	"nom_usage_copropriete,adresse_reference,nombre_total_lots,nombre_lots_habitation_bureaux_commerces," +
	"nombre_lots_habitation,nombre_lots_stationnement,periode_construction,reference_cadastrale_1," +
	"reference_cadastrale_2,reference_cadastrale_3,nombre_parcelles,code_officiel_commune," +
	"code_officiel_arrondissement_commune\n"

// condominiumRow is a line of it: the syndic, and the references with the postcode and the INSEE code.
func condominiumRow(number, syndic, references string) string {
	return fmt.Sprintf(`"%s","2026-05-29",%s,"Résidence de l'Essai","12 rue Haute 93140 Bondy",`+
		`"40","20","18","15","DE_1961_A_1974",%s`+"\n", number, syndic, references)
}

// loadWhole loads the named source without its checks of whole files, which small ones cannot pass.
func (b *fixture) loadWhole(name, path, content string) ingest.Outcome {
	b.T.Helper()
	b.Write(path, content)
	src := b.Source(name)
	src.Checks.Queries, src.Checks.MaxRefused = nil, 0.5
	out, err := b.Loads(src)
	if err != nil || len(out) != 1 {
		b.T.Fatalf("%s: %d loads, %v", name, len(out), err)
	}
	return out[0]
}

// A customer sees the condominiums that name the parcel, with lots and period, and the name of a syndic that
// is a legal person alone; one without a readable reference is counted and explained.
func TestCondominiums(t *testing.T) {
	b := newFixture(t)
	b.CompleteParcels("93010")
	b.Exec("INSERT INTO geo.sirene_company (part, id, name) VALUES ('test', '552100554', 'Alpha Beta')")
	const here = `"930100000A0001",,,1,93140,93010`
	out := b.loadWhole("rnic", "rnic/20260530-rnc-data-gouv-with-qpv.csv", dailyCondominiums+
		condominiumRow("AA0000001", `professionnel,X,"SAS CABINET DE L'ESSAI",41234567800012`, here)+
		condominiumRow("AA0000002", `bénévole,DUPONT,"DUPONT Jeanne",`, here)+
		condominiumRow("AA0000003", `professionnel,,"DUPONT Jeanne",11111111100011`, here)+
		condominiumRow("AA0000004", `professionnel,,"ALPHA BETA",55210055400013`, here)+
		condominiumRow("AA0000010", `professionnel,,DUPONT,11111111100011`, here)+
		condominiumRow("AA0000011", `professionnel,,ALPHA,55210055400013`, here)+
		condominiumRow("AA0000005", `non connu,,Identité non partagée en Open Data,non connu`,
			`"930100000Z9999","930100000A0001",,2,93140,93010`)+
		condominiumRow("AA0000006", "non connu,,,", ",,,0,93140,93010")+
		condominiumRow("AA0000007", "non connu,,,", `"93010000A001",,,1,93140,93010`)+
		condominiumRow("AA0000008", "non connu,,,", `"930100000Z9999",,,1,93140,93010`)+
		condominiumRow("", "non connu,,,", here))
	loaded(t, out, 7, 1)
	if out.LeftOut.Count != 3 || out.LeftOut.First.Reason != "it names no parcel" {
		t.Errorf("left out: %+v", out.LeftOut)
	}
	if reason := out.Rejections[0].Reason; reason != "it has no id" {
		t.Errorf("the row without a number is refused because %s", reason)
	}
	item := func(number, kind, syndic, siren string, count int) string {
		return fmt.Sprintf(`{"registrationNumber":"%s","name":"Résidence de l'Essai",`+
			`"address":"12 rue Haute 93140 Bondy","totalLots":40,"mainLots":20,"housingLots":18,"parkingLots":15,`+
			`"builtPeriod":"DE_1961_A_1974","syndicType":%s,"syndic":%s,`+
			`"syndicSiren":%s,"updatedOn":"2026-05-29","parcels":["930100000A0001"],"parcelCount":%d}`,
			number, kind, syndic, siren, count)
	}
	b.wants("condominiums", "["+strings.Join([]string{
		item("AA0000001", `"professional"`, `"SAS CABINET DE L'ESSAI"`, `"412345678"`, 1),
		item("AA0000002", `"volunteer"`, "null", "null", 1),
		item("AA0000003", `"professional"`, "null", "null", 1),
		item("AA0000004", `"professional"`, `"ALPHA BETA"`, `"552100554"`, 1),
		item("AA0000005", "null", "null", "null", 2),
		item("AA0000010", `"professional"`, "null", "null", 1),
		item("AA0000011", `"professional"`, `"ALPHA"`, `"552100554"`, 1),
	}, ",")+"]")
	b.Parcel("930100000A0002", squareWKT)
	if _, s := b.Key("930100000A0002", "condominiums"); s.State != state.None || s.Reason != state.CondominiumNotListed {
		t.Errorf("of a parcel that no condominium names the state is %+v", s)
	}
	if s := b.stateOf("condominiums", "93"); s.Vintage == nil || *s.Vintage != "2026-05-30" {
		t.Errorf("the state is %+v, want the day of the file", s)
	}
}

// The references of Paris, Lyon and Marseille become those of the cadastre; of Marseille one that several
// parcels fit is never shown as a fact.
func TestCondominiumsOfCitiesWithArrondissements(t *testing.T) {
	b := newFixture(t)
	for _, idu := range []string{"75118000AE0032", "69383000AB0001", "13208845AB0001", "13208846AC0002",
		"13208845AD0003", "13208846AD0003"} {
		b.Parcel(idu, squareWKT)
	}
	out := b.loadWhole("rnic", "rnic/rnc-data-gouv-with-qpv.csv", dailyCondominiums+
		condominiumRow("AA0000001", ",,,", "75056118AE0032,,,1,75018,75118")+
		condominiumRow("AA0000002", ",,,", "75118000AE0032,,,1,75018,75118")+
		condominiumRow("AA0000003", ",,,", "69123383AB0001,69123000AB0002,,2,69003,69383")+
		condominiumRow("AA0000004", ",,,", "13055845AB0001,,,1,13008,13208")+
		condominiumRow("AA0000005", ",,,", "13055208AC0002,,,1,13008,")+
		condominiumRow("AA0000006", ",,,", "13055000AC0002,,,1,13008,13208")+
		condominiumRow("AA0000007", ",,,", "13055208AD0003,,,1,13008,13208")+
		condominiumRow("AA0000008", ",,,", "75056000AE0033,,,1,75018,75056"))
	loaded(t, out, 6, 0)
	const ambiguous = "no parcel of today, or more than one, fits 13055208AD0003"
	if out.LeftOut.Count != 2 || out.LeftOut.First.Reason != ambiguous {
		t.Errorf("left out: %+v", out.LeftOut)
	}
	(&loadkit.Fixture{T: t, DB: b.DB}).Want("SELECT id, parcels FROM geo.condominium ORDER BY id",
		`AA0000001|["75118000AE0032"]
AA0000002|["75118000AE0032"]
AA0000003|["69383000AB0001","69383000AB0002"]
AA0000004|["13208845AB0001"]
AA0000005|["13208846AC0002"]
AA0000006|["13208846AC0002"]`)
}

// The register does not follow the merger of a commune: its references are those of today's parcels, also
// under a prefix that it had before, and one whose parcel is gone is left out. The cadastre may still have
// the commune's own code.
func TestCondominiumsOfMergedCommunes(t *testing.T) {
	b := newFixture(t)
	b.Exec(`UPDATE geo.commune SET former_codes = '{91999,91998}' WHERE code = '91001'`)
	b.CompleteParcels("91001", "91998")
	for _, idu := range []string{"91001999AB0001", "91001997AB0002", "91998000AB0003", "91001000AB0004"} {
		b.Parcel(idu, squareWKT)
	}
	out := b.loadWhole("rnic", "rnic/rnc-data-gouv-with-qpv.csv", dailyCondominiums+
		condominiumRow("AA0000001", ",,,", "91999000AB0001,91999000AB0009,,2,91150,91001")+
		condominiumRow("AA0000002", ",,,", "91999997AB0002,,,1,91150,91001")+
		condominiumRow("AA0000003", ",,,", "91998000AB0003,,,1,91150,91001")+
		condominiumRow("AA0000004", ",,,", "91999000AB0004,,,1,91150,91001"))
	loaded(t, out, 3, 0)
	const gone = "no parcel of today, or more than one, fits 91999000AB0004"
	if out.LeftOut.Count != 1 || out.LeftOut.First.Reason != gone {
		t.Errorf("left out: %+v", out.LeftOut)
	}
	(&loadkit.Fixture{T: t, DB: b.DB}).Want("SELECT id, parcels FROM geo.condominium ORDER BY id",
		`AA0000001|["91001999AB0001"]
AA0000002|["91001997AB0002"]
AA0000003|["91998000AB0003"]`)
}

// The file of 2025 has other names for the same columns, a separator of its own and a mark at its beginning.
func TestCondominiumsUnderFormerNames(t *testing.T) {
	b := newFixture(t)
	out := b.loadWhole("rnic", "rnic.csv", "\uFEFFepci;commune;numero_d_immatriculation;"+
		"date_de_la_derniere_maj;type_de_syndic_benevole_professionnel_non_connu;"+
		"raison_sociale_du_representant_legal;siret_du_representant_legal;"+
		"nom_d_usage_de_la_copropriete;adresse_de_reference;nombre_total_de_lots;"+
		"nombre_total_de_lots_a_usage_d_habitation_de_bureaux_ou_de_comm;nombre_de_lots_a_usage_d_habitation;"+
		"nombre_de_lots_de_stationnement;periode_de_construction;reference_cadastrale_1;"+
		"code_insee_commune_1;prefixe_1;"+
		"reference_cadastrale_2;reference_cadastrale_3;nombre_de_parcelles_cadastrales\n"+
		"x;Bondy;AA0000001;2025-10-01;professionnel;SARL GESTION DE L'ESSAI;41234567800012;Chez M. Dupont;"+
		"1 rue Haute;0;;;;NON_CONNUE;930100000A0001;93010;000;;;\n")
	loaded(t, out, 1, 0)
	b.wants("condominiums", `[{"registrationNumber":"AA0000001","name":null,"address":"1 rue Haute",
		"totalLots":null,"mainLots":null,"housingLots":null,"parkingLots":null,"builtPeriod":null,
		"syndicType":"professional","syndic":"SARL GESTION DE L'ESSAI",
		"syndicSiren":"412345678","updatedOn":"2025-10-01","parcels":["930100000A0001"],"parcelCount":null}]`)
}

// rnbHeader is the header of the export of a département, and rnbRow a line of it: quotes are doubled, and
// the shape holds the separator.
const rnbHeader = "rnb_id;point;shape;status;ext_ids;addresses;plots;validated_by\n"

func rnbRow(id, shape, status, plots string) string {
	return fmt.Sprintf(`%s;"SRID=4326;POINT(2.4805 48.9005)";"%s";%s;`+
		`"[{""id"": ""bdnb-x"", ""source"": ""bdnb""}]";[];"%s";"[{""u"": 1}]"`+"\n",
		id, shape, status, strings.ReplaceAll(plots, `"`, `""`))
}

// A customer sees the buildings that stand on the parcel with their footprint on it, and the details of BD
// TOPO where it is loaded; details says whether they are missing there, or not loaded.
func TestBuildings(t *testing.T) {
	b := newFixture(t)
	house := extent{2.4802, 48.9002, 2.4804, 48.9004}
	outline := "SRID=4326;" + strings.ReplaceAll(house.WKT(), "MULTIPOLYGON(((", "MULTIPOLYGON (((")
	out := b.loadWhole("rnb", "rnb/RNB_93.csv", rnbHeader+
		rnbRow("HOUSE0000001", outline, "constructed", `[{"id" : "930100000A0001", "bdg_cover_ratio" : 1.0}]`)+
		rnbRow("PARTLY000002", outline, "notUsable",
			`[{"bdg_cover_ratio": 0.25, "id": "930100000A0001"}, {"id": "930100000A0002", "bdg_cover_ratio": 0.75}]`)+
		rnbRow("POINT0000003", "SRID=4326;POINT(2.4805 48.9005)", "constructed",
			`[{"id" : "930100000A0001", "bdg_cover_ratio" : 1}]`)+
		rnbRow("TOUCHED00004", outline, "constructed",
			`[{"id" : "930100000A0001", "bdg_cover_ratio" : 0.0499}, `+
				`{"id" : "930100000A0002", "bdg_cover_ratio" : 9.5e-1}]`)+
		rnbRow("GONE00000005", outline, "demolished", `[{"id" : "930100000A0001", "bdg_cover_ratio" : 1}]`)+
		rnbRow("NOWHERE00006", outline, "constructed", `[]`)+
		rnbRow("SLIVER000007", outline, "constructed", `[{"id" : "930100000A0001", "bdg_cover_ratio" : 0.01}]`)+
		rnbRow("BROKEN000008", outline, "constructed", `930100000A0001`)+
		rnbRow("TOOGREAT0009", outline, "constructed", `[{"id" : "930100000A0001", "bdg_cover_ratio" : 1e999}]`)+
		rnbRow("QUOTED000010", outline, "constructed", `[{"id": "930100000A0001", "bdg_cover_ratio": "1"}]`)+
		rnbRow("NESTED000011", outline, "constructed",
			`[{"id": `+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`, "bdg_cover_ratio": 1}]`)+
		rnbRow("short", outline, "constructed", `[]`))
	loaded(t, out, 4, 4)
	if out.LeftOut.Count != 4 || out.LeftOut.First.Reason != "it does not stand: its status is demolished" {
		t.Errorf("left out: %+v", out.LeftOut)
	}
	b.CoverageIs("building", "93")
	whole := boxArea(house.Edges())
	item := func(id, status string, share float64, sized bool, more string) string {
		footprint, covered := "null", "null"
		if sized {
			footprint = fmt.Sprint(math.Round(whole*share*10) / 10)
			covered = fmt.Sprint(math.Round(1000*whole*share/boxArea(plot.Edges())) / 10)
		}
		return fmt.Sprintf(`{"rnbId":"%s","status":"%s","footprintM2":%s,"sharePct":%v,"parcelSharePct":%s,%s}`,
			id, status, footprint, share*100, covered, more)
	}
	const unknown = `"heightM":null,"floors":null,"use":null,"secondUse":null,"dwellings":null,` +
		`"builtYear":null,"details":`
	b.wants("buildings", "["+item("HOUSE0000001", "constructed", 1, true, unknown+`"not_loaded"`)+","+
		item("PARTLY000002", "notUsable", 0.25, true, unknown+`"not_loaded"`)+","+
		item("POINT0000003", "constructed", 1, false, unknown+`"not_loaded"`)+"]")

	object := func(id, buildings, use, year, match string, height float64, floors, dwellings int) string {
		return house.Feature(fmt.Sprintf(`"ID":"%s","IDS_RNB":%s,"USAGE1":"%s","USAGE2":null,"DATE_APP":%s,`+
			`"APP_FF":"%s","HAUTEUR":%v,"NB_ETAGES":%d,"NB_LOGTS":%d`,
			id, buildings, use, year, match, height, floors, dwellings))
	}
	const delivery = "BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D093_2026-06-15/"
	b.Geodata(delivery+"BATIMENT.shp", "ESRI Shapefile", "BATIMENT", features(
		object("BATIMENT1", `"HOUSE0000001"`, "Résidentiel", `"1932-01-01"`, "A 1.0", 6.2, 2, 1),
		object("BATIMENT2", `"HOUSE0000001"`, "Résidentiel", "null", "", 9.75, 0, 2),
		object("BATIMENT3", `"PARTLY000002/POINT0000003"`, "Indifférencié", `"1950-01-01"`, "C 0.2", 3, 0, 8),
		object("BATIMENT4", "null", "Annexe", "null", "", 2, 0, 0)),
		"-t_srs", "EPSG:2154", "-lco", "ENCODING=UTF-8")
	objects := b.LoadSource("bdtopo-batiments")
	loaded(t, objects, 3, 0)
	const unknownToRNB = "the object BATIMENT4 has no identifier of the RNB"
	if objects.LeftOut.Count != 1 || objects.LeftOut.First.Reason != unknownToRNB {
		t.Errorf("left out: %+v", objects.LeftOut)
	}
	b.CoverageIs("building_object", "93")
	low := strings.Replace(unknown, `"heightM":null`, `"heightM":3`, 1) + `"matched"`
	b.wants("buildings", "["+item("HOUSE0000001", "constructed", 1, true,
		`"heightM":9.8,"floors":2,"use":"Résidentiel","secondUse":null,"dwellings":3,"builtYear":1932,`+
			`"details":"matched"`)+","+
		item("PARTLY000002", "notUsable", 0.25, true, low)+","+
		item("POINT0000003", "constructed", 1, false, low)+"]")
	b.Exec("DELETE FROM geo.building_object WHERE id = 'POINT0000003'")
	if got := b.value("buildings"); !strings.Contains(got, `"details":"unmatched"`) {
		t.Errorf("a building that BD TOPO does not have is %s", got)
	}
	b.Exec("UPDATE geo.building SET area = 1e6 WHERE id = 'HOUSE0000001'")
	if got := b.value("buildings"); !strings.Contains(got, `"parcelSharePct":100,`) {
		t.Errorf("a building whose outline is larger than the parcel covers %s", got)
	}
}
