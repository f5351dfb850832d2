// Package land declares the data on land use, protected areas, relief and historic aerial photographs.
package land

import (
	_ "embed"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed tables.sql
var tables string

// Sources returns the sources on land use and protected areas, and the aerial photographs.
func Sources() []source.Source {
	return slices.Concat(fieldSources(), []source.Source{wineAreas(), landCover(), forestSource(),
		vegetationSource()}, protectedAreas())
}

// landSource is what the sources of areas have in common.
func landSource(name, title, producer, homepage, layer string) source.Source {
	return source.Source{
		Name: name, Group: "land", Title: title, Producer: producer, Licence: source.LicenceOuverte,
		Homepage: homepage,
		After:    []string{"cog-departements", "cog-communes"},
		Geometry: source.Shapes(),
		Checks:   source.Checks{MaxRefused: 0.02},
		Target:   source.ShapeLayer(layer),
		Covers:   []source.Coverage{{Layer: layer, Areas: source.IGNAreas}},
	}
}

// yearColumn is the year of the edition, from the name of the file.
var yearColumn = source.Column{Name: "year", From: []string{}, Template: "{year}", Kind: source.Integer,
	Required: true, Internal: true}

// fieldSources declares the parcels declared by farmers.
func fieldSources() []source.Source {
	s := landSource("rpg", "Registre parcellaire graphique", "ASP; IGN", "https://geoservices.ign.fr/rpg", "")
	s.Origins = parcelOrigins
	served := yearColumn
	served.Internal = false
	s.Columns = []source.Column{
		{Name: "id", SQL: "_line"}, // ID_PARCEL is not unique
		{Name: "crop", From: []string{"code_cultu"}, Required: true, Match: "[0-9A-Z]{3}"},
		{Name: "crop_group", From: []string{"code_group"}, Kind: source.Integer},
		{Name: "area_ha", From: []string{"surf_parc"}, Kind: source.Number},
		served,
	}
	s.Files = source.InDelivery("RPG_", "(PARCELLES_GRAPHIQUES|RPG_PARCELLES)", "gpkg")
	// NR: the group is not given.
	s.Read = source.Read{Format: source.GeoPackage, Layers: []string{"parcelles_graphiques", "rpg_parcelles"},
		Nulls: []string{"NR"}}
	s.Target = source.Target{Table: "geo.rpg", Key: []string{"part", "id", "piece"}, Part: true, Create: tables}
	s.Covers[0].Layer = "rpg"
	s.Note = "The 7z of IGN, or what is in it in the folder of the delivery: its name has year and extent. " +
		"Of several editions of a place the newest is served."
	return []source.Source{s, organicSource("rpg-bio", "Parcelles en agriculture biologique déclarées à la PAC",
		source.Shapefile, `(?i)(^|/)rpg-?bio-(?P<vintage>(?P<year>20[0-9]{2}))[^/]*\.(zip|shp)$`),
		organicSource("rpg-bio-categorisees", "Registre parcellaire graphique : parcelles agricoles catégorisées",
			source.GeoPackage,
			`(?i)(^|/)(rpg[_-])?parcelles[_-](agricoles[_-])?categorisees[_-](?P<vintage>(?P<year>20[0-9]{2}))[^/]*\.gpkg(\.gz)?$`)}
}

// organicSource declares the parcels declared as organic: files of them alone, and one of all parcels that
// says of each whether it is. The number of the farm, which one of the files has, is not read.
func organicSource(name, title string, format source.Format, path string) source.Source {
	s := landSource(name, title, "Agence Bio; ASP", "https://www.data.gouv.fr/organizations/agence-bio",
		"rpg_bio")
	s.Files = []source.Files{{Path: path}}
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "parcelles-en-agriculture-biologique-ab-declarees-a-la-pac",
			File: `(?i)^rpg-bio-20[0-9]{2}(-national)?(\.shp)?\.zip$`},
		Rhythm: "yearly",
		Note:   "Shapefiles; editions in other formats are not read.",
	}}
	s.Read = source.Read{Format: format}
	// In a file of all parcels an empty cell means no; a file of organic ones lacks the column.
	of := "NOT EXISTS (SELECT FROM stage WHERE bio IS NOT NULL)"
	if format == source.GeoPackage {
		of = "named ~* 'rpg_bio'"
		s.Origins = parcelOrigins
		s.Files = append(s.Files, source.InDelivery("RPG_", "RPG_BIO", "gpkg")[0],
			source.Files{Path: `(?i)(^|/)RPG_([^/]*_)?GPKG_[^/]*` + source.IGNDelivery + `[^/]*\.7z(\.001)?$`})
		s.Read.Layers = []string{"parcelles_categorisees", "rpg_parcelles_categorisees",
			"parcelles_agricoles_categorisees", "rpg_bio"}
	}
	s.Columns = []source.Column{
		source.RowID, yearColumn, source.Internal("bio"), source.Internal("stage", "cond_bio"),
		source.Internal("named", "_layer"),
		source.Attrs("'stage', CASE WHEN upper(stage) IN ('AB', 'C1', 'C2', 'C3') THEN upper(stage) END, 'year', year"),
	}
	s.Drop = []string{"NOT coalesce(bio !~* '^(0|n|f)', stage IS NOT NULL OR " + of + ")"}
	s.Covers[0].Areas = deliveryOrMainland
	return s
}

