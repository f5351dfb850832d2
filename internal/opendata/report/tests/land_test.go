package report_test

import (
	"fmt"
	"testing"

	"arpent/app/dev/reportkit"
)

// The fields that farmers declared: identifiers that repeat, column names in both letter cases, a code that
// is not in our table, and two editions of which the newer is served.
func TestFields(t *testing.T) {
	b := newFixture(t)
	b.wants("rpg", "null")
	meadow, wheat, odd := extent{2.470, 48.890, 2.4805, 48.910}, extent{2.4805, 48.890, 2.4808, 48.910}, extent{2.4808, 48.890, 2.490, 48.910}
	b.Geodata("rpg/RPG_2-0__GPKG_LAMB93_R11_2022-01-01/1_DONNEES/PARCELLES_GRAPHIQUES.gpkg", "GPKG", "parcelles_graphiques",
		features(plot.Feature(`"ID_PARCEL":"1","SURF_PARC":1.0,"CODE_CULTU":"MIS","CODE_GROUP":"2"`)), "-t_srs", "EPSG:2154")
	b.Geodata("rpg/RPG_3-0__GPKG_LAMB93_R11_2024-01-01/1_DONNEES/RPG_Parcelles.gpkg", "GPKG", "rpg_parcelles", features(
		meadow.Feature(`"id_parcel":"9","surf_parc":12.345,"code_cultu":"PPH","code_group":"18","cat_cult_p":"PP"`),
		wheat.Feature(`"id_parcel":"9","surf_parc":2.5,"code_cultu":"BTH","code_group":"1","cat_cult_p":"TA"`),
		odd.Feature(`"id_parcel":"8","surf_parc":null,"code_cultu":"QQQ","code_group":"28"`)), "-t_srs", "EPSG:2154")
	loaded(t, b.LoadSource("rpg"), 3, 0)
	b.wants("rpg", fmt.Sprintf(`[
		{"cropCode":"PPH","crop":"Prairie permanente","groupCode":"18","group":"Prairies permanentes","areaHa":12.35,"year":2024,"sharePct":%g},
		{"cropCode":"BTH","crop":"Blé tendre d'hiver","groupCode":"1","group":"Blé tendre","areaHa":2.5,"year":2024,"sharePct":%g},
		{"cropCode":"QQQ","crop":null,"groupCode":"28","group":"Divers","areaHa":null,"year":2024,"sharePct":%g}]`,
		meadow.On(plot), wheat.On(plot), odd.On(plot)))
	b.CoverageIs("rpg", "75", "91", "93")
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "rpg", "[]")
}

// Of the edition of a région and an older one of the mainland, which both hold the place, only the newer is
// returned: an old crop is not listed next to the new one, nor where nothing is declared any more.
func TestFieldsOfTwoExtents(t *testing.T) {
	b := newFixture(t)
	field := func(place extent, crop string) string {
		return features(place.Feature(`"id_parcel":"1","surf_parc":1,"code_cultu":"` + crop + `","code_group":"1"`))
	}
	b.Geodata("RPG_2-0__GPKG_LAMB93_FXX_2022-01-01/PARCELLES_GRAPHIQUES.gpkg", "GPKG", "parcelles_graphiques", field(plot, "MIS"))
	b.Geodata("RPG_3-0__GPKG_LAMB93_R11_2024-01-01/RPG_Parcelles.gpkg", "GPKG", "rpg_parcelles", field(extent{2.6, 48.9, 2.7, 49}, "BTH"))
	b.LoadSource("rpg")
	b.wants("rpg", "[]")
	b.Parcel("2A2470000A0001", squareWKT) // in another région
	b.wantsOf("2A2470000A0001", "rpg", `[{"cropCode":"MIS","crop":"Maïs","groupCode":"1","group":"Blé tendre","areaHa":1,"year":2022,"sharePct":100}]`)
}

