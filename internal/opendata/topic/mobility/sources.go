// Package mobility declares the data on roads, stations, charge points, networks and travel times.
package mobility

import (
	_ "embed"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(
		[]source.Source{roadTraffic(), referenceRoads(), travelTimes(), chargePoints(), mobileMasts(),
			stationSource(), highSpeedStations()}, airportSources(),
		[]source.Source{fibreSource(), prefectureSource(), mobileSupports()})
}

// roadNumber returns SQL for the number of a road as on road signs: "A0009" is A9.
func roadNumber(column string) string {
	return `regexp_replace(upper(replace(` + column + `, ' ', '')), '^([A-Z]+)0*([1-9].*)$', '\1\2')`
}

// A position in Lambert-93 on or near the mainland or Corsica.
const inLambert93 = `(x1 BETWEEN 0 AND 1300000 AND x2 BETWEEN 0 AND 1300000 AND y1 BETWEEN 6000000 AND 7200000
	AND y2 BETWEEN 6000000 AND 7200000)`

// heavyPct is the share of heavy vehicles. In the file of 2019 it is in tenths of a percent wherever it has
// no decimals. 0 and shares above 100 % are errors.
const heavyPct = `(SELECT share FROM (SELECT CASE WHEN heavy !~ '^[0-9]+([.,][0-9]+)?$' THEN NULL
	WHEN year = 2019 AND heavy ~ '^[0-9]+$' THEN CASE WHEN heavy::float8 <= 500 THEN heavy::float8 / 10 END
	ELSE replace(heavy, ',', '.')::float8 END AS share) s WHERE share > 0 AND share <= 100)`

