package source

import (
	"fmt"
	"strings"
)

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
