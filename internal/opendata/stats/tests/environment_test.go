package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const ineris = "Indicateurs annuels de la qualité de l'air\nCOM Insee,Commune,Population,Moyenne annuelle de concentration de NO2 (ug/m3)," +
	"Moyenne annuelle de concentration de NO2 ponderee par la population (ug/m3),Moyenne annuelle de concentration de O3 (ug/m3)," +
	"Moyenne annuelle de concentration de O3 ponderee par la population (ug/m3),Moyenne annuelle de somo 35 (ug/m3.jour)," +
	"Moyenne annuelle de somo 35 pondere par la population (ug/m3.jour),Moyenne annuelle d'AOT 40 (ug/m3.heure)," +
	"Moyenne annuelle de concentration de PM10 (ug/m3),Moyenne annuelle de concentration de PM10 ponderee par la population (ug/m3)," +
	"Moyenne annuelle de concentration de PM25 (ug/m3),Moyenne annuelle de concentration de PM25 ponderee par la population (ug/m3)\n"

// air is the line of a commune, whose means weighted by the population are all 99.
func air(code, no2, pm10, pm25 string) string {
	return code + ",COMMUNE,300," + no2 + ",99,41.2,99,3100,99,9100," + pm10 + ",99," + pm25 + ",99\n"
}

// refuses expects that a source does not take a file, and that the block of Bondy is as before.
func (b *fixture) refuses(sourceName, path, content, key, because string, change func(*source.Source)) {
	b.t.Helper()
	before := b.block(stats.Commune, "93010", key)
	b.write(path, content)
	if _, err := b.try(sourceName, change); err == nil || !strings.Contains(err.Error(), because) {
		b.t.Errorf("%s: the error is %v, expected one with %q", path, err, because)
	}
	same(b.t, key, b.block(stats.Commune, "93010", key), before)
}

// The means of the year are served; the mean of ozone is not, for it is none of the peak season. A commune
// that was merged since has no mean, and neither has one that was split.
func TestAirQuality(t *testing.T) {
	b := newFixture(t)
	b.load("air-communes", "air/Indicateurs_QualiteAir_France_Commune_2014_Ineris.csv", ineris+air("93010", "30", "20", "15"))
	b.load("air-communes", "air/Indicateurs_QualiteAir_France_Commune_2015_Ineris.csv", ineris+
		air("93010", "25.125", "19.5", "4.9")+air("97411", "NA", "14", "")+air("91001", "9", "9", "9")+air("91999", "9", "9", "9")+air("15141", "9", "9", "9"))
	const from = `"source":"INERIS et LCSQA, Indicateurs annuels de la qualité de l'air par commune","year":2015,"method":"modelled"`
	b.wants(stats.Commune, "93010", "airQuality", `{`+from+`,"no2":{"annualMeanUgM3":25.13,"whoExceeded":true},
		"pm10":{"annualMeanUgM3":19.5,"whoExceeded":true},"pm25":{"annualMeanUgM3":4.9,"whoExceeded":false},"o3":null}`)
	b.wants(stats.Commune, "97411", "airQuality", `{`+from+`,"no2":null,"pm10":{"annualMeanUgM3":14,"whoExceeded":false},"pm25":null,"o3":null}`)
	for _, code := range []string{"91001", "15141", "2A247"} {
		b.wants(stats.Commune, code, "airQuality", "null")
	}
	// A file that does not know the merged one and knows both halves of the
	// split one is of today: nothing is left out.
	b.load("air-communes", "air/Indicateurs_QualiteAir_France_Commune_2025_Ineris.csv", ineris+
		air("91001", "9", "9", "9")+air("15141", "8", "9", "9")+air("15031", "7", "9", "9"))
	for code, no2 := range map[string]string{"91001": `"no2":{"annualMeanUgM3":9,`, "15141": `"no2":{"annualMeanUgM3":8,`, "15031": `"no2":{"annualMeanUgM3":7,`} {
		b.hasParts(stats.Commune, code, "airQuality", no2, `"year":2025`)
	}
	small := func(s *source.Source) { s.Checks.MinRows = 0 }
	const file = "air/Indicateurs_QualiteAir_France_Commune_2015_Ineris.csv"
	b.refuses("air-communes", file, "Titre\nCOM Insee,Commune,O3\n93010,BONDY,12\n", "airQuality", "it has no column of figures", small)
	b.refuses("air-communes", file, strings.ReplaceAll(ineris+air("93010", "1", "1", "1"), ",", ";"), "airQuality", "", small)
	b.refuses("air-communes", file, ineris+air("93010", "2500", "19", "4"), "airQuality", "is no yearly mean", small)
	b.refuses("air-communes", file, ineris+air("93010", "25", "19", "4"), "airQuality", "expected at least", nil)
}

