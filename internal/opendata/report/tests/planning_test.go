package report_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
	"arpent/internal/opendata/state"
)

// A parcel is in the district that covers most of it. What only grazes it counts for nothing.
func TestDistrict(t *testing.T) {
	b := newFixture(t)
	b.wants("qpv", "null")
	small, large := extent{2.479, 48.900, 2.4803, 48.902}, extent{2.4803, 48.899, 2.482, 48.902}
	graze := extent{2.47, 48.9, 2.480001, 48.901} // 0.07 m of the parcel's 73, 0.1 %
	b.Load("qpv", "qpv/QP2024_France_Hexagonale_Outre_Mer_WGS84.geojson", features(
		small.Feature(`"code_qp":"QN09301M","lib_qp":"Petit","insee_com":"93010"`),
		large.Feature(`"code_qp":"QN09302M","lib_qp":"Grand","insee_com":"93010,93053"`)))
	b.wants("qpv", fmt.Sprintf(`{"code":"QN09302M","name":"Grand","sharePct":%g}`, large.On(plot)))
	b.Load("qpv", "qpv/QP2024_France_Hexagonale_Outre_Mer_WGS84.geojson", features(
		extent{2.5, 48.9, 2.6, 48.95}.Feature(`"code_qp":"QN09301M","lib_qp":"Ailleurs"`)))
	b.wants("qpv", "null")
	// 0.07 m along 111 m are 8 m²: little, and yet no sliver.
	b.Load("qpv", "qpv/QP2024_France_Hexagonale_Outre_Mer_WGS84.geojson", features(graze.Feature(`"code_qp":"QN09301M","lib_qp":"Bord"`)))
	b.wants("qpv", `{"code":"QN09301M","name":"Bord","sharePct":0.1}`)
	// 0.007 m are 0.8 m² and 0.01 %.
	b.Load("qpv", "qpv/QP2024_France_Hexagonale_Outre_Mer_WGS84.geojson", features(
		extent{2.47, 48.9, 2.4800001, 48.901}.Feature(`"code_qp":"QN09301M","lib_qp":"Bord"`)))
	b.wants("qpv", "null")
}

// The districts of 2015 are out of force: none of them is shown as if it held.
func TestDistrictsOf2015(t *testing.T) {
	b := newFixture(t)
	b.Write("qpv/qp2024.geojson", features(plot.Feature(`"code_qp":"QP093001","nom_qp":"Ancien"`)))
	if out := b.TryLoad("qpv"); out.Err == nil {
		t.Error("the old generation is loaded")
	}
	b.wants("qpv", "null")
}

const zoning = "gpu/93010_PLU_20200115.zip"

// A plan of the model of 2017: heights, a bow-tie, a sliver, no file that gives the encoding, another IDURBA
// than the name of the document. A customer who reads no zone, or the wrong one, builds where he must not.
func TestPlanZones(t *testing.T) {
	b := newFixture(t)
	b.wants("gpu", "null")
	ua, n := extent{2.470, 48.890, 2.4804, 48.910}, extent{2.4804, 48.890, 2.490, 48.910}
	zone := func(zone, label, kind, valid string) string {
		return fmt.Sprintf(`"LIBELLE":%q,"LIBELONG":%q,"TYPEZONE":%q,"NOMFIC":"regles.pdf","URLFIC":"https://plu.example/regles.pdf","IDURBA":"93010_PLU_2019","DATVALID":%q`, zone, label, kind, valid)
	}
	b.Archive(zoning, map[string]string{"93010_ZONE_URBA_20200115.shp": features(
		ua.Feature(zone("Ua", "Zone urbanisée", "U", "20200115")),
		n.Feature(zone("N", "Forêts et près", "N", "15.1.2020")), // no date: left out
		extent{2.47, 48.9010000, 2.49, 48.9010001}.Feature(zone("Sl", "bande", "U", "20200115")),
		reportkit.PolygonFeature(zone("X", "en nœud", "A", ""), "[[2.5,48.9],[2.6,48.95],[2.6,48.9],[2.5,48.95],[2.5,48.9]]"),
	)})
	out := b.LoadSource("gpu-zones")
	loaded(t, out, 4, 0)
	b.wants("gpu", fmt.Sprintf(`[
		{"zone":"N","label":"Forêts et près","type":"N","document":"93010_PLU_20200115","validOn":null,"regulation":"regles.pdf","regulationUrl":"https://plu.example/regles.pdf","sharePct":%g},
		{"zone":"Ua","label":"Zone urbanisée","type":"U","document":"93010_PLU_20200115","validOn":"2020-01-15","regulation":"regles.pdf","regulationUrl":"https://plu.example/regles.pdf","sharePct":%g}]`,
		n.On(plot), ua.On(plot)))
	if out.Vintage != "2020-01-15" {
		t.Errorf("the vintage is %s", out.Vintage)
	}
	// Another commune has a plan that was not loaded.
	b.Parcel("751180000A0001", squareWKT)
	b.wantsOf("751180000A0001", "gpu", "null")
}

