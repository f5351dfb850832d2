package report_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/topic"
)

// east is the distance from the square to a point east of it, by plain arithmetic.
func east(lon float64) int { return int(math.Round(apart(2.481, 48.9005, lon, 48.9005))) }

// inProjection are the coordinates of a point in degrees in another projection.
func (b *fixture) inProjection(lon, lat float64, srid int) (x, y string) {
	b.T.Helper()
	err := b.DB.QueryRow(b.T.Context(), `SELECT ST_X(p)::text, ST_Y(p)::text
		FROM (SELECT ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), $3::integer) AS p) q`, lon, lat, srid).Scan(&x, &y)
	testkit.NoError(b.T, err)
	return x, y
}

// A parcel of the same commune, far from everything.
const (
	faraway    = "930100000A0002"
	farawayWKT = "POLYGON((2.60 48.9, 2.601 48.9, 2.601 48.901, 2.60 48.9))"
)

const mvtHead = "\xef\xbb\xbfidMvt;conf;xsaisi;ysaisi;epsg;num_insee;commune;dateDebut;lieu_dit;typeMvt;libelleType;fiabiliteType;libelleFiabilite;PrecDate;libelleDate;prec_xy;libellePrec;longitudeDoublePrec;latitudeDoublePrec;"

// mvt is a line of BDMVT.
func mvt(id, x, y, epsg, date, dated, placed, lon, lat string) string {
	return fmt.Sprintf(`"%s";;"%s";"%s";"%s";"93010";"BONDY";"%s";"Le Bois; au ""fond""";"1";"Glissement";"1";"Fort";"1";"%s";"3";"%s";"%s";"%s";`, id, x, y, epsg, date, dated, placed, lon, lat)
}

// What the ground did near a parcel is returned with its distance,
// across the border of the département as well.
func TestRisksGroundMovements(t *testing.T) {
	b := newFixture(t)
	b.wants("bdmvtNearby", "null")
	x2, y2 := b.inProjection(2.4830, 48.9005, 27572)
	x3, y3 := b.inProjection(2.4840, 48.9005, 2154)
	loaded(t, b.Load("bdmvt", "bdmvt/mvt_dptList_93.csv", lines(mvtHead,
		mvt("1", "0", "0", "27572", "1974-02-01", "Mois", "Hectomètre", "2.48200", "48.9005"),
		// Without degrees, what was typed in counts, in the projection of its row.
		mvt("2", x2, y2, "27572", "", "Inconnue", "Mètre", "", ""),
		mvt("3", x3, y3, "2154", "1111-11-01", "Inconnue", "Décamètre", "", ""),
		mvt("4", "0", "0", "4326", "1999-01-01", "Jour", "Commune", "2.4805", "48.9005"),
		mvt("5", "0", "0", "27572", "2001-01-02", "Jour", "Mètre", "2.4805", "48.9005"),
		mvt("6", "0", "0", "27572", "2001-01-02", "Jour", "Mètre", "2.4890", "48.9005"))), 5, 0)
	entry := `{"id":"%s","type":"Glissement","date":%s,"datePrecision":"%s","positionPrecision":"%s","reliability":"Fort","distanceM":%d}`
	want := []string{
		fmt.Sprintf(entry, "5", `"2001-01-02"`, "Jour", "Mètre", 0),
		fmt.Sprintf(entry, "1", `"1974-02-01"`, "Mois", "Hectomètre", east(2.482)),
		fmt.Sprintf(entry, "2", "null", "Inconnue", "Mètre", east(2.483)),
		fmt.Sprintf(entry, "3", "null", "Inconnue", "Décamètre", east(2.484)),
	}
	b.wants("bdmvtNearby", "["+strings.Join(want, ",")+"]")
	b.Write("bdmvt/mvt_dptList_75.csv", lines(mvtHead, mvt("7", "0", "0", "27572", "2010-01-02", "Jour", "Mètre", "2.4822", "48.9005")))
	b.LoadSource("bdmvt")
	want = append(want[:2:2], append([]string{fmt.Sprintf(entry, "7", `"2010-01-02"`, "Jour", "Mètre", east(2.4822))}, want[2:]...)...)
	b.wants("bdmvtNearby", "["+strings.Join(want, ",")+"]")
	b.Parcel("341720000A0001", "POLYGON((3.87 43.6, 3.871 43.6, 3.871 43.601, 3.87 43.6))") // not loaded there
	b.wantsOf("341720000A0001", "bdmvtNearby", "null")
	b.Parcel(faraway, farawayWKT)
	b.wantsOf(faraway, "bdmvtNearby", "[]")
}

