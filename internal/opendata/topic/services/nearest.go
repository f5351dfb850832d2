package services

import (
	"cmp"
	"math"
)

const (
	earthKm  = 6371.0088 // mean radius
	degreeKm = earthKm * math.Pi / 180
	cellSize = 0.2 // degrees
)

// greatCircle returns the distance of two points in kilometres.
func greatCircle(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	a := math.Sin((lat2 - lat1) * rad / 2)
	b := math.Sin((lon2 - lon1) * rad / 2)
	return 2 * earthKm * math.Asin(math.Min(1, math.Sqrt(a*a+math.Cos(lat1*rad)*math.Cos(lat2*rad)*b*b)))
}

// grid is a spatial index: it finds the nearest of many places without visiting all of them.
type grid struct {
	cells map[[2]int][]*site
}

func newGrid(places []*site) *grid {
	g := &grid{cells: map[[2]int][]*site{}}
	for _, p := range places {
		at := cellOf(p.lat, p.lon)
		g.cells[at] = append(g.cells[at], p)
	}
	return g
}

func cellOf(lat, lon float64) [2]int {
	return [2]int{int(math.Floor(lat / cellSize)), int(math.Floor(lon / cellSize))}
}

// findNearest returns the place nearest to a point within maxKm kilometres; of several at one distance the
// first by id. It returns nil when there is none.
func (g *grid) findNearest(lat, lon, maxKm float64) (best *site, km float64) {
	at := cellOf(lat, lon)
	for ring := 0; g.minDistanceKm(lat, ring) <= maxKm; ring++ {
		if best != nil && km < g.minDistanceKm(lat, ring) {
			break
		}
		g.visitRing(at, ring, func(p *site) {
			away := greatCircle(lat, lon, p.lat, p.lon)
			if away <= maxKm && (best == nil || away < km || away == km &&
				cmp.Or(cmp.Compare(p.id, best.id), cmp.Compare(p.from.Part, best.from.Part)) < 0) {
				best, km = p, away
			}
		})
	}
	return best, km
}

// minDistanceKm returns the minimum distance in kilometres from a point to the cells of a ring: there are at
// least ring-1 whole cells between, which are narrowest where they are farthest from the equator.
func (g *grid) minDistanceKm(lat float64, ring int) float64 {
	if ring < 2 {
		return 0
	}
	away := float64(ring-1) * cellSize
	farthest := math.Min(90, math.Abs(lat)+away+2*cellSize)
	return away * degreeKm * math.Cos(farthest*math.Pi/180)
}

// visitRing visits the places of the cells at that distance, in cells, from the middle.
func (g *grid) visitRing(middle [2]int, ring int, visit func(*site)) {
	for dy := -ring; dy <= ring; dy++ {
		step := 1
		if dy != -ring && dy != ring {
			step = max(1, 2*ring)
		}
		for dx := -ring; dx <= ring; dx += step {
			for _, p := range g.cells[[2]int{middle[0] + dy, middle[1] + dx}] {
				visit(p)
			}
		}
	}
}
