package coverage

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Map is the départements drawn small, by our own code from the loaded outlines. North is up.
type Map struct {
	ViewBox string
	Middle  string // the view box of Paris and its three neighbours, which are too small to be seen among the others
	Paths   []Path
}

// Path is a département on the map.
type Path struct{ Code, D string }

// unit is how many metres one unit of the map stands for.
const unit = 300

// The outlines in the projection that maps of France are drawn in, in metres.
// Neighbours have the same vertices on their border.
const readOutlines = `
SELECT code, ST_AsGeoJSON(ST_Transform(geom, 2154), 0) FROM geo.departement_contour
WHERE ST_XMin(geom) > -10 AND ST_XMax(geom) < 20 AND ST_YMin(geom) > 40 ORDER BY code`

// readMap draws the départements of metropolitan France; nil: no outline is loaded.
func readMap(ctx context.Context, tx pgx.Tx) (*Map, error) {
	rows, _ := tx.Query(ctx, readOutlines) // the rows have its error too
	shapes := map[string][]ring{}
	var codes []string
	var code, text string
	if _, err := pgx.ForEachRow(rows, []any{&code, &text}, func() error {
		rings, err := readRings(text)
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

// readRings reads the rings of a polygon or of several. South is
// below: the second coordinate grows downwards.
func readRings(text string) (rings []ring, err error) {
	var shape struct {
		Type        string
		Coordinates json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &shape); err != nil {
		return nil, err
	}
	var polygons [][][][2]float64
	if shape.Type == "Polygon" {
		polygons = make([][][][2]float64, 1)
		err = json.Unmarshal(shape.Coordinates, &polygons[0])
	} else {
		err = json.Unmarshal(shape.Coordinates, &polygons)
	}
	for _, polygon := range polygons {
		for _, line := range polygon {
			var r ring
			for _, p := range line {
				at := vertex{int32(p[0]), -int32(p[1])}
				if len(r) == 0 || r[len(r)-1] != at {
					r = append(r, at)
				}
			}
			if len(r) > 3 {
				rings = append(rings, r[:len(r)-1]) // without the first vertex again
			}
		}
	}
	return rings, err
}

// drawMap simplifies the outlines and writes them as paths.
func drawMap(codes []string, shapes map[string][]ring) *Map {
	var all, middle extentBox
	for code, rings := range shapes {
		for _, r := range rings {
			all.addRing(r)
			switch code {
			case "75", "92", "93", "94":
				middle.addRing(r)
			}
		}
	}
	s := newSimplifier(shapes, middle)
	m := &Map{ViewBox: all.viewBox(20)}
	if middle.set {
		m.Middle = middle.viewBox(4)
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

// minRing is the area, in square metres, below which an island is not
// drawn next to others: it would be a few pixels.
const minRing = 25_000_000

// dropSmallIslands leaves out the islands that could not be seen, never the last of a département.
func dropSmallIslands(rings []ring) (out []ring) {
	var most int64
	for _, r := range rings {
		most = max(most, r.areaM2())
	}
	for _, r := range rings {
		if a := r.areaM2(); a >= minRing || a == most {
			out = append(out, r)
		}
	}
	return out
}

// appendRing writes a ring as a path in units, with relative steps, which are short.
func appendRing(b []byte, r ring) []byte {
	var last vertex
	for i, p := range r {
		p = vertex{p.x / unit, p.y / unit}
		step := vertex{p.x - last.x, p.y - last.y}
		switch {
		case i == 0:
			b = append(b, 'M')
		case step == vertex{}:
			continue
		case b[len(b)-1] == 'l' || step.x < 0:
		default:
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(step.x), 10)
		if step.y >= 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(step.y), 10)
		if i == 0 {
			b = append(b, 'l')
		}
		last = p
	}
	return append(b, 'z')
}
