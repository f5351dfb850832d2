package source

import (
	"fmt"
	"slices"
	"strings"
)

// AllButBest selects the rows that another row of the same key replaces, for Drop: an older edition of the
// same thing is no fault of the file and does not count as rejected.
func AllButBest(key, best string) string {
	return `ctid IN (SELECT place FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY ` + key +
		` ORDER BY ` + best + `, _file DESC, _line) AS nth FROM stage) r WHERE nth > 1)`
}

// LiesInFrance is the SQL condition that a pair of degrees lies within the boxes of France.
func LiesInFrance(x, y string) string {
	var boxes []string
	for _, b := range France {
		boxes = append(boxes, fmt.Sprintf("%s BETWEEN %g AND %g AND %s BETWEEN %g AND %g", x, b.West, b.East, y,
			b.South, b.North))
	}
	return "(" + strings.Join(boxes, " OR ") + ")"
}

// DegreesPoint is SQL for a point in degrees, snapped to the grid of all shapes.
func DegreesPoint(x, y string) string {
	return "ST_SnapToGrid(ST_SetSRID(ST_MakePoint(" + x + ", " + y + "), 4326), 1e-7)"
}

// UICCode is SQL for the eight digits of a station's code, however the file writes it: "87345496.0".
func UICCode(column string) string { return "substring(" + column + " FROM '[0-9]{8}')" }

// OnDemand is an open licence on data that is only loaded when the operator
// names the source: it is outdated or incomplete.
var OnDemand = Licence{Name: LicenceOuverte.Name}

// OfOperator is the licence of files that the operator makes, in a format of ours.
var OfOperator = Licence{Name: "terms of the operator", Open: true}

// ODbL is the licence of OpenStreetMap and BANO: such a source is only loaded when the operator names it.
var ODbL = Licence{Name: "ODbL 1.0"}

// Quoted returns a text as it stands between the quotes of an SQL literal.
func Quoted(text string) string { return strings.ReplaceAll(text, "'", "''") }

// SQLList returns texts as an SQL array.
func SQLList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range slices.Sorted(slices.Values(items)) {
		quoted[i] = "'" + Quoted(item) + "'"
	}
	return "ARRAY[" + strings.Join(quoted, ", ") + "]::text[]"
}
