package demo

import (
	"math"
	"strconv"
)

// A village is made of sections, these of blocks between streets, these of two rows of lots back to back. Metres.
const (
	sectionsAcross, sectionsDown = 3, 4
	blocksAcross, blocksDown     = 3, 4
	blockWidth, blockDepth       = 176, 64
	streetAcross, streetDown     = 10, 8
	minLots, maxLots             = 5, 16 // in one row of a block

	villageRadius = 1030 // metres from the middle to the farthest corner
	sheetBlocks   = blocksAcross * blocksDown / 2
)

var sectionNames = [sectionsAcross * sectionsDown]string{
	"0A", "0B", "0C", "AB", "AC", "AD", "AE", "AH", "AI", "AK", "AL", "AM",
}

// village is the parcels of one commune.
type village struct {
	commune    string
	dice       dice
	middle     point
	cos, sin   float64 // of the angle the streets are turned by
	perX, perY float64 // units of coordinate in a metre
	parcels    int     // how many of them to make
}

func newVillage(commune string, middle point, seed dice) village {
	d := seed.named(commune)
	sin, cos := math.Sincos(d.of(0).within(0.6))
	v := village{commune: commune, dice: d.of(1), middle: middle, cos: cos, sin: sin,
		perX: 1 / metresX(1, middle.y), perY: 1 / metresY(1)}
	for s := range len(sectionNames) {
		for b := range blocksAcross * blocksDown {
			v.parcels += 2 * v.lots(s, b)
		}
	}
	return v
}

func (v village) block(section, block int) dice { return v.dice.of(uint64(section)).of(uint64(block)) }

// lots is how many lots stand side by side in a block.
func (v village) lots(section, block int) int {
	return minLots + v.block(section, block).of(0).below(maxLots-minLots+1)
}

// parcel is one synthetic parcel. The ring is reused by the next one.
type parcel struct {
	section    string
	number     int
	contenance int
	feuille    int
	ring       []point // closed
}

// each makes the village's parcels one after the other.
func (v village) each(make func(*parcel)) {
	var p parcel
	left := v.parcels
	for s, name := range sectionNames {
		p.section, p.number = name, 0
		for b := range blocksAcross * blocksDown {
			p.feuille = 1 + b/sheetBlocks
			k := v.newBlock(s, b)
			for lot := 0; lot < 2*k.lots; lot++ {
				if left == 0 {
					return
				}
				left--
				p.number++
				k.cut(&p, lot%k.lots, lot/k.lots)
				make(&p)
			}
		}
	}
}

// block is a lattice of lots: lots+1 lines across, 3 lines along.
type block struct {
	village
	dice  dice
	x, y  float64 // its lower left corner, in metres from the village's middle
	lots  int
	lines [maxLots + 1][3]spot // corners of the lots
	way   []spot
}

type spot struct{ x, y float64 } // metres

func (v village) newBlock(section, number int) *block {
	const (
		sectionWidth = blocksAcross * (blockWidth + streetAcross)
		sectionDepth = blocksDown * (blockDepth + streetDown)
	)
	k := &block{village: v, dice: v.block(section, number), lots: v.lots(section, number)}
	k.x = float64(section%sectionsAcross*sectionWidth + number%blocksAcross*(blockWidth+streetAcross) - sectionsAcross*sectionWidth/2)
	k.y = float64(section/sectionsAcross*sectionDepth + number/blocksAcross*(blockDepth+streetDown) - sectionsDown*sectionDepth/2)
	width := blockWidth / float64(k.lots)
	back := k.dice.of(1).within(4)
	for c := range k.lots + 1 {
		d := k.dice.of(uint64(2 + c))
		x := float64(c) * width
		if c > 0 && c < k.lots {
			x += d.of(0).within(0.2) * width
		}
		for r := range 3 {
			y := float64(r) * blockDepth / 2
			if r == 1 {
				y += back
			}
			k.lines[c][r] = spot{x + d.of(uint64(10+r)).within(0.6), y + d.of(uint64(20+r)).within(1.2)}
		}
	}
	return k
}

// side appends the way from one corner to its neighbour without the end: one or two bends, or none along the street.
func (k *block) side(c0, r0, c1, r1 int) []spot {
	a, b := k.lines[c0][r0], k.lines[c1][r1]
	d := k.dice.of(uint64(100 + c0*6 + r0*2 + c1 - c0))
	bends := d.of(0).below(3)
	if c0 == c1 {
		bends = 1 + d.of(0).below(2)
	}
	k.way = append(k.way[:0], a)
	for i := 1; i <= bends; i++ {
		t, off := float64(i)/float64(bends+1), d.of(uint64(i)).within(0.02)
		k.way = append(k.way, spot{a.x + (b.x-a.x)*t - (b.y-a.y)*off, a.y + (b.y-a.y)*t + (b.x-a.x)*off})
	}
	k.way = append(k.way, b)
	return k.way
}

// cut fills in the lot in column c of row r.
func (k *block) cut(p *parcel, c, r int) {
	p.ring = p.ring[:0]
	var twice float64 // the area, by the shoelace formula
	var last spot
	walk := func(s spot) {
		if len(p.ring) > 0 {
			twice += last.x*s.y - s.x*last.y
		}
		last = s
		p.ring = append(p.ring, k.onMap(s))
	}
	forth := func(way []spot) {
		for _, s := range way[:len(way)-1] {
			walk(s)
		}
	}
	back := func(way []spot) {
		for i := len(way) - 1; i > 0; i-- {
			walk(way[i])
		}
	}
	forth(k.side(c, r, c+1, r))
	forth(k.side(c+1, r, c+1, r+1))
	back(k.side(c, r+1, c+1, r+1))
	back(k.side(c, r, c, r+1))
	walk(k.lines[c][r])
	p.ring[len(p.ring)-1] = p.ring[0]
	// What was surveyed long ago and the drawing never agree exactly.
	measured := twice / 2 * (1 + k.dice.of(uint64(1000+2*c+r)).within(0.02))
	p.contenance = int(math.Round(measured))
}

func (k *block) onMap(s spot) point {
	x, y := k.x+s.x, k.y+s.y
	return point{
		k.middle.x + int(math.Round((x*k.cos-y*k.sin)*k.perX)),
		k.middle.y + int(math.Round((x*k.sin+y*k.cos)*k.perY)),
	}
}

// appendIDU writes the parcel's cadastral reference.
func (v village) appendIDU(b []byte, p *parcel) []byte {
	b = append(append(append(b, v.commune...), "000"...), p.section...)
	for most := 1000; most > 1 && p.number < most; most /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(p.number), 10)
}