// roadTraffic declares the counts on the national road network. A segment is only known by its two ends: it
// is stored as the straight line between them.
func roadTraffic() source.Source {
	return source.Source{
		Name:     "road-traffic",
		Group:    "mobility",
		Title:    "Trafic moyen journalier annuel sur le réseau routier national",
		Producer: "DGITM; Cerema",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/trafic-moyen-journalier-annuel-sur-le-reseau-routier-national",
		// The network is published in two files a year, one of them for the toll motorways.
		Files: []source.Files{{Path: `(?i)(^|/)[^/]*tmja[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "trafic-moyen-journalier-annuel-sur-le-reseau-routier-national",
				File: `(?i)^tmja[^/]*\.csv$`, Newest: producer.All},
			As: "traffic/{served}", Rhythm: "yearly",
			Note: "Since 2020 the network under concession alone. The years until 2018 are Shapefiles, which are not read.",
		}},
		Read: source.Read{Format: source.CSV, Encoding: "sniff", Separator: ";", Decimal: ","},
		Columns: []source.Column{
			{Name: "id", SQL: "concat_ws(':', " + roadNumber("route") + ", dep_start, pr_start, abs_start, side)"},
			{Name: "route", Required: true, Internal: true},
			{Name: "dep_start", From: []string{"depPrD"}, Internal: true},
			{Name: "pr_start", From: []string{"prD"}, Internal: true},
			{Name: "abs_start", From: []string{"absD"}, Internal: true},
			{Name: "side", From: []string{"cote"}, Internal: true},
			{Name: "x1", From: []string{"xD"}, Kind: source.Number, Internal: true},
			{Name: "y1", From: []string{"yD"}, Kind: source.Number, Internal: true},
			{Name: "x2", From: []string{"xF"}, Kind: source.Number, Internal: true},
			{Name: "y2", From: []string{"yF"}, Kind: source.Number, Internal: true},
			{Name: "year", From: []string{"anneeMesureTrafic", "annee"}, Kind: source.Integer, Internal: true},
			{Name: "aadt", From: []string{"TMJA"}, Kind: source.Number, Internal: true},
			{Name: "heavy", From: []string{"ratio_PL"}, Internal: true},
			{Name: "piece", SQL: "1"},
			{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object('road', " + roadNumber("route") +
				", 'aadt', round(aadt)::int, 'heavyPct', " + heavyPct + ", 'year', year))"},
			{Name: "geom", SQL: `ST_SnapToGrid(ST_Transform(ST_SetSRID(ST_MakeLine(ST_MakePoint(x1, y1), ST_MakePoint(x2, y2)),
				2154), 4326), 1e-7)`},
		},
		Drop: []string{"aadt IS NULL OR aadt <= 0", // a segment without a count
			source.AllButBest(roadNumber("route")+", dep_start, pr_start, abs_start, side", "year DESC NULLS LAST")},
		Reject: []source.Rule{{When: inLambert93 + " IS NOT TRUE",
			Reason: "'its ends are not in Lambert-93 in France'"}},
		Vintage: "max(year)::text",
		Checks:  source.Checks{MaxRefused: 0.05},
		Target:  source.ShapeLayer("road_traffic"),
		Covers:  source.Covers("road_traffic"),
		Note: "The yearly files of the state's network, all of them side by side: the newest count of a segment is served. " +
			"Counts of départements, each with columns of its own, are not read.",
	}
}

// referenceRoads declares the lines of the numbered roads, with which the counts are matched. Without them
// the straight lines of the counts are used.
func referenceRoads() source.Source {
	const delivery = `_D0?(?P<scope>[0-9]{2,3}|2[AB])_` + source.FileDay
	return source.Source{
		Name: "roads-bdtopo-shp", Group: "mobility", Title: "BD TOPO : routes numérotées", Producer: "IGN",
		Licence:  source.LicenceOuverte,
		Homepage: "https://geoservices.ign.fr/bdtopo",
		Files: []source.Files{
			{Path: `(?i)(^|/)bdtopo[^/]*` + delivery + `[^/]*/(.*/)?route_numerotee_ou_nommee\.shp$`},
			{Path: `(?i)(^|/)bdtopo([^/]*_)?shp_[^/]*` + delivery + `[^/]*\.7z(\.001)?$`},
		},
		Origins: source.BDTopo,
		Read:    source.Read{Format: source.Shapefile, Layers: []string{"route_numerotee_ou_nommee"}},
		Columns: []source.Column{
			{Name: "id", From: []string{"ID"}, Required: true},
			{Name: "number", From: []string{"NUMERO"}, Internal: true},
			{Name: "attrs", SQL: "jsonb_build_object('road', " + roadNumber("number") + ")"},
		},
		Geometry: &source.Geometry{From: source.Feature, Subdivide: true, SRID: source.Lambert93,
			SRIDByScope: source.OfficialSRID, Bounds: source.France},
		Drop:   []string{"number IS NULL"},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{MaxRefused: 0.05},
		Target: source.ShapeLayer("road"),
		Covers: source.Covers("road"),
	}
}

// travelTimes is in a format of ours: there is no public bulk source.
func travelTimes() source.Source {
	return source.Source{
		Name:     "travel-times",
		Group:    "mobility",
		Title:    "Travel times to Paris and to the préfecture",
		Producer: "operator of the service",
		Licence:  source.OfOperator,
		Origins:  source.NotFetched("No public bulk file has travel times. It can be given in a format of ours: see the note of the source."),
		Files:    []source.Files{{Path: `(?i)(^|/)travel[-_]times[^/]*\.csv(\.gz)?$`, GroupByScope: true}},
		Read:     source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "id", SQL: "geo.commune_today(code)"},
			{Name: "commune", SQL: "geo.commune_today(code)"},
			{Name: "code", From: []string{"commune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`, Internal: true},
			{Name: "paris_road", From: []string{"paris_road_min"}, Kind: source.Integer, Internal: true},
			{Name: "paris_rail", From: []string{"paris_rail_min"}, Kind: source.Integer, Internal: true},
			{Name: "prefecture_road", From: []string{"prefecture_road_min"}, Kind: source.Integer, Internal: true},
			{Name: "prefecture_rail", From: []string{"prefecture_rail_min"}, Kind: source.Integer, Internal: true},
			{Name: "paris_km", From: []string{"paris_road_km"}, Kind: source.Number, Internal: true},
			{Name: "prefecture_km", From: []string{"prefecture_road_km"}, Kind: source.Number, Internal: true},
			{Name: "paris_changes", From: []string{"paris_rail_changes"}, Kind: source.Integer, Internal: true},
			{Name: "paris_station", From: []string{"paris_rail_station"}, Internal: true},
			{Name: "computed", From: []string{"computed_on"}, Kind: source.Date, Internal: true},
			{Name: "method", Internal: true},
			{Name: "year", Kind: source.Integer, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('parisRoadMin', paris_road, 'parisRailMin', paris_rail,
				'prefectureRoadMin', prefecture_road, 'prefectureRailMin', prefecture_rail, 'parisRoadKm', paris_km,
				'prefectureRoadKm', prefecture_km, 'parisRailChanges', paris_changes, 'parisRailStation', paris_station,
				'computedOn', computed, 'method', method, 'year', year))`},
		},
		Reject: []source.Rule{
			{When: "geo.commune_today(code) IS NULL", Reason: "'no commune has code ' || code"},
			{When: "least(paris_road, paris_rail, prefecture_road, prefecture_rail, paris_km, prefecture_km, paris_changes) < 0",
				Reason: "'it has a time or distance below zero'"},
		},
		Drop: []string{"coalesce(paris_road, paris_rail, prefecture_road) IS NULL",
			source.AllButBest("coalesce(geo.commune_today(code), code)",
				"code = geo.commune_today(code) DESC NULLS LAST, year DESC NULLS LAST, code")},
		Target: source.FactLayer("travel_time"),
		Covers: []source.Coverage{{Layer: "travel_time", Areas: "SELECT commune FROM ready"}},
		Note: "There is no public bulk source. A format of ours: travel-times.csv, separated by semicolons, with the columns " +
			"commune (INSEE code), paris_road_min, paris_rail_min, prefecture_road_min, prefecture_rail_min (whole minutes, may be empty), " +
			"method (how they were computed) and year; and, for the statistics of communes, paris_road_km, prefecture_road_km, " +
			"paris_rail_changes, paris_rail_station (where the journey begins) and computed_on (a day), which may be missing.",
	}
}

//go:embed tables.sql
var tables string

// fibreSource declares the buildings of the fibre roll-out. x and y are degrees.
func fibreSource() source.Source {
	return source.Source{
		Name: "fibre", Group: "fibre", Title: "Déploiement de la fibre : base des immeubles", Producer: "ARCEP",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/le-marche-du-haut-et-tres-haut-debit-fixe-deploiements",
		// The files by département of another data set, base_imb, have no state of the roll-out.
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "le-marche-du-haut-et-tres-haut-debit-fixe-deploiements",
				File: `(?i)^20[0-9]{2}t[1-4]-immeuble\.zip$`},
			As: "fibre/{served}", Bytes: 835_000_000, Rhythm: "quarterly", Derived: true,
			Note: "4.5 GB unpacked.",
		}},
		Files: []source.Files{
			{Path: `(?i)(^|/)(ipe|base[-_]?immeubles?|imb|immeubles?)([-_]` + source.FileDay +
				`)?([-_][^/]*)?[-_](dep(artement)?[-_]?)?(?P<scope>` + source.DepartementCode +
				`|` + source.CommuneCode + `)\.csv(\.gz|\.zip)?$`},
			{Path: `(?i)(^|/)(20[0-9]{2}t[1-4]-immeubles?\.zip|carte_fibre_immeubles?_[^/]*\.csv(\.gz)?)$`},
		},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "id", From: []string{"imb_id"}, Required: true},
			{Name: "state", From: []string{"imb_etat"}, Required: true},
			{Name: "operator", From: []string{"code_l331"}},
			{Name: "node", From: []string{"pm_ref"}},
			{Name: "node_state", From: []string{"pm_etat"}},
			{Name: "kind", From: []string{"type_imb", "catg_loc_imb"}},
			{Name: "completed", From: []string{"date_completude"}, Kind: source.Date},
			{Name: "code_insee", Pad: 5, Internal: true},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, Bounds: source.France},
		Reject:   []source.Rule{source.OfScope("code_insee")},
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{MaxRefused: 0.02, Queries: []string{source.WholeDepartement("10000"),
			source.WholeCountry("10000000")}},
		Target: source.Target{Table: "geo.fibre", Key: []string{"part", "id"}, Part: true, Create: tables},
		Covers: source.Covers("fibre"),
		Note: "The file of the country, 2026t2-immeuble.zip, or one named after a département or commune, with a day " +
			"where it is known: ipe_93.csv, ipe-2023-10-05-93.csv. " +
			"The files base_imb of another data set have no state of the roll-out and are not read.",
	}
}

// Prefecture is the kind of fact for the préfecture of a département.
const Prefecture = "prefecture"

// prefectureSource declares the destinations of the travel times; the times
// themselves are those of the report, see travelTimes.
func prefectureSource() source.Source {
	return source.Source{
		Name: "departement-prefectures", Group: "stats",
		Title:    "Code officiel géographique : départements (chefs-lieux)",
		Producer: "INSEE", Licence: source.LicenceOuverte, Homepage: "https://www.insee.fr/fr/information/2560452",
		After: []string{"cog-departements", "cog-communes"},
		Files: []source.Files{{Path: `(?i)(^|/)cog/(v_)?departements?(_20[0-9]{2})?\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			// INSEE's page has another number each year, this resource stays
			From: producer.DataGouv{Dataset: "code-officiel-geographique-cog",
				Resource: "e5f32177-5841-4a46-9c17-f8ff94bd38fc", File: `^v_departement_20\d\d\.csv$`},
			As: "cog/{served}", Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.CSV, Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "level", SQL: "'departement'"},
			{Name: "code", From: []string{"DEP"}, Required: true, Match: `[0-9]{2,3}|2[AB]`},
			{Name: "kind", SQL: "'" + Prefecture + "'"},
			{Name: "period", SQL: "''"},
			{Name: "seat", From: []string{"CHEFLIEU"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`, Internal: true},
			{Name: "attrs", SQL: "jsonb_build_object('commune', seat, 'name', (SELECT k.name FROM geo.commune k WHERE k.code = seat AND k.type = 'commune-actuelle'))"},
		},
		Reject: []source.Rule{
			{When: "NOT EXISTS (SELECT FROM geo.departement d WHERE d.code = stage.code)",
				Reason: "'no département has code ' || code"},
			{When: "NOT EXISTS (SELECT FROM geo.commune k WHERE k.code = seat AND k.type = 'commune-actuelle')",
				Reason: "'no commune of today has code ' || seat"},
		},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Checks: source.Checks{MinRows: 101, MaxRows: 101},
		Target: source.FactTarget,
	}
}
