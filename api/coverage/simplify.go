package coverage

import (
	"fmt"
	"math"
	"slices"
)

// vertex is a point in metres, south below: y grows downwards.
type vertex struct{ x, y int32 }

// ring is a closed line, without its first vertex again at the end.
type ring []vertex

// areaM2 is that inside a ring, in square metres.
func (r ring) areaM2() int64 {
	var twice int64
	for i, p := range r {
		q := r[(i+1)%len(r)]
		twice += int64(p.x)*int64(q.y) - int64(q.x)*int64(p.y)
	}
	return max(twice, -twice) / 2
}

// extentBox is the extent of what was added to it.
type extentBox struct {
	set                      bool
	left, top, right, bottom int32
}

func (b *extentBox) addRing(r ring) {
	for _, p := range r {
		if !b.set {
			*b = extentBox{true, p.x, p.y, p.x, p.y}
		}
		b.left, b.top, b.right, b.bottom = min(b.left, p.x), min(b.top, p.y), max(b.right, p.x), max(b.bottom, p.y)
	}
}

func (b *extentBox) containsVertex(p vertex) bool {
	return b.set && p.x >= b.left && p.x <= b.right && p.y >= b.top && p.y <= b.bottom
}

// viewBox is the box as the view box of a drawing, in units, with a margin.
func (b *extentBox) viewBox(margin int32) string {
	return fmt.Sprint(b.left/unit-margin, b.top/unit-margin, (b.right-b.left)/unit+2*margin,
		(b.bottom-b.top)/unit+2*margin)
}

// How far a simplified line may lie from the line, in metres: a pixel of a map as wide as a
// column, and less where it is also drawn larger.
const (
	tolerance     = 2000
	fineTolerance = 300
)

// maxVertices is how many a ring may have. Outlines of several editions have borders that run to and fro
// across each other: they meet at every turn, and nothing is gained by simplifying between two of them.
const maxVertices = 120

// simplifier simplifies the borders of neighbours alike, so that they have no gap
// between them: a border is cut where more than two lines meet, and each part is
// simplified by itself, from the same end in every outline.
type simplifier struct {
	near map[vertex]vertexNeighbours
	fine extentBox
}

// vertexNeighbours are the neighbours of a vertex, as long as they are no more than two.
type vertexNeighbours struct {
	a, b  vertex
	count uint8 // 3: more than two
}

func newSimplifier(shapes map[string][]ring, fine extentBox) *simplifier {
	s := &simplifier{near: map[vertex]vertexNeighbours{}, fine: fine}
	for _, rings := range shapes {
		for _, r := range rings {
			for i, p := range r {
				q := r[(i+1)%len(r)]
				s.linkVertices(p, q)
				s.linkVertices(q, p)
			}
		}
	}
	return s
}

func (s *simplifier) linkVertices(p, q vertex) {
	e := s.near[p]
	switch {
	case e.count > 0 && e.a == q, e.count > 1 && e.b == q:
		return
	case e.count == 0:
		e.a = q
	case e.count == 1:
		e.b = q
	}
	e.count = min(e.count+1, 3)
	s.near[p] = e
}

// isJunction reports whether more than two lines end in a vertex.
func (s *simplifier) isJunction(p vertex) bool { return s.near[p].count > 2 }

// simplifyRing returns a ring with fewer vertices.
func (s *simplifier) simplifyRing(r ring) ring {
	first := slices.IndexFunc(r, s.isJunction)
	if first < 0 { // an island: every copy of its ring begins at the same vertex
		for i, p := range r {
			if first < 0 || isBefore(p, r[first]) {
				first = i
			}
		}
	}
	turned := append(slices.Clone(r[first:]), r[:first]...)
	turned = append(turned, turned[0])
	var out ring
	start := 0
	for i := 1; i < len(turned); i++ {
		if i == len(turned)-1 || s.isJunction(turned[i]) {
			arc := s.simplifyArc(turned[start : i+1])
			out = append(out, arc[:len(arc)-1]...)
			start = i
		}
	}
	switch {
	case len(out) < 3:
		return r // it would vanish
	case len(out) > maxVertices:
		return reduceLine(append(out, out[0]), tolerance)
	}
	return out
}

// simplifyArc simplifies a line between two vertices that stay.
func (s *simplifier) simplifyArc(line ring) ring {
	last := len(line) - 1
	turn := isBefore(line[last], line[0]) || line[0] == line[last] && isBefore(line[last-1], line[1])
	if turn {
		line = slices.Clone(line)
		slices.Reverse(line)
	}
	limit := float64(tolerance)
	if s.fine.containsVertex(line[0]) && s.fine.containsVertex(line[last]) {
		limit = fineTolerance
	}
	out := append(reduceLine(line, limit), line[last])
	if turn {
		slices.Reverse(out)
	}
	return out
}

// reduceLine is the algorithm of Douglas and Peucker. The last vertex is left to the caller.
func reduceLine(line ring, limit float64) ring {
	last := len(line) - 1
	furthest, most := 0, 0.0
	for i := 1; i < last; i++ {
		if d := segmentDistance(line[i], line[0], line[last]); d > most {
			furthest, most = i, d
		}
	}
	if most <= limit {
		return ring{line[0]}
	}
	return append(reduceLine(line[:furthest+1], limit), reduceLine(line[furthest:], limit)...)
}

// segmentDistance returns the distance of p from the segment from a to b.
func segmentDistance(p, a, b vertex) float64 {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	px, py := float64(p.x-a.x), float64(p.y-a.y)
	along := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		along = min(1, max(0, (px*dx+py*dy)/length))
	}
	return math.Hypot(px-along*dx, py-along*dy)
}

func isBefore(p, q vertex) bool { return p.x < q.x || p.x == q.x && p.y < q.y }
