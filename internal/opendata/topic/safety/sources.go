// Package safety declares the data on recorded offences.
package safety

import (
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Offences recorded by police and gendarmerie, SSMSI. Each edition republishes the series from 2016 on. In
// July 2025 several series were replaced by others that count more; the two lists of series are never joined
// into one, so each has measures of its own.
const (
	Safety2024 = "2024" // labels of the editions until early 2025
	Safety2025 = "2025" // labels since July 2025
)

// Offence is a series of offences as one list of labels has it.
type Offence struct {
	Key   string
	Label string // as published
	Unit  string // the counted unit
}

// The offences that both lists have, under one label or two.
var (
	homicides     = Offence{"homicides", "Homicides", "victime"}
	sexual        = Offence{"sexualViolence", "Violences sexuelles", "victime"}
	armed         = Offence{"armedRobbery", "Vols avec armes", "infraction"}
	unarmed       = Offence{"unarmedRobbery", "Vols violents sans arme", "infraction"}
	fromPersons   = Offence{"theftFromPersons", "Vols sans violence contre des personnes", "victime entendue"}
	burglary      = Offence{OffenceBurglary, "Cambriolages de logement", "infraction"}
	fromVehicles  = Offence{"theftFromVehicles", "Vols dans les véhicules", "véhicule"}
	vehicleParts  = Offence{"vehicleParts", "Vols d'accessoires sur véhicules", "véhicule"}
	damage        = Offence{"damage", "Destructions et dégradations volontaires", "infraction"}
	drugUse       = Offence{"drugUse", "Usage de stupéfiants", "mis en cause"}
	drugUseFines  = Offence{"drugUseFines", "Usage de stupéfiants (AFD)", "mis en cause"}
	drugTraffick  = Offence{"drugTrafficking", "Trafic de stupéfiants", "mis en cause"}
	safetyListing = map[string][]Offence{
		Safety2024: {
			homicides,
			{"assault", "Coups et blessures volontaires", "victime"},
			{"assaultFamily", "Coups et blessures volontaires intrafamiliaux", "victime"},
			{"assaultOther", "Autres coups et blessures volontaires", "victime"},
			sexual, armed, unarmed, fromPersons, burglary,
			{"vehicleTheft", "Vols de véhicules", "véhicule"},
			fromVehicles, vehicleParts, damage,
			{"fraud", "Escroqueries", "victime"},
			drugUse, drugUseFines, drugTraffick,
		},
		Safety2025: {
			homicides,
			{"attemptedHomicides", "Tentatives d'homicide", "victime"},
			{"physicalViolenceFamily", "Violences physiques intrafamiliales", "victime"},
			{"physicalViolenceOther", "Violences physiques hors cadre familial", "victime"},
			sexual, armed, unarmed, fromPersons, burglary,
			{"vehicleTheft", "Vols de véhicule", "véhicule"},
			fromVehicles, vehicleParts, damage,
			{"fraud", "Escroqueries et fraudes aux moyens de paiement", "victime"},
			drugUse, drugUseFines,
			{"drugUseOther", "Usage de stupéfiants (hors AFD)", "mis en cause"},
			drugTraffick,
		},
	}
)

// OffenceBurglary is the only one whose rate is per 1 000 dwellings.
const OffenceBurglary = "burglary"

// Offences lists the series of a list of labels.
func Offences(list string) []Offence { return safetyListing[list] }

// SafetyCount returns the measure of the number of offences. Counts are additive over
// merged communes, but never summed to a département: offences that are not disclosed, or
// not located in a commune, would be missing.
func SafetyCount(list, key string) string { return "safety." + list + "." + key }

// SafetyBurglaryRate returns the measure of burglaries per 1 000 dwellings as published.
func SafetyBurglaryRate(list string) string { return "safety." + list + ".burglaryRate" }

// SafetyPopulation returns the measure of the inhabitants used for the other rates.
func SafetyPopulation(list string) string { return "safety." + list + ".population" }

// SafetyDwellings returns the measure of the dwellings used for the rate of burglaries.
func SafetyDwellings(list string) string { return "safety." + list + ".dwellings" }

var measures = measuresOfSafety()

func measuresOfSafety() (out []source.Measure) {
	for _, list := range []string{Safety2024, Safety2025} {
		for _, o := range safetyListing[list] {
			out = append(out, source.Measure{Name: SafetyCount(list, o.Key), Class: source.Own})
		}
		out = append(out,
			source.Measure{Name: SafetyBurglaryRate(list), Class: source.Official},
			source.Measure{Name: SafetyPopulation(list), Class: source.Own},
			source.Measure{Name: SafetyDwellings(list), Class: source.Own})
	}
	return out
}

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{
		safetyTerritories("departement", "départements", "dep", "2b27a675-e3bf-41ef-a852-5fb9ab483967", 12_000,
			"Code_departement", "Code.département"),
		safetyTerritories("region", "régions", "reg", "", 2200, "Code_region", "Code.région"),
		safetyDepartementsJSON(), safetyForce(), safetyCommunes()}
}

