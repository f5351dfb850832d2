package mobility

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
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
		Origins: []fetch.Origin{{
			From: producer.Opendatasoft{Host: "ressources.data.sncf.com", Dataset: "gares-de-voyageurs", Format: "csv",
				Labels: true},
			As: "sncf/gares-de-voyageurs.csv", Rhythm: "irregularly",
			Note: "Declared under the Licence Ouverte 2.0; some public source code says ODbL.",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)gares-de-voyageurs\.csv(\.gz)?$`}},
		Read:  source.Read{Format: source.CSV, Separator: ";"},
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
		// The current feed of all trains is not read: its list of stops does not say which trains stop there.
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://eu.ftp.opendatasoft.com/sncf/gtfs/export_gtfs_voyages.zip"},
			As:   "sncf/export_gtfs_voyages.zip", Rhythm: "daily",
			Note: "The timetable of TGV INOUI and OUIGO. Whether it is still renewed was not read; both the Licence Ouverte 2.0 and the ODbL were read as its licence.",
		}},
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
			`(?i)(^|/)airportsdata[^/]*\.csv(\.gz)?$`, source.Licence{Name: "MIT", Open: true}, []fetch.Origin{{
				From: producer.At{Address: "https://raw.githubusercontent.com/mborsetti/airportsdata/main/airportsdata/airports.csv"},
				As:   "airports/airportsdata.csv", OnDemand: true, Bytes: 3_000_000, Rhythm: "irregularly",
				Note: "airports-ourairports has the same airports, and which of them have scheduled flights.",
			}}),
		list("airports-ourairports", "OurAirports", "https://ourairports.com/data/",
			`(?i)(^|/)(ourairports[^/]*/)?airports\.csv(\.gz)?$`, source.Licence{Name: "public domain", Open: true},
			[]fetch.Origin{{
				From: producer.At{Address: "https://davidmegginson.github.io/ourairports-data/airports.csv"},
				As:   "airports/airports.csv", Bytes: 12_700_000, Rhythm: "daily",
			}}),
	}
}

// The position of a charge point, from two numbers or from the text "[2.35,48.85]".
const (
	chargeX = `coalesce(longitude, substring(xy FROM '^[^0-9,-]*(-?[0-9]+(?:[.][0-9]+)?)')::float8)`
	chargeY = `coalesce(latitude, substring(xy FROM ',[^0-9,-]*(-?[0-9]+(?:[.][0-9]+)?)')::float8)`
)

// Stations without an identifier are identified by their name and place.
const (
	chargeStation = `coalesce(station, concat_ws(' ', station_name, longitude, latitude, xy))`
	ofStation     = `OVER (PARTITION BY ` + chargeStation + `)`
	newestOfIt    = `OVER (PARTITION BY ` + chargeStation +
		` ORDER BY updated DESC NULLS LAST, point, _file, _line)`
)

// No charge point has more than 1500 kW; larger values are in watts.
const chargeKw = `max(CASE WHEN power <= 0 THEN NULL WHEN power > 1500 THEN power / 1000 ELSE power END) ` +
	ofStation

const chargeFree = `bool_and(CASE lower(free) WHEN 'true' THEN true WHEN '1' THEN true WHEN 'oui' THEN true
	WHEN 'false' THEN false WHEN '0' THEN false WHEN 'non' THEN false END) ` + ofStation

const chargeAttrs = `jsonb_strip_nulls(jsonb_build_object('name', first_value(station_name) ` + newestOfIt + `,
	'operator', first_value(coalesce(operator, brand)) ` + newestOfIt + `, 'maxPowerKw', ` + chargeKw + `,
	'points', count(*) ` + ofStation + `, 'free', ` + chargeFree + `, 'updated', max(updated) ` + ofStation + `))`

// chargePoints declares a file with one line a charge point, read into one
// record a station whose parts are its points.
func chargePoints() source.Source {
	straight, swapped := source.LiesInFrance(chargeX, chargeY), source.LiesInFrance(chargeY, chargeX)
	return source.Source{
		Name: "charge-points", Group: "mobility", Title: "Base nationale des IRVE, consolidée",
		Producer: "transport.data.gouv.fr; Etalab", Licence: source.LicenceOuverte,
		Homepage: "https://transport.data.gouv.fr/datasets/fichier-consolide-des-bornes-de-recharge-pour-vehicules-electriques",
		Files:    []source.Files{{Path: `(?i)(^|/)(consolidation-etalab-schema-irve-statique[^/]*?(-(?P<vintage>[0-9]{8}))?|consolidated-irve[^/]*)\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "5448d3e0c751df01f85d0572",
				Resource: "eb76d20a-8501-400e-b336-d85724de5435",
				File:     `^consolidation-etalab-schema-irve-statique-.*\.csv$`},
			As: "irve/{served}", Bytes: 162_000_000, Rhythm: "daily",
		}},
		Read: source.Read{Format: source.CSV, Encoding: "sniff", Nulls: []string{"Non concerné", "Non concerne",
			"NaN", "null"}},
		Columns: []source.Column{
			{Name: "id", SQL: chargeStation},
			{Name: "station", From: []string{"id_station_itinerance"}, Internal: true},
			{Name: "point", From: []string{"id_pdc_itinerance"}, Internal: true},
			{Name: "station_name", From: []string{"nom_station"}, Internal: true, Persons: source.PlaceName},
			{Name: "operator", From: []string{"nom_operateur"}, Internal: true, Persons: source.PlaceName},
			{Name: "brand", From: []string{"nom_enseigne"}, Internal: true, Persons: source.PlaceName},
			{Name: "power", From: []string{"puissance_nominale"}, Kind: source.Number, Internal: true},
			{Name: "free", From: []string{"gratuit"}, Internal: true},
			{Name: "updated", From: []string{"date_maj"}, Kind: source.Date, Internal: true},
			{Name: "longitude", From: []string{"consolidated_longitude"}, Kind: source.Number, Internal: true},
			{Name: "latitude", From: []string{"consolidated_latitude"}, Kind: source.Number, Internal: true},
			{Name: "xy", From: []string{"coordonneesXY"}, Internal: true},
			{Name: "piece", SQL: `row_number() OVER (PARTITION BY ` + chargeStation +
				` ORDER BY point, _file, _line)::int`},
			{Name: "attrs", SQL: chargeAttrs},
			{Name: "geom", SQL: `CASE WHEN ` + straight + ` THEN ` + source.DegreesPoint(chargeX, chargeY) +
				` ELSE ` + source.DegreesPoint(chargeY, chargeX) + ` END`},
		},
		// The same point is listed in the files of its operator, its brand and its commune.
		Drop: []string{source.AllButBest("coalesce(point, _file || ':' || _line)", "updated DESC NULLS LAST")},
		// With latitude and longitude swapped a point is not in France; swapped back it is, and the position is
		// repaired.
		Reject: []source.Rule{{When: "(" + straight + " OR " + swapped + ") IS NOT TRUE",
			Reason: "'its position is not in France'"}},
		Checks: source.Checks{MaxRefused: 0.05},
		Target: source.ShapeLayer("charge_point"),
		Covers: source.Covers("charge_point"),
		Note:   "The consolidated file of the whole country. The example file of the schema is fictitious and is not read.",
	}
}

