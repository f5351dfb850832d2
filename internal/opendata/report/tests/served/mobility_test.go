package served_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
)

// Networks and roads are read from the files that their producers serve today.
func TestMobilityAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const observatory = "\ufeffid;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;" +
		"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut\n"
	mast := func(id, operator, system, generation, status string) string {
		return id + ";" + operator + ";100;" + system + ";2020-01-01;93;93010;" + generation +
			";2026-08-27;0930000001;11;32,5;1;Château d'eau;;;;93140;93010;48.9005,2.485;48.9005,2.485;" + status + "\n"
	}
	const buildings = "x,y,imb_id,num_voie,cp_no_voie,type_voie,nom_voie,batiment,code_insee,code_poste,nom_com,catg_loc_imb,imb_etat,pm_ref,pm_etat," +
		"pm_date_mad,code_l331,type_imb,date_completude,date_completude_manquante\n" +
		"2.4805,48.9005,IMB/93010/X/1,12,,RUE,HAUTE,_NA_,93010,93140,BONDY,R,deploye,FI-93010-0001,deploye,2019-05-13,ORAN,PAVILLON,2021-06-30,\n" +
		"55.45,-20.88,IMB/97411/X/1,1,,RUE,BASSE,_NA_,97411,97400,SAINT-DENIS,R,en cours de deploiement,FI-97411-0001,deploye,,SFRA,IMMEUBLE,,\n"
	b.loadsAsServed(
		asServed{"mobile-masts", "20260827182212_observatoireod_20260827.csv", observatory +
			mast("1", "ORANGE", "LTE 700", "4G", "En service") + mast("2", "FREE MOBILE", "5G NR 3500", "5G", "Techniquement opérationnel") +
			mast("3", "SFR", "5G NR 3500", "5G", "Projet approuvé"), 2, 0,
			"SELECT id, attrs->>'operator' AS operator, attrs->>'generation' AS generation FROM geo.enrich_mobile_mast", "100|FREE MOBILE|5G\n100|ORANGE|4G"},
		asServed{"fibre", "2026t2-immeuble.zip", loadkit.Archive(t, map[string]string{"carte_fibre_immeubles_2026_T2_20260902.csv": buildings}), 2, 0,
			"SELECT part, id, state, completed FROM geo.fibre", "fibre|IMB/93010/X/1|deploye|2021-06-30\nfibre|IMB/97411/X/1|en cours de deploiement|"},
		// Of 2019 the share of heavy vehicles is in tenths of a percent where it has no decimals.
		asServed{"road-traffic", "tmja-2019.csv", reportkit.TrafficHeader +
			b.TrafficSegment("A0001", 1, 2.48, 48.89, 48.91, 2019, "90000", "145") + b.TrafficSegment("A0002", 1, 2.48, 48.89, 48.91, 2019, "90000", "14,5") +
			b.TrafficSegment("A0003", 1, 2.48, 48.89, 48.91, 2019, "90000", "0") + b.TrafficSegment("A0004", 1, 2.48, 48.89, 48.91, 2019, "90000", "989") +
			b.TrafficSegment("A0005", 1, 2.48, 48.89, 48.91, 2024, "90000", "14"), 5, 0,
			"SELECT attrs->>'road' AS road, attrs->>'heavyPct' AS heavy FROM geo.enrich_road_traffic", "A1|14.5\nA2|14.5\nA3|\nA4|\nA5|14"},
		asServed{"high-speed-stations", "export_gtfs_voyages.zip", loadkit.Archive(t, map[string]string{
			"trips.txt": "route_id,service_id,trip_id\n",
			"stops.txt": "stop_id,stop_name,stop_desc,stop_lat,stop_lon,zone_id,stop_url,location_type,parent_station\n" +
				"StopArea:OCE87686006,Paris Gare de Lyon,,48.844888,2.373481,,,1,\n" +
				"StopPoint:OCETGV INOUI-87686006,Paris Gare de Lyon,,48.844888,2.373481,,,0,StopArea:OCE87686006\n",
		}), 1, 0, "SELECT id FROM geo.enrich_high_speed_station", "87686006"},
	)
}

