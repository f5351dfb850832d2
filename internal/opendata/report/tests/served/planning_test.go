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
