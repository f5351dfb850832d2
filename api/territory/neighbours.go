package territory

import (
	"cmp"
	"encoding/json"
	"slices"

	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
)

// Neighbours are the communes that touch a commune.
type Neighbours struct {
	Count    *int           `json:"count" doc:"How many they are; null where no outline of the commune is loaded." example:"8"`
	Communes []NamedCommune `json:"communes" nullable:"true" doc:"The communes whose outline has a point in common with that of the commune, by name; of an arrondissement also the arrondissements of its city. Empty: it touches none, as an island. Null where count is."`
	State    state.State    `json:"state" enum:"value,none,not_loaded" doc:"Whether they are known, or why not."`
	Reason   string         `json:"reason,omitempty" doc:"Why there are none, or some may be missing, in a sentence."`
}

// findNeighbours finds the communes that have a vertex in common with an outline, which neighbours share
// exactly, but for the one that own is. Of an arrondissement own is its city, whose others count too.
func (s *Snapshot) findNeighbours(shape geom.Shape, own int32, code string) Neighbours {
	if shape.Empty() {
		return Neighbours{State: state.NotLoaded, Reason: "No outline of it is loaded on this server."}
	}
	vertices := map[geom.Point]bool{}
	for _, ring := range shape.Rings() {
		for i := 0; i < len(ring); i += 2 {
			vertices[geom.Point{X: ring[i], Y: ring[i+1]}] = true
		}
	}
	found := []NamedCommune{}
	addTouching := func(name, code string, other geom.Shape) {
		for _, ring := range other.Rings() {
			for i := 0; i < len(ring); i += 2 {
				if vertices[geom.Point{X: ring[i], Y: ring[i+1]}] {
					found = append(found, NamedCommune{Name: name, CodeInsee: code})
					return
				}
			}
		}
	}
	for i := range s.tree.In(shape.Bounds()) {
		if i != own {
			addTouching(s.places[i].CommuneName, s.places[i].CodeInsee, s.communes[i].shape)
		}
	}
	if code != s.places[own].CodeInsee {
		for _, a := range s.arrondissements {
			if a.commune == own && a.code != code {
				addTouching(a.name, a.code, a.shape)
			}
		}
	}
	slices.SortFunc(found, func(a, b NamedCommune) int {
		return cmp.Or(cmp.Compare(FoldName(a.Name), FoldName(b.Name)), cmp.Compare(a.CodeInsee, b.CodeInsee))
	})
	out := Neighbours{Count: new(len(found)), Communes: found, State: state.Value}
	if len(found) == 0 {
		out.State, out.Reason = state.None, "No outline touches that of the commune."
	}
	for _, d := range s.departements {
		if d.shape.Empty() {
			out.Reason = "Communes of départements whose outlines are not loaded on this server are missing."
		}
	}
	return out
}

// encodeNeighbours encodes the neighbours; nil: they are not included.
func (s *Snapshot) encodeNeighbours(inc Include, shape geom.Shape, own int32, code string) []byte {
	if !inc.Neighbours {
		return nil
	}
	encoded, err := json.Marshal(s.findNeighbours(shape, own, code))
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return encoded
}
