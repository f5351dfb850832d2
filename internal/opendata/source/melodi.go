package source

import (
	"fmt"
	"maps"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// Melodi is a data set of the INSEE catalogue in long format: one row a figure, for communes,
// arrondissements, départements and régions.
type Melodi struct {
	Measures []Measure // the measures of the topic
	Dataset  string    // "DS_FILOSOFI_CC": part of the name of its files
	Measure  string    // column that names what is counted, staged as "what"
	// Is is SQL over the staged columns for the measure of a row; null drops the row.
	Is   string
	Keep map[string]string // expressions that columns other than the level must match
	Made string            // SQL for figures computed from the others, which the query can read
	Lag  int               // years between the newest figures of an edition and its geography

	Bytes int64 // of its archive, as it was read
}

// MelodiOrigin is where a data set of the catalogue is published: an
// archive, which is served without an extension.
func MelodiOrigin(dataset string, bytes int64) fetch.Origin {
	return fetch.Origin{From: producer.Melodi{Dataset: dataset}, As: "{served}.zip", Bytes: bytes, Rhythm: "yearly"}
}

// InseeFile is a file on a page of insee.fr. The number of the page of another year cannot be derived.
func InseeFile(page int, served string) fetch.Origin {
	return fetch.Origin{
		From: producer.At{Address: fmt.Sprintf("https://www.insee.fr/fr/statistiques/fichier/%d/%s", page, served)},
		As:   served, Rhythm: "once",
	}
}

// NotFetched is the origin of a file with no public address: what was looked for, and what can be given.
func NotFetched(note string) []fetch.Origin { return []fetch.Origin{{Note: note}} }

// OwnFormat is the origin of what is in a format of ours alone, whose columns are in the note of the source.
var OwnFormat = NotFetched("No public file has it. It can be given in a format of ours: see the note of the source.")

// melodiLevels maps the levels of the data set to ours.
const melodiLevels = `CASE geo_object WHEN 'COM' THEN 'commune' WHEN 'ARM' THEN 'commune' WHEN 'DEP' THEN 'departement' ELSE 'region' END`

// melodiMissing is the reason why a figure is missing: status O or M is unavailable, any
// confidentiality other than F (free) is secret.
const melodiMissing = `CASE WHEN coalesce(conf_status, 'F') <> 'F' THEN 'secret' WHEN obs_status IN ('O', 'M') THEN 'unavailable' END`

// MelodiSource declares the files of a data set: the archive from the catalogue, or the table in it.
func MelodiSource(name, title string, m Melodi) Source {
	keep := map[string]string{"GEO_OBJECT": "COM|ARM|DEP|REG"}
	maps.Copy(keep, m.Keep)
	s := Source{
		Name: name, Title: title, Producer: "INSEE",
		Homepage: "https://catalogue-donnees.insee.fr/fr/catalogue/recherche/" + m.Dataset,
		Files: []Files{{Path: `(^|/)` + m.Dataset +
			`(_(?P<scope>20\d\d))?(_CSV_FR|(_data)?(_CSV_FR)?\.(zip|csv|csv\.gz))$`}},
		Origins: []fetch.Origin{MelodiOrigin(m.Dataset, m.Bytes)},
		Read:    Read{Format: CSV, Separator: ";", Member: `(?i)_data\.csv$`, Keep: keep, Nulls: []string{"NaN"}},
		Columns: []Column{
			{Name: "code", From: []string{"GEO"}, Required: true},
			{Name: "geo_object", From: []string{"GEO_OBJECT"}, Required: true},
			{Name: "what", From: []string{m.Measure}},
			{Name: "period", From: []string{"TIME_PERIOD"}, Required: true, Match: `[12][0-9]{3}`},
			{Name: "value", From: []string{"OBS_VALUE"}, Kind: Number},
			{Name: "conf_status", From: []string{"CONF_STATUS"}},
			{Name: "obs_status", From: []string{"OBS_STATUS"}},
			{Name: "named", Template: "{scope}"},
		},
		Vintage: "max(period)",
		// K: counted with the commune that it belongs to.
		Drop:   []string{"obs_status = 'K'", m.Is + " IS NULL"},
		Reject: []Rule{melodiUnknown},
		Checks: Checks{MinRows: 30000, Queries: []string{
			`SELECT 'it has ' || count(*) || ' figures of ' || code || ' in ' || period || ' for ' || (` + m.Is + `) || ', told apart by a column that is not looked at'
			FROM stage GROUP BY geo_object, code, period, (` + m.Is + `) HAVING count(*) > 1 ORDER BY count(*) DESC, code LIMIT 1`,
			// The name has the year of the edition, which may be later than its newest figures.
			`SELECT 'its newest figures are of ' || max(period) || ', its name says ' || max(named) FROM stage HAVING max(period) > max(named)`}},
		Note: "The archive of the data set from the INSEE catalogue, as it is. No file was at hand when this was written.",
	}
	return FigureSource(s, Figures{
		Measures: m.Measures,
		OwnSums:  true,
		Since:    fmt.Sprintf("(SELECT max(period)::integer + %d FROM stage)", m.Lag),
		From: `WITH told AS (SELECT ` + melodiLevels + ` AS level, code, ` + m.Is + ` AS measure, period,
			CASE WHEN ` + melodiMissing + ` IS NULL THEN value END AS value, ` + melodiMissing + ` AS missing FROM stage)
			SELECT level, code, measure, period, value, missing FROM told` + m.Made,
		Rank: 10,
	})
}

// melodiUnknown rejects codes that no commune ever had.
var melodiUnknown = Rule{
	When: `geo_object IN ('COM', 'ARM') AND code IN (SELECT c.code FROM
		(SELECT DISTINCT code FROM stage WHERE geo_object IN ('COM', 'ARM') OFFSET 0) c WHERE geo.commune_today(c.code) IS NULL)`,
	Reason: "'no commune has code ' || code",
}
