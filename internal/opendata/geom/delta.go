package geom

import "encoding/binary"

// A shape in few bytes: the outline of a parcel takes some forty. All numbers
// are varints, as encoding/binary writes them.
//
//	One ring       number of its vertices without the one that closes it, which is never 0; the vertices
//	Else           0; number of polygons; for each the number of its rings; for each of these the same as one ring
//
// A vertex is the difference of its longitude and of its latitude (signed) to those of the vertex before, in
// the units of this package; the first one of all is compared with a position that the reader knows.

// AppendDelta appends the shape; from is a position near it. The shape is not empty.
func (s Shape) AppendDelta(b []byte, from Point) []byte {
	w := deltaWriter{b: b, last: from}
	if len(s.rings) == 1 {
		w.writeRing(s.coords)
		return w.b
	}
	w.b = binary.AppendUvarint(append(w.b, 0), uint64(len(s.parts)))
	ring, vertex := int32(0), int32(0)
	for _, end := range s.parts {
		w.b = binary.AppendUvarint(w.b, uint64(end-ring))
		for ; ring < end; ring++ {
			w.writeRing(s.coords[2*vertex : 2*s.rings[ring]])
			vertex = s.rings[ring]
		}
	}
	return w.b
}

type deltaWriter struct {
	b    []byte
	last Point
}

// writeRing appends a closed ring without its last vertex.
func (w *deltaWriter) writeRing(coords []int32) {
	coords = coords[:len(coords)-2]
	w.b = binary.AppendUvarint(w.b, uint64(len(coords)/2))
	for i := 0; i < len(coords); i += 2 {
		p := Point{coords[i], coords[i+1]}
		w.b = binary.AppendVarint(w.b, int64(p.X)-int64(w.last.X))
		w.b = binary.AppendVarint(w.b, int64(p.Y)-int64(w.last.Y))
		w.last = p
	}
}

// DecodeDelta reads what AppendDelta wrote with the same position.
func (a *Arena) DecodeDelta(b []byte, from Point) (Shape, error) {
	// A vertex takes at least two bytes, and a ring has three in addition to the one that closes it.
	d := deltaReader{last: from, decoder: decoder{rest: b, coords: reserveChunk(&a.coords, 2*len(b)),
		rings: a.rings[:0], parts: a.parts[:0]}}
	d.readShape()
	a.rings, a.parts = d.rings, d.parts
	if d.isShort {
		return Shape{}, errShort
	}
	return a.storeShape(&d.decoder)
}

type deltaReader struct {
	decoder
	last    Point
	isShort bool
}

func (d *deltaReader) readShape() {
	if n := d.readUnsigned(); n > 0 {
		d.readRing(n)
		d.parts = append(d.parts, 1)
		return
	}
	for parts := d.readUnsigned(); parts > 0 && !d.isShort; parts-- {
		for rings := d.readUnsigned(); rings > 0 && !d.isShort; rings-- {
			d.readRing(d.readUnsigned())
		}
		d.parts = append(d.parts, int32(len(d.rings)))
	}
}

func (d *deltaReader) readRing(vertices uint64) {
	first := len(d.coords)
	if vertices < 3 || vertices > uint64(len(d.rest))/2 {
		d.isShort = true
		return
	}
	for range vertices {
		d.last.X += int32(d.readSigned())
		d.last.Y += int32(d.readSigned())
		d.coords = append(d.coords, d.last.X, d.last.Y)
	}
	d.coords = append(d.coords, d.coords[first], d.coords[first+1])
	d.rings = append(d.rings, int32(len(d.coords)/2))
}

// readUnsigned and signed read a number; 0 where there is none any more.
func (d *deltaReader) readUnsigned() uint64 {
	v, n := binary.Uvarint(d.rest)
	return d.readNumber(v, n)
}

func (d *deltaReader) readSigned() int64 {
	v, n := binary.Varint(d.rest)
	return int64(d.readNumber(uint64(v), n))
}

func (d *deltaReader) readNumber(v uint64, n int) uint64 {
	if n <= 0 || d.isShort {
		d.isShort, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}