// Ozone is served as the mean of the peak season only, from a file that says it is that.
func TestOzone(t *testing.T) {
	b := newFixture(t)
	const header = "commune;year;mda8_ug_m3;season;method\n"
	b.load("air-ozone", "air/ozone-peak-season-2024.csv", header+"93010;2023;80;04-09;modelled\n93010;2024;92.44;04-09;modelled\n2A247;2024;60;;nearestStation\n")
	b.wants(stats.Commune, "93010", "airQuality", `{"source":"operator of the service, Ozone in the peak season","year":2024,"no2":null,"pm10":null,"pm25":null,
		"o3":{"peakSeasonMda8UgM3":92.44,"whoExceeded":true,"season":"04-09","year":2024,"source":"operator of the service, Ozone in the peak season","method":"modelled"},
		"method":"modelled"}`)
	b.hasParts(stats.Commune, "2A247", "airQuality", `"whoExceeded":false,"season":null`) // 60 µg/m³ is the guideline, not above it
	b.refuses("air-ozone", "air/ozone-peak-season-2024.csv", header+"91999;2024;80;04-09;modelled\n", "airQuality", "no commune of today has code 91999", nil)
	b.refuses("air-ozone", "air/ozone-peak-season-2024.csv",
		"Date de début;code site;Polluant;type de valeur;valeur\n2023/01/01;FR41001;O3;Max. journalier moy. hor.;40.2\n", "airQuality", "", nil)
}

