package territory

import (
	"fmt"
	"strings"

	"arpent/api/cog"
)

// describeOtherLevel says what territory of another level a text is the code or the name of, and in which
// ones it lies. Empty: none.
func (s *Snapshot) describeOtherLevel(text string) string {
	code := strings.ToUpper(strings.TrimSpace(text))
	if departement, ok := s.DepartementNamed(text); ok {
		code = departement
	}
	if region, ok := s.RegionNamed(text); ok {
		return "It is a région: " + findArea(s.regionNames, region).String() + "."
	}
	switch code {
	case "69D", "69M":
		return "INSEE has figures for two parts of " + findArea(s.departementNames, "69").String() +
			": 69M, the Métropole de Lyon, and 69D, the rest. Here it is one département."
	}
	if d := findArea(s.departementNames, code); d.code != "" {
		return "It is a département: " + d.String() + s.sayRegionOf(code) + "."
	}
	if said := s.uncoveredPlace(text); said != "" {
		return said
	}
	if serves := s.listServedCommunes(code); serves != "" && !s.isCommune(code) {
		return "It is a postcode, which serves " + serves + "."
	}
	commune, ok := s.CommuneNamed(text)
	if at, known := s.byCode.Find(code); known {
		commune, ok = s.places[at].CodeInsee, true
	}
	if place, known := s.Place(commune); ok && known {
		d := findArea(s.departementNames, place.CodeDep)
		return "It is a commune: " + namedArea{place.CodeInsee, place.CommuneName}.String() + ", in the département " +
			d.String() + s.sayRegionOf(d.code) + "."
	}
	return s.PointToBody(text)
}

// isCommune reports whether a commune has a code today.
func (s *Snapshot) isCommune(code string) bool {
	_, ok := s.byCode.Find(code)
	return ok
}

// sayRegionOf names the région of a département, after a comma; empty: it is not known.
func (s *Snapshot) sayRegionOf(departement string) string {
	d := s.departements[departement]
	if d == nil {
		d = s.overseas[departement]
	}
	if d == nil || d.region == "" {
		return ""
	}
	return ", in the région " + findArea(s.regionNames, d.region).String()
}

// uncoveredPlace says of which overseas collectivities, or communes of one, a text is the name; empty: of
// none.
func (s *Snapshot) uncoveredPlace(text string) string {
	var said []string
	for _, code := range s.uncoveredNames[cog.FrenchName(trimArticle(text))] {
		if len(code) == 3 {
			return cog.Collectivity(code) + " is " + cog.NotCovered
		}
		said = append(said, fmt.Sprintf("A commune of this name (%s) is in %s, %s", code, cog.Collectivity(code),
			cog.NotCovered))
	}
	return strings.Join(said, " ")
}

// describeSameCode says which département has the code of a région; empty: none.
func (s *Snapshot) describeSameCode(region string) string {
	d := findArea(s.departementNames, region)
	if d.code == "" {
		return ""
	}
	return region + " is also the code of a département, " + d.name + s.sayRegionOf(region) + "."
}

// findArea finds the territory of a code; one without a code: there is none.
func findArea(names map[string]namedArea, code string) namedArea {
	for _, area := range names {
		if area.code == code {
			return area
		}
	}
	return namedArea{}
}
