package services

import "arpent/api/source"

// FINESS categories in the report: hospitals (regional, general, local and specialised centres hospitaliers),
// multi-professional health centres, pharmacies. Private clinics (122, 128, 129, 365) are excluded.
const (
	hospitals       = `('101', '106', '292', '355')`
	ofHealthReport  = `category IN ('101', '106', '292', '355', '603', '620')`
	finessID        = `[0-9][0-9A-F][0-9]{7}`
	structureLines  = "structureet"
	positionLines   = "geolocalisation"
	finessStockFile = `(?i)(^|/)etalab[-_]cs1100507[-_]stock[-_](?P<vintage>[0-9]{8})[^/]*\.csv(\.gz)?$`
)

// coversHealth declares the coverage of each kind separately: a list of hospitals does not say that there is no
// pharmacy.
var coversHealth = []source.Coverage{
	{Layer: "hospital", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' IN ` + hospitals + `)`},
	{Layer: "msp", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' = '603')`},
	{Layer: "pharmacy", Areas: `SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE attrs->>'category' = '620')`},
}

func ofFINESS(name, title string) source.Source {
	return source.Source{
		Name: name, Group: "services", Title: title, Producer: "Ministère de la Santé; ANS", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/finess-extraction-du-fichier-des-etablissements",
	}
}

// healthAttrs names pharmacies, which may be called as their owner is, by what is known to be no person.
const healthAttrs = `jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN category = '620' THEN coalesce(pharmacy_long, pharmacy_short)
	ELSE coalesce(long, short) END, 'category', category))`

func pharmacyName(column, from string) source.Column {
	return source.Column{Name: column, From: []string{from}, Internal: true, Persons: source.OrganisationName}
}

// finessStructures reads the lines of the FINESS file that describe a structure.
func finessStructures() source.Source {
	s := ofFINESS("finess-structures", "FINESS : structures")
	s.Files, s.Origins = []source.Files{{Path: finessStockFile}}, finessOrigins
	s.Read = source.Read{Format: source.CSV, Encoding: "sniff", Separator: ";", Lazy: true, Record: structureLines, Header: []string{
		"record", "nofinesset", "nofinessej", "rs", "rslongue", "complrs", "compldistrib", "numvoie", "typvoie", "voie", "compvoie",
		"lieuditbp", "commune", "departement", "libdepartement", "ligneacheminement", "telephone", "telecopie", "categetab",
		"libcategetab", "categagretab", "libcategagretab", "siret", "codeape", "codemft", "libmft", "codesph", "libsph", "dateouv",
		"dateautor", "datemaj", "numuai"}}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"nofinesset"}, Required: true, Match: finessID},
		{Name: "short", From: []string{"rs"}, Internal: true},
		{Name: "long", From: []string{"rslongue"}, Internal: true},
		{Name: "category", From: []string{"categetab"}, Required: true, Internal: true},
		pharmacyName("pharmacy_long", "rslongue"), pharmacyName("pharmacy_short", "rs"),
		{Name: "attrs", SQL: healthAttrs},
	}
	s.Drop = []string{"NOT " + ofHealthReport}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.FactLayer("health_structure")
	return s
}

// finessProjection is the projection that the line of a place names: "2,ATLASANTE,96,BAN,EPSG:5490 RGAF09/UTM Zone 20N (Antilles)".
// Older editions name none in this form: it is that of the département, whose code begins the number of a structure, overseas 9A to
// 9F or 9701 to 9704. The false northing of the southern hemisphere distinguishes Mayotte from Saint-Pierre-et-Miquelon.
const finessProjection = `CASE WHEN place ~ 'EPSG:(2154|2972|2975|4467|4471|5490)\M' THEN substring(place FROM 'EPSG:([0-9]+)')::integer
	WHEN id ~ '^(9[AB]|970[12])' THEN 5490 WHEN id ~ '^(9C|9703)' THEN 2972 WHEN id ~ '^(9D|9704)' THEN 2975
	WHEN id ~ '^9[78EF]' THEN CASE WHEN y > 7000000 THEN 4471 ELSE 32621 END ELSE 2154 END`

