package geocode

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/api/cog"
	"arpent/api/geocode/layout"
)

// anglePattern is a latitude or longitude, in degrees or with minutes and seconds, with the direction before
// or after it; O is the west.
const anglePattern = `([NSEWO])?\s*([+-]?\d{1,3}(?:[.,]\d{1,15})?)\s*[°º]?\s*` +
	`(?:(\d{1,2}(?:[.,]\d{1,15})?)\s*['′’]\s*(?:(\d{1,2}(?:[.,]\d{1,15})?)\s*(?:["″”]|'')\s*)?)?([NSEWO])?`

var (
	// coordinatePair is two of them as people and programs write a position.
	coordinatePair = regexp.MustCompile(`(?i)^(?:geo:)?\(?\s*(?:(lat|lon|lng)(?:itude|gitude)?\s*[:=]?\s*)?` +
		anglePattern + `(?:\s*[,;/&]\s*|\s+|\b)(?:(lat|lon|lng)(?:itude|gitude)?\s*[:=]?\s*)?` +
		anglePattern + `\s*\)?$`)
	// mapAddress is the address of a map on the web, with the position that it shows.
	mapAddress = regexp.MustCompile(`^https?://\S*?([+-]?\d{1,3}\.\d{2,15})(?:,|%2C|/|&m?lon=)([+-]?\d{1,3}\.\d{2,15})`)
)

// angle is what anglePattern finds, with the label before it.
type angle struct {
	degrees        float64
	isLon, isNamed bool // which of the two it says to be
	isExact        bool // it has decimals, or minutes
}

// readAngle reads the groups of anglePattern.
func readAngle(label string, groups []string) (a angle) {
	number := func(s string) float64 {
		// the pattern leaves nothing to fail
		v, _ := strconv.ParseFloat(strings.Replace(cmp.Or(s, "0"), ",", ".", 1), 64)
		return v
	}
	a.degrees = math.Copysign(math.Abs(number(groups[1]))+number(groups[2])/60+number(groups[3])/3600,
		number(groups[1]))
	a.isExact = strings.ContainsAny(groups[1], ".,") || groups[2] != ""
	toward := strings.ToUpper(cmp.Or(groups[0], groups[4]))
	if strings.ContainsAny(toward, "SWO") && toward != "" {
		a.degrees = -a.degrees
	}
	a.isNamed = label != "" || toward != ""
	a.isLon = strings.HasPrefix(strings.ToLower(label), "l") && !strings.EqualFold(label, "lat") ||
		toward != "" && strings.ContainsAny(toward, "EWO")
	return a
}

// Coordinates reads a query that is a position: which of the two numbers is the latitude as it says, else in
// the order in which they lie in France, else latitude first. nil: it is none.
func Coordinates(q string) *Point {
	if !strings.ContainsAny(q, ".,°º") || !strings.ContainsAny(q, "0123456789") {
		return nil
	}
	if m := mapAddress.FindStringSubmatch(q); m != nil {
		q = m[1] + " " + m[2]
	}
	m := coordinatePair.FindStringSubmatch(q)
	if m == nil {
		return nil
	}
	first, second := readAngle(m[1], m[2:7]), readAngle(m[7], m[8:13])
	if !first.isExact || !second.isExact {
		return nil
	}
	a, b := Point{Lat: first.degrees, Lon: second.degrees}, Point{Lat: second.degrees, Lon: first.degrees}
	switch {
	case first.isNamed || second.isNamed:
		if first.isNamed && first.isLon || second.isNamed && !second.isLon {
			a = b
		}
	case inFrance(b) && !inFrance(a), math.Abs(a.Lat) > 90:
		a = b
	}
	if math.Abs(a.Lat) > 90 || math.Abs(a.Lon) > 180 {
		return nil
	}
	return &a
}

// inFrance reports roughly whether a position is in France: in one of the
// boxes around it and its overseas départements.
func inFrance(p Point) bool {
	for _, b := range [...][4]float64{{41, 52, -6, 10}, {14, 19, -64, -60}, {1, 7, -55, -51}, {-22, -20, 54, 57},
		{-14, -12, 44, 46}} {
		if p.Lat >= b[0] && p.Lat <= b[1] && p.Lon >= b[2] && p.Lon <= b[3] {
			return true
		}
	}
	return false
}

