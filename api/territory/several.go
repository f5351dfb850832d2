package territory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"arpent/api/reply"
	"arpent/internal/fault"
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
	return "It names several communes: list_communes gives figures of them in one call, as with codes=69123,13055."
}

// CommunesNamed gives the codes of communes, or arrondissements, whose names or codes stand in a text with
// commas between them, as CommuneNamed reads each; false: one of them is none, or may mean several.
func (s *Snapshot) CommunesNamed(text string) (codes string, ok bool) {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		code, isNamed := s.readCommune(part)
		if !isNamed {
			return "", false
		}
		all = append(all, code)
	}
	return strings.Join(all, ","), true
}

// readCommune gives the code of a commune or arrondissement that a text is the code or the name of.
func (s *Snapshot) readCommune(text string) (code string, ok bool) {
	if code = strings.ToUpper(strings.TrimSpace(text)); s.isCommune(code) || s.findTown(code) != nil {
		return code, true
	}
	return s.CommuneNamed(text)
}

// DescribeCommuneNames says of each name in such a text that is not that of one commune what it may mean;
// empty: all are.
func (s *Snapshot) DescribeCommuneNames(text string) string {
	var said []string
	for part := range strings.SplitSeq(text, ",") {
		if _, ok := s.readCommune(part); !ok {
			said = append(said, fmt.Sprintf("%q: %s", fault.Excerpt(strings.TrimSpace(part)),
				cmp.Or(s.DescribeNamesakes(part), s.Explain(strings.TrimSpace(part)), "No commune is called so.")))
		}
	}
	return strings.Join(said, " ")
}

// CommunesOfCodes lists communes, and arrondissements, by code, each once. Its error names all codes that none
// has.
func (s *Snapshot) CommunesOfCodes(codes []string) (reply.Reply, error) {
	var unknown []string
	list := CodeNameList{Data: []CodeName{}}
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		at, ok := s.byCode.Find(code)
		switch a := s.findTown(code); {
		case ok:
			list.Data = append(list.Data, CodeName{Name: s.places[at].CommuneName, CodeInsee: code})
		case a != nil:
			list.Data = append(list.Data, CodeName{Name: a.name, CodeInsee: code})
		default:
			unknown = append(unknown, fault.From(s.communeNotFound(code)).Message)
		}
	}
	if unknown != nil {
		return reply.Reply{}, fault.Missing("%s", strings.Join(unknown, " "))
	}
	list.Count = len(list.Data)
	encoded, err := json.Marshal(list)
	return reply.New(encoded), err
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