// The model of 2013 has the day of approval and no IDURBA; its types are looser.
func TestPlanZonesOf2013(t *testing.T) {
	b := newFixture(t)
	b.Archive("gpu/93010_POS_20140603.zip", map[string]string{"ZONE_URBA.shp": features(plot.Feature(
		`"LIBELLE":"Nh","LIBELONG":"Zone naturelle habitée","TYPEZONE":"Nh","DESTDOMI":"01","INSEE":"93010","DATAPPRO":"20140603"`))})
	b.LoadSource("gpu-zones")
	b.wants("gpu", `[{"zone":"Nh","label":"Zone naturelle habitée","type":"Nh","document":"93010_POS_20140603",
		"validOn":"2014-06-03","regulation":null,"regulationUrl":null,"sharePct":100}]`)
}

// A document that was packed with a table twice is refused: its zones would be served twice.
func TestPlanThatHoldsATableTwice(t *testing.T) {
	b := newFixture(t)
	zones := features(plot.Feature(`"LIBELLE":"Ua","TYPEZONE":"U"`))
	b.Archive(zoning, map[string]string{"a/ZONE_URBA.shp": zones, "b/Zone_Urba.shp": zones})
	loadkit.Contains(t, b.TryLoad("gpu-zones").Err, "a/ZONE_URBA.shp and 93010_PLU_20200115/b/Zone_Urba.shp; which one is meant?")
}

// A plan covers the communes that it fills: not the whole of a commune that has grown since, and all of
// those of an EPCI, which its name does not give.
func TestPlanCoverage(t *testing.T) {
	b := newFixture(t)
	west, east := extent{2.40, 48.85, 2.50, 48.95}, extent{2.50, 48.85, 2.60, 48.95}
	b.outline("93010", extent{2.40, 48.85, 2.70, 48.95})
	b.outline("91001", west)
	b.Archive("gpu/93010_PLU_20200115.zip", map[string]string{"ZONE_URBA.shp": features(east.Feature(`"LIBELLE":"A","TYPEZONE":"A"`))})
	b.LoadSource("gpu-zones")
	b.wants("gpu", "null")
	b.Archive("gpu/200012345_PLUi_20210101.zip", map[string]string{"ZONE_URBA.shp": features(west.Feature(`"LIBELLE":"B","TYPEZONE":"A"`))})
	b.LoadSource("gpu-zones")
	b.Parcel("910010000A0001", squareWKT)
	want := `[{"zone":"B","label":null,"type":"A","document":"200012345_PLUi_20210101","validOn":null,"regulation":null,"regulationUrl":null,"sharePct":100}]`
	b.wantsOf("910010000A0001", "gpu", want)
	b.wants("gpu", "null")
	b.Parcel("910010000A0002", extent{2.41, 48.951, 2.42, 48.952}.WKT()) // beyond the last zone
	b.wantsOf("910010000A0002", "gpu", "[]")
}

