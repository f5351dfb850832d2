package water

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// tapSource declares a table of the sanitary control of tap water. Each year is a zip file of three tables,
// loaded side by side with the other years: the last twelve months begin in the previous year.
func tapSource(name, title, table, layer string) source.Source {
	s := waterSource(name, "Contrôle sanitaire de l'eau distribuée : "+title,
		"Ministère chargé de la santé (SISE-Eaux)",
		"https://www.data.gouv.fr/datasets/resultats-du-controle-sanitaire-de-leau-distribuee-commune-par-commune")
	s.Files = []source.Files{
		{Path: `(?i)(^|/)dis-(?P<scope>[0-9]{4})\.zip$`},
		{Path: `(?i)(^|/)` + table + `_(?P<scope>[0-9]{4})\.(txt|csv)(\.gz)?$`},
	}
	s.Read = source.Read{Format: source.CSV, Member: `(?i)(^|/)` + table + `[^/]*\.(txt|csv)$`,
		Encoding: "sniff"}
	s.Covers = []source.Coverage{{Layer: layer}}
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "resultats-du-controle-sanitaire-de-leau-distribuee-commune-par-commune",
			File: `(?i)^dis-20[0-9]{2}\.zip$`, Newest: 2},
		Rhythm: "monthly",
	}}
	s.Note = "Give the archives of this year and of the one before: the last twelve months begin in that."
	return s
}

// departementQuery returns SQL for the département in the first three characters of a code: 012, 02A, 974.
func departementQuery(column string) string {
	return `SELECT DISTINCT d.code FROM (SELECT DISTINCT left(` + column + `, 3) AS three FROM ready) r
		JOIN geo.departement d ON d.code = CASE WHEN r.three LIKE '0%' THEN substr(r.three, 2) ELSE r.three END`
}

