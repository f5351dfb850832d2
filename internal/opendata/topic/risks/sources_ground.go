package risks

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// floodSources declares the maps of the flood directive and the flood marks.
func floodSources() []source.Source {
	tri := func(name, title, member string) source.Source {
		s := riskSource(name, "Territoires à risques importants d'inondation : "+title, "DGPR; DREAL")
		// "tri_2020_sig_di_69.zip", as the ministry names them. Archives of test data have other names.
		s.Files = []source.Files{{Path: `(?i)(^|/)tri_(?P<vintage>20[0-9]{2})_sig_di_0?(?P<scope>[0-9]{2}|2[AB]|97[1-6])\.zip$`}}
		s.Origins = []fetch.Origin{{
			From: producer.At{Address: georisquesFiles + "di_2020/tri_2020_sig_di_{departement}.zip"},
			Area: fetch.Departement, Rhythm: "irregularly",
			Note: "A cycle of six years. Not each département has a file.",
		}}
		s.Read = source.Read{Format: source.Shapefile, Member: `(?i)(^|/)n_[^/]*` + member + `[^/]*\.shp$`}
		s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93,
			SRIDByScope: source.OfficialSRID, Polygon: true, Subdivide: true, Bounds: source.France}
		s.Target = source.ShapeLayer("tri")
		return s
	}
	// Only the flooded areas cover a département: with the outlines alone, or an
	// archive without areas, all would look dry.
	areas := tri("tri-inondations", "surfaces inondables", "_inondable_")
	areas.Covers = source.Covers("tri")
	areas.Columns = []source.Column{
		{Name: "area_id", From: []string{"ID_S_INOND"}, Required: true, Internal: true},
		{Name: "tri", From: []string{"ID_TRI"}, Required: true, Internal: true},
		{Name: "scenario", Match: `0[1-4][A-Za-z]+`, Required: true, Internal: true},
		internalColumn("kind", source.Text, "TYP_INOND"), internalColumn("river", source.Text, "COURS_DEAU"),
		internalColumn("named", source.Text, "_member"),
		{Name: "id", SQL: "concat_ws(' ', area_id, row_number() OVER (PARTITION BY area_id ORDER BY named, _line))"},
		source.Attrs("'form', 'area', 'tri', tri, 'scenario', scenario, 'floodType', kind, 'watercourse', river"),
	}
	outlines := tri("tri-perimetres", "périmètres", "_tri_s_[0-9]")
	outlines.Read.Optional = true
	outlines.Columns = []source.Column{
		{Name: "tri", From: []string{"ID_TRI"}, Required: true, Internal: true},
		{Name: "name", From: []string{"NOM"}, Internal: true},
		{Name: "id", SQL: "tri || ' ' || row_number() OVER (PARTITION BY tri ORDER BY _line)"},
		source.Attrs("'form', 'perimeter', 'tri', tri, 'name', name"),
	}
	return []source.Source{areas, outlines, floodMarkers()}
}