// The newest document of a commune is the one in force.
func TestPlanZonesNewest(t *testing.T) {
	b := newFixture(t)
	for _, year := range []string{"2012", "2022", "2017"} {
		b.Archive("gpu/93010_PLU_"+year+"0101.zip", map[string]string{"ZONE_URBA.shp": features(
			plot.Feature(`"LIBELLE":"U` + year + `","TYPEZONE":"U"`))})
	}
	b.LoadSource("gpu-zones")
	b.wants("gpu", `[{"zone":"U2022","label":null,"type":"U","document":"93010_PLU_20220101","validOn":null,"regulation":null,"regulationUrl":null,"sharePct":100}]`)
}

// A plan that another kind of plan has followed is out of force: the zones and
// prescriptions of the POS are not returned next to those of the PLU, nor the PLU next to the
// PLUi. The plan of the old town holds in addition.
func TestPlanSuperseded(t *testing.T) {
	b := newFixture(t)
	b.outline("93010", extent{2.40, 48.85, 2.60, 48.95})
	whole, town := extent{2.39, 48.84, 2.61, 48.96}, extent{2.480, 48.900, 2.4802, 48.901}
	plan := func(document string, place extent) {
		b.Archive("gpu/"+document+".zip", map[string]string{
			"ZONE_URBA.shp":         features(place.Feature(`"LIBELLE":"` + document[:8] + `","TYPEZONE":"U"`)),
			"PRESCRIPTION_SURF.shp": features(place.Feature(`"LIBELLE":"` + document[:8] + `","TYPEPSC":"01"`))})
		b.LoadSource("gpu-zones")
		b.LoadSource("gpu-prescriptions")
	}
	zone := `{"zone":%q,"label":null,"type":"U","document":%q,"validOn":null,"regulation":null,"regulationUrl":null,"sharePct":%g}`
	rule := `{"type":"01","subtype":null,"label":%q,"document":%q,"regulation":null,"regulationUrl":null,"sharePct":%g}`
	returns := func(parts ...any) {
		t.Helper()
		b.wants("gpu", fmt.Sprintf("["+strings.TrimSuffix(strings.Repeat(zone+",", len(parts)/3), ",")+"]", parts...))
		b.wants("gpuPrescriptions", fmt.Sprintf("["+strings.TrimSuffix(strings.Repeat(rule+",", len(parts)/3), ",")+"]", parts...))
	}
	plan("93010_PLU_20200115", whole)
	plan("93010_POS_20100115", whole)
	returns("93010_PL", "93010_PLU_20200115", 100.)
	plan("93010_PSMV_19900115", town)
	returns("93010_PL", "93010_PLU_20200115", 100., "93010_PS", "93010_PSMV_19900115", town.On(plot))
	plan("200012345_PLUi_20230115", whole)
	returns("20001234", "200012345_PLUi_20230115", 100., "93010_PS", "93010_PSMV_19900115", town.On(plot))
}

