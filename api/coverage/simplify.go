package coverage

import (
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"
)

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
	near map[orb.Point]vertexNeighbours
	fine orb.Bound
}

// vertexNeighbours are the neighbours of a vertex, as long as they are no more than two.
type vertexNeighbours struct {
	a, b  orb.Point
	count uint8 // 3: more than two
}

func newSimplifier(shapes map[string][]orb.Ring, fine orb.Bound) *simplifier {
	s := &simplifier{near: map[orb.Point]vertexNeighbours{}, fine: fine}
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

func (s *simplifier) linkVertices(p, q orb.Point) {
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
func (s *simplifier) isJunction(p orb.Point) bool { return s.near[p].count > 2 }

// simplifyRing returns a ring with fewer vertices.
func (s *simplifier) simplifyRing(r orb.Ring) orb.Ring {
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
	var out orb.Ring
	start := 0
	for i := 1; i < len(turned); i++ {
		if i == len(turned)-1 || s.isJunction(turned[i]) {
			arc := s.simplifyArc(orb.LineString(turned[start : i+1]))
			out = append(out, arc[:len(arc)-1]...)
			start = i
		}
	}
	switch {
	case len(out) < 3:
		return r // it would vanish
	case len(out) > maxVertices:
		closed := simplify.DouglasPeucker(tolerance).LineString(orb.LineString(append(out, out[0])))
		return orb.Ring(closed[:len(closed)-1])
	}
	return out
}

// simplifyArc simplifies a line between two vertices that stay.
func (s *simplifier) simplifyArc(line orb.LineString) orb.LineString {
	last := len(line) - 1
	turn := isBefore(line[last], line[0]) || line[0] == line[last] && isBefore(line[last-1], line[1])
	line = slices.Clone(line)
	if turn {
		slices.Reverse(line)
	}
	limit := float64(tolerance)
	if s.fine.Contains(line[0]) && s.fine.Contains(line[last]) {
		limit = fineTolerance
	}
	out := simplify.DouglasPeucker(limit).LineString(line)
	if turn {
		slices.Reverse(out)
	}
	return out
}

func isBefore(p, q orb.Point) bool { return p[0] < q[0] || p[0] == q[0] && p[1] < q[1] }
