package convert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

const wgs84 = 4326

// Type codes of well-known binary.
const (
	wkbPoint = iota + 1
	wkbLineString
	wkbPolygon
	wkbMultiPoint
	wkbMultiLineString
	wkbMultiPolygon
)

const (
	ewkbHasSRID = 0x20000000
	degreeGrid  = 1e7 // coordinates in degrees are kept to 1e-7, some centimetres
	// maxCoordinate: no projection has greater ones; PostGIS is never asked to transform what would overflow.
	maxCoordinate = 1e8
)

var shapeCodes = map[string]uint32{
	"Point": wkbPoint, "LineString": wkbLineString, "Polygon": wkbPolygon, "MultiPoint": wkbMultiPoint,
	"MultiLineString": wkbMultiLineString, "MultiPolygon": wkbMultiPolygon,
}

// Geometries are encoded by hand: orb reads a missing or null coordinate as 0, which puts a shape
// elsewhere without a word, and knows no well-known text with Z.

// encodedShape is a shape in EWKB.
type encodedShape struct {
	wkb    []byte
	beyond bool // a coordinate is beyond what a longitude or latitude can be
}

// IsProjected reports whether a shape that AppendRow gave is in other units than degrees; nil is none.
func IsProjected(shape any) bool {
	ewkb, there := shape.([]byte)
	return there && binary.LittleEndian.Uint32(ewkb[5:]) != wgs84
}

// encodeShape turns a GeoJSON geometry into EWKB. Coordinates beyond the second are dropped and degrees
// rounded to 1e-7. With polygon set the result is a MultiPolygon and any other type an error.
func encodeShape(shape string, srid int, polygon bool) (encodedShape, error) {
	kind, coordinates, err := shapeMembers(shape)
	if err != nil {
		return encodedShape{}, err
	}
	code, known := shapeCodes[kind]
	switch {
	case polygon && code != wkbPolygon && code != wkbMultiPolygon:
		return encodedShape{}, fmt.Errorf("its geometry is a %s; expected a polygon", strconv.Quote(kind))
	case !known:
		return encodedShape{}, fmt.Errorf("its geometry has the unknown type %s", strconv.Quote(kind))
	}
	e := &shapeEncoder{in: coordinates, round: srid == wgs84}
	e.out = make([]byte, 0, len(coordinates))
	if polygon && code == wkbPolygon {
		e.writeHeader(wkbMultiPolygon, srid)
		e.writeCount(1)
		e.writeHeader(wkbPolygon, 0)
		e.encodeRings()
	} else {
		e.writeHeader(code, srid)
		e.encodeBody(code)
	}
	e.skipBlanks()
	if e.err == nil && e.at != len(e.in) {
		e.fail("its coordinates are not well formed")
	}
	return encodedShape{e.out, e.beyond}, e.err
}

var errNoShape = errors.New("its geometry is not a GeoJSON geometry")

// shapeMembers finds the type and the coordinates of a geometry. Their brackets are judged as they are read.
func shapeMembers(shape string) (kind, coordinates string, err error) {
	whole := gjson.Parse(shape)
	if !whole.IsObject() && whole.Type != gjson.Null {
		return "", "", errNoShape
	}
	whole.ForEach(func(name, value gjson.Result) bool {
		switch strings.ToLower(name.Str) {
		case "type":
			if value.Type != gjson.String {
				err = errNoShape
			}
			kind = value.Str
		case "coordinates":
			coordinates = value.Raw
		}
		return true
	})
	return kind, coordinates, err
}

// shapeEncoder reads nested arrays of numbers and writes well-known binary
// as it goes. After an error it does nothing.
type shapeEncoder struct {
	in     string
	at     int
	out    []byte
	round  bool
	beyond bool // a coordinate is no longitude or latitude
	err    error
}

func (e *shapeEncoder) fail(reason string) {
	if e.err == nil {
		e.err = errors.New(reason)
	}
}

func (e *shapeEncoder) writeHeader(code uint32, srid int) {
	e.out = append(e.out, 1) // little endian
	if srid != 0 {
		code |= ewkbHasSRID
	}
	e.out = binary.LittleEndian.AppendUint32(e.out, code)
	if srid != 0 {
		e.out = binary.LittleEndian.AppendUint32(e.out, uint32(srid))
	}
}

func (e *shapeEncoder) writeCount(n uint32) int {
	e.out = binary.LittleEndian.AppendUint32(e.out, n)
	return len(e.out) - 4
}

func (e *shapeEncoder) writeNumber(v float64) {
	if e.round {
		v = math.Round(v*degreeGrid) / degreeGrid
	}
	e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(v))
}

func (e *shapeEncoder) encodeBody(code uint32) {
	switch code {
	case wkbPoint:
		e.encodePosition()
	case wkbLineString:
		if e.encodePositions() < 2 {
			e.fail("a line of its geometry has fewer than 2 points")
		}
	case wkbPolygon:
		e.encodeRings()
	default:
		e.encodeArray(func() {
			e.writeHeader(code-wkbMultiPoint+wkbPoint, 0)
			e.encodeBody(code - wkbMultiPoint + wkbPoint)
		})
	}
}