const caviteHead = "\xef\xbb\xbfid;numCavite;natureCavite;typeCavite;nomCavite;statut;confidentialite;positionnement;precisionXY;auteurDescription;lambertOuvrage;xOuvrage;yOuvrage;xouvl2e;youvl2e;numInsee;cUserSaisie;"

// Hollows are placed by their Lambert II étendu, and the author of the record is not named.
func TestRisksCavities(t *testing.T) {
	b := newFixture(t)
	b.wants("bdcaviteNearby", "null")
	x, y := b.inProjection(2.4830, 48.9005, 27572)
	row := `"%d";"IDFAA%d";;"%s";"%s";"abandon";"public";"%s";"%s";"dupont@example.org";"5";"1";"2";"%s";"%s";"93010";"Jeanne Dupont";`
	loaded(t, b.Load("bdcavite", "bdcavite/cavite_93.csv", lines(caviteHead,
		fmt.Sprintf(row, 1, 1, "carrière", "La Boye, nord", "approché", "25", x, y),
		fmt.Sprintf(row, 2, 2, "cave", "Confidentiel", "précis", "0", x, y),
		fmt.Sprintf(row, 3, 3, "cave", "Confidentiel", "centroide de commune", "", x, y),
		fmt.Sprintf(row, 4, 4, "carrière", "Sans place", "précis", "10", "", ""))), 2, 0)
	d := east(2.483)
	b.wants("bdcaviteNearby", fmt.Sprintf(`[
		{"id":"IDFAA1","type":"carrière","name":"La Boye, nord","status":"abandon","precisionM":25,"distanceM":%d},
		{"id":"IDFAA2","type":"cave","name":null,"status":"abandon","precisionM":null,"distanceM":%d}]`, d, d))
	var named int
	if err := b.DB.QueryRow(t.Context(), "SELECT count(*) FROM geo.enrich_cavity WHERE attrs::text ~* 'dupont'").Scan(&named); err != nil || named > 0 {
		t.Errorf("%d rows name a person (%v)", named, err)
	}
	// The export by commune repeats records and has some that the other one lacks.
	loaded(t, b.Load("bdcavite", "bdcavite/cavites_communes_93.csv", lines(caviteHead,
		fmt.Sprintf(row, 1, 1, "carrière", "La Boye, nord", "approché", "25", x, y),
		fmt.Sprintf(row, 5, 5, "ouvrage civil", "Tunnel", "précis", "5", x, y))), 3, 0)
	b.Parcel(faraway, farawayWKT)
	b.wantsOf(faraway, "bdcaviteNearby", "[]")
}

