package stats_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	stationsHeader = "Nom;Trigramme;Segment(s) DRG;Position géographique;Code commune;Code(s) UIC\n"
	bondyStations  = stationsHeader +
		"Bondy;BDY;B;48.893512, 2.480228;93010;87113712\n" +
		"Noisy-le-Sec;NYS;B;48.896522, 2.459714;93053;87113803;\n" +
		"Brest;BES;A;48.387890, -4.480010;29019;87474007\n"
)

// Bondy has its nearest station with the commune that it lies in; a commune without an outline has none. Of each
// service that is null it is said why, and where the number of the facilities of the commune is.
func TestNamedServices(t *testing.T) {
	b := newFixture(t)
	b.wants(stats.Commune, "93010", "namedServices", "null")
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	b.load("high-speed-stations", "high-speed-stations.csv", "uic\n87474007\n")
	const unlisted = "No list of them that is loaded has this commune: whether one is near is not known. "
	const inCommune = "has the number of facilities in the commune by type."
	// The point in the middle is 48.8995, 2.4825: 0.005988° and 0.002272° × cos(48.9°) away, 0.69 km.
	b.wants(stats.Commune, "93010", "namedServices", `{"source":"SNCF Gares & Connexions, Gares de voyageurs","year":null,"hospital":null,"school":null,
		"station":{"name":"Bondy","communeCode":"93010","distanceKm":0.7,"year":null,"lat":48.893512,"lon":2.480228,
			"source":"SNCF Gares & Connexions, Gares de voyageurs","highSpeed":false},"supermarket":null,"notCovered":["hospital","school","supermarket"],"whyNull":{"hospital":"`+unlisted+
		`equipementTypes.health `+inCommune+`","school":"`+unlisted+`equipementTypes.education `+inCommune+`","supermarket":"`+
		unlisted+`equipementTypes.shops `+inCommune+`"}}`)
	b.wants(stats.Commune, "97411", "namedServices", "null")
}

