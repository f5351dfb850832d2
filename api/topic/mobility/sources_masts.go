package mobility

import "arpent/api/source"

// ANFR publishes all supports of transmitters above 5 W as a set of tables. The system of the emitters distinguishes
// mobile networks from radio, television and radar. The tables without positions are loaded first; the supports are
// joined with them when they are loaded.

const generationOf = `CASE WHEN system ~* '^GSM' THEN '2G' WHEN system ~* '^UMTS' THEN '3G' WHEN system ~* '^LTE' THEN '4G'
	WHEN system ~* '^5G NR' THEN '5G' END`

// One row for each operator and generation on a support, like mobileMasts.
const mastsOfSupports = `SELECT m.id, row_number() OVER (PARTITION BY m.id ORDER BY m.operator, m.generation)::integer AS piece,
		jsonb_strip_nulls(jsonb_build_object('operator', m.operator, 'generation', m.generation, 'heightM', m.height)) AS attrs, m.geom
	FROM (SELECT DISTINCT ON (r.id, s.attrs->>'operator', g.generation) r.id, s.attrs->>'operator' AS operator, g.generation,
			(r.attrs->>'heightM')::float8 AS height, r.geom
		FROM ready r
		JOIN geo.enrich_mobile_station s ON s.id = r.attrs->>'station'
		CROSS JOIN unnest(ARRAY['2G', '3G', '4G', '5G']) AS g(generation)
		WHERE EXISTS (SELECT FROM geo.enrich_mobile_emitter e WHERE e.id = s.id || ':' || g.generation)
		ORDER BY r.id, s.attrs->>'operator', g.generation, r.piece) m`

func anfrTables() []source.Source {
	table := func(name, title, file, archive string, columns ...source.Column) source.Source {
		return source.Source{
			Name: name, Group: "mobility", Title: title, Producer: "ANFR", Licence: source.LicenceOuverte,
			Homepage: "https://www.data.gouv.fr/datasets/donnees-sur-les-installations-radioelectriques-de-plus-de-5-watts-1",
			Files: []source.Files{
				{Path: `(?i)(^|/)` + file + `\.txt(\.gz)?$`},
				// Some old exports have their day first: 31052018_export_etalab_data.zip. They are not read.
				{Path: `(?i)(^|/)((?P<vintage>20[0-9]{6})[-_])?[^/0-9]*export[-_]etalab[-_]` + archive + `[^/]*\.zip$`},
			},
			Read:    source.Read{Format: source.CSV, Member: `(?i)(^|/)` + file + `\.txt$`, Encoding: "sniff", Separator: ";", Lazy: true},
			Columns: columns,
			Origins: supportOrigins,
		}
	}
	operators := table("anfr-operators", "ANFR : exploitants", "SUP_EXPLOITANT", "ref",
		source.Column{Name: "id", From: []string{"ADM_ID"}, Required: true},
		source.Column{Name: "name", From: []string{"ADM_LB_NOM"}, Required: true, Internal: true},
		source.Column{Name: "attrs", SQL: `jsonb_build_object('name', name)`})
	operators.Origins = operatorOrigins
	operators.Target = source.FactLayer("mobile_operator")

	emitters := table("anfr-emitters", "ANFR : émetteurs mobiles", "SUP_EMETTEUR", "data",
		source.Column{Name: "id", SQL: "station || ':' || " + generationOf},
		source.Column{Name: "station", From: []string{"STA_NM_ANFR"}, Required: true, Internal: true},
		source.Column{Name: "system", From: []string{"EMR_LB_SYSTEME"}, Required: true, Internal: true},
		source.Column{Name: "attrs", SQL: "'{}'::jsonb"})
	emitters.Read.Keep = map[string]string{"EMR_LB_SYSTEME": `(?i)(GSM|UMTS|LTE|5G NR).*`}
	// Railways have a GSM network of their own.
	emitters.Drop = []string{"system ~* '^GSM[ -]?R'", generationOf + " IS NULL", source.AllButBest("station, "+generationOf, "system")}
	emitters.Target = source.FactLayer("mobile_emitter")

	stations := table("anfr-stations", "ANFR : stations", "SUP_STATION", "data",
		source.Column{Name: "id", From: []string{"STA_NM_ANFR"}, Required: true},
		source.Column{Name: "operator_id", From: []string{"ADM_ID"}, Required: true, Internal: true},
		source.Column{Name: "in_service", From: []string{"DTE_EN_SERVICE"}, Internal: true},
		source.Column{Name: "attrs", SQL: `jsonb_build_object('operator',
			(SELECT o.attrs->>'name' FROM geo.enrich_mobile_operator o WHERE o.id = operator_id ORDER BY o.part LIMIT 1))`})
	stations.After = []string{"anfr-operators"}
	stations.Drop = []string{"in_service IS NULL", "NOT EXISTS (SELECT FROM geo.enrich_mobile_operator o WHERE o.id = operator_id)"}
	stations.Dedupe = source.Dedupe{Key: []string{"id"}}
	stations.Target = source.FactLayer("mobile_station")
	return []source.Source{operators, emitters, stations, anfrSupports(table)}
}

func anfrSupports(table func(name, title, file, archive string, columns ...source.Column) source.Source) source.Source {
	s := table("anfr-supports", "ANFR : supports", "SUP_SUPPORT", "data",
		source.Column{Name: "id", From: []string{"SUP_ID"}, Required: true},
		source.Column{Name: "station", From: []string{"STA_NM_ANFR"}, Required: true, Internal: true},
		source.Column{Name: "height", From: []string{"SUP_NM_HAUT"}, Kind: source.Number, Internal: true},
		source.Column{Name: "piece", SQL: "row_number() OVER (PARTITION BY id ORDER BY station, _line)::integer"},
		source.Column{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('station', station, 'heightM', CASE WHEN height > 0 THEN height END))`})
	s.After = []string{"anfr-operators", "anfr-emitters", "anfr-stations"}
	s.Read.Decimal = ","
	s.Geometry = &source.Geometry{From: source.DMS, Optional: true,
		X: []string{"COR_NB_DG_LON", "COR_NB_MN_LON", "COR_NB_SC_LON", "COR_CD_EW_LON"},
		Y: []string{"COR_NB_DG_LAT", "COR_NB_MN_LAT", "COR_NB_SC_LAT", "COR_CD_NS_LAT"}}
	s.Drop = []string{"geom IS NULL OR ST_IsEmpty(geom)",
		"NOT " + source.LiesInFrance("ST_X(geom)", "ST_Y(geom)"), // Pacific territories
		source.AllButBest("id, station", "height DESC NULLS LAST")}
	s.Target = source.ShapeLayer("mobile_support")
	s.Derived = []source.Derived{{Name: "ready_masts", Query: mastsOfSupports, Target: source.ShapeLayer("mobile_mast")}}
	s.Covers = []source.Coverage{{Layer: "mobile_mast", Areas: "SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready_masts)"}}
	s.Note = "Load SUP_EXPLOITANT, SUP_EMETTEUR, SUP_STATION and SUP_SUPPORT, or the weekly file of the observatory, not both. " +
		"Positions are right to some 30 m."
	return s
}
