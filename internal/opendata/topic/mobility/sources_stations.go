package mobility

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// stationSource declares the passenger stations of the whole country.
func stationSource() source.Source {
	return source.Source{
		Name:     "railway-stations",
		Group:    "mobility",
		Title:    "Gares de voyageurs",
		Producer: "SNCF Gares & Connexions",
		Licence:  source.LicenceOuverte,
		Homepage: "https://ressources.data.sncf.com/explore/dataset/gares-de-voyageurs",
		Origins:  stationOrigins,
		Files:    []source.Files{{Path: `(?i)(^|/)gares-de-voyageurs\.csv(\.gz)?$`}},
		Read:     source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "id", SQL: source.UICCode("codes")},
			{Name: "name", From: []string{"Nom", "nom"}, Required: true, Internal: true},
			{Name: "codes", From: []string{"Code(s) UIC", "codes_uic", "Codes UIC"}, Required: true,
				Match: `.*[0-9]{8}.*`, Internal: true},
			{Name: "attrs", SQL: stationAttrs},
		},
		Geometry: &source.Geometry{From: source.LatLonText, X: []string{"Position géographique",
			"position_geographique"}, Subdivide: true, Bounds: source.France},
		Dedupe: source.Dedupe{Key: []string{"codes"}},
		Checks: source.Checks{MaxRefused: 0.02},
		Target: source.ShapeLayer("railway_station"),
		Covers: source.Covers("railway_station"),
	}
}

// A station of two networks has a code in each.
const stationAttrs = `jsonb_build_object('name', name, 'uic', substring(codes FROM '[0-9]{8}'), 'codes',
	(SELECT jsonb_agg(m[1]) FROM regexp_matches(codes, '([0-9]{8})', 'g') AS m))`

// highSpeedStations lists the stations served by high-speed trains; no file of stations has this.
func highSpeedStations() source.Source {
	return source.Source{
		Name:     "high-speed-stations",
		Group:    "mobility",
		Title:    "Stations served by high-speed trains",
		Producer: "operator of the service, from the timetables of SNCF",
		Licence:  source.OfOperator,
		Origins:  highSpeedOrigins,
		Files: []source.Files{
			{Path: `(?i)(^|/)high-speed-stations\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)(export-)?tgv-gtfs[^/]*/stops\.txt$`},
			{Path: `(?i)(^|/)(export_gtfs_voyages|tgv-gtfs[^/]*)\.zip$`},
		},
		Read: source.Read{Format: source.CSV, Separator: ",", Member: `(^|/)stops\.txt$`},
		Columns: []source.Column{
			{Name: "id", SQL: source.UICCode("stop")},
			{Name: "stop", From: []string{"uic", "code_uic", "stop_id"}, Required: true, Match: `.*[0-9]{8}.*`,
				Internal: true},
			{Name: "attrs", SQL: "'{}'::jsonb"},
		},
		Drop:   []string{source.AllButBest(source.UICCode("stop"), "stop")},
		Target: source.FactLayer("high_speed_station"),
		Covers: source.Covers("high_speed_station"),
		Note: "A format of ours: high-speed-stations.csv with the column uic (eight digits), every station of the country that " +
			"a TGV, INOUI or OUIGO calls at; or the stops.txt of a GTFS folder tgv-gtfs, or of an archive of it, that holds these trains only.",
	}
}

// airportSources declares two lists of the world's airfields. Those in France with scheduled flights are
// kept, and where the list does not say which have any, those with an IATA code; and the two across the
// border that are French airports by treaty or use.
func airportSources() []source.Source {
	list := func(name, producer, homepage, path string, licence source.Licence, origins []fetch.Origin) source.Source {
		return source.Source{
			Name: name, Group: "mobility", Title: "Airports (" + producer + ")", Producer: producer, Licence: licence,
			Homepage: homepage,
			Files:    []source.Files{{Path: path}},
			Origins:  origins,
			Read:     source.Read{Format: source.CSV, Separator: ","},
			Columns: []source.Column{
				{Name: "id", SQL: "coalesce(ident, iata)"},
				{Name: "ident", From: []string{"icao", "ident"}, Internal: true},
				{Name: "iata", From: []string{"iata", "iata_code"}, Internal: true},
				{Name: "name", Required: true, Internal: true},
				{Name: "country", From: []string{"country", "iso_country"}, Internal: true},
				{Name: "scheduled", From: []string{"scheduled_service"}, Internal: true},
				{Name: "kind", From: []string{"type"}, Internal: true},
				{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('name', name, 'iata', iata,
					'icao', CASE WHEN ident ~ '^[A-Z]{4}$' THEN ident END, 'scheduled', CASE WHEN scheduled = 'yes' THEN true END))`},
			},
			Geometry: &source.Geometry{From: source.LonLat, X: []string{"lon", "longitude_deg"}, Y: []string{"lat",
				"latitude_deg"}, Subdivide: true},
			Drop: []string{
				`(country IN ('FR', 'GP', 'MQ', 'GF', 'RE', 'YT', 'PM', 'BL', 'MF') OR iata IN ('BSL', 'MLH', 'EAP', 'GVA')) IS NOT TRUE`,
				`CASE WHEN scheduled IS NULL THEN iata IS NULL ELSE scheduled <> 'yes' END`,
				`kind IN ('closed', 'closed_airport', 'heliport', 'balloonport')`,
				"NOT " + source.LiesInFrance("ST_X(geom)", "ST_Y(geom)"), // islands in the Pacific and the Indian Ocean
			},
			Dedupe: source.Dedupe{Key: []string{"ident", "iata"}},
			Target: source.ShapeLayer("airport"),
			Covers: source.Covers("airport"),
		}
	}
	return []source.Source{
		list("airports-airportsdata", "airportsdata", "https://github.com/mborsetti/airportsdata",
			`(?i)(^|/)airportsdata[^/]*\.csv(\.gz)?$`, source.Licence{Name: "MIT", Open: true}, airportsdataOrigins),
		list("airports-ourairports", "OurAirports", "https://ourairports.com/data/",
			`(?i)(^|/)(ourairports[^/]*/)?airports\.csv(\.gz)?$`, source.Licence{Name: "public domain", Open: true},
			ourairportsOrigins),
	}
}