// The roads of BD TOPO are read from the Shapefile of the numbered ones, among those of the delivery.
func TestRoadsAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const folder = "BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D093_2026-06-15/BDTOPO/TRANSPORT/"
	road := func(properties string) string {
		return features(`{"type":"Feature","properties":{` + properties + `},"geometry":{"type":"LineString","coordinates":[[2.485,48.89],[2.485,48.91]]}}`)
	}
	b.Geodata(folder+"ROUTE_NUMEROTEE_OU_NOMMEE.shp", "ESRI Shapefile", "ROUTE_NUMEROTEE_OU_NOMMEE",
		road(`"ID":"ROUTNOMM0000000001","TYPE_ROUTE":"Autoroute","NUMERO":"A3"`), "-t_srs", "EPSG:2154")
	b.Geodata(folder+"TRONCON_DE_ROUTE.shp", "ESRI Shapefile", "TRONCON_DE_ROUTE", road(`"ID":"TRONROUT1","NATURE":"x"`), "-t_srs", "EPSG:2154")
	loaded(t, b.LoadSource("roads-bdtopo-shp"), 1, 0)
}

// In the inventory of facilities letters take the place of words since the
// edition of 2024, and codes that of empty cells.
func TestFacilitiesAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const header = "AN;NOMRS;CNOMRS;CODPOS;DEPCOM;DEP;REG;LIBCOM;DOM;SDOM;TYPEQU;SIRET;LAMBERT_X;LAMBERT_Y;LONGITUDE;LATITUDE;QUALITE_XY;EPSG;QUALITE_GEOLOC\n"
	row := func(kind, name, place, quality string) string {
		return "2025;" + name + ";_Z;93140;93010;93;11;Bondy;B;B1;" + kind + ";_U;" + place + ";_Z;_Z;" + quality + "\n"
	}
	place := strings.ReplaceAll(b.Lambert(2.4805, 48.9005), ",", ".")
	b.loadsAsServed(asServed{"bpe", "BPE25.zip", loadkit.Archive(t, map[string]string{"BPE25.csv": header +
		row("B105", "BON MARCHE", place, "B;2154;11") + row("B105", "AILLEURS", place, "M;2154;33") + row("B104", "A PEU PRES", place, "A;2154;12") +
		row("F101", "_Z", place, "_U;2154;_Z") + row("B105", "SANS PLACE", ";", "_Z;4471;_Z") + row("B105", "SANS OBJET", "_Z;_Z", "_Z;2154;_Z"),
	}), 2, 0, "SELECT attrs->>'type' AS type, attrs->>'name' AS name FROM geo.enrich_facility", "B105|BON MARCHE\nF101|"})
}

