package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/format"
	"arpent/api/source"
)

// placed encodes a shape in a projection. beyond: a coordinate is no longitude or latitude.
type placed func(srid int) (shape []byte, beyond bool, err error)

// shape makes the EWKB of a record's geometry. nil: it has none.
func (c *Converter) shape(g *source.Geometry, rec format.Record, scope string, named int) (any, error) {
	encode, err := c.encoder(g, rec)
	if err != nil || encode == nil {
		return nil, err
	}
	srid, stated, err := c.srid(g, rec, scope, named)
	if err != nil {
		return nil, err
	}
	shape, beyond, err := encode(srid)
	if err == nil && beyond && !stated && srid == wgs84 && g.MetricSRID != 0 {
		shape, _, err = encode(g.MetricSRID)
	}
	if err != nil {
		return nil, err // not the nil slice, which would be a value
	}
	return shape, nil
}

// encoder finds the shape of a record; nil: it has none.
func (c *Converter) encoder(g *source.Geometry, rec format.Record) (placed, error) {
	switch g.From {
	case source.Feature:
		return c.geoJSON(rec.Shape), nil
	case source.GeoJSONText:
		text := []byte(c.first(rec, g.X))
		if len(text) > 0 && !json.Valid(text) { // of a feature the reader has looked
			return nil, errNoShape
		}
		return c.geoJSON(text), nil
	case source.WKT:
		text := c.first(rec, g.X)
		if text == "" {
			return nil, nil
		}
		shape, err := fromWKT(text)
		if err != nil {
			return nil, err
		}
		return c.geoJSON(shape), nil
	case source.LonLat:
		return c.point(c.first(rec, g.X), c.first(rec, g.Y))
	case source.LatLonText:
		text := strings.Trim(c.first(rec, g.X), "[]()")
		lat, lon, found := strings.Cut(text, ",")
		if text != "" && !found {
			return nil, fmt.Errorf("its position %s is not a latitude and a longitude", excerpt(text))
		}
		return c.point(strings.TrimSpace(lon), strings.TrimSpace(lat))
	default:
		return nil, fmt.Errorf("a geometry from %q cannot be read yet", g.From)
	}
}

func (c *Converter) geoJSON(shape []byte) placed {
	if len(shape) == 0 {
		return nil
	}
	return func(srid int) ([]byte, bool, error) { return encodeShape(shape, srid, c.geometry.Polygon) }
}

func (c *Converter) first(rec format.Record, names []string) string {
	for _, name := range names {
		if text, there := rec.Fields.Text(name); there {
			return c.meant(text)
		}
	}
	return ""
}

// srid is the projection of one record; stated: the file or the record itself names it.
func (c *Converter) srid(g *source.Geometry, rec format.Record, scope string, named int) (srid int, stated bool, err error) {
	if g.SRIDFrom != "" {
		if text := c.first(rec, []string{g.SRIDFrom}); text != "" {
			srid, err := projectionCalled(text, g.SRIDNames)
			return srid, true, err
		}
	}
	if named != 0 && g.From == source.Feature { // what it says of its shapes does not go for its columns
		return named, true, nil
	}
	return SRID(g, scope), false, nil
}

func projectionCalled(text string, names map[string]int) (int, error) {
	for name, srid := range names {
		if strings.EqualFold(strings.TrimSpace(name), text) {
			return srid, nil
		}
	}
	srid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(text), "EPSG:")))
	if err != nil || srid < 1024 || srid > 100000 {
		return 0, fmt.Errorf("its projection %s is not known", excerpt(text))
	}
	return srid, nil
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

func (c *Converter) point(x, y string) (placed, error) {
	if x == "" && y == "" {
		return nil, nil
	}
	px, errX := c.number(x)
	py, errY := c.number(y)
	if errX != nil || errY != nil || math.Abs(px) > maxCoordinate || math.Abs(py) > maxCoordinate {
		return nil, errors.New("its position is not a pair of numbers in range")
	}
	return at(px, py), nil
}

func at(x, y float64) placed {
	return func(srid int) ([]byte, bool, error) {
		return encodePoint(x, y, srid), notDegrees(x, 0) || notDegrees(y, 1), nil
	}
}
