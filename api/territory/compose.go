package territory

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"arpent/api/reply"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
)

// entry is one encoded response, with the members that are added on request.
type entry struct {
	plain       reply.Reply
	hash        uint64 // of everything: body, outline, list
	shape       geom.Shape
	origin      []byte // of the outline, encoded; nil: there is none
	geometryLen int32  // of the outline as GeoJSON
}

// area is an entry with the list of the territories in it.
type area struct {
	entry
	list   reply.Reply
	region string // code of the région of a département
	// chefLieu is the commune that is its préfecture; nil: it is not known.
	chefLieu *ChefLieu
}

// composition holds the optional members of one response, in the order of the contract.
type composition struct {
	Include
	level    stats.Level
	code     string
	listName string // of the last member, a list or the arrondissement of a point; empty: it has none
	list     []byte
	outlines *outlineCache
	nth      int32  // which of the communes it is
	parcels  []byte // nil: without
	// neighbours are the communes that touch the commune; nil: without.
	neighbours []byte
	note       []byte // on the point; nil: without
}

// composeReply returns the response. It allocates nothing when no member is added or Buffer is large enough;
// else it allocates the body once, at little more than its size.
func (e *entry) composeReply(c composition) reply.Reply {
	const (
		geometryKey = `,"geometry":`
		outlineKey  = `,"outline":`
		centreKey   = `,"centre":`
		bboxKey     = `,"bbox":`
		statsKey    = `,"stats":`
		parcelsKey  = `,"parcels":`
		neighbours  = `,"neighbours":`
		noteKey     = `,"note":`
		listKeyLen  = len(`,"":`)
	)
	var figures stats.Body
	size, variant, hash := len(e.plain.Body), "", e.hash
	if c.Geometry {
		size += len(geometryKey) + int(e.geometryLen)
		if e.origin != nil {
			size += len(outlineKey) + len(e.origin)
		}
		variant += "g"
	}
	if c.Centre {
		size += len(centreKey) + e.shape.MaxCentreLen()
		variant += "c"
	}
	if c.Bbox {
		size += len(bboxKey) + e.shape.MaxBboxLen()
		variant += "b"
	}
	if c.Stats != nil {
		figures = c.Stats.Of(c.level, c.code)
		size += len(statsKey) + figures.Len()
		hash ^= bits.RotateLeft64(figures.Hash(), 1)
		variant += "s"
	}
	if c.parcels != nil {
		size += len(parcelsKey) + len(c.parcels)
		hash ^= bits.RotateLeft64(xxhash.Sum64(c.parcels), 2)
		variant += "p"
	}
	if c.neighbours != nil {
		size += len(neighbours) + len(c.neighbours)
		hash ^= bits.RotateLeft64(xxhash.Sum64(c.neighbours), 4)
		variant += "n"
	}
	if c.listName != "" {
		size += listKeyLen + len(c.listName) + len(c.list)
		variant += "l"
		if c.level == stats.Commune { // lists are in the hash
			hash ^= bits.RotateLeft64(xxhash.Sum64(c.list), 3)
		}
	}
	if c.note != nil {
		size += len(noteKey) + len(c.note)
		hash ^= bits.RotateLeft64(xxhash.Sum64(c.note), 5)
		variant += "t"
	}
	if variant == "" {
		return e.plain
	}
	body := c.Buffer[:0]
	if needed := size + geom.MaxVertexLen; cap(body) < needed {
		body = make([]byte, 0, needed)
	}
	body = append(body, e.plain.Body[:len(e.plain.Body)-1]...)
	if c.Geometry {
		body = c.outlines.appendOutline(append(body, geometryKey...), c.nth, e.shape)
		if e.origin != nil {
			body = append(append(body, outlineKey...), e.origin...)
		}
	}
	if c.Centre {
		body = e.shape.AppendCentre(append(body, centreKey...))
	}
	if c.Bbox {
		body = e.shape.AppendBbox(append(body, bboxKey...))
	}
	if c.Stats != nil {
		body = figures.Append(append(body, statsKey...))
	}
	if c.parcels != nil {
		body = append(append(body, parcelsKey...), c.parcels...)
	}
	if c.neighbours != nil {
		body = append(append(body, neighbours...), c.neighbours...)
	}
	if c.listName != "" {
		body = append(append(append(body, `,"`...), c.listName...), `":`...)
		body = append(body, c.list...)
	}
	if c.note != nil {
		body = append(append(body, noteKey...), c.note...)
	}
	return reply.Reply{Body: append(body, '}'), Version: reply.VersionOf(hash, variant), Own: true}
}

func (a *area) composeArea(inc Include, level stats.Level, code, listName string, withList bool) reply.Reply {
	c := composition{Include: inc, level: level, code: code}
	if withList {
		c.listName, c.list = listName, a.list.Body
	}
	return a.composeReply(c)
}
