// Package territory serves régions, départements and communes from memory. A Snapshot is built from the
// database in one transaction, is immutable, and keeps serving while the database is down.
package territory

import (
	"arpent/api/cog"
	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
)

// Include selects the optional members of a response. A member that a result does not have is left out.
type Include struct {
	geom.Members
	Departements, Communes bool
	Stats                  Statistics // nil: without
	// Parcels counts the parcels of a commune, or of all arrondissements of one, where statistics are included.
	Parcels func(codes ...string) parcel.CommuneParcels
	// Neighbours has the communes that touch a commune listed.
	Neighbours bool
	Buffer     []byte // overwritten by a composed response, if it is large enough
}

// Statistics returns the rendered statistics: one JSON object a territory, also for those without any figure,
// and after it the member with the states of its keys.
type Statistics interface {
	Of(level stats.Level, code string) stats.Body
}

// Snapshot is the territory as read in one transaction.
type Snapshot struct {
	regionList      reply.Reply
	departementList reply.Reply
	regions         map[string]*area // departements of each as its list
	departements    map[string]*area // the metropolitan ones, communes of each as its list
	// départements without a response of their own: only list and région are used
	overseas map[string]*area
	// regionNames and departementNames are by the name without its article.
	regionNames, departementNames map[string]namedArea

	// Edition is the year of the code officiel géographique that the territory is of; nil: its file does not
	// say.
	Edition  *int
	communes []entry // sorted by code, as places
	places   []Place
	// populations are those of the communes, in this order; 0: not known.
	populations []int32
	byCode      cog.Index
	former      map[string]formerCode
	ended       map[string]endedCommune
	tree        *geom.Tree    // of the communes
	outlines    *outlineCache // of the communes
	precisionM  int           // by which outlines are generalised, in metres; 0: none is loaded
	// communeNames are the communes of a name, as FoldName has it; arrondissementNames those of a name like
	// "paris 18e".
	communeNames        map[string][]int32
	arrondissementNames map[string][]formerCode
	communesByName      []namedCommune
	// formerNames are the communes that one of a name as trimArticle has it became part of.
	formerNames map[string][]int32
	// earlierNames are the communes that have another name since, by that which they had, as trimArticle has
	// it.
	earlierNames map[string][]int32
	// dividedNames are the communes that came of a commune of a name, as trimArticle has it, when it was
	// divided.
	dividedNames map[string][]int32
	// uncoveredNames are the codes of overseas collectivities and of their communes, by their names as
	// trimArticle has them.
	uncoveredNames map[string][]string
	// postcodes are the communes that each postcode serves.
	postcodes map[string][]int32

	arrondissements []town           // by code
	bodies          map[string]*body // by code
}

// namedArea is a territory as messages name it.
type namedArea struct{ code, name string }

func (a namedArea) String() string { return a.name + " (" + a.code + ")" }

// namedCommune is a commune with its name as trimArticle has it.
type namedCommune struct {
	name string
	at   int32
}

// Counts are the numbers of territories served.
type Counts struct{ Regions, Departements, Communes int }

// Counts returns how many territories the snapshot holds; all zero
// before the code officiel géographique is loaded.
func (s *Snapshot) Counts() Counts {
	return Counts{len(s.regions), len(s.departements), len(s.communes)}
}

// Place is the commune and, in Paris, Lyon and Marseille, the arrondissement that the first five
// characters of a parcel's reference stand for.
type Place struct {
	CodeInsee   string // of the commune
	CommuneName string
	CodeDep     string // three characters overseas
	CodeArr     string // last three digits of the arrondissement's code; empty elsewhere
}

// Place returns the place of the code of a commune, of an arrondissement, or of a commune
// that has since been merged into another one.
func (s *Snapshot) Place(code string) (Place, bool) {
	if i, ok := s.byCode.Find(code); ok {
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

// formerCode is a code of no current commune: an arrondissement, a commune
// déléguée or associée, or a merged commune.
type formerCode struct {
	kind string
	code string
	name string // may be empty
	// recoded is the day from which the commune has another code; empty: it became part of another commune.
	recoded string
	now     int32 // index of the commune it belongs to
}

// town is an arrondissement of Paris, Lyon or Marseille. The shape of its entry is empty where no outline is
// loaded.
type town struct {
	code, name string
	commune    int32 // index of its city
	entry
}

// endedCommune is a commune that ended without a successor among communes.
type endedCommune struct{ name, day string }

const arrondissement = "arrondissement-municipal"
