package mcp

import (
	"maps"
	"slices"
	"strings"

	"arpent/api/fieldset"
)

// glossary is what the keys are that a call can choose, in the words of the OpenAPI document. A
// call that asks for it is given the definitions of the keys with a value: units, distances, limits, what a
// share is of.
type glossary map[string]glossaryEntry

type glossaryEntry struct{ text, members string }

// maxGlossary is how many bytes are said of the keys of a call. Members are left out first.
const maxGlossary = 4000

// readGlossary reads what is said of the keys of a tool.
func (s *schemas) readGlossary(t *tool) glossary {
	g := glossary{}
	result := s.objectMembers(s.resultSchema(t))
	keys := s.objectMembers(result["stats"])
	maps.Copy(keys, s.objectMembers(result["enrichments"]))
	for _, name := range []string{fieldset.ParcelsName, fieldset.NeighboursName} { // fields may name them, too
		if member, ok := result[name]; ok {
			keys[name] = member
		}
	}
	for name, key := range keys {
		text, _ := key["description"].(string)
		var members []string
		inside := s.objectMembers(key)
		for _, member := range slices.Sorted(maps.Keys(inside)) {
			if text, ok := inside[member]["description"].(string); ok {
				members = append(members, member+": "+text)
			}
		}
		g[name] = glossaryEntry{text, strings.Join(members, " ")}
	}
	return g
}

// objectMembers returns the members of an object, of one that may be null, or of the items of a list.
func (s *schemas) objectMembers(of object) map[string]object {
	of = s.resolveRef(of)
	if choice, ok := of["anyOf"].([]any); ok {
		of = s.resolveRef(choice[0].(object))
	}
	if items, ok := of["items"].(object); ok {
		of = s.resolveRef(items)
	}
	properties, _ := of["properties"].(object)
	out := map[string]object{}
	for name, member := range properties {
		out[name] = member.(object)
	}
	return out
}

// explainKeys explains keys; it is empty where there is nothing to say.
func (g glossary) explainKeys(keys []string) string {
	var lines []string
	for _, key := range keys {
		if text := g[key].text; text != "" {
			lines = append(lines, key+": "+text)
		}
	}
	long := len(strings.Join(lines, "\n"))
	for i, key := range keys {
		if members := g[key].members; i < len(lines) && members != "" && long+len(members) < maxGlossary {
			lines[i] += " " + members
			long += len(members) + 1
		}
	}
	return strings.Join(lines, "\n")
}
