package source

// stations are the passenger stations of the whole country.
func stations() Source {
	return Source{
		Name:     "railway-stations",
		Group:    "mobility",
		Title:    "Gares de voyageurs",
		Producer: "SNCF Gares & Connexions",
		Licence:  LicenceOuverte,
		Homepage: "https://ressources.data.sncf.com/explore/dataset/gares-de-voyageurs",
		Files:    []Files{{Path: `(?i)(^|/)gares-de-voyageurs\.csv(\.gz)?$`}},
		Read:     Read{Format: CSV, Separator: ";"},
		Columns: []Column{
			{Name: "id", SQL: uicCode("codes")},
			{Name: "name", From: []string{"Nom", "nom"}, Required: true, Internal: true},
			{Name: "codes", From: []string{"Code(s) UIC", "codes_uic", "Codes UIC"}, Required: true, Match: `.*[0-9]{8}.*`, Internal: true},
			{Name: "attrs", SQL: stationAttrs},
		},
		Geometry: &Geometry{From: LatLonText, X: []string{"Position géographique", "position_geographique"}, Pieces: true, Bounds: France},
		Dedupe:   Dedupe{Key: []string{"codes"}},
		Checks:   Checks{MaxRefused: 0.02},
		Target:   shapeLayer("railway_station"),
		Covers:   covers("railway_station"),
	}
}

// A station of two networks has a code of each.
const stationAttrs = `jsonb_build_object('name', name, 'uic', substring(codes FROM '[0-9]{8}'), 'codes',
	(SELECT jsonb_agg(m[1]) FROM regexp_matches(codes, '([0-9]{8})', 'g') AS m))`

// stationList is an older list, which has a row for each line that serves a station.
func stationList() Source {
	return Source{
		Name:     "station-list",
		Group:    "mobility",
		Title:    "Liste des gares",
		Producer: "SNCF Réseau",
		Licence:  odbl,
		Homepage: "https://ressources.data.sncf.com/explore/dataset/liste-des-gares",
		Files:    []Files{{Path: `(?i)(^|/)liste-des-gares\.csv(\.gz)?$`}},
		Read:     Read{Format: CSV, Separator: ";"},
		Columns: []Column{
			{Name: "id", SQL: uicCode("codes")},
			{Name: "name", From: []string{"Libellé Gare", "libelle", "Libelle"}, Required: true, Internal: true},
			{Name: "codes", From: []string{"Code UIC", "code_uic"}, Required: true, Match: `[0-9]{8}(\.0)?`, Internal: true},
			{Name: "passengers", From: []string{"Voyageurs"}, Internal: true},
			{Name: "attrs", SQL: stationAttrs},
		},
		// The columns that say WGS84 hold metres of some other grid; this text is right.
		Geometry: &Geometry{From: LatLonText, X: []string{"coordonnees_geographiques", "c_geo"}, Pieces: true, Bounds: France, Optional: true},
		Drop:     []string{"passengers IS DISTINCT FROM 'O'", "geom IS NULL", allButBest(uicCode("codes"), "codes")},
		Target:   shapeLayer("station_list"),
		Covers:   covers("station_list"),
		Note:     "Older, and with stations that are closed now. It serves only where gares-de-voyageurs is not loaded.",
	}
}

// highSpeedStations says which stations high-speed trains call at; no file of stations does.
func highSpeedStations() Source {
	return Source{
		Name:     "high-speed-stations",
		Group:    "mobility",
		Title:    "Stations served by high-speed trains",
		Producer: "operator of the service, from the timetables of SNCF",
		Licence:  ofOperator,
		Files: []Files{
			{Path: `(?i)(^|/)high-speed-stations\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)(export-)?tgv-gtfs[^/]*/stops\.txt$`},
		},
		Read: Read{Format: CSV, Separator: ","},
		Columns: []Column{
			{Name: "id", SQL: uicCode("stop")},
			{Name: "stop", From: []string{"uic", "code_uic", "stop_id"}, Required: true, Match: `.*[0-9]{8}.*`, Internal: true},
			{Name: "attrs", SQL: "'{}'::jsonb"},
		},
		Drop:   []string{allButBest(uicCode("stop"), "stop")},
		Target: factLayer("high_speed_station"),
		Covers: covers("high_speed_station"),
		Note: "A format of ours: high-speed-stations.csv with the column uic (eight digits), every station of the country that " +
			"a TGV, INOUI or OUIGO calls at; or the stops.txt of a GTFS folder tgv-gtfs that holds these trains only.",
	}
}

// airports reads two lists of the world's airfields, of which those of France with scheduled flights are kept, or with an
// IATA code where the list does not tell; and the two across the border that are French airports by treaty or use.
func airports() []Source {
	list := func(name, producer, homepage, path string, licence Licence) Source {
		return Source{
			Name: name, Group: "mobility", Title: "Airports (" + producer + ")", Producer: producer, Licence: licence, Homepage: homepage,
			Files: []Files{{Path: path}},
			Read:  Read{Format: CSV, Separator: ","},
			Columns: []Column{
				{Name: "id", SQL: "coalesce(ident, iata)"},
				{Name: "ident", From: []string{"icao", "ident"}, Internal: true},
				{Name: "iata", From: []string{"iata", "iata_code"}, Internal: true},
				{Name: "name", Required: true, Internal: true},
				{Name: "country", From: []string{"country", "iso_country"}, Internal: true},
				{Name: "scheduled", From: []string{"scheduled_service"}, Internal: true},
				{Name: "kind", From: []string{"type"}, Internal: true},
				{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('name', name, 'iata', iata,
					'icao', CASE WHEN ident ~ '^[A-Z]{4}$' THEN ident END))`},
			},
			Geometry: &Geometry{From: LonLat, X: []string{"lon", "longitude_deg"}, Y: []string{"lat", "latitude_deg"}, Pieces: true},
			Drop: []string{
				`(country IN ('FR', 'GP', 'MQ', 'GF', 'RE', 'YT', 'PM', 'BL', 'MF') OR iata IN ('BSL', 'MLH', 'EAP', 'GVA')) IS NOT TRUE`,
				`iata IS NULL AND scheduled IS DISTINCT FROM 'yes'`,
				`kind IN ('closed', 'closed_airport', 'heliport', 'balloonport')`,
				"NOT " + liesInFrance("ST_X(geom)", "ST_Y(geom)"), // islands of the Pacific and the Indian Ocean
			},
			Dedupe: Dedupe{Key: []string{"ident", "iata"}},
			Target: shapeLayer("airport"),
			Covers: covers("airport"),
		}
	}
	return []Source{
		list("airports-airportsdata", "airportsdata", "https://github.com/mborsetti/airportsdata",
			`(?i)(^|/)airportsdata[^/]*\.csv(\.gz)?$`, Licence{Name: "MIT", Open: true}),
		list("airports-ourairports", "OurAirports", "https://ourairports.com/data/",
			`(?i)(^|/)(ourairports[^/]*/)?airports\.csv(\.gz)?$`, Licence{Name: "public domain", Open: true}),
	}
}
