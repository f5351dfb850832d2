package buildings

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// keptPlots are the parcels that a building of the RNB lies on, in the path language of JSON. The RNB lists
// every parcel that the outline touches, with the share of the building on it. Less than a twentieth comes
// from outlines that are not drawn alike, and is left out as on the site of the RNB.
const keptPlots = `'$[*] ? (@.bdg_cover_ratio >= 0.05 && @.id like_regex "^` + source.IDU + `$")'`

// buildingSource declares the register of buildings. Who validated a building is not read.
func buildingSource() source.Source {
	return source.Source{
		Name: "rnb", Group: "buildings", Title: "Référentiel national des bâtiments",
		Producer: "RNB; DINUM; IGN; CSTB", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/referentiel-national-des-batiments",
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://rnb-opendata.s3.fr-par.scw.cloud/files/RNB_{departement}.csv.zip"},
			As:   "rnb/RNB_{departement}.csv.zip", Area: fetch.Departement, Rhythm: "weekly", Evidence: fetch.Read,
			Basis: "public source code (address, header, a line of 4 October 2026)", ReadOn: "2026-10",
			Note: "A large département is 1 GB, nine tenths of it outlines. RNB_nat.csv.zip has all of them once " +
				"more and is not read.",
		}},
		Files: []source.Files{{Path: `(^|/)RNB_` + source.PlaceCode + `\.csv(\.gz|\.zip)?$`}},
		Read:  source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "id", From: []string{"rnb_id"}, Required: true, Match: "[0-9A-Z]{12}"},
			{Name: "status", Required: true},
			{Name: "plots", Kind: source.Objects, Internal: true},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.WKT, X: []string{"shape"}, Optional: true, Bounds: source.France},
		Rows: `SELECT p.idu, s.id, s.status, p.share, s.area
			FROM (SELECT *, CASE ST_Dimension(geom) WHEN 2 THEN ST_Area(geom::geography) END AS area
				FROM stage OFFSET 0) s
			CROSS JOIN LATERAL (SELECT plot->>'id' AS idu, max((plot->>'bdg_cover_ratio')::float8) AS share
				FROM jsonb_path_query(s.plots, ` + keptPlots + `) plot GROUP BY 1) p`,
		Reject: []source.Rule{
			{When: `plots @? '$[*].bdg_cover_ratio ? (@.type() == "string" || @.type() == "boolean" || @ < 0)'`,
				Reason: "'a share in its plots is no number: ' || left(plots::text, 100)"},
			{When: "false", LeaveOut: "status NOT IN ('constructed', 'ongoingChange', 'notUsable')",
				Reason: "'it does not stand: its status is ' || status"},
			{When: "false", LeaveOut: "(plots @? " + keptPlots + ") IS NOT TRUE",
				Reason: "'no parcel has a twentieth of it: ' || left(coalesce(plots::text, ''), 100)"},
		},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{Queries: []string{source.WholeDepartement("10000")}},
		Target: source.Target{Table: "geo.building", Key: []string{"part", "idu", "id"}, Part: true,
			Create: tables},
		Covers: source.Covers("building"),
	}
}

// buildingObjects declares the details that BD TOPO has of the buildings of the RNB, by their identifiers. An
// object may be several buildings, and a building several objects: its height is then that of the highest,
// its use and year those on which all agree, and its dwellings are known where no object is another building
// too.
func buildingObjects() source.Source {
	const table = "batiment"
	return source.Source{
		Name: "bdtopo-batiments", Group: "buildings", Title: "BD TOPO : bâtiments", Producer: "IGN",
		Licence:  source.LicenceOuverte,
		Homepage: "https://geoservices.ign.fr/bdtopo",
		Origins:  source.BDTopo,
		Files: append(source.InDelivery("BDTOPO_", table, "shp")[:1],
			source.BDTopoArchive, source.Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`}),
		Read: source.Read{Format: source.Shapefile, Member: `(?i)(^|/)` + table + `\.shp$`, Optional: true},
		Columns: []source.Column{
			{Name: "object", From: []string{"ID"}, Required: true},
			{Name: "buildings", From: []string{"IDS_RNB"}},
			{Name: "height", From: []string{"HAUTEUR"}, Kind: source.Number},
			{Name: "floors", From: []string{"NB_ETAGES"}, Kind: source.Integer},
			{Name: "use", From: []string{"USAGE1"}},
			{Name: "second_use", From: []string{"USAGE2"}},
			{Name: "dwellings", From: []string{"NB_LOGTS"}, Kind: source.Integer},
			{Name: "appeared", From: []string{"DATE_APP"}},
			{Name: "matched", From: []string{"APP_FF"}},
		},
		// Unknown floors and dwellings are 0. A year comes from the land-tax files: it is taken where the match
		// with them is of the best class.
		Rows: `SELECT b.id, max(nullif(height, 0)) AS height, max(nullif(floors, 0)) AS floors,
				CASE WHEN count(DISTINCT use) = 1 THEN nullif(min(use), 'Indifférencié') END AS use,
				CASE WHEN count(DISTINCT second_use) = 1 THEN nullif(min(second_use), 'Indifférencié') END
					AS second_use,
				CASE WHEN bool_and(b.shared = 1 AND coalesce(dwellings, 0) > 0) THEN sum(dwellings)::integer END
					AS dwellings,
				CASE WHEN count(DISTINCT b.year) = 1 THEN min(b.year) END AS built_year
			FROM stage CROSS JOIN LATERAL (SELECT btrim(x) AS id, count(*) OVER () AS shared,
				CASE WHEN matched LIKE 'A%' THEN substring(appeared FROM '^[12][0-9]{3}')::integer END AS year
				FROM string_to_table(buildings, '/') x) b
			WHERE b.id ~ '^[0-9A-Z]{12}$' GROUP BY b.id`,
		Reject: []source.Rule{{When: "false", LeaveOut: "buildings IS NULL OR buildings !~ '[0-9A-Z]{12}'",
			Reason: "'the object ' || object || ' has no identifier of the RNB'"}},
		Dedupe: source.Dedupe{Key: []string{"object"}},
		Target: source.Target{Table: "geo.building_object", Key: []string{"part", "id"}, Part: true,
			Create: tables},
		// An archive may lack the layer: then it covers nothing.
		Covers: []source.Coverage{{Layer: "building_object", Areas: "SELECT area FROM (" + source.IGNAreas +
			") a (area) WHERE EXISTS (SELECT FROM ready)"}},
		Note: "The Shapefiles; shown on the parcels for which rnb is loaded.",
	}
}