// The times are those of the report, and say where they lead to.
func TestTravelTime(t *testing.T) {
	b := newFixture(t)
	b.load("travel-times", "travel-times.csv", "commune;paris_road_min;paris_rail_min;prefecture_road_min;method;year;paris_road_km;paris_rail_changes;paris_rail_station;computed_on\n"+
		"93010;25;31;12;router;2024;14.2;;Bondy;2024-05-02\n2A247;;;140;router;2024;;;;\n")
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
		('commune-actuelle', '93008', 'Bobigny', '93', '11', '93008', '{}')`)
	b.load("departement-prefectures", "cog/departements.csv", "DEP,REG,CHEFLIEU,TNCC,NCC,NCCENR,LIBELLE\n93,11,93008,0,SEINE SAINT DENIS,Seine-Saint-Denis,Seine-Saint-Denis\n")
	b.wants(stats.Commune, "93010", "travelTime", `{"source":"operator of the service, Travel times to Paris and to the préfecture","year":2024,
		"paris":{"roadMinutes":25,"roadKm":14.2,"railMinutes":31,"railChanges":null,"departureStation":"Bondy"},
		"prefecture":{"communeCode":"93008","name":"Bobigny","roadMinutes":12,"roadKm":null,"railMinutes":null},"computedOn":"2024-05-02","engine":"router"}`)
	b.wants(stats.Commune, "2A247", "travelTime", `{"source":"operator of the service, Travel times to Paris and to the préfecture","year":2024,"paris":null,
		"prefecture":{"communeCode":null,"name":null,"roadMinutes":140,"roadKm":null,"railMinutes":null},"computedOn":null,"engine":"router"}`)
	b.wants(stats.Commune, "75056", "travelTime", "null")
	b.refuses("departement-prefectures", "cog/departements.csv", "DEP,REG,CHEFLIEU\n93,11,93008\n", "travelTime", "expected at least 101", nil)
	b.refuses("departement-prefectures", "cog/departements.csv", "DEP,REG,CHEFLIEU\n93,11,93999\n", "travelTime", "no commune of today has code 93999", nil)
}

// What the file has of a commune is served, and nothing else.
func TestGeography(t *testing.T) {
	b := newFixture(t)
	const header = "commune;elevation_mean_m;elevation_min_m;elevation_max_m;coast_km;coastal;mountain_km;massif;mountain_classified;method;year\n"
	const from = `"source":"operator of the service, Elevation of communes, distance to coast and mountains"`
	b.load("commune-geography", "commune-geography.csv", header+"93010;57.34;40;115;;0;;;;BD ALTI 25 m;2024\n2A247;210;0;1315;0;1;12.04;Corse;;;\n97411;;;;;;;;;;\n")
	b.wants(stats.Commune, "93010", "geography", `{`+from+`,"year":2024,"elevationMeanM":57.3,"elevationMinM":40,"elevationMaxM":115,"distanceToCoastKm":null,
		"coastal":false,"distanceToMountainKm":null,"massif":null,"mountainClassified":null,"method":"BD ALTI 25 m"}`)
	b.wants(stats.Commune, "2A247", "geography", `{`+from+`,"year":null,"elevationMeanM":210,"elevationMinM":0,"elevationMaxM":1315,"distanceToCoastKm":0,
		"coastal":true,"distanceToMountainKm":12,"massif":"Corse","mountainClassified":null,"method":null}`)
	b.wants(stats.Commune, "97411", "geography", "null")
	b.refuses("commune-geography", "commune-geography.csv", header+"93010;57;400;115;;;;;;;\n", "geography", "are not in this order", nil)
	b.refuses("commune-geography", "commune-geography.csv", header+"93010;57;40;115;98000;;;;;;\n", "geography", "not in kilometres", nil)
	b.refuses("commune-geography", "commune-geography.csv", "insee,dept,lon,lat,name\n93010,93,2.4,48.9,Bondy\n", "geography", "", nil)
}

// Reports of the years are added up for each species and observer;
// where no report was made the value is null.
func TestPests(t *testing.T) {
	b := newFixture(t)
	const header = "commune;species;label;year;reports;status;source\n"
	b.load("pest-reports", "pest-reports-2024.csv", header+"93010;Vespa velutina;Frelon asiatique;2023;4;reported;INPN\n93010;Vespa velutina;Frelon asiatique;2024;3;reported;INPN\n"+
		"93010;Aedes albopictus;Moustique tigre;2024;;colonised;ARS\n93066;Vespa velutina;Frelon asiatique;2024;0;reported;INPN\n"+
		"91999;Vespa velutina;Frelon asiatique;2022;1;reported;INPN\n91001;Vespa velutina;Frelon asiatique;2021;2;reported;INPN\n"+
		"75118;Vespa velutina;Frelon asiatique;2021;5;reported;INPN\n75101;Vespa velutina;Frelon asiatique;2020;1;reported;INPN\n")
	b.wants(stats.Commune, "93010", "nuisibles", `[{"species":"Aedes albopictus","label":"Moustique tigre","reports":null,"lastYear":2024,"status":"colonised","source":"ARS"},
		{"species":"Vespa velutina","label":"Frelon asiatique","reports":7,"lastYear":2024,"status":"reported","source":"INPN"}]`)
	b.wants(stats.Commune, "91001", "nuisibles", `[{"species":"Vespa velutina","label":"Frelon asiatique","reports":3,"lastYear":2022,"status":"reported","source":"INPN"}]`)
	b.wants(stats.Commune, "75056", "nuisibles", `[{"species":"Vespa velutina","label":"Frelon asiatique","reports":6,"lastYear":2021,"status":"reported","source":"INPN"}]`)
	b.wants(stats.Commune, "93066", "nuisibles", "null")
	b.wants(stats.Commune, "93010", "sources", `{"nuisibles":{"source":"operator of the service, from the observers named, Reports of pests by commune","year":2024}}`)
	b.refuses("pest-reports", "pest-reports-2024.csv", header+"99999;Vespa velutina;Frelon asiatique;2024;3;reported;INPN\n", "nuisibles", "no commune has code 99999", nil)
	b.refuses("pest-reports", "pest-reports-2024.csv", "gbifID\tscientificName\teventDate\n1\tVespa velutina\t2024-05-01\n", "nuisibles", "", nil)
}

const observatory = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;" +
	"adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"

func emitter(operator, support, system, district, generation, commune, status string) string {
	return strings.Join([]string{"1", operator, support, system, "2020-01-01", "93", district, generation, "2026-08-06", "S1", "1", "30", "1", "93140", commune,
		"48.9,2.48", "48.9,2.48", status}, ";") + "\n"
}

// A support with several bands and operators is one. A commune that the register of the whole country does
// not have has none, which is known; where the register is of one place only, nothing is known of others.
func TestMobileNetworks(t *testing.T) {
	b := newFixture(t)
	bondy := emitter("ORANGE", "100", "LTE 800", "93010", "4G", "93010", "En service") +
		emitter("ORANGE", "100", "LTE 1800", "93010", "4G", "93010", "En service") +
		emitter("SFR", "100", "GSM 900", "93010", "2G", "93010", "En service") +
		emitter("SFR", "200", "5G NR 3500", "93010", "5G", "93010", "Techniquement opérationnel") +
		emitter("SFR", "200", "UMTS 900", "", "3G", "93010", "En service") +
		emitter("FREE MOBILE", "300", "5G NR 700", "93010", "5G", "93010", "Projet approuvé")
	b.load("mobile-supports", "anfr/20260806_observatoire_2G_3G_4G.csv", observatory+bondy)
	const from = `"source":"ANFR, Observatoire 2G, 3G, 4G et 5G","year":2026,"asOf":"2026-08-06"`
	const want = `{` + from + `,"supports":2,"byGeneration":{"g2":1,"g3":1,"g4":1,"g5":1},"operators":[{"name":"SFR","supports":2,"supports4g":0,"supports5g":1},
		{"name":"ORANGE","supports":1,"supports4g":1,"supports5g":0}],"has5g":true,"has5g3500":true}`
	b.wants(stats.Commune, "93010", "anfr", want)
	b.wants(stats.Commune, "93066", "anfr", "null")

	elsewhere := bondy
	for district, commune := range map[string]string{"75118": "75056", "75101": "", "91001": "91999", "2A247": "2A247", "15031": "15031", "69381": "69123", "97411": "97411"} {
		elsewhere += emitter("ORANGE", "9"+district, "5G NR 700", district, "5g", commune, "En service")
	}
	b.load("mobile-supports", "anfr/20260806_observatoire_2G_3G_4G.csv", observatory+elsewhere)
	d := b.read()
	same(t, "Bondy", blockOf(t, d, stats.Commune, "93010", "anfr"), want)
	same(t, "a commune without a support", blockOf(t, d, stats.Commune, "93066", "anfr"), `{`+from+`,"supports":0,"byGeneration":{"g2":0,"g3":0,"g4":0,"g5":0},
		"operators":[],"has5g":false,"has5g3500":false}`)
	same(t, "Paris, from both of its columns", blockOf(t, d, stats.Commune, "75056", "anfr"), `{`+from+`,"supports":2,"byGeneration":{"g2":0,"g3":0,"g4":0,"g5":2},
		"operators":[{"name":"ORANGE","supports":2,"supports4g":0,"supports5g":2}],"has5g":true,"has5g3500":false}`)
	hasParts(t, "anfr", blockOf(t, d, stats.Commune, "91001", "anfr"), `"supports":1`)

	b.refuses("mobile-supports", "anfr/20260806_observatoire_2G_3G_4G.csv", observatory+bondy, "anfr", "expected at least", nil)
	b.refuses("mobile-supports", "anfr/20260806_observatoire_2G_3G_4G.csv", "SUP_ID;STA_NM_ANFR;NAT_ID\n1;2;3\n", "anfr", "", nil)
	b.refuses("mobile-supports", "anfr/20260806_observatoire_2G_3G_4G.csv", observatory+emitter("ORANGE", "1", "LTE", "", "4G", "99999", "En service"), "anfr",
		"no commune has code 99999", nil)
}

const monthsHeader = "NUM_POSTE;NOM_USUEL;LAT;LON;ALTI;AAAAMM;RR;QRR;TX;QTX;TM;QTM;NBTM\n"

// months writes twelve months of some years of a station, all of one temperature.
func months(id, lat, lon string, temperature float64, from, to int, but ...string) string {
	var b strings.Builder
	for year := from; year <= to; year++ {
		for month := 1; month <= 12; month++ {
			at := fmt.Sprintf("%d%02d", year, month)
			value := fmt.Sprintf("%.1f", temperature)
			for _, missing := range but {
				if strings.HasPrefix(at, missing) {
					value = ""
				}
			}
			fmt.Fprintf(&b, "%s;STATION %s;%s;%s;50;%s;12.0;1;20.0;1;%s;1;30\n", id, id, lat, lon, at, value)
		}
	}
	return b.String()
}

// A commune has the figures of the nearest station that has a normal and the newest year; a year with a month
// missing is none; beyond 40 km there is nothing; a département is the mean of the anomalies of its stations.
func TestClimateAnomaly(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom)
		SELECT '93066', 10, ST_Multi(g) FROM ST_MakeEnvelope(4.0, 48.89, 4.01, 48.9, 4326) g`)
	near, far, short := "93010001", "93010002", "93010003"
	b.write("meteo/MENSQ_93_previous-1950-2023.csv", monthsHeader+
		months(near, "48.90", "2.49", 10, 1991, 2020)+months(near, "48.90", "2.49", 11, 2021, 2023, "202203")+
		months(far, "48.70", "2.48", 12, 1991, 2020, "1991", "1992", "1993")+months(far, "48.70", "2.48", 15, 2021, 2023)+
		months(short, "48.899", "2.482", 12, 2005, 2023))
	b.load("climat-mensuel", "meteo/MENSQ_93_latest-2024-2025.csv", monthsHeader+
		months(near, "48.90", "2.49", 11.5, 2024, 2025, "202511", "202512")+months(far, "48.70", "2.48", 14, 2024, 2025, "202512"))
	bondy := b.block(stats.Commune, "93010", "climateAnomaly")
	for _, want := range []string{
		`{"source":"Météo-France, Données climatologiques de base - mensuelles","year":2024,"referencePeriod":"1991-2020","anomalyC":1.5,"meanC":11.5,"normalC":10,"decadeAnomalyC":0.39,`,
		`{"year":2021,"anomalyC":1},{"year":2023,"anomalyC":1},{"year":2024,"anomalyC":1.5}]`,
		`"station":{"id":"93010001","name":"STATION 93010001","altitudeM":50,"distanceKm":0.6},"stations":null}`,
	} {
		if !strings.Contains(bondy, want) {
			t.Errorf("Bondy shows\n%s\nexpected in it\n%s", bondy, want)
		}
	}
	b.wants(stats.Commune, "93066", "climateAnomaly", "null") // 110 km away
	b.wants(stats.Commune, "75056", "climateAnomaly", "null") // where it is is not known
	all := b.block(stats.Departement, "93", "climateAnomaly")
	if !strings.Contains(all, `"anomalyC":1.75,"meanC":null,"normalC":null`) || !strings.Contains(all, `"stations":2}`) {
		t.Errorf("the département shows %s", all)
	}
	if region := b.block(stats.Region, "11", "climateAnomaly"); region != all {
		t.Errorf("the région with one département shows %s", region)
	}
	b.wants(stats.Departement, "91", "climateAnomaly", "null")
}

