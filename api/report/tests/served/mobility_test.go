package served_test

import (
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
	const supports = "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;" +
		"COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU;ADR_LB_ADD1;ADR_LB_ADD2;ADR_LB_ADD3;ADR_NM_CP;COM_CD_INSEE\r\n" +
		"100;0930000001;11;48;54;2;N;2;29;6;E;32,5;1;Château d'eau;;;;93140;093010\r\n"
	const buildings = "x,y,imb_id,num_voie,cp_no_voie,type_voie,nom_voie,batiment,code_insee,code_poste,nom_com,catg_loc_imb,imb_etat,pm_ref,pm_etat," +
		"pm_date_mad,code_l331,type_imb,date_completude,date_completude_manquante\n" +
		"2.4805,48.9005,IMB/93010/X/1,12,,RUE,HAUTE,_NA_,93010,93140,BONDY,R,deploye,FI-93010-0001,deploye,2019-05-13,ORAN,PAVILLON,2021-06-30,\n" +
		"55.45,-20.88,IMB/97411/X/1,1,,RUE,BASSE,_NA_,97411,97400,SAINT-DENIS,R,en cours de deploiement,FI-97411-0001,deploye,,SFRA,IMMEUBLE,,\n"
	b.loadsAsServed(
		asServed{"mobile-masts", "20260827182212_observatoireod_20260827.csv", observatory +
			mast("1", "ORANGE", "LTE 700", "4G", "En service") + mast("2", "FREE MOBILE", "5G NR 3500", "5G", "Techniquement opérationnel") +
			mast("3", "SFR", "5G NR 3500", "5G", "Projet approuvé"), 2, 0,
			"SELECT id, attrs->>'operator' AS operator, attrs->>'generation' AS generation FROM geo.enrich_mobile_mast", "100|FREE MOBILE|5G\n100|ORANGE|4G"},
		asServed{"anfr-operators", "20260731-export-etalab-ref.zip",
			loadkit.Archive(t, map[string]string{"SUP_EXPLOITANT.txt": "ADM_ID;ADM_LB_NOM\r\n23;ORANGE\r\n110;Ministère de l'Intérieur\r\n", "SUP_NATURE.txt": "NAT_ID\r\n"}),
			2, 0, "SELECT id, attrs->>'name' AS name FROM geo.enrich_mobile_operator", "110|Ministère de l'Intérieur\n23|ORANGE"},
		asServed{"anfr-supports", "20260630-export-etalab-data.zip", loadkit.Archive(t, map[string]string{"SUP_SUPPORT.txt": supports}), 1, 0,
			"SELECT id, attrs->>'station' AS station FROM geo.enrich_mobile_support", "100|0930000001"},
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

// Since version 3.5 the layers of a package of BD TOPO have the name of the delivery before their own.
func TestRoadsOfAPackageAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Geodata("BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D093_2026-06-15/BDT_3-5_GPKG_LAMB93_D093-ED2026-06-15.gpkg", "GPKG",
		"bdt_35_gpkg_lamb93_d093ed20260615__route_numerotee_ou_nommee",
		features(`{"type":"Feature","properties":{"cleabs":"ROUTNOMM0000000001","type_de_route":"Autoroute","numero":"A3"},`+
			`"geometry":{"type":"LineString","coordinates":[[2.485,48.89],[2.485,48.91]]}}`), "-t_srs", "EPSG:2154")
	loaded(t, b.LoadSource("roads-bdtopo-gpkg"), 1, 0)
}
