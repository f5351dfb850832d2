package geom

// spanEdges is how many edges share a span: over the outlines of communes, 8, 16 and 32 were tried.
const spanEdges = 16

// Indexed is the shape with the least and the greatest y of each run of its edges, so that
// Covers reads only the runs that are as far north as the point. They take one sixteenth of
// the memory of the coordinates, in the arena.
func (a *Arena) Indexed(s Shape) Shape {
	spans := reserveChunk(&a.indices, len(s.coords)/spanEdges+2*len(s.rings))
	for _, ring := range s.Rings() {
		for first := 0; first+2 < len(ring); first += 2 * spanEdges {
			// The last vertex of a run is the first of the next.
			run := ring[first:min(first+2*(spanEdges+1), len(ring))]
			least, greatest := run[1], run[1]
			for i := 3; i < len(run); i += 2 {
				least, greatest = min(least, run[i]), max(greatest, run[i])
			}
			spans = append(spans, least, greatest)
		}
	}
	s.spans = takeWritten(&a.indices, spans)
	return s
}

// Covers reports whether p lies in the shape or on its border, the border of a hole included. It is exact. A
// point that crosses an odd number of edges on its way out is inside, whichever polygon the edges belong to.
func (s Shape) Covers(p Point) bool {
	inside, spans := false, s.spans
	start := 0
	for _, end := range s.rings {
		ring := s.coords[start : 2*int(end)]
		start = 2 * int(end)
		step := len(ring)
		if s.spans != nil {
			step = 2 * spanEdges
		}
		for first := 0; first+2 < len(ring); first += step {
			if s.spans != nil {
				least, greatest := spans[0], spans[1]
				spans = spans[2:]
				if p.Y < least || p.Y > greatest {
					continue
				}
			}
			odd, onBorder := crossingParity(ring[first:min(first+step+2, len(ring))], p)
			if onBorder {
				return true
			}
			inside = inside != odd
		}
	}
	return inside
}

// crossingParity reports whether the ray from p to the east crosses the edges of a line an odd number of
// times, or whether p lies on one of them; of a line that is not closed, its last vertex is left to the line
// that goes on there. Products of two differences of coordinates fit an int64 (360 × 180 degrees in units:
// 6.5e18); they are compared and not subtracted, since their difference would not fit.
func crossingParity(line []int32, p Point) (odd, onBorder bool) {
	if len(line) < 2 {
		return false, false
	}
	ax, ay := line[0], line[1]
	above := ay > p.Y
	for i := 3; i < len(line); i += 2 {
		bx, by := line[i-1], line[i]
		next := by > p.Y
		switch {
		case above != next:
			left := (int64(bx) - int64(ax)) * (int64(p.Y) - int64(ay))
			right := (int64(p.X) - int64(ax)) * (int64(by) - int64(ay))
			if left == right {
				return false, true
			}
			if (left > right) == next {
				odd = !odd
			}
		case ay == p.Y && (ax == p.X || by == p.Y && (ax < p.X) != (bx < p.X)):
			// A vertex, or an edge that runs along the ray. The end of an edge is the start of the next one.
			return false, true
		}
		ax, ay, above = bx, by, next
	}
	return odd, false
}