// A layer that does not speak for a commune gives it nothing, however near its places are.
func TestServicesOutsideTheirCoverage(t *testing.T) {
	b := newFixture(t)
	school := func(code string) string {
		b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
			VALUES ('schools', $1, 'MEN', 'Annuaire', '', '[]', 'x', 1, 0, '[]', now(), now(), true)`, code)
		b.exec(`INSERT INTO geo.coverage (layer, area, load_id) SELECT 'school', scope, id FROM geo.load WHERE scope = $1`, code)
		b.exec(`INSERT INTO geo.enrich_school (part, id, attrs, geom) VALUES ('schools/' || $1, 'x' || $1, '{"name":"Essai","level":"ecole"}',
			ST_SetSRID(ST_MakePoint(2.48, 48.9), 4326))`, code)
		return b.block(stats.Commune, "93010", "namedServices")
	}
	if got := school("75"); got != "null" {
		t.Errorf("the schools of another département give %s", got)
	}
	if got := school("93"); !strings.Contains(got, `"school":{"name":"Essai","communeCode":"93010","distanceKm":0.2,`) ||
		!strings.Contains(got, `"notCovered":["hospital","station","supermarket"]`) {
		t.Errorf("the schools of the département give %s", got)
	}
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", stationsHeader+"Brest;BES;A;48.387890, -4.480010;29019;87474007\n")
	if got := b.block(stats.Commune, "93010", "namedServices"); !strings.Contains(got, `"station":"Of those that are loaded none lies `+
		`within 50 km of the middle of the commune. equipementTypes.transport has`) {
		t.Errorf("a station that is too far: %s", got)
	}
}

// Where a list of some départements alone is loaded, the nearest in it may not be the nearest of all: a caller
// near its border would take it for that.
func TestNearestServiceAtTheBorderOfAList(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count,
			refused, started_at, loaded_at, active, vintage)
		VALUES ('schools', '93', 'MEN', 'Annuaire', '', '[]', 'x', 1, 0, '[]', now(), now(), true, '2014')`)
	b.exec(`INSERT INTO geo.coverage (layer, area, load_id) SELECT 'school', scope, id FROM geo.load WHERE scope = '93'`)
	b.exec(`INSERT INTO geo.enrich_school (part, id, attrs, geom) VALUES ('schools/93', 'x', '{"name":"Essai","level":"ecole"}',
		ST_SetSRID(ST_MakePoint(2.48, 48.9), 4326))`)
	const note = `"note":"The nearest of those that are loaded. No list of département 91 is, whose communes are about as near`
	middle := func(lon float64) {
		b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom)
			SELECT '91001', 1, ST_Multi(ST_MakeEnvelope($1::float8, 48.89, $1::float8 + 0.01, 48.9, 4326))
			ON CONFLICT (code) DO UPDATE SET geom = excluded.geom`, lon)
	}
	middle(2.6) // 9 km away
	if got := b.block(stats.Commune, "93010", "namedServices"); strings.Contains(got, "note") ||
		!strings.Contains(got, `"distanceKm":0.2,"year":2014,`) {
		t.Errorf("far from the border: %s", got)
	}
	middle(2.52)
	b.hasParts(stats.Commune, "93010", "namedServices", note)
}

// A service that no list has points to the schools that are known all the same.
func TestNamedSchoolPointsToTheSchools(t *testing.T) {
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	b.load("school-index-primary", "schools/fr-en-ips-ecoles-ap2022.csv", "rentree_scolaire;uai;nom_de_l_etablissment;"+
		"code_insee_de_la_commune;secteur;ips\n2022-2023;0930002B;ECOLE ESSAI;93010;public;95.5\n"+
		"2022-2023;0750001A;ECOLE A;75118;public;100.5\n")
	b.hasParts(stats.Commune, "93010", "namedServices", "is not known. schools has those of the commune. equipementTypes")
}

// The nearest of many is the one that the database finds by measuring all of them.
func TestNearestOfMany(t *testing.T) {
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 { // as thin as on the countryside, so that some are far
		b.exec(`INSERT INTO geo.enrich_railway_station (part, id, attrs, geom) VALUES ('railway-stations', $1, jsonb_build_object('name', $1::text),
			ST_SetSRID(ST_MakePoint($2, $3), 4326))`, fmt.Sprint("s", i), -4+random.Float64()*11, 42.5+random.Float64()*8)
	}
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		SELECT 'commune-actuelle', '15' || lpad(n::text, 3, '0'), n::text, '15', '84', '15' || lpad(n::text, 3, '0'), '{}' FROM generate_series(200, 399) n`)
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom) SELECT '15' || lpad(n::text, 3, '0'), 1,
		ST_Multi(ST_MakeEnvelope(x, y, x + 0.01, y + 0.01, 4326)) FROM (SELECT n, -4.5 + n * 53 % 120 / 10.0 AS x, 42 + n * 31 % 90 / 10.0 AS y
		FROM generate_series(200, 399) n) p`)
	d := b.read()
	rows, err := b.db.Query(t.Context(), `SELECT c.code, s.name, s.km FROM geo.commune_contour c JOIN LATERAL (
		SELECT attrs->>'name' AS name, ST_DistanceSphere(ST_PointOnSurface(c.geom), s.geom) / 1000 AS km FROM geo.enrich_railway_station s
		ORDER BY 2, s.id LIMIT 1) s ON true`)
	testkit.NoError(t, err)
	defer rows.Close()
	found := 0
	for rows.Next() {
		var code, name string
		var km float64
		testkit.NoError(t, rows.Scan(&code, &name, &km))
		var got struct {
			Station *struct {
				Name       string
				DistanceKm float64
			}
		}
		testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, stats.Commune, code, "namedServices")), &got))
		switch {
		case km > 50.01 && got.Station != nil:
			t.Errorf("%s shows %+v, %g km away", code, *got.Station, km)
		case km < 49.99 && (got.Station == nil || got.Station.Name != name || got.Station.DistanceKm < km-0.1 || got.Station.DistanceKm > km+0.1):
			t.Errorf("%s shows %+v, expected %s at %g km", code, got.Station, name, km)
		case km < 49.99:
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d communes have a station, which is too few to conclude", found)
	}
}

// A commune has the schools that lie in it, however far from its middle, with their figures; where the
// directory is not loaded, those that other lists name. It says which, and of how many it lists some.
func TestSchoolsOfCommunes(t *testing.T) {
	b := newFixture(t)
	b.wants(stats.Commune, "93010", "schools", "null")
	const head = "rentree_scolaire;uai;nom_de_l_etablissment;code_insee_de_la_commune;secteur;ips\n"
	b.load("school-index-primary", "schools/fr-en-ips-ecoles-ap2022.csv", head+"2022-2023;0930002B;ECOLE ESSAI;93010;public;95.5\n2022-2023;0750001A;ECOLE A;75118;public;100.5\n"+
		"2022-2023;0750002B;ECOLE B;75101;privé;120\n")
	b.wants(stats.Commune, "93010", "schools", `{"source":"Ministère de l'Éducation nationale, Indices de position sociale : écoles","year":2022,"total":1,
		"byLevel":[{"level":"ecole","total":1,"public":1,"private":0,"schoolYear":"2022-2023"}],"schools":[{"uai":"0930002B","name":"ECOLE ESSAI","level":"ecole","sector":"public",
		"successRatePct":null,"session":null,"ips":95.5,"ipsSchoolYear":"2022-2023"}],"shown":1,"truncated":false,"listedBy":"commune",
		"note":"Only schools with an index of social position are counted, which nursery schools have not. Numbers of pupils are not read from any file."}`)
	if got := b.block(stats.Commune, "75056", "schools"); !strings.Contains(got, `"total":2,"byLevel":[{"level":"ecole","total":2,"public":1,"private":1,"schoolYear":"2022-2023"}]`) {
		t.Errorf("the schools of Paris are %s", got)
	}
	if got := b.block(stats.Arrondissement, "75118", "schools"); !strings.Contains(got, `"total":1,"byLevel":[{"level":"ecole","total":1,"public":1,"private":0,"schoolYear":"2022-2023"}],"schools":[{"uai":"0750001A"`) {
		t.Errorf("the schools of the 18e arrondissement are %s", got)
	}
	if got := b.states(stats.Commune, "93066")["schools"]; got.State != state.NotCovered || !strings.Contains(got.Reason, "equipements.selected") {
		t.Errorf("of a commune whose schools have no index: %+v", got)
	}
	// Results of an examination are newer than the list that is counted, whose year the number has.
	b.load("school-index-colleges", "schools/fr-en-ips-colleges-ap2022.csv", head+"2022-2023;0930003C;COLLEGE;93010;public;90\n")
	b.load("school-results-colleges", "schools/fr-en-indicateurs-valeur-ajoutee-colleges.csv",
		"Session;UAI;Taux de réussite G\n2024;0930003C;86\n")
	b.hasParts(stats.Commune, "93010", "schools", `"year":2022`, `"total":2`, `"successRatePct":86,"session":2024`)

	rows := "identifiant_de_l_etablissement;nom_etablissement;type_etablissement;statut_public_prive;code_commune;latitude;longitude;etat\n" +
		"0930002B;Ecole Essai;Ecole;Public;93010;48.891;2.466;OUVERT\n0930009Z;Lycée Essai;Lycée;Public;93010;48.9;2.48;OUVERT\n0930008Y;Collège Essai;Collège;;93010;48.9;2.48;OUVERT\n" +
		"0930007X;Ecole à côté;Ecole;Public;93053;48.9;2.4649;OUVERT\n"
	for i := range 152 {
		rows += fmt.Sprintf("0931%03dA;Ecole %03d;Ecole;Privé;93010;48.9;2.48;OUVERT\n", i, i)
	}
	b.load("schools", "schools/fr-en-annuaire-education.csv", rows)
	got := b.block(stats.Commune, "93010", "schools")
	if want := `"total":155,"byLevel":[{"level":"lycee","total":1,"public":1,"private":0,"schoolYear":null},{"level":"college","total":1,"public":0,"private":0,"schoolYear":null},{"level":"ecole","total":153,"public":1,"private":152,"schoolYear":null}],` +
		`"schools":[{"uai":"0930009Z",`; !strings.Contains(got, want) || strings.Count(got, `"uai"`) != 150 || !strings.Contains(got, `"shown":150,"truncated":true,`) || !strings.Contains(got, `"listedBy":"location","note":"Numbers of pupils are not read from any file."`) || strings.Contains(got, "à côté") {
		t.Errorf("the schools of Bondy are %s", got)
	}
	b.wants(stats.Commune, "93066", "schools", "null")
	if got := b.states(stats.Commune, "93066")["schools"]; got.State != state.None {
		t.Errorf("of a commune without a school in the directory: %+v", got)
	}
}

// The nearest station is that of namedServices, and says from where it is measured; all that lie in the
// commune are listed.
func TestNearestStationOfCommunes(t *testing.T) {
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations+"Remise à Jorelle;RJ;C;48.89317, 2.487751;93010;87988709\n")
	// 0.005988° and 0.002272° × cos(48.9°) away, on a sphere of 6 371 km; the other 0.00633° and 0.005251°.
	b.wants(stats.Commune, "93010", "nearestGare", `{"source":"SNCF Gares & Connexions, Gares de voyageurs","year":null,"name":"Bondy","uic":"87113712","distanceM":686,"measuredFrom":"centre",
		"inCommune":[{"name":"Bondy","uic":"87113712","distanceM":686},{"name":"Remise à Jorelle","uic":"87988709","distanceM":802}],
		"note":"Passenger stations of SNCF: RER stations of RATP and stops of metro, tram and bus are not in the list."}`)
	// A commune without one lists none.
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom) SELECT '93066', 1, ST_Multi(ST_MakeEnvelope(2.34, 48.92, 2.37, 48.94, 4326))`)
	b.hasParts(stats.Commune, "93066", "nearestGare", `"name":"Noisy-le-Sec"`, `"inCommune":[]`)
}

// A commune that has a station is given its own, also where one of another commune is nearer to its middle:
// a caller would send travellers to the next town. The nearer one is named, too.
func TestOwnStationBeforeANearerOne(t *testing.T) {
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv",
		stationsHeader+"Remise à Jorelle;RJ;C;48.89317, 2.487751;93010;87988709\n")
	// The own station is 443 m from the middle, in a corner; the other one 378 m, just across the border.
	b.exec(`UPDATE geo.commune_contour SET geom = ST_Multi(ST_MakeEnvelope(2.48, 48.893, 2.488, 48.8996, 4326))
		WHERE code = '93010'`)
	b.exec(`INSERT INTO geo.enrich_railway_station (part, id, attrs, geom) SELECT part, '87000001',
		'{"name":"Next"}', ST_SetSRID(ST_MakePoint(2.484, 48.8997), 4326) FROM geo.enrich_railway_station`)
	for _, key := range []string{"nearestGare", "namedServices"} {
		b.hasParts(stats.Commune, "93010", key, `"name":"Remise à Jorelle"`, `Next, in another commune, is nearer to the middle: 0.`)
	}
}

// A commune whose place is not known has no station, and none is near one far away from all.
func TestNearestStationNeedsAPlace(t *testing.T) {
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	b.wants(stats.Commune, "93066", "nearestGare", "null")
}

const (
	tapNetworksHeader = `"inseecommune","nomcommune","quartier","cdreseau","nomreseau","debutalim"` + "\n"
	tapSamplesHeader  = `"cddept","cdreseau","inseecommuneprinc","nomcommuneprinc","referenceprel","dateprel","heureprel","conclusionprel",` +
		`"plvconformitebacterio","plvconformitechimique","plvconformitereferencebact","plvconformitereferencechim"` + "\n"
	tapResultsHeader = `"cddept","referenceprel","cdparametre","rqana","cdunitereference"` + "\n"
)

func tapLine(cells ...string) string { return `"` + strings.Join(cells, `","`) + "\"\n" }

func tapSample(network, id, day, bacteria, chemistry string) string {
	return tapLine("093", network, "93010", "BONDY", id, day, "09h00", "Eau conforme.", bacteria, chemistry, "C", "C")
}

func tapResult(id, parameter, text, unit string) string {
	return tapLine("093", id, parameter, text, unit)
}

// Bondy has two networks that share a sample: it counts once for the commune and once for each network. What
// is too old, of another network or not judged does not count.
func TestWaterQuality(t *testing.T) {
	b := newFixture(t)
	b.load("tap-networks", "eau/DIS_COM_UDI_2025.txt", tapNetworksHeader+
		tapLine("93010", "BONDY", "-", "093000111", "BONDY SUD", "")+tapLine("93010", "BONDY", "-", "093000222", "BONDY NORD", "")+
		tapLine("75118", "PARIS 18", "-", "075000001", "PARIS", "")+tapLine("93066", "SAINT-DENIS", "-", "093000333", "SAINT-DENIS", "")+
		tapLine("91999", "OLD", "-", "091000001", "ABBEVILLE", ""))
	b.wants(stats.Commune, "93010", "waterQuality", "null")
	b.load("tap-samples", "eau/DIS_PLV_2024.txt", tapSamplesHeader+
		tapSample("093000222", "1", "2024-06-10", "N", "N")+ // a year and a day before the newest
		tapSample("093000222", "2", "2024-06-11", "C", "C"))
	b.load("tap-samples", "eau/DIS_PLV_2025.txt", tapSamplesHeader+
		tapSample("093000222", "3", "2025-05-01", "C", "D")+tapSample("093000111", "3", "2025-05-01", "C", "D")+
		tapSample("093000222", "4", "2025-06-03", "N", "S")+tapSample("093000111", "5", "2025-06-04", "C", "C")+
		tapSample("091000001", "6", "2025-06-10", "C", "S")+tapSample("075000001", "7", "2025-06-01", "C", "C"))
	b.load("tap-results", "eau/DIS_RESULT_2025.txt", tapResultsHeader+
		tapResult("1", "1340", "90", "mg/L")+tapResult("3", "1340", "12,3", "mg/L")+tapResult("4", "1340", "<0,5", "mg/L")+
		tapResult("5", "1340", "20000", "µg/L")+tapResult("3", "1382", "0,012", "mg/L")+tapResult("6", "1382", "<20", "µg/L")+
		tapResult("3", "6276", "0,7", "µg/L")+tapResult("5", "6276", "<0,1", "µg/L")+tapResult("4", "1449", "3", "n/(100mL)"))
	b.load("water-network-populations", "eau/udi_population_from_infofactures.csv", "code_udi,sentence,population\n"+
		"093000222,Votre réseau alimente de façon permanente 1 710 personnes.,1710\n093000111,Votre réseau alimente 0 personnes.,0\n")
	// Bacteria: 2, 3, 5 conform of 2, 3, 4, 5. Chemistry: 2, 5 conform of 2,
	// 3, 5. Nitrates: (12.3 + 0.25 + 20) / 3.
	b.wants(stats.Commune, "93010", "waterQuality", `{"source":"Ministère chargé de la santé (SISE-Eaux), Contrôle sanitaire de l'eau distribuée : prélèvements; `+
		`Ministère chargé de la santé (SISE-Eaux), Contrôle sanitaire de l'eau distribuée : réseaux des communes","year":2025,
		"periodStart":"2024-06-11","periodEnd":"2025-06-10","networks":[
		{"code":"093000222","name":"BONDY NORD","samples":3,"bacteriologicalConformityPct":66.67,"chemicalConformityPct":50,
			"served":{"inhabitants":1710,"source":"Ministère chargé de la santé et ARS, Population desservie par réseau d'eau potable, d'après les infofactures (dérivé par Data For Good)"}},
		{"code":"093000111","name":"BONDY SUD","samples":2,"bacteriologicalConformityPct":100,"chemicalConformityPct":50,"served":null}],
		"samples":4,"bacteriologicalConformityPct":75,"chemicalConformityPct":66.67,
		"nitrates":{"results":3,"belowQuantification":1,"meanMgL":10.85,"maxMgL":20,"limitMgL":50,"compliant":true},
		"pesticides":{"results":2,"belowQuantification":1,"exceedances":1,"maxUgL":0.7,"limitUgL":0.5,"compliant":false},
		"lead":{"results":1,"belowQuantification":0,"maxUgL":12,"limitUgL":10,"compliant":false},"lastSample":"2025-06-04"}`)

	d := b.read()
	if got := blockOf(t, d, stats.Commune, "75056", "waterQuality"); !strings.Contains(got, `"code":"075000001"`) {
		t.Errorf("Paris, whose networks are published by arrondissement, shows %s", got)
	}
	same(t, "a commune whose network has no sample", blockOf(t, d, stats.Commune, "93066", "waterQuality"), "null")
	same(t, "a commune without a network", blockOf(t, d, stats.Commune, "2A247", "waterQuality"), "null")
	// Of a commune that was merged the network is that of the new one. Nothing
	// below 20 µg/L can be said to be below 10.
	got := blockOf(t, d, stats.Commune, "91001", "waterQuality")
	for _, want := range []string{`"samples":1`, `"chemicalConformityPct":null`, `"nitrates":null`, `"maxUgL":null,"limitUgL":10,"compliant":null`} {
		if !strings.Contains(got, want) {
			t.Errorf("91001 shows %s, without %s", got, want)
		}
	}
}

// A number that its sentence does not say is refused.
func TestNetworkPopulationsMisread(t *testing.T) {
	b := newFixture(t)
	b.write("eau/udi_population.csv", "code_udi,sentence,population\n093000222,Votre réseau alimente 1710 personnes.,710\n")
	if out, err := b.try("water-network-populations", nil); err == nil {
		t.Errorf("it was loaded: %+v", out)
	}
	b.write("eau/udi_population.csv", "commune,population\n93010,710\n")
	if out, err := b.try("water-network-populations", nil); err == nil {
		t.Errorf("it was loaded: %+v", out)
	}
}
