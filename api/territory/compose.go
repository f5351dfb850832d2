package territory

import (
	"arpent/api/geom"
	"arpent/api/reply"
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
	geometry, stats bool
	listName        string // empty: no list
	list            []byte
}

// compose makes the answer. Nothing is allocated when nothing is asked for; else the body once, at its exact size.
func (e *entry) compose(c composition) reply.Reply {
	const (
		geometryKey = `,"geometry":`
		stats       = `,"stats":null` // no source of statistics is loaded
		listKeyLen  = len(`,"":`)
	)
	size, variant := len(e.plain.Body), ""
	if c.geometry {
		size += len(geometryKey) + int(e.geometryLen)
		variant += "g"
	}
	if c.stats {
		size += len(stats)
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
	if c.stats {
		body = append(body, stats...)
	}
	if c.listName != "" {
		body = append(append(append(body, `,"`...), c.listName...), `":`...)
		body = append(body, c.list...)
	}
	return reply.Reply{Body: append(body, '}'), ETag: reply.ETag(e.hash, variant)}
}

func (a *area) composeArea(inc Include, listName string, withList bool) reply.Reply {
	c := composition{geometry: inc.Geometry, stats: inc.Stats}
	if withList {
		c.listName, c.list = listName, a.list.Body
	}
	return a.compose(c)
}
