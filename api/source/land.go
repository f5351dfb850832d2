package source

import "slices"

// land are the sources on what the ground bears and what protects it, and the aerial photographs of it.
func land() []Source {
	return slices.Concat(fields(), []Source{wineINAO(), wineWFS(), wineMontpellier(),
		landCover("clc-2018", GeoPackage, `gpkg(\.gz)?`), landCover("clc-2018-shp", Shapefile, "(shp|zip)"),
		forests(), vegetation("bdtopo-vegetation", Shapefile), vegetation("bdtopo-vegetation-gpkg", GeoPackage)},
		protectedAreas(), []Source{aerialSurveys(), oldOrthophotos()})
}

// ign is the scope and the date in the name of a delivery of IGN: all of the mainland, a région or a département.
const ign = `_(?P<scope>FXX|FR|R[0-9]{2}|D?[0-9]{2,3}|D?0?2[AB])(-ED|_)(?P<vintage>(?P<year>[0-9]{4})-[0-9]{2}-[0-9]{2})`

// ignAreas are the départements of such a delivery, or the commune that a file is named after.
const ignAreas = `SELECT d.code FROM geo.departement d, this_load t
WHERE t.scope IN (d.code, 'D' || d.code, '0' || d.code, 'D0' || d.code, 'R' || d.region_code)
	OR t.scope IN ('FXX', 'FR', '000') AND char_length(d.code) = 2
UNION SELECT k.code FROM geo.commune k, this_load t WHERE k.code = t.scope AND k.type = 'commune-actuelle'`

// inDelivery is a file anywhere in the folder of a delivery, or the delivery's own archive or package.
func inDelivery(product, file, extension string) []Files {
	return []Files{
		{Path: `(?i)(^|/)` + product + `[^/]*` + ign + `[^/]*/(.*/)?` + file + `\.` + extension + `$`},
		{Path: `(?i)(^|/)` + product + `[^/]*` + ign + `[^/]*\.` + extension + `(\.gz)?$`},
	}
}

func landSource(name, title, producer, homepage, layer string) Source {
	return Source{
		Name: name, Group: "land", Title: title, Producer: producer, Licence: LicenceOuverte, Homepage: homepage,
		After:    []string{"cog-departements", "cog-communes"},
		Geometry: areas(),
		Checks:   Checks{MaxRefused: 0.02},
		Target:   shapeLayer(layer),
		Covers:   []Coverage{{Layer: layer, Areas: ignAreas}},
	}
}

// year is that of the edition, from the name of the file.
var year = Column{Name: "year", From: []string{}, Template: "{year}", Kind: Integer, Required: true, Internal: true}

// fields are the parcels that farmers declare. IGN packs them as 7z: they are unpacked by hand.
func fields() []Source {
	s := landSource("rpg", "Registre parcellaire graphique", "ASP; IGN", "https://geoservices.ign.fr/rpg", "")
	served := year
	served.Internal = false
	s.Columns = []Column{
		{Name: "id", SQL: "_line"}, // ID_PARCEL repeats
		{Name: "crop", From: []string{"code_cultu"}, Required: true, Match: "[0-9A-Z]{3}"},
		{Name: "crop_group", From: []string{"code_group"}, Kind: Integer},
		{Name: "area_ha", From: []string{"surf_parc"}, Kind: Number},
		served,
	}
	s.Files = inDelivery("RPG_", "(PARCELLES_GRAPHIQUES|RPG_PARCELLES)", "gpkg")
	s.Read = Read{Format: GeoPackage, Layers: []string{"parcelles_graphiques", "rpg_parcelles"}}
	s.Target = Target{Table: "geo.rpg", Key: []string{"part", "id", "piece"}, Part: true}
	s.Covers[0].Layer = "rpg"
	s.Note = "Unpacked from the 7z of IGN, in the folder of the delivery: its name tells year and extent. " +
		"Of several editions of a place the newest is served."
	return []Source{s, organic("rpg-bio", "Parcelles en agriculture biologique déclarées à la PAC", Shapefile,
		`(?i)(^|/)rpg-?bio-(?P<vintage>(?P<year>20[0-9]{2}))[^/]*\.(zip|shp)$`),
		organic("rpg-bio-categorisees", "Registre parcellaire graphique : parcelles agricoles catégorisées", GeoPackage,
			`(?i)(^|/)(rpg[_-])?parcelles[_-](agricoles[_-])?categorisees[_-](?P<vintage>(?P<year>20[0-9]{2}))[^/]*\.gpkg(\.gz)?$`)}
}

// organic are the parcels declared as organic. The number of the farm, which one of the files has, is not read.
func organic(name, title string, format Format, path string) Source {
	s := landSource(name, title, "Agence Bio; ASP", "https://www.data.gouv.fr/organizations/agence-bio", "rpg_bio")
	s.Files = []Files{{Path: path}}
	s.Read = Read{Format: format}
	if format == GeoPackage {
		s.Read.Layers = []string{"parcelles_categorisees", "rpg_parcelles_categorisees", "parcelles_agricoles_categorisees"}
	}
	s.Columns = []Column{
		rowID, year, {Name: "bio", Kind: Boolean, Internal: true}, internal("stage", "cond_bio"),
		attrs("'stage', CASE WHEN upper(stage) IN ('AB', 'C1', 'C2', 'C3') THEN upper(stage) END, 'year', year"),
	}
	// In a file of all parcels an empty cell says no; a file of organic ones lacks the column.
	s.Drop = []string{"NOT coalesce(bio, stage IS NOT NULL OR NOT EXISTS (SELECT FROM stage WHERE bio IS NOT NULL))"}
	s.Covers[0].Areas = mainland
	return s
}

