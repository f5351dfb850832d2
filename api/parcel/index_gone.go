package parcel

import (
	"bytes"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"arpent/internal/opendata/geom"
	"arpent/internal/snapshot"
)

// goneEntry is a commune with parcels that are gone.
type goneEntry struct {
	Block               uint64
	Stamp               uint64
	Parcels, Successors uint32
	Code                [5]byte
	_                   [3]byte
}

// goneParcel is a parcel that is gone.
type goneParcel struct {
	Key     [9]byte // its reference without the commune
	_       [3]byte
	Vintage int32  // when it was last seen, in days since 1970-01-01, or noVintage
	End     uint32 // where its successors end
}

// successor is the reference of a parcel that took the place of another.
type successor [14]byte

// maxSuccessors is how many an error names of a parcel.
const maxSuccessors = 10

// goneRecord is what is known of a parcel that is served no more.
type goneRecord struct {
	seen       *time.Time // the edition that had it last
	successors []string   // the one that has most of it first, at most maxSuccessors
	more       int        // how many others it has
}

// listSizes are the lengths of the two lists of a block.
func (e *goneEntry) listSizes() (parcels, successors uint64) {
	return uint64(e.Parcels) * uint64(unsafe.Sizeof(goneParcel{})),
		uint64(e.Successors) * uint64(unsafe.Sizeof(successor{}))
}

// blockSize is the length of the block.
func (e *goneEntry) blockSize() uint64 {
	parcels, successors := e.listSizes()
	return snapshot.Padded(parcels) + snapshot.Padded(successors)
}

// readGone checks that each block is as long as its entry says.
func (x *Index) readGone(f *snapshot.File) (err error) {
	if x.goneBlocks, err = f.Section(goneSection); err != nil {
		return err
	}
	communes, err := f.Section(goneCommunesSection)
	if err != nil {
		return err
	}
	x.gone = snapshot.View[goneEntry](communes)
	for i := range x.gone {
		e := &x.gone[i]
		if end := e.Block + e.blockSize(); e.Block%8 != 0 || end < e.Block || end > uint64(len(x.goneBlocks)) {
			return fmt.Errorf("%w: the parcels of commune %s that are gone are at %d", snapshot.ErrInvalid, e.Code,
				e.Block)
		}
	}
	return nil
}

// findGoneEntry returns which entry has the parcels of a commune that are gone.
func (x *Index) findGoneEntry(code string) (nth int, ok bool) {
	return slices.BinarySearchFunc(x.gone, code,
		func(e goneEntry, code string) int { return bytes.Compare(e.Code[:], []byte(code)) })
}

// goneParcels returns the former parcels of a commune by reference.
func (x *Index) goneParcels(e *goneEntry) []goneParcel {
	size, _ := e.listSizes()
	return snapshot.View[goneParcel](x.goneBlocks[e.Block : e.Block+size])
}

// findGone returns what is known of a parcel that is gone; false: the file knows of none with the reference.
func (x *Index) findGone(id IDU) (g goneRecord, ok bool, err error) {
	defer x.endLookup(&err)
	at, ok := x.findGoneEntry(id.Commune())
	if !ok {
		return goneRecord{}, false, nil
	}
	e := &x.gone[at]
	size, more := e.listSizes()
	parcels := x.goneParcels(e)
	nth, ok := slices.BinarySearchFunc(parcels, id[5:],
		func(p goneParcel, key IDU) int { return bytes.Compare(p.Key[:], []byte(key)) })
	if !ok {
		return goneRecord{}, false, nil
	}
	from := uint32(0)
	if nth > 0 {
		from = parcels[nth-1].End
	}
	begin := e.Block + snapshot.Padded(size)
	successors := snapshot.View[successor](x.goneBlocks[begin : begin+more])[from:parcels[nth].End]
	g.more = max(0, len(successors)-maxSuccessors)
	for _, s := range successors[:len(successors)-g.more] {
		if !isWellFormed(string(s[:])) {
			return goneRecord{}, false, fmt.Errorf("%w: the successors of parcel %s are wrong",
				snapshot.ErrInvalid, id)
		}
		g.successors = append(g.successors, string(s[:]))
	}
	if v := parcels[nth].Vintage; v != noVintage {
		seen := time.Unix(int64(v)*secondsADay, 0).UTC()
		g.seen = &seen
	}
	return g, true, nil
}

// hasParcel reports whether a parcel is in the file.
func (x *Index) hasParcel(id IDU) bool {
	_, _, ok, err := x.findParcel(id, new(geom.Arena))
	return ok && err == nil
}
