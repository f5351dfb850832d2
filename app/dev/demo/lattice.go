package demo

import "math"

// lattice is a département cut into its communes: rows of cells whose corners are moved a little and whose borders
// wander. Both sides of a border compute it from the same numbers, so that communes touch without gap or overlap. The
// outer border stays straight.
type lattice struct {
	departement
	dice       dice
	cols, rows int
}

const (
	cornerShift = 0.12 // of a cell
	borderShift = 0.04 // of a cell
	borderSteps = 4    // straight pieces of a border
)

func newLattice(d departement, seed dice) lattice {
	n := float64(len(d.communes))
	width := metresX(d.box.east-d.box.west, (d.box.south+d.box.north)/2)
	cols := int(math.Round(math.Sqrt(n * width / metresY(d.box.north-d.box.south))))
	cols = min(max(cols, 1), len(d.communes))
	return lattice{departement: d, dice: seed.named(d.code), cols: cols, rows: (len(d.communes) + cols - 1) / cols}
}

// cells gives the row of the i-th commune and its columns, from…to-1. The last row has fewer communes, wider ones.
func (l lattice) cells(i int) (row, from, to int) {
	row = i / l.cols
	if row < l.rows-1 {
		return row, i % l.cols, i%l.cols + 1
	}
	k, n := i%l.cols, len(l.communes)-row*l.cols
	return row, k * l.cols / n, (k + 1) * l.cols / n
}

// corner is where column line c meets row line r.
func (l lattice) corner(c, r int) point {
	w, h := l.box.east-l.box.west, l.box.north-l.box.south
	p := point{l.box.west + w*c/l.cols, l.box.south + h*r/l.rows}
	d := l.dice.of(uint64(c)).of(uint64(r))
	if c > 0 && c < l.cols {
		p.x += int(d.of(0).within(cornerShift) * float64(w/l.cols))
	}
	if r > 0 && r < l.rows {
		p.y += int(d.of(1).within(cornerShift) * float64(h/l.rows))
	}
	return p
}

// border appends the way from one corner to the next to the east or north, without its end.
func (l lattice) border(ring []point, c, r int, north bool) []point {
	a, b := l.corner(c, r), l.corner(c+1, r)
	straight := r == 0 || r == l.rows
	d := l.dice.of(uint64(c)).of(uint64(r)).of(2)
	if north {
		b = l.corner(c, r+1)
		straight = c == 0 || c == l.cols
		d = d.of(3)
	}
	ring = append(ring, a)
	if straight {
		return ring
	}
	for k := 1; k < borderSteps; k++ {
		off := d.of(uint64(k)).within(borderShift)
		dx, dy := b.x-a.x, b.y-a.y
		ring = append(ring, point{
			a.x + dx*k/borderSteps - int(off*float64(dy)),
			a.y + dy*k/borderSteps + int(off*float64(dx)),
		})
	}
	return ring
}

// outline is the ring of the i-th commune, counter-clockwise and closed.
func (l lattice) outline(i int) []point {
	row, from, to := l.cells(i)
	var ring, back []point
	for c := from; c < to; c++ {
		ring = l.border(ring, c, row, false)
	}
	ring = l.border(ring, to, row, true)
	for c := from; c < to; c++ {
		back = l.border(back, c, row+1, false)
	}
	ring = appendBack(ring, append(back, l.corner(to, row+1)))
	back = l.border(nil, from, row, true)
	ring = appendBack(ring, append(back, l.corner(from, row+1)))
	return append(ring, ring[0])
}

// appendBack appends a way in the other direction, without its new end.
func appendBack(ring, way []point) []point {
	for i := len(way) - 1; i > 0; i-- {
		ring = append(ring, way[i])
	}
	return ring
}

// frame is the ring of the département: every corner of a commune on its border, so that it is the union of the
// communes to the last digit, area included.
func (l lattice) frame() []point {
	var ring []point
	for c := range l.cols {
		ring = append(ring, l.corner(c, 0))
	}
	for r := range l.rows {
		ring = append(ring, l.corner(l.cols, r))
	}
	for c := l.cols; c > 0; c-- {
		ring = append(ring, l.corner(c, l.rows))
	}
	for r := l.rows; r > 0; r-- {
		ring = append(ring, l.corner(0, r))
	}
	return append(ring, ring[0])
}

// site is the middle of the i-th commune, and how many metres there are to its nearest border at least.
func (l lattice) site(i int) (middle point, free float64) {
	row, from, to := l.cells(i)
	a, c := l.corner(from, row), l.corner(to, row+1)
	b, d := l.corner(to, row), l.corner(from, row+1)
	middle = point{(a.x + b.x + c.x + d.x) / 4, (a.y + b.y + c.y + d.y) / 4}
	slack := 2 * (cornerShift + borderShift) // of a cell, for what the corners and borders in between may do
	if to == from+1 {
		slack = 0.08
	}
	cellX, cellY := (l.box.east-l.box.west)/l.cols, (l.box.north-l.box.south)/l.rows
	x := min(middle.x-a.x, middle.x-d.x, b.x-middle.x, c.x-middle.x) - int(slack*float64(cellX))
	y := min(middle.y-a.y, middle.y-b.y, c.y-middle.y, d.y-middle.y) - int(slack*float64(cellY))
	return middle, min(metresX(x, middle.y), metresY(y))
}
