package services

import (
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// FacilitiesTotal is the number of facilities open to the public (BPE). The
// families are the domains of its list of types.
const FacilitiesTotal = "facilities.total"

// FacilityFamily returns the measure of a family by the letter of its domain.
func FacilityFamily(domain string) string { return "facilities.family." + domain }

// FacilitySelected returns the measure of a selection of types.
func FacilitySelected(key string) string { return "facilities." + key }

// facilityDomains are the letters of the families: personal services, shops, education, health and social
// care, transport, sports and culture, tourism.
var facilityDomains = []string{"A", "B", "C", "D", "E", "F", "G"}

// facilityTypes are the types counted on their own. Discontinued codes are listed next to their
// successors: no code was reused for something else.
var facilityTypes = []struct {
	key   string
	name  string // in the extract of 2024; empty: not in it
	codes []string
}{
	{"gp", "medecin_generaliste", []string{"D201", "D265"}},
	{"pharmacy", "pharmacie", []string{"D301", "D307"}},
	{"nurse", "infirmier", []string{"D232", "D281"}},
	{"primarySchool", "ecole_primaire", []string{"C107", "C108"}},
	{"elementarySchool", "", []string{"C109"}},
	{"middleSchool", "college", []string{"C201"}},
	{"highSchool", "lycee", []string{"C301", "C302"}},
	{"postOffice", "poste", []string{"A206", "A208"}},
	{"bakery", "boulangerie", []string{"B203", "B207"}},
	{"supermarket", "grande_surface", []string{"B101", "B102", "B104", "B105"}},
	{"convenience", "superette", []string{"B201"}},
	{"station", "gare", []string{"E107", "E108", "E109"}},
	{"childcare", "creche", []string{"D502", "D504"}},
	{"healthCentre", "structure_sante", []string{"D106", "D108", "D113"}},
	{"gym", "sport_salle", []string{"F121"}},
	{"pool", "sport_piscine", []string{"F101"}},
	{"tennis", "", []string{"F103"}}, // sport_terrain of the extract is athletics (F107)
	{"hotel", "", []string{"G102"}},
	{"camping", "", []string{"G103"}},
	{"touristOffice", "", []string{"G104"}},
	{"restaurant", "", []string{"A504"}},
	{"bank", "", []string{"A203"}},
	{"hairdresser", "", []string{"A501"}},
	{"garage", "", []string{"A301"}},
	{"petrolStation", "", []string{"B316"}},
	{"vet", "", []string{"A502"}},
	{"police", "", []string{"A101", "A104"}},
	{"dentist", "", []string{"D221"}},
	{"physiotherapist", "", []string{"D233"}},
	{"laboratory", "", []string{"D302"}},
	{"emergencyDepartment", "", []string{"D106"}},
	{"maternity", "", []string{"D107"}},
	{"hospitalShortStay", "", []string{"D101"}},
	{"hospitalMediumStay", "", []string{"D102"}},
	{"hospitalLongStay", "", []string{"D103"}},
	{"careHome", "", []string{"D401"}},
	{"taxi", "", []string{"E101"}},
	{"cinema", "", []string{"F303"}},
}

var measures = measuresOfFacilities()

func measuresOfFacilities() []source.Measure {
	names := []string{FacilitiesTotal}
	for _, domain := range facilityDomains {
		names = append(names, FacilityFamily(domain))
	}
	for _, t := range facilityTypes {
		names = append(names, FacilitySelected(t.key))
	}
	return source.MeasuresOf(source.Sum, names...)
}

const (
	facilitiesTitle = "Base permanente des équipements"
	facilitiesPage  = "https://www.insee.fr/fr/metadonnees/source/serie/s1161"
)

// facilityRows computes figures from counted, a query that returns code, measure, period and value of
// existing facilities. The list is exhaustive: a commune of its geography that is not listed has none, and a
// listed commune has none of the types not listed for it. A type that is listed nowhere is not in the
// edition. geography is SQL for the day whose code officiel géographique the codes follow.
func facilityRows(counted, geography string) string {
	return fmt.Sprintf(`
	WITH said AS MATERIALIZED (%[1]s),
	counted AS (SELECT code, measure, sum(value) AS value FROM said GROUP BY code, measure),
	place AS (
		SELECT code FROM stage UNION
		SELECT code FROM geo.commune WHERE type = 'commune-actuelle' AND departement_code IS NOT NULL UNION
		SELECT m.code_before FROM geo.commune_movement m WHERE m.day > %[2]s AND m.kind BETWEEN 30 AND 33
			AND m.type_before = 'COM' AND m.type_after = 'COM' AND geo.commune_today(m.code_before) IS NOT NULL)
	SELECT 'commune' AS level, p.code, m.name AS measure, y.period, coalesce(c.value, 0) AS value, NULL::text AS missing
	FROM place p CROSS JOIN (SELECT DISTINCT measure AS name FROM counted) m CROSS JOIN (SELECT max(period) AS period FROM said) y
	LEFT JOIN counted c ON c.code = p.code AND c.measure = m.name`, counted, geography)
}

// facilitiesExtract has 16 kinds of facilities, 15 of which are read. It has the three cities and not their
// arrondissements. A missing cell is a zero: only existing facilities were counted.
func facilitiesExtract() source.Source {
	s := source.Source{
		Name: "facilities-extract", Title: facilitiesTitle + " 2024, 15 types (dérivé par bpineau/gazetteer)",
		Producer: "INSEE", Homepage: facilitiesPage,
		Files:   []source.Files{{Path: `(^|/)insee-bpe/bpe_communes_2024\.json(\.gz)?$`}},
		Origins: copyOrigins,
		Read:    source.Read{Format: source.JSON, Items: []string{"communes"}, Keyed: true},
		Columns: source.FigureColumns("_key"),
		Reject: []source.Rule{source.UnknownCommune, {When: "value < 0 OR value <> trunc(value)",
			Reason: "'a number of facilities of ' || value || ' is none'"}},
		Checks: source.Checks{MinRows: 100_000},
		Note: "Primary schools are nursery schools and those with nursery and elementary classes: those with elementary classes alone are not in the extract. " +
			"Supermarkets are with hypermarkets, childcare with its relays, health centres with emergency rooms.",
	}
	var selected []string
	for _, t := range facilityTypes {
		if t.name == "" {
			continue
		}
		s.Read.Unpivot = append(s.Read.Unpivot, source.Unpivot{Column: t.name, Measure: FacilitySelected(t.key),
			Period: "2024"})
		selected = append(selected, FacilitySelected(t.key))
	}
	s.Checks.Queries = []string{source.Lacks(selected...)}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025,
		From: facilityRows("SELECT code, measure, period, value FROM stage", "'2025-01-01'")})
}

