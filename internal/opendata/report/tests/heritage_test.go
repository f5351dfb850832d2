package report_test

import (
	"fmt"
	"math"
	"testing"

	"arpent/app/dev/testkit"
)

const merimeeHeader = "Reference|Titre_editorial_de_la_notice|Denomination_de_l_edifice|Commune_forme_index|Typologie_de_la_protection|" +
	"Date_et_typologie_de_la_protection|coordonnees_au_format_WGS84\n"

// Monuments come by distance; the byte-order mark, latitude first, and a
// stray byte of Windows-1252 do not disturb.
func TestMonuments(t *testing.T) {
	b := newFixture(t)
	b.Load("monuments", "merimee/merimee-93010.csv", "\ufeff"+merimeeHeader+
		"PA2|Chapelle de l\x92Étoile|chapelle|Bondy|inscrit MH|1981/10/29 : inscrit MH ; 1990/01/02 : classé MH|48.9005,2.4860\n"+
		"PA1||église|Bondy|classé MH||48.9005,2.4805\n"+
		"PA3|Loin|tour|Bondy|classé MH|1900/01/01 : classé MH|48.9005,2.4890\n"+
		"PA4|Sans lieu|tour|Bondy|classé MH||\n")
	far := math.Round(apart(2.481, 48.9005, 2.486, 48.9005))
	b.wants("monuments", fmt.Sprintf(`[
		{"id":"PA1","name":"église","protection":"classé MH","protectedOn":null,"commune":"Bondy","approximate":false,"distanceM":0},
		{"id":"PA2","name":"Chapelle de l’Étoile","protection":"inscrit MH","protectedOn":"1981-10-29","commune":"Bondy","approximate":false,"distanceM":%g}]`, far))
}

// The portal's own export has semicolons and headers with accents and blanks.
func TestMonumentsOfThePortal(t *testing.T) {
	b := newFixture(t)
	b.Load("monuments", "merimee/merimee-93010.csv", "Référence;Titre éditorial de la notice;Dénomination de l'édifice;Commune (forme index);"+
		"Typologie de la protection;Date et typologie de la protection;coordonnées au format WGS84\n"+
		"PA1;\"Château, dit \"\"le Vieux\"\"\";château;Bondy;classé MH;1981-10-29 : classé MH;48.9005, 2.4805\n")
	b.wants("monuments", `[{"id":"PA1","name":"Château, dit \"le Vieux\"","protection":"classé MH","protectedOn":"1981-10-29","commune":"Bondy",
		"approximate":false,"distanceM":0}]`)
}

// Several monuments at one point stand at the centre of their commune, which is no distance to rely on.
func TestMonumentsAtTheCentre(t *testing.T) {
	b := newFixture(t)
	b.Load("monuments", "merimee/merimee-93010.csv", merimeeHeader+
		"PA1|A||Bondy|classé MH||48.9005,2.4805\nPA2|B||Bondy|classé MH||48.9005,2.4805\nPA3|C||Bondy|classé MH||48.9005,2.4805\n")
	const rest = `"protection":"classé MH","protectedOn":null,"commune":"Bondy","approximate":true,"distanceM":0}`
	b.wants("monuments", `[{"id":"PA1","name":"A",`+rest+`,{"id":"PA2","name":"B",`+rest+`,{"id":"PA3","name":"C",`+rest+`]`)
}

func TestMonumentsNone(t *testing.T) {
	b := newFixture(t)
	b.wants("monuments", "null")
	b.Load("monuments", "merimee/merimee-93010.csv", merimeeHeader+"PA3|Loin|tour|Bondy|classé MH||48.9005,2.4890\n")
	b.wants("monuments", "[]") // 586 m
}

const (
	stockHeader = "siren,nic,siret,statutDiffusionEtablissement,trancheEffectifsEtablissement,etablissementSiege,codeCommuneEtablissement," +
		"etatAdministratifEtablissement,enseigne1Etablissement,activitePrincipaleEtablissement,coordonneeLambertAbscisseEtablissement,coordonneeLambertOrdonneeEtablissement\n"
	placeHeader   = "siret;x;y;qualite_xy;epsg;plg_code_commune;y_latitude;x_longitude\n"
	companyHeader = "siren,statutDiffusionUniteLegale,nomUniteLegale,denominationUniteLegale,categorieJuridiqueUniteLegale\n"
)

func stockRow(siren, diffusion, state string) string {
	return siren + ",00011," + siren + "00011," + diffusion + ",12,true,93010," + state + ",CHEZ PAUL,47.11D,[ND],[ND]\n"
}