// An installation is found whatever projection its row is in, once, and no farmer is named.
func TestRisksIcpe(t *testing.T) {
	b := newFixture(t)
	b.wants("icpe", "null")
	x2, y2 := b.inProjection(2.4830, 48.9005, 2154)
	x3, y3 := b.inProjection(2.4840, 48.9005, 27572)
	row := "%s;%s;93140;93010;BONDY;Autorisation;%s;%s;%s;%s;%s;%s;%s;%s"
	rows := []string{
		"codeAIOT;raisonSociale;codePostal;codeInsee;commune;regime;statutSeveso;etatActivite;longitude;latitude;coordonneeXAIOT;coordonneeYAIOT;systemeCoordonneesAIOT;date_maj",
		fmt.Sprintf(row, "0063.1", "ACME", "Seveso seuil haut", "En exploitation avec titre", "2.4820", "48.9005", "", "", "", "2024-01-01"),
		fmt.Sprintf(row, "0063.1", "ACME (ancien nom)", "Non Seveso", "En construction", "2.4820", "48.9005", "", "", "", "2020-01-01"),
		fmt.Sprintf(row, "0063.2", "Dupont Jean", "Non Seveso", "A l'arrêt", "", "", x2, y2, "Lambert 93", ""),
		fmt.Sprintf(row, "0063.3", "SARL Monsieur Propre", "", "", "", "", x3, y3, "LAMBERT II ETENDU", ""),
		fmt.Sprintf(row, "0063.4", "Sans place", "", "", "", "", "", "", "", ""),
		fmt.Sprintf(row, "0063.5", "Trop loin", "", "", "2.4980", "48.9005", "", "", "", ""),
	}
	for i := range 5 { // the register puts sites that it has no position of into the middle of the commune
		rows = append(rows, fmt.Sprintf(row, fmt.Sprintf("0064.%d", i), "DURAND Jean", "", "", "2.4806", "48.9006", "", "", "", ""))
	}
	out := b.Load("icpe", "icpe/icpe_93.csv", lines(rows...))
	loaded(t, out, 4, 0)
	if out.LeftOut.Count != 5 {
		t.Errorf("%d sites without a position of their own; want 5", out.LeftOut.Count)
	}
	b.wants("icpe", fmt.Sprintf(`[
		{"id":"0063.1","name":"ACME","regime":"Autorisation","seveso":"Seveso seuil haut","status":"En exploitation avec titre","active":true,"address":null,"distanceM":%d},
		{"id":"0063.2","name":null,"regime":"Autorisation","seveso":"Non Seveso","status":"A l'arrêt","active":false,"address":null,"distanceM":%d},
		{"id":"0063.3","name":"SARL Monsieur Propre","regime":"Autorisation","seveso":null,"status":null,"active":null,"address":null,"distanceM":%d}]`,
		east(2.482), east(2.483), east(2.484)))
	b.Parcel(faraway, farawayWKT)
	b.wantsOf(faraway, "icpe", "[]")
	for _, p := range []report.Parcel{b.here, reportkit.ReadParcel(t, b.DB, faraway)} {
		if of := b.length(p, "icpe"); of == nil || of.RadiusM != 1000 ||
			of.Note != "Those without a position are left out. A name that is, or may be, that of a person is left out. "+
				state.NotFarther {
			t.Errorf("the list does not say what it lacks: %+v", of)
		}
	}
}

// A list of what lies within a radius says which rows its files give no position, where a source leaves out
// those.
func TestListsSayWhatIsNotPlaced(t *testing.T) {
	t.Parallel()
	unplaced := map[string]bool{}
	for _, s := range topic.Sources() {
		if slices.ContainsFunc(s.Drop, func(when string) bool { return strings.HasPrefix(when, "geom IS NULL") }) {
			unplaced[strings.TrimPrefix(s.Target.Table, "geo.enrich_")] = true
			for _, c := range s.Covers {
				unplaced[c.Layer] = true
			}
		}
	}
	said := 0
	for _, k := range topic.Report().Keys() {
		isList := k.Value != nil && reflect.TypeOf(k.Value).Kind() == reflect.Slice
		if isList && k.RadiusM > 0 && slices.ContainsFunc(k.Layers, func(layer string) bool { return unplaced[layer] }) {
			if said++; k.Unplaced == "" {
				t.Errorf("%s lacks rows without a position, and does not say so", k.Name)
			}
		}
	}
	if said < 8 {
		t.Errorf("%d lists are known to lack rows; want the eight of today", said)
	}
}

