package housing

import (
	_ "embed"
	"fmt"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed dvf_sale.sql
var dvfSale string

//go:embed sale_tables.sql
var saleTables string

// SaleSources returns property sales: the DVF, as Etalab and as the tax authority publish it.
func SaleSources() []source.Source {
	return []source.Source{dvfGeo(), dvfRaw()}
}

// notInLivreFoncier excludes the départements where sales are recorded in the livre foncier, or not yet
// at all; the producer publishes none of them.
const notInLivreFoncier = `code !~ '^(57|67|68|976)'`

// dvfAreas is the coverage of a file of sales: the commune it is named after, or the départements with
// sales in it. Even the smallest one has some thousands of rows a year: fewer rows are an extract, or the
// plots of a deed signed in the next département.
const dvfAreas = `SELECT code FROM (
	SELECT scope AS code FROM this_load WHERE char_length(scope) = 5
	UNION SELECT h.code FROM this_load JOIN (
		SELECT CASE WHEN commune ~ '^97' THEN left(commune, 3) ELSE left(commune, 2) END AS code
		FROM (SELECT left(idu, 5) AS commune, count(*) AS rows FROM ready GROUP BY 1 OFFSET 0) c
		GROUP BY 1 HAVING sum(rows) >= 1000
	) h ON scope IN ('', h.code)) areas WHERE ` + notInLivreFoncier

func dvfSource(name, title string, rank int) source.Source {
	return source.Source{
		Name: name, Group: "sales", Title: title, Producer: "DGFiP",
		Licence: source.Licence{Name: "Licence Ouverte 2.0; no re-identification, no indexing by search engines",
			Open: true},
		Homepage: "https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres",
		Checks:   source.Checks{MaxRefused: 0.02},
		Target: source.Target{Table: "geo.dvf", Key: []string{"part", "mutation", "line"}, Part: true,
			Create: saleTables},
		Derived: []source.Derived{
			{Name: "sale", Query: dvfSale, Target: source.Target{Table: "geo.dvf_sale", Key: []string{"part",
				"mutation"}, Part: true}},
			{Name: "sold_in", Query: fmt.Sprintf(`SELECT left(idu, 5) AS commune, max(max(date)) OVER () AS last_day, %d AS rank,
			min(min(date)) OVER () AS first_day FROM ready GROUP BY 1`, rank),
				Target: source.Target{Table: "geo.dvf_commune", Key: []string{"part", "commune"}, Part: true}},
		},
		Covers: []source.Coverage{{Layer: "dvf", Areas: dvfAreas}},
	}
}

// lineColumn numbers the rows of a mutation; the years of a place, which are files of one load, share no
// mutation.
var lineColumn = source.Column{Name: "line", SQL: "_line::integer"}

// dvfTwice rejects files of years next to a file of all years: each sale would be there
// twice. A mutation is numbered by its year.
const dvfTwice = `SELECT 'the sales of ' || year || ' are in ' || count(*) || ' of its files' FROM (
	SELECT DISTINCT left(mutation, 4) AS year, _file FROM stage) f GROUP BY year HAVING count(*) > 1`

// dvfGeo declares the edition of Etalab, with mutations, parcels and
// coordinates. The years of a place are one load.
func dvfGeo() source.Source {
	s := dvfSource("dvf", "Demandes de valeurs foncières géolocalisées", 2)
	s.Producer = "DGFiP; Etalab"
	s.Homepage = "https://www.data.gouv.fr/datasets/demandes-de-valeurs-foncieres-geolocalisees"
	const end = `\.csv(\.gz)?$`
	s.Files = []source.Files{
		{Path: `(^|/)20[0-9]{2}/full` + end, GroupByScope: true},
		{Path: `(^|/)20[0-9]{2}/departements/(?P<scope>` + source.DepartementCode + `)` + end, GroupByScope: true},
		{Path: `(^|/)20[0-9]{2}/communes/[0-9AB]{2,3}/(?P<scope>` + source.CommuneCode + `)` + end,
			GroupByScope: true},
		{Path: `(^|/)(geo-)?dvf/full` + end},
		{Path: `(^|/)(dvf|full-20[0-9]{2})` + end, GroupByScope: true},
		{Path: `(^|/)(geo-)?dvf[-_]` + source.PlaceCode + `([-_]20[0-9]{2})?` + end, GroupByScope: true},
	}
	// A commune is a few hundred KB, a département a year 0.4 to 2.3 MB.
	const note = "Nothing is published for 57, 67, 68 and 976, nor a file for a year without sales."
	s.Origins = []fetch.Origin{
		dvfOrigin(fetch.Commune, "communes/{departement}/{commune}.csv", 622_000,
			"Paris, Lyon and Marseille have one for each arrondissement. "+note),
		dvfOrigin(fetch.Departement, "departements/{departement}.csv.gz", 2_056_139, note),
		dvfOrigin(fetch.France, "full.csv.gz", 122_300_000, ""),
	}
	s.Checks.Queries = []string{dvfTwice}
	s.Read = source.Read{Format: source.CSV, Separator: "sniff", Nulls: []string{"None", "nan", "NA"}}
	s.Columns = []source.Column{
		{Name: "mutation", From: []string{"id_mutation"}, Required: true},
		lineColumn,
		{Name: "date", From: []string{"date_mutation"}, Kind: source.Date, Required: true},
		{Name: "nature", From: []string{"nature_mutation"}},
		{Name: "price", From: []string{"valeur_fonciere"}, Kind: source.Number},
		{Name: "idu", From: []string{"id_parcelle"}, Required: true, Match: source.IDU},
		{Name: "type", From: []string{"type_local"}},
		{Name: "built", From: []string{"surface_reelle_bati"}, Kind: source.Number},
		{Name: "rooms", From: []string{"nombre_pieces_principales"}, Kind: source.Integer},
		{Name: "lot", From: []string{"lot1_numero"}},
		{Name: "lots", From: []string{"nombre_lots"}, Kind: source.Integer},
		{Name: "culture", From: []string{"nature_culture"}},
		{Name: "culture_special", From: []string{"nature_culture_speciale"}},
		{Name: "land", From: []string{"surface_terrain"}, Kind: source.Number},
	}
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"longitude"}, Y: []string{"latitude"},
		Optional: true, Bounds: source.France}
	return s
}