const (
	safetyTitle    = "Bases statistiques de la délinquance enregistrée par la police et la gendarmerie nationales"
	safetyHomepage = "https://www.data.gouv.fr/datasets/bases-statistiques-communale-departementale-et-regionale-de-la-delinquance-enregistree-par-la-police-et-la-gendarmerie-nationales"
)

// safetySource declares a file with one row a territory, year and offence.
func safetySource(name, level, title string, figures source.Figures, code ...string) source.Source {
	s := source.Source{
		Name: name, Title: safetyTitle + ", " + title, Producer: "Ministère de l'Intérieur (SSMSI)",
		Homepage: safetyHomepage,
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff", Decimal: ",",
			Nulls: []string{"NA"}},
		Columns: []source.Column{
			{Name: "code", From: code},
			{Name: "label", From: []string{"indicateur", "classe"}, Required: true},
			{Name: "year", From: []string{"annee"}, Kind: source.Integer, Required: true},
			{Name: "count", From: []string{"nombre", "faits"}, Kind: source.Number},
			{Name: "rate", From: []string{"taux_pour_mille", "tauxpourmille", "tauxPourMille"}, Kind: source.Number},
			{Name: "disclosed", From: []string{"est_diffuse", "valeur.publiée"}},
			{Name: "population", From: []string{"insee_pop", "POP", "inseePop"}, Kind: source.Number},
			{Name: "dwellings", From: []string{"insee_log", "LOG"}, Kind: source.Number},
			{Name: "named", Template: "{year}", Kind: source.Integer},
		},
		// Offences without a known place have no code.
		Drop:    []string{"code IS NULL"},
		Dedupe:  source.Dedupe{Key: []string{"code", "label", "year"}},
		Vintage: "make_date(max(2000 + year % 100), 12, 31)",
		Note:    "Its complement columns are averages of the communes that are not disclosed, not figures of a commune: they are not read.",
	}
	s.Reject = []source.Rule{{
		When:   "replace(label, '’', '''') NOT IN (SELECT label FROM (" + safetyLabels() + ") l)",
		Reason: "'the offence ' || label || ' is not one of those known (lists of 2024 and 2025)'",
	}}
	if level == "commune" {
		s.Reject = append(s.Reject, source.UnknownCommune)
	} else {
		s.Checks.Known = []source.Known{{Code: "code", Query: "SELECT code FROM geo." + level, Reason: "'no " +
			level + " has code ' || code"}}
	}
	s.Levels = []string{level}
	if level == "departement" { // régions without figures of their own are summed
		s.Levels = append(s.Levels, "region")
	}
	s.Checks.Queries = safetyChecks
	figures.Measures, figures.From = measures, safetyRows(level)
	return source.FigureSource(s, figures)
}

func safetyLabels() string {
	var rows []string
	for _, list := range []string{Safety2024, Safety2025} {
		for _, o := range safetyListing[list] {
			rows = append(rows, fmt.Sprintf("('%s', '%s')", list, source.Quoted(o.Label)))
		}
	}
	return "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS l(list, label)"
}

// safetyKey returns SQL for the key of a staged label in a list. It is not a join: the planner would
// underestimate how many of millions of rows it leaves, and plan the whole query for a few.
func safetyKey(list string) string {
	out := "CASE replace(label, '’', '''')"
	for _, o := range safetyListing[list] {
		out += fmt.Sprintf(" WHEN '%s' THEN '%s'", source.Quoted(o.Label), o.Key)
	}
	return out + " END"
}