// encodeArray reads an array whose members item reads, and writes their count before them.
func (e *shapeEncoder) encodeArray(item func()) uint32 {
	mark := e.writeCount(0)
	if !e.expectByte('[') {
		return 0
	}
	var n uint32
	if e.peek() == ']' {
		e.at++
		return 0
	}
	for e.err == nil {
		item()
		n++
		if e.peek() == ',' {
			e.at++
			continue
		}
		e.expectByte(']')
		break
	}
	binary.LittleEndian.PutUint32(e.out[mark:], n)
	return n
}

func (e *shapeEncoder) encodePositions() uint32 { return e.encodeArray(e.encodePosition) }

// encodeRings reads a polygon. PostGIS refuses open and shorter rings outright,
// with the whole load; here it costs the row.
func (e *shapeEncoder) encodeRings() {
	e.encodeArray(func() {
		first := len(e.out) + 4
		n := e.encodePositions()
		if e.err != nil {
			return
		}
		if n < 4 {
			e.fail("a ring of its geometry has fewer than 4 points")
			return
		}
		if last := len(e.out) - 16; string(e.out[first:first+16]) != string(e.out[last:]) {
			e.fail("a ring of its geometry is not closed")
		}
	})
}

func (e *shapeEncoder) encodePosition() {
	if !e.expectByte('[') {
		return
	}
	n := 0
	for e.err == nil {
		v := e.readFloat()
		if n < 2 {
			e.writeNumber(v)
			e.beyond = e.beyond || notDegrees(v, n)
		}
		n++
		if e.peek() == ',' {
			e.at++
			continue
		}
		e.expectByte(']')
		break
	}
	if n < 2 {
		e.fail("a point of its geometry has fewer than 2 coordinates")
	}
}

// notDegrees reports whether a first or second coordinate cannot be a longitude or latitude.
func notDegrees(v float64, nth int) bool {
	return math.Abs(v) > [...]float64{180, 90}[nth]
}

func (e *shapeEncoder) readFloat() float64 {
	e.skipBlanks()
	start := e.at
	for e.at < len(e.in) && strings.IndexByte("+-.0123456789eE", e.in[e.at]) >= 0 {
		e.at++
	}
	v, err := strconv.ParseFloat(e.in[start:e.at], 64)
	if err != nil || math.Abs(v) > maxCoordinate {
		e.fail("a coordinate of its geometry is not a number in range")
	}
	return v
}

func (e *shapeEncoder) skipBlanks() {
	for e.at < len(e.in) && (e.in[e.at] == ' ' || e.in[e.at] == '\t' || e.in[e.at] == '\r' ||
		e.in[e.at] == '\n') {
		e.at++
	}
}

func (e *shapeEncoder) peek() byte {
	e.skipBlanks()
	if e.at == len(e.in) {
		return 0
	}
	return e.in[e.at]
}

func (e *shapeEncoder) expectByte(want byte) bool {
	if e.err != nil || e.peek() != want {
		e.fail("its coordinates are not well formed")
		return false
	}
	e.at++
	return true
}

// fromWKT writes well-known text as a GeoJSON geometry, whose checks then apply: "POINT (1 2)" has the
// coordinates [1,2]. A leading "SRID=…;" is dropped; the declaration says the projection.
func fromWKT(text string) (string, error) {
	if _, rest, found := strings.Cut(text, ";"); found {
		text = rest
	}
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return "", errors.New("its geometry is not well-known text")
	}
	word, _, _ := strings.Cut(strings.TrimSpace(text[:open]), " ") // drops Z and M
	for name := range shapeCodes {
		if strings.EqualFold(name, word) {
			coordinates := wktCoordinates(text[open:])
			// A point's parentheses are its array; those around each point of some writers are one too many.
			if name == "Point" || name == "MultiPoint" && strings.HasPrefix(coordinates, "[[[") {
				coordinates = strings.NewReplacer("[[", "[", "]]", "]").Replace(coordinates)
			}
			return `{"type":"` + name + `","coordinates":` + coordinates + `}`, nil
		}
	}
	return "", errors.New("its geometry has the unknown type " + quoteExcerpt(word))
}

// wktCoordinates turns "((1 2, 3 4))" into "[[[1,2],[3,4]]]".
func wktCoordinates(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "(),")
		if end < 0 {
			break
		}
		if numbers := strings.Fields(text[:end]); len(numbers) > 0 {
			b.WriteString("[" + strings.Join(numbers, ",") + "]")
		}
		b.WriteByte("[],"[strings.IndexByte("(),", text[end])])
		text = text[end+1:]
	}
	return b.String() + strings.TrimSpace(text)
}
