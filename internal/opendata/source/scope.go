package source

import (
	"fmt"
	"strings"
)

// DepartementCode, CommuneCode and PlaceCode match the scopes in file names.
const (
	DepartementCode = `2[AB]|97[1-6]|[0-9]{2}`
	CommuneCode     = `[0-9][0-9AB][0-9]{3}`
	PlaceCode       = `(?P<scope>` + DepartementCode + `|` + CommuneCode + `)`
)

// WholeDepartement rejects a file that is named after a département, or after nothing, and holds fewer
// rows than the smallest one would: places it lacks would count as having nothing.
// Saint-Pierre-et-Miquelon is smaller than any.
func WholeDepartement(minRows string) string {
	return `SELECT 'it holds ' || count(*) || ' rows, too few for the whole of what it is named after'
		FROM (SELECT file_scope FROM stage LIMIT ` + minRows + `) s
		HAVING count(*) < ` + minRows + ` AND coalesce(max(char_length(file_scope)), 0) < 5 AND max(file_scope) IS DISTINCT FROM '975'`
}

// WholeCountry rejects a file without a place in its name that is too small for the whole country.
func WholeCountry(minRows string) string {
	return `SELECT 'it holds ' || rows || ' rows, too few for the whole country'
		FROM (SELECT count(*) AS rows FROM (SELECT FROM stage LIMIT ` + minRows + `) s) c
		WHERE rows < ` + minRows + ` AND NOT EXISTS (SELECT FROM stage WHERE file_scope IS NOT NULL)`
}

// IDU matches a parcel's reference: commune, prefix, section, number.
const IDU = `([0-9]{2}|2[AB])[0-9]{3}[0-9]{3}[0-9A-Z]{2}[0-9]{4}`

// FileDay matches a date in a file name.
const FileDay = `(?P<vintage>[0-9]{4}-[0-9]{2}-[0-9]{2})`

// scopeIsCode tests that the scope of a load is the code of a commune or département, not a path.
const scopeIsCode = `file_scope ~ '^[0-9][0-9AB][0-9]{0,3}$'`

// OfScope rejects rows whose code, in a column, is not of the place that the file is named after.
func OfScope(column string) Rule {
	return Rule{
		When:   scopeIsCode + ` AND NOT starts_with(` + column + `, file_scope)`,
		Reason: column + ` || ' is not in ' || file_scope || ', which the file is named after'`,
	}
}

// FileScope is the scope in the name of the file, for rules.
var FileScope = Column{Name: "file_scope", Template: "{scope}", Internal: true}

// France lists the boxes that every shape must lie in: the mainland with Corsica, the five overseas
// départements with the islands that were once part of Guadeloupe, and Saint-Pierre-et-Miquelon. A file in
// the wrong projection, or with latitude and longitude swapped, falls outside.
var France = []Box{
	{-5.6, 41.2, 9.8, 51.3},
	{-63.3, 15.7, -60.9, 18.2},
	{-61.4, 14.2, -60.7, 15.1},
	{-54.8, 2.0, -51.4, 6.0},
	{55.1, -21.5, 56.0, -20.7},
	{44.9, -13.2, 45.4, -12.5},
	{-56.6, 46.6, -56.0, 47.3},
}

// OutOfFrance is the SQL condition for a shape outside all boxes of
// France, in a file of more than the country.
func OutOfFrance() string {
	boxes := make([]string, len(France))
	for i, b := range France {
		boxes[i] = fmt.Sprintf("geom && ST_MakeEnvelope(%g, %g, %g, %g, 4326)", b.West, b.South, b.East, b.North)
	}
	return "NOT (" + strings.Join(boxes, " OR ") + ")"
}

// Overseas is SQL for the codes of the overseas départements and their boxes.
const Overseas = `(VALUES ('971', 'BOX(-63.3 15.7, -60.9 18.2)'::box2d), ('972', 'BOX(-61.4 14.2, -60.7 15.1)'::box2d),
	('973', 'BOX(-54.8 2.0, -51.4 6.0)'::box2d), ('974', 'BOX(55.1 -21.5, 56.0 -20.7)'::box2d),
	('976', 'BOX(44.9 -13.2, 45.4 -12.5)'::box2d))`

// OfficialSRID maps each overseas département to its legal
// projection; everywhere else it is Lambert-93 (2154).
var OfficialSRID = map[string]int{"971": 5490, "972": 5490, "973": 2972, "974": 2975, "976": 4471}

// Lambert93 is the legal projection of the mainland.
const Lambert93 = 2154