// safetyRows computes counts, the rate of burglaries, the population and the dwellings. The
// labels determine which list a file follows.
func safetyRows(level string) string {
	return fmt.Sprintf(`
	WITH told AS (SELECT EXISTS (%[1]s) AS old),
	said AS (
		SELECT code, CASE WHEN (SELECT old FROM told) THEN '2024' ELSE '2025' END AS list,
			CASE WHEN (SELECT old FROM told) THEN %[3]s ELSE %[4]s END AS key,
			(2000 + year %% 100)::text AS period, count, rate, population, dwellings, coalesce(disclosed = 'ndiff', false) AS hidden
		FROM stage)
	SELECT '%[2]s' AS level, code, 'safety.' || list || '.' || key AS measure, period,
		CASE WHEN NOT hidden THEN count END AS value, CASE WHEN hidden THEN 'secret' END AS missing FROM said
	UNION ALL
	SELECT '%[2]s', code, 'safety.' || list || '.burglaryRate', period,
		CASE WHEN NOT hidden THEN rate END, CASE WHEN hidden THEN 'secret' END FROM said WHERE key = 'burglary'
	UNION ALL
	SELECT '%[2]s', code, 'safety.' || list || '.population', period, max(population), NULL FROM said GROUP BY code, list, period
	UNION ALL
	SELECT '%[2]s', code, 'safety.' || list || '.dwellings', period, max(dwellings), NULL FROM said GROUP BY code, list, period HAVING count(dwellings) > 0`,
		labelsNotInOther(Safety2024, Safety2025), level, safetyKey(Safety2024), safetyKey(Safety2025))
}

// labelsNotInOther returns a query for the staged labels that only one of the lists has.
func labelsNotInOther(list, other string) string {
	return fmt.Sprintf(`SELECT s.label FROM stage s WHERE replace(s.label, '’', '''') IN (SELECT l.label FROM (%[1]s) l WHERE l.list = '%[2]s')
		AND replace(s.label, '’', '''') NOT IN (SELECT l.label FROM (%[1]s) l WHERE l.list = '%[3]s')`, safetyLabels(), list, other)
}

// safetyChecks: the labels are of one list, the newest year is that of the name, rates are consistent with
// counts, and undisclosed rows have no figure.
var safetyChecks = []string{
	`SELECT 'it has offences of two lists of labels: ' || a.label || ' and ' || b.label
	FROM (SELECT min(label) AS label FROM (` + labelsNotInOther(Safety2024, Safety2025) + `) x) a,
		(SELECT min(label) AS label FROM (` + labelsNotInOther(Safety2025, Safety2024) + `) x) b WHERE a.label IS NOT NULL AND b.label IS NOT NULL`,
	`SELECT 'its newest year is ' || max(2000 + year % 100) || ', its name says ' || max(named) FROM stage
	HAVING max(named) <> max(2000 + year % 100)`,
	`SELECT 'the rate of ' || label || ' in ' || code || ', ' || year || ' is ' || rate || ', which is not its number per 1 000'
	FROM (SELECT *, count * 1000 / nullif(CASE WHEN label LIKE 'Cambriolages%' THEN dwellings ELSE population END, 0) AS made FROM stage) s
	WHERE abs(rate - made) > 0.01 + 0.01 * made LIMIT 1`,
	`SELECT 'it has a figure of ' || label || ' in ' || code || ', ' || year || ', which it says is not disclosed'
	FROM stage WHERE disclosed = 'ndiff' AND (count IS NOT NULL OR rate IS NOT NULL) LIMIT 1`,
	`SELECT 'it tells of ' || label || ' in ' || code || ' neither that it is disclosed nor that it is not: ' || disclosed
	FROM stage WHERE disclosed NOT IN ('diff', 'ndiff') LIMIT 1`,
}

// safetyCommunes declares the file of communes, in the geography of its name and its header. It has the three
// cities and their arrondissements, each with figures of its own.
func safetyCommunes() source.Source {
	var codes []string
	for geography := 2024; geography <= 2035; geography++ {
		codes = append(codes, fmt.Sprintf("CODGEO_%d", geography))
	}
	s := safetySource("safety-communes", "commune", "communes",
		source.Figures{Since: "(SELECT max(geography)::integer FROM stage)"}, codes...)
	s.Files = []source.Files{{Path: `(^|/)donnee-(comm-)?data\.gouv-(?P<year>20[0-9]{2})-geographie(?P<geography>20[0-9]{2})` +
		`-produit-le(?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2})\.csv(\.gz)?$`}}
	s.Columns = append(s.Columns, source.Column{Name: "geography", Template: "{geography}"})
	s.Columns[0].Match = `[0-9][0-9AB][0-9]{3}`
	s.Columns[5].Required = true
	s.Checks.MinRows = 2_000_000
	// The newest edition, of whatever geography: its resource had another id before March 2026.
	s.Origins = safetyOrigin("", `^donnee-(comm-)?data\.gouv-.*\.csv\.gz$`, 39_900_000)
	s.Target.Rank = 10
	s.Note = "The national file was not at hand: its columns are those of an extract and of a sample. Each edition has all years. " + s.Note
	return s
}