// A field of many vertices is stored in parts, and returned once.
func TestFieldInPieces(t *testing.T) {
	b := newFixture(t)
	ring := "[2.47,48.89]"
	for i := range 400 {
		ring += fmt.Sprintf(",[%.5f,%.5f]", 2.47+float64(i)*0.00005, 48.8901+0.0001*float64(i%2))
	}
	ring += ",[2.49,48.89],[2.49,48.91],[2.47,48.91],[2.47,48.89]"
	b.Geodata("RPG_3-0__GPKG_LAMB93_FXX_2024-01-01/RPG_Parcelles.gpkg", "GPKG", "rpg_parcelles",
		features(reportkit.PolygonFeature(`"id_parcel":"1","surf_parc":3,"code_cultu":"VRC","code_group":"21"`, "["+ring+"]")))
	b.LoadSource("rpg")
	var parts int
	if err := b.DB.QueryRow(t.Context(), "SELECT count(*) FROM geo.rpg").Scan(&parts); err != nil || parts < 2 {
		t.Fatalf("%d parts, %v", parts, err)
	}
	b.wants("rpg", `[{"cropCode":"VRC","crop":"Vigne","groupCode":"21","group":"Vignes","areaHa":3,"year":2024,"sharePct":100}]`)
}

// Certified or in conversion; the number of the farm stays out of the database.
func TestOrganic(t *testing.T) {
	b := newFixture(t)
	b.wants("rpgBio", "null")
	ab, c1 := extent{2.470, 48.890, 2.4802, 48.910}, extent{2.4802, 48.890, 2.4808, 48.910}
	farm := `,"pacage":"093000001"`
	b.Geodata("bio/parcelles_agricoles_categorisees_2024.gpkg", "GPKG", "parcelles_categorisees", features(
		ab.Feature(`"code_cultu":"PPH","bio":1,"cond_bio":"AB"`+farm), c1.Feature(`"code_cultu":"PPH","bio":1,"cond_bio":"C1"`+farm),
		extent{2.4808, 48.89, 2.49, 48.91}.Feature(`"code_cultu":"BTH","bio":0,"cond_bio":null`+farm),
		plot.Feature(`"code_cultu":"BTH","bio":null,"cond_bio":null`+farm)), "-t_srs", "EPSG:2154") // an empty cell is no yes
	loaded(t, b.LoadSource("rpg-bio-categorisees"), 2, 0)
	b.wants("rpgBio", fmt.Sprintf(`{"certified":false,"stage":"C1","year":2024,"sharePct":%g}`, c1.On(plot)))
	var farms int
	if err := b.DB.QueryRow(t.Context(), "SELECT count(*) FROM geo.enrich_rpg_bio WHERE attrs::text LIKE '%093000001%'").Scan(&farms); err != nil || farms > 0 {
		t.Errorf("%d rows name a farm, %v", farms, err)
	}
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "rpgBio", "null")
}

// The file of the Agence Bio holds organic parcels only, and does not give their stage.
func TestOrganicWithoutStage(t *testing.T) {
	b := newFixture(t)
	b.Archive("rpg-bio-2022-national.shp.zip", map[string]string{"rpg-bio-2022.shp": features(plot.Feature(`"CODE_CULTU":"PPH"`))})
	b.LoadSource("rpg-bio")
	b.wants("rpgBio", `{"certified":null,"stage":null,"year":2022,"sharePct":100}`)
}

// The appellation and the denomination of an area are returned with its share of the parcel.
func TestWineAreas(t *testing.T) {
	b := newFixture(t)
	b.wants("aoc", "null")
	half := extent{2.480, 48.900, 2.4805, 48.901}
	b.Archive("2024-07-01-delim-parcellaire-aoc-shp.zip", map[string]string{"delim.shp": features(
		half.Feature(`"app":"Coteaux","denom":"Languedoc","id_app":1,"id_denom":2,"type_denom":"x","crinao":"y"`))})
	b.LoadSource("aoc")
	b.wants("aoc", `[{"appellation":"Coteaux","denomination":"Languedoc","sharePct":50}]`)
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "aoc", "[]")
}