// dvfName returns the names of a column of the raw files, as spelled by the producer and by R.
func dvfName(name string) []string {
	dotted := strings.ReplaceAll(name, " ", ".")
	return []string{name, dotted, "X" + dotted}
}

// The raw files have commune, prefix, section and plan of a parcel in separate columns.
const (
	dvfCode = `coalesce(cog, CASE WHEN char_length(dep) = 3 THEN left(dep, 2) || lpad(com, 3, '0') ELSE lpad(dep, 2, '0') || lpad(com, 3, '0') END)`
	dvfIDU  = dvfCode + ` || lpad(coalesce(prefix, ''), 3, '0') || lpad(section, 2, '0') || lpad(plan, 4, '0')`
)

// dvfMutation is SQL for the identifier of a mutation in a raw file, which has none. The rows of a
// deed are adjacent: adjacent rows with the same date, disposition and price are one mutation, the
// same values elsewhere in the file are another.
const dvfMutation = `date || '/' || coalesce(disposition, '') || '/' || coalesce(price::text, '') || '/' ||
	(row_number() OVER (ORDER BY _file, _line) - row_number() OVER (PARTITION BY date, disposition, price ORDER BY _file, _line))`

// dvfRaw declares the edition of the producer itself.
func dvfRaw() source.Source {
	s := dvfSource("dvf-brut", "Demandes de valeurs foncières", 1)
	s.After = []string{"parcelles-etalab", "parcelles-ign-shp"}
	s.Files = []source.Files{
		{Path: `(?i)(^|/)valeurs-?foncieres-20[0-9]{2}(-s[12])?\.(txt|csv)(\.gz|\.zip)?$`, GroupByScope: true},
		// the rows of a commune
		{Path: `(^|/)dvf-brut-(?P<scope>` + source.CommuneCode + `)-20[0-9]{2}\.csv(\.gz)?$`, GroupByScope: true},
	}
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "5c4ae55a634f4117716d5656",
			File: `^valeursfoncieres-20[0-9]{2}(-s[12])?\.txt\.zip$`, Newest: producer.All},
		As: "dvf/{served}", OnDemand: true, Rhythm: "half-yearly",
		Note: "dvf has the same sales with positions.",
	}}
	s.Read = source.Read{Format: source.CSV, Separator: "sniff", Decimal: ",", Nulls: []string{"NA"}}
	s.Columns = []source.Column{
		{Name: "mutation", SQL: dvfMutation},
		lineColumn,
		{Name: "date", From: dvfName("Date mutation"), Kind: source.Date, Required: true},
		{Name: "nature", From: dvfName("Nature mutation")},
		{Name: "price", From: dvfName("Valeur fonciere"), Kind: source.Number},
		{Name: "disposition", From: dvfName("No disposition"), Internal: true},
		{Name: "cog", Pad: 5, Internal: true},
		{Name: "dep", From: dvfName("Code departement"), Internal: true},
		{Name: "com", From: dvfName("Code commune"), Internal: true},
		{Name: "prefix", From: dvfName("Prefixe de section"), Internal: true},
		{Name: "section", From: dvfName("Section"), Required: true, Internal: true},
		{Name: "plan", From: dvfName("No plan"), Required: true, Internal: true},
		{Name: "idu", SQL: dvfIDU},
		{Name: "type", From: dvfName("Type local")},
		{Name: "built", From: dvfName("Surface reelle bati"), Kind: source.Number},
		{Name: "rooms", From: dvfName("Nombre pieces principales"), Kind: source.Integer},
		{Name: "lot", From: dvfName("1er lot")},
		{Name: "lots", From: dvfName("Nombre de lots"), Kind: source.Integer},
		{Name: "culture", From: dvfName("Nature culture")},
		{Name: "culture_special", From: dvfName("Nature culture speciale")},
		{Name: "land", From: dvfName("Surface terrain"), Kind: source.Number},
		{Name: "geom", SQL: "NULL::geometry(Point, 4326)"}, // filled from the parcels, see dvf_sale.sql
	}
	s.Reject = []source.Rule{{
		When:   "(" + dvfIDU + ") IS NULL OR (" + dvfIDU + ") !~ '^" + source.IDU + "$'",
		Reason: "'its parcel ' || coalesce(" + dvfIDU + ", '') || ' is not of the form of an IDU'",
	}}
	s.Outlines = "SELECT DISTINCT left(idu, 5) FROM ready"
	s.Vintage = "left(max(date)::text, 4)"
	s.Note = "Without coordinates: comparable sales are placed by the parcels that are loaded before."
	return s
}

// dvfOrigin is the last five years of the sales of a place.
func dvfOrigin(area fetch.Area, file string, bytes int64, note string) fetch.Origin {
	return fetch.Origin{
		From: producer.At{Address: "https://files.data.gouv.fr/geo-dvf/latest/csv/{year}/" + file, Years: 5},
		As:   "dvf/{year}/" + file, Area: area, Bytes: bytes, Rhythm: "half-yearly", Note: note,
	}
}