// A carte communale is read as the zoning of its commune, from its archive and from the national layer:
// outside of its sectors nothing is drawn, and that is known. Without one that is read nothing is said. A
// commune that others have merged with since is not covered by it.
func TestCarteCommunale(t *testing.T) {
	b := newFixture(t)
	b.outline("93010", extent{2.40, 48.85, 2.60, 48.95})
	b.outline("91001", extent{2.60, 48.85, 2.70, 48.95})
	b.Parcel("930100000A0009", extent{2.41, 48.86, 2.411, 48.861}.WKT())
	b.wants("gpu", "null")
	sector := features(plot.Feature(`"LIBELLE":"Bourg","TYPESECT":"01","DATAPPRO":"20150302"`))
	b.Archive("gpu/93010_CC_20150302.zip", map[string]string{"93010_SECTEUR_CC_20150302.shp": sector})
	loaded(t, b.LoadSource("gpu-zones"), 1, 0)
	b.LoadSource("gpu-prescriptions")
	b.wants("gpu", `[{"zone":"Bourg","label":null,"type":"01","document":"93010_CC_20150302","validOn":"2015-03-02","regulation":null,"regulationUrl":null,"sharePct":100}]`)
	b.wantsOf("930100000A0009", "gpu", "[]")
	b.wants("gpuPrescriptions", "[]")

	national := func(commune string, place extent) string {
		return place.Feature(fmt.Sprintf(`"partition":"DU_%[1]s","idurba":"%[1]s_CC_20160101","libelle":"Village","typesect":"01","datappro":"2016-01-01"`, commune))
	}
	b.Parcel("910010000A0001", extent{2.61, 48.9, 2.611, 48.901}.WKT())
	b.Parcel("910010000A0002", extent{2.65, 48.9, 2.651, 48.901}.WKT())
	b.wantsOf("910010000A0001", "gpu", "null")
	b.Geodata("gpu/secteur_cc.gpkg", "GPKG", "secteur_cc", features(national("91001", extent{2.60, 48.89, 2.62, 48.91}), national("93010", plot)))
	loaded(t, b.LoadSource("gpu-sectors-national"), 2, 0)
	b.wants("gpu", `[{"zone":"Bourg","label":null,"type":"01","document":"93010_CC_20150302","validOn":"2015-03-02","regulation":null,"regulationUrl":null,"sharePct":100}]`)
	b.wantsOf("910010000A0001", "gpu",
		`[{"zone":"Village","label":null,"type":"01","document":"91001_CC_20160101","validOn":"2016-01-01","regulation":null,"regulationUrl":null,"sharePct":100}]`)
	b.wantsOf("910010000A0002", "gpu", "[]")

	b.Exec(`INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after)
		VALUES (32, '2019-01-01', 'COM', '91002', 'Autre', 'COM', '91001', 'Commune')`)
	b.Geodata("gpu/secteur_cc.gpkg", "GPKG", "secteur_cc", features(national("91001", extent{2.60, 48.89, 2.63, 48.91})))
	b.LoadSource("gpu-sectors-national")
	b.wantsOf("910010000A0002", "gpu", "null")
}

// An EPCI may have a plan for each of its parts: one does not take the place of
// another, but that of its own part of before.
func TestPlansOfParts(t *testing.T) {
	b := newFixture(t)
	west, east := extent{2.40, 48.85, 2.50, 48.95}, extent{2.50, 48.85, 2.60, 48.95}
	b.outline("93010", west)
	b.outline("91001", east)
	b.Parcel("910010000A0001", extent{2.51, 48.9, 2.511, 48.901}.WKT())
	for document, place := range map[string]extent{
		"200012345_PLUi_20190101_A": west, "200012345_PLUi_20210101_A": west, "200012345_PLUi_20220101_B": east} {
		b.Archive("gpu/"+document+".zip", map[string]string{"ZONE_URBA.shp": features(place.Feature(`"LIBELLE":"` + document[15:] + `","TYPEZONE":"U"`))})
	}
	b.LoadSource("gpu-zones")
	zone := `[{"zone":%q,"label":null,"type":"U","document":"200012345_PLUi_%[1]s","validOn":null,"regulation":null,"regulationUrl":null,"sharePct":100}]`
	b.wants("gpu", fmt.Sprintf(zone, "20210101_A"))
	b.wantsOf("910010000A0001", "gpu", fmt.Sprintf(zone, "20220101_B"))
}