// mobileMasts declares the supports of mobile antennas, with one row for each operator and generation.
func mobileMasts() source.Source {
	return source.Source{
		Name:     "mobile-masts",
		Group:    "mobility",
		Title:    "Observatoire 2G, 3G, 4G et 5G : supports d'antennes",
		Producer: "ANFR",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/donnees-sur-les-installations-radioelectriques-de-plus-de-5-watts-1",
		Files: []source.Files{
			{Path: `(?i)(^|/)((?P<vintage>20[0-9]{6})[-_])?[^/]*observatoire[-_]2g[^/]*\.(csv|zip)(\.gz)?$`},
			{Path: `(?i)(^|/)[^/]*observatoireod_(?P<vintage>20[0-9]{6})\.csv(\.gz)?$`},
		},
		// mobile-supports is made of this weekly file as well.
		Origins: []fetch.Origin{{
			From: producer.D4C{Host: "data.anfr.fr", Dataset: "observatoire_2g_3g_4g"}, As: "anfr/{served}",
			Bytes: 181_988_412, Rhythm: "weekly",
		}},
		Read: source.Read{Format: source.CSV, Encoding: "sniff", Separator: ";", Decimal: ","},
		Columns: []source.Column{
			{Name: "id", From: []string{"sup_id"}, Required: true},
			{Name: "operator", From: []string{"adm_lb_nom"}, Required: true, Internal: true},
			{Name: "generation", Required: true, Internal: true},
			{Name: "height", From: []string{"sup_nm_haut"}, Kind: source.Number, Internal: true},
			{Name: "status", From: []string{"statut"}, Internal: true},
			{Name: "piece", SQL: `row_number() OVER (PARTITION BY id ORDER BY operator, generation)::int`},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('operator', operator, 'generation', upper(generation),
				'heightM', CASE WHEN height > 0 THEN height END))`},
		},
		Geometry: &source.Geometry{From: source.LatLonText, X: []string{"coordonnees", "coord"},
			Bounds: source.France},
		// The second is how most of 5G is listed.
		Drop: []string{"status IS NOT NULL AND status !~* '^(en service|techniquement op)'",
			// An operator has one row for each band.
			source.AllButBest("id, operator, upper(generation)", "height DESC NULLS LAST")},
		Checks: source.Checks{MaxRefused: 0.02},
		Target: source.ShapeLayer("mobile_mast"),
		Covers: source.Covers("mobile_mast"),
		Note:   "The weekly file of the observatory. Installations that are approved but not in service are left out.",
	}
}
