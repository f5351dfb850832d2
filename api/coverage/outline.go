package coverage

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/planar"
)

// Map is the départements drawn small, by our own code from the loaded outlines. North is up.
type Map struct {
	ViewBox string
	// the view box of Paris and its three neighbours, which are too small to be seen among the others
	Middle string
	Paths  []Path
}

// Path is a département on the map.
type Path struct{ Code, D string }

// unit is how many metres one unit of the map stands for.
const unit = 300

// The outlines in the projection that maps of France are drawn in, in metres.
// Neighbours have the same vertices on their border.
const readOutlines = `
SELECT code, ST_AsBinary(ST_Transform(geom, 2154)) FROM geo.departement_contour
WHERE ST_XMin(geom) > -10 AND ST_XMax(geom) < 20 AND ST_YMin(geom) > 40 ORDER BY code`

// readMap draws the départements of metropolitan France; nil: no outline is loaded.
func readMap(ctx context.Context, tx pgx.Tx) (*Map, error) {
	rows, _ := tx.Query(ctx, readOutlines) // the rows have its error too
	shapes := map[string][]orb.Ring{}
	var codes []string
	var code string
	var shape []byte
	if _, err := pgx.ForEachRow(rows, []any{&code, &shape}, func() error {
		rings, err := readRings(shape)
		if err != nil {
			return fmt.Errorf("read the outline of %s: %w", code, err)
		}
		shapes[code], codes = rings, append(codes, code)
		return nil
	}); err != nil || len(codes) == 0 {
		return nil, err
	}
	return drawMap(codes, shapes), nil
}

// readRings reads the rings of a polygon or of several, in whole metres and without their first vertex again
// at the end. South is below: the second coordinate grows downwards.
func readRings(shape []byte) (rings []orb.Ring, err error) {
	read, err := wkb.Unmarshal(shape)
	polygons, _ := read.(orb.MultiPolygon)
	if one, is := read.(orb.Polygon); is {
		polygons = orb.MultiPolygon{one}
	}
	for _, polygon := range polygons {
		for _, line := range polygon {
			var r orb.Ring
			for _, p := range line {
				at := orb.Point{math.Round(p[0]), -math.Round(p[1])}
				if len(r) == 0 || r[len(r)-1] != at {
					r = append(r, at)
				}
			}
			if len(r) > 3 {
				rings = append(rings, r[:len(r)-1])
			}
		}
	}
	return rings, err
}

// drawMap simplifies the outlines and writes them as paths.
func drawMap(codes []string, shapes map[string][]orb.Ring) *Map {
	var all, middle orb.MultiPoint
	for code, rings := range shapes {
		for _, r := range rings {
			all = append(all, r...)
			switch code {
			case "75", "92", "93", "94":
				middle = append(middle, r...)
			}
		}
	}
	s := newSimplifier(shapes, middle.Bound())
	m := &Map{ViewBox: viewBox(all.Bound(), 20)}
	if middle != nil {
		m.Middle = viewBox(middle.Bound(), 4)
	}
	for _, code := range codes {
		var d []byte
		for _, r := range dropSmallIslands(shapes[code]) {
			d = appendRing(d, s.simplifyRing(r))
		}
		m.Paths = append(m.Paths, Path{code, string(d)})
	}
	return m
}

// viewBox is an extent as the view box of a drawing, in units, with a margin.
func viewBox(b orb.Bound, margin int) string {
	return fmt.Sprint(int(b.Min[0])/unit-margin, int(b.Min[1])/unit-margin, int(b.Max[0]-b.Min[0])/unit+2*margin,
		int(b.Max[1]-b.Min[1])/unit+2*margin)
}

// minRing is the area, in square metres, below which an island is not
// drawn next to others: it would be a few pixels.
const minRing = 25_000_000

// dropSmallIslands leaves out the islands that could not be seen, never the last of a département.
func dropSmallIslands(rings []orb.Ring) (out []orb.Ring) {
	most := 0.0
	for _, r := range rings {
		most = max(most, math.Abs(planar.Area(r)))
	}
	for _, r := range rings {
		if a := math.Abs(planar.Area(r)); a >= minRing || a == most {
			out = append(out, r)
		}
	}
	return out
}

// appendRing writes a ring as a path in units, with relative steps, which are short.
func appendRing(b []byte, r orb.Ring) []byte {
	var lastX, lastY int64
	for i, p := range r {
		x, y := int64(p[0])/unit, int64(p[1])/unit
		stepX, stepY := x-lastX, y-lastY
		switch {
		case i == 0:
			b = append(b, 'M')
		case stepX == 0 && stepY == 0:
			continue
		case b[len(b)-1] == 'l' || stepX < 0:
		default:
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, stepX, 10)
		if stepY >= 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, stepY, 10)
		if i == 0 {
			b = append(b, 'l')
		}
		lastX, lastY = x, y
	}
	return append(b, 'z')
}
