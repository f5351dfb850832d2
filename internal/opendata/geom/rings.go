package geom

// orientRings reverses the rings that do not run as RFC 7946 wants them: borders counterclockwise, holes
// clockwise. Ring i ends before the vertex rings[i], polygon i before the ring parts[i].
func orientRings(coords, rings, parts []int32) {
	start, border, part := int32(0), int32(0), 0
	for i, end := range rings {
		if int32(i) == border { // the first ring of a polygon; those after it are its holes
			border, part = parts[part], part+1
			orientRing(coords[2*start:2*end], 1)
		} else {
			orientRing(coords[2*start:2*end], -1)
		}
		start = end
	}
}

// orientRing reverses a closed ring whose area does not have the sign. A ring without an area stays as it is.
func orientRing(ring []int32, sign float64) {
	if signedArea(ring)*sign >= 0 {
		return
	}
	for i, j := 0, len(ring)-2; i < j; i, j = i+2, j-2 {
		ring[i], ring[i+1], ring[j], ring[j+1] = ring[j], ring[j+1], ring[i], ring[i+1]
	}
}

// signedArea returns twice the area of a closed ring; it is positive when the ring runs counterclockwise.
func signedArea(ring []int32) (area float64) {
	x0, y0 := float64(ring[0]), float64(ring[1])
	for i := 5; i < len(ring); i += 2 {
		ax, ay := float64(ring[i-3])-x0, float64(ring[i-2])-y0
		bx, by := float64(ring[i-1])-x0, float64(ring[i])-y0
		area += ax*by - bx*ay
	}
	return area
}
