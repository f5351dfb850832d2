// Package services declares the data on schools, health care, shops and other facilities.
package services

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(schoolSource(), []source.Source{finessPlus(), hospitalExtract(), permanentFacilities(),
		marketplaceSource(), facilitiesExtract(), facilities2013(), facilitiesLong()})
}

// shopTypes are the shops named in the report, in the nomenclatures until 2023 and since. The names of other
// facilities, many of them those of doctors, are not read.
const shopTypes = `('B101', 'B102', 'B104', 'B105', 'B201', 'B202')`

// facilityIndexes and healthIndexes hold one kind each: the nearest is found by walking an index outwards,
// and a walk over all kinds would pass thousands of others.
const facilityIndexes = `
CREATE INDEX enrich_facility_hypermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B101', 'B104');
CREATE INDEX enrich_facility_supermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B102', 'B105');
CREATE INDEX enrich_facility_convenience ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B201', 'B202');`

const healthIndexes = `
CREATE INDEX enrich_health_hospital ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' IN ('101', '106', '292', '355');
CREATE INDEX enrich_health_msp ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '603';
CREATE INDEX enrich_health_pharmacy ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '620';`

// permanentFacilities declares the shops and services of INSEE's inventory.
func permanentFacilities() source.Source {
	return source.Source{
		Name:     "bpe",
		Group:    "services",
		Title:    "Base permanente des équipements",
		Producer: "INSEE",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.insee.fr/fr/statistiques/8217525",
		// The page has kept its number since the edition of 2023.
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8217525/BPE{yy}.zip"},
			As:   "bpe/BPE{yy}.zip", Bytes: 142_884_474, Rhythm: "yearly",
			Note: "1.5 GB unpacked.",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)bpe[0-9]{2}(_ensemble)?(_xy)?(_csv)?\.(csv|zip)(\.gz)?$`,
			GroupByScope: true}},
		Read: source.Read{Format: source.CSV, Member: `(?i)(^|/)bpe[0-9]{2}(_ensemble_xy)?\.csv$`,
			Encoding: "sniff", Separator: ";",
			Nulls: []string{"_Z", "_U"}}, // no object, not known: since the edition of 2024
		Columns: []source.Column{
			{Name: "id", SQL: "type || ':' || _line"}, // the inventory has no identifiers
			{Name: "type", From: []string{"TYPEQU"}, Required: true, Match: `[A-G][0-9]{3}`, Internal: true},
			{Name: "name", From: []string{"NOMRS"}, Internal: true, Persons: source.OrganisationName},
			{Name: "quality", From: []string{"QUALITE_XY"}, Internal: true},
			{Name: "year", From: []string{"AN"}, Kind: source.Integer, Internal: true},
			{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object('type', type, 'name', CASE WHEN type IN " +
				shopTypes + " THEN name END))"},
			{Name: "piece", SQL: "1"},
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"LAMBERT_X"}, Y: []string{"LAMBERT_Y"},
			SRID: source.Lambert93, SRIDFrom: "EPSG", Optional: true},
		Drop: []string{
			"year < (SELECT max(year) FROM stage)", // file names only have its last two digits
			"geom IS NULL OR ST_IsEmpty(geom)",
			// Other qualities mean an arbitrary position in the commune. Since 2024 there is
			// a letter in place of the word.
			"quality IS NOT NULL AND upper(quality) NOT IN ('B', 'BONNE')",
		},
		Reject: []source.Rule{{
			When:   "NOT " + source.LiesInFrance("ST_X(geom)", "ST_Y(geom)"),
			Reason: "'its position is out of bounds: wrong projection'",
		}},
		Vintage: "max(year)::text",
		Target:  source.ShapeLayer("facility", facilityIndexes),
		Covers:  source.Covers("facility"),
		Note:    "The file of all facilities with coordinates (ensemble_xy). Those that are only known to be in a commune are left out.",
	}
}

// marketplaceSource declares an extract of OpenStreetMap, the only public source. Its licence
// requires that derived data is kept separate.
func marketplaceSource() source.Source {
	return source.Source{
		Name: "osm-marketplaces", Group: "services", Title: "OpenStreetMap : marchés",
		Producer: "OpenStreetMap contributors", Licence: source.ODbL,
		Homepage: "https://www.openstreetmap.org/copyright",
		// By département: an extract of the country is 5 GB, to be filtered by hand.
		Origins: []fetch.Origin{{
			From: producer.Overpass{Key: "amenity", Value: "marketplace"},
			As:   "osm/osm-marketplaces-{departement}.geojson", Area: fetch.Departement, Rhythm: "daily",
			Derived: true,
			Note:    "A shared server.",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)osm-marketplaces(-(?P<scope>[0-9AB]{2,3}))?\.geojson(\.gz)?$`}},
		Read:  source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			{Name: "id", From: []string{"@id", "id", "osm_id"}, Required: true},
			{Name: "name", From: []string{"name:fr", "name"}, Internal: true},
			{Name: "kind", From: []string{"amenity"}, Internal: true},
			{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object('name', name))"},
		},
		Geometry: &source.Geometry{From: source.Feature, Subdivide: true, Bounds: source.France},
		Drop:     []string{"kind IS DISTINCT FROM 'marketplace'"},
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Target:   source.ShapeLayer("marketplace"),
		Covers: []source.Coverage{{Layer: "marketplace",
			// of some 5 000
			Areas: `SELECT scope FROM this_load WHERE scope <> '' OR (SELECT count(DISTINCT id) FROM ready) > 1000`}},
		Note: "Off unless named, because of its licence. An extract of amenity=marketplace as GeoJSON, with the tags as " +
			"members: osm-marketplaces-<département>.geojson, or without a département for all of France.",
	}
}