// The class under most of the parcel is returned, with its name.
func TestLandCover(t *testing.T) {
	b := newFixture(t)
	b.wants("clc", "null")
	town, field := extent{2.470, 48.890, 2.4803, 48.910}, extent{2.4803, 48.890, 2.490, 48.910}
	b.Geodata("CLC18_FR.gpkg", "GPKG", "clc18_fr", features(
		town.Feature(`"ID":"FR-1","CODE_18":"112","AREA_HA":25`), field.Feature(`"ID":"FR-2","CODE_18":"211","AREA_HA":250`)), "-t_srs", "EPSG:2154")
	b.LoadSource("clc-2018")
	b.wants("clc", fmt.Sprintf(`{"code":"211","label":"Terres arables hors périmètres d'irrigation","year":2018,"sharePct":%g}`, field.On(plot)))
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "clc", "null")
	b.CoverageIs("land_cover", "2A", "34", "75", "91", "93")
}

// A share of a wood is returned as such; where no wood is drawn there is none.
func TestForest(t *testing.T) {
	b := newFixture(t)
	b.wants("bdforet", "null")
	oak := extent{2.480, 48.900, 2.4804, 48.901}
	b.Archive("BDFORET_2-0__SHP_LAMB93_D093_2014-04-01.zip", map[string]string{"FORMATION_VEGETALE.shp": features(
		oak.Feature(`"ID":"1","CODE_TFV":"FF1-00","TFV":"Forêt fermée à mélange de feuillus","TFV_G11":"x","ESSENCE":"Feuillus"`))})
	b.LoadSource("bdforet")
	b.wants("bdforet", fmt.Sprintf(`{"code":"FF1-00","label":"Forêt fermée à mélange de feuillus","species":"Feuillus","year":2014,"sharePct":%g}`, oak.On(plot)))
	b.CoverageIs("forest", "93")
	b.Archive("BDFORET_2-0__SHP_LAMB93_R11_2014-01-01.zip", map[string]string{"FORMATION_VEGETALE.shp": features(
		oak.Feature(`"ID":"1","CODE_TFV":"FF1-00","TFV":"Forêt fermée à mélange de feuillus","TFV_G11":"x","ESSENCE":"Feuillus"`))})
	b.LoadSource("bdforet") // the same wood again
	b.wants("bdforet", fmt.Sprintf(`{"code":"FF1-00","label":"Forêt fermée à mélange de feuillus","species":"Feuillus","year":2014,"sharePct":%g}`, oak.On(plot)))
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "bdforet", "null")
}

// A hedge in a wood counts for both; areas are those of arithmetic on the ellipsoid.
func TestVegetation(t *testing.T) {
	b := newFixture(t)
	b.wants("zonesVegetation", "null")
	hedge1, hedge2 := extent{2.4801, 48.9001, 2.4802, 48.9009}, extent{2.4809, 48.9001, 2.4810, 48.9009}
	b.Archive("bdtopo/BDTOPO_3_93010.zip", map[string]string{"ZONE_DE_VEGETATION.shp": features(
		plot.Feature(`"ID":"ZONEVEGE1","NATURE":"Bois","ID_2":"x"`), hedge1.Feature(`"ID":"ZONEVEGE2","NATURE":"Haie"`),
		hedge2.Feature(`"ID":"ZONEVEGE3","NATURE":"Haie"`))})
	b.LoadSource("bdtopo-vegetation")
	wood := boxArea(plot.Edges())
	hedges := 2 * boxArea(hedge1.Edges())
	b.wants("zonesVegetation", fmt.Sprintf(`[{"nature":"Bois","areaM2":%.0f,"sharePct":100},{"nature":"Haie","areaM2":%.0f,"sharePct":%g}]`,
		wood, hedges, 2*hedge1.On(plot)))
	b.CoverageIs("vegetation", "93010")
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "zonesVegetation", "[]")
	b.Parcel("751180000A0001", squareWKT)
	b.wantsOf("751180000A0001", "zonesVegetation", "null")
}

