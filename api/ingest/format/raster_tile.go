package format

import (
	"math"
	"slices"
	"strconv"
)

// tile is a rectangle of cells of a grid, in the grid's projection.
type tile struct {
	srid         int
	west, north  float64
	cellX, cellY float64 // size of a cell, both positive
	width        int     // cells from west to east
	height       int     // cells from north to south
	cells        []float32
}

func (t *tile) Text(name string) (string, bool) {
	switch name {
	case "id":
		return coordinate(t.west) + " " + coordinate(t.north), true
	case "srid":
		return strconv.Itoa(t.srid), true
	case "west":
		return coordinate(t.west), true
	case "north":
		return coordinate(t.north), true
	case "cell_x":
		return coordinate(t.cellX), true
	case "cell_y":
		return coordinate(t.cellY), true
	case "width":
		return strconv.Itoa(t.width), true
	case "height":
		return strconv.Itoa(t.height), true
	default:
		return "", false
	}
}

func (t *tile) List(string) ([]string, bool) { return nil, false }

// reals gives the values row by row from the north-west; NaN: none.
func (t *tile) Reals(name string) ([]float32, bool) { return t.cells, name == "cells" }

func (t *tile) empty() bool {
	return !slices.ContainsFunc(t.cells, func(v float32) bool { return !math.IsNaN(float64(v)) })
}

// outline is the rectangle of the tile as a GeoJSON polygon. Its sides have vertices in between, because they are
// curved in degrees.
func (t *tile) outline() []byte {
	const steps = 8
	east, south := t.west+t.cellX*float64(t.width), t.north-t.cellY*float64(t.height)
	vertices := [][2]float64{{t.west, t.north}, {t.west, south}, {east, south}, {east, t.north}, {t.west, t.north}}
	out := []byte(`{"type":"Polygon","coordinates":[[`)
	for i := range 4 {
		a, b := vertices[i], vertices[i+1]
		for s := range steps {
			part := float64(s) / steps
			out = append(appendPosition(out, a[0]+(b[0]-a[0])*part, a[1]+(b[1]-a[1])*part), ',')
		}
	}
	return append(appendPosition(out, t.west, t.north), "]]}"...)
}

func appendPosition(out []byte, x, y float64) []byte {
	out = strconv.AppendFloat(append(out, '['), x, 'g', -1, 64)
	return append(strconv.AppendFloat(append(out, ','), y, 'g', -1, 64), ']')
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
