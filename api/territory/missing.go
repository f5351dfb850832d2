package territory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/cog"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// collectivityError returns the error for a code of an overseas collectivity; nil: it is none.
func collectivityError(code string) error {
	name := cog.Collectivity(code)
	if name == "" {
		return nil
	}
	return fault.Missing("%s is in %s, "+cog.NotCovered, fault.Excerpt(code), name)
}

// collectivityBoxes are bounding boxes of the overseas collectivities, which have no data, in degrees: whole
// ones, but for those that have a neighbour.
var collectivityBoxes = []struct {
	code                     string
	west, south, east, north float64
}{
	{"975", -57, 46, -56, 48}, {"977", -62.97, 17.8, -62.7, 18}, {"978", -63.17, 18.04, -62.95, 18.14},
	{"986", -179, -15, -176, -13},
	{"987", -155, -28, -134, -7}, {"988", 163, -23, 168.2, -19.4}, {"989", -110, 10, -109, 11},
	// Kerguelen, Crozet, Saint-Paul and Amsterdam
	{"984", 68, -51, 71, -48}, {"984", 50, -47, 53, -45}, {"984", 77, -39, 78, -37},
}

// Further away than this the nearest commune is of no use, and distances on a plane are no longer right.
const farMetres = 1_000_000

// NoCommune returns the error for the code of an arrondissement, which is part of a commune; nil: it is none.
func (s *Snapshot) NoCommune(code string) error {
	a := s.findTown(code)
	if a == nil {
		return nil
	}
	now := s.places[s.former[code].now]
	return fault.Missing("%s is an arrondissement, not a commune; it is part of commune %s (%s).",
		namedArea{a.code, a.name}.String(), now.CodeInsee, now.CommuneName)
}

// communeNotFoundAt returns the error for a point in no commune, which names the nearest.
func (s *Snapshot) communeNotFoundAt(p geom.Point) error {
	lon, lat := p.Degrees()
	for _, a := range collectivityBoxes {
		if lon >= a.west && lon <= a.east && lat >= a.south && lat <= a.north {
			return fault.Missing("No commune contains the point %s: it lies in or near %s, "+cog.NotCovered, p,
				cog.Collectivity(a.code))
		}
	}
	i, metres, ok := s.tree.Nearest(p, func(id int32) float64 { return s.communes[id].shape.MetresTo(p) })
	if !ok {
		return fault.Missing("No commune contains the point %s: no outline of a commune is loaded.", p)
	}
	if metres >= farMetres {
		message := fmt.Sprintf("No commune contains the point %s: it lies abroad or at sea, more than 1 000 km from the nearest commune.", p)
		if i, ok := s.communeAt(geom.Snap(lat, lon)); ok {
			message += fmt.Sprintf(" With lat and lon swapped it would lie in %s (%s).", s.places[i].CommuneName,
				s.places[i].CodeInsee)
		}
		return fault.Missing("%s", message)
	}
	return fault.Missing("No commune contains the point %s: it lies abroad or at sea. The nearest commune is %s (%s), %s away.", p, s.places[i].CommuneName, s.places[i].CodeInsee, formatDistance(metres))
}

func formatDistance(metres float64) string {
	if metres < 1000 {
		return fmt.Sprintf("%.0f m", max(1, metres))
	}
	return fmt.Sprintf("about %.0f km", metres/1000)
}

func (s *Snapshot) regionNotFound(code string) error {
	if _, ok := s.regions["0"+code]; ok { // spreadsheets and numbers lose the zero
		return fault.Missing("No région has code %s: it has two digits. If 0%s is meant, write that.", code, code)
	}
	if former, ok := cog.FormerRegionWithCode(code); ok {
		for _, r := range s.regionNames {
			if r.code == former.Code {
				return fault.Missing("No région has code %s any more: it was that of %s, which %s.", code, former.Name,
					former.Describe(r.name))
			}
		}
	}
	return fault.Missing("%s", strings.TrimSpace("No région has code "+fault.Excerpt(code)+". "+
		s.describeOtherLevel(code)))
}

func departementNotFound(code string) error {
	if err := collectivityError(code); err != nil {
		return err
	}
	if code == "20" {
		return fault.Missing("No département has code 20 any more: it was that of Corse, which was divided in 1976: Corse-du-Sud (2A), Haute-Corse (2B).")
	}
	return fault.Missing("No département has code %s.", fault.Excerpt(code))
}

// NoOverseas returns the error for the code of an overseas département; nil: it is none. Its région,
// which has the same territory, is described.
func (s *Snapshot) NoOverseas(code string) *fault.Error {
	d, ok := s.overseas[code]
	if !ok {
		return nil
	}
	region := d.region
	path, tool := "Its communes are listed by /communes?departement="+code,
		`list_communes with {"departement":"`+code+`"} lists its communes`
	if region != "" {
		path += ", its région is described by /regions/" + region
		tool += `, get_region with {"code":"` + region + `"} describes its région`
	}
	return fault.Missing("Overseas département %s has no answer of its own.", code).Instead(path+".", tool+".")
}