// mainland is the area of files without a place in their name: overseas has files of its own.
const mainland = `SELECT code FROM geo.departement WHERE char_length(code) = 2`

// deliveryOrMainland is the area in the name of the file, else the mainland.
const deliveryOrMainland = source.IGNAreas + `
UNION SELECT d.code FROM geo.departement d, this_load t WHERE t.scope = '' AND char_length(d.code) = 2`

func wineAreas() source.Source {
	s := landSource("aoc", "Délimitation parcellaire des AOC viticoles", "INAO",
		"https://www.data.gouv.fr/datasets/delimitation-parcellaire-des-aoc-viticoles-de-linao", "aoc")
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "delimitation-parcellaire-des-aoc-viticoles-de-linao",
			File: `(?i)delim-parcellaire-aoc-shp\.zip$`},
		Rhythm: "irregularly",
		Note:   "Several editions a year.",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)(` + source.FileDay +
		`[-_])?[^/]*delim[^/]*parcellaire[^/]*aoc[^/]*\.(zip|shp)$`}}
	s.Read = source.Read{Format: source.Shapefile}
	s.Columns = []source.Column{source.RowID, source.Internal("appellation", "app"),
		{Name: "denom", Internal: true, Required: true},
		source.Attrs("'appellation', appellation, 'denominations', jsonb_build_array(denom)")}
	s.Covers[0].Areas = mainland
	return s
}

func landCover() source.Source {
	s := landSource("clc-2018", "Corine Land Cover 2018", "SDES; Copernicus",
		"https://www.data.gouv.fr/datasets/corine-land-cover-edition-2018-france-metropolitaine", "land_cover")
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "corine-land-cover-edition-2018-france-metropolitaine", File: `(?i)gpkg`},
		As:   "CLC18_FR.gpkg", Rhythm: "once", Derived: true,
	}}
	s.Files = []source.Files{
		{Path: `(?i)(^|/)CLC18_(?P<scope>FR|D?97[1-6])[^/]*\.gpkg(\.gz)?$`},
		{Path: `(?i)(^|/)CLC_2018\.gpkg(\.gz)?$`},
	}
	s.Read = source.Read{Format: source.GeoPackage, Layers: []string{"clc18_fr", "clc18", "clc.*"}}
	s.Covers[0].Areas = deliveryOrMainland
	s.Columns = []source.Column{source.RowID,
		{Name: "code", From: []string{"CODE_18"}, Internal: true, Required: true, Match: "[1-5][0-9]{2,4}"},
		source.Attrs("'code', code, 'year', 2018")}
	return s
}

func forestSource() source.Source {
	s := landSource("bdforet", "BD Forêt version 2", "IGN", "https://geoservices.ign.fr/bdforet", "forest")
	s.Origins = []fetch.Origin{{
		From: producer.Geoplateforme{Product: "BDFORET", Format: "SHP", Edition: `^BDFORET_2-0_`},
		Area: fetch.Departement, Rhythm: "once",
		Note: "Each département has an edition of its own, of 2014 to 2017.",
	}}
	s.Files = source.InDelivery("BDFORET_", "FORMATION_VEGETALE", "shp")
	s.Files[1].Path = `(?i)(^|/)BDFORET_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`
	s.Read = source.Read{Format: source.Shapefile, Member: `(?i)FORMATION_VEGETALE\.shp$`}
	s.Columns = []source.Column{source.RowID, yearColumn, source.Internal("code", "CODE_TFV"),
		source.Internal("label", "TFV"), source.Internal("species", "ESSENCE"),
		source.Attrs("'code', code, 'label', label, 'species', species, 'year', year")}
	s.Note = "The 7z of IGN or a zip under its name, or what is in it in the folder of the delivery."
	return s
}

func vegetationSource() source.Source {
	s := landSource("bdtopo-vegetation", "BD TOPO : zones de végétation", "IGN",
		"https://geoservices.ign.fr/bdtopo", "vegetation")
	s.Origins = source.BDTopo
	s.Files = append(source.InDelivery("BDTOPO_", "ZONE_DE_VEGETATION", "shp")[:1],
		source.BDTopoArchive, source.Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`},
		// the extract of a commune
		source.Files{Path: `(?i)(^|/)BDTOPO_[0-9]_(?P<scope>[0-9][0-9AB][0-9]{3})\.zip$`})
	s.Read = source.Read{Format: source.Shapefile, Member: `(?i)ZONE_DE_VEGETATION\.shp$`}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"ID"}, Required: true},
		{Name: "nature", Internal: true, Required: true},
		source.Attrs("'nature', nature")}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	return s
}

