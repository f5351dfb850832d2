package water

import (
	_ "embed"
	"fmt"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed tables.sql
var tables string

// gridSource declares a source of raster tiles. Values outside the range are null.
func gridSource(name, title, producer, homepage, layer string, minValue, maxValue float64) source.Source {
	s := waterSource(name, title, producer, homepage)
	s.After = append(s.After, "contours-communes")
	s.Read = source.Read{Format: source.Raster}
	number := func(name string, kind source.Kind) source.Column {
		return source.Column{Name: name, Kind: kind, Required: true}
	}
	s.Columns = []source.Column{
		{Name: "id", Required: true},
		{Name: "layer", SQL: "'" + layer + "'"},
		number("srid", source.Integer),
		number("west", source.Number), number("north", source.Number), number("cell_x", source.Number),
		number("cell_y", source.Number),
		// A cell size below 0.05 is in degrees.
		{Name: "cell_m", SQL: "round((CASE WHEN cell_y < 0.05 THEN cell_y * 111195 ELSE cell_y END)::numeric, 1)::double precision"},
		number("width", source.Integer), number("height", source.Integer),
		{Name: "raw", From: []string{"cells"}, Kind: source.Reals, Required: true, Internal: true},
		{Name: "cells", SQL: fmt.Sprintf(`(SELECT array_agg(CASE WHEN v BETWEEN %g AND %g THEN v END ORDER BY n)
			FROM unnest(raw) WITH ORDINALITY AS u(v, n))`, minValue, maxValue)},
	}
	s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93, SRIDByScope: source.OfficialSRID}
	s.Drop = []string{source.OutOfFrance()}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.Target{Table: "geo.enrich_raster", Key: []string{"part", "id"}, Part: true, Create: tables}
	return s
}

// coveredPlaces selects the départements that the tiles cover completely, and the communes of the others. The
// caller selects the tiles. Tiles are joined with a margin of centimetres: their vertices are rounded.
func coveredPlaces(tiles string) string {
	return `WITH held AS MATERIALIZED (SELECT ST_Buffer(ST_Union(geom), 1e-6) AS geom FROM ready WHERE ` + tiles + `),
	whole AS MATERIALIZED (SELECT d.code FROM geo.departement_contour d, held WHERE d.geom && held.geom AND ST_Covers(held.geom, d.geom))
	SELECT code FROM whole
	UNION ALL SELECT c.code FROM geo.commune_contour c, held WHERE c.geom && held.geom AND ST_Covers(held.geom, c.geom)
		AND NOT EXISTS (SELECT FROM whole w WHERE starts_with(c.code, w.code))`
}

// Range of elevations in metres, anywhere in France.
const lowest, highest = -50, 5000

// elevationSource declares the elevation models of IGN, delivered as many tiles a
// département, without a projection in them.
func elevationSource() source.Source {
	s := gridSource("altitudes-ign", "RGE ALTI, BD ALTI", "IGN", "https://geoservices.ign.fr/rgealti",
		"elevation", lowest, highest)
	s.Origins = []fetch.Origin{{
		From: producer.Geoplateforme{Product: "BDALTI", Format: "ASC", Edition: `_25M_`},
		Area: fetch.Departement, Bytes: 30_000_000, Rhythm: "once",
		Note: "Cells of 25 m. RGE ALTI has cells of 5 m and is read as well, but a département of it has 45 to 468 MB packed, 25 times as many cells: " +
			"RGEALTI_2-0_5M_ASC_LAMB93-IGN69_D005_2020-10-14.7z.",
	}}
	s.Files = []source.Files{{
		Path: `(?i)(^|/)(RGEALTI|BDALTI)[^/]*_D0?(?P<scope>2[AB]|97[1-6]|[0-9]{2})_` + source.FileDay +
			`[^/]*/(.*/)?[^/]*_MNT_[^/]*\.(asc|tiff?)$`,
		GroupByScope: true,
	}, {
		Path: `(?i)(^|/)(RGEALTI|BDALTI)[^/]*_D0?(?P<scope>2[AB]|97[1-6]|[0-9]{2})_` + source.FileDay +
			`[^/]*\.7z(\.001)?$`,
	}}
	s.Read.Member = `(?i)_MNT_[^/]*\.(asc|tiff?)$`
	s.Covers = source.Covers("elevation")
	return s
}

// soilPh declares one depth of SoilGrids. Its files hold ten times the pH.
// Towns and water have no value, but are covered.
func soilPh(name, depth string) source.Source {
	layer := map[string]string{"0-5": "soil_ph_0_5", "5-15": "soil_ph_5_15"}[depth]
	s := gridSource(name, "SoilGrids : pH du sol, "+depth+" cm", "ISRIC", "https://soilgrids.org", layer,
		20, 120)
	s.Licence, s.Origins = source.Licence{Name: "CC BY 4.0"}, soilOrigins(depth)
	s.Files = []source.Files{{Path: `(?i)(^|/)[^/]*phh2o_` + depth + `cm_mean[^/]*\.tiff?$`}}
	s.Covers = []source.Coverage{{Layer: "soil_ph", Areas: coveredPlaces("true")}}
	s.Note = "Cut the file to France first (gdal_translate -projwin); pH times ten, in its own projection or any other."
	return s
}

// soilOrigins is the box of the mainland, 35 MB, of a grid of the
// world. The service cuts off answers of 90 MB.
func soilOrigins(depth string) []fetch.Origin {
	const degrees = "http://www.opengis.net/def/crs/EPSG/0/4326"
	return []fetch.Origin{{
		From: producer.At{Address: "https://maps.isric.org/mapserv?map=/map/phh2o.map&SERVICE=WCS&VERSION=2.0.1&REQUEST=GetCoverage&COVERAGEID=phh2o_" +
			depth + "cm_mean&FORMAT=image/tiff&SUBSET=long(-5.6,9.8)&SUBSET=lat(41.2,51.3)&SUBSETTINGCRS=" + degrees +
			"&OUTPUTCRS=" + degrees},
		As: "phh2o_" + depth + "cm_mean_france.tif", Rhythm: "once",
		Note: "The mainland with Corsica.",
	}}
}