// communeNotFound returns the error for a code of no current commune. It names the communes that it is the
// postcode of, and the current commune of a former code.
func (s *Snapshot) communeNotFound(code string) error {
	if _, ok := s.ended[code]; ok {
		return s.endedCommuneError(code)
	}
	f, ok := s.former[code]
	serves := s.listServedCommunes(code)
	const choose = "Call get_commune with the code of the one that is meant."
	switch {
	case serves != "" && ok && f.recoded != "":
		return fault.Missing("%s is a postcode, not a commune code: it serves %s. (It was the code of %s (%s) too, until %s.)",
			code, serves, s.places[f.now].CommuneName, s.places[f.now].CodeInsee, f.recoded).Instead("", choose)
	case serves != "" && ok:
		return fault.Missing("%s is a postcode, not a commune code: it serves %s. (It was the code of a commune too, which is part of %s (%s) now.)",
			code, serves, s.places[f.now].CommuneName, s.places[f.now].CodeInsee).Instead("", choose)
	case serves != "":
		return fault.Missing("%s is a postcode, not a commune code: it serves %s.", code, serves).Instead("",
			choose)
	case !ok:
		if err := collectivityError(code); err != nil {
			return err
		}
		departement, isWhole := strings.CutSuffix(code, "000") // as post to a whole city is addressed
		for _, a := range s.arrondissements {
			if city := s.places[a.commune]; isWhole && city.CodeDep == departement {
				towns := s.arrondissementsOf(a.commune)
				return fault.Missing("No commune has code %s. As a postcode it means %s, whose arrondissements are %s to %s.",
					code, namedArea{city.CodeInsee, city.CommuneName}, towns[0], towns[len(towns)-1]).Instead("", choose)
			}
		}
		return fault.Missing("No commune has code %s.", fault.Excerpt(code))
	}
	now := s.places[f.now]
	next := `Call get_commune with {"code":"` + now.CodeInsee + `"}.`
	if f.recoded != "" {
		return fault.Missing("%s is no code of a commune any more: it was that of %s (%s) until %s.", f.code,
			now.CommuneName, now.CodeInsee, f.recoded).Instead("", next)
	}
	who := f.code
	name := gjson.GetBytes(s.communes[f.now].plain.Body, `formerCommunes.#(code=="`+f.code+`").name`).Str
	if name = cmp.Or(f.name, name); name != "" {
		who += " (" + name + ")"
	}
	return fault.Missing("%s is no commune of its own any more; it is part of commune %s (%s).", who,
		now.CodeInsee, now.CommuneName).Instead("", next)
}

// endedCommuneError returns the error for the code of a commune that
// ended without a successor among communes.
func (s *Snapshot) endedCommuneError(code string) error {
	was := s.ended[code]
	message := fmt.Sprintf("%s was the code of the commune %s until %s; no commune succeeded it.", code,
		was.name, was.day)
	if cog.IsCollectivity(was.name) {
		message = fmt.Sprintf("%s was the code of the commune %s until %s, when it became "+cog.NotCovered,
			code, was.name, was.day)
	}
	if serves := s.listServedCommunes(code); serves != "" {
		message += fmt.Sprintf(" (It is also a postcode, which serves %s.)", serves)
	}
	return fault.Missing("%s", message)
}

// Explain says what a code is that is taken for that of a commune: a postcode, one of
// an overseas collectivity, or of a commune that ended. Empty: it is none of these, or
// the code of a commune or arrondissement too.
func (s *Snapshot) Explain(code string) string {
	_, current := s.byCode.Find(code)
	_, ended := s.ended[code]
	if current || s.findTown(code) != nil || !ended && len(s.postcodes[code]) == 0 &&
		collectivityError(code) == nil {
		return ""
	}
	return fault.From(s.communeNotFound(code)).Message
}

// maxNamed is how many communes a message names.
const maxNamed = 8

// listServedCommunes lists the communes that a postcode serves, with their codes, of Paris, Lyon and
// Marseille the arrondissement, but for the commune that has these digits as its code; empty: there are none.
func (s *Snapshot) listServedCommunes(postcode string) string {
	if a := s.findTown(s.arrondissementServed(postcode)); a != nil {
		return namedArea{a.code, a.name}.String()
	}
	own, isCode := s.byCode.Find(postcode)
	return s.listCommunes(slices.DeleteFunc(slices.Clone(s.postcodes[postcode]), func(at int32) bool {
		return isCode && at == own
	}))
}

// listCommunes lists communes with their codes.
func (s *Snapshot) listCommunes(communes []int32) string {
	var names []string
	for _, i := range communes {
		names = append(names, namedArea{s.places[i].CodeInsee, s.places[i].CommuneName}.String())
	}
	return JoinNames(names)
}

// JoinNames lists names, of many the first eight and how many more.
func JoinNames(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
