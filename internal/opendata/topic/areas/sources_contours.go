package areas

import (
	_ "embed"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed commune_contour.sql
var communeContour string

//go:embed departement_contour.sql
var departementContour string

//go:embed region_contour.sql
var regionContour string

//go:embed commune_contour_missing.sql
var communeContourMissing string

// contourSource declares outlines of communes.
func contourSource(name, title, path, object string) source.Source {
	return source.Source{
		Name:     name,
		Group:    "contours",
		Title:    title,
		Producer: "IGN; Etalab",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/contours-administratifs",
		After:    []string{"cog-regions", "cog-departements", "cog-communes"},
		Files: []source.Files{
			{Path: path, GroupByScope: true}, {Path: `(^|/)communes-5m(-(?P<vintage>20[0-9]{2}))?\.(geo)?json(\.gz)?$`},
			{Path: `(^|/)outlines/communes\.topo\.json(\.(bz2|gz))?$`},
		},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://etalab-datasets.geo.data.gouv.fr/contours-administratifs/{year}/geojson/communes-5m.geojson.gz"},
			As:   "admin/communes-5m-{year}.geojson.gz", Bytes: 90_000_000, Rhythm: "yearly",
			Note: "One reader gives its licence as ODbL, another as Licence Ouverte.",
		}},
		Read: source.Read{Format: source.GeoJSON, Layers: []string{object}},
		Columns: []source.Column{
			{Name: "code", Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "edition", From: []string{"source"}, Template: "contours-administratifs-{vintage}"},
		},
		Geometry: &source.Geometry{From: source.Feature, Polygon: true, Bounds: withCollectivities},
	}
}

// withCollectivities are the boxes of all that the national file holds: it has the communes of the
// collectivities too, which are dropped, and the arrondissements next to their city.
var withCollectivities = append(slices.Clone(source.France),
	source.Box{West: -180, South: -30, East: -130, North: -7}, // Polynesia, Wallis-et-Futuna
	source.Box{West: -110, South: 10, East: -109, North: 11},  // Clipperton
	source.Box{West: 155, South: -27, East: 173, North: -17},  // New Caledonia
	source.Box{West: 38, South: -51, East: 79, North: -11},    // the islands of the Indian Ocean
	source.Box{West: 136, South: -90, East: 143, North: -65})  // Adélie Land

const arrondissements = "SELECT code FROM geo.commune WHERE type = 'arrondissement-municipal'"

func contourTable(name string) source.Target {
	return source.Target{Table: "geo." + name, Key: []string{"code"}}
}

// contoursCommunes declares the outlines of communes. Those of the départements and régions come from the
// same file or are built from them, so that borders agree.
func contoursCommunes() source.Source {
	s := contourSource("contours-communes", "Contours administratifs : communes, départements et régions",
		`(^|/)admin/communes-10m/communes-[0-9AB]{2,3}\.(geo)?json(\.gz)?$`, "communes|departements|regions")
	s.Columns[0].Match = `[0-9][0-9AB][0-9]{3}|[0-9]{2}|2[AB]` // of a commune, département or région
	s.Columns = append(s.Columns, source.Column{Name: "level", From: []string{"_layer"}, Template: "communes",
		Internal: true})
	s.Dedupe = source.Dedupe{Key: []string{"level", "code"}}
	s.Rows = communeContour
	s.Vintage = "max(substring(edition FROM '[0-9]{4}'))"
	s.Drop = []string{"code ~ '^(975|977|978|98)'", "code IN (" + arrondissements + ")"}
	s.Checks = source.Checks{
		Known: []source.Known{{
			Code:   "CASE level WHEN 'communes' THEN code END",
			Query:  "SELECT code FROM geo.commune WHERE type = 'commune-actuelle'",
			Reason: "'no commune of today has code ' || code",
		}},
		Queries: []string{communeContourMissing},
	}
	s.Target = contourTable("commune_contour")
	s.Derived = []source.Derived{
		{Name: "ready_departement", Query: departementContour, Target: contourTable("departement_contour")},
		{Name: "ready_region", Query: regionContour, Target: contourTable("region_contour")},
	}
	return s
}

func contoursArrondissements() source.Source {
	s := contourSource("contours-arrondissements",
		"Contours administratifs : arrondissements de Paris, Lyon et Marseille",
		`(^|/)admin/arrondissements-municipaux[^/]*\.(geo)?json(\.gz)?$`, "arrondissements")
	s.Columns = append(s.Columns, source.Column{Name: "area_km2", SQL: "ST_Area(geom::geography) / 1e6"})
	s.Dedupe = source.Dedupe{Key: []string{"code"}}
	s.Drop = []string{"code NOT IN (" + arrondissements + ")"}
	s.Checks = source.Checks{MinRows: 45, MaxRows: 45}
	s.Target = contourTable("arrondissement_contour")
	return s
}