// tapNetworks declares the networks that serve each commune.
func tapNetworks() source.Source {
	s := tapSource("tap-networks", "réseaux des communes", "DIS_COM_UDI", "tap_network")
	s.Columns = []source.Column{
		{Name: "code", From: []string{"inseecommune"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`, Pad: 5,
			Internal: true},
		{Name: "network", From: []string{"cdreseau"}, Required: true, Match: `[0-9]{2}[0-9AB][0-9]{6}`, Pad: 9,
			Internal: true},
		source.Internal("name", "nomreseau"),
		{Name: "id", SQL: "geo.commune_today(code) || '-' || network"},
		{Name: "commune", SQL: "geo.commune_today(code)"},
		source.Attrs("'network', network, 'name', name"),
	}
	// A network has one row for each quarter of the commune, and former communes have rows of their own.
	s.Drop = []string{source.OnceACommune(", s.network", "")}
	s.Reject = []source.Rule{source.UnknownCommune}
	s.Target = source.FactLayer("tap_water")
	s.Covers[0].Areas = "SELECT DISTINCT k.departement_code FROM ready r JOIN geo.commune k ON k.code = r.commune"
	return s
}

// assessmentColumn is a column with C (compliant), N (not compliant), S (not assessed)
// or D (not compliant, with a dispensation).
func assessmentColumn(name, from string) source.Column {
	return source.Column{Name: name, From: []string{from}, Match: `[CNSD]`}
}

func tapSamples() source.Source {
	s := tapSource("tap-samples", "prélèvements", "DIS_PLV", "tap_water")
	s.Columns = []source.Column{
		{Name: "id", From: []string{"referenceprel"}, Required: true},
		{Name: "network", From: []string{"cdreseau"}, Required: true, Match: `[0-9]{2}[0-9AB][0-9]{6}`, Pad: 9},
		{Name: "sampled", From: []string{"dateprel"}, Kind: source.Date, Required: true},
		{Name: "hour", From: []string{"heureprel"}},
		{Name: "conclusion", From: []string{"conclusionprel"}},
		assessmentColumn("bacteriological", "plvconformitebacterio"),
		assessmentColumn("chemical", "plvconformitechimique"),
		assessmentColumn("bacteriological_reference", "plvconformitereferencebact"),
		assessmentColumn("chemical_reference", "plvconformitereferencechim"),
	}
	// A sample has one row for each way by which the water reaches a network.
	s.Drop = []string{onceInStage("id, network")}
	s.Target = source.Target{Table: "geo.tap_sample", Key: []string{"part", "id", "network"}, Part: true,
		Create: tables}
	s.Covers[0].Areas = departementQuery("network")
	return s
}

// onceInStage drops all rows of a key but the first.
func onceInStage(key string) string {
	return `ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY ` + key +
		` ORDER BY _file, _line) AS nth FROM stage) d WHERE nth > 1)`
}

// written is SQL for a result without its blanks, number matches how a laboratory writes one.
const (
	trimmedResult = `replace(raw, ' ', '')`
	number        = `[0-9]+([.,][0-9]+)?`
)

// measuredColumn is the column of a result. Below the limit of quantification the
// numeric column has 0; only the text has the sign.
func measuredColumn(sign string) string {
	return `CASE WHEN ` + trimmedResult + ` ~ '^` + sign + number + `$'
		THEN replace(ltrim(` + trimmedResult + `, '<'), ',', '.')::double precision * ` + unitFactor + ` END`
}

// unitFactor converts nitrates to milligrams, lead and pesticides to micrograms.
const unitFactor = `CASE WHEN code = '1340' AND unit ~* '^[µu]g' THEN 0.001 WHEN code <> '1340' AND unit ~* '^mg' THEN 1000
	WHEN code <> '1340' AND unit ~* '^ng' THEN 0.001 ELSE 1 END`

// tapResults declares the nitrates (1340), lead (1382) and total pesticides
// (6276) among some twelve million results a year.
func tapResults() source.Source {
	s := tapSource("tap-results", "nitrates, plomb et pesticides", "DIS_RESULT", "tap_result")
	s.Read.Keep = map[string]string{"cdparametre": "1340|1382|6276"}
	s.Columns = []source.Column{
		{Name: "sample", From: []string{"referenceprel"}, Required: true},
		{Name: "code", From: []string{"cdparametre"}, Required: true, Internal: true},
		source.Internal("raw", "rqana"),
		// the second can be a number of a nomenclature
		source.Internal("unit", "cdunitereferencesiseeaux", "cdunitereference"),
		source.Internal("departement", "cddept"),
		{Name: "parameter", SQL: "CASE code WHEN '1340' THEN 'nitrates' WHEN '1382' THEN 'lead' ELSE 'pesticides' END"},
		{Name: "value", SQL: measuredColumn("")},
		{Name: "below", SQL: measuredColumn("<")},
	}
	s.Drop = []string{
		"coalesce(" + trimmedResult + " !~ '^<?" + number + "$', true)", // words in place of a number
		onceInStage("sample, code"),
	}
	s.Target = source.Target{Table: "geo.tap_result", Key: []string{"part", "sample", "parameter"}, Part: true,
		Create: tables}
	s.Covers[0].Areas = `SELECT d.code FROM geo.departement d WHERE EXISTS (SELECT FROM stage s
		WHERE s.departement = lpad(d.code, 3, '0'))`
	return s
}

// NetworkKind is the kind of fact, and the level, of the inhabitants served by a network of
// tap water. Its code is that of the network.
const NetworkKind = "water-network"

// networkPopulations declares the inhabitants served by each network of tap water: a figure of the yearly
// notices to consumers, only published as a table by third parties.
func networkPopulations() source.Source {
	return source.Source{
		Name: "water-network-populations", Group: "stats",
		Title:    "Population desservie par réseau d'eau potable, d'après les infofactures (dérivé par Data For Good)",
		Producer: "Ministère chargé de la santé et ARS", Licence: source.LicenceOuverte,
		Homepage: "https://github.com/dataforgoodfr/13_pollution_eau",
		Files:    []source.Files{{Path: `(?i)(^|/)udi_population[^/]*\.csv(\.gz)?$`}},
		Origins: source.NotFetched("Only a third party publishes it as a table, which is not fetched: udi_population_from_infofactures.csv, in dbt_/seeds of " +
			"https://github.com/dataforgoodfr/13_pollution_eau. It can be given under that name."),
		Read: source.Read{Format: source.CSV},
		Columns: []source.Column{
			{Name: "level", SQL: "'" + NetworkKind + "'"},
			{Name: "code", From: []string{"code_udi"}, Required: true, Pad: 9, Match: `[0-9]{2}[0-9AB][0-9]{6}`},
			{Name: "kind", SQL: "'" + NetworkKind + "'"},
			{Name: "period", SQL: "''"},
			{Name: "inhabitants", From: []string{"population"}, Kind: source.Integer, Required: true, Internal: true},
			source.Internal("sentence", "sentence"),
			source.Attrs("'inhabitants', inhabitants"),
		},
		Drop: []string{"inhabitants = 0"}, // an active network serves somebody: zero means not counted
		Reject: []source.Rule{{
			When:   `sentence IS NOT NULL AND translate(sentence, ' ', '') !~ ('(^|[^0-9])' || inhabitants || '([^0-9]|$)')`,
			Reason: "'the sentence it was read from does not say ' || inhabitants",
		}},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Checks: source.Checks{MinRows: 15000},
		Target: source.FactTarget,
		Note: "Read from the notices by the holder, who does not tell of which year they are. Shown with the networks of a commune, which the " +
			"sanitary control of tap water names.",
	}
}
