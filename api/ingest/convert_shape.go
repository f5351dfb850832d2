package ingest

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"arpent/api/source"
)

// shape makes the EWKB of a record's geometry. nil: it has
// none.
func (c *converter) shape(rec record, srid int) (any, error) {
	g := c.geometry
	srid, err := c.srid(rec, srid)
	if err != nil {
		return nil, err
	}
	switch g.From {
	case source.Feature:
		if rec.shape == nil {
			return nil, nil
		}
		return asShape(encodeShape(rec.shape, srid, g.Polygon))
	case source.GeoJSONText:
		text := c.first(rec, g.X)
		if text == "" {
			return nil, nil
		}
		return asShape(encodeShape([]byte(text), srid, g.Polygon))
	case source.WKT:
		text := c.first(rec, g.X)
		if text == "" {
			return nil, nil
		}
		shape, err := fromWKT(text)
		if err != nil {
			return nil, err
		}
		return asShape(encodeShape(shape, srid, g.Polygon))
	case source.LonLat:
		return c.point(c.first(rec, g.X), c.first(rec, g.Y), srid)
	case source.LatLonText:
		text := strings.Trim(c.first(rec, g.X), "[]()")
		lat, lon, found := strings.Cut(text, ",")
		if text != "" && !found {
			return nil, fmt.Errorf("its position %s is not a latitude and a longitude", excerpt(text))
		}
		return c.point(strings.TrimSpace(lon), strings.TrimSpace(lat), srid)
	default:
		return nil, fmt.Errorf("a geometry from %q cannot be read yet", g.From)
	}
}

// asShape keeps a nil slice from becoming a value that is not nil.
func asShape(b []byte, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (c *converter) first(rec record, names []string) string {
	for _, name := range names {
		if text, there := rec.fields.text(name); there {
			return c.meant(text)
		}
	}
	return ""
}

// srid is the projection of one record.
func (c *converter) srid(rec record, ofFile int) (int, error) {
	if c.geometry.SRIDFrom == "" {
		return ofFile, nil
	}
	text := c.first(rec, []string{c.geometry.SRIDFrom})
	if text == "" {
		return ofFile, nil
	}
	srid, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(text), "EPSG:"))
	if err != nil || srid < 1024 || srid > 100000 {
		return 0, fmt.Errorf("its projection %s is not known", excerpt(text))
	}
	return srid, nil
}

func (c *converter) point(x, y string, srid int) (any, error) {
	if x == "" && y == "" {
		return nil, nil
	}
	px, errX := c.number(x)
	py, errY := c.number(y)
	if errX != nil || errY != nil || math.Abs(px) > maxCoordinate || math.Abs(py) > maxCoordinate {
		return nil, errors.New("its position is not a pair of numbers in range")
	}
	return encodePoint(px, py, srid), nil
}
