package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
)

const directoryHeader = "\ufeffidentifiant_de_l_etablissement;nom_etablissement;type_etablissement;statut_public_prive;code_commune;latitude;longitude;etat\n"

func (b *fixture) schools(idu string) []struct {
	UAI       string
	Level     string
	DistanceM *int
} {
	b.T.Helper()
	var out []struct {
		UAI       string
		Level     string
		DistanceM *int
	}
	testkit.NoError(b.T, json.Unmarshal([]byte(b.valueOf(idu, "schools")), &out))
	return out
}

// The figures of a school are those of its latest year; the header of the index is misspelt in one
// edition; figures that are kept back are null.
func TestSchools(t *testing.T) {
	b := newFixture(t)
	b.wants("schools", "null")
	loaded(t, b.Load("schools", "schools/fr-en-annuaire-education.csv", directoryHeader+
		"0930001A;Collège Essai;Collège;Public;93010;48.9005;2.485;OUVERT\n"+
		"0930002B;Ecole Essai;Ecole;Privé;93010;48.9005;2.482;OUVERT\n"+
		"0930002B;Ecole Essai;Ecole;Privé;93010;48.9005;2.482;OUVERT\n"+
		"0930003C;Lycée au loin;Lycée;Public;93010;48.9005;2.60;OUVERT\n"+
		"0930004D;Lycée fermé;Lycée;Public;93010;48.9005;2.482;FERME\n"+
		"0930005E;IME;Médico-social;Public;93010;48.9005;2.482;OUVERT\n"+
		"0930006F;Sans place;Ecole;Public;93010;;;OUVERT\n"), 3, 0)
	b.Write("schools/fr-en-ips-colleges-ap2022.csv",
		"rentree_scolaire;uai;nom_de_l_etablissment;code_insee_de_la_commune;secteur;effectifs;ips\n"+
			"2022-2023;0930001A;COLLEGE ESSAI;93010;public;540.0;110.4\n"+
			"2021-2022;0930001A;COLLEGE ESSAI;93010;public;540.0;99.9\n")
	loaded(t, b.LoadSource("school-index-colleges"), 1, 0)
	loaded(t, b.Load("school-results-colleges", "schools/fr-en-indicateurs-valeur-ajoutee-colleges.csv",
		"\ufeffnum_ligne;Session;UAI;Secteur;Taux de réussite G;VA du taux de réussite G\n"+
			"1;2022;0930001A;PU;86.0;-4.0\n2;2024;0930001A;PU;88.5;1.0\n3;2024;0930009Z;PU;ND;\n"), 1, 0)
	b.wants("schools", fmt.Sprintf(`[
		{"uai":"0930002B","name":"Ecole Essai","level":"ecole","sector":"private","successRatePct":null,"session":null,"ips":null,"ipsSchoolYear":null,"distanceM":%d,"listedBy":"distance"},
		{"uai":"0930001A","name":"Collège Essai","level":"college","sector":"public","successRatePct":88.5,"session":2024,"ips":110.4,"ipsSchoolYear":"2022-2023","distanceM":%d,"listedBy":"distance"}]`,
		east(2.482), east(2.485)))
	b.Exec("DELETE FROM geo.enrich_school")
	b.wants("schools", "[]")
	if of := b.length(b.here, "schools"); of == nil || of.RadiusM != 2000 || !strings.Contains(of.Note, "without a position") {
		t.Errorf("the length of a list of places is %+v", of)
	}
}

// A family sees the nearest lycée even where ten primary schools are nearer.
func TestSchoolsOfEachLevel(t *testing.T) {
	b := newFixture(t)
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "09300%02dA;Ecole %d;Ecole;Public;93010;48.9005;%g;OUVERT\n", i, i, 2.482+float64(i)/10000)
	}
	b.Load("schools", "schools/fr-en-annuaire-education.csv", directoryHeader+rows.String()+"0930099Z;Lycée;Lycée;Public;93010;48.9005;2.50;OUVERT\n")
	got := b.schools(square)
	if len(got) != 10 || got[9].UAI != "0930099Z" || got[8].UAI != "0930008A" || *got[9].DistanceM != east(2.5) {
		t.Errorf("%+v", got)
	}
	p := b.here
	p.Keys = []string{"schools"}
	if value, _ := reportkit.ReadKey(t, b.store, p, "schools"); strings.Count(value, `"uai"`) != 13 {
		t.Errorf("a call that names schools gets %s; want all 13", value)
	}
}

