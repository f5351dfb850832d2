package report_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
)

// refused loads a file that must be refused as a whole, and returns why.
func (b *fixture) refused(name, path, content string) string {
	b.T.Helper()
	b.Write(path, content)
	out := b.TryLoad(name)
	if out.Err == nil {
		b.T.Fatalf("%s took %s", name, path)
	}
	return out.Err.Error()
}

// A buyer reads every order that was made for the ground, once, although the commune has had two codes.
func TestRisksCatnat(t *testing.T) {
	b := newFixture(t)
	b.wants("catnat", "null")
	why := b.refused("gaspar-catnat", "gaspar/catnat_gaspar.csv", lines(
		"cod_nat_catnat;cod_commune;lib_commune;num_risque_jo;lib_risque_jo;dat_deb;dat_fin;dat_pub_arrete;dat_pub_jo;dat_maj",
		"INTE1;91001;Abb\xe9ville;ICB;Inondations et/ou Coul\xe9es de Boue;2014-09-29;2014-09-30;2014-10-08;2014-10-11;2015-01-01",
		"INTE1;91999;Ancienne;ICB;Inondations et/ou Coul\xe9es de Boue;2014-09-29;2014-09-30;2014-10-08;2014-10-11;2015-01-01",
		"INTE2;91999;Ancienne;SEC;S\xe9cheresse;2018-07-01;2018-09-30;2019-06-18;;2019-01-01",
		"INTE2;91001;Abb\xe9ville;SEC;S\xe9cheresse;2018-01-01;2018-03-31;2019-06-18;2019-07-17;2019-01-01",
		"INTE3;75056;Paris;ICB;Inondations;1982-12-18 00:00:00;1982-12-31 00:00:00;1983-01-11 00:00:00;1983-01-13 00:00:00;",
		"INTE3;75118;Paris 18;ICB;Inondations;1982-12-18 00:00:00;1982-12-31 00:00:00;1983-01-11 00:00:00;1983-01-13 00:00:00;",
		"INTE4;1001;Sans z\xe9ro;ICB;Inondations;1999-12-25;1999-12-29;1999-12-29;1999-12-30;",
	))
	// The commune 01001 is not among those of the test yet: one row of six is too many to refuse.
	if !strings.Contains(why, "no commune has code 01001") {
		t.Fatalf("a code that lost its zero: %s", why)
	}
	b.Exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code) VALUES ('commune-actuelle', '01001', 'x', '93', '11', '01001')")
	loaded(t, b.LoadSource("gaspar-catnat"), 6, 0)
	b.wants("catnat", "[]")
	b.Parcel("910010000A0001", squareWKT)
	want := `[{"risk":"Sécheresse","start":"2018-07-01","end":"2018-09-30","orderDate":"2019-06-18","publishedOn":null},
		{"risk":"Sécheresse","start":"2018-01-01","end":"2018-03-31","orderDate":"2019-06-18","publishedOn":"2019-07-17"},
		{"risk":"Inondations et/ou Coulées de Boue","start":"2014-09-29","end":"2014-09-30","orderDate":"2014-10-08","publishedOn":"2014-10-11"}]`
	b.wantsOf("910010000A0001", "catnat", want)
	b.Parcel("751180000A0001", squareWKT)
	want = `[{"risk":"Inondations","start":"1982-12-18","end":"1982-12-31","orderDate":"1983-01-11","publishedOn":"1983-01-13"}]`
	b.wantsOf("751180000A0001", "catnat", want)
}

// The columns of 2026 mean what those before meant.
func TestRisksCatnatOfToday(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("gaspar-catnat", "catnat_gaspar_2026-02-01.csv", lines(
		"code_commune;id_gaspar;num_risque_jo;lib_risque_jo;date_debut;date_fin;date_publication_jo",
		"93010;INTE9;MVT;Mouvement de Terrain;2024-05-01;2024-05-02;2024-09-01")), 1, 0)
	b.wants("catnat", `[{"risk":"Mouvement de Terrain","start":"2024-05-01","end":"2024-05-02","orderDate":null,"publishedOn":"2024-09-01"}]`)
}

// The archive of all tables gives what its files give by themselves.
func TestRisksGasparArchive(t *testing.T) {
	b := newFixture(t)
	b.Archive("gaspar/gaspar.zip", map[string]string{
		"catnat_gaspar_2026-02-01.csv":    lines("code_commune;id_gaspar;lib_risque_jo;date_debut;date_fin", "93010;INTE9;Tempête;1999-12-25;1999-12-29"),
		"ddrm_risq_gaspar_2026-02-01.csv": lines("cod_commune;num_risque;lib_risque", "93010;11;Inondation"),
		"pprn_gaspar_2026-02-01.csv":      lines(fmt.Sprintf(reportkit.RiskPlanHeader, "CODE PROCEDURE"), "PPRN;PPRN;93DDT20010001;PPR Gypse;;93010;BONDY;;;;;;;;;;;Prescrit;;Prescrit;;"),
	})
	for _, source := range []string{"gaspar-catnat", "gaspar-risques", "gaspar-pprn"} {
		loaded(t, b.LoadSource(source), 1, 0)
	}
	b.wants("catnat", `[{"risk":"Tempête","start":"1999-12-25","end":"1999-12-29","orderDate":null,"publishedOn":null}]`)
	b.wants("communeRisks", `[{"code":"11","label":"Inondation"}]`)
	b.wants("riskPlans", `[{"id":"93DDT20010001","kind":"PPRN","name":"PPR Gypse","risk":null,"risks":[],
		"state":"prescrit","step":"prescrit","approvedOn":null,"zones":[]}]`)
}