// What two deliveries hold is counted once: a delivery holds all that reaches into its département, and the
// extract of a commune what the département has as well.
func TestVegetationOnce(t *testing.T) {
	b := newFixture(t)
	wood := features(plot.Feature(`"ID":"ZONEVEGE1","NATURE":"Bois"`))
	want := fmt.Sprintf(`[{"nature":"Bois","areaM2":%.0f,"sharePct":100}]`, boxArea(plot.Edges()))
	for _, delivery := range []string{"BDTOPO_3_93010", "BDTOPO_3-3_SHP_LAMB93_D075-ED2024-03-15", "BDTOPO_3-3_SHP_LAMB93_D093-ED2023-09-15"} {
		b.Archive(delivery+".zip", map[string]string{"ZONE_DE_VEGETATION.shp": wood})
		b.LoadSource("bdtopo-vegetation")
		b.wants("zonesVegetation", want)
	}
	b.Archive("BDTOPO_3-3_SHP_LAMB93_R11-ED2024-09-15.zip", map[string]string{"ZONE_DE_VEGETATION.shp": features(
		extent{2.4805, 48.9, 2.481, 48.901}.Feature(`"ID":"ZONEVEGE1","NATURE":"Bois"`))})
	b.LoadSource("bdtopo-vegetation") // the newest: half of the wood has gone
	b.wants("zonesVegetation", fmt.Sprintf(`[{"nature":"Bois","areaM2":%.0f,"sharePct":50}]`, boxArea(2.4805, 48.900, 2.481, 48.901)))
}

// What reaches over from the file of the next département says nothing of a place whose own is not loaded.
func TestOldImageryNextDoor(t *testing.T) {
	b := newFixture(t)
	b.Load("pva", "pva-75.geojson", features(plot.Feature(`"dataset_identifier":"A","date_mission":"1950-06-01"`)))
	b.Load("ortho-1950", "ortho-1950-93.geojson", features(extent{2.6, 48.9, 2.7, 49}.Feature(`"x":1`)))
	b.wants("old", "null")
	b.Load("ortho-1950", "ortho-1950-93.geojson", features(plot.Feature(`"x":1`)))
	b.wants("old", `{"missions":null,"firstYear":null,"lastYear":null,"years":null,"orthophoto1950":true}`)
}

// The footprints of flights and of the old orthophoto are loaded
// apart: what is not loaded is null, not false.
func TestOldImagery(t *testing.T) {
	b := newFixture(t)
	b.wants("old", "null")
	b.Load("pva", "pva_dataset.geojson", features(
		plot.Feature(`"dataset_identifier":"A","date_mission":"1950-06-01","couleur":"P"`),
		extent{2.4809, 48.9, 2.6, 49}.Feature(`"dataset_identifier":"B","date_mission":"1998","couleur":"IR"`),
		plot.Feature(`"dataset_identifier":"C","date_mission":"01/07/1950","couleur":"P"`),
		extent{2.6, 48.9, 2.7, 49}.Feature(`"dataset_identifier":"D","date_mission":"1919-01-01"`)))
	b.wants("old", `{"missions":3,"firstYear":1950,"lastYear":1998,"years":[1950,1998],"orthophoto1950":null}`)
	b.Load("ortho-1950", "ortho-1950-91.geojson", features(plot.Feature(`"x":1`)))
	b.wants("old", `{"missions":3,"firstYear":1950,"lastYear":1998,"years":[1950,1998],"orthophoto1950":null}`)
	b.Load("ortho-1950", "ortho-1950-93.geojson", features(plot.Feature(`"x":1`)))
	b.wants("old", `{"missions":3,"firstYear":1950,"lastYear":1998,"years":[1950,1998],"orthophoto1950":true}`)
	b.Parcel("930100000A0002", extent{2.65, 48.95, 2.651, 48.951}.WKT())
	b.wantsOf("930100000A0002", "old", `{"firstYear":1919,"lastYear":1919,"missions":1,"orthophoto1950":false,"years":[1919]}`)
	b.Parcel("930100000A0003", extent{3.65, 48.95, 3.651, 48.951}.WKT())
	b.wantsOf("930100000A0003", "old", "null")
}