// Registers say "active" in two ways. A row in an unknown projection is not put anywhere, and a file
// too small for the whole country does not speak for it.
func TestRisksIcpeOfTheCountry(t *testing.T) {
	b := newFixture(t)
	const head = "code_aiot;raison_sociale;etat_activite;longitude;latitude;coordonneeXAIOT;coordonneeYAIOT;systemeCoordonneesAIOT"
	rows := []string{head, "0063.1;ACME;En fonctionnement;2.4805;48.9005;;;"}
	for i := range 150 {
		rows = append(rows, fmt.Sprintf("0064.%d;ACME;En fonctionnement;3.5;48.9;;;", i))
	}
	if why := b.refused("icpe", "icpe.csv", lines(rows...)); !strings.Contains(why, "too few for the whole country") {
		t.Errorf("refused because %s", why)
	}
	b.wants("icpe", "null")
	b.Data = t.TempDir()
	out := b.Load("icpe", "icpe_93.csv", lines(append(rows, "0063.2;ACME;En exploitation;;;600000;2400000;Gauss-Laborde")...))
	loaded(t, out, 151, 1)
	b.wants("icpe", `[{"id":"0063.1","name":"ACME","regime":null,"seveso":null,"status":"En fonctionnement","active":true,"address":null,"distanceM":0}]`)
}

// A past activity is never placed where only its commune is known, and the list says which register knows it.
func TestRisksPollutedSites(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("ademe-srd", "ademe_srd/donnees-ademe-sites-pollues.geojson", `{"type":"FeatureCollection","total":2,"features":[
		{"type":"Feature","id":"1","geometry":{"type":"Point","coordinates":[2.4825,48.9005]},"properties":{"_id":"1","Nom_site":"DÉPÔT","Code_INSEE":"93010","Activites_historiques_site":["Déchets","Tri"],"Etat_operation":"Terminée"}},
		{"type":"Feature","id":"2","properties":{"_id":"2","Nom_site":"NULLE PART","Code_INSEE":"93010"}}]}`), 1, 0)
	b.wants("pollutedSites", "null")
	rows := []string{"identifiant_casias;nom_etablissement;activite_principale;adresse;code_insee;nom_commune;statut;precision;longitude;latitude",
		"IDF1;GARAGE DU NORD;Garages;1 rue du Port;93010;BONDY;En arrêt;Adresse;2.4820;48.9005",
		"IDF2;DURAND (Mme);Dépôt;;93010;BONDY;;Adresse;2.4840;48.9005",
		"IDF3;SANS POINT;Dépôt;;93010;BONDY;;;;",
		"IDF4;CENTRE;Dépôt;;93010;BONDY;;Centroïde commune;2.4805;48.9005"}
	for i := range 5 {
		rows = append(rows, fmt.Sprintf("IDF1%d;PARTOUT %d;Dépôt;;93010;BONDY;;;2.4806;48.9006", i, i))
	}
	loaded(t, b.Load("casias", "casias/casias_93.csv", lines(rows...)), 2, 0)
	b.wants("pollutedSites", fmt.Sprintf(`[
		{"id":"IDF1","register":"CASIAS","name":"GARAGE DU NORD","activity":"Garages","activityCodes":null,"status":"En arrêt","address":"1 rue du Port","distanceM":%d},
		{"id":"ADEME-1","register":"ADEME","name":"DÉPÔT","activity":"Déchets, Tri","activityCodes":null,"status":"Terminée","address":null,"distanceM":%d},
		{"id":"IDF2","register":"CASIAS","name":null,"activity":"Dépôt","activityCodes":null,"status":null,"address":null,"distanceM":%d}]`, east(2.482), east(2.4825), east(2.484)))
	r, err := b.store.Report(t.Context(), b.here)
	testkit.NoError(t, err)
	pollutedSites := topic.Report().Keys()[slices.IndexFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == "pollutedSites" })]
	var registers []string
	for _, l := range r.Loads {
		if slices.ContainsFunc(l.Layers, pollutedSites.DrawsOn) {
			registers = append(registers, l.Source)
		}
	}
	if !slices.Equal(registers, []string{"ademe-srd", "casias"}) {
		t.Errorf("the sources of the sites are %v", registers)
	}
	b.Parcel(faraway, farawayWKT)
	b.wantsOf(faraway, "pollutedSites", "[]")
}

