package served_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
)

func TestServedPlanning(t *testing.T) {
	t.Parallel()
	layers := map[string]string{
		"zone_urba":         features(plot.Feature(`"partition":"DU_93010","gpu_doc_id":"x","libelle":"UA","typezone":"U"`)),
		"prescription_surf": features(plot.Feature(`"partition":"DU_93010","gpu_doc_id":"x","libelle":"Bois","typepsc":"01","stypepsc":"00"`)),
	}
	const document = `"gid":1,"gpu_doc_id":"x","gpu_status":"production","partition":"172014607_SUP_93_AC1",`
	easements := map[string]string{
		"servitude":        features(reportkit.RowFeature(document + `"idsup":"7","nomsup":"x","nomsuplitt":"Eglise","categorie":"ac1","estabroge":"f"`)),
		"generateur_sup_l": features(plot.Feature(document + `"suptype":"ac1","idgen":"1","idsup":"7","nomgen":"x","typegen":"Monument"`)),
		"assiette_sup_s": features(plot.Feature(document +
			`"suptype":"ac1","fichier":"AC1_act.pdf","idass":"1","idgen":"1","nomass":"x","typeass":"Abords","nomsuplitt":"Eglise"`)),
	}
	assiette := features(plot.Feature(`"idass":1,"idgen":"7","nomass":"x","typeass":"Périmètre"`))
	checkServed(t, []served{
		{"qpv", zipped("qpv-2024-geojson.zip", map[string]string{
			"GEOJSON/QP2024_France_Hexagonale_Outre_Mer_WGS84.geojson": features(plot.Feature(`"code_qp":"QN09301A","lib_qp":"Le Bois","insee_com":"93010"`)),
			"GEOJSON/QP2024_France_Hexagonale_LB93.geojson":            features(plot.Feature(`"code_qp":"QN09302B","lib_qp":"x"`))}),
			"SELECT id || ' ' || (attrs->>'name') FROM geo.enrich_qpv", "QN09301A Le Bois"},
		{"gpu-zones-national", packaged("wfs_du.gpkg", layers),
			"SELECT (attrs->>'zone') || ' ' || (attrs->>'territory') FROM geo.enrich_plan_zone", "UA 93010"},
		{"gpu-prescriptions-national", packaged("wfs_du.gpkg", layers),
			"SELECT (attrs->>'label') || ' ' || (attrs->>'territory') FROM geo.enrich_plan_prescription", "Bois 93010"},
		{"sup-assiettes", zipped("172014607_SUP_93_AC1_20180130.zip", map[string]string{"AC1_ASSIETTE_SUP_S.shp": assiette}),
			"SELECT (attrs->>'category') || ' ' || (attrs->>'territory') FROM geo.enrich_easement", "AC1 93"},
		{"sup-servitudes-national", packaged("servitude.gpkg", easements),
			"SELECT id || ' ' || (attrs->>'name') FROM geo.enrich_easement_act", "172014607_SUP_93_AC1:7 Eglise"},
		{"sup-generateurs-national", packaged("generateur_sup_l.gpkg", easements),
			"SELECT id || ' ' || (attrs->>'servitude') FROM geo.enrich_easement_generator", "172014607_SUP_93_AC1:1 172014607_SUP_93_AC1:7"},
		{"sup-assiettes-national", packaged("assiette_sup_s.gpkg", easements),
			"SELECT (attrs->>'category') || ' ' || (attrs->>'territory') || ' ' || (attrs->>'name') FROM geo.enrich_easement", "AC1 93 Eglise"},
	})
}

// The noise plans of the mainland are four files in Lambert-93, one a zone, and
// one load: they speak for the mainland alone.
func TestServedNoisePlans(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	west, south := b.Lambert93(2.479, 48.899)
	east, north := b.Lambert93(2.482, 48.902)
	for _, zone := range []string{"a", "b", "c", "d"} {
		b.Write("c-dgac-peb-metro-z"+zone+".geojson", features(extent{west, south, east, north}.Feature(fmt.Sprintf(
			`"ZONE":"%s","CODE_OACI":"LFPB","NOM":"PARIS LE BOURGET","PRODUCTEUR":"DGAC","REF_DOC":"x","DATE_ARRET":"2017-02-06"`, strings.ToUpper(zone)))))
	}
	loaded(t, b.LoadSource("aerodromes-peb"), 4, 0)
	got := b.text(`SELECT (attrs->>'zone') || ' ' || (attrs->>'name') || ' ' || round(ST_XMin(geom)::numeric, 2) FROM geo.enrich_aerodrome_easement ORDER BY 1`)
	if got != "A PARIS LE BOURGET 2.48\nB PARIS LE BOURGET 2.48\nC PARIS LE BOURGET 2.48\nD PARIS LE BOURGET 2.48" {
		t.Errorf("it gives\n%s", got)
	}
	b.CoverageIs("aerodrome_easement", "2A", "34", "75", "91", "93")
}

const installationHead = `codeAiot;raisonSociale;"adresse1";"adresse2";"adresse3";codePostal;codeInsee;commune;codeNaf;numeroSiret;coordonneeX;coordonneeY;` +
	`systemeCoordonnees;longitude;latitude;bovins;porcs;volailles;carriere;eolienne;industrie;prioriteNationale;statutSeveso;ied;serviceAiot;` +
	`etatActivite;regimeVigueur;url`

// installation is a line of the export. It is in Latin-1, in which some names are UTF-8 all the same.
func installation(id, name, regime string) string {
	return fmt.Sprintf(`"%s";"%s";"1 rue";;;"93140";"93010";Bondy;"68";"56211088202144";661000;6866000;"2154";2.482;48.9005;false;false;false;true;`+
		`false;false;false;"Non Seveso";false;"DRIEAT";"En exploitation avec titre";%s;"https://x"`, id, name, regime)
}

