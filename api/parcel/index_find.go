package parcel

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"arpent/internal/opendata/geom"
	"arpent/internal/snapshot"
)

// findCommune returns which commune has a code.
func (x *Index) findCommune(code string) (nth int, ok bool) {
	index, ok := x.byCode.Find(code)
	return int(index), ok
}

// findParcel returns the parcel with a reference; false: the file has none.
func (x *Index) findParcel(id IDU, arena *geom.Arena) (found row, shape geom.Shape, ok bool, err error) {
	defer x.endLookup(&err)
	commune, ok := x.findCommune(id.Commune())
	if !ok {
		return row{}, geom.Shape{}, false, nil
	}
	b := x.blockAt(commune)
	nth, ok := b.findParcel(id)
	if !ok {
		return row{}, geom.Shape{}, false, nil
	}
	found, outline, err := x.readRow(commune, &b, nth, id)
	if err == nil {
		shape, err = arena.DecodeDelta(outline, x.communes[commune].outlineOrigin())
	}
	return found, shape, err == nil, err
}

// endLookup ends a look-up, which held the file until now. An offset that leads nowhere, in a file that is
// wrong, is an error.
func (x *Index) endLookup(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", snapshot.ErrInvalid, p)
	}
	runtime.KeepAlive(x.file)
}

// findParcel returns which parcel of the block has the reference.
func (b *block) findParcel(id IDU) (nth int, ok bool) {
	key := sortKey([5]byte([]byte(id[5:10])))
	of, ok := slices.BinarySearchFunc(b.sections, key,
		func(s section, key uint64) int { return cmp.Compare(sortKey(s.Key), key) })
	if !ok {
		return 0, false
	}
	first, end := int(b.sections[of].First), b.sectionEnd(of)
	nth, ok = slices.BinarySearch(b.numbers[first:end], numberOf(id))
	return first + nth, ok
}

// sortKey is a number for a text, in the order of the texts.
func sortKey(k [5]byte) uint64 {
	return uint64(k[0])<<32 | uint64(k[1])<<24 | uint64(k[2])<<16 | uint64(k[3])<<8 | uint64(k[4])
}

// numberOf is the number of a parcel in its section.
func numberOf(id IDU) (n uint16) {
	for _, digit := range []byte(id[10:14]) {
		n = 10*n + uint16(digit-'0')
	}
	return n
}

// iduAt is the reference of the nth parcel of the block.
func (b *block) iduAt(commune *entry, nth int) IDU {
	of := b.sectionOf(nth)
	var id [14]byte
	copy(id[:5], commune.Code[:])
	copy(id[5:10], b.sections[of].Key[:])
	for i, n := 13, b.numbers[nth]; i >= 10; i, n = i-1, n/10 {
		id[i] = byte('0' + n%10)
	}
	return IDU(id[:])
}

// readRow reads the nth parcel of a block, which has the reference, and gives its outline as it is stored.
func (x *Index) readRow(commune int, b *block, nth int, id IDU) (r row, outline []byte, err error) {
	r.idu = id
	if x.communes[commune].Vintage != noVintage {
		r.vintage = &x.vintages[commune]
	}
	if outline, err = readAttributes(b.recordAt(nth), &r); err != nil {
		return row{}, nil, fmt.Errorf("parcel %s: %w", r.idu, err)
	}
	return r, outline, nil
}

// parcelAt returns the parcel that covers a point, on a border the one with the
// lowest reference; false: the file has none.
func (x *Index) parcelAt(p geom.Point, arena *geom.Arena) (found row, shape geom.Shape, ok bool, err error) {
	defer x.endLookup(&err)
	best, nth := -1, -1 // references rise with both
	for commune := range x.around.At(p) {
		if best >= 0 && int(commune) > best {
			continue
		}
		b := x.blockAt(int(commune))
		first, outline, err := x.lowestCovering(&b, &x.communes[commune], p, arena)
		if err != nil {
			return row{}, geom.Shape{}, false, err
		}
		if first >= 0 {
			best, nth, shape = int(commune), first, outline
		}
	}
	if best < 0 {
		return row{}, geom.Shape{}, false, nil
	}
	b := x.blockAt(best)
	found, _, err = x.readRow(best, &b, nth, b.iduAt(&x.communes[best], nth))
	return found, shape, err == nil, err
}

// lowestCovering returns the first parcel of a block that covers a point, and its outline; -1: there is none.
func (x *Index) lowestCovering(b *block, commune *entry, p geom.Point, arena *geom.Arena) (nth int,
	shape geom.Shape, err error) {
	nth = -1
	for leaf := range b.tree.At(p) {
		if nth >= 0 && int(leaf) > nth {
			continue
		}
		var r row
		outline, err := readAttributes(b.recordAt(int(leaf)), &r)
		if err != nil {
			return -1, geom.Shape{}, fmt.Errorf("a parcel of %s: %w", commune.Code, err)
		}
		candidate, err := arena.DecodeDelta(outline, commune.outlineOrigin())
		if err != nil {
			return -1, geom.Shape{}, fmt.Errorf("a parcel of %s: %w", commune.Code, err)
		}
		if candidate.Covers(p) {
			nth, shape = int(leaf), candidate
		}
	}
	return nth, shape, nil
}
