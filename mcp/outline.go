package mcp

import (
	"encoding/json"
	"errors"

	"github.com/paulmach/orb"
	orbsimplify "github.com/paulmach/orb/simplify"
)

const (
	metresPerDegree = 111_195 // of latitude, on a sphere of 6 371 km
	roundTo         = 100_000 // coordinates of a simplified outline: a metre
)

// simplifyOutline gives an outline in fewer points, so that it is shorter than limit bytes,
// and how far at most the points that were left out are from it, in metres of latitude.
// Parts that are smaller than that are left out.
func simplifyOutline(text string, limit int) (simple []byte, metres int, err error) {
	exact, err := readOutline(text)
	if err != nil {
		return nil, 0, err
	}
	for metres = 10; metres <= 20_000; metres *= 2 {
		threshold := float64(metres) / metresPerDegree
		parts := keepAreas(orbsimplify.DouglasPeucker(threshold).MultiPolygon(exact.Clone()))
		if len(parts) == 0 {
			break
		}
		if simple = writeOutline(orb.Round(parts, roundTo).(orb.MultiPolygon)); len(simple) < limit {
			return simple, metres, nil
		}
	}
	return nil, 0, errors.New("the outline has no simpler form")
}

func readOutline(text string) (orb.MultiPolygon, error) {
	var g struct {
		Type        string
		Coordinates json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return nil, err
	}
	if g.Type == "Polygon" {
		var one orb.Polygon
		err := json.Unmarshal(g.Coordinates, &one)
		return orb.MultiPolygon{one}, err
	}
	var all orb.MultiPolygon
	err := json.Unmarshal(g.Coordinates, &all)
	return all, err
}

func writeOutline(parts orb.MultiPolygon) []byte {
	if len(parts) == 1 {
		return mustMarshal(object{"type": "Polygon", "coordinates": parts[0]})
	}
	return mustMarshal(object{"type": "MultiPolygon", "coordinates": parts})
}

// keepAreas are the parts that still are areas, without holes that are none any more.
func keepAreas(all orb.MultiPolygon) (parts orb.MultiPolygon) {
	for _, polygon := range all {
		if len(polygon) == 0 || !isArea(polygon[0]) {
			continue
		}
		kept := orb.Polygon{polygon[0]}
		for _, hole := range polygon[1:] {
			if isArea(hole) {
				kept = append(kept, hole)
			}
		}
		parts = append(parts, kept)
	}
	return parts
}

// isArea reports whether a ring has the four positions that GeoJSON asks of it.
func isArea(r orb.Ring) bool { return len(r) >= 4 }
