package tile

// edge is a line between two vertices, whichever way it is walked.
type edge struct{ ax, ay, bx, by int32 }

func newEdge(ax, ay, bx, by int32) edge {
	if ax > bx || ax == bx && ay > by {
		return edge{bx, by, ax, ay}
	}
	return edge{ax, ay, bx, by}
}

// outlineCollector collects rings, and finds where they do not lie against each other.
type outlineCollector struct {
	edges map[edge]bool // true: one ring has it, false: several do
	rings [][]int32
}

// addRing takes a closed ring, and copies it.
func (s *outlineCollector) addRing(ring []int32) {
	s.rings = append(s.rings, append([]int32(nil), ring...))
	for i := 3; i < len(ring); i += 2 {
		e := newEdge(ring[i-3], ring[i-2], ring[i-1], ring[i])
		_, met := s.edges[e]
		s.edges[e] = !met
	}
}

// unsharedLines gives the lines that one ring alone has, each as x, y, x, y….
func (s *outlineCollector) unsharedLines() (out [][]int32) {
	for _, ring := range s.rings {
		begun := -1 // where the line begins
		for i := 2; i < len(ring); i += 2 {
			alone := s.edges[newEdge(ring[i-2], ring[i-1], ring[i], ring[i+1])]
			switch {
			case alone && begun < 0:
				begun = i - 2
			case !alone && begun >= 0:
				out, begun = append(out, ring[begun:i]), -1
			}
		}
		if begun >= 0 {
			out = append(out, ring[begun:])
		}
	}
	return out
}
