package geom

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Types and flags of (E)WKB.
const (
	wkbPolygon      = 3
	wkbMultiPolygon = 6
	ewkbSRID        = 0x20000000
	ewkbZ           = 0x80000000
	ewkbM           = 0x40000000
	wgs84           = 4326
)

var (
	errShort         = errors.New("the geometry ends too early")
	errTrailingBytes = errors.New("bytes follow the geometry")
	errOutside       = errors.New("a coordinate is no WGS84 position")
)

// chunkLen is how many numbers an Arena asks for at a time: 1 MiB, so that tens of thousands
// of small shapes take a few dozen allocations. A larger shape than an eighth of it gets
// memory of its own, so that little is left over.
const chunkLen = 1 << 18

// Arena is memory that many shapes share. The zero Arena is ready for use, by one goroutine at a time.
type Arena struct {
	coords  []int32 // the chunk in use
	indices []int32
	rings   []int32 // of the shape that is being read
	parts   []int32
}

// Reset makes the memory free for other shapes: those decoded before must not be used any more.
func (a *Arena) Reset() { a.coords, a.indices = a.coords[:0], a.indices[:0] }

// Decode reads a Polygon or MultiPolygon in WKB or EWKB. Coordinates are
// WGS84 degrees and are rounded to the unit.
func (a *Arena) Decode(wkb []byte) (Shape, error) {
	// A vertex takes 16 bytes: this is enough whatever the counts claim.
	d := decoder{rest: wkb, coords: reserveChunk(&a.coords, len(wkb)/8), rings: a.rings[:0], parts: a.parts[:0]}
	err := d.decodeGeometry()
	a.rings, a.parts = d.rings, d.parts
	if err != nil {
		return Shape{}, err
	}
	return a.storeShape(&d)
}

// storeShape returns the shape that was read, in memory of the arena, with its rings in the direction of RFC
// 7946: all that is served passes here. errTrailingBytes: something follows the shape.
func (a *Arena) storeShape(d *decoder) (Shape, error) {
	if len(d.rest) > 0 {
		return Shape{}, errTrailingBytes
	}
	orientRings(d.coords, d.rings, d.parts)
	return Shape{
		coords: takeWritten(&a.coords, d.coords),
		rings:  takeWritten(&a.indices, append(reserveChunk(&a.indices, len(d.rings)), d.rings...)),
		parts:  takeWritten(&a.indices, append(reserveChunk(&a.indices, len(d.parts)), d.parts...)),
	}, nil
}

// reserveChunk gives an empty slice with capacity for n numbers: the
// unused end of the chunk, else fresh memory.
func reserveChunk(chunk *[]int32, n int) []int32 {
	switch c := *chunk; {
	case cap(c)-len(c) >= n:
		return c[len(c):]
	case n > chunkLen/8:
		return make([]int32, 0, n)
	case cap(c) == 0: // perhaps the only shape
		*chunk = make([]int32, 0, max(n, 64))
	default:
		*chunk = make([]int32, 0, min(chunkLen, max(n, 8*cap(c))))
	}
	return *chunk
}

// takeWritten marks what was written to a reserved slice as used and gives it, closed to further appending.
func takeWritten(chunk *[]int32, written []int32) []int32 {
	if c := *chunk; cap(c) > len(c) && cap(written) > 0 && &c[:len(c)+1][len(c)] == &written[:1][0] {
		*chunk = c[:len(c)+len(written)]
	}
	return written[:len(written):len(written)]
}

// AppendEWKB appends the shape as PostGIS reads it: a MultiPolygon in EWKB, with WGS84 as its reference
// system.
func (s Shape) AppendEWKB(b []byte) []byte {
	le := binary.LittleEndian
	b = slices.Grow(b, 13+13*(len(s.parts)+len(s.rings))+8*len(s.coords))
	b = le.AppendUint32(append(b, 1), wkbMultiPolygon|ewkbSRID)
	b = le.AppendUint32(le.AppendUint32(b, wgs84), uint32(len(s.parts)))
	ring, vertex := int32(0), int32(0)
	for _, end := range s.parts {
		b = le.AppendUint32(append(b, 1), wkbPolygon)
		b = le.AppendUint32(b, uint32(end-ring))
		for ; ring < end; ring++ {
			b = le.AppendUint32(b, uint32(s.rings[ring]-vertex))
			for _, c := range s.coords[2*vertex : 2*s.rings[ring]] {
				b = le.AppendUint64(b, math.Float64bits(float64(c)/perDegree))
			}
			vertex = s.rings[ring]
		}
	}
	return b
}