const siteHead = "code_metier;nom_inventaire;code_inventaire;nom_etablissement;code_siret;adresse;code_postal;code_insee;nom_commune;code_departement;" +
	"nom_departement;code_region;nom_region;etat_activite;code_naf;activite_principale;nature_localisation;x_wgs84;y_wgs84;fiche_risque"

func siteRow(id, register string) string {
	return id + ";" + register + ";x;Garage;;1 rue;93140;93010;Bondy;93;x;11;x;Activité terminée;G45;Garages;Adresse;2.482;48.9005;https://x"
}

func TestServedRisks(t *testing.T) {
	t.Parallel()
	zone := extent{2.479, 48.899, 2.482, 48.902}
	checkServed(t, []served{
		{"seisme", zipped("France_zonage_sismique.zip", map[string]string{
			"France_zonage_sismique.shp": features(plot.Feature(`"insee":"93010","Sismicite":"3 - Modérée"`))}),
			"SELECT commune || ' ' || (attrs->>'zone') FROM geo.enrich_seismic_zone", "93010 3"},
		{"icpe", zipped("icpe-93.csv.zip", map[string]string{
			"InstallationClassee.csv": lines(installationHead, installation("0005208202", "Carri\xe8res du Bois", "Autorisation"),
				installation("0005208203", "Société", "Enregistrement"), installation("0005208204", "Ferme", "Non ICPE")),
			"rubriqueIC.csv": lines("codeAiot;numeroRubrique;nature", "0005208202;2510;x"),
			"inspection.csv": lines("codeAiot;dateInspection", "0005208202;2024-01-01")}),
			"SELECT id || ' ' || (attrs->>'name') || ' ' || (attrs->>'regime') || ' ' || (attrs->>'active') FROM geo.enrich_icpe ORDER BY 1",
			"0005208202 Carrières du Bois Autorisation true\n0005208203 Société Enregistrement true"},
		{"casias", plain("casias-93.csv", siteHead, siteRow("SSP001", "CASIAS"), siteRow("SSP002", "SIS|BASOL"), siteRow("SSP003", "BASOL|CASIAS")),
			"SELECT id || ' ' || (attrs->>'status') || ' ' || round(ST_X(geom)::numeric, 3) FROM geo.enrich_polluted_site ORDER BY 1",
			"SSP001 Activité terminée 2.482\nSSP003 Activité terminée 2.482"},
		{"ppr-covadis-zones", zipped("pprn_93.zip", map[string]string{
			"n_zonages_risque_naturel/zone_pprn_s_093.shp": features(
				zone.Feature(`"id_zone":"1","id_gaspar":"93DDT20180003","nom":"Zone rouge","codezone":"R","typereg":"03","urlfic":"x"`),
				zone.Feature(`"id_zone":"1","id_gaspar":"93DDT20010001","nom":"Zone bleue","codezone":"B","typereg":"02","urlfic":"x"`)),
			"n_zonages_risque_naturel/document_pprn_093.csv": "id_gaspar;nom;etat\n93DDT20180003;PPR;02\n"}),
			"SELECT (attrs->>'plan') || ' ' || (attrs->>'kind') || ' ' || (attrs->>'code') FROM geo.enrich_ppr_zone ORDER BY 1",
			"93DDT20010001 PPRN B\n93DDT20180003 PPRN R"},
		{"gaspar-catnat", zipped("gaspar.zip", map[string]string{"catnat_gaspar_2026-10-05.csv": lines(
			"id_gaspar;code_commune;libelle_commune;num_risque_jo;lib_risque_jo;date_debut;date_fin;date_signature_arrete;date_publication_jo;date_modification",
			"A1;93010;Bondy;ICB;Inondations;2016-05-30 02:00:00;2016-06-04 02:00:00;2016-06-08 02:00:00;2016-06-09 02:00:00;2022-05-24 02:00:00.000",
			"A1;93010;Bondy;ICB;Inondations;2016-05-30 00:00:00;2016-06-04 12:00:00;2016-06-08 00:00:00;2016-06-09 00:00:00;2022-05-24 02:00:00.000")}),
			"SELECT (attrs->>'start') || ' ' || (attrs->>'end') || ' ' || (attrs->>'orderDate') FROM geo.enrich_catnat", "2016-05-30 2016-06-04 2016-06-08"},
		{"gaspar-pprn", plain("gaspar/pprn_gaspar.csv", fmt.Sprintf(reportkit.RiskPlanHeader, "CODE PROCEDURE"),
			"PPRN-Multi;PPRN;93DDT20010001;PPR;;93010;BONDY;1;Naturel;11;Inondation;112;Par ruissellement;;2001-04-18;;;Opposable;;Approuvé;;",
			"PPRN-Multi;PPRN;93DDT20010001;PPR;;93010;BONDY;1;Naturel;12;Mouvement de terrain;;;;2001-04-18;;;Opposable;;Approuvé;;",
			"PPRN-Multi;PPRN;93DDT20010001;PPR;;91999;Ancienne;1;Naturel;11;Inondation;;;;2001-04-18;;;Opposable;;Approuvé;;"),
			`SELECT id || ' ' || (attrs->>'risk') || (SELECT string_agg(', ' || (r->>'code') || ' ' || (r->>'label'), '' ORDER BY n)
				FROM jsonb_array_elements(attrs->'risks') WITH ORDINALITY AS x(r, n)) FROM geo.enrich_risk_procedure ORDER BY 1`,
			"93DDT20010001 91001 Inondation, 11 Inondation\n" +
				"93DDT20010001 93010 Inondation, 11 Inondation, 12 Mouvement de terrain, 112 Par ruissellement"},
	})
}
