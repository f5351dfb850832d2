package territory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
	"arpent/api/reply"
	"arpent/internal/fault"
)

// NamedBody is an intercommunal body.
type NamedBody struct {
	Code string `json:"code" doc:"Its code of nine digits (SIREN)." example:"200054781"`
	Name string `json:"name" doc:"Its name, as listed." example:"Métropole du Grand Paris"`
	// Communes is its number of communes, whatever a call leaves out of the list.
	Communes   int             `json:"communes" doc:"How many communes it has." example:"130"`
	Population *BodyPopulation `json:"population" doc:"Its inhabitants. Null where the number of one of its communes is not known of the newest census."`
}

// BodyPopulation is the population of an intercommunal body, as the statistics of its communes have it.
type BodyPopulation struct {
	Municipal int    `json:"municipal" doc:"Municipal population, inhabitants: the sum of those of its communes, all of one census year." example:"7096258"`
	Year      int    `json:"year" doc:"Census year." example:"2023"`
	Source    string `json:"source" doc:"Producer and title of the populations of the communes." example:"INSEE, Populations légales"`
	Note      string `json:"note" doc:"What the number is."`
}

// body is an intercommunal body with its communes.
type body struct {
	NamedBody
	words    []string // of its name, that it is found by
	communes []CodeName
}

// addMember adds a commune to an intercommunal body. They come in the order of their codes.
func (b *builder) addMember(code, name, commune string) {
	c := b.communes[commune]
	if c == nil {
		return
	}
	if b.bodies[code] == nil {
		b.bodies[code] = &body{NamedBody: NamedBody{Code: code, Name: name}, words: splitBodyName(name)}
	}
	b.bodies[code].communes = append(b.bodies[code].communes, CodeName{Name: c.name, CodeInsee: c.code})
	b.bodies[code].Communes++
}

// bodyKinds are the words for what an intercommunal body is, which people add or leave out.
var bodyKinds = layout.Set("cc ca cu communaute communes agglomeration agglo urbaine metropole eurometropole " +
	"intercommunalite epci ept territoire")

// splitBodyName gives the words that distinguish the name of an intercommunal body, in any order: Rennes
// Métropole and Métropole de Rennes are one.
func splitBodyName(name string) []string {
	words := slices.DeleteFunc(strings.Fields(expandAbbreviations(FoldName(name))), func(word string) bool {
		return layout.Fillers[word] || bodyKinds[word]
	})
	slices.Sort(words)
	return slices.Compact(words)
}

// findBodies gives the intercommunal bodies that a text is the name of, else those whose names have all of
// its words, by code.
func (s *Snapshot) findBodies(text string) (found []*body) {
	words := splitBodyName(text)
	if len(words) == 0 {
		return nil
	}
	var longer []*body
	for _, code := range slices.Sorted(maps.Keys(s.bodies)) {
		switch one := s.bodies[code]; {
		case slices.Equal(one.words, words):
			found = append(found, one)
		case !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(one.words, word) }):
			longer = append(longer, one)
		}
	}
	if found == nil {
		return longer
	}
	return found
}

// BodyNamed gives the code of the one intercommunal body of a name, whatever its kind and the order of its
// words, else of the one whose name has all of these; false: there is none, or there are several.
func (s *Snapshot) BodyNamed(text string) (code string, ok bool) {
	found := s.findBodies(text)
	if len(found) != 1 {
		return "", false
	}
	return found[0].Code, true
}

// DescribeBodyName lists the intercommunal bodies that a name may mean, where there are several, and says
// where names are found; empty: it is a code or one has the name.
func (s *Snapshot) DescribeBodyName(text string) string {
	found := s.findBodies(text)
	switch {
	case len(found) == 1 || s.bodies[text] != nil:
		return ""
	case found == nil:
		if of := s.listBodiesOf(text); of != "" {
			return of
		}
		return "No intercommunal body has this name: the key epci of a commune names the one that it belongs to."
	}
	var names []string
	for _, one := range found {
		names = append(names, namedArea{one.Code, one.Name}.String())
	}
	return fmt.Sprintf("%d intercommunal bodies have it in their name: %s.", len(found), JoinNames(names))
}

// listBodiesOf names the intercommunal bodies of the commune that a text names; empty: there are none.
func (s *Snapshot) listBodiesOf(text string) string {
	commune, _ := s.CommuneNamed(text)
	var names []string
	for _, code := range slices.Sorted(maps.Keys(s.bodies)) {
		one := s.bodies[code]
		if slices.ContainsFunc(one.communes, func(c CodeName) bool { return c.CodeInsee == commune }) {
			names = append(names, namedArea{one.Code, one.Name}.String())
		}
	}
	if names == nil {
		return ""
	}
	place, _ := s.Place(commune)
	return namedArea{commune, place.CommuneName}.String() + " is a commune of " + JoinNames(names) + "."
}

// PointToBody says of the code of an intercommunal body, or of the name of one, whatever its kind and the
// order of its words, which call has it; empty: no body has it, or several have the name.
func (s *Snapshot) PointToBody(text string) string {
	one := s.bodies[strings.TrimSpace(text)]
	if found := s.findBodies(text); len(found) == 1 && slices.Equal(found[0].words, splitBodyName(text)) {
		one = found[0]
	}
	if one == nil {
		return ""
	}
	return fmt.Sprintf("%s is an intercommunal body: GET /communes?epci=%s (tool list_communes) has its communes and its population.",
		namedArea{one.Code, one.Name}, one.Code)
}

// CommunesOfBody lists the communes of an intercommunal body by code.
func (s *Snapshot) CommunesOfBody(code string) (reply.Reply, error) {
	one := s.bodies[code]
	switch {
	case len(s.bodies) == 0:
		return reply.Reply{}, fault.Missing("No list of intercommunal bodies is loaded on this server.")
	case one == nil:
		return reply.Reply{}, fault.Missing("No intercommunal body has code %s.", fault.Excerpt(code)).Instead("",
			"epci takes names, too; the key epci of a commune names the body that it belongs to.")
	}
	encoded, err := json.Marshal(CodeNameList{Count: len(one.communes), Data: one.communes,
		EPCI: &one.NamedBody})
	return reply.New(encoded), err
}