func floodMarkers() source.Source {
	s := riskSource("reperes-crues", "Repères de crues", "DDT(M); Vigicrues")
	s.Homepage = "https://www.reperesdecrues.developpement-durable.gouv.fr"
	s.Origins = source.NotFetched("The national platform has a site and no file or service. The layer of a département can be given as its DDT publishes it: Reperes_crue_DDT93.zip.")
	s.Note = "The layer of a département, named after it: Reperes_crue_DDT93.zip. " +
		"It speaks for the communes that it names; the national platform has no file."
	s.Files = []source.Files{{Path: `(?i)(^|/)rep[eè]res?_?(de_)?crues?[^/]*?[^/0-9](?P<scope>[0-9]{2}|2[AB]|97[1-6])\.(zip|shp)$`}}
	s.Read = source.Read{Format: source.Shapefile}
	s.Columns = []source.Column{
		{Name: "row_id", From: []string{"ID"}, Internal: true},
		{Name: "sheet", From: []string{"NUMFICHE"}, Required: true, Internal: true},
		internalColumn("number", source.Text, "NUMREPERE"),
		{Name: "code", From: []string{"INSEE"}, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`, Internal: true},
		{Name: "flood", From: []string{"DATE_CRUE"}, Required: true, Internal: true},
		internalColumn("level", source.Number, "Z_REPERE"), internalColumn("ground", source.Number, "Z_TN"),
		{Name: "place", From: []string{"ADRESSE"}, Internal: true, Persons: source.PlaceName},
		{Name: "id", SQL: "concat_ws('/', sheet, number) || ' ' || row_number() OVER (PARTITION BY sheet, number ORDER BY row_id, _line)"},
		source.Attrs("'mark', concat_ws('/', sheet, nullif(number, '0')), 'dateText', flood, 'date', " + floodDay +
			", 'year', " + floodYear +
			// Zero means not measured.
			", 'levelM', nullif(level, 0), 'groundM', nullif(ground, 0), 'place', place, 'commune', geo.commune_today(code)"),
	}
	s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93, Subdivide: true,
		Bounds: source.France}
	s.Target = source.ShapeLayer("flood_marker")
	s.Covers = []source.Coverage{{Layer: "flood_marker", Areas: "SELECT DISTINCT attrs->>'commune' FROM ready"}}
	return s
}

// The date of a flood is written "1997/12/18", "1997-12-18", "24/10/1999" or, when only
// the year is known, "1982/??/??" or "1982".
const (
	floodDay = `CASE WHEN flood ~ '^[0-9]{4}[/-](0[1-9]|1[0-2])[/-](0[1-9]|[12][0-9]|3[01])$' THEN replace(flood, '/', '-')
		WHEN flood ~ '^(0[1-9]|[12][0-9]|3[01])/(0[1-9]|1[0-2])/[0-9]{4}$'
		THEN right(flood, 4) || '-' || substr(flood, 4, 2) || '-' || left(flood, 2) END`
	floodYear = `coalesce(substring(flood FROM '^([0-9]{4})(?:[/-]|$)'), substring(flood FROM '/([0-9]{4})$'))::integer`
)

func claySource() source.Source {
	s := riskSource("rga", "Retrait-gonflement des argiles : carte d'exposition", "BRGM")
	// The file without a year in its name is the map of before 2026.
	s.Origins = []fetch.Origin{{
		From:  producer.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_Fxx_L93.zip"},
		Bytes: 439_610_008, Rhythm: "irregularly",
	}, {
		From: producer.At{Address: georisquesFiles + "argiles/{year}/AleaRG_{year}_{departement}_L93.zip"},
		Area: fetch.Departement, Rhythm: "irregularly",
	}}
	s.Note = "AleaRG_2025_Fxx_L93.zip, or that of a département. The file without a year in its name is the map that was in force before 2026."
	s.Files = []source.Files{{Path: `(?i)(^|/)(alearg|expoargile)_((?P<vintage>20[0-9]{2})_)?(f?(?P<scope>[0-9]{2}|2[AB])|fxx|france)_l93\.(zip|shp)$`}}
	s.Read = source.Read{Format: source.Shapefile}
	s.Columns = []source.Column{
		{Name: "level", From: []string{"niveau"}, Kind: source.Integer, Required: true, Match: `[123](\.0+)?`,
			Internal: true},
		internalColumn("named", source.Text, "_member"),
		{Name: "id", SQL: "row_number() OVER (ORDER BY named, _line)::text"},
		source.Attrs("'level', level"),
	}
	s.Geometry = &source.Geometry{From: source.Feature, SRID: source.Lambert93, Polygon: true, Subdivide: true,
		Bounds: source.France}
	s.Target = source.ShapeLayer("rga")
	// The map covers the mainland with Corsica: the national file has nothing on the overseas départements.
	s.Covers = []source.Coverage{{Layer: "rga", Areas: `SELECT d.code FROM geo.departement d, this_load t
		WHERE length(d.code) = 2 AND (t.scope = '' OR t.scope = d.code)`}}
	s.After = append(s.After, "cog-departements")
	return s
}

func radonSource() source.Source {
	s := riskSource("radon", "Potentiel radon des communes", "ASNR (IRSN)")
	s.Homepage = "https://www.data.gouv.fr/datasets/connaitre-le-potentiel-radon-de-ma-commune"
	s.Origins = []fetch.Origin{{
		From:   producer.DataGouv{Dataset: "connaitre-le-potentiel-radon-de-ma-commune", File: `(?i)^radon\.csv$`},
		Rhythm: "once",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)radon[^/]*\.csv(\.gz|\.zip)?$`}}
	s.Read = source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff"}
	s.Columns = []source.Column{
		{Name: "code", From: []string{"insee_com"}, Pad: 5, Internal: true},
		{Name: "category", From: []string{"classe_potentiel"}, Internal: true},
		{Name: "territory", From: []string{"reg"}, Internal: true},
		{Name: "id", SQL: "code"},
		riskToday,
		source.Attrs("'category', category::integer"),
	}
	s.Drop = []string{
		// Blank lines, and the overseas collectivities, some of whose rows lost columns in a spreadsheet.
		"code IS NULL OR coalesce(territory, '') NOT IN ('FR', 'ANT', 'GUY', 'REU', 'MAY') OR code ~ '^(975|977|978|98)'",
		// A merged commune has the class of the former commune whose code it kept, else the highest.
		source.OnceACommune("", ", s.category DESC"),
	}
	s.Reject = []source.Rule{
		{When: "category IS NULL OR category !~ '^[123]$'",
			Reason: "'its class ' || coalesce(category, '') || ' is none'"},
		source.UnknownCommune,
	}
	s.Target, s.Covers = source.FactLayer("radon"), source.Covers("radon")
	return s
}

func seismicSource() source.Source {
	s := riskSource("seisme", "Zonage sismique de la France", "DGPR; BRGM")
	s.Homepage = "https://www.data.gouv.fr/datasets/zonage-sismique-de-la-france-1"
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "zonage-sismique-de-la-france-1",
			File: `(?i)^France_zonage_sismique\.zip$`},
		Bytes: 129_000_000, Rhythm: "once",
	}}
	s.Files = []source.Files{{Path: `(?i)(^|/)((france_)?zon[a-z]*[-_]?(de[-_])?sism|sismicite|seisme)[^/]*\.(zip|shp)$`}}
	s.Read = source.Read{Format: source.Shapefile}
	s.Columns = []source.Column{
		riskCommune("insee", "code_insee", "insee_com"),
		{Name: "zone", From: []string{"sismicite", "sismicité"}, Required: true, Match: `[1-5]\b.*`,
			Internal: true},
		{Name: "id", SQL: "code"},
		riskToday,
		source.Attrs("'zone', left(zone, 1)::integer"),
	}
	s.Drop = []string{source.OnceACommune("", ", left(s.zone, 1) DESC")}
	s.Reject = []source.Rule{source.UnknownCommune}
	s.Target, s.Covers = source.FactLayer("seismic_zone"), source.Covers("seismic_zone")
	return s
}