// facilityCodes returns a query for the staged types with the measures
// they count for: family, total, and selection.
func facilityCodes() string {
	var rows []string
	for _, t := range facilityTypes {
		for _, code := range t.codes {
			rows = append(rows, fmt.Sprintf("('%s', '%s')", code, FacilitySelected(t.key)))
		}
	}
	return `SELECT code, 'facilities.total' AS measure, period, value FROM stage WHERE kind <> '_T'
		UNION ALL SELECT code, 'facilities.family.' || left(kind, 1), period, value FROM stage WHERE kind <> '_T'
		UNION ALL SELECT s.code, t.measure, s.period, s.value FROM stage s JOIN (VALUES ` + strings.Join(rows, ", ") + `) AS t(kind, measure) ON t.kind = s.kind`
}

// followingYear is the year after that of the facilities, whose geography they are in.
const followingYear = "(SELECT max(period)::integer + 1 FROM stage)"

// facilitiesLong declares the table of INSEE's catalogue: one row for each place and type, and rows of totals
// (_T), of which only the grand total is read, as a check. It has the three cities and their arrondissements.
func facilitiesLong() source.Source {
	s := source.Source{
		Name: "facilities", Title: facilitiesTitle, Producer: "INSEE", Homepage: facilitiesPage,
		Files: []source.Files{{Path: `(^|/)DS_BPE(?:_(?P<scope>20[0-9]{2}))?(?:_CSV_FR)?\.zip$`}},
		// The address stays, and has the newest year.
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8217527/DS_BPE_CSV_FR.zip"},
			As:   "DS_BPE_CSV_FR.zip", Bytes: 14 << 20, Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.CSV, Separator: ";", Member: `(^|/)DS_BPE_[0-9]{4}_data\.csv$`,
			Keep: map[string]string{"GEO_OBJECT": "COM|ARM", "BPE_MEASURE": "FACILITIES"}},
		Columns: []source.Column{
			{Name: "code", From: []string{"GEO"}, Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "domain", From: []string{"FACILITY_DOM"}, Required: true},
			{Name: "kind", From: []string{"FACILITY_TYPE"}, Required: true},
			{Name: "period", From: []string{"TIME_PERIOD"}, Required: true, Match: `20[0-9]{2}`},
			{Name: "value", From: []string{"OBS_VALUE"}, Kind: source.Number, Required: true},
			{Name: "scope", Template: "{scope}"},
		},
		Drop:   []string{"kind = '_T' AND domain <> '_T'"},
		Reject: []source.Rule{source.UnknownCommune},
		Dedupe: source.Dedupe{Key: []string{"code", "kind"}},
		Checks: source.Checks{MinRows: 400_000, Queries: []string{
			`SELECT 'the type ' || kind || ' is of no family' FROM stage WHERE kind !~ '^[A-G][0-9]{3}$' AND kind <> '_T' LIMIT 1`,
			`SELECT 'it is of ' || min(period) || ' to ' || max(period) || ': one edition is expected' || coalesce(', of ' || max(scope), '')
			FROM stage HAVING min(period) <> max(period) OR max(period) <> max(scope)`,
			`SELECT 'the facilities of ' || code || ' are ' || whole || ', its types together ' || parts
			FROM (SELECT code, sum(value) FILTER (WHERE kind = '_T') AS whole, sum(value) FILTER (WHERE kind <> '_T') AS parts FROM stage GROUP BY code) t
			WHERE whole <> parts LIMIT 1`,
		}},
		Note: "The official file was not at hand: its columns are those of a sample. An edition is in the geography of the following year.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures, Since: followingYear,
		From: facilityRows(facilityCodes(), "make_date("+followingYear+", 1, 1)"), Rank: 10})
}

// copyOrigins is for the files of third parties.
var copyOrigins = source.NotFetched("The copy of a third party is not fetched; facilities has a newer edition.")