// safetyTerritories declares the file of départements or régions.
func safetyTerritories(level, title, file, resource string, minRows int64, code ...string) source.Source {
	s := safetySource("safety-"+level+"s", level, title, source.Figures{Cog: 2024}, code...)
	s.Files = []source.Files{{Path: `(^|/)donnee-` + file + `-(data\.gouv-)?(?P<year>20[0-9]{2})(-geographie20[0-9]{2})?(-produit-le(?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2}))?\.csv(\.gz)?$`}}
	s.Origins = safetyOrigin(resource, `^donnee-`+file+`-data\.gouv-.*\.csv$`, 0)
	s.Checks.MinRows, s.Target.Rank = minRows, 10
	s.Note = "The layout until 2024 and the one since. " + s.Note
	return s
}

// safetyDepartementsJSON declares a copy of the official file of départements of
// spring 2026, complete and in another format.
func safetyDepartementsJSON() source.Source {
	s := safetySource("safety-departements-copy", "departement",
		"départements (dérivé par Lingelo, carte-delinquance)", source.Figures{Cog: 2025}, "codeDepartement")
	s.Files = []source.Files{{Path: `(^|/)delinquance-departements-(?P<first>20[0-9]{2})-(?P<year>20[0-9]{2})\.json(\.gz)?$`}}
	s.Origins = source.NotFetched("The copy of a third party is not fetched. It was made from the file of safety-departements.")
	s.Read = source.Read{Format: source.JSON, Items: []string{"records"}}
	s.Checks.MinRows = 18_000
	s.Note = "A copy of the official file of départements, used until that is there."
	return s
}

// ForceKind is the kind of fact for the force in charge of a commune:
// force is "police", "gendarmerie" or "mixed".
const ForceKind = "safety.force"

// safetyForce declares the companion file of the communes, with the force in charge of each.
func safetyForce() source.Source {
	return source.Source{
		Name: "safety-force", Group: "stats", Title: safetyTitle + ", zones de compétence",
		Producer: "Ministère de l'Intérieur (SSMSI)",
		Licence:  source.LicenceOuverte,
		Homepage: safetyHomepage,
		After:    []string{"cog-communes", "cog-movements"},
		Files: []source.Files{{Path: `(^|/)info-complements-data\.gouv-(?P<year>20[0-9]{2})-geographie20[0-9]{2}` +
			`-produit-le(?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2})\.xlsx(\.gz)?$`}},
		Origins: safetyOrigin("a2af06fc-ba6c-4e6c-a69a-ac222817c93f", `^info-complements-data\.gouv-.*\.xlsx$`, 3_800_000),
		Read: source.Read{Format: source.Spreadsheet, Sheet: `(?i)zonages.*`, HeaderCell: "CODGEO",
			Nulls: []string{"NA"}},
		Columns: []source.Column{
			{Name: "code", From: []string{"CODGEO"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "zone", From: []string{"zone_competence"},
				Match: `(?i)Z?[PG]N( *[/+-] *Z?[PG]N)?|police.*|gendarmerie.*|mixte.*`},
			{Name: "year", Template: "{year}", Required: true},
		},
		Drop:   []string{"zone IS NULL"},
		Reject: []source.Rule{source.UnknownCommune},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		// A commune that others were merged into has no force from before.
		Rows: `SELECT 'commune' AS level, s.code, '` + ForceKind + `' AS kind, s.year AS period, jsonb_build_object('force', CASE
				WHEN s.zone ~* '^(ZPN|PN|police[^/+]*)$' THEN 'police' WHEN s.zone ~* '^(ZGN|GN|gendarmerie[^/+]*)$' THEN 'gendarmerie'
				ELSE 'mixed' END) AS attrs
			FROM stage s JOIN geo.commune k ON k.code = s.code AND k.type = 'commune-actuelle'
			WHERE s.code NOT IN (SELECT c.code FROM geo.commune_changes(make_date((SELECT min(year) FROM stage)::integer + 1, 1, 1)) c)`,
		Checks: source.Checks{MinRows: 30_000},
		Target: source.FactTarget,
		Note:   "The workbook was not at hand: sheet and columns as loaders of others read them.",
	}
}

// safetyOrigin is a file of the data set of all levels. Each edition is a new resource with the geography and
// the day in the name of its file.
func safetyOrigin(resource, file string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From:  producer.DataGouv{Dataset: "621df2954fa5a3b5a023e23c", Resource: resource, File: file},
		Bytes: bytes, Rhythm: "yearly",
	}}
}
