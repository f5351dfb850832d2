// Package territory answers for régions, départements and communes from memory. A Snapshot is built from the database
// in one go, is never modified, and keeps answering when the database does not.
package territory

import (
	"arpent/api/geom"
	"arpent/api/reply"
	"arpent/api/stats"
)

// Include says which optional members an answer carries. A member that a result does not have is left out.
type Include struct {
	Geometry, Departements, Communes bool
	Stats                            Statistics // nil: without
	Room                             []byte     // what an answer that is put together is written over, if it is large enough
}

// Statistics are rendered: one JSON object a territory, also for those of which nothing is known.
type Statistics interface {
	Of(level stats.Level, code string) stats.Body
}

// Snapshot is the territory as it was in the database at one moment.
type Snapshot struct {
	// Demonstration tells what of the data was made up.
	Demonstration Demonstration

	regionList      reply.Reply
	departementList reply.Reply
	regions         map[string]*area // departements of each as its list
	departements    map[string]*area // the metropolitan ones, communes of each as its list
	overseas        map[string]*area // départements that have no answer of their own: only the list counts

	communes []entry // sorted by code, as places
	places   []Place
	byCode   map[string]int32
	former   map[string]formerCode
	tree     *geom.Tree // of the communes
}

// Demonstration tells which parts of the data were made up.
type Demonstration struct{ Outlines, Parcels bool }

// Any tells whether anything was.
func (d Demonstration) Any() bool { return d.Outlines || d.Parcels }

// Counts are the numbers of what is served.
type Counts struct{ Regions, Departements, Communes int }

// Counts says how much the snapshot holds; all is zero before the code officiel géographique is loaded.
func (s *Snapshot) Counts() Counts {
	return Counts{len(s.regions), len(s.departements), len(s.communes)}
}

// Place is what the first five characters of a parcel's reference tell: the commune and, in Paris, Lyon and
// Marseille, the arrondissement.
type Place struct {
	CodeInsee   string // of the commune
	CommuneName string
	CodeDep     string // three characters overseas
	CodeArr     string // last three digits of the arrondissement's code; empty elsewhere
}

// Place finds the commune that the code of a commune, of an arrondissement, or of a commune that has since become part
// of another one, stands for.
func (s *Snapshot) Place(code string) (Place, bool) {
	if i, ok := s.byCode[code]; ok {
		return s.places[i], true
	}
	f, ok := s.former[code]
	if !ok {
		return Place{}, false
	}
	place := s.places[f.now]
	if f.kind == arrondissement {
		place.CodeArr = f.code[2:]
	}
	return place, true
}

// formerCode is a code that belongs to no commune of today: an arrondissement, a commune déléguée or associée, a
// commune that was merged.
type formerCode struct {
	kind string
	code string
	name string // may be empty
	now  int32  // index of the commune it belongs to
}

const arrondissement = "arrondissement-municipal"