func placeRow(siren, quality, lat, lon string) string {
	return siren + "00011;0;0;" + quality + ";2154;93010;" + lat + ";" + lon + "\n"
}

func establishment(siren, name string, metres float64) string {
	return fmt.Sprintf(`{"siret":"%s00011","name":%s,"naf":"47.11D","label":null,"headOffice":true,"employees":"12","distanceM":%g}`, siren, name, metres)
}

// Active establishments within 50 m, with the names of companies alone: a sole trader is not named, and one
// who keeps name and address private is not found at an address, whatever the files hold. One
// that is placed at its commune only is nowhere near.
func TestEstablishments(t *testing.T) {
	b := newFixture(t)
	b.Load("sirene-positions", "sirene/GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_93010.csv", placeHeader+
		placeRow("111111111", "11", "48.9005", "2.4805")+placeRow("222222222", "12", "48.9005", "2.4812")+
		placeRow("333333333", "11", "48.9005", "2.4805")+placeRow("444444444", "33", "48.9005", "2.4805")+
		placeRow("555555555", "11", "48.9005", "2.4805")+placeRow("666666666", "11", "48.9005", "2.4820"))
	b.Load("sirene-entreprises", "sirene/StockUniteLegale_utf8-93010.csv", companyHeader+
		"111111111,O,,BOULANGERIE HAUTE,5710\n222222222,O,DURAND,,1000\n333333333,O,,FERMEE,5710\n444444444,O,,CENTRE,5710\n"+
		"555555555,P,,SECRETE,5710\n666666666,O,,LOIN,5710\n")
	b.Load("sirene", "sirene/StockEtablissement_utf8-93010.csv", stockHeader+
		stockRow("111111111", "O", "A")+stockRow("222222222", "O", "A")+stockRow("333333333", "O", "F")+
		stockRow("444444444", "O", "A")+stockRow("555555555", "P", "A")+stockRow("666666666", "O", "A"))
	near := math.Round(apart(2.481, 48.9005, 2.4812, 48.9005))
	b.wants("sirene", "["+establishment("111111111", `"BOULANGERIE HAUTE"`, 0)+","+establishment("222222222", "null", near)+"]")
	b.wants("sireneTotal", "2")
}

// More than 25 establishments are counted, not listed.
func TestEstablishmentsAreCounted(t *testing.T) {
	b := newFixture(t)
	rows, places := stockHeader, placeHeader
	for i := range 30 {
		siren := fmt.Sprintf("7000000%02d", i)
		rows += stockRow(siren, "O", "A")
		places += placeRow(siren, "11", "48.9005", "2.4805")
	}
	b.Load("sirene", "sirene/StockEtablissement_utf8-93010.csv", rows)
	b.wants("sirene", "null") // the stock has no positions: nothing is known yet
	b.wants("sireneTotal", "null")
	b.Load("sirene-positions", "sirene/GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_93010.csv", places)
	b.wants("sireneTotal", "30")
	b.CoverageIs("sirene", "93010")
}

// Recent stocks give positions themselves, in Lambert-93 in the
// mainland and in the local projection overseas.
func TestEstablishmentsByLambert(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.parcelle (idu, geom) SELECT '974110000A0001', ST_Multi(ST_Buffer(ST_Transform(ST_SetSRID(ST_MakePoint(338000, 7690000), 2975), 4326), 0.0002))`)
	var x, y float64
	testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint(2.4805, 48.9005), 4326), 2154) p`).Scan(&x, &y))
	b.Load("sirene", "sirene/StockEtablissement_utf8.93010.csv", stockHeader+
		fmt.Sprintf("111111111,00011,11111111100011,O,12,true,93010,A,,47.11D,%f,%f\n", x, y)+
		"222222222,00011,22222222200011,O,12,true,93010,A,,47.11D,0,0\n")
	b.wants("sirene", "["+establishment("111111111", "null", 0)+"]")
	b.Load("sirene", "sirene/StockEtablissement_utf8.97411.csv", stockHeader+
		"333333333,00011,33333333300011,O,12,true,97411,A,,47.11D,338000,7690000\n")
	b.wantsOf("974110000A0001", "sireneTotal", "1")
}

func TestEstablishmentsNone(t *testing.T) {
	b := newFixture(t)
	b.wants("sirene", "null")
	b.Load("sirene-positions", "sirene/GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_93010.csv", placeHeader+
		placeRow("111111111", "11", "48.9105", "2.4805"))
	b.Load("sirene", "sirene/StockEtablissement_utf8-93010.csv", stockHeader+stockRow("111111111", "O", "A"))
	b.wants("sirene", "[]")
	b.wants("sireneTotal", "0")
}