// Without a directory those of the commune are returned, of the arrondissement in Paris, without a distance.
func TestSchoolsWithoutPlaces(t *testing.T) {
	b := newFixture(t)
	b.Parcel("751180000A0001", squareWKT)
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, "2022-2023;07500%02dA;ECOLE %02d;75118;public;100.5\n", i, i)
	}
	loaded(t, b.Load("school-index-primary", "schools/fr-en-ips-ecoles-ap2022.csv",
		"rentree_scolaire;uai;nom_de_l_etablissment;code_insee_de_la_commune;secteur;ips\n"+rows.String()+
			"2022-2023;0750099A;AUTRE;75101;public;100.5\n2022-2023;0910001A;ANCIENNE;91999;public;100.5\n2022-2023;0010001A;ZERO PERDU;1001;public;100.5\n"), 15, 0)
	loaded(t, b.Load("school-index-lycees", "schools/fr-en-ips-lycees-ap2022.csv",
		"rentree_scolaire;uai;nom_de_l_etablissment;code_insee_de_la_commune;secteur;type_de_lycee;ips_voie_gt;ips_voie_pro;ips_ensemble_gt_pro\n"+
			"2022-2023;0750098B;LYCEE;75118;public;LPO;105.9;74.8;100.1\n"), 1, 0)
	got := b.schools("751180000A0001")
	if len(got) != 10 || got[9].UAI != "0750098B" || got[0].UAI != "0750000A" || got[0].DistanceM != nil {
		t.Errorf("%+v", got)
	}
	of := b.length(reportkit.ReadParcel(t, b.DB, "751180000A0001"), "schools")
	if of == nil || of.Total != 13 || of.RadiusM != 0 ||
		of.Note != "Only schools with an index of social position are counted, which nursery schools have not. "+
			"They are those of the commune, without positions." {
		t.Errorf("the length of the list is %+v", of)
	}
	b.Parcel("910010000A0001", squareWKT)
	if got := b.schools("910010000A0001"); len(got) != 1 || got[0].UAI != "0910001A" {
		t.Errorf("a commune that was merged: %+v", got)
	}
	b.wants("schools", "[]")
	if of = b.length(b.here, "schools"); of == nil || of.Total != 0 || of.Note == "" {
		t.Errorf("the length of an empty list is %+v", of)
	}
}

// The list of stations names a projection a row, as many as France has.
func TestRiverStationsOfAllProjections(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('971', 'Guadeloupe', '04'), ('973', 'Guyane', '04'), ('976', 'Mayotte', '04')`)
	places := []struct {
		idu, id, projection string
		lon, lat            float64
		srid                int
	}{
		{"930100000B0001", "03000001", "RGF93 / Lambert 93", 2.48, 48.95, 2154},
		{"930100000C0001", "03000002", "NTF (Paris) / Lambert zone II", 2.48, 48.50, 27572},
		{"971050000A0001", "07000001", "RGAF09 / UTM 20", -61.72, 16.00, 5490},
		{"973020000A0001", "10000001", "RGFG95 / UTM 22", -52.32, 4.93, 2972},
		{"974110000A0001", "40000001", "RGR92 / UTM 40", 55.45, -20.88, 2975},
		{"976080000A0001", "11000001", "RGM04 / UTM 38", 45.23, -12.78, 4471},
	}
	text := stationsHeader
	for _, p := range places {
		south := p.lat - 0.0005
		b.Parcel(p.idu, fmt.Sprintf("POLYGON((%[1]f %[2]f, %[3]f %[2]f, %[3]f %[4]f, %[1]f %[4]f, %[1]f %[2]f))", p.lon-0.001, south, p.lon, south+0.001))
		x, y := b.Projected(p.lon+0.01, p.lat, p.srid)
		departement := p.idu[:2]
		if departement == "97" {
			departement = p.idu[:3]
		}
		text += fmt.Sprintf("%s;STATION;;%.2f;%.2f;;%s;%s;;%s;;;\n", p.id, x, y, p.projection, p.idu[:5], departement)
	}
	loaded(t, b.Load("river-stations", "naiades/Stations.csv", text), int64(len(places)), 0)
	for _, p := range places {
		var got []struct {
			StationID string
			DistanceM float64
		}
		unpack(t, b.valueOf(p.idu, "nearestRiverWater"), &got)
		if len(got) == 0 || got[0].StationID != p.id {
			t.Errorf("%s has %+v", p.idu, got)
			continue
		}
		within(t, got[0].DistanceM, apart(p.lon, p.lat, p.lon+0.01, p.lat), 3)
	}
}