const finessPoint = `ST_SnapToGrid(ST_Transform(ST_SetSRID(ST_MakePoint(x, y), ` + finessProjection + `), 4326), 1e-7)`

// Coordinates far outside a projection cannot be converted.
const finessRange = `(CASE WHEN (` + finessProjection + `) <> 2154 THEN x BETWEEN 100000 AND 900000 AND y BETWEEN 0 AND 10000000
	ELSE x BETWEEN 0 AND 1300000 AND y BETWEEN 6000000 AND 7200000 END)`

// finessPositions reads the lines of the same file that locate a structure.
func finessPositions() source.Source {
	s := ofFINESS("finess-positions", "FINESS : établissements")
	s.After = []string{"finess-structures"}
	s.Files, s.Origins = []source.Files{{Path: finessStockFile}}, finessOrigins
	s.Read = source.Read{Format: source.CSV, Encoding: "sniff", Separator: ";", Lazy: true, Record: positionLines,
		Header: []string{"record", "nofinesset", "coordxet", "coordyet", "sourcecoordet", "datemajcoord"}}
	const structure = `(SELECT f.attrs FROM geo.enrich_health_structure f WHERE f.id = stage.id ORDER BY f.part LIMIT 1)`
	s.Columns = []source.Column{
		{Name: "id", From: []string{"nofinesset"}, Required: true, Match: finessID},
		{Name: "x", From: []string{"coordxet"}, Kind: source.Number, Internal: true},
		{Name: "y", From: []string{"coordyet"}, Kind: source.Number, Internal: true},
		{Name: "place", From: []string{"sourcecoordet"}, Internal: true},
		{Name: "piece", SQL: "1"},
		{Name: "attrs", SQL: structure},
		{Name: "geom", SQL: finessPoint},
	}
	s.Drop = []string{structure + " IS NULL", "x IS NULL OR y IS NULL",
		"place ~* ',ADMIN-EXPRESS'", // placed in the middle of the commune
		"place ~* 'Wallis'"}
	s.Reject = []source.Rule{
		{When: finessRange + " IS NOT TRUE", Reason: "'its coordinates are not of the projection of its département'"},
		{When: "NOT " + source.LiesInFrance("ST_X("+finessPoint+")", "ST_Y("+finessPoint+")"), Reason: "'its position is not in France'"},
	}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Checks = source.Checks{MaxRefused: 0.03}
	s.Target = source.ShapeLayer("health", healthIndexes)
	s.Covers = coversHealth
	return s
}

// hospitalExtract declares a list of hospitals of some départements, in degrees. It covers the départements in it, and
// hospitals only.
func hospitalExtract() source.Source {
	s := ofFINESS("finess-hospitals", "FINESS : extrait des hôpitaux (GeoJSON)")
	s.Files = []source.Files{{Path: `(?i)(^|/)hopitaux[^/]*?(_(?P<vintage>20[0-9]{2}))?\.geojson(\.gz)?$`}}
	s.Origins = hospitalOrigins
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"finess_et"}, Required: true, Match: finessID},
		{Name: "name", From: []string{"raison_sociale"}, Required: true, Internal: true},
		{Name: "category", From: []string{"num_cat"}, Required: true, Internal: true},
		{Name: "departement", From: []string{"num_dept"}, Required: true, Internal: true},
		{Name: "attrs", SQL: `jsonb_build_object('name', name, 'category', category, 'departement', departement)`},
	}
	s.Geometry = &source.Geometry{From: source.Feature, Subdivide: true, Bounds: source.France}
	s.Drop = []string{"category NOT IN " + hospitals}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Target = source.ShapeLayer("hospital_extract")
	s.Covers = []source.Coverage{{Layer: "hospital_extract", Areas: "SELECT attrs->>'departement' FROM ready"}}
	s.Note = "Serves its départements while FINESS itself is not loaded."
	return s
}
