// Package water declares the data on rivers, lakes, the sea and tap
// water, and of the ground's height and acidity.
package water

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat([]source.Source{elevationSource(), soilPh("soil-ph-0-5", "0-5"),
		soilPh("soil-ph-5-15", "5-15"), coastSource(), mountainSource(), coursEauSource(), sectionSource(),
		flowingWaterSource()}, waterBodies(),
		[]source.Source{riverStations(), tapNetworks(), tapSamples(), tapResults(), networkPopulations()})
}

func waterSource(name, title, producer, homepage string) source.Source {
	return source.Source{
		Name: name, Group: "water", Title: title, Producer: producer, Licence: source.LicenceOuverte,
		Homepage: homepage,
		After:    []string{"cog-departements", "cog-communes"},
	}
}

// sphereIndex is by distances on a sphere: the nearest part of a layer is found by walking it.
func sphereIndex(layer string) string {
	return "CREATE INDEX enrich_" + layer + "_sphere ON geo.enrich_" + layer + " USING gist ((geom::geography));"
}

// coastSource declares the coastline. It covers the mainland when it goes all around it: a part of it would
// make the coast look farther than it is. The coastline of an overseas département is named after it.
func coastSource() source.Source {
	s := waterSource("coast", "Limite terre-mer", "SHOM; IGN",
		"https://www.data.gouv.fr/datasets/limite-terre-mer-1")
	s.Read = source.Read{Format: source.GeoJSON}
	s.Origins = []fetch.Origin{{
		From: producer.WFS{Endpoint: "https://services.data.shom.fr/INSPIRE/wfs",
			Layer: "LIMTM_2154_WFS:limite_terre_mer_france_metropolitaine_ligne"},
		As: "limite-terre-mer.geojson", Rhythm: "once",
		Note: "The mainland with Corsica. Read for parts of the coast.",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)(limite[-_]terre[-_]mer|limtm)([^/]*[-_](?P<scope>97[1-6]))?[^/]*\.(geo)?json(\.gz)?$`}}
	s.Columns = []source.Column{source.RowID, {Name: "attrs", SQL: "'{}'::jsonb"}}
	s.Geometry = &source.Geometry{From: source.Feature, MetricSRID: source.Lambert93, SRID: 4326,
		Subdivide: true, Bounds: source.France}
	s.Target = source.ShapeLayer("coast", sphereIndex("coast"))
	s.Covers = []source.Coverage{{Layer: "coast", Areas: `SELECT scope FROM this_load WHERE scope <> ''
		UNION ALL SELECT d.code FROM geo.departement d, (SELECT ST_Extent(geom) AS box FROM ready) e
		WHERE char_length(d.code) = 2 AND ST_XMin(box) < -4.7 AND ST_YMax(box) > 51 AND ST_YMin(box) < 42.5 AND ST_XMax(box) > 7.4`}}
	s.Note = "A file that does not reach from Brittany to Menton and from Dunkirk to the Pyrenees is loaded and speaks for no place."
	return s
}

// mountainSource declares the massifs, or the communes classed in them, as areas. They cover the mainland and
// Corsica when they reach from the Pyrenees to Corsica and the Vosges, and an overseas département when they
// include some of it: a part of them would make the mountains look farther than they are.
func mountainSource() source.Source {
	s := waterSource("massifs", "Massifs de montagne", "ANCT",
		"https://www.data.gouv.fr/datasets/communes-de-la-loi-montagne-au-code-officiel-geographique-cog-2020-2022")
	s.Origins = source.NotFetched("No file of areas was found (zonage-montagne and services of massifs were looked for), only a list of the communes classed in 2022: " +
		"https://www.data.gouv.fr/datasets/communes-de-la-loi-montagne-au-code-officiel-geographique-cog-2020-2022. Areas can be given as massifs.geojson, " +
		"with the member massif.")
	s.Files = []source.Files{{Path: `(?i)(^|/)massifs?([-_][^/]*)?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{source.RowID, source.Internal("massif", "massif", "nom_massif", "lib_massif",
		"nom"), source.Attrs("'massif', massif")}
	s.Geometry = &source.Geometry{From: source.Feature, SRID: 4326, MetricSRID: source.Lambert93, Polygon: true,
		Subdivide: true, Bounds: source.France}
	s.Reject = []source.Rule{{When: "massif IS NULL", Reason: "'it does not say which massif it is'"}}
	s.Target = source.ShapeLayer("mountain", sphereIndex("mountain"))
	s.Covers = []source.Coverage{{Layer: "mountain", Areas: `SELECT d.code FROM geo.departement d,
			(SELECT ST_Extent(geom) AS box FROM ready WHERE geom && ST_MakeEnvelope(-5.6, 41.2, 9.8, 51.3, 4326)) e
		WHERE char_length(d.code) = 2 AND ST_XMin(box) < 0 AND ST_XMax(box) > 8.5 AND ST_YMin(box) < 43 AND ST_YMax(box) > 47.5
		UNION ALL SELECT o.code FROM ` + source.Overseas + ` AS o(code, box)
		WHERE EXISTS (SELECT FROM ready r WHERE r.geom && ST_SetSRID(o.box::geometry, 4326))`}}
	s.Note = "No file for downloads in bulk: give massifs.geojson, areas (of massifs or of communes classed as mountain) with the member massif. " +
		"One that does not reach from the Pyrenees to Corsica and the Vosges is loaded and speaks for no place of the mainland."
	return s
}

// sandreProjections maps the spellings of projections in the list of stations to SRIDs.
var sandreProjections = map[string]int{
	"RGF93 / Lambert 93": 2154, "RGF93 / Lambert-93": 2154, "RGF93 v1 / Lambert-93": 2154, "Lambert 93": 2154,
	"RGAF09 / UTM 20": 5490, "RGAF09 / UTM 20N": 5490, "RGAF09 / UTM zone 20N": 5490,
	"RRAF 91 (WGS84) / UTM 20": 4559, "RRAF 91 / UTM 20": 4559, "RRAF91 / UTM 20N": 4559,
	"RRAF 1991 / UTM zone 20N": 4559,
	"RGFG95 / UTM 22":          2972, "RGFG95 / UTM 22N": 2972, "RGFG95 / UTM zone 22N": 2972,
	"RGR92 / UTM 40": 2975, "RGR92 / UTM 40S": 2975, "RGR92 / UTM zone 40S": 2975,
	"RGM04 / UTM 38": 4471, "RGM04 / UTM 38S": 4471, "RGM04 / UTM zone 38S": 4471,
	"RGSPM06 / UTM 21": 4467, "RGSPM06 / UTM 21N": 4467, "RGSPM06 / UTM zone 21N": 4467,
	"WGS84": 4326, "WGS84G": 4326, "WGS 84": 4326,
	"NTF / Lambert II étendu": 27572, "NTF (Paris) / Lambert zone II": 27572, "Lambert II étendu": 27572,
}

func riverStations() source.Source {
	s := waterSource("river-stations", "Stations de mesure de la qualité des eaux superficielles", "OFB; Sandre",
		"https://naiades.eaufrance.fr")
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: "https://naiades.eaufrance.fr/reports/reportsperyear/HB/Naiades_Export_France_Entiere_HB.zip"},
		As:   "naiades/stations_HB.zip", Rhythm: "irregularly",
		Note: "The export of hydrobiology, for its list of stations. Whether stations of other measurements are in it was not read.",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)(naiades/([^/]*/)*)?stations([-_][^/]*)?\.(csv|zip)(\.gz)?$`}}
	s.Read = source.Read{Format: source.CSV, Member: `(?i)(^|/)stations\.csv$`, Separator: ";",
		Encoding: "sniff"}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"CdStationMesureEauxSurface"}, Required: true, Match: `[0-9A-Z]{8}`, Pad: 8},
		source.Internal("name", "LbStationMesureEauxSurface"),
		source.Internal("watercourse", "NomCoursdEau"),
		source.Internal("altitude", "AltitudePointCaracteritisque", "AltitudePointCaracteristique"),
		source.Attrs(`'name', name, 'watercourse', watercourse, 'altitudeM',
			CASE WHEN altitude ~ '^-?[0-9]+([.,][0-9]+)?$' THEN round(replace(altitude, ',', '.')::numeric)::integer END`),
	}
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"CoordXStationMesureEauxSurface"},
		Y:        []string{"CoordYStationMesureEauxSurface"},
		SRIDFrom: "LibelleProjection", SRIDNames: sandreProjections, SRID: source.Lambert93, Optional: true,
		Subdivide: true, Bounds: source.France}
	s.Drop = []string{"geom IS NULL"} // stations closed long ago have no position
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.ShapeLayer("river_station")
	s.Covers = []source.Coverage{{Layer: "river_station", Areas: `SELECT d.code FROM geo.departement d
		WHERE EXISTS (SELECT FROM stage s WHERE CASE WHEN s.departement ~ '^[0-9]$' THEN '0' || s.departement ELSE s.departement END = d.code)`}}
	s.Columns = append(s.Columns, source.Internal("departement", "CodeDepartement"))
	return s
}