// Without the years of the normal there is no anomaly: the load is
// refused, and so are files of something else.
func TestClimateFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, reason string }{
		"newest years only": {monthsHeader + months("93010001", "48.9", "2.49", 10, 2024, 2025), "the file of the years from 1950 on"},
		"another header":    {strings.Replace(monthsHeader, "TM;", "TMM;", 1) + months("93010001", "48.9", "2.49", 10, 1991, 2020), "no row"},
		"days":              {strings.Replace(monthsHeader, "AAAAMM", "AAAAMMJJ", 1) + months("93010001", "48.9", "2.49", 10, 1991, 2020), "no month"},
		"tenths of degrees": {monthsHeader + months("93010001", "48.9", "2.49", 100, 1991, 2020), "its mean temperature is 100"},
	} {
		b := openFixture(t)
		b.write("MENSQ_93_previous-1950-2023.csv", c.content)
		if _, err := b.try("climat-mensuel", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
}

// Who asks about a commune, without any parcel, reads the same risks as the report of a parcel has: those of
// a city from all of its arrondissements, those of an arrondissement its own and those of its city, with
// source and year. The class of a city that is the highest of its arrondissements says so, with the others.
func TestRisksOfCommunes(t *testing.T) {
	b := newFixture(t)
	for _, key := range []string{"radon", "seisme", "catnat", "communeRisks"} {
		b.wants(stats.Commune, "93010", key, "null")
	}
	b.load("radon", "radon/radon.csv", "insee_com;classe_potentiel;reg\n93010;1;FR\n75101;1;FR\n75118;2;FR\n91999;3;FR\n91001;1;FR\n")
	const radon = `{"source":"ASNR (IRSN), Potentiel radon des communes","year":null,"category":%d,"label":"%s"}`
	b.wants(stats.Commune, "93010", "radon", fmt.Sprintf(radon, 1, "Potentiel faible"))
	b.wants(stats.Commune, "75056", "radon", strings.TrimSuffix(fmt.Sprintf(radon, 2, "Potentiel faible, transferts facilités"), "}")+
		`,"of":"highestOfArrondissements","arrondissements":[{"codes":["75101"],"value":1},{"codes":["75118"],"value":2}]}`)
	b.wants(stats.Arrondissement, "75101", "radon", fmt.Sprintf(radon, 1, "Potentiel faible"))
	b.wants(stats.Arrondissement, "75118", "radon", fmt.Sprintf(radon, 2, "Potentiel faible, transferts facilités"))
	b.wants(stats.Arrondissement, "69381", "radon", "null")
	b.wants(stats.Commune, "91001", "radon", fmt.Sprintf(radon, 1, "Potentiel faible"))
	b.wants(stats.Commune, "93066", "radon", "null")

	b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active, vintage)
		VALUES ('seisme', '93', 'DGPR; BRGM', 'Zonage sismique', '', '[]', 'x', 1, 0, '[]', now(), now(), true, '2020-01-01')`)
	b.exec(`INSERT INTO geo.enrich_seismic_zone (part, id, commune, attrs) VALUES ('seisme/93', '93010', '93010', '{"zone":1}')`)
	b.wants(stats.Commune, "93010", "seisme", `{"source":"DGPR et BRGM, Zonage sismique","year":2020,"zone":1,"label":"très faible"}`)
	b.wants(stats.Commune, "91001", "seisme", "null")
	b.exec(`INSERT INTO geo.enrich_seismic_zone (part, id, commune, attrs) VALUES ('seisme', '75056', '75056', '{"zone":2}'), ('seisme', '75118', '75118', '{"zone":1}')`)
	b.exec(`UPDATE geo.load SET scope = '' WHERE source = 'seisme'`)
	for code, zone := range map[string]string{"75101": `"zone":2,"label":"faible"`, "75118": `"zone":1,"label":"très faible"`} {
		b.wants(stats.Arrondissement, code, "seisme", `{"source":"DGPR et BRGM, Zonage sismique","year":2020,`+zone+`}`)
	}
	b.wants(stats.Commune, "75056", "seisme", `{"source":"DGPR et BRGM, Zonage sismique","year":2020,"zone":2,"label":"faible"}`)

	rows := "cod_nat_catnat;cod_commune;lib_risque_jo;dat_deb;dat_fin;dat_pub_arrete;dat_pub_jo\n" +
		"I1;75056;Inondations;1982-12-18;1982-12-31;1983-01-11;1983-01-13\nI1;75118;Inondations;1982-12-18;1982-12-31;1983-01-11;1983-01-13\n" +
		"I2;75101;Tempête;1999-12-25;1999-12-29;1999-12-29;1999-12-30\n"
	for year := 2001; year <= 2007; year++ {
		rows += fmt.Sprintf("S%d;93010;Sécheresse;%d-07-01;%d-09-30;;\n", year, year, year)
	}
	b.load("gaspar-catnat", "gaspar/catnat_gaspar_2026-02-01.csv", rows+"I3;93010;Inondations;2024-06-01;2024-06-02;;\n")
	got := b.block(stats.Commune, "93010", "catnat")
	for _, want := range []string{`"year":2026,"total":8,`, `"byRisk":[{"risk":"Sécheresse","orders":7,"newest":"2007-07-01"},{"risk":"Inondations","orders":1,"newest":"2024-06-01"}]`,
		`"orders":[{"risk":"Inondations","start":"2024-06-01","end":"2024-06-02","orderDate":null,"publishedOn":null},{"risk":"Sécheresse","start":"2007-07-01"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the orders for Bondy are %s, without %s", got, want)
		}
	}
	if n := strings.Count(got, `"start"`); n != 5 || strings.Contains(got, "2003-07-01") {
		t.Errorf("%d orders are listed: %s", n, got)
	}
	b.hasParts(stats.Commune, "75056", "catnat", `"total":2,"byRisk":[{"risk":"Tempête","orders":1,`)
	for code, want := range map[string]string{"75101": `"total":2,"byRisk":[{"risk":"Tempête","orders":1,`, "75118": `"total":1,"byRisk":[{"risk":"Inondations","orders":1,`} {
		b.hasParts(stats.Arrondissement, code, "catnat", want)
	}
	b.wants(stats.Commune, "93066", "catnat", "null")

	b.load("gaspar-risques", "gaspar/ddrm_risq_gaspar_2026-02-01.csv", "cod_commune;num_risque;lib_risque\n93010;112;Par une crue\n93010;11;Inondation\n75118;18;Radon\n")
	const source = `{"source":"DGPR et BRGM, GASPAR : risques recensés par commune (DDRM)","year":2026,"risks":`
	b.wants(stats.Commune, "93010", "communeRisks", source+`[{"code":"11","label":"Inondation"},{"code":"112","label":"Par une crue"}]}`)
	b.wants(stats.Commune, "75056", "communeRisks", source+`[{"code":"18","label":"Radon"}]}`)
	b.wants(stats.Arrondissement, "75118", "communeRisks", source+`[{"code":"18","label":"Radon"}]}`)
	b.wants(stats.Arrondissement, "75101", "communeRisks", "null")

	// Only a list that names all that there is says of a commune that it has none.
	body, _ := snapshotOf(t, b.read()).Of(stats.Commune, "93066")
	states, _ := statesOf(t, body)
	for key, want := range map[string]state.State{"radon": state.NotCovered, "seisme": state.NotCovered, "catnat": state.None, "communeRisks": state.None} {
		if states[key].State != want {
			t.Errorf("the state of %s of Saint-Denis is %+v", key, states[key])
		}
	}
}

