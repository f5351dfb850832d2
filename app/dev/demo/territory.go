package demo

import (
	"cmp"
	"math"
	"slices"
)

// Coordinates are whole numbers of 1e-7 degree, the precision that is served: a border computed twice is the same.
const perDegree = 1e7

type point struct{ x, y int }

type box struct{ west, south, east, north int }

func degrees(west, south, east, north float64) box {
	at := func(v float64) int { return int(math.Round(v * perDegree)) }
	return box{at(west), at(south), at(east), at(north)}
}

type region struct {
	code         string
	departements []departement
}

type departement struct {
	code     string
	communes []string // codes, sorted
	box      box
}

// weight is the share of land of a département. One of few communes (Paris has one) is not made too thin to see.
func (d departement) weight() float64 { return float64(max(len(d.communes), 10)) }

func (r region) weight() (sum float64) {
	for _, d := range r.departements {
		sum += d.weight()
	}
	return sum
}

func (r region) centre() where {
	var c where
	for _, d := range r.departements {
		at := centres[d.code]
		c.lon += at.lon * d.weight()
		c.lat += at.lat * d.weight()
	}
	return where{c.lon / r.weight(), c.lat / r.weight()}
}

// place gives every département its box: régions share out the mainland, départements their région. Régions and
// départements that the demonstration knows no place for (the overseas collectivities) are left out.
func place(regions []region) []departement {
	var onMainland []share
	boxes := map[string]box{}
	for i, r := range regions {
		r.departements = slices.DeleteFunc(r.departements, func(d departement) bool { _, known := centres[d.code]; return !known })
		regions[i] = r
		if island, ok := islands[r.code]; ok {
			boxes[r.code] = island
		} else if len(r.departements) > 0 {
			onMainland = append(onMainland, share{r.code, r.centre(), r.weight()})
		}
	}
	if len(onMainland) > 0 {
		split(mainland, onMainland, boxes)
	}
	var placed []departement
	for _, r := range regions {
		if len(r.departements) == 0 {
			continue
		}
		var shares []share
		for _, d := range r.departements {
			shares = append(shares, share{d.code, centres[d.code], d.weight()})
		}
		within := map[string]box{}
		split(boxes[r.code], shares, within)
		for _, d := range r.departements {
			d.box = within[d.code]
			placed = append(placed, d)
		}
	}
	return placed
}

// share is a claim on a part of a box.
type share struct {
	code   string
	at     where
	weight float64
}

// split cuts a box in two across its longer side, by weight and in the order of the real places, until every share
// has a box of its own. Cuts are straight along the axes: neighbours agree on them exactly.
func split(b box, shares []share, into map[string]box) {
	if len(shares) == 1 {
		into[shares[0].code] = b
		return
	}
	eastWest := metresX(b.east-b.west, (b.south+b.north)/2) > metresY(b.north-b.south)
	slices.SortFunc(shares, func(p, q share) int {
		if eastWest {
			return cmp.Or(cmp.Compare(p.at.lon, q.at.lon), cmp.Compare(p.code, q.code))
		}
		return cmp.Or(cmp.Compare(p.at.lat, q.at.lat), cmp.Compare(p.code, q.code))
	})
	n, part := half(shares)
	low, high := b, b
	if eastWest {
		low.east = b.west + int(part*float64(b.east-b.west))
		high.west = low.east
	} else {
		low.north = b.south + int(part*float64(b.north-b.south))
		high.south = low.north
	}
	split(low, shares[:n], into)
	split(high, shares[n:], into)
}

// half finds how many of the shares make up about half of the weight, and which part exactly.
func half(shares []share) (n int, part float64) {
	var all, sum float64
	for _, s := range shares {
		all += s.weight
	}
	best := math.Inf(1)
	for i, s := range shares[:len(shares)-1] {
		sum += s.weight
		if off := math.Abs(sum/all - 0.5); off < best {
			n, part, best = i+1, sum/all, off
		}
	}
	return n, part
}

const metresPerDegree = 111_195 // of latitude, on the sphere

func metresY(dy int) float64 { return float64(dy) / perDegree * metresPerDegree }

func metresX(dx, lat int) float64 {
	return metresY(dx) * math.Cos(float64(lat)/perDegree*math.Pi/180)
}