// A point is a feature of a point in degrees.
func point(lon, lat float64, properties string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{%s},"geometry":{"type":"Point","coordinates":[%g,%g]}}`, properties, lon, lat)
}

// Where water stood is returned as far as it is known: no day is invented, no level of zero.
func TestRisksFloodMarkers(t *testing.T) {
	b := newFixture(t)
	row := `"NUMFICHE":"93010-001","INSEE":"93010","ADRESSE":"Les Prés","Z_TN":%s,"NUMREPERE":"%s","DATE_CRUE":"%s","Z_REPERE":%s,"ID":%d`
	b.Archive("flood_markers/Reperes_crue_DDT93.zip", map[string]string{"Reperes_crue_DDT93.shp": features(
		point(2.482, 48.9005, fmt.Sprintf(row, "0.0", "1", "1997/12/18", "5.53", 1)),
		point(2.482, 48.9005, fmt.Sprintf(row, "0.0", "1", "1982/??/??", "5.1", 2)),
		point(2.483, 48.9005, fmt.Sprintf(row, "3.35", "0", "24/10/1999", "0.0", 3)),
		point(2.483, 48.9005, fmt.Sprintf(row, "3.35", "2", "????/??/??", "4.2", 4)),
		point(2.483, 48.9005, fmt.Sprintf(row, "3.35", "3", "199?/01/??", "4.2", 5)),
		point(2.483, 48.9005, fmt.Sprintf(row, "3.35", "4", "1910", "4.2", 7)),
		point(2.483, 48.9005, fmt.Sprintf(row, "3.35", "5", "1910-01-28", "4.2", 8)),
		point(2.490, 48.9005, fmt.Sprintf(row, "3.35", "9", "1997/12/18", "5.53", 6)))})
	b.wants("floodMarkers", "null")
	loaded(t, b.LoadSource("reperes-crues"), 8, 0)
	near, far := east(2.482), east(2.483)
	b.wants("floodMarkers", fmt.Sprintf(`[
		{"id":"93010-001/1","date":"1997-12-18","dateText":"1997/12/18","year":1997,"levelM":5.53,"groundM":null,"place":"Les Prés","distanceM":%[1]d},
		{"id":"93010-001/1","date":null,"dateText":"1982/??/??","year":1982,"levelM":5.1,"groundM":null,"place":"Les Prés","distanceM":%[1]d},
		{"id":"93010-001","date":"1999-10-24","dateText":"24/10/1999","year":1999,"levelM":null,"groundM":3.35,"place":"Les Prés","distanceM":%[2]d},
		{"id":"93010-001/2","date":null,"dateText":"????/??/??","year":null,"levelM":4.2,"groundM":3.35,"place":"Les Prés","distanceM":%[2]d},
		{"id":"93010-001/3","date":null,"dateText":"199?/01/??","year":null,"levelM":4.2,"groundM":3.35,"place":"Les Prés","distanceM":%[2]d},
		{"id":"93010-001/4","date":null,"dateText":"1910","year":1910,"levelM":4.2,"groundM":3.35,"place":"Les Prés","distanceM":%[2]d},
		{"id":"93010-001/5","date":"1910-01-28","dateText":"1910-01-28","year":1910,"levelM":4.2,"groundM":3.35,"place":"Les Prés","distanceM":%[2]d}]`, near, far))
	// The file names Bondy alone: elsewhere nothing is known.
	b.Parcel("751180000A0001", squareWKT)
	b.wantsOf("751180000A0001", "floodMarkers", "null")
	b.Parcel(faraway, farawayWKT)
	b.wantsOf(faraway, "floodMarkers", "[]")
}