// The sites of a commune are counted with those that have no position, listed with their addresses, and say
// how many of the file may lie anywhere. Names of persons are left out, and sites of other registers.
func TestSitesOfCommunes(t *testing.T) {
	b := newFixture(t)
	for _, key := range []string{"icpe", "pollutedSites"} {
		b.wants(stats.Commune, "93010", key, "null")
	}
	b.load("icpe", "icpe-93_2023-08-08.csv", "codeAiot;raisonSociale;adresse1;codeInsee;longitude;latitude;statutSeveso;etatActivite;regimeVigueur\n"+
		"0001;GARAGE ESSAI;1 rue A;;2.48;48.9;Non Seveso;;Enregistrement\n"+ // by its position
		"0002;USINE SARL;2 rue B;93010;2.4;48.8;Seveso seuil bas;;Autorisation\n"+ // by its code
		"0003;Jean Martin;chez M. Martin;93010;;;;;Autres régimes\n"+ // without a position
		"0004;ATELIER SA;;;;;;;\n"+ // without any place
		"0005;FERME SA;;93010;;;;;Non ICPE\n"+
		"0006;ENTREPOT SA;;93066;2.35;48.93;;;Autres régimes\n")
	b.wants(stats.Commune, "93010", "icpe", `{"source":"DGPR et Géorisques, Installations classées pour la protection de l'environnement","year":2023,
		"total":3,"withoutPosition":1,"unassigned":1,"shown":3,"truncated":false,
		"byRegime":[{"value":"Autorisation","count":1},{"value":"Enregistrement","count":1},{"value":"Autres régimes","count":1}],
		"bySeveso":[{"value":"Seveso seuil bas","count":1},{"value":"Non Seveso","count":1}],"installations":[
		{"id":"0002","name":"USINE SARL","regime":"Autorisation","seveso":"Seveso seuil bas","status":null,"active":null,"address":"2 rue B"},
		{"id":"0001","name":"GARAGE ESSAI","regime":"Enregistrement","seveso":"Non Seveso","status":null,"active":null,"address":"1 rue A"},
		{"id":"0003","name":null,"regime":"Autres régimes","seveso":null,"status":null,"active":null,"address":null}],
		"note":"Of the file, 1 have neither a position nor a commune: no commune counts them. A name that is, or may be, that of a person is left out."}`)
	b.hasParts(stats.Commune, "93066", "icpe", `"total":1,"withoutPosition":0,"unassigned":1,`)
	b.wants(stats.Commune, "75056", "icpe", "null") // in another département
	if s := b.states(stats.Commune, "75056")["icpe"]; s.State != state.NotCovered || s.Reason != "It is loaded for other places only: 93." {
		t.Errorf("elsewhere the state is %+v", s)
	}

	head := "identifiant;nom_inventaire;nom_etablissement;adresse;code_insee;etat_activite;code_naf;nature_localisation;x_wgs84;y_wgs84\n"
	rows := "S1;BASIAS;GARAGE A;1 rue A;93010;Activité terminée;g50.2;numéro;2.48;48.9\nS2;BASIAS;;2 rue B;93010;En activité;dj28.5;commune;2.48;48.9\n" +
		"S3;BASOL;GARAGE C;3 rue C;93010;En activité;;numéro;2.48;48.9\n"
	b.load("casias", "casias-93_2023-08-08.csv", head+rows)
	got := b.block(stats.Commune, "93010", "pollutedSites")
	same(t, "pollutedSites", got, `{"source":"BRGM et Géorisques, CASIAS : anciens sites industriels et activités de services","year":2023,
		"total":2,"withoutPosition":1,"unassigned":0,"shown":2,"truncated":false,"byStatus":[{"value":"Activité terminée","count":1},{"value":"En activité","count":1}],
		"sites":[{"id":"S1","register":"CASIAS","name":"GARAGE A","activity":null,"activityCodes":"g50.2","status":"Activité terminée","address":"1 rue A"},
		{"id":"S2","register":"CASIAS","name":null,"activity":null,"activityCodes":"dj28.5","status":"En activité","address":"2 rue B"}],
		"note":"A site indicates a past or present activity, not confirmed pollution. A name that is, or may be, that of a person is left out."}`)
	b.wants(stats.Commune, "93066", "pollutedSites", "null")
	if s := b.states(stats.Commune, "93066")["pollutedSites"]; s.State != state.None || s.Reason != "The loaded file has no former industrial site in this commune." {
		t.Errorf("without sites the state is %+v", s)
	}

	// Where CASIAS is not loaded, what ADEME lists is given, and that it is a part.
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom) SELECT '75056', 1, ST_Multi(ST_MakeEnvelope(2.3, 48.8, 2.4, 48.9, 4326))`)
	b.load("ademe-srd", "donnees-ademe-sites-pollues.geojson", `{"type":"FeatureCollection","features":[{"type":"Feature","properties":
		{"_id":"7","Nom_site":"USINE E","Activites_historiques_site":["Textile"],"Etat_operation":"En cours"},"geometry":{"type":"Point","coordinates":[2.35,48.85]}}]}`)
	b.hasParts(stats.Commune, "75056", "pollutedSites", `"total":1,"withoutPosition":0,`, `"register":"ADEME"`,
		`the register CASIAS, which has most former sites, is not.`)
	if s := b.states(stats.Commune, "75056")["pollutedSites"]; s.State != state.Value {
		t.Errorf("with a site of ADEME alone the state is %+v", s)
	}

	// Five on one point of a commune have no position of their own, and are counted all the same.
	for i := range 100 {
		rows += fmt.Sprintf("T%03d;BASIAS;GARAGE %03d;%d rue D;93010;En activité;;numéro;2.49;48.9\n", i, i, i)
	}
	b.load("casias", "casias-93_2023-08-08.csv", head+rows)
	got = b.block(stats.Commune, "93010", "pollutedSites")
	if !strings.HasPrefix(got[strings.Index(got, `"total"`):], `"total":102,"withoutPosition":101,"unassigned":0,"shown":100,"truncated":true,`) || strings.Count(got, `"id"`) != 100 {
		t.Errorf("the sites of Bondy are %s", got)
	}
}

// A commune has the number and the names of its priority districts, also of one that it shares. Those of
// arrondissements are those of their city, too; a commune of which the file has none is said to have none.
func TestDistrictsOfCommunes(t *testing.T) {
	b := newFixture(t)
	b.wants(stats.Commune, "93010", "qpv", "null")
	district := func(properties string) string {
		return `{"type":"Feature","properties":{` + properties + `},"geometry":{"type":"Polygon","coordinates":` +
			`[[[2.48,48.9],[2.49,48.9],[2.49,48.905],[2.48,48.905],[2.48,48.9]]]}}`
	}
	b.load("qpv", "qpv/qp2024.geojson", `{"type":"FeatureCollection","features":[`+strings.Join([]string{
		district(`"code_qp":"QN09301M","lib_qp":"Nord","insee_com":"93010"`),
		district(`"code_qp":"QN09302M","lib_qp":"Partagé","insee_com":"93010,93066"`),
		district(`"code_qp":"QN09303M","lib_qp":"Sans commune"`), // lies in Bondy
		district(`"code_qp":"QN07501M","lib_qp":"Porte","insee_com":"75118,75101"`),
	}, ",")+"]}")
	const source = `{"source":"ANCT, Quartiers prioritaires de la politique de la ville 2024","year":2024,`
	b.wants(stats.Commune, "93010", "qpv", source+`"total":3,"districts":[{"code":"QN09301M","name":"Nord","communes":["93010"]},
		{"code":"QN09302M","name":"Partagé","communes":["93010","93066"]},{"code":"QN09303M","name":"Sans commune","communes":["93010"]}]}`)
	b.hasParts(stats.Commune, "93066", "qpv", `"total":1,`, "QN09302M")
	const gate = `"total":1,"districts":[{"code":"QN07501M","name":"Porte","communes":["75101","75118"]}]}`
	b.wants(stats.Commune, "75056", "qpv", source+gate)
	b.wants(stats.Arrondissement, "75118", "qpv", source+gate)
	b.wants(stats.Commune, "2A247", "qpv", "null")
	if s := b.states(stats.Commune, "2A247")["qpv"]; s.State != state.None || s.Vintage == nil {
		t.Errorf("without districts the state is %+v", s)
	}
}
