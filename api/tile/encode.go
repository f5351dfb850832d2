package tile

import (
	"github.com/paulmach/orb"
	"google.golang.org/protobuf/encoding/protowire"
)

// The format is that of Mapbox Vector Tiles 2.1, a protocol buffer. It is written here, in fewer lines
// than the packages that a library brings for it: a second implementation of protocol buffers, and a
// database driver. A browser reads it in the tests.

// The fields of the messages, and the kinds of geometries and commands.
const (
	tileLayers = 3

	layerName, layerFeatures, layerKeys, layerValues, layerExtent, layerVersion = 1, 2, 3, 4, 5, 15

	featureTags, featureType, featureGeometry = 2, 3, 4

	valueString = 1

	points, lines, polygons = 1, 2, 3

	moveTo, lineTo, closePath = 1, 2, 7
)

// feature is what is drawn, with what is known of it.
type feature struct {
	geometry   orb.Geometry // a Point, MultiLineString or MultiPolygon in units of the grid
	properties [][2]string
}

// appendLayer appends a layer to a tile.
func appendLayer(tile []byte, name string, features []feature) []byte {
	e := encoder{keys: map[string]uint64{}, values: map[string]uint64{}}
	for _, f := range features {
		e.addFeature(f)
	}
	var head []byte
	head = appendVarint(head, layerVersion, 2)
	head = appendBytes(head, layerName, []byte(name))
	head = appendVarint(head, layerExtent, extent)
	tile = protowire.AppendTag(tile, tileLayers, protowire.BytesType)
	tile = protowire.AppendVarint(tile, uint64(len(head)+len(e.features)+len(e.names)+len(e.texts)))
	for _, part := range [][]byte{head, e.features, e.names, e.texts} {
		tile = append(tile, part...)
	}
	return tile
}

// encoder writes the features of a layer. Names and texts of properties are written once and numbered.
type encoder struct {
	features, names, texts []byte
	keys, values           map[string]uint64
	scratch, tags          []byte
	x, y                   int64 // where the pen is
}

func (e *encoder) addFeature(f feature) {
	e.tags = e.tags[:0]
	for _, p := range f.properties {
		key, known := e.keys[p[0]]
		if !known {
			key = uint64(len(e.keys))
			e.keys[p[0]] = key
			e.names = appendBytes(e.names, layerKeys, []byte(p[0]))
		}
		value, known := e.values[p[1]]
		if !known {
			value = uint64(len(e.values))
			e.values[p[1]] = value
			e.texts = appendBytes(e.texts, layerValues, appendBytes(nil, valueString, []byte(p[1])))
		}
		e.tags = protowire.AppendVarint(protowire.AppendVarint(e.tags, key), value)
	}
	e.scratch, e.x, e.y = e.scratch[:0], 0, 0
	kind := uint64(points)
	switch g := f.geometry.(type) {
	case orb.Point:
		e.startPath(g)
	case orb.MultiLineString:
		kind = lines
		for _, line := range g {
			e.addPath(line)
		}
	case orb.MultiPolygon:
		kind = polygons
		for _, polygon := range g {
			for _, ring := range polygon {
				e.addPath(ring[:len(ring)-1])
				e.writeCommand(closePath, 1)
			}
		}
	}
	size := sizeBytes(featureTags, e.tags) + protowire.SizeTag(featureType) + 1 + sizeBytes(featureGeometry,
		e.scratch)
	e.features = protowire.AppendTag(e.features, layerFeatures, protowire.BytesType)
	e.features = protowire.AppendVarint(e.features, uint64(size))
	e.features = appendBytes(e.features, featureTags, e.tags)
	e.features = appendVarint(e.features, featureType, kind)
	e.features = appendBytes(e.features, featureGeometry, e.scratch)
}

func (e *encoder) addPath(line []orb.Point) {
	e.startPath(line[0])
	e.writeCommand(lineTo, len(line)-1)
	for _, p := range line[1:] {
		e.writeStep(p)
	}
}

func (e *encoder) startPath(p orb.Point) {
	e.writeCommand(moveTo, 1)
	e.writeStep(p)
}

func (e *encoder) writeCommand(id uint64, count int) {
	e.scratch = protowire.AppendVarint(e.scratch, id|uint64(count)<<3)
}

func (e *encoder) writeStep(p orb.Point) {
	x, y := int64(p[0]), int64(p[1])
	e.scratch = protowire.AppendVarint(e.scratch, protowire.EncodeZigZag(x-e.x))
	e.scratch = protowire.AppendVarint(e.scratch, protowire.EncodeZigZag(y-e.y))
	e.x, e.y = x, y
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func sizeBytes(field protowire.Number, v []byte) int {
	return protowire.SizeTag(field) + protowire.SizeBytes(len(v))
}