// mainland is what files without a place in their name speak for: overseas has files of its own.
const mainland = `SELECT code FROM geo.departement WHERE char_length(code) = 2`

func wineINAO() Source {
	s := landSource("aoc", "Délimitation parcellaire des AOC viticoles", "INAO",
		"https://www.data.gouv.fr/datasets/delimitation-parcellaire-des-aoc-viticoles-de-linao", "aoc")
	s.Files = []Files{{Path: `(?i)(^|/)(` + day + `[-_])?[^/]*delim[^/]*parcellaire[^/]*aoc[^/]*\.(zip|shp)$`}}
	s.Read = Read{Format: Shapefile}
	s.Columns = []Column{rowID, internal("appellation", "app"), {Name: "denom", Internal: true, Required: true},
		attrs("'appellation', appellation, 'denominations', jsonb_build_array(denom)")}
	s.Covers[0].Areas = mainland
	return s
}

// wineWFS is the copy that IGN serves: it joins the names of all denominations of a parcel by commas, and lacks the
// appellations.
func wineWFS() Source {
	s := landSource("aoc-ign", "AOC viticoles (couche nationale de diffusion)", "INAO; IGN", "https://geoservices.ign.fr", "aoc")
	s.Files = []Files{{Path: `(?i)(^|/)aoc[_-]viticoles([_-]` + day + `)?\.(geo)?json(\.gz)?$`}}
	s.Read = Read{Format: GeoJSON}
	s.Columns = []Column{rowID, {Name: "denom", Internal: true, Required: true},
		attrs("'denominations', to_jsonb(array_remove(regexp_split_to_array(trim(denom), '\\s*,\\s*'), ''))")}
	s.Geometry = areasInDegrees()
	s.Covers[0].Areas = mainland
	s.Note = "What the file of INAO holds as well is told as that file has it."
	return s
}

// wineMontpellier is a town's extract. It names no appellation, and speaks for the town alone.
func wineMontpellier() Source {
	s := landSource("aoc-montpellier", "Montpellier : aires d'appellation viticole", "Ville de Montpellier; INAO",
		"https://data.montpellier3m.fr", "aoc")
	s.Files = []Files{{Path: `(?i)(^|/)(montpellier/aoc|VilleMTP_MTP_AOC)\.(geo)?json$`}}
	s.Read = Read{Format: GeoJSON}
	s.Columns = []Column{rowID, internal("appellation", "NOM"), attrs("'appellation', appellation")}
	s.Geometry = areasInDegrees()
	s.Geometry.MetricSRID = lambert93
	s.Covers[0].Areas = `SELECT '34172'`
	return s
}

func landCover(name string, format Format, extension string) Source {
	s := landSource(name, "Corine Land Cover 2018", "SDES; Copernicus", "https://www.data.gouv.fr/datasets/corine-land-cover", "land_cover")
	s.Files = []Files{{Path: `(?i)(^|/)CLC18_(?P<scope>FR|D?97[1-6])[^/]*\.` + extension + `$`}}
	s.Read = Read{Format: format, Member: `(?i)CLC18[^/]*\.(shp|gpkg)$`, Layers: []string{"clc18_fr", "clc18"}}
	s.Columns = []Column{rowID,
		{Name: "code", From: []string{"CODE_18"}, Internal: true, Required: true, Match: "[1-5][0-9]{2,4}"},
		attrs("'code', code, 'year', 2018")}
	return s
}

func forests() Source {
	s := landSource("bdforet", "BD Forêt version 2", "IGN", "https://geoservices.ign.fr/bdforet", "forest")
	s.Files = inDelivery("BDFORET_", "FORMATION_VEGETALE", "shp")
	s.Files[1].Path = `(?i)(^|/)BDFORET_[^/]*` + ign + `[^/]*\.zip$`
	s.Read = Read{Format: Shapefile, Member: `(?i)FORMATION_VEGETALE\.shp$`}
	s.Columns = []Column{rowID, year, internal("code", "CODE_TFV"), internal("label", "TFV"), internal("species", "ESSENCE"),
		attrs("'code', code, 'label', label, 'species', species, 'year', year")}
	s.Note = "Unpacked from the 7z of IGN, in the folder of the delivery, or as a zip under its name."
	return s
}

func vegetation(name string, format Format) Source {
	s := landSource(name, "BD TOPO : zones de végétation", "IGN", "https://geoservices.ign.fr/bdtopo", "vegetation")
	s.Read = Read{Format: format, Layers: []string{"zone_de_vegetation"}}
	s.Files = inDelivery("BD(TOPO|T)_", "(BDT_[^/]*|zone_de_vegetation)", "gpkg")
	if format == Shapefile {
		s.Files = append(inDelivery("BDTOPO_", "ZONE_DE_VEGETATION", "shp")[:1],
			Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + ign + `[^/]*\.zip$`},
			Files{Path: `(?i)(^|/)BDTOPO_[0-9]_(?P<scope>[0-9][0-9AB][0-9]{3})\.zip$`}) // the extract of a commune
		s.Read = Read{Format: format, Member: `(?i)ZONE_DE_VEGETATION\.shp$`}
	}
	s.Columns = []Column{
		{Name: "id", From: []string{"ID", "cleabs"}, Required: true},
		{Name: "nature", Internal: true, Required: true},
		attrs("'nature', nature")}
	s.Dedupe = Dedupe{Key: []string{"id"}}
	return s
}