// The list has an end, and what is cut off is the oldest.
func TestRisksCatnatLimit(t *testing.T) {
	b := newFixture(t)
	rows := []string{"cod_nat_catnat;cod_commune;lib_risque_jo;dat_deb;dat_fin;dat_pub_arrete;dat_pub_jo"}
	for year := 1850; year < 1970; year++ {
		rows = append(rows, fmt.Sprintf("I%d;93010;Tempête;%d-01-01;%d-01-02;;", year, year, year))
	}
	loaded(t, b.Load("gaspar-catnat", "catnat_gaspar.csv", lines(rows...)), 120, 0)
	got := b.value("catnat")
	if n := strings.Count(got, "Tempête"); n != 100 || !strings.HasPrefix(compact(t, got), `[{"end":"1969-01-02"`) {
		t.Errorf("%d orders: %s", n, got)
	}
}

// Families come before their details, under codes that lost a zero too,
// and a merged commune has the risks of all.
func TestRisksOfCommune(t *testing.T) {
	b := newFixture(t)
	b.Exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code) VALUES ('commune-actuelle', '01001', 'x', '93', '11', '01001')")
	b.wants("communeRisks", "null")
	loaded(t, b.Load("gaspar-risques", "ddrm_risq_gaspar_2026-02-01.csv", lines("cod_commune;lib_commune;num_risque;lib_risque",
		"1001;x;11;Inondation", "1001;x;112;Par crue", "1001;x;16;Séisme",
		"91999;y;11;Inondation", "91001;y;11;Inondation", "91999;y;12;Mouvement de terrain")), 5, 0)
	b.wants("communeRisks", "[]")
	for idu, want := range map[string]string{
		"010010000A0001": `[{"code":"11","label":"Inondation"},{"code":"16","label":"Séisme"},{"code":"112","label":"Par crue"}]`,
		"910010000A0001": `[{"code":"11","label":"Inondation"},{"code":"12","label":"Mouvement de terrain"}]`,
	} {
		b.Parcel(idu, squareWKT)
		b.wantsOf(idu, "communeRisks", want)
	}
}

// What a spreadsheet did to the radon file does no harm: a class is never read under another commune.
func TestRisksRadon(t *testing.T) {
	b := newFixture(t)
	b.Exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES ('commune-actuelle', '01001', 'x', '93', '11', '01001', '{01002,01003}')")
	b.wants("radon", "null")
	head := "nom_comm;nom_dept;insee_com;classe_potentiel;reg"
	out := b.Load("radon", "radon/radon.csv", lines(head,
		"BONDY;SEINE-SAINT-DENIS;93010;1;FR", "PARIS-18E;PARIS;75118;2;FR", "saint denis;La Réunion;97411;3;REU",
		// The commune kept the code 91001 of one of those it was made of; 01001 has no row of its own.
		"A;ESSONNE;91999;3;FR", "B;ESSONNE;91001;2;FR", "C;AIN;1003;1;FR", "D;AIN;1002;2;FR",
		"papara;Tahiti;;1;PF", ";;;1;", "2;-21.8;166.10;#VALEUR!;", "bouloupari;Nouvelle-Calédonie;98802;1;", "saint pierre;SPM;97500;3;SPM"))
	loaded(t, out, 5, 0)
	b.wants("radon", `{"category":1,"label":"Potentiel faible"}`)
	for idu, want := range map[string]string{
		"751180000A0001": `{"category":2,"label":"Potentiel faible, transferts facilités"}`,
		"910010000A0001": `{"category":2,"label":"Potentiel faible, transferts facilités"}`,
		"010010000A0001": `{"category":2,"label":"Potentiel faible, transferts facilités"}`,
		"974110000A0001": `{"category":3,"label":"Potentiel significatif"}`,
		"2A2470000A0001": `null`,
	} {
		b.Parcel(idu, squareWKT)
		b.wantsOf(idu, "radon", want)
	}
	b.refused("radon", "radon/radon.csv", lines(head, "BONDY;SEINE-SAINT-DENIS;93010;#VALEUR!;FR"))
	b.wants("radon", `{"category":1,"label":"Potentiel faible"}`)
}

// The zone has the decree's own word, for Paris too, which the map knows as one commune.
func TestRisksSeisme(t *testing.T) {
	b := newFixture(t)
	b.Archive("seisme/zonage_sismique.zip", map[string]string{"zonage_sismique.shp": features(
		extent{2.4, 48.8, 2.5, 49}.Feature(`"insee":"93010","Sismicite":"3 - Modérée"`),
		extent{2.4, 48.8, 2.5, 49}.Feature(`"insee":"75056","Sismicite":"1 - Très faible"`),
		extent{2.4, 48.8, 2.5, 49}.Feature(`"insee":"91999","Sismicite":"5 - Forte"`),
		extent{2.4, 48.8, 2.5, 49}.Feature(`"insee":"91001","Sismicite":"2 - Faible"`),
		extent{2.4, 48.8, 2.5, 49}.Feature(`"insee":"34172","Sismicite":"4 - Moyenne"`))})
	b.wants("seisme", "null")
	loaded(t, b.LoadSource("seisme"), 4, 0)
	b.wants("seisme", `{"zone":3,"label":"modérée"}`)
	for idu, want := range map[string]string{
		"751180000A0001": `{"zone":1,"label":"très faible"}`,
		"910010000A0001": `{"zone":2,"label":"faible"}`,
		"341720000A0001": `{"zone":4,"label":"moyenne"}`,
		"2A2470000A0001": `null`,
	} {
		b.Parcel(idu, squareWKT)
		b.wantsOf(idu, "seisme", want)
	}
}