// CommuneGeography is the kind of fact for the elevation of a commune and
// its distance to the coast and the mountains.
const CommuneGeography = "geography"

// GeographySources returns the data on the elevation of communes and their distance to coast and mountains.
func GeographySources() []source.Source { return []source.Source{communeGeography()} }

// communeGeography declares a CSV that the operator computes, because rasters are too slow for 35 000
// communes each time the statistics are rendered: a national elevation model has 900 million cells.
func communeGeography() source.Source {
	return source.Source{
		Name: "commune-geography", Group: "stats", Title: "Elevation of communes, distance to coast and mountains",
		Producer: "operator of the service", Licence: source.OfOperator,
		After:   []string{"cog-communes"},
		Files:   []source.Files{{Path: `(?i)(^|/)commune[-_]geography[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins: source.OwnFormat,
		Read:    source.Read{Format: source.CSV, Separator: ";"},
		Columns: append(source.OwnColumns(CommuneGeography),
			source.Column{Name: "period", SQL: "coalesce(year, '')"},
			source.Column{Name: "year", Internal: true, Match: `(19|20)[0-9]{2}`},
			source.Column{Name: "method", Internal: true},
			source.Column{Name: "mean", From: []string{"elevation_mean_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "low", From: []string{"elevation_min_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "high", From: []string{"elevation_max_m"}, Kind: source.Number, Internal: true},
			source.Column{Name: "coast", From: []string{"coast_km"}, Kind: source.Number, Internal: true},
			source.Column{Name: "coastal", Kind: source.Boolean, Internal: true},
			source.Column{Name: "mountain", From: []string{"mountain_km"}, Kind: source.Number, Internal: true},
			source.Column{Name: "massif", Internal: true},
			source.Column{Name: "classified", From: []string{"mountain_classified"}, Kind: source.Boolean,
				Internal: true},
			source.Attrs(`'elevationMeanM', mean, 'elevationMinM', low, 'elevationMaxM', high, 'distanceToCoastKm', coast, 'coastal', coastal,
				'distanceToMountainKm', mountain, 'massif', massif, 'mountainClassified', classified, 'method', method`)),
		Drop: []string{"num_nonnulls(mean, low, high, coast, coastal, mountain, massif, classified) = 0"},
		Reject: []source.Rule{
			source.NotOfToday,
			{When: "low > mean OR mean > high OR low > high",
				Reason: "'its lowest, mean and highest elevation are not in this order'"},
			{When: "low < -50 OR high > 5000 OR mean NOT BETWEEN -50 AND 5000",
				Reason: "'its elevation is not in metres'"},
			{When: "least(coast, mountain) < 0 OR greatest(coast, mountain) > 1500",
				Reason: "'its distance is not in kilometres'"},
		},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Target: source.FactTarget,
		Note: "A format of ours: commune-geography.csv, separated by semicolons, with the columns commune (INSEE code of today), elevation_mean_m, " +
			"elevation_min_m, elevation_max_m, coast_km, coastal (law on the coast: 0 or 1), mountain_km, massif, mountain_classified (law on " +
			"mountains: 0 or 1), method (how it was computed) and year. All but the first may be empty.",
	}
}

// ImagerySources returns the data sets on historic aerial photographs, in loading order.
func ImagerySources() []source.Source { return []source.Source{aerialSurveys(), oldOrthophotos()} }

// aerialSurveys declares the footprints of IGN's flights since 1919.
func aerialSurveys() source.Source {
	s := footprintSource("pva", "Prises de vues aériennes : missions", "IGN", "https://remonterletemps.ign.fr")
	s.Files = []source.Files{{Path: `(?i)(^|/)pva[_:.-]?(dataset)?([_-](?P<scope>[0-9AB]{2,3}))?([_.-]` +
		source.FileDay + `)?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Origins = []fetch.Origin{{
		From: producer.WFS{Endpoint: "https://data.geopf.fr/wfs", Layer: "pva:dataset", Sort: "date_mission"},
		As:   "pva_dataset.geojson", Rhythm: "irregularly",
	}}
	s.Columns = []source.Column{source.RowID,
		{Name: "mission", From: []string{"dataset_identifier"}, Internal: true, Required: true},
		{Name: "flown", From: []string{"date_mission"}, Internal: true, Required: true,
			Match: `.*(19|20)[0-9]{2}.*`},
		source.Attrs("'mission', mission, 'year', substring(flown FROM '((?:19|20)[0-9]{2})')::integer")}
	s.Covers = source.Covers("aerial_survey")
	s.Note = "The layer pva:dataset as GeoJSON, in degrees."
	return s
}

// oldOrthophotos declares the footprints of the orthophoto of 1950 to 1965, in a format of ours.
func oldOrthophotos() source.Source {
	s := footprintSource("ortho-1950", "BD ORTHO historique 1950-1965 : emprise", "IGN",
		"https://geoservices.ign.fr/bdorthohisto")
	s.Files = []source.Files{{Path: `(?i)(^|/)ortho-1950(-(?P<scope>[0-9AB]{2,3}))?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Origins = source.NotFetched("A format of ours, with no file of a producer: ortho-1950.geojson or ortho-1950-<département>.geojson, areas that the images show.")
	s.Columns = []source.Column{source.RowID, source.Attrs("'orthophoto', '1950'")}
	s.Covers = source.Covers("orthophoto_1950")
	s.Note = "A format of ours: ortho-1950.geojson or ortho-1950-<département>.geojson, polygons of what the images show, in degrees."
	return s
}

func footprintSource(name, title, producer, homepage string) source.Source {
	return source.Source{
		Name: name, Group: "land", Title: title, Producer: producer, Licence: source.LicenceOuverte,
		Homepage: homepage,
		After:    []string{"cog-departements", "cog-communes"},
		Geometry: source.ShapesInDegrees(),
		Checks:   source.Checks{MaxRefused: 0.02},
		Target:   source.ShapeLayer("aerial_survey"),
	}
}

// geoplateforme is IGN's service of layers.
const geoplateforme = "https://data.geopf.fr/wfs/ows"

// parcelOrigins is one archive, in volumes, of the parcels and of those of them that are organic.
var parcelOrigins = []fetch.Origin{{
	From: producer.Geoplateforme{Product: "RPG", Format: "GPKG", Edition: `_FXX_`}, Rhythm: "yearly",
	Note: "The mainland with Corsica. Five volumes in 2026; unpacked it has some 40 GB, of which 7 GB are read.",
}}
