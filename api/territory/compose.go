package territory

import (
	"math/bits"

	"arpent/api/geom"
	"arpent/api/reply"
	"arpent/api/stats"
)

// entry is one finished answer, and what is added to it on request.
type entry struct {
	plain       reply.Reply
	hash        uint64 // of everything: body, outline, list
	shape       geom.Shape
	geometryLen int32 // of the outline as GeoJSON
}

// area is an entry with the list of what lies in it.
type area struct {
	entry
	list reply.Reply
}

// composition is what goes into one answer beside the plain members, in the order of the contract.
type composition struct {
	geometry bool
	stats    Statistics // nil: without
	level    stats.Level
	code     string
	listName string // empty: no list
	list     []byte
}

// compose makes the answer. Nothing is allocated when nothing is asked for; else the body once, at its exact size.
func (e *entry) compose(c composition) reply.Reply {
	const (
		geometryKey = `,"geometry":`
		statsKey    = `,"stats":`
		listKeyLen  = len(`,"":`)
	)
	size, variant, hash := len(e.plain.Body), "", e.hash
	if c.geometry {
		size += len(geometryKey) + int(e.geometryLen)
		variant += "g"
	}
	if c.stats != nil {
		length, figures := c.stats.Look(c.level, c.code)
		size += len(statsKey) + length
		hash ^= bits.RotateLeft64(figures, 1)
		variant += "s"
	}
	if c.listName != "" {
		size += listKeyLen + len(c.listName) + len(c.list)
		variant += "l"
	}
	if variant == "" {
		return e.plain
	}
	body := make([]byte, 0, size)
	body = append(body, e.plain.Body[:len(e.plain.Body)-1]...)
	if c.geometry {
		body = e.shape.AppendGeoJSON(append(body, geometryKey...))
	}
	if c.stats != nil {
		body = c.stats.Append(append(body, statsKey...), c.level, c.code)
	}
	if c.listName != "" {
		body = append(append(append(body, `,"`...), c.listName...), `":`...)
		body = append(body, c.list...)
	}
	return reply.Reply{Body: append(body, '}'), ETag: reply.ETag(hash, variant)}
}

func (a *area) composeArea(inc Include, level stats.Level, code, listName string, withList bool) reply.Reply {
	c := composition{geometry: inc.Geometry, stats: inc.Stats, level: level, code: code}
	if withList {
		c.listName, c.list = listName, a.list.Body
	}
	return a.compose(c)
}
