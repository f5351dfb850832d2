package served_test

import "testing"

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
