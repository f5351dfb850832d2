package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// HasAreas reports whether shapes can be other than points.
func HasAreas(g *source.Geometry) bool {
	isPoint := g.From == source.LonLat || g.From == source.LatLonText
	return !isPoint || g.Else != nil && HasAreas(g.Else)
}

// projectedEncoder encodes a shape in a projection.
type projectedEncoder func(srid int) (encodedShape, error)

// encodeGeometry makes the EWKB of a record's geometry; none where it has no geometry.
func (c *Converter) encodeGeometry(
	g *source.Geometry, rec format.Record, scope string, named int) (shape encodedShape, err error) {
	encode, err := c.findEncoder(g, rec)
	if err != nil || encode == nil {
		return shape, err
	}
	srid, stated, err := c.recordSRID(g, rec, scope, named)
	if err != nil {
		return shape, err
	}
	shape, err = encode(srid)
	if err == nil && shape.beyond && !stated && srid == wgs84 && g.MetricSRID != 0 {
		return encode(g.MetricSRID)
	}
	return shape, err
}

// findEncoder finds the shape of a record; nil: it has none.
func (c *Converter) findEncoder(g *source.Geometry, rec format.Record) (projectedEncoder, error) {
	switch g.From {
	case source.Feature:
		return c.geoJSONEncoder(rec.Shape), nil
	case source.GeoJSONText:
		text := c.firstText(rec, g.X)
		if text != "" && !json.Valid([]byte(text)) { // of a feature the reader has looked
			return nil, errNoShape
		}
		return c.geoJSONEncoder(text), nil
	case source.WKT:
		text := c.firstText(rec, g.X)
		if text == "" {
			return nil, nil
		}
		shape, err := fromWKT(text)
		if err != nil {
			return nil, err
		}
		return c.geoJSONEncoder(shape), nil
	case source.LonLat:
		return c.parsePoint(c.firstText(rec, g.X), c.firstText(rec, g.Y))
	case source.LatLonText:
		text := strings.Trim(c.firstText(rec, g.X), "[]()")
		lat, lon, found := strings.Cut(text, ",")
		if text != "" && !found {
			return nil, fmt.Errorf("its position %s is not a latitude and a longitude", quoteExcerpt(text))
		}
		return c.parsePoint(strings.TrimSpace(lon), strings.TrimSpace(lat))
	default:
		return nil, fmt.Errorf("a geometry from %q cannot be read yet", g.From)
	}
}

func (c *Converter) geoJSONEncoder(shape string) projectedEncoder {
	if shape == "" {
		return nil
	}
	return func(srid int) (encodedShape, error) { return encodeShape(shape, srid, c.geometry.Polygon) }
}

func (c *Converter) firstText(rec format.Record, names []string) string {
	for _, name := range names {
		if text, there := rec.Fields.Text(name); there {
			return c.cleanCell(text)
		}
	}
	return ""
}

// recordSRID is the projection of one record; stated: the file or the record itself names it.
func (c *Converter) recordSRID(g *source.Geometry, rec format.Record, scope string, named int) (srid int,
	stated bool, err error) {
	if g.SRIDFrom != "" {
		if text := c.firstText(rec, []string{g.SRIDFrom}); text != "" {
			for name, srid := range g.SRIDNames {
				if strings.EqualFold(strings.TrimSpace(name), text) {
					return srid, true, nil
				}
			}
			srid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(text), "EPSG:")))
			if err != nil || srid < 1024 || srid > 100000 {
				return 0, true, fmt.Errorf("its projection %s is not known", quoteExcerpt(text))
			}
			return srid, true, nil
		}
	}
	if named != 0 && g.From == source.Feature { // what it says of its shapes does not go for its columns
		return named, true, nil
	}
	return SRID(g, scope), false, nil
}

// SRID is the projection of a file that does not name its own.
func SRID(g *source.Geometry, scope string) int {
	if len(scope) == 5 { // a commune; overseas its département is three characters long
		scope = fetch.DepartementOf(scope)
	}
	if srid, ok := g.SRIDByScope[scope]; ok {
		return srid
	}
	if g.SRID != 0 {
		return g.SRID
	}
	return wgs84
}

// pointBytes of EWKB: byte order, type, projection and two numbers.
const pointBytes = 1 + 4 + 4 + 8 + 8

func (c *Converter) parsePoint(x, y string) (projectedEncoder, error) {
	if x == "" && y == "" {
		return nil, nil
	}
	px, errX := c.parseNumber(x)
	py, errY := c.parseNumber(y)
	if errX != nil || errY != nil || math.Abs(px) > maxCoordinate || math.Abs(py) > maxCoordinate {
		return nil, errors.New("its position is not a pair of numbers in range")
	}
	return func(srid int) (encodedShape, error) {
		e := &shapeEncoder{round: srid == wgs84, out: make([]byte, 0, pointBytes)}
		e.writeHeader(wkbPoint, srid)
		e.writeNumber(px)
		e.writeNumber(py)
		return encodedShape{wkb: e.out, beyond: notDegrees(px, 0) || notDegrees(py, 1)}, nil
	}, nil
}