// Where the national layer holds what an archive holds, each zone is returned once, as the archive has it.
func TestPlanZonesNational(t *testing.T) {
	b := newFixture(t)
	national := features(plot.Feature(`"partition":"DU_93010","idurba":"93010_PLU_20190101","libelle":"Uz","libelong":"Ville","typezone":"U","datvalid":"2019-01-01"`))
	b.Geodata("gpu/wfs_du_zone_urba.gpkg", "GPKG", "zone_urba", national)
	b.LoadSource("gpu-zones-national")
	b.wants("gpu", `[{"zone":"Uz","label":"Ville","type":"U","document":"93010_PLU_20190101","validOn":"2019-01-01","regulation":null,"regulationUrl":null,"sharePct":100}]`)
	half := extent{2.480, 48.900, 2.4805, 48.901} // the layer of the département, next to that of France
	b.Geodata("gpu/zone_urba_93.gpkg", "GPKG", "zone_urba", features(half.Feature(`"partition":"DU_93010","idurba":"93010_PLU_20190101","libelle":"Uz","libelong":"Ville","typezone":"U","datvalid":"2019-01-01"`)))
	b.LoadSource("gpu-zones-national")
	b.wants("gpu", `[{"zone":"Uz","label":"Ville","type":"U","document":"93010_PLU_20190101","validOn":"2019-01-01","regulation":null,"regulationUrl":null,"sharePct":100}]`)
	b.Archive(zoning, map[string]string{"ZONE_URBA.shp": features(plot.Feature(`"LIBELLE":"Ua","TYPEZONE":"U"`))})
	b.LoadSource("gpu-zones")
	b.wants("gpu", `[{"zone":"Ua","label":null,"type":"U","document":"93010_PLU_20200115","validOn":null,"regulation":null,"regulationUrl":null,"sharePct":100}]`)
}

// The prescriptions of a plan are returned with the share of the parcel that each covers, and that they are
// those drawn as areas.
func TestPlanPrescriptions(t *testing.T) {
	b := newFixture(t)
	b.wants("gpuPrescriptions", "null")
	zones := features(plot.Feature(`"LIBELLE":"Ua","TYPEZONE":"U"`))
	wood, heritage := extent{2.480, 48.900, 2.4802, 48.901}, extent{2.480, 48.900, 2.481, 48.9006}
	b.Archive(zoning, map[string]string{"ZONE_URBA.shp": zones, "93010_PRESCRIPTION_SURF_20200115.shp": features(
		wood.Feature(`"LIBELLE":"Espace boisé classé","TXT":"EBC","TYPEPSC":1,"STYPEPSC":"00"`), // 1 stands for 01
		heritage.Feature(`"LIBELLE":"Elément de paysage","TYPEPSC":7`))})
	b.LoadSource("gpu-zones")
	b.LoadSource("gpu-prescriptions")
	b.wants("gpuPrescriptions", fmt.Sprintf(`[
		{"type":"07","subtype":null,"label":"Elément de paysage","document":"93010_PLU_20200115","regulation":null,"regulationUrl":null,"sharePct":%g},
		{"type":"01","subtype":"00","label":"Espace boisé classé","document":"93010_PLU_20200115","regulation":null,"regulationUrl":null,"sharePct":%g}]`,
		heritage.On(plot), wood.On(plot)))
	if got := b.stateOf("gpuPrescriptions", square[:2]); got.State != state.Value || got.Reason != state.SurfacesOnly {
		t.Errorf("%+v; want it to say that lines and points are in no file", got)
	}
}

// A plan without prescriptions has none that are areas: that is an answer.
func TestPlanWithoutPrescriptions(t *testing.T) {
	b := newFixture(t)
	b.Archive(zoning, map[string]string{"ZONE_URBA.shp": features(plot.Feature(`"LIBELLE":"Ua","TYPEZONE":"U"`))})
	b.LoadSource("gpu-zones")
	// A customer who asks what may be built reads what the zone is, and that the rules are in the document.
	const rules = state.RulesNotRead + "those of zone Ua (urban) of the document 93010_PLU_20200115. Ask the mairie."
	if got := b.stateOf("gpu", square[:2]); got.State != state.Value || got.Reason != rules {
		t.Errorf("%+v; want it to say that the rules are not read", got)
	}
	b.wants("gpuPrescriptions", "null")
	b.LoadSource("gpu-prescriptions")
	b.wants("gpuPrescriptions", "[]")
	if got := b.stateOf("gpuPrescriptions", square[:2]); got.State != state.None || got.Reason != state.SurfacesOnly {
		t.Errorf("%+v; want it to say that lines and points are in no file", got)
	}
}
