package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"arpent/internal/opendata/source"
)

// Limits of a topology, whose arcs are held in memory: its text (that of all communes is two thirds of it),
// and how often all shapes together repeat the positions of arcs.
const (
	maxTopologyBytes = 32 << 20
	maxArcUses       = 16
	degreeDecimals   = 7 // that are kept
)

// topologyHead matches the beginning of a TopoJSON file.
var topologyHead = regexp.MustCompile(`^\s*\{\s*"type"\s*:\s*"Topology"`)

// topologyReader reads the polygons of objects of a TopoJSON file, one object after the other. A record has
// the name of its object as the field "_layer". It follows
// https://github.com/topojson/topojson-specification.
type topologyReader struct {
	close      func() error
	arcs       [][]position
	geometries []objectGeometry
	next       int
	left       int    // positions that shapes may still have
	shape      []byte // of the current record
}

// objectGeometry is a feature as written, and the name of its object.
type objectGeometry struct {
	layer string
	text  json.RawMessage
}

// topology is the text of a TopoJSON file.
type topology struct {
	Transform *struct {
		Scale     [2]float64 `json:"scale"`
		Translate [2]float64 `json:"translate"`
	} `json:"transform"`
	Objects map[string]jsontext.Value `json:"objects"`
	Arcs    [][]position              `json:"arcs"`
}

// position is a longitude and a latitude, or the difference from the position before.
type position [2]float64

func newTopologyReader(in io.Reader, spec source.Read, close func() error) (*topologyReader, error) {
	limited := &io.LimitedReader{R: in, N: maxTopologyBytes}
	var t topology
	err := jsonv2.UnmarshalRead(limited, &t, jsontext.AllowInvalidUTF8(true))
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("the topology is longer than %d MiB", maxTopologyBytes>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file is cut off: its end is missing")
	case err != nil:
		return nil, fmt.Errorf("read the topology: %w", err)
	}
	r := &topologyReader{close: close, arcs: t.Arcs}
	for _, arc := range t.Arcs {
		r.left += maxArcUses * len(arc)
		var at position
		for i := range arc {
			if t.Transform == nil { // positions are written in full
				break
			}
			for axis := range at { // differences, in units of the transform
				at[axis] += arc[i][axis]
				arc[i][axis] = at[axis]*t.Transform.Scale[axis] + t.Transform.Translate[axis]
			}
		}
	}
	found, err := pickLayers(slices.Sorted(maps.Keys(t.Objects)), spec.Layers)
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		var object struct{ Geometries []json.RawMessage }
		if err := json.Unmarshal(t.Objects[name], &object); err != nil {
			return nil, fmt.Errorf("read the object %q: %w", name, err)
		}
		for _, text := range object.Geometries {
			r.geometries = append(r.geometries, objectGeometry{name, text})
		}
	}
	return r, nil
}

func (r *topologyReader) Close() error  { return r.close() }
func (*topologyReader) Projection() int { return 0 }

// topologyGeometry is a feature of the object.
type topologyGeometry struct {
	Type       string
	ID         json.RawMessage
	Properties jsonFields
	Arcs       json.RawMessage
}

func (r *topologyReader) Next() (Record, error) {
	if r.next == len(r.geometries) {
		return Record{}, io.EOF
	}
	read := r.geometries[r.next]
	r.next++
	line := int64(r.next)
	var g topologyGeometry
	if err := json.Unmarshal(read.text, &g); err != nil {
		return Record{}, &RecordError{line, errWrongForm.Error()}
	}
	if g.Properties == nil {
		g.Properties = jsonFields{}
	}
	if _, has := g.Properties["id"]; !has && len(g.ID) > 0 {
		g.Properties["id"] = g.ID
	}
	layer, err := json.Marshal(read.layer)
	if err != nil {
		return Record{}, err
	}
	g.Properties["_layer"] = layer
	record := Record{Line: line, Fields: g.Properties}
	if g.Type == "" {
		return record, nil
	}
	if r.shape, err = r.appendShape(r.shape[:0], g); err != nil {
		return Record{}, &RecordError{line, err.Error()}
	}
	if r.left < 0 {
		return Record{}, fmt.Errorf("its shapes repeat the arcs of the topology more than %d times", maxArcUses)
	}
	record.Shape = string(r.shape)
	return record, nil
}

// appendShape appends a polygon or multipolygon in GeoJSON, and a comma.
func (r *topologyReader) appendShape(b []byte, g topologyGeometry) ([]byte, error) {
	var parts [][][]int
	var err error
	switch g.Type {
	case "Polygon":
		parts = make([][][]int, 1)
		err = json.Unmarshal(g.Arcs, &parts[0])
	case "MultiPolygon":
		err = json.Unmarshal(g.Arcs, &parts)
	default:
		return b, fmt.Errorf("its geometry is a %s; of a topology polygons alone are read", strconv.Quote(g.Type))
	}
	if err != nil {
		return b, errors.New("its arcs are not lists of whole numbers")
	}
	b = append(b, `{"type":"MultiPolygon","coordinates":[`...)
	for _, rings := range parts {
		b = append(b, '[')
		for _, arcs := range rings {
			if b, err = r.appendRing(b, arcs); err != nil {
				return b, err
			}
		}
		b = closeList(b)
	}
	b = closeList(b)
	b[len(b)-1] = '}' // in place of the comma
	return b, nil
}

// appendRing appends a ring and a comma: its arcs one after the other, each of which begins where the one
// before ends. The number of an arc that is followed backwards is the complement of its index.
func (r *topologyReader) appendRing(b []byte, arcs []int) ([]byte, error) {
	b = append(b, '[')
	last := position{math.NaN(), math.NaN()}
	for i, number := range arcs {
		backwards := number < 0
		if backwards {
			number = ^number
		}
		if number >= len(r.arcs) {
			return b, fmt.Errorf("its shape refers to arc %d; the topology has %d", number, len(r.arcs))
		}
		arc := r.arcs[number]
		if r.left -= len(arc); r.left < 0 {
			return b, nil
		}
		for n := range arc {
			at := arc[n]
			if backwards {
				at = arc[len(arc)-1-n]
			}
			if i > 0 && n == 0 {
				if at != last {
					return b, errors.New("the arcs of its shape do not meet")
				}
				continue
			}
			b = strconv.AppendFloat(append(b, '['), at[0], 'f', degreeDecimals, 64)
			b = append(strconv.AppendFloat(append(b, ','), at[1], 'f', degreeDecimals, 64), ']', ',')
			last = at
		}
	}
	return closeList(b), nil
}

// closeList ends a list whose last element may have a comma after it, and appends one.
func closeList(b []byte) []byte {
	return append(bytes.TrimSuffix(b, []byte(",")), ']', ',')
}
