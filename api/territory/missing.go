package territory

import (
	"fmt"
	"strings"

	"arpent/api/geom"
	"arpent/app/base/fault"
)

// collectivities are the parts of France beyond its régions, by the first digits of their codes: they have communes in the code
// officiel géographique, but no outlines, statistics or parcels in the sources.
var collectivities = map[string]string{
	"975": "Saint-Pierre-et-Miquelon", "977": "Saint-Barthélemy", "978": "Saint-Martin", "984": "Terres australes et antarctiques françaises",
	"986": "Wallis-et-Futuna", "987": "Polynésie française", "988": "Nouvelle-Calédonie", "989": "Île de Clipperton",
}

// notCovered returns the error for a code of an overseas collectivity; nil: it is none.
func notCovered(code string) error {
	if len(code) < 3 || collectivities[code[:3]] == "" {
		return nil
	}
	return fault.Missing("%s is in %s, an overseas collectivity that this service does not cover.", fault.Excerpt(code), collectivities[code[:3]])
}

// noCommuneAt returns the error for a point in no commune, which names the nearest.
func (s *Snapshot) noCommuneAt(p geom.Point) error {
	i, metres, ok := s.tree.Nearest(p, func(id int32) float64 { return s.communes[id].shape.MetresTo(p) })
	if !ok {
		return fault.Missing("No commune contains the point %s: no outline of a commune is loaded.", p)
	}
	return fault.Missing("No commune contains the point %s: it lies abroad or at sea. The nearest commune is %s (%s), %s away.", p, s.places[i].CommuneName, s.places[i].CodeInsee, distance(metres))
}

func distance(metres float64) string {
	switch {
	case metres < 1000:
		return fmt.Sprintf("%.0f m", max(1, metres))
	case metres < 1_000_000:
		return fmt.Sprintf("about %.0f km", metres/1000)
	default:
		return "more than 1 000 km"
	}
}

func noRegion(code string) error {
	return fault.Missing("No région has code %s.", fault.Excerpt(code))
}

func noDepartement(code string) error {
	if err := notCovered(code); err != nil {
		return err
	}
	return fault.Missing("No département has code %s.", fault.Excerpt(code))
}

// noCommune returns the error for a code of no current commune. It names the communes that it is the postcode of, and the
// current commune of a former code.
func (s *Snapshot) noCommune(code string) error {
	f, ok := s.former[code]
	serves := s.served(code)
	switch {
	case serves != "" && ok && f.kind != arrondissement:
		return fault.Missing("%s is a postcode, not a commune code: it serves %s. (It was the code of a commune too, which is part of %s (%s) now.)",
			code, serves, s.places[f.now].CommuneName, s.places[f.now].CodeInsee)
	case serves != "" && !ok:
		return fault.Missing("%s is a postcode, not a commune code: it serves %s.", code, serves)
	case !ok:
		if err := notCovered(code); err != nil {
			return err
		}
		return fault.Missing("No commune has code %s.", fault.Excerpt(code))
	}
	now := s.places[f.now]
	who := f.code
	if f.name != "" {
		who += " (" + f.name + ")"
	}
	if f.kind == arrondissement {
		return fault.Missing("%s is an arrondissement, not a commune; it is part of commune %s (%s).", who, now.CodeInsee, now.CommuneName)
	}
	return fault.Missing("%s is no commune of its own any more; it is part of commune %s (%s).", who, now.CodeInsee, now.CommuneName)
}

// maxNamed is how many communes of a postcode a message names.
const maxNamed = 8

// served lists the communes that a postcode serves, with their codes; empty: it is none.
func (s *Snapshot) served(postcode string) string {
	communes := s.postcodes[postcode]
	var names []string
	for _, i := range communes[:min(len(communes), maxNamed)] {
		names = append(names, s.places[i].CommuneName+" ("+s.places[i].CodeInsee+")")
	}
	if more := len(communes) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