// decoder reads one geometry. It appends to slices of sufficient capacity, so that coords stays where it is.
type decoder struct {
	rest   []byte
	order  binary.ByteOrder
	coords []int32
	rings  []int32
	parts  []int32
}

func (d *decoder) decodeGeometry() error {
	kind, err := d.readHeader()
	if err != nil {
		return err
	}
	if kind == wkbPolygon {
		return d.decodePolygon()
	}
	if kind != wkbMultiPolygon {
		return fmt.Errorf("geometry type %d is neither Polygon nor MultiPolygon", kind)
	}
	n, err := d.readCount(9)
	for ; n > 0 && err == nil; n-- {
		if kind, err = d.readHeader(); err == nil && kind != wkbPolygon {
			return fmt.Errorf("a MultiPolygon holds geometry type %d", kind)
		}
		if err == nil {
			err = d.decodePolygon()
		}
	}
	return err
}

// decodePolygon reads the rings. A polygon without any is nothing.
func (d *decoder) decodePolygon() error {
	n, err := d.readCount(4)
	if err != nil || n == 0 {
		return err
	}
	for range n {
		if err := d.decodeRing(); err != nil {
			return err
		}
	}
	d.parts = append(d.parts, int32(len(d.rings)))
	return nil
}

func (d *decoder) decodeRing() error {
	n, err := d.readCount(16)
	if err != nil {
		return err
	}
	if n < 4 {
		return fmt.Errorf("a ring has %d vertices", n)
	}
	first := len(d.coords)
	for range n {
		lon := math.Float64frombits(d.order.Uint64(d.rest))
		lat := math.Float64frombits(d.order.Uint64(d.rest[8:]))
		x, y := lon*perDegree, lat*perDegree
		// The comparison is written so that it refuses a number that is none.
		if !(math.Abs(x) <= maxX && math.Abs(y) <= maxY) {
			return errOutside
		}
		d.coords = append(d.coords, int32(math.Round(x)), int32(math.Round(y)))
		d.rest = d.rest[16:]
	}
	last := len(d.coords) - 2
	if d.coords[first] != d.coords[last] || d.coords[first+1] != d.coords[last+1] {
		return errors.New("a ring is not closed")
	}
	d.rings = append(d.rings, int32(len(d.coords)/2))
	return nil
}

// readHeader reads byte order, type and, if there is one, the reference system.
func (d *decoder) readHeader() (kind uint32, err error) {
	if len(d.rest) < 5 {
		return 0, errShort
	}
	switch d.rest[0] {
	case 0:
		d.order = binary.BigEndian
	case 1:
		d.order = binary.LittleEndian
	default:
		return 0, fmt.Errorf("byte order %d is unknown", d.rest[0])
	}
	kind = d.order.Uint32(d.rest[1:])
	d.rest = d.rest[5:]
	if kind&(ewkbZ|ewkbM) != 0 {
		return 0, errors.New("the geometry has more than two dimensions")
	}
	if kind&ewkbSRID != 0 {
		if len(d.rest) < 4 {
			return 0, errShort
		}
		if srid := d.order.Uint32(d.rest); srid != wgs84 {
			return 0, fmt.Errorf("reference system %d is not WGS84", srid)
		}
		d.rest = d.rest[4:]
	}
	return kind &^ ewkbSRID, nil
}

// readCount reads how many elements follow, each of at least size bytes. A count that cannot be true
// is refused before anything is done with it.
func (d *decoder) readCount(size int) (int, error) {
	if len(d.rest) < 4 {
		return 0, errShort
	}
	n := d.order.Uint32(d.rest)
	d.rest = d.rest[4:]
	if uint64(n)*uint64(size) > uint64(len(d.rest)) {
		return 0, errShort
	}
	return int(n), nil
}