func coordinatesHint(p Point) *string {
	at := "lat=" + formatDegrees(p.Lat) + "&lon=" + formatDegrees(p.Lon)
	return new(fmt.Sprintf("These are coordinates: GET /communes?%s (tool find_commune) gives the commune there, GET /parcelles?%s (tool get_parcel_at_point) the parcel.", at, at))
}

// formatDegrees writes an angle to a tenth of a millimetre: those of minutes and seconds do not end.
func formatDegrees(v float64) string { return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64) }

// operationHint names the operation for a département or région.
// Those of overseas have no object of their own.
func (x *Index) operationHint(id uint32) string {
	p := &x.places[id]
	name, code := x.textOf(p.Name), layout.CodeOf(p)
	switch {
	case p.Kind == layout.Region:
		return fmt.Sprintf("%s is a région: GET /regions/%s (tool get_region).", name, code)
	case len(code) == 3:
		return fmt.Sprintf("%s is an overseas département: GET /communes?departement=%s (tool list_communes) lists its communes.", name, code)
	}
	return fmt.Sprintf("%s is a département: GET /departements/%s (tool get_departement).", name, code)
}

// notCovered says that the query asks for a place in an overseas collectivity, which has no answer here; nil:
// it does not. What is called alike elsewhere is no answer either, unless the postcode is its code of INSEE.
func (s *search) notCovered() *string {
	for _, c := range s.t.uncovered {
		i := c.words.first()
		ofOther := func(c candidate) bool {
			return c.written && c.words != 0 && layout.CodeOf(&s.x.places[c.place]) == s.q.words[i].Text
		}
		if s.q.postcodes.has(i) && !slices.ContainsFunc(s.t.candidates, ofOther) || !s.q.postcodes.has(i) &&
			s.endsIn(c.words) {
			return new(s.sayUncovered(c))
		}
	}
	return nil
}

// endsIn reports whether a query says at its end that something lies in a place, whose name no place that is
// covered has.
func (s *search) endsIn(words wordSet) bool {
	from := words.first()
	after := s.q.allWords() &^ (wordBit(from+words.count()) - 1) &^ s.q.postcodes
	for _, c := range s.t.uncovered {
		after &^= c.words
	}
	return after == 0 && (from == 0 || !linkWords[s.q.words[from-1].Text]) && !s.followsStreetKind(from) &&
		!slices.ContainsFunc(s.t.candidates, func(c candidate) bool { return c.written && words&^c.words == 0 })
}

// sayUncovered names the collectivity, of a postcode the communes that it serves, or those of them that the
// query names, and what else it is the code of.
func (s *search) sayUncovered(claim placeClaim) string {
	x := s.x
	of := &x.places[claim.place]
	name, collectivity := x.textOf(of.Name), cog.Collectivity(layout.CodeOf(of))
	if asked := claim.words.first(); s.q.postcodes.has(asked) {
		var served, named []string
		for _, c := range s.t.uncovered {
			commune := x.textOf(x.places[c.place].Name)
			switch isOther := func(of placeClaim) bool { return of.place == c.place && of.words != c.words }; {
			case c.words != claim.words || commune == collectivity:
			case slices.ContainsFunc(s.t.uncovered, isOther):
				named = append(named, commune)
			default:
				served = append(served, commune)
			}
		}
		if named != nil {
			served = named
		}
		if last := len(served) - 1; last >= 0 {
			collectivity = strings.TrimPrefix(strings.Join(served[:last], ", ")+" and "+served[last], " and ") +
				" in " + collectivity
		}
		postcode := s.q.words[asked].Text
		return postcode + " is a postcode of " + collectivity + ", " + cog.NotCovered + x.alsoCode(postcode)
	}
	if name == collectivity {
		return name + " is " + cog.NotCovered
	}
	return name + " is in " + collectivity + ", " + cog.NotCovered
}

// alsoCode says of which commune a postcode is the code of INSEE, which need not be one that it serves;
// empty: of none.
func (x *Index) alsoCode(postcode string) string {
	alias, ok := x.aliases.Find(postcode)
	if !ok {
		return ""
	}
	for _, entry := range x.aliasPlaces.listAt(alias) {
		p := &x.places[entry&(1<<layout.AliasShift-1)]
		if p.Kind <= layout.Former && layout.CodeOf(p) == postcode &&
			!slices.Contains(x.postcodePlaces(layout.PostcodeNumber(postcode)), p.Parent) {
			return " It is also the code of INSEE of " + x.textOf(p.Name) + ": GET /communes/" + postcode +
				" (tool get_commune)."
		}
	}
	return ""
}
