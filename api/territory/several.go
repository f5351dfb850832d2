package territory

import (
	"regexp"
	"strings"
)

// separatorForm stands between the names or codes of a text that has several: Bondy et Pantin, 93010,93055.
var separatorForm = regexp.MustCompile(`(?i)\s*[,;/+&]\s*|\s+(?:et|and|ou|or)\s+`)

// hasSeveral reports whether a text names several territories: more than one of its parts is one.
func hasSeveral(text string, isTerritory func(string) bool) bool {
	found := 0
	for _, part := range separatorForm.Split(text, -1) {
		if part = strings.Trim(part, ` []"'`); part != "" && isTerritory(part) {
			found++
		}
	}
	return found > 1
}

// describeSeveralCommunes says of a text that names several communes how to ask for them; empty: it does not.
func (s *Snapshot) describeSeveralCommunes(text string) string {
	if !hasSeveral(text, func(part string) bool {
		_, isNamed := s.CommuneNamed(part)
		return isNamed || s.isCommune(part)
	}) {
		return ""
	}
	return "It names several communes: ask for one at a time, or for figures of all communes of a département, which " +
		"list_communes gives in one call, as with departement=93."
}

// describeSeveralDepartements does that for départements.
func (s *Snapshot) describeSeveralDepartements(text string) string {
	if !hasSeveral(text, func(part string) bool {
		_, isNamed := s.DepartementNamed(part)
		return isNamed || s.departements[part] != nil || s.overseas[part] != nil
	}) {
		return ""
	}
	return "It names several départements: ask for one at a time, or for figures of all of them, which list_departements " +
		"gives in one call."
}

// describeSeveralRegions does that for régions.
func (s *Snapshot) describeSeveralRegions(text string) string {
	if !hasSeveral(text, func(part string) bool {
		_, isNamed := s.RegionNamed(part)
		return isNamed || s.regions[part] != nil
	}) {
		return ""
	}
	return "It names several régions: ask for one at a time, or for figures of all of them, which list_regions gives in " +
		"one call."
}
