package served_test

import (
	"strings"
	"testing"
)

const rpgDelivery = "RPG_3-0__GPKG_LAMB93_FXX_2024-01-01/RPG/1_DONNEES_LIVRAISON_2024/"

func TestServedLand(t *testing.T) {
	t.Parallel()
	const park = `"id_mnhn":"FR33","cd_sig":"FR33","nom_site":"Parc","url_fiche":"https://inpn.mnhn.fr/x","territoire":"metrop","zone":`
	checkServed(t, []served{
		{"bdtopo-vegetation", zipped("BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D093_2026-06-15.zip", map[string]string{
			"ZONE_DE_VEGETATION.shp": features(plot.Feature(`"ID":"ZONEVEGE1","NATURE":"Bois"`)),
			"HAIE.shp":               features(plot.Feature(`"ID":"HAIE1","NATURE":"x"`))}),
			"SELECT id || ' ' || (attrs->>'nature') FROM geo.enrich_vegetation", "ZONEVEGE1 Bois"},
		{"rpg", packaged(rpgDelivery+"RPG_Parcelles.gpkg", map[string]string{"RPG_Parcelles": features(
			plot.Feature(`"ID_PARCEL":"1","SURF_PARC":0.02,"CODE_CULTU":"PPH","CODE_GROUP":"18"`),
			plot.Feature(`"ID_PARCEL":"2","SURF_PARC":0.02,"CODE_CULTU":"SNE","CODE_GROUP":"NR"`))}),
			"SELECT crop || ' ' || coalesce(crop_group::text, 'null') FROM geo.rpg ORDER BY 1", "PPH 18\nSNE null"},
		{"rpg-bio-categorisees", packaged(rpgDelivery+"RPG_BIO.gpkg", map[string]string{"RPG_BIO": features(
			plot.Feature(`"code_culture":"PPH","code_group":"18","surf_parc":0.02,"cat_cult_p":"PP"`))}),
			"SELECT (attrs->>'year') || ' ' || (SELECT string_agg(area, ',' ORDER BY area) FROM geo.coverage) FROM geo.enrich_rpg_bio", "2024 2A,34,75,91,93"},
		{"rpg-bio", zipped("rpg-bio-2023-national.zip", map[string]string{"rpg-bio-2023-national.shp": features(
			plot.Feature(`"millesime":2023,"code_cultu":"PPH","bio":"AB"`), plot.Feature(`"millesime":2023,"code_cultu":"PPH","bio":"Non"`))}),
			"SELECT count(*)::text FROM geo.enrich_rpg_bio", "1"},
		{"clc-2018", packaged("CLC_2018.gpkg", map[string]string{"CLC_2018": features(plot.Feature(`"code_18":"112","clc_nomenc":"x"`))}),
			"SELECT (attrs->>'code') || ' ' || (SELECT string_agg(area, ',' ORDER BY area) FROM geo.coverage) FROM geo.enrich_land_cover", "112 2A,34,75,91,93"},
		{"espaces-pn-wfs", plain("patrinat_pn.geojson", features(plot.Feature(park+`"Cœur"`), plot.Feature(park+`"Aire d'adhésion"`),
			extent{-149.6, -17.6, -149.5, -17.5}.Feature(park+`"Cœur"`))),
			"SELECT (attrs->>'type') || ' ' || (attrs->>'code') || ' ' || (attrs->>'name') || ' ' || (attrs->>'url') FROM geo.enrich_protected_area ORDER BY 1",
			"PN FR33 Parc https://inpn.mnhn.fr/x\nPN_ADHESION FR33 Parc https://inpn.mnhn.fr/x"},
		{"espaces-zps-wfs", plain("patrinat_zps.geojson", features(plot.Feature(`"id_mnhn":"FR11","cd_sig":"FR11","nom_site":"Étang","url_fiche":null`))),
			"SELECT (attrs->>'type') || ' ' || (attrs->>'code') || ' ' || (SELECT layer || '=' || area FROM geo.coverage) FROM geo.enrich_protected_area",
			"ZPS FR11 protected_area_zps="},
	})
}

// A file of all parcels that does not say which are organic would make all of them organic: it is refused.
func TestServedParcelsOfAnyKind(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	all := features(plot.Feature(`"code_culture":"PPH","code_group":"18","surf_parc":0.02,"cat_cult_p":"PP"`))
	b.Geodata("parcelles_categorisees_2024.gpkg", "GPKG", "parcelles_categorisees", all, "-t_srs", "EPSG:2154")
	if out := b.TryLoad("rpg-bio-categorisees"); out.Err == nil || !strings.Contains(out.Err.Error(), "no row") {
		t.Errorf("%d rows, %v", out.Rows, out.Err)
	}
	if taken, _, _ := takenBy(rpgDelivery+"RPG_PAC.gpkg", "rpg-bio-categorisees"); taken {
		t.Error("RPG_PAC.gpkg is taken")
	}
}

func TestServedWater(t *testing.T) {
	t.Parallel()
	const stations = "CdStationMesureEauxSurface;LbStationMesureEauxSurface;CoordXStationMesureEauxSurface;CoordYStationMesureEauxSurface;" +
		"CdProjStationMesureEauxSurface;LibelleProjection;CodeCommune;CodeDepartement;NomCoursdEau;AltitudePointCaracteritisque"
	const results = "cddept,referenceprel,cdparametresiseeaux,cdparametre,libmajparametre,libminparametre,libwebparametre,qualitparam,insituana,rqana," +
		"cdunitereferencesiseeaux,cdunitereference,limitequal,refqual,valtraduite,casparam,referenceanl"
	checkServed(t, []served{
		{"river-stations", zipped("naiades/stations_HB.zip", map[string]string{"stations.csv": stations + "\n" +
			"03080000;Bondy;661900;6866800;26;RGF93 / Lambert 93;93010;93;Le Rû;40\n07000101;Basse-Terre;642000;1770000;38;RRAF 91 / UTM 20;97105;971;x;5\n" +
			"08000001;Saint-Pierre;557000;5181000;39;RGSPM06 / UTM 21;97502;975;x;5\n", "resultat.csv": "x\n"}),
			"SELECT id || ' ' || round(ST_X(geom)::numeric) FROM geo.enrich_river_station ORDER BY 1", "03080000 2\n07000101 -62\n08000001 -56"},
		{"tap-results", zipped("dis-2025.zip", map[string]string{"DIS_RESULT_2025.txt": results + "\n" +
			`"093","R1","NO3","1340","NITRATES (EN NO3)","x",,"N","L","15000","µg/L","133","<=50 mg/L","","15000","x","A1"` + "\n"}),
			"SELECT parameter || ' ' || value FROM geo.tap_result", "nitrates 15"},
	})
}