// Of the two pairs of coordinates of a structure either may be the one in degrees, and the
// address of its premises need not be the first.
func TestHealthPlusAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	x, y := b.Lambert93(2.4812, 48.9012)
	metres, asMetres := fmt.Sprintf(`"coordonneeX":"%.2f","coordonneeY":"%.2f"`, y, x), fmt.Sprintf(`"directionLongitude":"%.2f","directionLatitude":"%.2f"`, x, y)
	const (
		degrees    = `"directionLongitude":"2.4812","directionLatitude":"48.9012"`
		inDegrees  = `"coordonneeX":"2.4812","coordonneeY":"48.9012"`
		turned     = `"coordonneeX":"48.9012","coordonneeY":"2.4812"`
		mayotte    = `"coordonneeX":"8587194.7","coordonneeY":"524819.9","directionLongitude":"45.23","directionLatitude":"-12.78"`
		elsewhere  = `"coordonneeX":"0","coordonneeY":"0","directionLongitude":"12.5","directionLatitude":"41.9"`
		number     = `,"cleInInteropBAN":"93010_1_00012"`
		ofCommune  = `,"cleInInteropBAN":"93010"`
		noPosition = `"coordonneeX":"","coordonneeY":"","directionLongitude":"","directionLatitude":""`
	)
	address := func(use, coordinates string) string {
		return fmt.Sprintf(`{"usageAdresse":%q,"cogCommune":"93010","coordonneesGeographique":{%s}}`, use, coordinates)
	}
	var all []string
	structure := func(closed, state string, addresses ...string) {
		all = append(all, fmt.Sprintf(`{"informationsGeneralesEGE":{"numFinessEge":"9300000%02d","nomEgeLong":"PHARMACIE"%s},`+
			`"categorieentiteGeographiqueExercice":"620","etatObjet":%q,"adresse":[%s]}`, len(all), closed, state, strings.Join(addresses, ",")))
	}
	structure("", "A", address("03", degrees+","+metres+number))
	structure("", "A", address("03", asMetres+","+inDegrees+number))
	structure("", "A", address("03", asMetres+","+turned))
	structure("", "A", address("06", elsewhere), address("03", degrees+","+metres))
	structure("", "A", address("03", mayotte))
	structure("", "A", address("03", degrees+","+metres+ofCommune)) // 05: the middle of the commune
	structure("", "A", address("03", noPosition), address("06", degrees))
	structure("", "A", address("03", elsewhere))
	structure(`,"dateFermeture":"2026-01-31"`, "A", address("03", degrees))
	structure("", "I", address("03", degrees))
	for range 40 { // one rejected row in a few would be too many
		structure("", "A", address("03", metres))
	}
	b.loadsAsServed(asServed{"finess-plus", "finess-structures-journalier-20260905.json.gz", loadkit.Zipped(
		`{"generatedAt":"2026-09-05","schemaVersion":"v1.0.0","pmej":[{"etatObjet":"A","adresse":[],"ege":[` + strings.Join(all, ",") + `]}],"gco":[],"gcc":[]}`),
		45, 1, `SELECT min(id) AS first, count(*) AS n, round(ST_X(geom)::numeric, 3) AS lon, round(ST_Y(geom)::numeric, 3) AS lat
			FROM geo.enrich_health GROUP BY 3, 4`, "930000000|44|2.481|48.901\n930000004|1|45.230|-12.780"})
}

// Results of lycées come with technical names or with labels, and their year as a number or a day.
func TestSchoolResultsAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const query = "SELECT part, id, attrs->>'successRatePct' AS rate, attrs->>'session' AS session FROM geo.enrich_school_result WHERE part = "
	b.loadsAsServed(
		asServed{"school-results-lycees", "fr-en-indicateurs-de-resultat-des-lycees-gt_v2.csv",
			"\ufeffannee;uai;libelle_uai;secteur;code_commune;libelle_commune;presents_total;taux_reu_total;va_reu_total\n" +
				"2024;0930001A;LYCEE DE L'ESSAI;public;93010;BONDY;200;90;1\n2025;0930001A;LYCEE DE L'ESSAI;public;93010;BONDY;210;92;2\n",
			1, 0, query + "'school-results-lycees'", "school-results-lycees|0930001A|92|2025"},
		asServed{"school-results-lycees", "fr-en-indicateurs-de-resultat-des-lycees-gt_v2.csv",
			"\ufeffUAI;Année;Etablissement;Secteur;Taux de reussite - Toutes series\n0930001A;2025;LYCEE DE L'ESSAI;public;93\n",
			1, 0, query + "'school-results-lycees'", "school-results-lycees|0930001A|93|2025"},
		asServed{"school-results-lycees-pro", "fr-en-indicateurs-de-resultat-des-lycees-pro_v2.csv",
			"annee;uai;taux_reu_total\n2025-01-01T00:00:00+00:00;0930002B;81\n",
			1, 0, query + "'school-results-lycees-pro'", "school-results-lycees-pro|0930002B|81|2025"},
	)
}
